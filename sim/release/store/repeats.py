"""What becomes of rows that have the same record and item.

A person may visit a place, or buy a product, more than once (spec §8). A release keeps each such
row as a cell of its own, or makes one cell of them by a rule.
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.numeric.compiled import njit
from sim.numeric.text import expected_among


class Repeats(enum.StrEnum):
    """Which cells the rows of one record and one item become."""

    ALL = "all"
    """Every row a cell; rows that agree in value and time as well are one."""
    COUNT = "count"
    """One cell, whose value is the number of rows, at the latest time."""
    SUM = "sum"
    """One cell, whose value is the sum of the values, at the latest time."""
    LATEST = "latest"
    """The latest row; that of the greatest value where times tie or are missing."""
    FIRST = "first"
    """The earliest row; that of the least value where times tie or are missing."""
    CELLS = "cells"
    """Every row a cell, also where rows agree in everything, as those of a release may."""

    @property
    def adds_up(self) -> bool:
        """Whether values are made of several rows."""
        return self in (Repeats.COUNT, Repeats.SUM)

    @property
    def keeps_all(self) -> bool:
        """Whether a record may hold an item in several cells."""
        return self in (Repeats.ALL, Repeats.CELLS)


def parse_repeats(given: str, key: str = "data.repeats") -> Repeats:
    """Read the setting of a configuration.

    Raises
    ------
    ConfigError
        It is no rule.

    Examples
    --------
    >>> parse_repeats("count") is Repeats.COUNT
    True
    """
    rules = [str(rule) for rule in Repeats]
    if given not in rules:
        raise ConfigError(f"{key}: {given!r}: {expected_among(given, rules)}")
    return Repeats(given)


@njit
def take_one(order, rows, first, none, out):  # type: ignore[no-untyped-def]
    """Put rows in order, of those with equal row and item only the latest, or the earliest.

    Of equal times the greatest level is taken, or the least, so that the order of rows does not
    matter. A row with a time is taken before one without, then one with a value.

    Parameters
    ----------
    order : integer array, shape (n,)
        Of `sim.release.store.sorting.sorted_rows`.
    rows : tuple of four integer arrays, shape (n,)
        Row, item, level, and when, 0 for no time.
    first : bool
        Take the earliest row; else the latest.
    none : int
        The level of no value.
    out : tuple of four integer arrays
        Written: where the cells of each row begin, with the end appended, shape (n_rows + 1,);
        item, level and when of the cells, shape (n,).

    Returns
    -------
    n : int
        The number of cells.

    Examples
    --------
    >>> rows = np.zeros(4, int), np.array([4, 4, 4, 5]), np.array([7, 8, 9, 9]), np.ones(4, int)
    >>> out = np.zeros(2, int), np.zeros(4, int), np.zeros(4, int), np.zeros(4, int)
    >>> take_one(np.arange(4), rows, False, 9, out), out[2][:2]
    (2, array([8, 9]))
    >>> take_one(np.arange(4), rows, True, 9, out), out[2][:2]
    (2, array([7, 9]))
    """
    row, item, level, when = rows
    start, out_item, out_level, out_when = out
    n, rows_done = 0, 0
    for i in order:
        while rows_done <= row[i]:
            start[rows_done] = n
            rows_done += 1
        if n > start[row[i]] and out_item[n - 1] == item[i]:
            held, late = out_level[n - 1], out_when[n - 1]
            if when[i] == late:
                if level[i] == none or (held != none and (held <= level[i]) == first):
                    continue
            elif first and when[i]:
                if 0 < late < when[i]:
                    continue
            elif when[i] < late:
                continue
            n -= 1
        out_item[n], out_level[n], out_when[n] = item[i], level[i], when[i]
        n += 1
    while rows_done < start.size:
        start[rows_done] = n
        rows_done += 1
    return n


@njit
def take_all(order, rows, drops_copies, out):  # type: ignore[no-untyped-def]
    """Put all rows in order, or all that are no copies of the row before.

    Parameters
    ----------
    order, rows, out : see `take_one`
    drops_copies : bool
        Whether to leave out a row that agrees with the one before in everything.

    Returns
    -------
    n : int
        The number of cells.

    Examples
    --------
    >>> rows = np.zeros(3, int), np.array([4, 4, 4]), np.array([7, 7, 9]), np.array([2, 2, 2])
    >>> out = np.zeros(2, int), np.zeros(3, int), np.zeros(3, int), np.zeros(3, int)
    >>> take_all(np.arange(3), rows, True, out), take_all(np.arange(3), rows, False, out)
    (2, 3)
    """
    row, item, level, when = rows
    start, out_item, out_level, out_when = out
    n, rows_done = 0, 0
    for i in order:
        while rows_done <= row[i]:
            start[rows_done] = n
            rows_done += 1
        if (
            drops_copies
            and n > start[row[i]]
            and out_item[n - 1] == item[i]
            and out_level[n - 1] == level[i]
            and out_when[n - 1] == when[i]
        ):
            continue
        out_item[n], out_level[n], out_when[n] = item[i], level[i], when[i]
        n += 1
    while rows_done < start.size:
        start[rows_done] = n
        rows_done += 1
    return n


@njit
def add_up(order, rows, amount, out):  # type: ignore[no-untyped-def]
    """Make one row of all that have equal row and item: their amounts added up, at the latest time.

    Parameters
    ----------
    order : integer array, shape (n,)
        Of `sim.release.store.sorting.sorted_rows`.
    rows : tuple of three integer arrays, shape (n,)
        Row, item, and when, 0 for no time.
    amount : float64 array, shape (n,)
        NaN for none: skipped, unless all of them are.
    out : tuple of four arrays, shape (n,)
        Written: row, item, when and amount.

    Returns
    -------
    n : int
        The number of rows left.

    Examples
    --------
    >>> rows = np.zeros(3, int), np.array([4, 4, 5]), np.array([2, 1, 1])
    >>> out = tuple(np.zeros(3, int) for _ in rows) + (np.zeros(3),)
    >>> add_up(np.arange(3), rows, np.array([1.5, np.nan, np.nan]), out), out[3][:2]
    (2, array([1.5, nan]))
    """
    row, item, when = rows
    out_row, out_item, out_when, out_amount = out
    n = 0
    for i in order:
        if n and out_row[n - 1] == row[i] and out_item[n - 1] == item[i]:
            out_when[n - 1] = max(out_when[n - 1], when[i])
            if np.isnan(out_amount[n - 1]):
                out_amount[n - 1] = amount[i]
            elif not np.isnan(amount[i]):
                out_amount[n - 1] += amount[i]
            continue
        out_row[n], out_item[n], out_when[n], out_amount[n] = row[i], item[i], when[i], amount[i]
        n += 1
    return n


def in_order_of_cells(
    day: NDArray[Any], level: NDArray[Any], when: NDArray[Any]
) -> NDArray[np.int64]:
    """Order of rows by day, then level, then time: that of the cells of one record and item.

    So the same cells are in the same order whatever the times of day that are not kept.

    Examples
    --------
    >>> day, level, when = np.array([1, 0, 1]), np.array([5, 5, 3]), np.array([8, 2, 9])
    >>> in_order_of_cells(day, level, when).tolist()
    [1, 2, 0]
    """
    return np.lexsort((when, level, day))
