"""Tables as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from sim.report.table import Table

WIDTH = 100
_BAR = 6
"""Characters of a full bar."""

_NARROWEST = 24
"""Columns that the widest texts keep, however wide the others are."""

_FEW = 6
"""Rows that are shown as columns where they are too wide."""


def aligned(rows: Sequence[Sequence[str]], left: int | Sequence[int] = 0) -> list[str]:
    """Return a line for each row, its columns two blanks apart.

    Parameters
    ----------
    rows : sequence of sequence of str
        Equally long, the head included.
    left : int or sequence of int
        The columns aligned to the left, or how many: the first ones; the others to the right.

    Examples
    --------
    >>> aligned([["name", "n"], ["a", "10"]], left=1)
    ['name   n', 'a     10']
    """
    to_left = range(left) if isinstance(left, int) else left
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place in to_left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def table_lines(
    table: Table, *, bars: bool = False, width: int = WIDTH
) -> tuple[list[str], list[list[str]]]:
    """Return the lines of the head of a table, and those of each row.

    A table that is too wide loses its bars, then its widest texts take several lines; if that is
    not enough, its few rows become columns, or its last columns are left out, and named.

    Parameters
    ----------
    bars : bool
        Whether shares have bars.

    Examples
    --------
    >>> table_lines(Table(["of", "n"], [["values", "5"], ["dates", "12"]]))
    (['of       n'], [['values   5'], ['dates   12']])
    """
    heads = [head.split("\n") for head in table.heads]
    deepest = max(map(len, heads))  # heads of several lines stand on the rows
    top = [list(line) for line in zip(*([""] * (deepest - len(h)) + h for h in heads), strict=True)]
    left = [place for place, numeric in enumerate(table.numeric) if not numeric]
    if bars and table.shares:
        at = table.bars_at
        shown = [None if share is None else _bar(share) for share in table.shares]
        wide = [_with(row, at, "") for row in top]
        wide += [_with(row, at, bar or "") for row, bar in zip(table.rows, shown, strict=True)]
        lines = aligned(wide, [at, *(place + (place >= at) for place in left)])
        if _widest(lines) <= width:
            return lines[:deepest], [[line] for line in lines[deepest:]]
    lines = aligned([*top, *table.rows], left)
    if _widest(lines) > width and left:
        return _narrowed(table, top, left, width)
    return lines[:deepest], [[line] for line in lines[deepest:]]


def _narrowed(
    table: Table, top: list[list[str]], left: list[int], width: int
) -> tuple[list[str], list[list[str]]]:
    every = [*top, *table.rows]
    sizes = [max(map(len, column)) for column in zip(*every, strict=True)]
    at = max(left, key=lambda place: sizes[place])
    room = width - (sum(sizes) + 2 * (len(sizes) - 1) - sizes[at])
    if room >= min(_NARROWEST, sizes[at]):
        broken = [_broken(row, at, room) for row in every]
        lines = aligned([line for row in broken for line in row], left)
        rows = [[lines.pop(0) for _ in row] for row in broken]
        return [line for row in rows[: len(top)] for line in row], rows[len(top) :]
    if len(table.rows) <= _FEW and sizes[0] < width // 2:
        names = [" ".join(head.split("\n")) for head in table.heads]
        columns = [list(column) for column in zip(names, *table.rows, strict=True)]
        if _widest(aligned(columns, 1)) <= width:
            first, *others = aligned(columns, 1)
            return [first], [[line] for line in others]
    kept = max(n for n in range(1, len(sizes)) if sum(sizes[:n]) + 2 * (n - 1) <= width or n == 1)
    lines = aligned([row[:kept] for row in every], left)
    named = f"not shown: {', '.join(' '.join(h.split()) for h in table.heads[kept:])}"
    rows = [[line] for line in lines[len(top) :]]
    rows[-1:] = [[*rows[-1], *wrap(named, width)]]
    return lines[: len(top)], rows


def _broken(row: Sequence[str], at: int, room: int) -> list[list[str]]:
    """Return a row whose text in a column takes several lines."""
    first, *others = wrap(row[at], room, subsequent_indent="  ") or [""]
    blank = [""] * len(row)
    return [
        [*row[:at], first, *row[at + 1 :]],
        *([*blank[:at], line, *blank[at + 1 :]] for line in others),
    ]


def _with(row: Sequence[str], place: int, text: str) -> list[str]:
    return [*row[:place], text, *row[place:]]


def _widest(lines: Sequence[str]) -> int:
    return max(map(len, lines))


def _bar(share: float) -> str:
    full = round(min(max(share, 0.0), 1.0) * _BAR)
    return "█" * full + "░" * (_BAR - full)
