"""Says what to do about a date that is written otherwise than those before it, or than stated."""

from __future__ import annotations

from collections.abc import Sequence

from sim.release.readers.date_formats import DateFormat, as_override, formats_of
from sim.release.readers.mixed_formats import MixedFormats, mixed_with
from sim.release.readers.strict_parser import shown

_DIGITS = DateFormat("%Y%m%d")


def forms_of(cell: str) -> list[DateFormat]:
    """Return the common formats that a cell fits among dates of other formats.

    Alone, digits are a number, and read as such.

    Examples
    --------
    >>> [form.text for form in forms_of("20240321")]
    ['%Y%m%d']
    """
    return formats_of(cell) or ([_DIGITS] if _DIGITS.fits(cell) else [])


def instead(key: str, cell: str, form: DateFormat | MixedFormats) -> str:
    """Say what to do about a cell that is not in the format that was stated.

    Parameters
    ----------
    key : str
        The setting of the format.

    Examples
    --------
    >>> print(instead("data.date_format", "31/12/2009", DateFormat("%m/%d/%Y")))
    if all dates are like this one, set data.date_format=%d/%m/%Y, or leave data.date_format out
    >>> print(instead("date_format", "22.01.2023 06:02", DateFormat("%d.%m.%Y")).split("; ")[1])
    if many dates are like this one, set "date_format='%d.%m.%Y|%d.%m.%Y %H:%M'"
    """
    found = forms_of(cell)
    if not found:
        return "put it right, or leave it empty, which counts as no date"
    # Of day and month in both orders, the order that was stated.
    alike = [other for other in found if other.text.startswith(form.text)]
    mixed = of_several(key, form, cell, alike or found)
    if isinstance(form, MixedFormats):
        exchanged = form.with_other(cell, found[0])
        mixed = mixed or ("" if exchanged == form.text else as_override(key, exchanged))
        return f"if many dates are like this one, set {mixed}" if mixed else "put it right"
    ways = [as_override(key, other.text) for other in alike or found]
    left_out = f", or leave {key} out" if len(found) == 1 else ""
    some = f"; if many dates are like this one, set {mixed}" if mixed else ""
    return f"if all dates are like this one, set {' or '.join(ways)}{left_out}{some}"


def of_several(
    key: str, form: DateFormat | MixedFormats, cell: str, others: Sequence[DateFormat]
) -> str:
    """Return the settings that read a cell of another format too; empty if there are none.

    Parameters
    ----------
    others : sequence of DateFormat
        Those that the cell fits.
    """
    both = [mixed_with(form, cell, other) for other in others]
    return " or ".join(as_override(key, one) for one in both if one)


def not_iso(key: str, cell: str, first: str | None) -> str:
    """Say that a cell is no ISO date, and what to do if only some are.

    Parameters
    ----------
    first : str or None
        The first date, which was one; None where it was stated that all are.

    Examples
    --------
    >>> print(not_iso("data.date_format", "31/12/2009", "2009-12-31").partition("date was; ")[2])
    if many dates are like this one, set "data.date_format='%Y-%m-%d|%d/%m/%Y'"
    """
    what = (
        f"{shown(cell)} is not an ISO date; expected one such as 2005-09-06 or 2005-09-06T12:30:00Z"
    )
    if first is None:
        return what
    others = forms_of(cell)
    mixed = [of_several(key, form, cell, others) for form in formats_of(first)[:1]]
    several = f"; if many dates are like this one, set {mixed[0]}" if any(mixed) else ""
    return f"{what}, as the first date was{several}"
