"""Features of candidates for the guard: how facts fit a released record, without a model of noise.

All that is known of the publisher's noise is how far a time may have been moved. A feature of an
aux set is the sum over its facts: of the visible ones how the candidate's cell and its other times
fit, of the hidden ones, whose item the candidate lacks, how likely they are to have been left out.
"""

# mypy: disable-error-code="no-untyped-call,untyped-decorator"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.target_cells import first_at_least
from sim.numeric import elementary, log
from sim.numeric.compiled import njit
from sim.release.store.store import Store

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SHARES = (1, 3, 7, 15, 30)
"""Half widths of windows around a visible fact, in thirtieths of the reach."""
STEPS_ASIDE = (2, 5, 10)
"""How far beside a visible fact its window is compared with others, in bins of time."""
HIDDEN_SHARES = (0, 1, 3, 7, 30)
"""Half widths of windows around a hidden fact, in bins of time."""
FARTHEST = 2.0
"""Distance from a cell to a fact in reaches, from which on it does not matter."""

COLUMNS = (
    "length",
    *("distance", "distance_square", *(f"share_{w}" for w in SHARES), "of_highest", "of_mean"),
    *(f"{which}_aside_{h}" for h in STEPS_ASIDE for which in ("highest", "mean")),
    *("share_higher", "below_highest", "outside", "to_median", "to_nearest"),
    *("value_distance", "value_distance_square"),
    *("hidden", "hidden_popularity", *(f"hidden_share_{w}" for w in HIDDEN_SHARES)),
    *("from_expected", "from_expected_square", "from_expected_log"),
)
"""Names of the features, in their order."""

_SHARES, _ASIDE = np.array(SHARES), np.array(STEPS_ASIDE)
_HIDDEN = np.array(HIDDEN_SHARES)
_VALUES, _HIDING = COLUMNS.index("value_distance"), COLUMNS.index("hidden")
_EXPECTED = COLUMNS.index("from_expected")
_FARTHEST_EXPECTED = 4.0  # in standard deviations
_ROUNDS, _PRIOR = 10, 1.0
"""Of `expected_times`: rounds, and cells of no offset beside those of an item."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The candidates of U aux sets.

    Parameters
    ----------
    start : int64 array, shape (U + 1,)
        Candidates of unit u are [start[u], start[u + 1]).
    record : int64 array, shape (R,)
    """

    start: Ints
    record: Ints


class ExpectedTimes(NamedTuple):
    """Times as a record's mean and an item's offset: what is done in an order, or once it is out.

    Parameters
    ----------
    offset : float64 array, shape (I + 1,)
        How much later than the mean of its record a cell of an item is; the last is of none.
    whole : float64 array, shape (N,)
        Sum over the dated cells of each record of their times without the offsets.
    mean, spread : float
        Of the records' means; and the standard deviation of what remains of the cells' times.
    """

    offset: Floats
    whole: Floats
    mean: float
    spread: float


@functools.lru_cache(maxsize=2)
def expected_times(store: Store) -> ExpectedTimes:
    """Fit means of records and offsets of items to the times of a release, in turns."""
    n_days, n_items = store.manifest.n_days, store.manifest.n_items
    offset, rest, cells = np.zeros(n_items + 1), 0.0, 0
    whole, number = np.zeros(store.manifest.n_records), np.zeros(store.manifest.n_records)
    for _ in range(_ROUNDS):
        sums, counts, rest, cells = np.zeros(n_items), np.zeros(n_items), 0.0, 0
        for index in range(store.manifest.n_blocks):
            block = store.block(index)
            row = np.repeat(np.arange(block.n_records), np.diff(block.record_start))
            dated = block.record_day < n_days
            row, item = row[dated], block.record_item[dated]
            time = block.record_day[dated].astype(np.float64)
            here = slice(block.first, block.first + block.n_records)
            number[here] = np.bincount(row, minlength=block.n_records)
            whole[here] = np.bincount(row, time - offset[item], minlength=block.n_records)
            left = time - (whole[here] / np.maximum(number[here], 1))[row]
            sums += np.bincount(item, left, minlength=n_items)
            counts += np.bincount(item, minlength=n_items)
            rest += float(np.cumsum((left - offset[item]) ** 2)[-1]) if left.size else 0.0
            cells += left.size
        last, offset = offset, np.append(sums / (counts + _PRIOR), 0.0)
    dated_cells = max(float(np.cumsum(number)[-1]), 1.0)
    mean = float(np.cumsum(whole)[-1]) / dated_cells
    return ExpectedTimes(last, whole, mean, max(float(np.sqrt(rest / max(cells, 1))), 0.5))


@njit
def _add_expected(out, d, item, k, row, block, n, expected, n_days):  # type: ignore[no-untyped-def]
    """Add how far a fact at d is from what the record's other cells and its item let expect.

    Parameters
    ----------
    k : int
        The record's cell of the item; −1: none.
    n : int
        Dated cells of the record.
    """
    offset, whole, mean, spread = expected
    others, sum_of_others = n, whole[row]
    if k >= 0 and block[3][k] < n_days:
        others, sum_of_others = n - 1, sum_of_others - (block[3][k] - offset[item])
    centre = sum_of_others / others if others > 0 else mean
    off = min(abs(d - offset[item] - centre) / spread, _FARTHEST_EXPECTED)
    out[_EXPECTED] += off
    out[_EXPECTED + 1] += off * off
    out[_EXPECTED + 2] += elementary.log1p(off)


@njit
def _within(times, begin, end, t, width):  # type: ignore[no-untyped-def]
    """Count the times within a width of t."""
    first = first_at_least(times, begin, end, t - width)
    return first_at_least(times, first, end, t + width + 1) - first


@njit
def _sorted_times(record_start, record_day, needed, n_days):  # type: ignore[no-untyped-def]
    """Times of the records that are needed, ascending, and where each one's known times end."""
    times, last = record_day.copy(), record_start[1:].copy()
    for r in range(needed.size):
        if needed[r]:
            begin, end = record_start[r], record_start[r + 1]
            times[begin:end].sort()
            last[r] = first_at_least(times, begin, end, n_days)
    return times, last


@njit
def _best_cell(block, row, item, d, value, scale, n_days):  # type: ignore[no-untyped-def]
    """Return the cell of an item that is nearest in time, or else in value; −1: none is held."""
    record_start, record_item, record_level, record_day = block
    begin, end = record_start[row], record_start[row + 1]
    k = first_at_least(record_item, begin, end, item)
    best, nearest = -1, np.inf
    while k < end and record_item[k] == item:
        off = 0.0
        if d != NO_DAY:
            off = abs(np.float64(d) - record_day[k]) if record_day[k] < n_days else 1e18
        elif value == value and scale[record_level[k]] == scale[record_level[k]]:
            off = abs(value - scale[record_level[k]])
        if off < nearest:
            best, nearest = k, off
        k += 1
    return best


@njit
def _add_times(out, times, begin, end, t, d, reach, points):  # type: ignore[no-untyped-def]
    """Add the features of a visible fact at d whose cell is at t, one of the record's times."""
    n = end - begin
    far = np.float64(abs(d - t))
    u = min(far / reach, FARTHEST)
    out[1] += u
    out[2] += u * u
    c = 3
    for width in _SHARES:
        w = width * reach // 30
        others = _within(times, begin, end, d, w) - (far <= w)
        out[c] += elementary.log((others + 0.5) / (n + 0.5))
        c += 1
    here = _within(times, begin, end, d, reach) - (far <= reach)
    highest, total, higher = 0, 0.0, 0
    low = high = first_at_least(times, begin, end, t + points[0] - reach)
    for point in points:
        while low < end and times[low] < t + point - reach:
            low += 1
        while high < end and times[high] <= t + point + reach:
            high += 1
        count = high - low - 1  # t itself is within reach of each point
        highest = max(highest, count)
        total += count
        higher += count > here
    out[c] += elementary.log((here + 0.5) / (highest + 0.5))
    out[c + 1] += elementary.log((here + 0.5) / (total / points.size + 0.5))
    c += 2
    for h in _ASIDE:
        before = _within(times, begin, end, d - h, reach) - (abs(d - h - t) <= reach)
        after = _within(times, begin, end, d + h, reach) - (abs(d + h - t) <= reach)
        out[c] += elementary.log((here + 0.5) / (max(before, after) + 0.5))
        out[c + 1] += elementary.log((here + 0.5) / (0.5 * (before + after) + 0.5))
        c += 2
    out[c] += higher / points.size
    out[c + 1] += (here - highest) / np.sqrt(np.float64(n))
    out[c + 2] += 1.0 - here / max(n - 1, 1)
    middle = 0.5 * (np.float64(times[begin + (n - 1) // 2]) + np.float64(times[begin + n // 2]))
    out[c + 3] += elementary.log1p(abs(middle - d))
    own, place = first_at_least(times, begin, end, t), first_at_least(times, begin, end, d)
    nearest = np.inf
    for k in range(max(place - 2, begin), min(place + 2, end)):
        if k != own:
            nearest = min(nearest, abs(np.float64(times[k]) - d))
    if nearest < np.inf:
        out[c + 4] += elementary.log1p(nearest)


@njit
def _fill(out, candidates, block, ordered, aux, hidden, release, noise):  # type: ignore[no-untyped-def]
    """Write the features of the chosen candidates, all of one block.

    Parameters
    ----------
    candidates : (chosen, unit, row)
    ordered : (times, last)
        See `_sorted_times`.
    release : (scale, n_days, expected times of the block's records)
    noise : (reach, points)
    """
    (chosen, unit, row), (times, last), (reach, points) = candidates, ordered, noise
    (scale, n_days, expected), (start, item, value, day) = release, aux
    record_start, _, record_level, record_day = block
    sums = np.empty(len(COLUMNS))
    for r in chosen:
        begin, end = record_start[row[r]], last[row[r]]
        sums[:] = 0.0
        sums[0] = -elementary.log(np.float64(record_start[row[r] + 1] - begin))
        for a in range(start[unit[r]], start[unit[r] + 1]):
            d = np.int64(day[a])
            k = -1
            if item[a] >= 0:
                k = _best_cell(block, row[r], item[a], d, value[a], scale, n_days)
            if d != NO_DAY and n_days > 0:
                n = end - begin
                _add_expected(sums, d, item[a], k, row[r], block, n, expected, n_days)
            if k < 0:
                sums[_HIDING] += 1.0
                sums[_HIDING + 1] += hidden[a]
                for w in range(_HIDDEN.size if d != NO_DAY else 0):
                    near = _within(times, begin, end, d, _HIDDEN[w])
                    share = (near + 0.5) / (end - begin + 0.5)
                    sums[_HIDING + 2 + w] += elementary.log(share)
                continue
            if d != NO_DAY and record_day[k] < n_days:
                _add_times(sums, times, begin, end, np.int64(record_day[k]), d, reach, points)
            off = abs(value[a] - scale[record_level[k]])
            if off == off:
                sums[_VALUES] += off
                sums[_VALUES + 1] += off * off
        for c in range(sums.size):
            out[r, c] = sums[c]


def candidate_features(
    store: Store, aux: Aux, pairs: Pairs, hidden: Ints, reach: int
) -> NDArray[np.float32]:
    """Compute the features of the candidates of a batch.

    Parameters
    ----------
    store : Store
        The release.
    aux : Aux
        U aux sets of A facts.
    pairs : Pairs
        R candidates.
    hidden : int64 array, shape (A,)
        Cells of each fact's item that the release lacks.
    reach : int
        The most by which a right fact's time may differ from the released one, in bins.

    Returns
    -------
    float32 array, shape (R, F)
        A column for each of `COLUMNS`; 0 throughout where the data or the facts lack what it is of.
    """
    out = np.zeros((pairs.record.size, len(COLUMNS)), np.float32)
    unit = np.repeat(np.arange(len(aux)), np.diff(pairs.start))
    reach = max(reach, 1)
    points = np.unique(np.rint(reach * np.arange(-30, 31) / 30).astype(np.int64))
    scale, n_days = np.append(store.scale, np.nan), store.manifest.n_days
    popularity = log(hidden + 0.5)
    facts, expected = (aux.start, aux.item, aux.value, aux.day), expected_times(store)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        row = pairs.record - block.first
        chosen = np.flatnonzero((row >= 0) & (row < block.n_records))
        needed = np.zeros(block.n_records, np.bool_)
        needed[row[chosen]] = True
        columns = block.record_start, block.record_item, block.record_level, block.record_day
        ordered = _sorted_times(block.record_start, block.record_day, needed, n_days)
        whole = expected.whole[block.first : block.first + block.n_records]
        of_block = scale, n_days, expected._replace(whole=np.ascontiguousarray(whole))
        candidates = chosen, unit, row
        _fill(out, candidates, columns, ordered, facts, popularity, of_block, (reach, points))
    return out
