"""Measures scans beyond the best guess: entropies, absent targets, other noise.

Ours is the scan that is asked for more, the peer is the plain scan for the best guess, all moments
and the target's rank; the same targets of the same release, one core, decisions included.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.made import MadeRelease
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import draw_targets, items_in_window
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.similarity import Exponential
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store
from sim.study.inline import decided

_KNOWN = Knowledge(correct=8, size=8, value_noise=0, date_noise=14)
_SEED = 1
_BLOCKS = 8


@dataclass(frozen=True, slots=True)
class Size:
    """A release, and how long to look at it."""

    release: MadeRelease
    targets: int
    rounds: int


SIZES: dict[Scale, Size] = {
    "full": Size(MadeRelease(240_000, 9_000, 50_000_000), targets=32, rounds=11),
    "quick": Size(MadeRelease(60_000, 5_000, 10_000_000), targets=32, rounds=9),
    "tiny": Size(MadeRelease(900, 120, 15_000), targets=4, rounds=2),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = SIZES[scale]
    store = open_or_build(size.release, cache)
    records = -(-size.release.records // _BLOCKS)
    cut = open_or_build(size.release, cache, block_records=records)
    plain, entropy = (ScoreboardRH(similarity=Exponential(), entropy=e) for e in (False, True))
    gone = replace(_KNOWN, present=False)
    noises = [replace(_KNOWN, value_noise=v, date_noise=d) for v in (0, 1) for d in (3, 14)]
    asked: dict[str, tuple[ScoreboardRH, list[Knowledge], str, float | None]] = {
        "plain": (plain, [_KNOWN], "", None),
        "entropy": (entropy, [_KNOWN], "entropies", 1.8),
        "absent": (plain, [_KNOWN, gone], "targets present and absent", 1.8),
        "noise": (plain, noises, "four cells that differ in the noise alone", None),
        "no_dates": (plain, [replace(_KNOWN, date_noise=None)], "no dates known", None),
    }
    work = {
        name: attacked(attack, store, drawn(store, cells, size.targets))
        for name, (attack, cells, _, _) in asked.items()
    }
    for name, attack in {"plain_blocks": plain, "entropy_blocks": entropy}.items():
        work[name] = attacked(attack, cut, drawn(cut, [_KNOWN], size.targets))
    seconds = turns_of(work, size.rounds, time.thread_time)
    costs = {n: tuple(s * 1e3 / size.targets for s in took) for n, took in seconds.items()}
    found = [
        Result(
            name=f"measures/{name}",
            what=f"{what}, against the best guess alone; {_release(store, size.targets)}",
            unit="ms a target",
            ours=costs[name],
            peer=costs["plain"],
            goal=goal,
        )
        for name, (_, _, what, goal) in asked.items()
        if name != "plain"
    ]
    # σ is that of the whole release, so each block is scanned a second time.
    blocks = Result(
        name="measures/entropy_blocks",
        what=f"entropies, against the best guess alone; {_release(cut, size.targets)}",
        unit="ms a target",
        ours=costs["entropy_blocks"],
        peer=costs["plain_blocks"],
        goal=1.8,
    )
    return [*found, blocks]


def _release(store: Store, targets: int) -> str:
    m = store.manifest
    return (
        f"Scoreboard-RH, {targets} targets, {_KNOWN.size} facts, {m.n_records:,} records × "
        f"{m.n_items:,} items, {m.n_cells:,} cells in {m.n_blocks} blocks"
    )


def drawn(store: Store, cells: Sequence[Knowledge], n_targets: int) -> Drawn:
    """Aux of the same targets in every cell, as a study draws a batch."""
    most = max(known.size for known in cells)
    able = items_in_window(store, cells[0].popularity) >= most
    targets = draw_targets(able, n_targets, _SEED)
    return Drawn.concatenate(
        [draw_aux(store, known, cell, targets, _SEED) for cell, known in enumerate(cells)]
    )


def attacked(attack: ScoreboardRH, store: Store, drawn: Drawn) -> Callable[[], object]:
    """Return a function that runs all phases on all blocks and returns the decisions."""
    return lambda: decided(store, attack, drawn)
