"""What is known of the cells that records lost with dropped items is as its reference counts it."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.lost_cells import groups, placements

import sim
from sim.adversary import lost_cells as lost_cells_module
from sim.adversary.lost_cells import GROUP, LostCells, lost_cells

RECORDS = st.lists(
    st.tuples(st.integers(1, 6), st.integers(0, 4), st.integers(1, 40)), min_size=1, max_size=12
).map(lambda runs: [(n, lost) for n, lost, times in runs for _ in range(times)])


@given(RECORDS, st.integers(1, 8), st.integers(0, 3), st.integers(0, 3), st.integers(0, 6))
def test_placements_are_those_of_the_reference(
    records: list[tuple[int, int]], released: int, visible: int, hidden: int, size: int
) -> None:
    n, lost = np.array(records).T
    cells = lost_cells(n, n + lost)
    assert [group[0][0] for group in groups(records)] == list(cells.least)
    found = cells.placements(np.array([released]), visible, hidden, size)
    expected = placements(records, released, (visible, hidden), size)
    assert found[0] == pytest.approx(expected, rel=1e-9)


LENGTHS = st.lists(st.tuples(st.integers(1, 200), st.integers(0, 200)), min_size=1, max_size=200)


@given(LENGTHS, st.data())
def test_whoever_knows_a_person_does_not_rule_them_out(
    records: list[tuple[int, int]], data: st.DataObject
) -> None:
    """Whatever the facts: also where what neighbours lost was put together, and rounded."""
    n, lost = np.array(records).T
    cells = lost_cells(n, n + lost)
    for released, gone in data.draw(st.lists(st.sampled_from(records), min_size=1, max_size=5)):
        visible = data.draw(st.integers(0, min(released, 8)))
        hidden = data.draw(st.integers(0, min(gone, 8)))
        size = data.draw(st.integers(min(visible + hidden, 1), released + gone))
        found = cells.placements(np.array([released]), visible, hidden, size)
        assert found[0] > 0, (released, gone, visible, hidden, size)


def test_few_groups_are_of_a_few_records() -> None:
    """Those who are so long that what others lost would make them longer than anybody."""
    rng = np.random.default_rng(2)
    n = rng.geometric(0.1, 5000)
    cells = lost_cells(n, n + rng.poisson(0.3 * n))
    sizes = [sum(records for _, records in each) for each in cells.lost]
    few = [size for size in sizes if size < GROUP]
    assert sizes[: len(sizes) - len(few)] == [size for size in sizes if size >= GROUP]
    assert sum(few) < 2 * GROUP
    assert sum(sizes) == 5000
    assert max(map(len, cells.lost)) <= 64
    assert len(cells.least) > 20
    assert cells.kept == pytest.approx(1 / 1.3, abs=0.01)


def test_one_who_lost_a_cell_is_asked_about_it_by_hand() -> None:
    """Two facts of a person with two released cells and one lost, or none, as often.

    Of certain two released ones: 1/(3·2) and 1/(2·1), on average 1/3. Of one of these and the lost
    one: 1/(3·2) and 0, on average 1/12. What is added to them changes little.
    """
    records = np.array([2] * 1000)
    cells = lost_cells(records, records + np.array([0, 1] * 500))
    (both,) = cells.placements(np.array([2]), 2, 0, 2)
    (one,) = cells.placements(np.array([2]), 1, 1, 2)
    assert both == pytest.approx(1 / 3, abs=1e-3)
    assert one == pytest.approx(1 / 12, abs=1e-3)


def test_what_everybody_had_is_a_number_and_what_grew_with_the_record_a_ratio() -> None:
    """Of an item that 20 people each with one to seven other items had: 1/2, 1/3 … 1/8."""
    n = np.repeat(np.arange(1, 8), 20)
    everybody = lost_cells(n, n + 1)
    assert everybody.least == (1, 2, 3, 4, 6, 7)
    assert (everybody.lost[3], everybody.by_number[3]) == (((1.0, 40),), True)
    asked = everybody.placements(np.arange(1, 8), 0, 1, 1)
    assert asked == pytest.approx(1 / np.arange(2, 9), rel=0.02)
    n = np.repeat([1, 2, 3], 20)
    twice = lost_cells(n, 3 * n)
    assert (twice.lost[0], twice.by_number[0]) == (((2.0, 20),), False)
    assert twice.placements(np.array([1, 2, 3]), 0, 1, 1) == pytest.approx([2 / 3] * 3, rel=1e-9)


def both(records: list[tuple[int, int]], visible: int, hidden: int, size: int) -> dict[int, float]:
    """What comes out for records of each length, and out of the reference as well."""
    n, lost = np.array(records).T
    lengths = np.unique(n)
    found = lost_cells(n, n + lost).placements(lengths, visible, hidden, size).tolist()
    drawn = visible, hidden
    assert found == pytest.approx([placements(records, k, drawn, size) for k in lengths.tolist()])
    return dict(zip(lengths.tolist(), found, strict=True))


def test_where_all_had_four_the_one_with_three_lost_one_by_hand() -> None:
    """Of four facts, one is about what was lost: 1/4! of the one, impossible of the others."""
    records = [(3, 1)] + [(4, 0)] * 119
    assert both(records, 3, 1, 4) == {3: pytest.approx(1 / 24), 4: 0}
    assert both(records, 1, 1, 2) == {3: pytest.approx(1 / 12), 4: 0}
    assert both(records, 3, 0, 3) == {3: pytest.approx(1 / 24), 4: pytest.approx(1 / 24)}


def test_whoever_has_fewer_left_than_anybody_had_lost_some_by_hand() -> None:
    """Two people have two left, and nobody had fewer than three, or more than five.

    Three facts, of which one is about what was lost: 1/(3·2·1) of each of the two, who lost one. Of
    the 150 who have four left none has; 1/302² of a record more is taken to have: 1/(5·4·3).
    Of those who have five left it would have been the sixth.
    """
    records = [(2, 1)] * 2 + [(4, 0)] * 150 + [(5, 0)] * 150
    assert both(records, 2, 1, 3) == {
        2: pytest.approx(1 / 6), 4: pytest.approx(1 / 60 / (302**2 * 150 + 1)), 5: 0
    }  # fmt: skip


def test_lengths_that_nobody_had_do_not_count_by_hand() -> None:
    """Ten of the twenty who have four left have lost a fifth, and the twenty with five left none.

    With five left that would be a sixth, which nobody had: it is known of the twenty with four that
    a half has lost one. Of two facts about what is left of four, 1/(5·4) for these, and 1/(4·3) for
    the others and for 1/40² of a record, which is added.
    """
    records = [(4, 0)] * 10 + [(4, 1)] * 10 + [(5, 0)] * 20
    assert both(records, 2, 0, 2) == {
        4: pytest.approx((10 / 20 + (10 + 1 / 1600) / 12) / (20 + 1 / 1600)),
        5: pytest.approx(1 / 20),
    }
    assert both(records, 1, 1, 2) == {
        4: pytest.approx((10 + 1 / 1600) / 20 / (20 + 1 / 1600)),
        5: 0,
    }


def test_a_mean_that_nobody_can_have_lost_is_the_nearest_that_one_can() -> None:
    """Neighbours lost five on average. With one left, and four at most before, it is three."""
    cells = LostCells((1,), (((5.0, 40),),), (True,), 1 / 2, fewest=2, most=4)
    (found,) = cells.placements(np.array([1]), 0, 1, 1)
    assert found == pytest.approx((40 * 3 / 4 + 1 / 1600 / 2) / (40 + 1 / 1600))


def few_fit(rows: list[tuple[str, str]], aux: str, folder: Path) -> pd.DataFrame:
    """The decisions of an attacker whose release has no item that one person alone has."""
    release = sim.table(
        pd.DataFrame(rows, columns=["who", "what"]), user="who", item="what", cache=str(folder)
    )
    defence = [{"name": "drop_items", "min_support": 2}]
    return sim.run(release, "bayes", defence=defence, aux=[aux], bayes_targets=0).decisions


def test_a_run_tells_its_attackers(tmp_path: Path) -> None:
    """40 people have the common item and one that is dropped, 40 three common ones, and 40 four.

    Of a fact about each of the first two, the person is among the first, of whom all have lost a
    cell. Two facts about what they share are of those with three rather than of those with four, by
    1/(3·2) to 1/(4·3).
    """
    common = ["common", "other", "third", "fourth"]
    rows = [(f"a{n}", item) for n in range(40) for item in ("common", f"rare{n}")]
    rows += [(f"b{n}", item) for n in range(40) for item in common[:3]]
    rows += [(f"c{n}", item) for n in range(40) for item in common]
    found = few_fit(rows, "2/2", tmp_path)["posterior"].to_numpy()
    expected = [1 / 60, 1 / 40]
    assert np.unique(found.round(9)).tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("aux", ["2/2", "4/4"])
def test_whose_record_is_shorter_than_all_were_is_found(tmp_path: Path, aux: str) -> None:
    """All 120 have four entries of three programmes, but one, who has another one in place of one.

    That one is dropped. Of a fact about it, nobody else can have lost it.
    """
    kinds = ["abcd", "aebf", "cegf"]
    rows = [(f"g{n}", item) for n in range(120) for item in kinds[n % 3]]
    rows[rows.index(("g37", "a"))] = ("g37", "rare")
    found = few_fit(rows, aux, tmp_path)
    asked = found[found["target"] == "g37"]
    assert asked["posterior"].tolist() == pytest.approx([1])
    assert found["posterior"].max() == pytest.approx(1)


def test_two_whose_records_are_shorter_than_any_was_share_what_is_claimed(tmp_path: Path) -> None:
    """Half of 300 people have five entries, half four, and two have three, of which two are left.

    The facts are all three, and either of the two fits.
    """
    items = list("abcdef")
    rows = [(f"s{n}", item) for n in range(300) for item in items[: 4 + n % 2]]
    rows += [(f"t{n}", item) for n in range(2) for item in ("a", "b", f"rare{n}")]
    found = few_fit(rows, "3/3", tmp_path)
    asked = found[found["target"].isin(["t0", "t1"])]
    assert asked["posterior"].tolist() == pytest.approx([1 / 2] * 2)


def test_whose_loss_is_whose_is_told_by_counting_by_hand() -> None:
    """All had four at least: whoever has one left has lost three, and the twelve with three one.

    Together they would be thirteen of whom one has lost three, whoever it is.
    """
    records = [(1, 3)] + [(3, 1)] * 12 + [(4, 0), (7, 0)] * 20
    found = both(records, 0, 2, 2)
    assert found[1] == pytest.approx(3 * 2 / (4 * 3))
    assert (found[3], found[4]) == (pytest.approx(0, abs=1e-3), pytest.approx(0, abs=1e-3))
    # Ten have lost two of six, and forty one; nobody had fewer than six.
    found = both([(4, 2)] * 10 + [(5, 1)] * 40 + [(6, 0), (7, 0)] * 125, 0, 2, 2)
    assert found[4] == pytest.approx(2 / (6 * 5))
    whole = sum(found[n] * count for n, count in ((4, 10), (5, 40), (6, 125), (7, 125)))
    assert 10 * found[4] / whole > 0.99


def test_whoever_had_the_most_has_not_lost_what_another_did_by_hand() -> None:
    """One of those with eight, nine and ten left has lost two, and nobody had more than ten."""
    records = [(5, 1)] * 40 + [(8, 2), (9, 0), (9, 1)] + [(10, 0)] * 30
    found = both(records, 0, 2, 2)
    assert found[8] == pytest.approx(2 / (10 * 9), rel=0.02)
    assert (found[9], found[10]) == (0, 0)


def test_whoever_alone_can_have_had_the_most_has_lost_it_by_hand() -> None:
    """Nobody who is left has ten, and only the one with eight, if they lost two, had so many."""
    records = [(n, 0) for n in (4, 5, 6, 7) for _ in range(40)] + [(8, 2)]
    found = both(records, 0, 1, 1)
    assert found[8] == pytest.approx(2 / 10, rel=1e-4)
    assert sum(40 * found[n] for n in (4, 5, 6, 7)) < 0.01
    # It may be anybody's who is as long as one with ten left.
    found = both([*records, (10, 0)], 0, 1, 1)
    assert found[8] == pytest.approx(found[7], rel=0.5)


def test_whoever_alone_can_have_had_the_fewest_has_lost_none_by_hand() -> None:
    """One has six, and nobody had fewer; all others lost twenty."""
    records = [(6, 0)] + [(7, 20)] * 60 + [(10, 20)] * 59
    assert both(records, 2, 0, 2)[6] == pytest.approx(1 / (6 * 5), rel=1e-4)


FEW = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 3)), min_size=1, max_size=7)


@given(FEW, st.integers(0, 2), st.integers(0, 2))
def test_no_more_can_be_told_by_counting(
    monkeypatch: pytest.MonkeyPatch, records: list[tuple[int, int]], visible: int, hidden: int
) -> None:
    """Of all ways in which the losses of each group may be those of its records.

    In these, somebody had the fewest cells that anybody had, somebody the most, and nobody fewer or
    more. All are as likely.
    """
    monkeypatch.setattr(lost_cells_module, "GROUP", 3)
    monkeypatch.setattr(lost_cells_module, "_is_number", lambda *_: True)
    records.sort()
    n, lost = np.array(records).T
    cells = lost_cells(n, n + lost)
    # So that what is added to each group is next to nothing.
    many = tuple(tuple((one, 10**9 * count) for one, count in each) for each in cells.lost)
    cells = cells._replace(lost=many, by_number=(True,) * len(many))
    group = np.searchsorted(cells.least, n, side="right") - 1
    of_groups = [sorted(lost[group == k].tolist()) for k in range(len(many))]
    chance, ways = np.zeros(n.size), 0
    for each in itertools.product(*(set(itertools.permutations(one)) for one in of_groups)):
        before = n + np.concatenate(each)
        if before.min() == cells.fewest and before.max() == cells.most:
            ways += 1
            chance += [
                math.perm(gone, hidden) / math.perm(had, visible + hidden)
                if visible <= left and had >= visible + hidden else 0.0
                for had, left, gone in zip(
                    *(before.tolist(), n.tolist(), (before - n).tolist()), strict=True
                )
            ]  # fmt: skip
    found = cells.placements(n, visible, hidden, 0)
    assert np.where(n >= visible, found, 0) == pytest.approx(chance / ways, rel=1e-6, abs=1e-8)
