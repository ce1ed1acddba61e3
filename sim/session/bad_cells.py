"""Cells among the first rows of a table that stand for none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from sim.release.readers.date_formats import formats_of
from sim.release.shape.column_cells import ColumnCells
from sim.release.store.placeholders import WORDS as NONE_WORDS


def cells_of_none(columns: Mapping[str, ColumnCells], found: Mapping[str, Any]) -> list[str]:
    """Return cells of the first rows that stand for none, of the columns that have a role.

    These are words such as unknown and, among dates, what is written alike and is no date.

    Examples
    --------
    >>> days = (*("05.03.2021", "17.04.2021") * 40, *("-", "00.00.0000") * 2, "soon")
    >>> cells = {"who": ("ann", "Unknown"), "day": days}
    >>> columns = {name: ColumnCells(name, of) for name, of in cells.items()}
    >>> cells_of_none(columns, {"user": "who", "date": "day"})
    ['Unknown', '-', '00.00.0000']
    """
    none: dict[str, None] = {}
    for role, names in found.items():
        for name in listed(names):
            counts = Counter(columns[str(name)].present if str(name) in columns else ())
            odd = {cell for cell in counts if cell.lower() in NONE_WORDS}
            if role == "date" and isinstance(names, str):
                kinds = {cell for cell in _no_dates([*counts]) if counts[cell] > 1}
                odd |= kinds if len(kinds) <= _FEW_KINDS else set()
            none |= dict.fromkeys(cell for cell in counts if cell in odd)
    return [*none]


def _no_dates(cells: Sequence[str]) -> list[str]:
    """Return the cells that are not written as the first date among them."""
    forms = next((some for cell in cells if (some := formats_of(cell))), [])
    return [cell for cell in cells if forms and not any(form.fits(cell) for form in forms)]


_FEW_KINDS = 3
"""Cells that stand for no date are written in few ways."""


def listed(names: Any) -> Sequence[str]:
    """Return the names of the columns of a role, which may have one or several."""
    return [names] if isinstance(names, str) else names
