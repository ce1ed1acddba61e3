"""Results are the same bytes on machines of several kinds, and where these work together."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import machines
import pytest
import ray
from every_table import MACHINE, RUNS
from making import MakeStore, deep, random_rows
from studying import an_attack, results, small_plan, study

from actors import pool
from actors.coordinator import Coordinator

TESTS = Path(__file__).parents[1]
GRID = (
    "grid.aux=[2/2,3/4]", "grid.date_noise=[3,null]", "grid.value_noise=[0,1]",
    "grid.popularity=[0]", "attack.entropy=true",
)  # fmt: skip


def every_table(folder: Path, environment: Mapping[str, str]) -> dict[str, bytes]:
    """All tables of all runs, made by a process of its own."""
    paths = os.pathsep.join([str(TESTS.parent), str(TESTS)])
    subprocess.run(
        [sys.executable, str(TESTS / "every_table.py"), str(folder)],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        check=True,
    )
    written = [*folder.rglob("*.parquet"), *folder.rglob("*.csv"), folder / "cells.txt"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(written)}


@pytest.mark.timeout(1800)
def test_every_table_is_the_same_on_an_older_machine(tmp_path: Path) -> None:
    """All attacks and measurements, and the cells of synthetic releases."""
    here = every_table(tmp_path / "here", {})
    older = every_table(tmp_path / "older", machines.as_an_older_machine())
    numpy = [json.loads((tmp_path / m / MACHINE).read_text())["numpy"] for m in ("here", "older")]
    if numpy[0] == numpy[1]:
        pytest.skip("NumPy computes here as on an older machine already")
    for name in RUNS:
        assert any(path.startswith(f"{name}{os.sep}") for path in here), name
    assert here.keys() == older.keys()
    assert [path for path in here if here[path] != older[path]] == []


@pytest.mark.parametrize("attack", ["scoreboard_rh", *deep("bayes")])
def test_workers_of_two_kinds_find_the_same(
    ray_cluster: None, make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    attack: str,
) -> None:  # fmt: skip
    older = {"env_vars": machines.as_an_older_machine()}
    ray.cloudpickle.register_pickle_by_value(machines)  # workers do not see the tests
    there = ray.remote(machines.digests_of_the_machine).options(num_cpus=0, runtime_env=older)
    if ray.get(there.remote())["numpy"] == machines.digests_of_the_machine()["numpy"]:
        pytest.skip("this machine computes as an older one does already")
    store = make_store(random_rows(7, records=300, items=40, cells=4000), block_records=60)
    plan, attacking = small_plan(store), an_attack(f"attack={attack}", *GRID)
    study(store, plan, tmp_path / "inline", attack=attacking)

    class EverySecondIsOlder:
        """Starts scorers, in turn on this machine and as on an older one."""

        def __init__(self) -> None:
            self.scorers, self.started = pool._Scorer, 0

        def options(self, **given: object) -> object:
            self.started += 1
            kind = {} if self.started % 2 else {"runtime_env": older}
            return self.scorers.options(**given, **kind)

    scorers = EverySecondIsOlder()
    monkeypatch.setattr(pool, "_Scorer", scorers)
    runner = Coordinator(
        store, attacking, kind="local", address=None, workers=2, shards=2, timeout=120
    )
    study(store, plan, tmp_path / "ray", runner, attack=attacking)
    assert scorers.started == 2
    assert results(tmp_path / "ray") == results(tmp_path / "inline")
