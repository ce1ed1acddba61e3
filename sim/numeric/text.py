"""Numbers as text: for reports, terminals and the summaries of measurements.

Invariant: only zero prints as 0.0%, and only one as 100.0%.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

TINY = 0.0005
"""A share, or its complement, that would round to zero at one decimal place."""


def is_null(value: Any) -> bool:
    """Whether a cell of a table is null, in whichever way.

    Examples
    --------
    >>> is_null(None), is_null(float("nan")), is_null(0)
    (True, True, False)
    """
    import pandas as pd  # only here: workers, which print no tables, do without its 30 MB

    return value is None or bool(pd.isna(value))


def format_number(value: Any) -> str:
    """Format a number; a dash for null.

    Examples
    --------
    >>> format_number(480189), format_number(2.25), format_number(0.0042), format_number(None)
    ('480,189', '2.25', '0.0042', '–')
    """
    if is_null(value):
        return "–"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:.2g}" if 0 < abs(value) < 0.01 else f"{value:,.2f}"


_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
"""Characters that control a terminal, turn the direction of text, or cannot be seen."""


def visible(text: str, keep: str = "\n\t") -> str:
    r"""Return text with the characters escaped that control a terminal or hide what is written.

    The text of a JSON file stays JSON, and says the same.

    Parameters
    ----------
    keep : str
        Those that stay.

    Examples
    --------
    >>> print(visible("\x1b[2Jfile\u202egpj.exe"))
    \u001b[2Jfile\u202egpj.exe
    """
    return _HIDDEN.sub(lambda c: c[0] if c[0] in keep else f"\\u{ord(c[0]):04x}", text)


_FORMULA = frozenset("=+-@\t\r\n＝＋－＠")
"""What begins a formula, half or full width; a sheet leaves out blank characters before it."""

_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE | re.ASCII)


def safe_in_sheet(cell: Any) -> Any:
    """Return a cell whose text no spreadsheet takes for a formula, and no terminal for a command.

    Text that begins as a formula does has an apostrophe before it, as people type it there; numbers
    stay as they are. Characters that cannot be seen are escaped.
    """
    if not isinstance(cell, str):
        return cell
    formula = cell[:1] in _FORMULA and not _NUMBER.fullmatch(cell)
    return f"{chr(39) * formula}{visible(cell, keep='')}"


def did_you_mean(word: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Suggest a known word for an unknown one, as the end of a sentence; empty: none is like it.

    Parameters
    ----------
    cutoff : float
        How much of both must agree, 0 to 1.

    Examples
    --------
    >>> did_you_mean("comprae", ["check", "compare"]), did_you_mean("xyz", ["check"])
    ('; did you mean compare?', '')
    """
    like = difflib.get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f"; did you mean {like[0]}?" if like else ""


_LISTED = 12
"""Names that are listed where another was given; of more, only the one that is like it."""


def expected_among(word: object, known: Iterable[str], how_many: str = "one") -> str:
    """Return what was expected instead of an unknown word: the name like it first, then the names.

    Parameters
    ----------
    how_many : str
        How many of the names may be given.

    Examples
    --------
    >>> expected_among("lsit", ["list", "clear"]), expected_among("xyz", ["list", "clear"])
    ('did you mean list?; expected one of list, clear', 'expected one of list, clear')
    >>> expected_among("f30", [f"fig{n}" for n in range(31)])
    'did you mean fig30?'
    >>> expected_among("xyz", [f"fig{n}" for n in range(31)], "some")
    'expected some of 31: fig0, fig1, fig2, …, fig30'
    """
    names = list(known)
    like = did_you_mean(str(word), names).removeprefix("; ")
    if len(names) > _LISTED:
        return (
            like or f"expected {how_many} of {len(names)}: {', '.join(names[:3])}, …, {names[-1]}"
        )
    expected = f"expected {how_many} of {', '.join(names)}"
    return f"{like}; {expected}" if like else expected


def in_a_row(words: Sequence[str], last: str = "and") -> str:
    """Join words with commas, and the last one with a word.

    Examples
    --------
    >>> in_a_row(["a", "b", "c"]), in_a_row(["a", "b"], "or"), in_a_row(["a"])
    ('a, b and c', 'a or b', 'a')
    """
    return f" {last} ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


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


def format_difference(value: float, unit: str = "") -> str:
    """Format a difference with its sign: of shares in percentage points, of others in their unit.

    Examples
    --------
    >>> format_difference(-0.0123), format_difference(0.5, "bits")
    ('−1.2 points', '+0.50 bits')
    """
    text = f"{value:+,.2f} {unit}" if unit else f"{100 * value:+.1f} points"
    return text.replace("-", "−")


def format_significant(value: float, digits: int) -> str:
    """Format a number that is no share and no count with a number of significant digits.

    Examples
    --------
    >>> format_significant(0.12345, 3), format_significant(12.0, 3)
    ('0.123', '12')
    """
    return f"{value:.{digits}g}"


def format_setting(value: float) -> str:
    """Format a number as it was set, not rounded.

    Examples
    --------
    >>> format_setting(1.5), format_setting(0.05), format_setting(3.0)
    ('1.5', '0.05', '3')
    """
    return f"{value:.15g}"


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


def share_meant(given: object, example: str) -> str:
    """Return what a percentage is as a share, for who typed the one in place of the other.

    Parameters
    ----------
    example : str
        Returned for whatever is no number of percent.

    Examples
    --------
    >>> [share_meant(given, "0.05 for 5%") for given in (9.0, "33.3", "0.5%", "-1", "much")]
    ['0.09 for 9%', '0.333 for 33.3%', '0.005 for 0.5%', '0.05 for 5%', '0.05 for 5%']
    """
    found = _PERCENTAGE.fullmatch(str(given))
    number = float(found[1]) if found else 0.0
    if found is None or not (0 if found[2] else 1) <= number <= 100 or not number:
        return example
    return f"{number / 100:.6g} for {number:g}%"


_PERCENTAGE = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?(%?)")


def format_percent(value: Any, digits: int = 0) -> str:
    """Format a share as a percentage; a dash for null.

    Parameters
    ----------
    digits : int
        Significant digits. 0: one decimal place, or two significant digits for a tiny share. What
        would be rounded to 100.0% and is less is >99.9%.

    Examples
    --------
    >>> format_percent(0.683), format_percent(0.0112, digits=4), format_percent(2.1e-6)
    ('68.3%', '1.12%', '0.00021%')
    >>> format_percent(1.0), format_percent(1 - 2.1e-6), format_percent(0.9994)
    ('100.0%', '>99.9%', '99.9%')
    >>> format_percent(1.0, digits=2)
    '100%'
    """
    if is_null(value):
        return "–"
    if digits:
        text = f"{100 * value:.{digits}g}"
        text = f"{100 * value:.0f}" if "e+" in text else text
    elif 0 < value <= TINY:
        text = f"{100 * value:.2g}"
    elif 1 - TINY <= value < 1:
        text = ">99.9"
    else:
        text = f"{100 * value:.1f}"
    return f"{text}%"


def percent_beside(value: float, bound: float) -> str:
    """Format a share beside a bound: with as many digits as tell them apart, up to six.

    Examples
    --------
    >>> percent_beside(0.001036, 0.001), percent_beside(0.2, 0.001), percent_beside(0.001, 0.001)
    ('0.104%', '20.0%', '0.1%')
    >>> percent_beside(0.20004, 0.2), percent_beside(0.99999, 0.99995)
    ('20.004%', '99.999%')
    """
    told = format_percent(bound)
    if value == bound or format_percent(value) != told:
        return format_percent(value)
    for digits in range(2, 7):
        texts = format_percent(value, digits), format_percent(bound, digits)
        if texts[0] != texts[1]:
            return texts[0]
    return told


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
    if any(is_null(end) for end in (value, low, high)):
        return put(value)
    if share:
        text, *limits = (f"{text}%" for text in percents(value, low, high))
    else:
        text, *limits = (put(number) for number in (value, low, high))
    return f"{text} [{'–'.join(limits)}]"
