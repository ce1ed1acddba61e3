"""Shares in whole percent, for tables that are read at a glance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.numeric.text import is_null


def whole_percent(share: Any) -> str:
    """Return a share in whole percent; only 0 is 0%, and only 1 is 100%.

    Examples
    --------
    >>> [whole_percent(share) for share in (0.0, 0.002, 0.314, 0.998, 1.0, None)]
    ['0%', '<1%', '31%', '>99%', '100%', '–']
    """
    if is_null(share):
        return "–"
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1 else f"{share:.0%}"


def with_ends(row: Mapping[Any, Any], name: str) -> str:
    """Return a measure with its 95% interval.

    Examples
    --------
    >>> with_ends({"p": 0.31, "p_low": 0.29, "p_high": 0.33}, "p")
    '31% [29,33]'
    """
    low, high = (whole_percent(row[f"{name}{end}"]) for end in ("_low", "_high"))
    text = whole_percent(row[name])
    return text if low == "–" else f"{text} [{low[:-1]},{high[:-1]}]"
