"""Numbers of the lists of a hypersparse store, in four bytes where eight are not needed.

Where records and items are many beside the cells, their identifiers and supports are a good part of
a store. What reads them gets 64 bits, as from any other store: only the file is smaller.
"""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

_INT32 = pa.int32()


def narrow(column: pa.Array) -> pa.Array:
    """Return a column of 64-bit integers in 32 bits if all of them fit, any other as it is.

    Examples
    --------
    >>> narrow(pa.array([-(2**31), 2**31 - 1])).type, narrow(pa.array([2**31])).type
    (DataType(int32), DataType(int64))
    >>> narrow(pa.array(["ann", "bob"])).type
    DataType(string)
    """
    if column.type != pa.int64() or not len(column):
        return column
    ends = pc.min_max(column)
    fits = ends["min"].as_py() >= -(2**31) and ends["max"].as_py() < 2**31
    return column.cast(_INT32) if fits else column


def wide(column: pa.Array) -> pa.Array:
    """Return the column that `narrow` was given.

    Examples
    --------
    >>> wide(narrow(pa.array([-1, 7]))).equals(pa.array([-1, 7]))
    True
    """
    return column.cast(pa.int64()) if column.type == _INT32 else column
