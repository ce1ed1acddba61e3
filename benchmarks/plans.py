"""Frontiers and plans: their time, and whether what a plan offers keeps its bound.

A plan attacks every record twice before it offers a release. Here the release is attacked again,
under seeds that the plan has not used, by the same attackers; the bound is exceeded where the
measured risk of an attacker is above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.command import against_limits, call, ready
from benchmarks.registry import Scale
from benchmarks.result import Result
from sim.config.chains import chains_of
from sim.config.compose import composed, configured
from sim.findings.assessment import assess
from sim.findings.chains import TRIALS
from sim.record.run_folder import RunFolder, open_folder
from sim.session.jobs import plan_job
from sim.session.suite import run_planned

_GIGABYTES = 4.0
_FRONTIER_SECONDS, _PLAN_SECONDS, _DEFENCE_SECONDS = 600.0, 900.0, 120.0
_EXCEEDED = 5.0
"""Percent of the attacks on what plans offer in which the bound may be exceeded."""

_CHAINS = (
    "drop_time",
    "drop_time drop_values",
    "drop_time drop_values drop_popular.top=20,60",
    "drop_time drop_values cap_length.n=20,10",
    "drop_time drop_values sample_cells.share=0.5,0.25,0.1",
    "drop_time coarsen_values.levels=2",
)


@dataclass(frozen=True, slots=True)
class _Size:
    """Size of the work; plans are made on releases `tiny` of several seeds."""

    timed: str
    defended: str
    releases: int
    bounds: tuple[float, ...]
    seeds: int
    chains: tuple[str, ...] = ()


_SIZES: dict[Scale, _Size] = {
    "full": _Size("default", "netflix", 5, (0.05, 0.1, 0.2, 0.4), 10),
    "quick": _Size("tiny", "default", 1, (0.2,), 3, ("drop_time drop_values",)),
    "tiny": _Size("tiny", "tiny", 1, (1.0,), 1, ("drop_items",)),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    found = _times(scale, size, cache)
    return [*found, _exceeded(scale, size, cache)]


def _times(scale: Scale, size: _Size, cache: Path) -> list[Result]:
    common = ready(size.timed, cache)
    chosen = [f"plan.defences={list(size.chains)}"] if size.chains else []
    chains = f"{'the given' if chosen else '40'} chains of defences against three attackers"
    on = f"on preset {size.timed}, one process"
    found = against_limits(
        "plans/frontier", f"frontier of {chains}, {on}",
        [call(["experiment=frontier", *chosen, *common])], _FRONTIER_SECONDS, _GIGABYTES, scale,
    )  # fmt: skip
    found += against_limits(
        "plans/plan", f"plan for a mean risk of 10% with {chains}, {on}",
        [call(["experiment=plan", "plan.max_risk=0.1", *chosen, *common])], _PLAN_SECONDS,
        _GIGABYTES, scale,
    )  # fmt: skip
    one = ["targets=2", "bayes_targets=0", "grid.aux=[2/2]", "cluster=inline"]
    return found + against_limits(
        "plans/defence", f"preset {size.defended} after coarsen_time, stored; two targets attacked",
        [call(["defence=[coarsen_time]", *one, *ready(size.defended, cache)])], _DEFENCE_SECONDS,
        _GIGABYTES, scale,
    )  # fmt: skip


def _exceeded(scale: Scale, size: _Size, cache: Path) -> Result:
    """Make plans, and attack again what they offer."""
    attacks, exceeded, plans, none = 0, 0, 0, 0
    for seed in range(1, size.releases + 1):
        data = ["data.preset=tiny", f"data.seed={seed}", f"data.cache={cache.resolve()}"]
        for bound in size.bounds:
            plans += 1
            chain = _offered(bound, data)
            if chain is None:
                none += 1
                continue
            for again in range(size.seeds):
                attacks += 1
                exceeded += _risk(chain, data, 1000 + again) > bound
    bounds = ", ".join(f"{bound:g}" for bound in size.bounds)
    what = (
        f"{plans} plans on {size.releases} releases with bounds {bounds} on the mean risk; {none} "
        f"offered nothing; what the others offered was attacked {attacks} times under new seeds, "
        f"and {exceeded} of these exceeded the bound; the peer is the most there may be"
    )
    percent = 100.0 * exceeded / max(attacks, 1)
    goal = 1.0 if scale == "full" else None
    return Result("plans/exceeded", what, "% of attacks", (percent,), (_EXCEEDED,), goal)


def _offered(bound: float, data: list[str]) -> tuple[str, ...] | None:
    chains = f"plan.defences={list(_CHAINS)}"
    with _folder_of(["experiment=plan", f"plan.max_risk={bound}", chains, *data]) as plan:
        trials = plan.tables[TRIALS]
    offered = trials[trials["decision"] == "offered"]["chain"].tolist()
    if not offered:
        return None
    return chains_of(offered)[0].overrides


def _risk(chain: tuple[str, ...], data: list[str], seed: int) -> float:
    """Highest mean risk of an attacker who attacks every record."""
    asked = ["experiment=frontier", "aggregate=audit", "utility=[]", "targets=all", f"seed={seed}"]
    with _folder_of([*asked, *chain, *data]) as audit:
        rows = assess(audit).rows
    return max(row.mean.estimate for row in rows if row.mean is not None)


@contextmanager
def _folder_of(overrides: list[str]) -> Iterator[RunFolder]:
    """Run a study in a folder that is then deleted."""
    job = plan_job(configured(composed(overrides)), overrides)
    with TemporaryDirectory() as folder:
        run_planned(job, Path(folder))
        yield open_folder(Path(folder))
