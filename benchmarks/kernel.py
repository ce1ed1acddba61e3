"""The scan on one core: ours against NumPy and against the same loop in C.

All score the same targets, eight facts each, on the same release, and must find the same. What is
timed is the scoring alone: the release is open and the tables of contributions are made.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks import scan_parts
from benchmarks.made import MadeRelease, made_store
from benchmarks.peers import c_scan
from benchmarks.peers.numpy_scan import Columns, Found, by_bincount, by_table
from benchmarks.registry import Scale
from benchmarks.result import Costs, Result
from benchmarks.timing import turns_of
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import draw_targets, items_in_window
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.decisions import sigma
from sim.attack.engine.similarity import Exponential
from sim.attack.kernels.drivers import scan_block, target_scores
from sim.attack.kernels.partials import Partials, total
from sim.attack.kernels.prefixes import ungrouped
from sim.release.store.store import Store

_KNOWN = Knowledge(correct=8, size=8, value_noise=0, date_noise=14)
_SEED = 1
_LIMIT = 1.0
"""Nanoseconds a posting that the scan is to stay below."""


@dataclass(frozen=True, slots=True)
class _Size:
    release: MadeRelease
    targets: int
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size(MadeRelease(480_000, 17_770, 100_000_000), targets=32, rounds=11),
    "quick": _Size(MadeRelease(60_000, 5_000, 10_000_000), targets=32, rounds=7),
    "tiny": _Size(MadeRelease(900, 120, 15_000), targets=4, rounds=2),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    work = _Work(made_store(size.release, cache), size.targets)
    with TemporaryDirectory() as folder:
        found = work.compare(c_scan.compiled(Path(folder)), size.rounds)
    limit = [_against_the_limit(found[0])] if scale == "full" else []
    return found + limit + work.parts(size.rounds)


def _against_the_limit(found: Result) -> Result:
    what = found.what.rpartition("; ")[0] + "; the peer is the goal, at full size"
    limit = tuple(_LIMIT for _ in found.ours)
    return Result("kernel/limit", what, found.unit, found.ours, limit, goal=1.0)


class _Work:
    """A batch of targets on a release, as every contender gets it."""

    def __init__(self, store: Store, n_targets: int) -> None:
        self.store = store
        self.blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
        able = items_in_window(store, _KNOWN.popularity) >= _KNOWN.size
        self.drawn = draw_aux(store, _KNOWN, 0, draw_targets(able, n_targets, _SEED), _SEED)
        self.spec = ScoreboardRH(similarity=Exponential()).scanned(store, self.drawn)
        self.own, self.groups = target_scores(store, self.drawn, self.spec), ungrouped(self.drawn)
        self.postings = int(store.support[self.drawn.aux.item].sum())

    def compare(self, in_c: c_scan.CScan | None, rounds: int) -> list[Result]:
        columns = Columns.of(self.store)
        given = (self.drawn.aux, self.spec.contributions, self.own)
        work: dict[str, Any] = {
            "ours": self.ours,
            "bincount": lambda: by_bincount(columns, *given),
            "table": lambda: by_table(columns, *given),
        }
        ours = self.ours()
        for name in ("bincount", "table"):
            _must_agree(name, total(dict(enumerate(ours))), work[name]())
        if in_c is not None:
            work["c"] = lambda: [in_c(block, *given) for block in self.blocks]
            _must_equal(ours, work["c"]())
        seconds = turns_of(work, rounds, time.thread_time)
        costs = {n: tuple(s * 1e9 / self.postings for s in took) for n, took in seconds.items()}
        return self._results(costs)

    def parts(self, rounds: int) -> list[Result]:
        """Compute the share of the scan's time that each step takes."""
        work = scan_parts.steps(self.blocks, self.drawn.aux, self.spec.contributions) | {
            "looking": self.ours
        }
        seconds = turns_of(work, rounds, time.thread_time)
        costs = {n: np.array(took) * 1e9 / self.postings for n, took in seconds.items()}
        whole, found, until = tuple(costs["looking"].tolist()), [], np.zeros(rounds)
        for name, what in scan_parts.STEPS.items():
            part = tuple((costs[name] - until).tolist())
            found.append(
                Result(f"kernel/{name}", f"{what}, of it all", "ns a posting", part, whole)
            )
            until = costs[name]
        return found

    def ours(self) -> list[Partials]:
        return [
            scan_block(self.store, block, self.drawn, self.spec, self.own, self.groups)
            for block in self.blocks
        ]

    def _results(self, costs: dict[str, Costs]) -> list[Result]:
        release, targets = self.store.manifest, len(self.drawn)
        on = (
            f"Scoreboard-RH on one core, {targets} targets, {_KNOWN.size} facts, "
            f"{self.postings // targets:,} postings a target, {release.n_records:,} records "
            f"× {release.n_items:,} items, {release.n_cells:,} cells; "
        )
        peers = {
            "bincount": ("numpy", "NumPy: bincount, partition, std", 0.05),
            "table": ("numpy_fastest", "NumPy, the fastest found: a table per fact", 0.05),
            "c": ("c", f"the same loop in C, {' '.join(c_scan.FLAGS[:2])}", 1.05),
        }
        return [
            Result(
                name=f"kernel/{label}",
                what=on + (what if peer in costs else f"{what}: there is no C compiler here"),
                unit="ns a posting",
                ours=costs["ours"],
                peer=costs.get(peer),
                goal=goal,
            )
            for peer, (label, what, goal) in peers.items()
        ]


def _must_agree(name: str, whole: Partials, found: list[Found]) -> None:
    ours = (whole["best"], whole["second"], sigma(whole, "all"), whole["at_least"])
    theirs = [[getattr(f, part) for f in found] for part in ("best", "second", "sigma", "rank")]
    same_record = whole["best_record"] == [f.best_record for f in found]
    if not np.allclose(ours, theirs) or not same_record.all():
        raise RuntimeError(f"kernel: NumPy ({name}) does not find what we find")


def _must_equal(ours: list[Partials], theirs: list[Any]) -> None:
    for a, b in zip(ours, theirs, strict=True):
        if any((a[field] != b[field]).any() for field in c_scan.FOUND.names or ()):
            raise RuntimeError("kernel: the loop in C does not make the same bits")
