"""The partial of a block of which only some records are possible.

It is that of `sim.attack.kernels.dense`, to the bit, but for what takes every record; see
`sim.attack.kernels.partials`.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.adversary.aux import ANY_LENGTH
from sim.attack.kernels.entropy_weights import halves_first
from sim.attack.kernels.exponential_sums import LANES, exponential_sums
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.simd import njit_inline, njit_no_nrt

_U = np.uint64  # unsigned indices need no check for wrap-around
_CHUNK = 128


@njit_no_nrt
def count_others(u, postings, candidates, removed):  # type: ignore[no-untyped-def]
    """Candidates of the block, and the lowest row of one; −1 without any."""
    shortest, longest, n = candidates.shortest[u], candidates.longest[u], postings.n_records
    if shortest <= 0 and longest >= ANY_LENGTH:
        lowest = 0
        for row in removed:
            lowest += row == lowest  # ascending
        number = n - removed.size
        return number, lowest if number > 0 else -1
    number, lowest, k = 0, -1, 0
    for r in range(n):
        if k < removed.size and removed[k] == r:
            k += 1
            continue
        if shortest <= candidates.length[postings.first + r] <= longest:
            number += 1
            if lowest < 0:
                lowest = r
    return number, lowest


@njit_no_nrt
def write_moments(n, rows, score, lane_sums, o):  # type: ignore[no-untyped-def]
    """Write the sums of the scores and of their squares."""
    lane_sums[:] = 0.0
    for s in range(n):
        lane = _U(rows[s]) % _U(WIDTH)
        lane_sums[lane] += score[s]
        lane_sums[_U(WIDTH) + lane] += score[s] * score[s]
    o["sum"] = o["overlapping_sum"] = halves_first(lane_sums[:WIDTH])
    o["sum_squares"] = o["overlapping_squares"] = halves_first(lane_sums[WIDTH:])


@njit_no_nrt
def write_exponentials(n, score, best, lanes, o):  # type: ignore[no-untyped-def]
    """Write the sums of the exponentials, of which everybody else's is 0."""
    o["exp"], o["exp_squares"], o["exp_scores"] = exponential_sums(n, score, best, lanes)
    # Every possible record holds an item of the aux.
    o["overlapping_exp"], o["overlapping_exp_squares"] = o["exp"], o["exp_squares"]


@njit_inline
def _two_highest(best, second, x):  # type: ignore[no-untyped-def]
    """The two highest of a number and of two, of which the second is not above the best."""
    lower = x if x < best else best
    return x if x > best else best, lower if lower > second else second


@njit_no_nrt
def _highest(n, score, lanes):  # type: ignore[no-untyped-def]
    """The highest score and the second-highest, with multiplicity; −∞ where there is none."""
    whole = _U(n - n % LANES)
    lanes[:2] = -np.inf
    for begin in range(_U(0), whole, _U(LANES)):
        for j in range(_U(LANES)):  # always as many, so that the compiler takes many at a time
            lanes[0, j], lanes[1, j] = _two_highest(lanes[0, j], lanes[1, j], score[begin + j])
    for j in range(_U(n) - whole):
        lanes[0, j], lanes[1, j] = _two_highest(lanes[0, j], lanes[1, j], score[whole + j])
    best, second = lanes[0, 0], lanes[1, 0]
    for j in range(_U(1), _U(min(n, LANES))):
        best, second = _two_highest(best, second, lanes[0, j])
        second = max(second, lanes[1, j])
    return best, second


@njit_no_nrt
def _first(n, score, wanted):  # type: ignore[no-untyped-def]
    """Place of the first of n scores that is the wanted one, which one of them is."""
    at = _U(0)
    for begin in range(_U(0), _U(n), _U(_CHUNK)):  # a loop that ends early looks at one at a time
        found, at = 0, _U(begin)
        for s in range(begin, min(begin + _U(_CHUNK), _U(n))):
            found += score[s] == wanted
        if found > 0:
            break
    while score[at] != wanted:
        at += _U(1)
    return at


@njit_no_nrt
def write_partial(n, rows, score, first, everyone, bounds, floor, lanes, o):  # type: ignore[no-untyped-def]
    """Write all but the sums: the records' scores are given, everyone else scores the floor."""
    (n_candidates, lowest), (own, matching_above) = everyone, bounds
    matching, at_least, above, ties = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    best, second = _highest(n, score, lanes)
    for s in range(_U(n)):
        x = score[s]
        matching += x > matching_above
        at_least += x >= own
        above += x > own
        ties += x == best
    best_row = np.int64(rows[_first(n, score, best)]) if n > 0 else np.int64(-1)
    others = n_candidates - n
    if others > 0:
        matching += others * (floor > matching_above)
        at_least += others * (floor >= own)
        above += others * (floor > own)
        if ties == 0 or floor > best:
            best, ties = floor, np.int64(0)
        if floor == best:
            second = floor if ties + others > 1 else -np.inf
            ties += others
            best_row = lowest  # no candidate scores less than the floor
        else:
            second = max(second, floor)
    o["candidates"], o["matching"], o["overlapping"] = n_candidates, matching, -1
    o["at_least"], o["above"] = at_least, above
    o["best"], o["second"], o["ties"] = best, second, ties
    o["best_record"] = first + best_row if best_row >= 0 else -1
    o["overlapping_best"], o["overlapping_least"] = -np.inf, np.inf
