"""Converts the cells of parquet columns, by the type of the column.

Invariant: a cell is returned exactly as written, or `CellError` names the first that cannot be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.release.readers.date_reader import DateReader
from sim.release.readers.date_units import END_SECOND, FIRST_SECOND
from sim.release.readers.rounding import SURE, count_rounded
from sim.release.readers.strict_parser import number_or_missing
from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY

_LEAST, _MOST = -(2**63), 2**63 - 1
_STRUCT = (
    "; .struct.explode() of pandas makes a column of each of its parts, if it was read with the "
    "dtype_backend 'pyarrow'"
)
_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}


class CellError(Exception):
    """What is wrong with a cell, and its place in its column."""

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(problem)
        self.row = row


class ColumnError(CellError):
    """What is wrong with a whole column, or not known of it, as one of its cells shows."""


def readable(
    read: Callable[[int, int], NDArray[Any]], begin: int, end: int
) -> tuple[list[NDArray[Any]], list[CellError]]:
    """Return the cells of a column that can be read, and an error for each of the others.

    Parts that hold an error are halved, down to single cells, so that what is known of the column
    after some cells is what reading them one by one finds out.

    Parameters
    ----------
    read : callable
        Reads the cells from one place to before another; raises CellError with a place among these.
    begin, end : int
        From which place on, and before which.

    Returns
    -------
    list of arrays, list of CellError
        Joined, the arrays are the cells in order; the places of the errors count from 0.

    Raises
    ------
    ColumnError
        The column cannot be read.

    Examples
    --------
    >>> cells = pa.array([1.5, np.inf, 3.0])
    >>> parts, errors = readable(lambda begin, end: values(cells[begin:end]), 0, 3)
    >>> [part.tolist() for part in parts], [(error.row, str(error)) for error in errors]
    ([[1.5], [3.0]], [(1, 'inf is not finite; expected a finite number')])
    """
    try:
        return [read(begin, end)], []
    except ColumnError as error:
        raise ColumnError(begin + error.row, str(error)) from error
    except CellError as error:
        if end - begin == 1:
            return [], [CellError(begin, str(error))]
    middle = (begin + end) // 2
    (left, before), (right, after) = readable(read, begin, middle), readable(read, middle, end)
    return left + right, before + after


def ids(cells: Any) -> Any:
    """Return identifiers as text or whole numbers, with nulls where there is none.

    Parameters
    ----------
    cells : pyarrow array, shape (n,)
        Text, integers, decimals, or floats that are whole: pandas makes such of integers if one
        is missing.

    Raises
    ------
    CellError
        A float that may stand for several whole numbers, or for none; a decimal that is none.
    """
    if is_text(cells.type):
        return cells.cast(pa.string())
    if pa.types.is_decimal(cells.type):
        return _whole_decimals(cells)
    if not pa.types.is_floating(cells.type):
        return cells
    x = cells.cast(pa.float64()).to_numpy(zero_copy_only=False)
    missing = np.isnan(x)
    inexact = ~missing & ((x != np.floor(x)) | ~_is_exact(x, cells.type))
    if inexact.any():
        row = int(inexact.argmax())
        raise CellError(
            row,
            f"{x[row]:.15g} is not a whole number that a {cells.type} holds exactly; write "
            "identifiers as whole numbers or text",
        )
    return pa.array(np.where(missing, 0, x).astype(np.int64), mask=missing)


def _whole_decimals(cells: Any) -> Any:
    try:
        return cells.cast(pa.int64())
    except pa.ArrowInvalid:
        for row, cell in enumerate(cells.to_pylist()):
            if cell is not None and cell != int(cell):
                raise CellError(
                    row, f"{cell} is not a whole number; write identifiers as such, or as text"
                ) from None
            if cell is not None and not _LEAST <= cell <= _MOST:
                raise _out_of_range(row, int(cell)) from None
        raise


def _out_of_range(row: int, number: int) -> CellError:
    """Say that a whole number does not fit 64 bits with a sign."""
    way = f"large; expected at most {_MOST}" if number > 0 else f"small; expected at least {_LEAST}"
    return CellError(
        row, f"{number} is too {way}; write identifiers as text, such as by astype(str) of pandas"
    )


def whole_numbers(cells: Any) -> Any:
    """Return identifiers that are whole numbers as an int64 array; text is unchanged.

    Raises
    ------
    CellError
        A number too large.
    """
    if is_text(cells.type):
        return cells
    try:
        return cells.cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid as error:
        row = _first(pc.greater(cells, pa.scalar(_MOST, cells.type)))
        raise _out_of_range(row, cells[row].as_py()) from error


def values(cells: Any, decimal: str = ".", key: str = "") -> NDArray[np.float64]:
    """Return a column of values, NaN where there is none; text is read as a csv's would be.

    Parameters
    ----------
    decimal : {".", ","}
        The decimal point of numbers in text.
    key : str
        Its setting, for the message of an error.

    Raises
    ------
    CellError
        What is not a finite number.

    Examples
    --------
    >>> values(pa.array(["3,5", None, "NA", "3,5"]), ",").tolist()
    [3.5, nan, nan, 3.5]
    """
    if is_text(cells.type):
        return _numbers_in_text(cells, decimal, key)
    if pa.types.is_decimal(cells.type):  # whose cast by itself is not to the nearest float
        cells = cells.cast(pa.string())
    array: NDArray[np.float64] = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    endless = np.isinf(array)
    if endless.any():
        row = int(endless.argmax())
        raise CellError(row, f"{array[row]:g} is not finite; expected a finite number")
    return array


def rounded_values(cells: Any, decimal: str = ".") -> int:
    """Count the values of which `values` returns another number than is written.

    Examples
    --------
    >>> rounded_values(pa.array([2**60, 2**60 + 1])), rounded_values(pa.array([0.1]))
    (1, 0)
    """
    if is_text(cells.type):
        return count_rounded(cells, decimal)
    if pa.types.is_integer(cells.type):
        may_be = any(abs(end.as_py() or 0) > 2**53 for end in pc.min_max(cells).values())
    else:
        may_be = pa.types.is_decimal(cells.type) and cells.type.precision > SURE
    return count_rounded(cells.cast(pa.string())) if may_be else 0


def _numbers_in_text(cells: Any, decimal: str, key: str) -> NDArray[np.float64]:
    coded = cells.fill_null("").dictionary_encode()
    codes = coded.indices.to_numpy(zero_copy_only=False)
    texts = coded.dictionary.to_pylist()
    try:
        numbers = _one_by_one(texts, lambda text: number_or_missing(text, decimal, key), float)
    except CellError as error:
        first = int((codes == error.row).argmax())
        raise CellError(first, str(error)) from error
    found: NDArray[np.float64] = numbers[codes]
    return found


def dates_of(cells: Any, dates: DateReader) -> NDArray[np.int64]:
    """Return a column of dates as seconds since 1970, `NO_TIME` where there is none.

    Parameters
    ----------
    cells : pyarrow array, shape (n,)
        Dates, timestamps, numbers or text.
    dates : DateReader
        Reads what is not a date by type.

    Raises
    ------
    CellError
        What is not a date from 1900 to 2200, or is of another unit than dates before it; a
        ColumnError where it is not known yet how dates are written.
    """
    if pa.types.is_date(cells.type) or is_moment(cells.type):
        return _typed_dates(cells, dates)
    if is_text(cells.type):
        text = cells.cast(pa.string())
        read = dates.column(text)
        if read is None:
            read = _one_date_by_one(
                text.to_pylist(), lambda cell: NO_TIME if cell is None else dates.cell(cell), dates
            )
        return read
    x = cells.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    missing = np.isnan(x)
    inexact = ~missing & np.isfinite(x) & ~_is_exact(x, cells.type)
    if inexact.any() and cells.type != pa.float64():
        row = int(inexact.argmax())
        raise ColumnError(
            row,
            f"a {cells.type} cannot tell {x[row]:.15g} from its neighbours; write dates as whole "
            "numbers, dates or text",
        )
    out = np.full(x.size, NO_TIME)
    seconds = dates.values(x[~missing])
    if seconds is None:
        return _one_date_by_one(
            x.tolist(), lambda number: NO_TIME if np.isnan(number) else dates.value(number), dates
        )
    out[~missing] = seconds
    return out


def date_texts(cells: Any) -> Any:
    """Return a part of dates, such as the year, as text.

    Parameters
    ----------
    cells : pyarrow array, shape (n,)
        Text, whole numbers, dates or times of day.

    Raises
    ------
    CellError
        A number that is not whole.
    """
    if pa.types.is_time(cells.type):
        return cells.cast(pa.time64("us")).cast(pa.string())
    return (ids(cells) if is_number(cells.type) else cells).cast(pa.string())


def _typed_dates(cells: Any, dates: DateReader) -> NDArray[np.int64]:
    try:
        dates.typed("dates" if pa.types.is_date(cells.type) else str(cells.type))
    except ValueError as error:
        raise ColumnError(0, str(error)) from error
    if pa.types.is_date(cells.type):
        ticks, per_second = cells.cast(pa.date32()).cast(pa.int32()), None
    else:
        ticks, per_second = cells.cast(pa.int64()), _TICKS[cells.type.unit]
    missing = cells.is_null().to_numpy(zero_copy_only=False)
    count: NDArray[np.int64] = ticks.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    seconds = count * SECONDS_PER_DAY if per_second is None else count // per_second
    wrong = ~missing & ((seconds < FIRST_SECOND) | (seconds >= END_SECOND))
    if wrong.any():
        row = int(wrong.argmax())
        raise CellError(
            row,
            f"{cells[row].cast(pa.string()).as_py()} is out of range; expected a date from "
            "1900 to 2200",
        )
    seconds[missing] = NO_TIME
    if per_second is not None:
        dates.fraction = dates.fraction or bool((count % per_second)[~missing].any())
    if is_moment(cells.type) and cells.type.tz is not None and not missing.all():
        dates.zones.add(cells.type.tz)
    return seconds


def _one_by_one(cells: list[Any], read: Any, kind: Any = np.int64) -> NDArray[Any]:
    out = np.empty(len(cells), kind)
    for row, cell in enumerate(cells):
        try:
            out[row] = read(cell)
        except ValueError as error:
            raise CellError(row, str(error)) from error
    return out


def _one_date_by_one(cells: list[Any], read: Any, dates: DateReader) -> NDArray[np.int64]:
    try:
        return _one_by_one(cells, read)
    except CellError as error:
        if dates.decided:
            raise
        raise ColumnError(error.row, str(error)) from error


def _is_exact(x: NDArray[np.float64], kind: Any) -> NDArray[np.bool_]:
    """Which numbers are so small that a float of this type tells them from all whole ones."""
    bits = {pa.float16(): 11, pa.float32(): 24}.get(kind, 53)
    return np.asarray(np.abs(x) < 2.0**bits)


def _first(mask: Any) -> int:
    return int(pc.index(mask, True).as_py())


def plain(kind: Any) -> Any:
    """Return the type of the cells themselves where they are coded by a dictionary."""
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def plain_cells(cells: Any) -> Any:
    """Return the cells themselves where they are coded by a dictionary."""
    return cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells


def is_text(kind: Any) -> bool:
    """Whether cells are text."""
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def is_whole(kind: Any) -> bool:
    """Whether cells can be identifiers that are numbers; a float or a decimal may be whole."""
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def is_number(kind: Any) -> bool:
    """Whether cells are numbers of any type, or all missing."""
    return bool(
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_null(kind)
    )


def is_moment(kind: Any) -> bool:
    """Whether cells are timestamps."""
    return bool(pa.types.is_timestamp(kind))


def is_time_of_day(kind: Any) -> bool:
    """Whether cells are times of day."""
    return bool(pa.types.is_time(kind))


def rounds(kind: Any) -> str:
    """Return how cells that are fractions are rounded; empty where they cannot be fractions."""
    if pa.types.is_floating(kind):
        return f"{kind}"
    return "double" if pa.types.is_decimal(kind) else ""


def to_ids(kind: Any) -> str:
    """Return how pandas makes identifiers of cells that are none, to follow an error.

    Examples
    --------
    >>> to_ids(pa.binary(16))
    '; .map(bytes.hex) of pandas writes them as text'
    """
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return "; .explode() of pandas makes a row of each of its entries"
    if pa.types.is_struct(kind):
        return _STRUCT
    if any(
        is_kind(kind)
        for is_kind in (
            pa.types.is_binary,
            pa.types.is_large_binary,
            pa.types.is_binary_view,
            pa.types.is_fixed_size_binary,
        )
    ):
        return "; .map(bytes.hex) of pandas writes them as text"
    return "; .astype(str) of pandas writes them as text" if "uuid" in str(kind) else ""


def parts_of(schema: Any) -> dict[str, str]:
    """Return for each part of a column of structs that the column has it, and how to read it.

    Examples
    --------
    >>> parts_of(pa.schema({"event": pa.struct({"track": pa.string()})}))["track"]
    "; 'event' is a struct that has 'track'; .struct.explode() of pandas makes a column of each of \
its parts, if it was read with the dtype_backend 'pyarrow'"
    """
    found = dict[str, str]()
    for column in schema:
        kind = plain(column.type)
        for part in kind if pa.types.is_struct(kind) else ():
            said = f"; {column.name!r} is a struct that has {part.name!r}{_STRUCT}"
            found |= {part.name: said, f"{column.name}.{part.name}": said}
    return found
