"""The estimate counts what the study will read, on the study's own targets, and leaves nothing."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from making import MakeStore, random_rows
from studying import an_attack, cells, configured, plan_of, small_plan

from sim.adversary.aux import Drawn
from sim.cli.estimate import lines
from sim.release.store.store import Store
from sim.session import cost as estimate
from sim.session.checks import attack_of
from sim.session.cost import Cost, Probe, cost_of, part_of, postings_of
from sim.study.inline import decided
from sim.study.plan import make_plan

BUDGET = 0.01


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    return make_store(random_rows(3, records=60, cells=700), block_records=20)


def estimated(store: Store, workers: int = 0, attack: str = "scoreboard_rh", n: int = 20) -> Cost:
    at_work = attack_of(configured(f"attack={attack}").attack, cells())
    plan = make_plan(store, cells(), at_work, n, 1)
    return cost_of(store, plan, at_work, workers, budget=BUDGET)


def test_postings_are_those_of_the_plan(store: Store) -> None:
    plan = small_plan(store, 20)
    cost = cost_of(store, plan, an_attack(), budget=BUDGET)
    read = [0] * len(plan.cells)
    for batch in range(plan.n_batches):
        aux = plan.draw(store, batch).aux
        for unit, item in zip(aux.unit, aux.item, strict=True):
            read[aux.cell[unit]] += int(store.support[item])
    assert [targets * postings for _, targets, postings in cost.cells] == pytest.approx(read)
    assert (cost.sets, cost.batches) == (plan.n_units, plan.n_batches)
    assert cost.postings == pytest.approx(sum(read))


def test_cells_are_named_by_what_they_differ_in(store: Store) -> None:
    names = [name for name, _, _ in estimated(store).cells]
    assert names[0] == "0 aux=2/2 date_noise=3 value_noise=0"
    assert len(set(names)) == len(names) == 8
    alone = plan_of(store, cells(aux=["2/2"], date_noise=[3], value_noise=[0]), 5, 1)
    assert [c[0] for c in cost_of(store, alone, an_attack(), budget=BUDGET).cells] == ["0"]


@pytest.mark.parametrize(("attack", "workers"), [("scoreboard_rh", 1), ("bayes", 0), ("random", 3)])
def test_every_attack_is_estimated(store: Store, attack: str, workers: int) -> None:
    cost = estimated(store, workers, attack)
    assert 0 < cost.attack_seconds < cost.seconds < 1000
    written = lines(cost)
    assert written[0].startswith(f"{attack} on ")
    assert written[1].split() == ["grid", "cell", "targets", "postings", "each", "one", "core"]
    assert written[10].split()[:2] == ["all", "160"]
    assert max(map(len, written)) <= 110
    words = {0: "in one process", 1: "with 1 worker;", 3: "with 3 workers"}
    assert words[workers] in written[-1]


def test_nothing_is_left_behind(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "temporary"
    there.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(there))
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    estimated(store)
    assert sorted(tmp_path.rglob("*")) == before
    assert capfd.readouterr() == ("", "")


PROBE = Probe(sets=10, postings=1_000, first=1.0, scan=1e-3, driver=1e-4, batch=1e-2, fixed=0.5)
CELLS = (("0", 100, 50.0), ("1", 300, 150.0))
COST = Cost("t", CELLS, 2, 4, PROBE, workers=0, cores=2, held_bytes=1, mapped_bytes=1)


def test_what_it_adds_up_to() -> None:
    assert (COST.sets, COST.postings) == (400, 5_000 + 45_000)
    assert COST.scan_seconds == pytest.approx(0.05)
    assert COST.driver_seconds == pytest.approx(0.08)
    assert COST.attack_seconds == pytest.approx(0.13)
    assert COST.seconds == pytest.approx(0.13 + 1.0 + 0.5 + estimate._REPORT_SECONDS)


def test_workers_share_the_scan_and_the_cores() -> None:
    long = replace(COST, cells=(("0", 100_000, 1e5),), workers=2, cores=0)
    assert long.attack_seconds == pytest.approx(long.scan_seconds / 2)
    one_core = replace(long, workers=8, cores=1)
    assert one_core.attack_seconds == pytest.approx(long.scan_seconds + long.driver_seconds)
    idle = replace(long, workers=10**6)
    assert idle.attack_seconds == pytest.approx(long.driver_seconds)


def test_a_study_without_postings_goes_by_aux_sets() -> None:
    none = replace(COST, cells=(("0", 100, 0.0),), probe=replace(PROBE, postings=0))
    assert none.scan_seconds == pytest.approx(0.01)


def test_a_large_grid_is_cut_short() -> None:
    written = lines(replace(COST, cells=tuple((str(n), 1, 1.0) for n in range(40))))
    assert "... and 28 more grid cells" in written
    assert len(written) == 19


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


@pytest.mark.parametrize("attack", ["scoreboard_rh", "scoring", "random"])
def test_the_scan_is_measured_by_the_clock_given(
    store: Store, monkeypatch: pytest.MonkeyPatch, attack: str
) -> None:
    """On a made-up machine only postings take time: the estimate is then exact."""
    at_work = attack_of(configured(f"attack={attack}").attack, cells())
    plan, now = make_plan(store, cells(), at_work, 20, 1), [0.0]

    def slow(store: Store, attack: Any, drawn: Drawn) -> Any:
        now[0] += 0.01 * postings_of(store, drawn)
        return decided(store, attack, drawn)

    monkeypatch.setattr(estimate, "decided", slow)
    cost = cost_of(store, plan, at_work, budget=1.0, clock=lambda: now[0])
    assert cost.scan_seconds == pytest.approx(0.01 * cost.postings)
    assert cost.probe.sets < cost.sets
    assert (cost.probe.driver, cost.probe.batch, cost.probe.fixed) == (0, 0, 0)
