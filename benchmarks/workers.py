"""The same batches scored in this process, by one worker on Ray, and by two.

All find the same decisions. What is timed is the run itself: Ray and its workers are up and the
aux is drawn. No more than the machine's cores can be gained, and less where they share a core's
arithmetic or the memory, or where others are at work.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import ray

from actors.cluster import connect, disconnect
from actors.coordinator import Coordinator
from benchmarks.made import MadeRelease, made_store
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.aux import Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import draw_targets, items_in_window
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.similarity import Exponential
from sim.release.store.store import Store
from sim.study.inline import InlineRunner
from sim.study.runner import Runner

_KNOWN = Knowledge(correct=8, size=8, value_noise=0, date_noise=14)
_SEED = 1
_WORKERS = (1, 2)
_TARGETS_A_BATCH = 512  # about what `sim.study.plan` cuts at full size
_LEAST_BATCHES = 16  # as there


@dataclass(frozen=True, slots=True)
class _Size:
    release: MadeRelease
    targets: int
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size(MadeRelease(480_000, 17_770, 100_000_000), 16_384, rounds=5),
    "quick": _Size(MadeRelease(60_000, 5_000, 10_000_000), 4096, rounds=5),
    "tiny": _Size(MadeRelease(900, 120, 15_000), 40, rounds=2),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    store, attack = made_store(size.release, cache), ScoreboardRH(similarity=Exponential())
    batches = _batches(store, size.targets)
    n_targets = sum(len(aux) for aux in batches)
    with _runners(store, attack) as runners:
        first, *others = (_decided(runner, batches) for runner in runners.values())
        if any(other != first for other in others):
            raise RuntimeError("workers: not all runners decide alike")
        work = {name: partial(_run, runner, batches) for name, runner in runners.items()}
        seconds = turns_of(work, size.rounds)
    costs = {name: tuple(s * 1e6 / n_targets for s in took) for name, took in seconds.items()}
    on = (
        f"{n_targets:,} targets in {len(batches)} batches on {store.manifest.n_cells:,} cells in "
        f"{store.manifest.n_blocks} blocks"
    )
    unit, one, two = "µs a target", "one worker on Ray", "two workers on Ray"
    return [
        Result(
            "workers/ray", f"{on}; {one}, against no Ray", unit, costs["1"], costs["inline"], 1.05
        ),
        Result("workers/two", f"{on}; {two}, against one", unit, costs["2"], costs["1"], 1 / 1.75),
    ]


def _batches(store: Store, n_targets: int) -> list[Drawn]:
    able = items_in_window(store, _KNOWN.popularity) >= _KNOWN.size
    targets = draw_targets(able, n_targets, _SEED)
    n_batches = max(_LEAST_BATCHES, n_targets // _TARGETS_A_BATCH)
    parts = np.array_split(targets, n_batches)
    return [draw_aux(store, _KNOWN, 0, part, _SEED) for part in parts]


@contextmanager
def _runners(store: Store, attack: ScoreboardRH) -> Iterator[dict[str, Runner]]:
    """Yield all runners, of which the idle ones wait; a running Ray keeps running."""
    ours = not ray.is_initialized()
    connect("local", None, sum(_WORKERS))
    runners: dict[str, Runner] = {"inline": InlineRunner(store, attack)}
    try:
        for workers in _WORKERS:
            runners[str(workers)] = Coordinator(
                store,
                attack,
                kind="local",
                address=None,
                workers=workers,
                shards=None,
                timeout=600.0,
            )
        yield runners
    finally:
        for runner in runners.values():
            runner.close()
        if ours:
            disconnect()


def _run(runner: Runner, batches: list[Drawn]) -> list[Any]:
    numbers = list(range(len(batches)))
    return [decisions for _, _, decisions in runner.run(numbers, batches.__getitem__)]


def _decided(runner: Runner, batches: list[Drawn]) -> list[bytes]:
    """Return a runner's decisions as bytes."""
    decided = _run(runner, batches)
    return [d.best.tobytes() + d.eccentricity.tobytes() + d.rank.tobytes() for d in decided]
