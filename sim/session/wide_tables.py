"""What to say of a wide table: a row for each person, and a column for each item."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sim.numeric.text import quantity
from sim.release.readers.peek import ColumnPeek

_COLUMNS = 5
"""So many columns on one scale, and most of all columns, make a table wide."""

_LEVELS = 12
"""Levels of a scale that is shared, at most."""

_NAMED = 3


def wide_columns(columns: Sequence[ColumnPeek]) -> list[str]:
    """Return the columns that share one scale, as the items of a wide table do; else none.

    Examples
    --------
    >>> museums = [ColumnPeek(name, (), cells=("1", "5", "3")) for name in "abcde"]
    >>> wide_columns([ColumnPeek("who", (), cells=("x", "y", "z")), *museums])
    ['a', 'b', 'c', 'd', 'e']
    >>> wide_columns(museums[:4])
    []
    """
    held = Counter(cell for column in columns for cell in set(column.cells))
    shared = {cell for cell, n in held.items() if n >= _COLUMNS}
    alike = [one.name for one in columns if one.cells and shared.issuperset(one.cells)]
    is_wide = len(shared) <= _LEVELS and len(alike) >= _COLUMNS and 2 * len(alike) > len(columns)
    return alike if is_wide else []


def of_wide_tables(columns: Sequence[ColumnPeek]) -> list[str]:
    """Say that a table seems to be wide, and how it is brought into rows; empty if it does not."""
    wide = wide_columns(columns)
    if not wide:
        return []
    named = f"{', '.join(wide[:_NAMED])} and {quantity(len(wide) - _NAMED, 'other')}"
    return [
        f"{len(wide)} columns have cells of one scale ({named}): if each of them is an "
        "item, such as a place or a question, the table is wide, and a row for each person and "
        "item is needed first: Unpivot Columns in the Power Query of a spreadsheet, or melt of "
        "pandas, makes it. Leave out the rows without a value then, or every "
        "blank counts as an entry"
    ]
