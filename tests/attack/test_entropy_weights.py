"""Fast exponentials are exponentials, and their sums are sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.attack.kernels.entropy_weights import weigh
from sim.attack.kernels.exponential_sums import exponential_sums, make_lanes

pytestmark = pytest.mark.fast


def powers(x: np.ndarray) -> np.ndarray:
    room = make_lanes()
    return np.array([exponential_sums(1, x[at : at + 1], 0.0, room)[0] for at in range(x.size)])


def test_within_the_stated_bound() -> None:
    x = -np.concatenate([np.linspace(0, 700, 200_001)[:-1], np.geomspace(1e-300, 699.9, 10_001)])
    error = np.abs(powers(x) / np.exp(x) - 1)
    assert error.max() < 1e-13
    assert error[x > -40].max() < 2.5e-14


@given(st.floats(-699.9, 0.0))
def test_anywhere(x: float) -> None:
    assert powers(np.array([x]))[0] == pytest.approx(np.exp(x), rel=1e-13, abs=0)


def test_ends() -> None:
    x = np.array([0.0, -0.0, -700.0, -701.0, -np.inf, np.nan])
    assert powers(x).tolist() == [1, 1, 0, 0, 0, 0]


@given(
    st.integers(0, 1000),
    st.sampled_from([1, 7, 512, 3072, 3073, 2 * 3072 - 5]),
    st.booleans(),
    st.sampled_from([0.0, 0.01, 0.3, 0.4, 0.9, 1.0]),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(
        [
            (0.7, 3.0),
            (0.7, 0.7),
            (3.0, 3.05),
            (0.71, 0.7),
            (0.0, 0.7),
            (3.0, 0.0),
            (0.0, 0.0),
            (1e-4, 1e4),
        ]
    ),
)
def test_sums(
    seed: int, n: int, log: bool, zeros: float, lost: float, sigma: tuple[float, float]
) -> None:
    rng = np.random.default_rng(seed)
    score = np.where(rng.random(n) < zeros, 0.0, rng.random(n) * 20) - (30 if log else 0)
    gone = rng.random(n) < lost
    best = score.max() + 0.1
    out = np.full((2, 2), -1.0)
    weigh(np.where(gone, np.nan, score), best, np.array(sigma), log, out)
    for c in range(2):
        if sigma[c] == 0:
            assert out[c].tolist() == [-1, -1]  # nothing is summed
            continue
        gap = score[~gone] - best
        gap = (np.exp(gap) - 1 if log else gap) / sigma[c]
        with np.errstate(under="ignore"):
            expected = [np.exp(gap).sum(), (gap * np.exp(gap)).sum()]
        assert out[c] == pytest.approx(expected, rel=1e-12, abs=1e-300)


@given(st.integers(0, 1000), st.sampled_from([0, 1, 63, 64, 65, 1000]))
def test_sums_of_exponentials(seed: int, n: int) -> None:
    score = np.append(-np.random.default_rng(seed).random(n) * 40, np.nan)
    e = np.exp(score[:n] - 0.5)
    wanted = [e.sum(), (e * e).sum(), ((score[:n] - 0.5) * e).sum()]
    found = exponential_sums(n, score, 0.5, make_lanes())
    assert list(found) == pytest.approx(wanted, rel=1e-12)


@given(st.integers(0, 1000), st.sampled_from([0.0, 0.5, 0.9]))
def test_negative_zero_weighs_as_zero(seed: int, zeros: float) -> None:
    rng = np.random.default_rng(seed)
    score = np.where(rng.random(700) < zeros, 0.0, rng.random(700) * 20)
    out, marked = np.empty((2, 2)), np.empty((2, 2))
    weigh(score, 20.0, np.array([0.7, 3.0]), False, out)
    weigh(np.where(score == 0, -0.0, score), 20.0, np.array([0.7, 3.0]), False, marked)
    assert out.tobytes() == marked.tobytes()
