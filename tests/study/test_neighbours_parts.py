"""The parts nearest neighbours are found with: bit-layered counters, bounds, curves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sim.measurements.neighbours import ccdf, sparsity
from sim.measurements.neighbours.bit_counters import at_least, count_sets
from sim.measurements.neighbours.bounds import (
    MetricKind,
    is_nearer,
    min_agreement,
    possible_lengths,
)


@given(n=st.integers(0, 70), seed=st.integers(0, 2**32), density=st.sampled_from([0.02, 0.5, 1.0]))
def test_bit_counters_count_like_sums(n: int, seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    words = 5
    member = rng.random((9, words * 64)) < density
    sets = np.packbits(member, axis=1, bitorder="little").view(np.uint64)
    rows = rng.integers(0, 9, n + 1)
    begin, end = sorted(rng.integers(0, words + 1, 2))
    # Left over from an earlier count: nothing but the third scratch layer may matter.
    planes, pending, scratch = (rng.integers(0, 2**63, (7, words)).astype(np.uint64) for _ in "123")
    scratch[2] = 0
    before = planes.copy()
    full = rng.random(7) < 0.5

    levels = count_sets(sets, rows, n, begin, end, planes, pending, scratch, full)

    assert levels == n.bit_length()
    bits = np.unpackbits(planes.view(np.uint8), axis=1, bitorder="little").astype(np.int64)
    count = (bits[:levels] << np.arange(levels)[:, None]).sum(axis=0)
    inside = slice(begin * 64, end * 64)
    expected = member[rows[:n]].sum(axis=0)
    assert count[inside].tolist() == expected[inside].tolist()
    assert (planes[:, :begin] == before[:, :begin]).all()
    assert (planes[:, end:] == before[:, end:]).all()
    for w in range(begin, end):
        for least in (-3, 0, 1, n // 3, n // 2, n, n + 1, 2 * n + 5):
            mask = at_least(planes, levels, w, least)
            found = [bool((int(mask) >> k) & 1) for k in range(64)]
            assert found == (expected[w * 64 : w * 64 + 64] >= least).tolist()


@given(
    kind=st.sampled_from(MetricKind),
    length=st.integers(1, 40),
    other=st.integers(1, 40),
    best_agree=st.integers(0, 40),
    best_more=st.integers(0, 60),
)
def test_bounds_let_pass_whatever_is_no_worse(
    kind: MetricKind, length: int, other: int, best_agree: int, best_more: int
) -> None:
    best = np.array([5, best_agree, best_agree + best_more])
    assume(best[2] > 0)

    def worth(agree: int, union: int) -> Fraction:
        return Fraction(agree - union) if kind == MetricKind.HAMMING else Fraction(agree, union)

    limit = worth(int(best[1]), int(best[2]))
    most = min(length, other)
    possible = [
        (agree, length + other - overlap)
        for overlap in range(most + 1)
        for agree in (range(overlap + 1) if kind == MetricKind.AGREEMENT else [overlap])
    ]
    good = [
        agree
        for agree, union in possible
        if worth(agree, union) >= limit and (kind == MetricKind.HAMMING or agree > 0)
    ]
    least = min_agreement(kind, length, other, best)
    shortest, longest = possible_lengths(kind, length, best)
    assert least <= min_agreement(kind, length, other + 1, best)
    if good:
        assert max(least, 0) == min(good)
        assert shortest <= other <= longest
    else:
        assert least > most
    for agree, union in possible:
        for record in (4, 6):
            wins = (worth(agree, union), -record) > (limit, -5)
            assert is_nearer(kind, agree, union, record, best) == wins


def test_is_nearer_than_none() -> None:
    assert is_nearer(MetricKind.HAMMING, 0, 9, 3, np.array([-1, -1, 1]))
    assert is_nearer(MetricKind.AGREEMENT, 0, 9, 3, np.array([-1, -1, 1]))


@given(
    values=st.lists(st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]), min_size=1),
    grid=st.lists(st.floats(-1, 2)),
)
def test_ccdf_is_the_share_at_least_as_great(values: list[float], grid: list[float]) -> None:
    for x, share in zip(grid, ccdf(values, grid).tolist(), strict=True):
        assert share == sum(v >= x for v in values) / len(values)
        assert sparsity(values, x) <= share
    assert (np.diff(ccdf(values, sorted(grid))) <= 0).all()


def test_ccdf_of_nothing_or_nan() -> None:
    for values in ([], [0.5, float("nan")]):
        with pytest.raises(ValueError, match="none that is NaN"):
            ccdf(values, [0.0])
