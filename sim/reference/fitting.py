"""The fewest records that fit a fact, or two, that may be drawn about a record (spec §2, §8).

Invariant: brute force over every cell, every error that a fact may have and every other cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

Cell = tuple[int, int, float | None, int | None]
"""Record, item, value, day; None: it has none."""


class Errors(NamedTuple):
    """The errors of a fact: of a value by k + s·|value|, of a date by D; None: not known.

    `forgets`: a fact may lack the value that its cell has. `blanks`: a released cell may lack a
    part that the fact has.
    """

    value: float | None
    days: int | None
    share: float = 0.0
    forgets: bool = False
    blanks: bool = False


_FREE = "free"
"""A part that is not asked for."""

_Part = float | int | str | None
_Fact = tuple[int, _Part, _Part]


def fewest_fitting(
    cells: Sequence[Cell], scale: Sequence[float], known: Errors, part: str
) -> dict[int, int]:
    """Return for each record the fewest records that fit a single right fact about it.

    Parameters
    ----------
    scale : sequence of float
        The values that a fact may have.
    part : {"item", "value", "date"}
        What the fact consists of, as far as the adversary knows it: an item, an item with its
        value, or an item with its value and its date.

    Examples
    --------
    >>> cells = [(0, 7, 3.0, 10), (1, 7, 3.0, 10), (2, 7, 5.0, 20)]
    >>> known = Errors(value=0, days=3)
    >>> fewest_fitting(cells, [3.0, 5.0], known, "item")
    {0: 3, 1: 3, 2: 3}
    >>> fewest_fitting(cells, [3.0, 5.0], known, "value")
    {0: 2, 1: 2, 2: 1}
    """
    found: dict[int, int] = {}
    for record, item, value, day in cells:
        for fact in _facts((item, value, day), scale, known, part):
            n = len({other[0] for other in cells if _fits(other[1:], fact, known)})
            found[record] = min(found.get(record, n), n)
    return found


def fewest_fitting_two(cells: Sequence[Cell], known: Errors) -> dict[int, int]:
    """Return for each record the fewest records that fit two facts about two of its items.

    The facts have no error, which is one of those that they may have.

    Examples
    --------
    >>> cells = [(r, i, None, None) for r, i in [(0, 1), (0, 2), (1, 1), (2, 2), (2, 1)]]
    >>> fewest_fitting_two(cells, Errors(None, None))
    {0: 2, 2: 2}
    """
    found: dict[int, int] = {}
    for record in dict.fromkeys(cell[0] for cell in cells):
        own = [cell[1:] for cell in cells if cell[0] == record]
        for first, second in combinations(own, 2):
            if first[0] == second[0]:
                continue
            fitting = [
                {other[0] for other in cells if _fits(other[1:], _exact(one, known), known)}
                for one in (first, second)
            ]
            n = len(fitting[0] & fitting[1])
            found[record] = min(found.get(record, n), n)
    return found


_Own = tuple[int, float | None, int | None]


def _exact(cell: _Own, known: Errors) -> _Fact:
    item, value, day = cell
    return (
        item,
        _FREE if known.value is None else value,
        _FREE if known.days is None else day,
    )


def _facts(cell: _Own, scale: Sequence[float], known: Errors, part: str) -> Iterator[_Fact]:
    item, value, day = cell
    values: list[_Part] = [value]
    if known.value is None or part == "item":
        values = [_FREE]
    elif value is not None:
        values = [one for one in scale if abs(one - value) <= _reach(known, value)]
    days: list[_Part] = [day]
    if known.days is None or part != "date":
        days = [_FREE]
    elif day is not None:
        days = list(range(day - known.days, day + known.days + 1))
    yield from ((item, one, other) for one in values for other in days)


def _fits(cell: _Own, fact: _Fact, known: Errors) -> bool:
    return (
        cell[0] == fact[0]
        and _part_fits(cell[1], fact[1], _reach(known, cell[1] or 0.0), known, known.forgets)
        and _part_fits(cell[2], fact[2], known.days or 0, known, False)
    )


def _part_fits(
    own: float | None, fact: _Part, reach: float, known: Errors, forgotten: bool
) -> bool:
    if isinstance(fact, str):
        return True
    if fact is None:
        return own is None or forgotten
    if own is None:
        return known.blanks
    return abs(own - fact) <= reach


def _reach(known: Errors, value: float) -> float:
    return ((known.value or 0) + known.share * abs(value)) * (1 + 1e-9)
