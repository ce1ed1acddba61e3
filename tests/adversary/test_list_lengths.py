"""How long the lists of mentions are, and who has one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples
from scipy.stats import binomtest, chisquare

from sim.adversary.list_lengths import (
    FIRSTS,
    LONGEST,
    PEOPLE,
    length_shares,
    list_bin,
    list_lengths,
    longest_lists,
)
from sim.errors import GridError

pytestmark = pytest.mark.fast


def people_of(lengths: list[int], items: int) -> list[Row]:
    """Records of given lengths; the first holds nothing but what makes all items exist."""
    rows: list[Row] = [(0, item, None, None) for item in range(items)]
    return rows + [(r + 1, i, None, None) for r, n in enumerate(lengths) for i in range(n)]


def test_bins_are_those_of_table_1() -> None:
    firsts = {1: 0, 2: 1, 3: 1, 4: 2, 7: 2, 8: 3, 15: 3, 16: 4, 31: 4, 32: 5, 63: 5, 64: 6, 900: 6}
    assert list_bin(list(firsts)).tolist() == list(firsts.values())
    assert list_bin(0) == -1
    assert sum(PEOPLE) == 133


def test_shares_are_those_of_table_1_and_name_as_many_items() -> None:
    shares, size = length_shares(), np.arange(1, LONGEST + 1)
    by_bin = np.bincount(list_bin(size), shares)
    np.testing.assert_allclose(by_bin, np.array(PEOPLE) / 133)
    # F06 §3: 133 people name 3,828 items.
    assert 133 * shares @ size == pytest.approx(3_800.9, abs=0.1)
    # Within a bin, in proportion to 1/length.
    np.testing.assert_allclose(shares[7] * 8, shares[14] * 15)


@pytest.mark.parametrize("longest", [1, 2, 5, 64, 100])
def test_a_longest_list_cuts_the_bins_off(longest: int) -> None:
    shares = length_shares(longest)
    assert shares.size == longest
    assert shares.sum() == pytest.approx(1)
    bins = np.bincount(list_bin(np.arange(1, longest + 1)), shares)
    people = np.array(PEOPLE[: bins.size])
    np.testing.assert_allclose(bins, people / people.sum())


@settings(max_examples=examples(40))
@given(
    lengths=st.lists(st.integers(1, 35), min_size=120, max_size=200),
    longest=st.integers(1, 9),
    seed=st.integers(0, 2**64 - 1),
)
def test_who_has_a_list_can_have_it_and_the_bins_have_their_shares(
    make_store: MakeStore, lengths: list[int], longest: int, seed: int
) -> None:
    store = make_store(people_of(lengths, 40))
    try:
        chosen = list_lengths(store, longest, seed)
    except GridError:  # so few records that a bin has none by chance
        return
    assert chosen.max() <= longest
    assert (chosen <= store.length).all()
    assert (chosen <= store.manifest.n_items - store.length).all()
    assert chosen[0] == 0  # holds everything
    counts = np.bincount(list_bin(chosen[chosen > 0]), minlength=int(list_bin(longest)) + 1)
    people = np.array(PEOPLE[: counts.size])
    scale = counts.sum() / people.sum()
    assert (np.abs(counts - people * scale) < 1.5 + people / people.max()).all()


def test_every_length_has_its_share(make_store: MakeStore) -> None:
    store = make_store(people_of([16] * 6000, 32))
    chosen = list_lengths(store, 15, 1)
    chosen = chosen[chosen > 0]
    assert chosen.size > 5500  # all can have theirs, so nearly all do
    counts = np.bincount(chosen, minlength=16)[1:]
    assert chisquare(counts, length_shares(15) * chosen.size).pvalue > 1e-4


def test_whose_list_it_is_does_not_depend_on_blocks_but_on_the_seed(make_store: MakeStore) -> None:
    rows = people_of([20] * 300, 50)
    one = list_lengths(make_store(rows), 15, 7)
    assert one.tolist() == list_lengths(make_store(rows, block_records=13), 15, 7).tolist()
    assert one.tolist() != list_lengths(make_store(rows), 15, 8).tolist()


def test_who_holds_more_is_likelier_to_say_something(make_store: MakeStore) -> None:
    """In proportion to the length to a power; all of the longest do."""
    rows = people_of([20] * 3000 + [40] * 3000, 100)
    store = make_store(rows)
    chosen = list_lengths(store, 1, 1, 1.0) > 0
    short, long = chosen[1:3001].sum(), chosen[3001:].sum()
    assert long == 3000
    assert binomtest(int(short), 3000, 0.5).pvalue > 1e-4
    squared = list_lengths(store, 1, 1, 2.0) > 0
    assert binomtest(int(squared[1:3001].sum()), 3000, 0.25).pvalue > 1e-4
    assert (chosen | ~squared).all()  # common random numbers
    assert (list_lengths(store, 1, 1) > 0)[1:].all()


def test_a_release_too_small_says_what_to_do(make_store: MakeStore) -> None:
    store = make_store(people_of([10] * 200, 30))
    with pytest.raises(GridError) as caught:
        list_lengths(store, LONGEST, 1)
    assert str(caught.value) == (
        "adversary=mentions: the release is too small for lists of 16 or more mentions: a record "
        "must hold and lack that many items; set adversary.max_length=15"
    )
    assert (list_lengths(store, 15, 1) > 0).any()
    assert FIRSTS[4] == 16


@pytest.mark.parametrize("n_items", [2, 5, 9, 40])
def test_the_longest_lists_that_a_release_is_large_enough_for(
    make_store: MakeStore, n_items: int
) -> None:
    """A whole bin less at a time: these lengths can be had, the next bin cannot."""
    rows = [(r, i, 1.0, 0) for r in range(400) for i in range(r % (n_items - 1) + 1)]
    store = make_store([*rows, (0, n_items - 1, 1.0, 0)])
    longest = longest_lists(store, 511, 1, 0.0)
    assert longest + 1 in (*FIRSTS, 512)
    assert list_lengths(store, longest, 1).max() <= longest <= n_items
    with pytest.raises(GridError, match="too small"):
        list_lengths(store, 2 * longest + 1, 1)
    assert longest_lists(store, longest, 1, 0.0) == longest


def test_a_release_for_no_list(make_store: MakeStore) -> None:
    store = make_store([(r, 1, 1.0, 0) for r in range(5)])  # nobody lacks an item
    with pytest.raises(GridError, match="lists of 1 or more"):
        longest_lists(store, 511, 1, 0.0)
