"""A sweep over the size of the aux, 1 to 20, against size 20 alone.

Aux sets of one target are beginnings of one another, so one scan serves them all. Both score and
decide on one core; before anything is timed, each size alone must decide as it does in the sweep.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from benchmarks.made import made_store
from benchmarks.measures import SIZES, attacked, drawn
from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import turns_of
from sim.adversary.knowledge import Knowledge
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.similarity import Exponential
from sim.release.store.store import Store

_MOST = 20
_DATES = {"dates": 14, "no_dates": None}
_GOALS = {"dates": 1.1, "no_dates": 1.25}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = SIZES[scale]
    store = made_store(size.release, cache)
    attack = ScoreboardRH(similarity=Exponential())
    work = {}
    for name, noise in _DATES.items():
        cells = [Knowledge(m, m, value_noise=0, date_noise=noise) for m in range(1, _MOST + 1)]
        _must_decide_alike(attack, store, cells, size.targets)
        work[name] = attacked(attack, store, drawn(store, cells, size.targets))
        work[f"{name}, alone"] = attacked(attack, store, drawn(store, cells[-1:], size.targets))
    seconds = turns_of(work, size.rounds, time.thread_time)
    costs = {n: tuple(s * 1e3 / size.targets for s in took) for n, took in seconds.items()}
    m = store.manifest
    on = f"{m.n_records:,} records × {m.n_items:,} items, {m.n_cells:,} cells"
    return [
        Result(
            name=f"sweep/{name}",
            what=f"Scoreboard-RH, 1 to {_MOST} facts ({name.replace('_', ' ')}), against {_MOST} "
            f"alone; {size.targets} targets, {on}",
            unit="ms a target",
            ours=costs[name],
            peer=costs[f"{name}, alone"],
            goal=_GOALS[name],
        )
        for name in _DATES
    ]


def _must_decide_alike(
    attack: ScoreboardRH, store: Store, cells: list[Knowledge], n_targets: int
) -> None:
    whole = drawn(store, cells, n_targets)
    together = attacked(attack, store, whole)()
    for cell in range(len(cells)):
        here = np.flatnonzero(whole.aux.cell == cell)
        alone = attacked(attack, store, whole.part(int(here[0]), int(here[-1]) + 1))()
        for name in Decisions.__slots__:
            if getattr(alone, name).tobytes() != getattr(together, name)[here].tobytes():
                raise RuntimeError(f"sweep: {cells[cell]} alone has another {name}")
