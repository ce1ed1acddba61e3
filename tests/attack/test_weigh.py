"""Fast exponentials are exponentials, and their sums are sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.attack.weigh import CHUNK, exponentials, weigh


def powers(x: np.ndarray) -> np.ndarray:
    out, room = np.empty(x.size), np.empty(x.size)
    exponentials(x.copy(), x.size, room, out)
    return out


def test_within_the_stated_bound() -> None:
    x = -np.concatenate([np.linspace(0, 700, 200_001)[:-1], np.geomspace(1e-300, 699.9, 10_001)])
    assert np.abs(powers(x) / np.exp(x) - 1).max() < 2e-14


@given(st.floats(-699.9, 0.0))
def test_anywhere(x: float) -> None:
    assert powers(np.array([x]))[0] == pytest.approx(np.exp(x), rel=2e-14, abs=0)


def test_ends() -> None:
    x = np.array([0.0, -0.0, -700.0, -701.0, -np.inf, np.nan])
    assert powers(x).tolist() == [1, 1, 0, 0, 0, 0]


@given(
    st.integers(0, 1000),
    st.sampled_from([1, 7, CHUNK, CHUNK + 1, 3 * CHUNK - 5]),
    st.booleans(),
    st.sampled_from([0.0, 0.01, 0.5, 1.0]),
)
def test_sums(seed: int, n: int, log: bool, zeros: float) -> None:
    rng = np.random.default_rng(seed)
    score = np.where(rng.random(n) < zeros, 0.0, rng.random(n) * 20)
    gone = rng.random(n) < 0.2
    best, sigma = score.max() + 0.1, np.array([0.7, 0.0, 3.0])
    out = np.full((3, 2), -1.0)
    weigh(np.where(gone, np.nan, score), best, sigma, log, out)
    assert out[1].tolist() == [-1, -1]  # σ = 0: nothing is summed
    for c in (0, 2):
        gap = score[~gone] - best
        gap = (np.exp(gap) - 1 if log else gap) / sigma[c]
        expected = [np.exp(gap).sum(), (gap * np.exp(gap)).sum()]
        assert out[c] == pytest.approx(expected, rel=1e-12, abs=1e-300)
