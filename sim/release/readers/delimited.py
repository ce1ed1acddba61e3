"""Reads text without quotes fast, by pyarrow.

Invariant: the result is that of `strict_parser.read_strictly` for the same bytes. Where that is in
doubt, the result is None and the caller reads the block strictly.
"""

from __future__ import annotations

import codecs
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc_csv
from numpy.typing import NDArray

from sim.release.readers.strict_parser import Column


def read_fast(
    data: bytes,
    columns: Sequence[Column],
    fields: int,
    delimiter: str,
    void: Sequence[int] = (),
) -> list[Any] | None:
    r"""Return the columns of some rows as pyarrow arrays, or None where pyarrow gives up.

    Parameters
    ----------
    data : bytes
        Whole rows, without a header.
    fields : int
        How many cells a row has.
    delimiter : str
        One character.
    void : sequence of int
        Fields that must be empty: between the two colons of ``::``, read with delimiter ``:``.

    Returns
    -------
    list of pyarrow.Array, each shape (n,), or None
        In the order of `columns`.

    Examples
    --------
    >>> from sim.release.readers.strict_parser import number
    >>> read_fast(b"1::4.5\n", [Column("rating", 2, pa.float64(), number)], 3, ":", void=[1])
    [<pyarrow.lib.DoubleArray object at ...>
    [
      4.5
    ]]
    """
    if not data:
        return [pa.array([], column.arrow_type) for column in columns]
    names = [str(index) for index in range(fields)]
    types = {names[column.index]: column.arrow_type for column in columns}
    types |= {names[index]: pa.null() for index in void}
    if _has_bare_carriage_return(data) or _might_be_hexadecimal(data, types.values()):
        return None
    if data.startswith(codecs.BOM_UTF8):  # pyarrow would drop it anywhere in the file
        return None
    try:
        table = pc_csv.read_csv(
            pa.BufferReader(data),
            read_options=pc_csv.ReadOptions(column_names=names),
            parse_options=pc_csv.ParseOptions(delimiter=delimiter, quote_char=False),
            convert_options=pc_csv.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=[""],
            ),
        )
    except pa.ArrowInvalid:
        return None
    return [table.column(names[column.index]).combine_chunks() for column in columns]


def _has_bare_carriage_return(data: bytes) -> bool:
    """Whether pyarrow could end a row where there is no line feed."""
    if b"\r" not in data:
        return False
    text = np.frombuffer(data, np.uint8)
    returns = np.flatnonzero(text == ord("\r"))
    return bool(returns[-1] == text.size - 1 or (text[returns + 1] != ord("\n")).any())


def _might_be_hexadecimal(data: bytes, types: Collection[Any]) -> bool:
    """Whether pyarrow could take a cell such as 0x1F for a whole number."""
    return any(pa.types.is_integer(kind) for kind in types) and (b"x" in data or b"X" in data)


def full_column(cells: Any) -> NDArray[Any] | None:
    """Return a column of numbers as a NumPy array, or None where a cell is missing.

    Examples
    --------
    >>> full_column(pa.array([1, 2]))
    array([1, 2])
    >>> full_column(pa.array([1, None]))
    """
    if cells.null_count:
        return None
    array: NDArray[Any] = cells.to_numpy(zero_copy_only=False)
    return array
