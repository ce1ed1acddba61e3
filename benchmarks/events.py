"""A scan of a release in which records hold items twice, against one in which they do so once.

Both have as many cells, and what is compared is the time for a posting: where items repeat, the
best cell of every record is found first.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.made import MadeRelease, made_store
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import draw_targets, items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.algorithm import Algorithm
from sim.release.store.store import Store

_KNOWN = Knowledge(correct=8, size=8, value_noise=0, date_noise=14)
_GOAL = 2.5
_SEED = 1


@dataclass(frozen=True, slots=True)
class _Size:
    release: MadeRelease
    targets: int
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size(MadeRelease(240_000, 9_000, 50_000_000), targets=32, rounds=7),
    "quick": _Size(MadeRelease(60_000, 5_000, 5_000_000), targets=32, rounds=5),
    "tiny": _Size(MadeRelease(900, 120, 15_000), targets=4, rounds=2),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    once = made_store(size.release, cache)
    twice = made_store(replace(size.release, times=2), cache)
    found = []
    for attack, goal in ((ScoreboardRH(), _GOAL), (Bayes(knowledge=(_KNOWN,)), None)):
        ours, theirs = _Work(twice, attack, size.targets), _Work(once, attack, size.targets)
        seconds = turns_of({"ours": ours.scan, "peer": theirs.scan}, size.rounds, time.thread_time)
        m = twice.manifest
        found.append(
            Result(
                f"events/{attack.name}",
                f"{attack.label}, {size.targets} targets, {_KNOWN.size} facts, each item of a "
                f"record in two cells, against one; {m.n_records:,} records × {m.n_items:,} items, "
                f"{m.n_cells:,} cells",
                "ns a posting",
                tuple(s * 1e9 / ours.postings for s in seconds["ours"]),
                tuple(s * 1e9 / theirs.postings for s in seconds["peer"]),
                goal=goal,
            )
        )
    return found


class _Work:
    def __init__(self, store: Store, attack: Algorithm, n_targets: int) -> None:
        able = items_in_window(store, _KNOWN.popularity) >= _KNOWN.size
        drawn = draw_aux(store, _KNOWN, 0, draw_targets(able, n_targets, _SEED), _SEED)
        self.store, self.attack, self.drawn = store, attack, attack.annotated(store, drawn)
        self.postings = int(store.cells[drawn.aux.item].sum())

    def scan(self) -> None:
        blocks = list(range(self.store.manifest.n_blocks))
        self.attack.partials(self.store, blocks, self.drawn, 0, None)
