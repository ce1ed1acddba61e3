"""Compares the estimate of ``dry_run=true`` with the cost of the same study.

The estimate is ours, the study is the peer: a ratio of 1 is an exact estimate. Both are
made in this process, on the same plan; starting up and reporting are left out of both. Seconds are
those of the processor, so that others on the machine are neither estimated nor measured.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from benchmarks.registry import Scale
from benchmarks.result import Result
from benchmarks.timing import timed
from sim.attack.engine.algorithm import Algorithm
from sim.config.compose import composed, configured
from sim.release.store.cache import open_or_build
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY
from sim.release.synthetic import PRESETS, SyntheticSource
from sim.session.checks import attack_of, cells_of, targets_of
from sim.session.cost import cost_of
from sim.study.inline import InlineRunner
from sim.study.plan import Plan, make_plan
from sim.study.run import run_study

_STUDIES: dict[str, list[str]] = {
    "fig4": ["experiment=ns08_fig4"],
    "fig6": ["experiment=ns08_fig6"],
    "rarer": ["grid.popularity=[0,20]", "grid.aux=[4/4,8/8]", "grid.date_noise=[null]"],
    "lengths": ["grid.record_length=[null,0.5]", "grid.present=[true,false]"],
    "mu": ["experiment=ns07_fig2"],
    "mentions": ["attack=scoring", "adversary=mentions", "grid=mentions", "grid.decoys=[0,5]"],
    "bayes": ["experiment=ns08_fig4", "attack=bayes"],
}


@dataclass(frozen=True, slots=True)
class _Size:
    preset: str
    targets: int
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size("netflix", targets=300, rounds=3),
    "quick": _Size("default", targets=300, rounds=3),
    "tiny": _Size("tiny", targets=20, rounds=1),
}


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    store = open_or_build(SyntheticSource(PRESETS[size.preset], seed=1), cache)
    results = []
    for name, overrides in _STUDIES.items():
        targets = max(size.targets // 10, 10) if name == "bayes" else size.targets
        config = configured(composed([*overrides, f"targets={targets}"]))
        cells = cells_of(config, DAY)
        attack = attack_of(config.attack, cells)
        plan = make_plan(store, cells, attack, targets_of(config), config.seed)
        study = timed(partial(_study, store, attack, plan), time.process_time)
        estimated, took = [], []
        for _ in range(size.rounds):
            cost = cost_of(store, plan, attack, clock=time.process_time)
            estimated.append(cost.attack_seconds + cost.probe.fixed)
            took.append(study())
        what = f"{attack.name}, {len(cells)} grid cells of {targets} targets on {size.preset}"
        results.append(
            Result(f"cost/{name}", f"{what}; estimated, against measured", "s",
                   tuple(estimated), tuple(took))
        )  # fmt: skip
    return results


def _study(store: Store, attack: Algorithm, plan: Plan) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run_study(store, attack, plan, Path(folder), InlineRunner(store, attack), {}, lambda: None)
