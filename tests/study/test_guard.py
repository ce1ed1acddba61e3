"""The guard: what it finds where the model is right, and where it leaves something out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from making import MakeStore, Row

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge
from sim.adversary.linkage import Linkage
from sim.attack.algorithms.bayes import Bayes
from sim.defence.apply import defended
from sim.defence.coarsen_time import CoarsenTime
from sim.defence.cut_pseudonyms import CutPseudonyms
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.drop_values import DropValues
from sim.defence.jitter_time import JitterTime
from sim.defence.sample_cells import SampleCells
from sim.metrics.conditional_logit import Choices
from sim.numeric.exact_intervals import clopper_pearson
from sim.release.readers.movielens import MovieLensSource
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.study import guard
from sim.study.grid import expand
from sim.study.guard import FEWEST, GUARD, GUARD_PEOPLE, Guard
from sim.study.plan import make_plan

ONE_DATE = {"aux": ["1/1"], "date_noise": [0], "value_noise": [None], "popularity": [0]}
EXACT = Knowledge(1, 1)


def people(seed: int, n: int, sessions: int | None) -> list[Row]:
    """Records of 12 of 15 items without values, all on a few days of a year, or each on its own."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for who in range(n):
        days = rng.integers(0, 365, 12)
        if sessions is not None:
            days = rng.choice(days[:sessions], 12)
        items = rng.choice(15, 12, replace=False)
        rows += [(who, int(i), None, int(d)) for i, d in zip(items, days, strict=True)]
    return rows


@dataclass(frozen=True)
class Made:
    """A release, and the guard of an attack on it."""

    truth: Store
    guard: Guard

    def right(self) -> pd.Series:
        """The row of the stronger fit."""
        rows = self.guard.tables()[GUARD]
        return rows[rows["stronger"]].iloc[0]


def made(
    truth: Store, folder: Path, *defences: Defence, known: Knowledge = EXACT, **axes: list[object]
) -> Made:
    change = defended(truth, defences)
    store = change.build(folder)
    cells = expand("sweep", ONE_DATE | axes, Sampling(known))
    known_of = [cell.adversary.knowledge for cell in cells]
    told = change.with_totals(store, known_of)
    if told.changes_times:  # how those of a record hang together is for the guard to find
        told = replace(told, originals=None)
    attack = Bayes().for_study(known_of, told)
    return Made(truth, Guard(store, attack, make_plan(store, cells, attack, None, 1, truth)))


JITTER = JitterTime(date_noise=14)


@pytest.mark.parametrize("sessions", [1, 3])
def test_it_finds_people_by_the_dates_that_hang_together(
    make_store: MakeStore, tmp_path: Path, sessions: int
) -> None:
    found = made(make_store(people(1, 300, sessions)), tmp_path / "release", JITTER).right()
    assert found["people"] == 300
    assert found["right_low"] > 1.5 * found["model_high"]
    assert found["above_model"]


def test_of_independent_dates_it_finds_no_more_than_the_model(
    make_store: MakeStore, tmp_path: Path
) -> None:
    found = made(make_store(people(2, 300, None)), tmp_path / "release", JITTER).right()
    assert found["right_low"] <= found["model"] <= found["right_high"]
    assert not found["above_model"]


def test_whoever_is_who_is_learnt_and_not_known(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the names of the records shuffled it is right about as many as by chance."""
    case = made(make_store(people(1, 300, 1)), tmp_path / "release", JITTER)
    shuffled = Linkage(np.random.default_rng(3).permutation(300), np.arange(15))
    for module in ("sim.study.guard", "sim.adversary.on_release", "sim.study.plan"):
        monkeypatch.setattr(f"{module}.linkage_of", lambda *_: shuffled)
    found = case.right()
    assert found["right"] < 0.03
    assert not found["above_model"]


def test_the_same_bytes_every_time_and_its_rows(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(people(1, 150, 1), block_records=40)
    case = made(store, tmp_path / "release", JITTER, fact_draw=[0, 1], aux=["1/1", "2/2"])
    tables, again = case.guard.tables(), case.guard.tables()
    assert all(tables[name].equals(again[name]) for name in (GUARD, GUARD_PEOPLE))
    rows, of_people = tables[GUARD], tables[GUARD_PEOPLE]
    assert rows["cell"].tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert rows["fit"].tolist() == 4 * ["alone", "informed"]
    assert of_people.groupby("cell").size().tolist() == 4 * [150]
    stronger = rows[rows["stronger"]]
    assert len(stronger) == 4
    mean = of_people.groupby("cell")[["correct", "claim"]].mean()
    np.testing.assert_allclose(stronger["right"], mean["correct"])
    np.testing.assert_allclose(stronger["claim"], mean["claim"])
    assert stronger["right"].tolist() == rows.groupby("cell")["right"].max().tolist()
    assert ((of_people["own"] <= of_people["claim"]) & (of_people["own"] >= 0)).all()


def test_it_looks_at_the_facts_of_the_run_and_learns_from_others(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    kept = guard.Guard._drawn
    monkeypatch.setattr(
        guard.Guard, "_drawn", lambda self, *given: drawn.append(kept(self, *given)) or drawn[-1]
    )
    case = made(make_store(people(1, 150, 1)), tmp_path / "release", JITTER)
    case.guard.tables()
    run = case.guard.plan.draw(case.guard.store, 0).aux
    *training, asked = [one[0].aux for one in drawn]
    n = run.item.size
    assert len(training) == 2
    assert asked.item[:n].tolist() == run.item.tolist()
    assert asked.day[:n].tolist() == run.day.tolist()
    assert not any(one.item.tolist() == asked.item.tolist() for one in training)
    assert training[0].item.tolist() != training[1].item.tolist()


def test_the_person_is_added_to_the_candidates_in_training_only(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the three likeliest records hardly any is theirs: whoever is not among them is missed."""
    given = []
    kept = guard._fits
    monkeypatch.setattr(guard, "CANDIDATES", 3)
    monkeypatch.setattr(guard, "_fits", lambda *args: given.append(args) or kept(*args))
    case = made(make_store(people(1, 150, 1)), tmp_path / "release", JITTER)
    of_people = case.guard.tables()[GUARD_PEOPLE]
    ((learnt, asked, _),) = given
    assert (learnt.right >= 0).all()
    assert set(np.diff(learnt.start)) == {3, 4}
    assert set(np.diff(asked.start)) == {3}
    missed = asked.right < 0
    assert 0.3 < missed.mean() < 1
    assert not of_people["own"][missed].any()
    assert not of_people["correct"][missed].any()
    added = learnt.right[np.diff(learnt.start) == 4]
    assert (learnt.features[added, -1] <= 0).all()
    assert np.isin(learnt.start[1:] - 1, added).sum() == added.size


def test_it_is_told_the_reach_of_times_and_what_items_have_lost(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = []
    kept = guard.candidate_features
    monkeypatch.setattr(
        guard, "candidate_features", lambda *args: given.append(args) or kept(*args)
    )
    truth = make_store(people(1, 150, 1))
    defences = SampleCells(share=0.5), JITTER, CoarsenTime(bin="week")
    case = made(truth, tmp_path / "release", *defences, date_noise=[3])
    case.guard.tables()
    store, aux, _, hidden, reach = given[-1]
    assert reach == 14 + 6 + 3
    assert store.items.equals(truth.items)
    assert hidden.tolist() == (truth.cells - store.cells)[aux.item].tolist()
    assert hidden.min() > 0


def test_one_fit_knows_the_posterior_and_the_stronger_counts() -> None:
    """The last feature is the posterior: here it alone says who is right."""
    rng = np.random.default_rng(2)
    features = rng.normal(size=(1200, 3)).astype(np.float32)
    right = np.arange(0, 1200, 6) + rng.integers(0, 6, 200)
    features[right, 2] += 3
    choices = Choices(features, np.arange(0, 1201, 6), right)
    half = np.arange(200) % 2
    alone, informed = guard._fits(choices, choices, half)
    assert alone.correct.mean() < 0.4 < 0.8 < informed.correct.mean()
    assert guard._stronger((alone, informed)) is informed
    assert guard._stronger((informed, alone)) is informed
    assert guard._stronger((alone, alone)) is alone


def test_a_part_of_a_person_counts_for_either_end() -> None:
    right, around = guard._share(np.array([0.5, 1.0, 0.0]))
    assert right == 0.5
    assert around.low == clopper_pearson(1, 3).low
    assert around.high == clopper_pearson(2, 3).high


def test_people_with_equal_records_count_one_over_their_number(
    make_store: MakeStore, tmp_path: Path
) -> None:
    rows = [(who, item, None, 100) for who in range(120) for item in range(3)]
    case = made(make_store(rows), tmp_path / "r", DropItems(min_support=2), aux=["2/2"])
    change = [row for row in rows if row[0] != 7] + [(7, 9, None, 100)]
    case = made(make_store(change), tmp_path / "release", DropItems(min_support=2))
    tables = case.guard.tables()
    assert np.allclose(tables[GUARD_PEOPLE]["correct"], 1 / 119)
    assert np.allclose(tables[GUARD_PEOPLE]["own"], 1 / 119)


@pytest.mark.parametrize(
    ("known", "defence"),
    [
        (Knowledge(1, 1), SampleCells(share=0.5)),
        (Knowledge(1, 2), JITTER),
        (Knowledge(2, 3, wrong="item"), JITTER),
        (Knowledge(2, 3, first=2), JITTER),
        (Knowledge(2, 2, date_noise=None), SampleCells(share=0.5)),
    ],
)  # fmt: skip
def test_it_runs_on_facts_of_every_kind(
    make_store: MakeStore, tmp_path: Path, known: Knowledge, defence: Defence
) -> None:
    axes = {"aux": [f"{known.correct}/{known.size}"], "date_noise": [known.date_noise]}
    more = {} if known.first is None else {"first": [known.first]}
    store = make_store(people(1, 120, 1))
    case = made(store, tmp_path / "release", defence, known=known, **axes, **more)
    found = case.guard.tables()[GUARD]
    assert (found["people"] > 100).all()
    assert (found["right"] > 1 / found["people"]).all()


def test_it_is_not_tested_where_there_is_nothing_to_learn_from(
    make_store: MakeStore, tmp_path: Path
) -> None:
    few = made(make_store(people(1, FEWEST - 1, 1)), tmp_path / "few", JITTER)
    assert few.guard.tables() == {}
    enough = made(make_store(people(1, FEWEST, 1)), tmp_path / "enough", JITTER)
    assert set(enough.guard.tables()) == {GUARD, GUARD_PEOPLE}
    absent = made(make_store(people(1, 150, 1)), tmp_path / "absent", JITTER, present=[False])
    assert absent.guard.tables() == {}
    several = made(make_store(people(1, 150, 3)), tmp_path / "cut", CutPseudonyms(window="90d"))
    assert several.guard.tables() == {}
    whole = replace(enough.guard, plan=replace(enough.guard.plan, truth=None))
    assert whole.tables() == {}


def test_it_finds_on_movielens_what_the_model_leaves_out(real_data: Path, tmp_path: Path) -> None:
    source = MovieLensSource(real_data / "ml-100k" / "u.data")
    build_store(source, tmp_path / "truth")
    defences = DropValues(), JitterTime(date_noise=30)
    found = made(Store(tmp_path / "truth"), tmp_path / "release", *defences).right()
    assert found["people"] == 943
    assert found["right"] > 0.45
