"""Numbers as text: for reports, terminals and the summaries of measurements.

Invariant: only zero prints as 0.0%, and only one as 100.0%.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pandas as pd

TINY = 0.0005
"""A share, or its complement, that would round to zero at one decimal place."""


def format_number(value: Any) -> str:
    """Format a number; a dash for null.

    Examples
    --------
    >>> format_number(480189), format_number(2.25), format_number(0.0042), format_number(None)
    ('480,189', '2.25', '0.0042', '–')
    """
    if value is None or pd.isna(value):
        return "–"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.2g}" if 0 < abs(value) < 0.01 else f"{value:,.2f}"


def quantity(count: int, noun: str, plural: str = "") -> str:
    """Format a count with its noun.

    Parameters
    ----------
    plural : str
        The noun in the plural, if an "s" does not make it.

    Examples
    --------
    >>> quantity(1, "item"), quantity(1200, "item"), quantity(0, "batch", "batches")
    ('1 item', '1,200 items', '0 batches')
    """
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def format_duration(seconds: float) -> str:
    """Format a duration in its largest unit.

    Examples
    --------
    >>> format_duration(0.3), format_duration(72), format_duration(5000), format_duration(200_000)
    ('0.3 s', '1.2 min', '1.4 hours', '2.3 days')
    """
    for unit, length in (("days", 86_400), ("hours", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def grid_cells(some: int, whole: int) -> str:
    """Format a number of the cells of a grid; follows "in".

    Examples
    --------
    >>> grid_cells(2, 6), grid_cells(6, 6), grid_cells(2, 2), grid_cells(1, 1)
    ('2 of 6 grid cells', 'all 6 grid cells', 'both grid cells', 'the one grid cell')
    """
    if whole == 1:
        return "the one grid cell"
    if some == whole == 2:
        return "both grid cells"
    return f"{'all' if some == whole else f'{some:,} of'} {whole:,} grid cells"


_NEARLY_ALL = 1 - 1e-6
"""No more nines are written."""


def format_percent(value: Any, digits: int = 0) -> str:
    """Format a share as a percentage; a dash for null.

    Parameters
    ----------
    digits : int
        Significant digits. 0: one decimal place, or two significant digits for a tiny share or a
        tiny complement.

    Examples
    --------
    >>> format_percent(0.683), format_percent(0.0112, digits=4), format_percent(2.1e-6)
    ('68.3%', '1.12%', '0.00021%')
    >>> format_percent(1.0), format_percent(1 - 2.1e-6), format_percent(1 - 1e-12)
    ('100.0%', '99.99979%', 'over 99.9999%')
    """
    if value is None or pd.isna(value):
        return "–"
    if digits:
        text = f"{100 * value:.{digits}g}"
    elif 0 < value <= TINY:
        text = f"{100 * value:.2g}"
    elif _NEARLY_ALL < value < 1:
        text = f"over {100 * _NEARLY_ALL:g}"
    elif 1 - TINY <= value < 1:
        # Decimal: the difference of floats would show more digits than it has.
        text = f"{100 - Decimal(f'{100 * (1 - value):.2g}'):f}"
    else:
        text = f"{100 * value:.1f}"
    return f"{text}%"


def percents(value: float, low: float, high: float) -> tuple[str, str, str]:
    """Format a share and the ends of its interval, without percent signs.

    Returns
    -------
    tuple of str
        As `format_percent`; but an end may be rounded outwards, to 0.0 or to 100.0, unless the
        share itself is as close.

    Examples
    --------
    >>> percents(0.001, 0.00018, 0.0056), percents(0.0002, 0.00018, 0.00023)
    (('0.1', '0.0', '0.6'), ('0.02', '0.018', '0.023'))
    >>> percents(0.0, 0.0, 8e-6), percents(0.999, 0.994, 0.99982)
    (('0.0', '0.0', '0.0008'), ('99.9', '99.4', '100.0'))
    """
    exact_low = value <= TINY or low >= 1 - TINY
    exact_high = value >= 1 - TINY or high <= TINY
    ends = ((low, exact_low), (high, exact_high))
    texts = [format_percent(end)[:-1] if exact else f"{100 * end:.1f}" for end, exact in ends]
    return format_percent(value)[:-1], texts[0], texts[1]


def format_estimate(row: Mapping[Any, Any], name: str, *, share: bool) -> str:
    """Format a measure with its interval, if it has one.

    Parameters
    ----------
    row : Mapping
        With ``name`` and, for an estimate, ``name_low`` and ``name_high``.
    share : bool
        Whether the measure is a share, and so printed in percent.

    Examples
    --------
    >>> format_estimate({"bits": 2.5, "bits_low": 2.0, "bits_high": 3.0}, "bits", share=False)
    '2.50 [2–3]'
    >>> format_estimate({"x": 0.5, "x_low": 0.4, "x_high": 0.6}, "x", share=True)
    '50.0% [40.0%–60.0%]'
    """
    ends: tuple[Any, Any] = row.get(f"{name}_low"), row.get(f"{name}_high")
    value, (low, high) = row[name], ends
    put = format_percent if share else format_number
    if any(end is None or pd.isna(end) for end in (value, low, high)):
        return put(value)
    if share:
        text, *limits = (f"{text}%" for text in percents(value, low, high))
    else:
        text, *limits = (put(number) for number in (value, low, high))
    return f"{text} [{'–'.join(limits)}]"


def with_interval(row: Mapping[Any, Any], name: str) -> str:
    """Format a share with its interval for a sentence.

    Examples
    --------
    >>> with_interval({"x": 0.5, "x_low": 0.4, "x_high": 0.6}, "x")
    '50.0% [95% interval 40.0%–60.0%]'
    """
    return format_estimate(row, name, share=True).replace("[", "[95% interval ")
