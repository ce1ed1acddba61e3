"""The command line as a user calls it, timed from start to end, with all its processes' memory.

Where a goal is absolute, the goal itself stands in the peer's place: the ratio is then the share of
it that was used, and at most 1 meets it. It is judged at full size only.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import memory
from benchmarks.registry import Scale
from benchmarks.result import Result
from sim.record.run_folder import open_folder, runs_of
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store
from sim.release.synthetic import PRESETS, SyntheticSource

_ROOT = Path(__file__).resolve().parents[1]
_CHUNK = 1 << 24


@dataclass(frozen=True, slots=True)
class CallCost:
    """Time and memory of a call.

    Parameters
    ----------
    peak_bytes, beyond_files : int
        In all, and beyond what is mapped from files; 0 where the system does not provide it.
    stages : dict of str to dict
        Seconds of every stage of every run in the folder, by the folder's path within.
    """

    seconds: float
    peak_bytes: int
    beyond_files: int
    stages: dict[str, dict[str, float]]

    @property
    def by_run(self) -> dict[str, float]:
        """Seconds of each single run, including its Bayes-optimal companion."""
        return {name: sum(one.values()) for name, one in self.stages.items()}

    @property
    def by_stage(self) -> dict[str, float]:
        """Seconds of each stage, all runs together."""
        summed: dict[str, float] = {}
        for one in self.stages.values():
            for stage, seconds in one.items():
                summed[stage] = summed.get(stage, 0.0) + seconds
        return summed


def ready(preset: str, cache: Path) -> list[str]:
    """Build a made-up release if need be, read it once, and give the overrides that open it."""
    store = open_or_build(SyntheticSource(PRESETS[preset], seed=1), cache)
    _read(store)
    return [f"data.preset={preset}", "data.seed=1", f"data.cache={cache.resolve()}"]


def call(overrides: Sequence[str], *, runs: bool = True) -> CallCost:
    """Run ``standout`` with these overrides in a folder that is then deleted.

    Parameters
    ----------
    runs : bool
        Whether that is a run, which has a folder; not another command.

    Raises
    ------
    RuntimeError
        It fails; with its last words.
    """
    with TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "sim", *overrides]
        if runs:
            command.append(f"hydra.run.dir={folder}/run")
        begin = time.perf_counter()
        with (
            subprocess.Popen(
                command, cwd=_ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
            ) as process,
            memory.Peak(process.pid) as peak,
        ):
            assert process.stderr is not None
            said = process.stderr.read()
        seconds = time.perf_counter() - begin
        if process.returncode:
            raise RuntimeError(f"standout {' '.join(overrides)}: {said[-2000:]}")
        stages = _stages(Path(folder) / "run") if runs else {}
        return CallCost(seconds, peak.bytes, peak.beyond_files, stages)


def against_limits(
    name: str, what: str, calls: Sequence[CallCost], seconds: float, gigabytes: float, scale: Scale
) -> list[Result]:
    """Time and memory of some calls, the most they may be in the peer's place."""
    goal = 1.0 if scale == "full" else None
    limit = "the peer is the goal, at full size"
    results = [
        Result(
            f"{name}/time",
            f"{what}; {limit}; stages: {_medians_in_words(calls, 'by_stage')}",
            "s",
            tuple(cost.seconds for cost in calls),
            (seconds,) * len(calls),
            goal,
        )
    ]
    if memory.can_tell():
        gave = "peak over all processes, shared pages counted once"
        held = tuple(cost.peak_bytes / 1e9 for cost in calls)
        results.append(
            Result(f"{name}/memory", f"{what}; {gave}; {limit}", "GB", held,
                   (gigabytes,) * len(calls), goal)
        )  # fmt: skip
    return results


def _medians_in_words(calls: Sequence[CallCost], which: str) -> str:
    """Medians by name, the longest first."""
    found = [getattr(cost, which) for cost in calls]
    medians = {name: statistics.median(f.get(name, 0.0) for f in found) for name in found[0]}
    ordered = sorted(medians.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{name} {seconds:.1f} s" for name, seconds in ordered if seconds >= 0.05)


def parts_in_words(calls: Sequence[CallCost]) -> str:
    """Seconds of every run of a suite, in words."""
    return _medians_in_words(calls, "by_run")


def _stages(folder: Path) -> dict[str, dict[str, float]]:
    """Return the stages of the single runs; a suite's are sums of theirs, and a report."""
    whole = open_folder(folder)
    records = {run.within or "all": run.record for run in runs_of(whole)} | {"all": whole.record}
    return {
        name: {stage: took for stage, took in record["seconds"].items() if stage != "parts"}
        for name, record in records.items()
    }


def _read(store: Store) -> None:
    """Read the store into the page cache, where it is right after it was built."""
    for name in store.manifest.files:
        with (store.folder / name).open("rb") as stream:
            while stream.read(_CHUNK):
                pass
