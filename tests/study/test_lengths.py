"""Lengths of records: counted one by one, and the same whatever the blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from making import MakeStore, plain, random_rows

from sim.errors import ConfigError
from sim.measurements.lengths import Lengths, length_table, release_facts

pytestmark = pytest.mark.fast

# Records 1 to 4 hold 3, 1, 3 and 2 items.
ROWS = [(r, i, 1.0, 9) for r, n in enumerate((3, 1, 3, 2), 1) for i in range(1, n + 1)]


def test_by_hand(make_store: MakeStore) -> None:
    tables = Lengths((2, 4)).measure(make_store(ROWS), 1)
    assert tables["lengths"].to_numpy().tolist() == [[1, 1, 4], [2, 1, 3], [3, 2, 2], [4, 0, 0]]
    assert tables["beyond"].to_numpy().tolist() == [[2, 2, 0.5], [4, 0, 0.0]]
    facts = tables["facts"].iloc[0]
    counts = ("n_records", "n_items", "n_cells")
    assert [facts[name] for name in counts] == [4, 3, 9]
    ends = ("mean", "min", "lower_quartile", "median", "upper_quartile", "max")
    assert [facts[f"length_{end}"] for end in ends] == [2.25, 1, 1.75, 2.5, 3, 3]
    assert [facts[f"support_{end}"] for end in ends] == [3, 2, 2.5, 3, 3.5, 4]


@given(length=st.lists(st.integers(1, 30), min_size=1), most=st.integers(1, 40))
def test_every_length_is_counted(length: list[int], most: int) -> None:
    table = length_table(np.array(length), most)
    assert table["x"].tolist() == list(range(1, most + 1))
    assert table["exactly"].tolist() == [length.count(x) for x in table["x"]]
    assert table["at_least"].tolist() == [sum(n >= x for n in length) for x in table["x"]]


def test_blocks_make_no_difference(make_store: MakeStore) -> None:
    rows = random_rows(2)
    stores = [make_store(rows, block_records=size) for size in (7, 65_536)]
    one, other = (Lengths().measure(store, seed) for seed, store in enumerate(stores))
    assert all(one[name].equals(other[name]) for name in one)
    release = plain(stores[0])
    facts = release_facts(stores[0])
    assert facts["length_median"] == np.median(release.length())
    assert facts["support_max"] == release.support().max()


@pytest.mark.parametrize("ranges", [(), (0,), (1.5,)])
def test_ranges_that_cannot_be(ranges: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError, match=r"study\.ranges: "):
        Lengths(ranges)


def test_every_release_will_do(make_store: MakeStore) -> None:
    assert Lengths().lacks(make_store(ROWS).manifest) is None
