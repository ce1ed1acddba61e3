"""Says what to do about a date that is written otherwise than those before it, or than stated."""

from __future__ import annotations

from sim.release.readers.date_formats import DateFormat, as_override, formats_of
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


def instead(key: str, cell: str, form: DateFormat) -> str:
    """Say what to do about a cell that is not in the format that was stated.

    Parameters
    ----------
    key : str
        The setting of the format.

    Examples
    --------
    >>> print(instead("data.date_format", "31/12/2009", DateFormat("%m/%d/%Y")))
    if all dates are like this one, set data.date_format=%d/%m/%Y, or leave data.date_format out
    """
    found = forms_of(cell)
    if not found:
        return "put it right, or leave it empty, which counts as no date"
    # Of day and month in both orders, the order that was stated.
    alike = [other for other in found if other.text.startswith(form.text)]
    ways = [as_override(key, other.text) for other in alike or found]
    left_out = f", or leave {key} out" if len(found) == 1 else ""
    return f"if all dates are like this one, set {' or '.join(ways)}{left_out}"


def not_iso(cell: str, *, as_the_first: bool) -> str:
    """Say that a cell is no ISO date.

    Parameters
    ----------
    as_the_first : bool
        Whether the first date was one; else it was stated that all are.
    """
    what = "expected one such as 2005-09-06 or 2005-09-06T12:30:00Z"
    first = ", as the first date was; write all dates alike" if as_the_first else ""
    return f"{shown(cell)} is not an ISO date; {what}{first}"
