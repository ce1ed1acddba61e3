"""Unicity against brute force, and worked by hand."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, random_rows
from reference.unicity import fewest_matching, matching
from studying import configured

from sim.errors import GridError
from sim.measurements.k_of_release import KAnonymity
from sim.measurements.point_matches import fewest_matches
from sim.measurements.points import Coding, draw_points
from sim.measurements.time_bins import binned
from sim.measurements.unicity import Unicity, matches_of, points_of, worst_case
from sim.record.run_record import read_record
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin
from sim.session.jobs import plan_job
from sim.session.suite import run_planned

pytestmark = [pytest.mark.usefixtures("no_drawings")]


def visits_of(store: Store, coding: Coding) -> list[list[int]]:
    """Each record's points, as often as it holds them."""
    found = []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        points = coding.of(block.record_item, block.record_day).tolist()
        start = block.record_start.tolist()
        found += [points[begin:end] for begin, end in itertools.pairwise(start)]
    return found


RELEASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 10_000),
        "records": st.sampled_from([1, 3, 20]),
        "items": st.sampled_from([1, 3, 8]),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3]),
    }
)


@settings(max_examples=examples(25))
@given(
    release=RELEASES,
    times=st.sampled_from(["day", "week", "month", "none"]),
    block=st.sampled_from([1, 7, 100]),
    repeats=st.sampled_from([1, 2, 3]),
)
def test_matches_brute_force(
    make_store: MakeStore, release: dict[str, Any], times: str, block: int, repeats: int
) -> None:
    rows = random_rows(cells=release["records"] * 6, repeats=True, **release)
    store = make_store(rows, block_records=block, repeats=Repeats.ALL)
    bins = binned(store, times)
    coding = Coding(bins, int(bins.max()) + 1)
    visits, every = visits_of(store, coding), np.arange(store.manifest.n_records)
    points = draw_points(store, coding, every, 4, seed=release["seed"])
    matches = matches_of(store, coding, points)
    for record, (drawn, found) in enumerate(zip(points.tolist(), matches.tolist(), strict=True)):
        known = [point for point in drawn if point >= 0]
        assert len(known) == min(4, len(set(visits[record])))
        assert len(set(known)) == len(known)
        assert set(known) <= set(visits[record])
        for p in range(4):
            expected = matching(visits, known[: p + 1]) if p < len(known) else 0
            assert found[p] == expected
    several = Coding(bins, coding.n_bins, repeats)
    counted = [
        [p for p in set(own) for _ in range(min(own.count(p), repeats))]
        for own in visits_of(store, Coding(bins, coding.n_bins))
    ]
    fewest = worst_case(store, several, points_of(store, several), every, 3)
    for record in every.tolist():
        for facts in (1, 2, 3):
            assert fewest[record, facts - 1] == fewest_matching(counted, record, facts)


@pytest.mark.parametrize("seed", range(3))
def test_common_points_are_counted_as_rare_ones_are(make_store: MakeStore, seed: int) -> None:
    """Of 700 records many hold the first items, and one in a hundred the last."""
    rng = np.random.default_rng(seed)
    held = rng.random((700, 60)) < 0.9 * np.arange(60, 0, -1) ** 2 / 3600
    held[:, 0] = True
    rows = [
        (r, i, None, None) for r, i in zip(*(at.tolist() for at in np.nonzero(held)), strict=True)
    ]
    store = make_store(rows, block_records=650)
    coding = Coding(np.zeros(1, np.int64), 1)
    points = draw_points(store, coding, np.arange(700), 10, seed)
    items = np.asarray(store.items.to_pandas())
    expected = [
        [
            held[:, items[some[: p + 1]]].all(axis=1).sum() if last >= 0 else 0
            for p, last in enumerate(some)
        ]
        for some in points
    ]
    assert matches_of(store, coding, points).tolist() == expected


@given(data=st.data(), facts=st.integers(1, 3), first=st.sampled_from([1, 2, 63, 65]))
@settings(max_examples=examples(60))
def test_the_worst_case_is_the_same_however_many_records_are_compared_first(
    data: st.DataObject, facts: int, first: int
) -> None:
    """One fact takes a point; the first record holds every point, so that someone always does."""
    n_records, n_points = data.draw(st.integers(1, 130)), data.draw(st.integers(1, 9))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    held = rng.random((n_points, n_records)) < rng.random((n_points, 1))
    held[:, 0] = True
    held = held[np.argsort(held.sum(axis=1), kind="stable")]
    start = np.append(0, np.cumsum(held.sum(axis=1)))
    record = np.nonzero(held)[1].astype(np.int32)
    cost, group = np.ones(n_points, np.int64), np.arange(n_points)
    expected = [
        min(
            held[list(some)].all(axis=0).sum()
            for n in range(1, f + 1)
            for some in itertools.combinations(range(n_points), min(n, n_points))
        )
        for f in range(1, facts + 1)
    ]
    found = fewest_matches(cost, group, start, record, n_records, facts, first)
    assert found.tolist() == expected


CAFES: list[Row] = [
    ("ann", "bar", None, 3), ("ann", "gym", None, 4), ("ann", "bar", None, 5),
    ("bob", "bar", None, 3), ("bob", "gym", None, 9),
    ("eve", "bar", None, 3),
]  # fmt: skip


def test_three_people_by_hand(make_store: MakeStore) -> None:
    """Without times Ann and Bob hold bar and gym; only Ann was in the bar twice.

    With days each of Ann and Bob has a visit of their own; nobody tells Eve by what she did.
    """
    store = make_store(CAFES, repeats=Repeats.ALL)
    found = Unicity(points=2, times=("day", "none"), worst=2, worst_records=None).measure(store, 1)
    facts = found["facts"].set_index(["times", "points"])
    assert facts.loc[("none", 1), "eligible"] == 1.0
    assert facts.loc[("none", 2), "eligible"] == pytest.approx(2 / 3)
    assert facts.loc[("none", 2), "unique"] == 0.0
    matches = facts[["matches_mean", "matches_median", "matches_95"]]
    assert matches.loc[("none", 2)].tolist() == [2.0, 2.0, 2.0]
    assert matches.loc[("day", 2)].tolist() == [1.0, 1.0, 1.0]
    assert facts.loc[("day", 2), "unique"] == 1.0
    worst = found["worst"].set_index(["times", "points"])
    assert worst.loc[("none", 1), "risk_mean"] == pytest.approx((1 / 2 + 1 / 2 + 1 / 3) / 3)
    assert worst.loc[("none", 2), "risk_mean"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    assert worst.loc[("day", 1), "unique"] == pytest.approx(2 / 3)
    once = Unicity(points=2, times=("none",), worst=2, visits=False).measure(store, 1)["worst"]
    assert once["unique"].tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("bins", "measured", "told"),
    [
        ("hour", ["hour", "day", "week", "month", "none"], ""),
        ("15", ["15", "hour", "day", "week", "month", "none"], ""),
        ("day", ["day", "week", "month", "none"], "hour"),
        ("week", ["week", "none"], "hour, day, month"),
        ("7", ["7", "none"], "hour, day, week, month"),
    ],
)
def test_unicity_in_every_bin_of_time(
    make_store: MakeStore, bins: str, measured: list[str], told: str
) -> None:
    """Against pandas, from whole times; coarser bins are made of the release's own."""
    rng = np.random.default_rng(5)
    at = rng.integers(0, 40 * 86_400, 300)
    frame = pd.DataFrame(
        {"who": rng.integers(1, 60, 300), "what": rng.integers(1, 3, 300), "at": at}
    )
    rows = [(who, what, None, second / 86_400) for who, what, second in frame.to_numpy().tolist()]
    store = make_store(rows, repeats=Repeats.ALL, time_bin=TimeBin.parse(bins))
    study = Unicity(points=1, worst=1, worst_records=None)
    found = study.measure(store, 1)
    assert list(found["facts"]["times"]) == measured
    moment = pd.to_datetime(frame["at"], unit="s")
    period = {
        "hour": moment.dt.floor("h"), "15": moment.dt.floor("15min"), "7": moment.dt.floor("7min"),
        "day": moment.dt.floor("D"), "week": moment.dt.to_period("W-SUN"),
        "month": moment.dt.to_period("M"), "none": 0,
    }  # fmt: skip
    for times in measured:
        points = frame.assign(bin=period[times])[["who", "what", "bin"]].drop_duplicates()
        holders = points.groupby(["what", "bin"])["who"].transform("size")
        unique = holders.eq(1).groupby(points["who"]).any().mean()
        assert found["worst"].set_index("times")["unique"][times] == pytest.approx(unique)
    stated = Unicity.findings(found["facts"], {"times": list(study.times)})
    left_out = [one.numbers["times"] for one in stated if one.kind == "times_not_measured"]
    assert left_out == ([told] if told else [])
    k = KAnonymity(k=(2,), items=(None,)).measure(store, 1)["facts"]
    own = [] if bins in measured[1:] else [bins]
    recoded = {"day", "week", "month", "year"} if "day" in measured else {"week"} & {bins}
    assert set(k["days"].dropna()) == {*own, *({"hour"} & set(measured)), *recoded, "none"}


def test_a_sample_is_of_the_records_asked_for(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, 40, 25, 300))
    some = Unicity(points=3, records=10, worst=1, worst_records=5).measure(store, 2)
    assert set(some["facts"].loc[some["facts"]["points"] == 1, "n"]) == {10}
    assert set(some["worst"]["n"]) == {5}
    assert some["facts"].loc[some["facts"]["n"] > 0, "unique_low"].notna().all()


def test_a_draw_has_an_interval_and_a_worst_case_of_a_sample_only(make_store: MakeStore) -> None:
    store = make_store(random_rows(3, 40, 25, 300))
    few = Unicity(points=2, times=("day",), records=10, worst=1, worst_records=5)
    all_of_them = Unicity(points=2, times=("day",), worst=1, worst_records=None)
    for study, n, worst_n in ((few, 10, 5), (all_of_them, 40, 40)):
        facts = study.measure(store, 2)["facts"]
        assert facts["unique_low"].notna().all()
        assert facts["worst_unique_low"].notna().any() == (study is few)
        one = facts[facts["points"] == 1]
        assert one["worst_unique"].notna().all()
        assert facts.loc[facts["points"] == 2, "worst_unique"].isna().all()
        numbers = next(iter(Unicity.findings(one, {"records": study.records}))).numbers
        assert (numbers["n"], numbers["worst_n"]) == (n, worst_n)
        assert numbers["unique_low"] is not None
        assert (numbers["worst_unique_low"] is not None) == (study is few)


def test_the_worst_case_has_a_denominator_of_its_own(make_store: MakeStore) -> None:
    """Three of five records have one item alone, and are not unique by it."""
    cells = [(who, 0, None, None) for who in range(5)]
    cells += [(who, item, None, None) for who in (3, 4) for item in range(who, who + 2)]
    study = Unicity(points=3, times=("none",), worst=3, worst_records=None)
    facts = study.measure(make_store(cells), 1)["facts"]
    numbers = next(iter(study.findings(facts, {}))).numbers
    assert (numbers["points"], numbers["n"], numbers["unique"]) == (3, 2, 1.0)
    assert numbers["eligible"] == 2 / 5
    assert (numbers["worst_points"], numbers["worst_n"], numbers["worst_unique"]) == (3, 5, 0.4)


def test_what_the_system_would_end_is_not_begun(
    make_store: MakeStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a suite the part is left out, with its reason; by itself it is an error."""
    store = make_store([(p, i, None, p + i) for p in range(9) for i in range(6)])
    assert 0 < Unicity(worst=0).memory(store) < Unicity().memory(store)
    monkeypatch.setattr("sim.session.session.available", lambda: 10)
    data = ["data.preset=tiny", f"data.cache={tmp_path}/cache"]
    unicity = ["experiment=unicity", *data]
    with pytest.raises(GridError, match=r"study=unicity: needs up to .* GB are free; free some"):
        run_planned(plan_job(configured(*unicity), unicity), tmp_path)
    parts = ["parts={a:['experiment=ns08_fig1'],b:['experiment=unicity']}", *data]
    (tmp_path / "suite").mkdir()
    run_planned(plan_job(configured(*parts), parts), tmp_path / "suite")
    found = read_record(tmp_path / "suite")["parts"]
    assert [part["status"] for part in found] == ["complete", "impossible"]
    assert "GB of memory" in found[1]["error"]
