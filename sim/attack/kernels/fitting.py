"""Which postings of an item fit a fact.

Most facts are fitted by the cells of a few successive days with a few successive values: one or two
*boxes* of day codes and levels. A long list is compared with the boxes, many postings at a time;
any other list, and facts that take more boxes, are looked up cell by cell.
"""

# mypy: disable-error-code="call-arg, no-untyped-call"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.arithmetic import prefetch
from sim.attack.kernels.score_forms import ALL
from sim.attack.kernels.score_spec import DAYS_UNIT, RULED_OUT
from sim.attack.kernels.simd import njit_inline, njit_no_nrt
from sim.attack.kernels.types import AllTables
from sim.numeric.bits import lowest_bit

_U = np.uint64  # unsigned indices need no check for wrap-around
_BOXES = 2
_LONG = 512  # a shorter list is not worth finding boxes
_LINE, _CHUNK, _AHEAD = _U(64), _U(512), _U(2048)  # postings: levels of a cache line, and so on
_TABLE = 1 << 16  # of more days runs are not found: each fact then has a table of its own


@njit_inline
def counted_fits(level, day, days, levels, right):  # type: ignore[no-untyped-def]
    """Whether a right fact has a chance; see `sim.attack.kernels.score_spec.Counted`."""
    return right[_U(days[_U(day)]) * levels + _U(level)] > 0


@njit_inline
def class_fits(level, day, days, choice):  # type: ignore[no-untyped-def]
    """Whether a contribution by class rules nobody out."""
    return choice[_U(days[_U(day)]), _U(level)] > RULED_OUT


@njit_inline
def smooth_fits(level, day, days, add, mul, least):  # type: ignore[no-untyped-def]
    """Whether a contribution is large enough, and the part of it that is the value's."""
    contribution = add[_U(level)] + mul[_U(level)] * days[_U(day)]
    value = contribution - DAYS_UNIT if contribution >= DAYS_UNIT else contribution
    return (contribution >= least[0]) & (value >= least[1])


def ends_of_runs(tables: AllTables) -> NDArray[np.int32]:
    """Where the days of one class that follow each other end, by place in the table of days.

    Empty where there are no classes, or more days than are worth it.
    """
    classes = tables.day_class
    if tables.counted.number.size == 0 or classes.size > _TABLE:
        return np.empty(0, np.int32)
    last = np.append(np.flatnonzero(classes[1:] != classes[:-1]), classes.size - 1)
    return np.repeat(last + 1, np.diff(last, prepend=-1)).astype(np.int32)


def room_to_read(longest: int) -> tuple[Any, ...]:
    """Memory for `read_fitting`, for lists of up to so many postings."""
    words = np.empty(longest // 8 + 1, np.uint64)
    some = np.empty(words.size, np.int32)
    return np.empty((_BOXES, 5), np.int64), (words, words.view(np.uint8), some)


@njit_no_nrt
def _levels_that_fit(right, begin, end):  # type: ignore[no-untyped-def]
    """First and last level with a chance, and a level of its own; −1 without any, −2 if too many.

    "No value", the last level, fits nearly every fact and is few cells' level: it may be the one of
    its own.
    """
    first, last, number = -1, -1, 0
    for place in range(begin, end - 1):
        if right[place] > 0:
            first = place - begin if first < 0 else first
            last = place - begin
            number += 1
    if number > 0 and last - first + 1 > number:
        return -2, -2, -2
    if right[end - 1] > 0:
        no_value = end - 1 - begin
        return (first, last, no_value) if number > 0 else (no_value, no_value, no_value)
    return first, last, first


@njit_no_nrt
def find_boxes(right, offset, tables, run_end, box):  # type: ignore[no-untyped-def]
    """Write the boxes of first and last day and levels of the places above 0; −1 if too many.

    Where nothing is known of the runs of days (`ends_of_runs`), they are too many.
    """
    if run_end.size == 0:
        return -1
    counted, at, n, before = tables.counted, np.int64(0), 0, (-1, -1, -1)
    # Where every cell has a day, the table may end before the code of "no day".
    end = min(counted.days, run_end.size - offset)
    while at < end:
        begin = np.int64(tables.day_class[offset + at]) * counted.levels
        levels = _levels_that_fit(right, begin, begin + counted.levels)
        stop = min(np.int64(run_end[offset + at]) - offset, end)
        if levels[0] == -2:
            return -1
        if levels[0] >= 0 and levels == before:
            box[n - 1, 1] = stop - 1
        elif levels[0] >= 0:
            if n == _BOXES:
                return -1
            box[n, 0], box[n, 1] = at, stop - 1
            box[n, 2], box[n, 3], box[n, 4] = levels
            n += 1
        before, at = levels, stop
    return n


@njit_inline
def _in_types_of(day, level, box):  # type: ignore[no-untyped-def]
    """Convert a box to the types of days and levels: the narrower, the more at a time."""
    days, levels = day.dtype.type, level.dtype.type
    return days(box[0]), days(box[1]), levels(box[2]), levels(box[3]), levels(box[4])


@njit_no_nrt
def _compare(low, begin, end, postings, box, n_boxes, fits):  # type: ignore[no-untyped-def]
    """Write whether each posting k of [begin, end) lies in a box to ``fits[k - low]``."""
    item_level, item_day = postings.item_level, postings.item_day
    d0, d1, l0, l1, l2 = _in_types_of(item_day, item_level, box[0])
    if n_boxes == 1:
        for k in range(begin, end):
            day, level = item_day[k], item_level[k]
            among = ((level >= l0) & (level <= l1)) | (level == l2)
            fits[k - low] = (day >= d0) & (day <= d1) & among
        return
    d2, d3, l3, l4, l5 = _in_types_of(item_day, item_level, box[1])
    for k in range(begin, end):
        day, level = item_day[k], item_level[k]
        one = (day >= d0) & (day <= d1) & (((level >= l0) & (level <= l1)) | (level == l2))
        other = (day >= d2) & (day <= d3) & (((level >= l3) & (level <= l4)) | (level == l5))
        fits[k - low] = one | other


@njit_no_nrt
def _fetch(begin, end, postings):  # type: ignore[no-untyped-def]
    """Fetch levels and days: a list is too short for the processor to see what comes."""
    for k in range(begin, end, _LINE):
        prefetch(postings.item_level, k)
        prefetch(postings.item_day, k)
        prefetch(postings.item_day, k + _LINE // _U(2))


@njit_no_nrt
def in_boxes(cells, postings, box, n_boxes, room):  # type: ignore[no-untyped-def]
    """Mark the postings that lie in a box, by a byte each.

    Returns
    -------
    int
        Words of eight bytes with any mark: their numbers are written too.
    """
    if n_boxes == 0:
        return 0
    words, fits, some = room
    low, high = _U(cells[0]), _U(cells[1])
    n_words, m = (high - low) // _U(8) + _U(1), 0
    words[n_words - _U(1)] = 0  # what is left of the last word
    _fetch(low, min(low + _AHEAD, high), postings)
    for begin in range(low, high, _CHUNK):
        _fetch(begin + _AHEAD, min(begin + _AHEAD + _CHUNK, high), postings)
        _compare(low, begin, min(begin + _CHUNK, high), postings, box, n_boxes, fits)
    # Without a branch: a wrong guess takes longer than a word.
    for w in range(n_words):
        some[_U(m)] = w
        m += words[w] != 0
    return m


@njit_no_nrt
def _read_boxes(cells, postings, box, n_boxes, room, rows):  # type: ignore[no-untyped-def]
    """Write the rows of the postings that lie in a box; return their number."""
    (words, _, some), low, item_row, n = room, _U(cells[0]), postings.item_row, 0
    for s in range(_U(in_boxes(cells, postings, box, n_boxes, room))):
        at = _U(some[s])
        word = words[at]
        while word != 0:
            rows[_U(n)] = item_row[low + at * _U(8) + (lowest_bit(word) >> _U(3))]
            word &= word - _U(1)
            n += 1
    return n


@njit_no_nrt
def _read_counted(a, cells, postings, tables, rows):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, levels = tables.day_class[tables.smooth.day_offset[a] :], _U(tables.counted.levels)
    right, n = tables.counted.right[a], 0
    for k in range(_U(cells[0]), _U(cells[1])):
        rows[_U(n)] = item_row[k]
        n += counted_fits(item_level[k], item_day[k], days, levels, right)
    return n


@njit_no_nrt
def _read_classes(a, cells, postings, tables, rows):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    days, choice, n = tables.day_class[tables.smooth.day_offset[a] :], tables.choice[a], 0
    for k in range(_U(cells[0]), _U(cells[1])):
        rows[_U(n)] = item_row[k]
        n += class_fits(item_level[k], item_day[k], days, choice)
    return n


@njit_no_nrt
def _read_smooth(a, cells, postings, tables, least, rows):  # type: ignore[no-untyped-def]
    item_row, item_level, item_day = postings.item_row, postings.item_level, postings.item_day
    smooth, n = tables.smooth, 0
    add, mul, days = smooth.add[a], smooth.mul[a], smooth.day_table[smooth.day_offset[a] :]
    for k in range(_U(cells[0]), _U(cells[1])):
        rows[_U(n)] = item_row[k]
        n += smooth_fits(item_level[k], item_day[k], days, add, mul, least)
    return n


@njit_no_nrt
def read_list(cells, postings, rows):  # type: ignore[no-untyped-def]
    """Write the rows of all postings [cells[0], cells[1]); return their number."""
    item_row, low = postings.item_row, _U(cells[0])
    for k in range(low, _U(cells[1])):
        rows[k - low] = item_row[k]
    return cells[1] - cells[0]


@njit_no_nrt
def read_fitting(a, cells, kind, postings, tables, least, room, rows):  # type: ignore[no-untyped-def]
    """Write the rows of an item's postings that fit fact a, ascending; return their number.

    Parameters
    ----------
    least : (float, float)
        See `sim.attack.kernels.possible_records.bound_of`.
    room : tuple
        `ends_of_runs` and `room_to_read`.
    """
    run_end, (box, words) = room
    if kind == ALL:
        return read_list(cells, postings, rows)
    if tables.counted.number.size > 0:
        if cells[1] - cells[0] >= _LONG:
            right, offset = tables.counted.right[a], tables.smooth.day_offset[a]
            n_boxes = find_boxes(right, offset, tables, run_end, box)
            if n_boxes >= 0:
                return _read_boxes(cells, postings, box, n_boxes, words, rows)
        return _read_counted(a, cells, postings, tables, rows)
    if tables.choice.shape[0] > 0:
        return _read_classes(a, cells, postings, tables, rows)
    return _read_smooth(a, cells, postings, tables, least, rows)
