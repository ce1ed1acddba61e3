"""Items outside the most supported: counted on the dense release, and null where there are none."""

from __future__ import annotations

import numpy as np
import pytest
from making import MakeStore, plain, random_rows

from sim.errors import ConfigError, GridError
from sim.measurements.rare_items import RareItems

pytestmark = pytest.mark.fast

# Item 1 is held by all four, 2 by three, 3 by two, 4 by one.
ROWS = [(r, i, None, None) for i in range(1, 5) for r in range(i, 5)]


def test_by_hand(make_store: MakeStore) -> None:
    facts = RareItems((0, 1, 3), (1, 2)).measure(make_store(ROWS), 1)["facts"]
    assert facts.columns.tolist() == ["popularity", "items", "at_least_1", "at_least_2"]
    # Record r holds items 1 to r: outside the top X, r - X of them.
    expected = [[0, 4, 1.0, 0.75], [1, 3, 0.75, 0.5], [3, 1, 0.25, 0.0]]
    assert facts.to_numpy().tolist() == expected


@pytest.mark.parametrize("block", [5, 65_536])
def test_it_is_the_dense_release(make_store: MakeStore, block: int) -> None:
    store = make_store(random_rows(4, cells=500), block_records=block)
    release = plain(store)
    order = np.argsort(-release.support(), kind="stable")
    facts = RareItems((1, 5, 20), (1, 3, 7)).measure(store, 1)["facts"]
    for row in facts.to_dict("records"):
        held = release.held[:, order[row["popularity"] :]].sum(axis=1)
        assert [row[f"at_least_{k}"] for k in (1, 3, 7)] == [(held >= k).mean() for k in (1, 3, 7)]


def test_no_item_left_is_null(make_store: MakeStore) -> None:
    store = make_store(ROWS)
    facts = RareItems((2, 4, 1000)).measure(store, 1)["facts"]
    assert facts["items"].tolist() == [2, 0, 0]
    assert facts["at_least_1"].isna().tolist() == [False, True, True]
    assert RareItems((2, 1000)).lacks(store.manifest) is None


def test_nothing_left_at_all_is_an_error(make_store: MakeStore) -> None:
    study = RareItems((4, 1000))
    store = make_store(ROWS)
    assert study.lacks(store.manifest) == "more than 4 items"
    with pytest.raises(
        GridError, match=r"needs more than 4 items, and the release has 4; leave out fewer"
    ):
        study.measure(store, 1)


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"outside": ()}, "outside"),
        ({"outside": (-1,)}, "outside"),
        ({"at_least": (0,)}, "at_least"),
        ({"at_least": ()}, "at_least"),
    ],
)
def test_numbers_that_cannot_be(given: dict[str, tuple[int, ...]], key: str) -> None:
    with pytest.raises(ConfigError, match=rf"study\.{key}: "):
        RareItems(**given)
