"""Building a store by two workers, against one worker, and against one process without Ray.

As the command line does it, from start to end: generated rows, and the same number of rows of text.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.command import call
from benchmarks.export_netflix import export
from benchmarks.ingest_once import PLAIN
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import in_turns
from sim.release.store.cache import open_or_build
from sim.release.synthetic import PRESETS, SyntheticSource

_HEADER = b"item,record,value,day\n"
_COLUMNS = ("data.user=record", "data.item=item", "data.value=value", "data.date=day")
_GOAL = 0.625
"""Two workers take at most this part of the time of one: they are 1.6 times as fast."""

_HOW = {
    "two": ("cluster=local", "cluster.workers=2"),
    "one": ("cluster=local", "cluster.workers=1"),
    "process": ("cluster=inline",),
}


@dataclass(frozen=True, slots=True)
class _Size:
    preset: str
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size("netflix", 1),
    "quick": _Size("default", 2),
    "tiny": _Size("tiny", 1),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    store = open_or_build(SyntheticSource(PRESETS[size.preset], seed=1), cache)
    with TemporaryDirectory(dir=cache) as folder:
        text, plain = Path(folder) / "rows.csv", Path(folder) / PLAIN
        rows = export(store, Path(folder) / "netflix", plain=plain)
        shutil.rmtree(Path(folder) / "netflix")
        with text.open("wb") as out, plain.open("rb") as given:
            out.write(_HEADER)
            shutil.copyfileobj(given, out, 1 << 24)
        plain.unlink()
        on = f"{rows:,} rows"
        made = ["data=synthetic", f"data.preset={size.preset}", "data.seed=1"]
        read = ["data=table", f"data.path={text}", *_COLUMNS]
        return [
            *_compared("generated", f"{on}, generated", made, Path(folder), size, scale),
            *_compared("text", f"{on} of csv", read, Path(folder), size, scale),
        ]


def _compared(
    name: str, what: str, data: Sequence[str], folder: Path, size: _Size, scale: Scale
) -> list[Result]:
    work = {who: partial(_built, [*data, *given], folder) for who, given in _HOW.items()}
    found = {who: tuple(costs) for who, costs in in_turns(work, size.rounds).items()}
    goal = _GOAL if scale == "full" else None
    two = "a store built by two workers on Ray, from the start of the command to its end"
    return [
        Result(
            f"building/{name}", f"{what}: {two}; against one worker", "s",
            found["two"], found["one"], goal,
        ),
        Result(
            f"building/{name}_here", f"{what}: {two}; against one process without Ray, which "
            "sorts blocks in as many threads", "s", found["two"], found["process"], None,
        ),
    ]  # fmt: skip


def _built(overrides: Sequence[str], folder: Path) -> float:
    """Seconds of a build; its memory is not looked at, which would take a core of its own."""
    with TemporaryDirectory(dir=folder) as cache:
        return call(["build", *overrides, f"data.cache={cache}"], runs=False, looks=False).seconds
