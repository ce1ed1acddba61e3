"""The true days behind a released one, by counting all pairs of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from fractions import Fraction

Step = tuple[str, int | str]
"""``("jitter", D)``, or ``("coarsen", "week")``, ``"month"``, or a number of days."""

_EPOCH = date(1970, 1, 1)


def start_of(day: int, width: int | str) -> int:
    """Return the first day of the week (from Monday), the month or the bin of days of a day.

    Examples
    --------
    >>> start_of(10_003, "week"), start_of(10_003, "month"), start_of(10_003, 10)
    (10000, 9982, 10000)
    """
    when = _EPOCH + timedelta(day)
    if width == "week":
        return day - when.weekday()
    if width == "month":
        return day - when.day + 1
    assert isinstance(width, int)
    return day - day % width


def true_days(steps: Sequence[Step], released: int, first: int, last: int) -> dict[int, float]:
    """Probability of each true day behind a released one, all days being as likely before.

    Parameters
    ----------
    first, last : int
        True days that are looked at: all that may lie behind the released one.

    Returns
    -------
    dict of int to float
        Empty if the day cannot have been released.

    Examples
    --------
    A week that begins on day 10,000, moved by a day: it is that of the one Monday within reach.

    >>> found = true_days([("coarsen", "week"), ("jitter", 1)], 10_001, 9_990, 10_020)
    >>> sorted(found) == list(range(10_000, 10_007)), round(found[10_000], 3)
    (True, 0.143)
    """
    chance: dict[int, Fraction] = {}
    for day in range(first, last + 1):
        becomes = {day: Fraction(1)}
        for kind, width in steps:
            after: dict[int, Fraction] = {}
            for one, p in becomes.items():
                if kind == "coarsen":
                    start = start_of(one, width)
                    after[start] = after.get(start, Fraction(0)) + p
                    continue
                assert isinstance(width, int)
                for other in range(one - width, one + width + 1):
                    after[other] = after.get(other, Fraction(0)) + p / (2 * width + 1)
            becomes = after
        if released in becomes:
            chance[day] = becomes[released]
    total = sum(chance.values())
    return {day: float(p / total) for day, p in chance.items()} if total else {}
