"""The highest risk by a fact, or by two, that may be drawn about a record (spec §2, §4.1, §8).

Invariant: brute force over every cell, every error that a fact may have and every other cell.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from math import comb
from typing import NamedTuple

from reference.lost_cells import placements

Cell = tuple[int, int, float | None, int | None]
"""Record, item, value, day; None: it has none."""


class Errors(NamedTuple):
    """The errors of a fact: of a value by k + s·|value|, of a date by D; None: not known.

    `missing`: the probability that a fact lacks the value that its cell has. `blanks`: a released
    cell may lack a part that the fact has. `by_item`: facts are of items drawn, and one cell of
    each; not of cells.
    """

    value: float | None
    days: int | None
    share: float = 0.0
    missing: float = 0.0
    blanks: bool = False
    by_item: bool = False


_FREE = "free"
"""A part that is not asked for."""

_Part = float | int | str | None
_Fact = tuple[int, _Part, _Part]


def single_fact_risk(
    cells: Sequence[Cell], scale: Sequence[float], known: Errors, part: str
) -> dict[int, float]:
    """Return for each record its highest posterior probability given a single right fact about it.

    Parameters
    ----------
    scale : sequence of float
        The values that a fact may have.
    part : {"item", "value", "date"}
        What the fact consists of, as far as the adversary knows it: an item, an item with its
        value, or an item with its value and its date.

    Examples
    --------
    The longer record is half as likely to be asked about its item.

    >>> cells = [(0, 7, 3.0, 10), (1, 7, 3.0, 10), (1, 8, 3.0, 10), (2, 7, 5.0, 20)]
    >>> known = Errors(value=0, days=3)
    >>> single_fact_risk(cells, [3.0, 5.0], known, "item")
    {0: 0.4, 1: 1.0, 2: 0.4}
    >>> round(single_fact_risk(cells, [3.0, 5.0], known, "value")[0], 6)
    0.666667
    """
    found: dict[int, float] = {}
    for record, item, value, day in cells:
        for fact in _facts((item, value, day), scale, known, part):
            posterior = _posterior(_chances(cells, scale, known, [fact]), record)
            found[record] = max(found.get(record, 0.0), posterior)
    return found


def two_fact_risk(
    cells: Sequence[Cell], scale: Sequence[float], known: Errors, *, same_item: bool = False
) -> dict[int, float]:
    """Return for each record its highest posterior probability given facts about two of its cells.

    The facts have no error, which is one of those that they may have.

    Parameters
    ----------
    same_item : bool
        Whether the cells may be of one item.

    Examples
    --------
    >>> cells = [(r, i, None, None) for r, i in [(0, 1), (0, 2), (1, 1), (2, 2), (2, 1)]]
    >>> two_fact_risk(cells, [], Errors(None, None))
    {0: 0.5, 2: 0.5}
    """
    found: dict[int, float] = {}
    for record in dict.fromkeys(cell[0] for cell in cells):
        own = [cell[1:] for cell in cells if cell[0] == record]
        for first, second in combinations(own, 2):
            if first[0] != second[0] or same_item:
                both = [_exact(first, known), _exact(second, known)]
                posterior = _posterior(_chances(cells, scale, known, both), record)
                found[record] = max(found.get(record, 0.0), posterior)
    return found


def risk_with_lost_cells(
    cells: Sequence[Cell],
    scale: Sequence[float],
    known: Errors,
    before: Mapping[int, int],
    facts: tuple[int, int],
) -> dict[int, float]:
    """Return for each record its highest posterior given facts, some about cells that it has lost.

    It is of records of which facts may be drawn, and of others 0. A fact has no error but where it
    is the only one about a released cell, and all that is known of a lost cell is that it was lost.

    Parameters
    ----------
    before : dict of int to int
        Cells of each record before items were dropped.
    facts : (int, int)
        Facts about released cells, and about lost ones; known is as many of all.

    Examples
    --------
    Of three people with two cells, one has lost one.

    >>> cells = [(who, item, None, None) for who, item in [(0, 1), (0, 2), (1, 1), (1, 2), (2, 1)]]
    >>> known, before = Errors(None, None), {0: 2, 1: 2, 2: 2}
    >>> risk_with_lost_cells(cells, [], known, before, (0, 1))
    {0: 0.0, 1: 0.0, 2: 1.0}
    """
    visible, hidden = facts
    of_record = {who: [one[1:] for one in cells if one[0] == who] for who in before}
    lengths = [(len(own), before[who] - len(own)) for who, own in of_record.items()]
    placed = {
        who: placements(lengths, len(own), facts, visible + hidden)
        for who, own in of_record.items()
    }
    found = dict.fromkeys(before, 0.0)
    for who, own in of_record.items():
        if before[who] < visible + hidden or before[who] - len(own) < hidden:
            continue
        for which in combinations(own, visible):
            each = [list(_facts(cell, scale, known, "date")) for cell in which]
            if visible > 1:
                each = [[_exact(cell, known)] for cell in which]
            for drawn in product(*each):
                ways = {r: _ways(of_record[r], drawn, scale, known) * placed[r] for r in before}
                found[who] = max(found[who], _posterior(ways, who))
    return found


_Own = tuple[int, float | None, int | None]


def _posterior(chances: dict[int, float], record: int) -> float:
    return chances[record] / sum(chances.values())


def _ways(
    every: Sequence[_Own], facts: Sequence[_Fact], scale: Sequence[float], known: Errors
) -> float:
    """How likely facts are, summed over the cells of a record that each may be about."""
    ways = 0.0
    for which in permutations(every, len(facts)):
        way = 1.0
        for cell, fact in zip(which, facts, strict=True):
            times = sum(other[0] == cell[0] for other in every) if known.by_item else 1
            way *= _chance(cell, fact, scale, known) / times if cell[0] == fact[0] else 0.0
        ways += way
    return ways


def _chances(
    cells: Sequence[Cell], scale: Sequence[float], known: Errors, facts: Sequence[_Fact]
) -> dict[int, float]:
    """How likely these facts, of different items, are to be drawn about each record."""
    of_record = defaultdict[int, list[_Own]](list)
    for record, item, value, day in cells:
        of_record[record].append((item, value, day))
    found = {}
    for record, every in of_record.items():
        items = len({cell[0] for cell in every})
        choices = comb(items if known.by_item else len(every), len(facts))
        found[record] = _ways(every, facts, scale, known) / max(1, choices)
    return found


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


def _chance(cell: _Own, fact: _Fact, scale: Sequence[float], known: Errors) -> float:
    """How likely a fact is if it is about this cell; dates within the error are alike."""
    return _of_value(cell[1], fact[1], scale, known) * _fits_day(cell[2], fact[2], known)


def _of_value(own: float | None, fact: _Part, scale: Sequence[float], known: Errors) -> float:
    if isinstance(fact, str):
        return 1.0
    if own is None:
        return 1.0 if fact is None else known.blanks / len(scale)
    if fact is None:
        return known.missing
    near = [one for one in scale if abs(one - own) <= _reach(known, own)]
    return (1 - known.missing) * (fact in near) / len(near)


def _fits_day(own: int | None, fact: _Part, known: Errors) -> bool:
    if isinstance(fact, str):
        return True
    if own is None or fact is None:
        return own is None and (fact is None or known.blanks)
    return abs(own - fact) <= (known.days or 0)


def _reach(known: Errors, value: float) -> float:
    return ((known.value or 0) + known.share * abs(value)) * (1 + 1e-9)
