"""Counts, moments and the highest two of scores, of which each has been made: eight at a time.

Invariant: a score goes into the chain of its place, modulo eight, in the block. So it does not
matter how many are handed over at a time, if eights are not torn.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# Numba types compiled functions as if they took no arguments.

from __future__ import annotations

import numba
import numpy as np

from sim.attack.kernels.lanes import (
    ALL,
    WIDTH,
    added_up,
    at_least,
    below,
    between,
    either,
    equal,
    first_of,
    lane,
    more,
    number_of,
    only,
    rest_of,
    spread,
)
from sim.attack.kernels.moving import load, store
from sim.attack.kernels.numeric import if_more, uncounted

CHAINS = 6 * WIDTH
"""Room for chains: Σ and Σ² of all scores and of the touched, the highest and lowest of these."""

_U = np.uint64
_ALL, _NONE, _ONE, _WIDTH, _LAST = np.uint8(ALL), _U(0), _U(1), _U(WIDTH), _U(WIDTH - 1)


@numba.njit(cache=True, nogil=True, inline="always")
def _chain(chains, j):  # type: ignore[no-untyped-def]
    return load(chains, _U(j) * _WIDTH, _ALL)


@numba.njit(cache=True, nogil=True, inline="always")
def _keep(chains, j, numbers):  # type: ignore[no-untyped-def]
    store(chains, _U(j) * _WIDTH, numbers)


@numba.njit(cache=True, nogil=True)
def begin_tally(chains, o):  # type: ignore[no-untyped-def]
    """Know of no scores yet."""
    chains[: 4 * WIDTH] = 0.0
    chains[4 * WIDTH : 5 * WIDTH] = -np.inf
    chains[5 * WIDTH :] = np.inf
    o["best"] = o["second"] = -np.inf
    o["best_record"] = -1
    o["candidates"] = o["touched"] = o["listed"] = o["at_least"] = o["above"] = o["ties"] = 0


@uncounted
def _rise(s, high, first, o):  # type: ignore[no-untyped-def]
    """Keep the highest two, given the scores of a mask of the records from `first` on."""
    best, second, ties = o["best"], o["second"], o["ties"]
    if ties > 0 and best == second and equal(s, spread(best), high) == high:
        o["ties"] = ties + number_of(high)  # of the records before one is the lowest
        return
    while high:
        j = first_of(high)
        high = rest_of(high)
        score = lane(s, j)
        if score > best or ties == 0:
            second = best
            best, ties = score, 1
            o["best_record"] = first + j
        elif score == best:
            second = best
            ties += 1
        else:
            second = max(second, score)
    o["best"], o["second"], o["ties"] = best, second, ties


@numba.njit(cache=True, nogil=True, inline="always")
def _tally_eight(  # type: ignore[no-untyped-def]
    s, shares, those, first, own, listed_above, moments, o, counts, state
):
    """Take the scores of a mask, and of the records that share an item with the aux."""
    candidates, touched, listed, least_own, above = counts
    total, squares, shared_total, shared_squares, most, least = state
    real = equal(s, s, those)  # NaN is no candidate
    shares = shares & real
    candidates += number_of(real)
    touched += number_of(shares)
    listed += number_of(more(s, spread(listed_above), real))
    those = at_least(s, spread(own), real)
    if those:
        least_own += number_of(those)
        above += number_of(more(s, spread(own), those))
    if moments:
        value, shared = only(s, real), only(s, shares)
        total = total + value
        squares = squares + value * value
        shared_total = shared_total + shared
        shared_squares = shared_squares + shared * shared
    most = either(shares, if_more(s, most, s, most), most)
    least = either(shares, if_more(least, s, s, least), least)
    second = o["second"]
    high = at_least(s, spread(second), real)
    if high:
        if o["best"] > second:
            high = more(s, spread(second), high)
        if high:
            _rise(s, high, first, o)
    return (
        (candidates, touched, listed, least_own, above),
        (total, squares, shared_total, shared_squares, most, least),
    )


@uncounted
def tally(score, held, first, own, listed_above, moments, chains, o):  # type: ignore[no-untyped-def]
    """Take the scores of the records from `first` on, NaN for no candidate.

    ``held`` is above 0 for those that share an item with the aux. Sums are made if `moments`.
    """
    n = _U(score.size)
    counts = np.int64(0), np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    state = (
        _chain(chains, 0), _chain(chains, 1), _chain(chains, 2),
        _chain(chains, 3), _chain(chains, 4), _chain(chains, 5),
    )  # fmt: skip
    full = n & ~_LAST
    for r in range(_NONE, full, _WIDTH):
        counts, state = _tally_eight(
            load(score, r, _ALL), ~below(load(held, r, _ALL), _ONE, _ALL), _ALL,
            first + np.int64(r), own, listed_above, moments, o, counts, state,
        )  # fmt: skip
    if full < n:
        those = between(full, _NONE, n)
        counts, state = _tally_eight(
            load(score, full, those), ~below(load(held, full, those), _ONE, _ALL), those,
            first + np.int64(full), own, listed_above, moments, o, counts, state,
        )  # fmt: skip
    o["candidates"] += counts[0]
    o["touched"] += counts[1]
    o["listed"] += counts[2]
    o["at_least"] += counts[3]
    o["above"] += counts[4]
    _keep(chains, 0, state[0])
    _keep(chains, 1, state[1])
    _keep(chains, 2, state[2])
    _keep(chains, 3, state[3])
    _keep(chains, 4, state[4])
    _keep(chains, 5, state[5])


@numba.njit(cache=True, nogil=True)
def end_tally(chains, o):  # type: ignore[no-untyped-def]
    """Say what the sums are, all scores taken."""
    o["sum"], o["sum_squares"] = added_up(_chain(chains, 0)), added_up(_chain(chains, 1))
    o["touched_sum"] = added_up(_chain(chains, 2))
    o["touched_squares"] = added_up(_chain(chains, 3))
    o["touched_best"] = chains[4 * WIDTH : 5 * WIDTH].max()
    o["touched_least"] = chains[5 * WIDTH :].min()
