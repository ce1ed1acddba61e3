"""The forecast counts what the study will read, on the study's own targets, and leaves nothing."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from making import MakeStore, random_rows
from studying import an_attack, cells, configured, plan_of, small_plan

from sim.adversary.aux import Drawn
from sim.release.store.store import Store
from sim.session.checks import attack_of
from sim.session.cost import CellCost, Cost, cost_of
from sim.session.speed import Speed, _Stopwatch, measure, part_of, postings_of
from sim.study.plan import make_plan

BUDGET = 0.01


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store(random_rows(3, records=60, cells=700), block_records=20)


def told(store: Store, workers: int = 0, attack: str = "scoreboard_rh", n: int = 20) -> Cost:
    at_work = attack_of(configured(f"attack={attack}").attack, cells())
    plan = make_plan(store, cells(), at_work, n, 1)
    return cost_of(store, plan, at_work, workers, budget=BUDGET)


def test_postings_are_those_of_the_plan(store: Store) -> None:
    plan = small_plan(store, 20)
    cost = cost_of(store, plan, an_attack(), budget=BUDGET)
    read = [0] * len(plan.cells)
    for batch in range(plan.n_batches):
        drawn = plan.draw(store, batch)
        for cell, item in zip(
            np.repeat(drawn.aux.cell, drawn.aux.size), drawn.aux.item, strict=True
        ):
            read[cell] += int(store.support[item])
    assert [c.targets * c.postings for c in cost.cells] == pytest.approx(read)
    assert cost.postings == pytest.approx(sum(read))
    assert cost.sets == plan.n_units


def test_cells_are_named_by_what_they_differ_in(store: Store) -> None:
    names = [cell.name for cell in told(store).cells]
    assert names[0] == "0 aux=2/2 date_noise=3 value_noise=0"
    assert len(set(names)) == len(names) == 8
    alone = plan_of(store, cells(aux=["2/2"], date_noise=[3], value_noise=[0]), 5, 1)
    assert [c.name for c in cost_of(store, alone, an_attack(), budget=BUDGET).cells] == ["0"]


@pytest.mark.parametrize(("attack", "workers"), [("scoreboard_rh", 1), ("bayes", 0), ("random", 3)])
def test_every_attack_is_foretold(store: Store, attack: str, workers: int) -> None:
    cost = told(store, workers, attack)
    assert 0 < cost.attack_seconds < cost.seconds < 1000
    assert cost.held_bytes > 0
    lines = str(cost).splitlines()
    assert lines[0].startswith(f"{attack} on ")
    assert lines[1].split() == [
        "grid",
        "cell",
        "targets",
        "postings",
        "each",
        "bytes",
        "one",
        "core",
    ]
    assert lines[10].split()[:2] == ["all", "160"]
    assert max(map(len, lines)) <= 110
    assert {0: "in one process", 1: "with 1 worker;", 3: "with 3 workers"}[workers] in lines[-1]


def test_nothing_is_left_behind(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "temporary"
    there.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(there))
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    told(store)
    assert sorted(tmp_path.rglob("*")) == before
    assert capfd.readouterr() == ("", "")


SPEED = Speed(
    sets=10, postings=1_000, scan=1e-3, scan_a_set=2e-5, a_set=1e-4, a_batch=1e-2, a_study=0.5,
    first=1.0,
)  # fmt: skip
COST = Cost(
    title="t",
    cells=(CellCost("0", 100, 50.0), CellCost("1", 300, 150.0)),
    phases=2,
    batches=4,
    posting_bytes=5,
    speed=SPEED,
    workers=0,
    cores=2,
    held_bytes=1,
    mapped_bytes=1,
)


def test_what_it_adds_up_to() -> None:
    assert (COST.sets, COST.postings) == (400, 2 * (5_000 + 45_000))
    assert COST.ns_a_posting == pytest.approx(400)  # of two scans
    assert COST.scan_seconds == pytest.approx(0.008 + 0.04)
    assert COST.driver_seconds == pytest.approx(0.08)
    assert COST.attack_seconds == pytest.approx(0.128)
    assert COST.seconds > COST.attack_seconds + 1.5


def test_workers_share_the_scan_and_the_cores() -> None:
    long = replace(COST, cells=(CellCost("0", 100_000, 1e5),), workers=2, cores=0)
    assert long.attack_seconds == pytest.approx(long.scan_seconds / 2)
    slowed = replace(long, speed=replace(SPEED, contention=1.5))
    assert slowed.attack_seconds == pytest.approx(0.75 * long.scan_seconds)
    one_core = replace(long, workers=8, cores=1)
    assert one_core.attack_seconds == pytest.approx(long.scan_seconds + long.driver_seconds)
    idle = replace(long, workers=10**6)
    assert idle.attack_seconds == pytest.approx(long.driver_seconds)


def test_a_study_without_a_scan() -> None:
    speed = replace(SPEED, postings=0, scan_a_set=1e-4)
    none = replace(COST, cells=(CellCost("0", 100, 0.0),), speed=speed)
    assert none.scan_seconds == pytest.approx(0.01)
    assert "no postings" in str(none)


def test_a_large_grid_is_cut_short() -> None:
    many = replace(COST, cells=tuple(CellCost(str(n), 1, 1.0) for n in range(40)))
    lines = str(many).splitlines()
    assert "... and 28 more grid cells" in lines
    assert len(lines) == 19


def test_the_sample_has_a_target_of_every_cell(store: Store) -> None:
    plan = small_plan(store, 5, aux=["1/1", "5/5"], popularity=[0, "3-12"])
    for n in (1, 3, 100):
        part = part_of(plan, n)
        assert all(t.size for t in part.targets)
        assert set(part.everyone) <= set(plan.everyone)
        for mine, whole in zip(part.targets, plan.targets, strict=True):
            assert set(mine) == set(whole) & set(part.everyone)
        assert part.n_batches == 1
    assert part.n_units == plan.n_units


def test_seconds_are_told_by_the_clock_given(store: Store) -> None:
    ticks = iter(range(10_000))
    speed = measure(store, small_plan(store, 5), an_attack(), clock=lambda: float(next(ticks)))
    assert (speed.first, speed.scan, speed.contention) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("attack", ["scoreboard_rh", "scoring", "random"])
def test_time_goes_by_sets_and_by_postings(
    store: Store, monkeypatch: pytest.MonkeyPatch, attack: str
) -> None:
    """A made-up attack takes 3 seconds for an aux set, and 0.01 for a posting."""
    at_work = attack_of(configured(f"attack={attack}").attack, cells())
    plan, now = make_plan(store, cells(), at_work, 20, 1), [0.0]

    def attacked(watch: Any, drawn: Drawn) -> Any:
        now[0] += 3 * len(drawn) + 0.01 * postings_of(store, drawn.aux)
        return found(watch, drawn)

    found = _Stopwatch.attacked
    monkeypatch.setattr(_Stopwatch, "attacked", attacked)
    speed = measure(store, plan, at_work, budget=1e9, clock=lambda: now[0])
    assert speed.scan_a_set == pytest.approx(3)
    assert speed.scan == pytest.approx(3 * speed.sets + 0.01 * speed.postings)
