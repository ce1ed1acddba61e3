"""Small studies for tests, made by the functions the command line uses."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge
from sim.attack.engine.algorithm import Algorithm
from sim.config.compose import composed
from sim.config.schema import Config
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY
from sim.session.checks import attack_of, cells_of
from sim.study.grid import GridCell, expand
from sim.study.inline import InlineRunner
from sim.study.plan import Plan, make_plan
from sim.study.results import RESULTS
from sim.study.run import run_study
from sim.study.runner import Runner

__all__ = ["RESULTS"]

AXES: dict[str, list[Any]] = {
    "aux": ["2/2", "3/4"],
    "date_noise": [3, None],
    "value_noise": [0, 1],
    "popularity": [0],
}
HEADER = {"seed": 1, "code": "of a test"}


def configured(*overrides: str) -> Config:
    """What Hydra makes of overrides."""
    from omegaconf import OmegaConf

    made = OmegaConf.to_object(composed(overrides))
    assert isinstance(made, Config)
    return made


@functools.cache
def an_attack(*overrides: str) -> Algorithm:
    """The attack of the command line."""
    config = configured(*overrides)
    return attack_of(config.attack, cells_of(config, DAY))


def cells(wrong: Any = "value", **axes: list[Any]) -> list[GridCell]:
    """Cells of a small grid."""
    return expand("sweep", AXES | axes, Sampling(Knowledge(1, 1, wrong=wrong)))


def knowledge_of(cell: GridCell) -> Knowledge:
    """What a cell's adversary knows."""
    known = cell.adversary.knowledge
    assert known is not None
    return known


def plan_of(store: Store, grid: list[GridCell], n_targets: int | None, seed: int) -> Plan:
    """A plan for the attack of the command line."""
    return make_plan(store, grid, an_attack(), n_targets, seed)


def small_plan(store: Store, n_targets: int | None = None, seed: int = 1, **axes: Any) -> Plan:
    """A plan of a small grid."""
    return plan_of(store, cells(**axes), n_targets, seed)


def study(
    store: Store,
    plan: Plan,
    folder: Path,
    runner: Runner | None = None,
    header: Mapping[str, Any] = HEADER,
    attack: Algorithm | None = None,
) -> pd.DataFrame:
    """Run a study, in this process unless a runner is given."""
    attack = attack or an_attack()
    folder.mkdir(exist_ok=True)
    at_work = runner or InlineRunner(store, attack)
    try:
        return run_study(store, attack, plan, folder, at_work, header, lambda: None)
    finally:
        at_work.close()


def results(folder: Path) -> dict[str, bytes]:
    """The bytes of a run's result files."""
    return {name: (folder / name).read_bytes() for name in RESULTS}
