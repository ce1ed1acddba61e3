"""Counts the numbers that a float of 64 bits does not tell from their neighbours."""

from __future__ import annotations

import contextlib
from decimal import Decimal, InvalidOperation
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

SURE = 15
"""Numbers of as many digits are always told apart."""


def count_rounded(texts: Any, decimal: str = ".") -> int:
    """Count the numbers of which a float holds another than is written.

    Parameters
    ----------
    texts : pyarrow string array, shape (n,)
        Numbers as they are written; what is none, or null, does not count.
    decimal : {".", ","}
        The decimal point.

    Examples
    --------
    >>> count_rounded(pa.array(["3", "3.00000000000000000001", "0.30000000000000004", None]))
    1
    """
    long = texts.filter(pc.greater(pc.utf8_length(texts), SURE))
    if decimal == ".":
        with contextlib.suppress(pa.ArrowInvalid):  # most were written as Arrow would
            long = long.filter(pc.not_equal(long, long.cast(pa.float64()).cast(pa.string())))
    counts = long.value_counts()
    cells, times = counts.field("values").to_pylist(), counts.field("counts").to_pylist()
    return sum(n for cell, n in zip(cells, times, strict=True) if is_rounded(cell, decimal))


def is_rounded(cell: str, decimal: str = ".") -> bool:
    """Whether a float holds another number than is written.

    It holds those that it becomes when it is rounded to as many digits again, so that no two that
    are written with as many digits are the same float.

    Examples
    --------
    >>> is_rounded("0.1"), is_rounded("0.10000000000000001"), is_rounded("0.10000000000000000001")
    (False, False, True)
    >>> is_rounded(str(2**60)), is_rounded(str(2**60 + 1)), is_rounded("-1,5", ",")
    (False, True, False)
    """
    text = cell.strip(" \t")
    if len(text) <= SURE:
        return False
    if decimal == ",":
        text = text.replace(",", ".")
    try:
        number, held = Decimal(text), float(text)
    except (InvalidOperation, ValueError):
        return False
    if repr(held) == text or not number.is_finite():
        return False
    digits = len("".join(map(str, number.as_tuple().digits)).rstrip("0"))
    return digits > SURE and number != Decimal(f"{held:.{digits - 1}e}")
