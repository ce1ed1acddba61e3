"""How long records were, learnt from what is left of them: held to the reference, and by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.attack.algorithms.true_lengths import LONGEST, TrueLengths, learnt

pytestmark = pytest.mark.fast


@settings(max_examples=examples(25))
@given(
    released=st.lists(st.integers(0, 40), min_size=1, max_size=30),
    kept=st.sampled_from([0.1, 0.5, 0.75, 0.99]),
)
def test_is_the_reference(released: list[int], kept: float) -> None:
    expected = reference.true_lengths(released, kept)
    found = learnt(np.bincount(released), kept)
    assert found.length.tolist() == list(expected)
    whole = math.fsum(expected.values())
    np.testing.assert_allclose(
        found.weight / found.weight.sum(), np.array(list(expected.values())) / whole, rtol=1e-7
    )


def test_none_is_impossible() -> None:
    """Of everybody with ten cells, half were released; a record of 300 is that of a stranger."""
    n = np.random.default_rng(2).binomial(10, 0.5, 2000)
    given_length = learnt(np.bincount(n), 0.5).given(np.arange(LONGEST + 1))
    np.testing.assert_allclose(given_length.sum(axis=1), 1)
    assert abs((given_length[300] * learnt(np.bincount(n), 0.5).length).sum() - 600) < 10


def test_people_who_all_have_as_many_cells() -> None:
    n = np.random.default_rng(3).binomial(20, 0.3, 20_000)
    lengths = learnt(np.bincount(n[n > 0]), 0.3)
    given_length = lengths.given(np.array([1, 6, 12]))
    np.testing.assert_allclose((given_length * lengths.length).sum(axis=1), 20, atol=3)


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.95])
def test_long_records_hardly_need_it(kept: float) -> None:
    """Whatever lengths are common, how many of a long record's cells are hidden is known."""
    for n_before in (600, 1500):
        n = np.random.default_rng(4).binomial(n_before, kept, 3000)
        n = n[n <= LONGEST]
        if not n.size:
            continue
        found = learnt(np.bincount(n), kept).placements(np.unique(n), 2, 2)
        for h, j in ((2, 0), (1, 1)):
            flat = kept**h * (1 - kept) ** j / np.array([math.perm(k, h) for k in np.unique(n)])
            ratio = found[:, h, j] / flat
            assert np.average(np.abs(ratio - 1), weights=np.bincount(n)[np.unique(n)]) < 0.2


def test_by_hand() -> None:
    """One of three cells is released, or one of one, with 4 times 4/9·1/3 and 1/3 as weights."""
    lengths = TrueLengths(np.array([1, 3]), np.array([1.0, 1.0]), 1 / 3)
    likely = lengths.given(np.array([1]))[0]
    np.testing.assert_allclose(likely, np.array([1 / 3, 3 / 3 * 4 / 9]) / (1 / 3 + 4 / 9))
    placed = lengths.placements(np.array([1]), 2, 2)[0]  # of a person who has two: three cells
    np.testing.assert_allclose(placed[1, 1], likely[1] * 2 / (3 * 2))
    np.testing.assert_allclose(placed[0, 2], likely[1] * 2 / (3 * 2))
