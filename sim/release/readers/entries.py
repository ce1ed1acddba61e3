"""Rows that hold several entries: as a list in a cell, or in several columns.

Invariant: each part of a list, and each cell of the columns that is not empty, is an entry with the
other cells of its row, in order; a row without any is one entry without an item.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.strict_parser import shown
from sim.release.readers.table_options import LISTS
from sim.release.shape.column_cells import ColumnCells

_SAMPLE = 1000
"""Cells by which the sign between the parts of lists is found."""

_BLANKS = " \t\r\n"


class Entries:
    """Makes entries of rows.

    Parameters
    ----------
    shape : {"lists", "columns"}
        What the columns of items hold: lists, or an item each.

    Attributes
    ----------
    choice : ColumnChoice
        With one column of items.

    Raises
    ------
    InputError
        Lists stand in several columns.
    """

    def __init__(self, choice: ColumnChoice, shape: str, label: str) -> None:
        self._items, self._shape, self._label = choice.chosen()["item"], shape, label
        if shape == LISTS and len(self._items) > 1:
            raise InputError(f"{label}: data.shape=lists: expected one column of items")
        self.choice = replace(choice, item=self._items[0])
        self._mark: str | None = None

    def of(self, found: Mapping[str, Any]) -> tuple[dict[str, Any], NDArray[np.int64]]:
        """Return the columns of the entries of some rows, and of each entry the row, from 0.

        Raises
        ------
        InputError
            The first cells are no lists, or one holds more than text and numbers.
        """
        columns = [_array(found[name]) for name in self._items]
        parts, row = self._parts(columns[0]) if self._shape == LISTS else _cells(columns)
        others = {name: _array(cells).take(row) for name, cells in found.items()}
        return {**others, self._items[0]: parts}, row.to_numpy()

    def _parts(self, cells: Any) -> tuple[Any, Any]:
        if self._mark is None and len(cells):
            first = ColumnCells(self._items[0], cells.slice(0, _SAMPLE).to_pylist())
            self._mark = first.list_mark
            if self._mark is None:
                raise InputError(
                    f"{self._label}: data.shape=lists: the first cells of {self._items[0]} are no "
                    "lists; leave it out"
                )
        mark = self._mark or ","
        try:
            found = [split(cell, mark) for cell in cells.to_pylist()]
        except ValueError as error:
            raise InputError(f"{self._label}: column {self._items[0]}: {error}") from None
        lists = pa.array(found, pa.list_(pa.string()))
        return pc.list_flatten(lists), pc.list_parent_indices(lists)


def split(cell: str, mark: str) -> list[str]:
    """Return the parts of a list; one empty part if there is none.

    Parameters
    ----------
    mark : str
        Stands between the parts.

    Raises
    ------
    ValueError
        A part is a list or an object.

    Examples
    --------
    >>> split("milk| bread", "|"), split("[1, 20]", ","), split('["a, b", "c"]', ",")
    (['milk', 'bread'], ['1', '20'], ['a, b', 'c'])
    >>> split("['a, b', 'c']", ","), split("{a,b}", ","), split("[]", ",")
    (['a, b', 'c'], ['a', 'b'], [''])
    """
    text = cell.strip()
    if text[:1] + text[-1:] in ("[]", "()", "{}", "<>"):
        try:
            given = json.loads(text, parse_int=str, parse_float=str)
        except (ValueError, RecursionError):
            given = None
        if isinstance(given, list):
            if any(isinstance(one, (list, dict)) for one in given):
                raise ValueError(
                    f"{shown(cell)} holds a list or an object; expected text or numbers in a list"
                )
            words = {True: "true", False: "false", None: ""}
            return _without_empty(one if isinstance(one, str) else words[one] for one in given)
        text = text[1:-1].strip()
    quote = text[:1] if text[:1] in ("'", '"') else None
    if quote:
        (parts,) = csv.reader([text], delimiter=mark, quotechar=quote, skipinitialspace=True)
        return _without_empty(parts)
    return _without_empty(text.split(mark))


def _without_empty(parts: Iterable[str]) -> list[str]:
    return [part for one in parts if (part := one.strip())] or [""]


def _cells(columns: list[Any]) -> tuple[Any, Any]:
    """Return the cells that are not empty, row by row, and their rows."""
    whole = pa.concat_arrays(columns)
    n, k = len(columns[0]), len(columns)
    place = np.arange(n * k).reshape(k, n).T  # of each row's cells, as the columns come
    given = pc.not_equal(pc.utf8_trim(whole, _BLANKS), "").to_numpy(zero_copy_only=False)[place]
    given[:, 0] |= ~given.any(axis=1)
    row = np.nonzero(given)[0]
    return whole.take(pa.array(place[given])), pa.array(row)


def _array(cells: Any) -> Any:
    return cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells
