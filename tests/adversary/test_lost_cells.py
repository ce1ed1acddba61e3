"""What is known of the cells that records lost with dropped items is as its reference counts it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sim
from sim.adversary.lost_cells import FEWEST, lost_cells
from sim.reference.lost_cells import groups, placements

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
    assert hidden > 0 or found[0] > 0


def test_no_group_is_of_a_few_records() -> None:
    rng = np.random.default_rng(2)
    n = rng.geometric(0.1, 5000)
    cells = lost_cells(n, n + rng.poisson(0.3 * n))
    sizes = [sum(records for _, records in each) for each in cells.lost]
    assert min(sizes) >= FEWEST
    assert sum(sizes) == 5000
    assert max(map(len, cells.lost)) <= 64
    assert len(cells.least) > 20
    assert cells.kept == pytest.approx(1 / 1.3, abs=0.01)


def test_one_who_lost_a_cell_is_asked_about_it_by_hand() -> None:
    """Two facts of a person with two released cells and one lost, or none, as often.

    Of certain two released ones: 1/(3·2) and 1/(2·1), on average 1/3. Of one of these and the lost
    one: 1/(3·2) and 0, on average 1/12. The one record more, of 1001, is as those on average.
    """
    records = np.array([2] * 1000)
    cells = lost_cells(records, records + np.array([0, 1] * 500))
    (both,) = cells.placements(np.array([2]), 2, 0, 2)
    (one,) = cells.placements(np.array([2]), 1, 1, 2)
    assert both == pytest.approx(1 / 3, abs=1e-3)
    assert one == pytest.approx(1 / 12, abs=1e-3)


def test_what_everybody_had_is_a_number_and_what_grew_with_the_record_a_ratio() -> None:
    """Of an item that 20 people each with one, two and three other items had: 1/2, 1/3 and 1/4."""
    n = np.repeat([1, 2, 3], 20)
    everybody = lost_cells(n, n + 1)
    assert (everybody.lost, everybody.by_number) == ((((1.0, 60),),), (True,))
    asked = everybody.placements(np.array([1, 2, 3]), 0, 1, 1)
    assert asked == pytest.approx([1 / 2, 1 / 3, 1 / 4], rel=0.02)
    twice = lost_cells(n, 3 * n)
    assert (twice.lost, twice.by_number) == ((((2.0, 60),),), (False,))
    assert twice.placements(np.array([1, 2, 3]), 0, 1, 1) == pytest.approx([2 / 3] * 3, rel=1e-9)


def test_a_run_tells_its_attackers(tmp_path: Path) -> None:
    """40 people have the common item and one that is dropped, and 40 have two common ones.

    Of a fact about each of the first two, it is likely that the person is among the first: of these
    all have lost a cell, and of the others nobody. In proportion to what was released, the others
    had half as likely been asked.
    """
    rows = [(f"a{n}", item) for n in range(40) for item in ("common", f"rare{n}")]
    rows += [(f"b{n}", item) for n in range(40) for item in ("common", "other")]
    release = sim.table(
        pd.DataFrame(rows, columns=["who", "what"]), user="who", item="what", cache=str(tmp_path)
    )
    defence = [{"name": "drop_items", "min_support": 2}]
    made = sim.run(release, "bayes", defence=defence, aux=["2/2"], bayes_targets=0)
    of_others = 1 / (3 * 2) / 41  # had they lost one of three, as one record more is taken to have
    first = (1 / 2) / (40 / 2 + 40 * of_others)
    found = made.decisions["posterior"].to_numpy()
    assert np.unique(found.round(9)).tolist() == pytest.approx([first, 1 / 40], rel=1e-6)
