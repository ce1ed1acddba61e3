"""Plain words for the axes of a grid and their levels, for pictures and tables.

Invariant: two levels of one axis never get the same words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd

from sim.study.axes import MENTION_AXES, OPTIONAL_AXES

DEFAULTS = dict(OPTIONAL_AXES) | dict(MENTION_AXES)
"""Axes that a grid need not have, each with the value it has then."""

_TITLES = {
    "aux": "items known to the attacker (right of all)",
    "date_noise": "error of the known dates",
    "value_noise": "error of the known values",
    "popularity": "items the attacker may know",
    "missing": "facts without a value",
    "record_length": "length of the record",
    "present": "record of the target",
    "first": "facts known of these",
    "value_known": "mentions that tell the value",
    "hide_rarest": "mentions hidden, the rarest first",
    "decoys": "mentions made up to mislead",
    "decoy_support": "what is made up",
}
_HEADS = {
    "date_noise": "dates",
    "value_noise": "values",
    "popularity": "items",
    "record_length": "length",
    "present": "target",
    "first": "first",
    "value_known": "valued",
    "hide_rarest": "hidden",
    "decoy_support": "which",
}


def axis_title(axis: str) -> str:
    """Name an axis of the grid, as below a picture.

    Examples
    --------
    >>> axis_title("date_noise"), axis_title("record_length")
    ('error of the known dates', 'length of the record')
    """
    return _TITLES.get(axis, axis.replace("_", " "))


def axis_head(axis: str) -> str:
    """Name an axis of the grid in a word, as above a table's column.

    Examples
    --------
    >>> axis_head("date_noise"), axis_head("aux")
    ('dates', 'aux')
    """
    return _HEADS.get(axis, axis)


def is_informative(axis: str, value: Any) -> bool:
    """Return whether a level that all cells share is worth a word: not if it is a default.

    Examples
    --------
    >>> is_informative("record_length", None), is_informative("record_length", 0.5)
    (False, True)
    """
    return axis not in DEFAULTS or level_text(value) != level_text(DEFAULTS[axis])


def level_words(axis: str, value: Any) -> str:
    """Return a level of an axis in words that do not need the name of the axis.

    Parameters
    ----------
    value : object
        As in ``curves.parquet``; None or NA where nothing is known.

    Examples
    --------
    >>> level_words("aux", "6/8"), level_words("date_noise", 3), level_words("date_noise", None)
    ('6 of 8 items right', 'dates ±3 days', 'no dates')
    >>> level_words("value_noise", 0), level_words("popularity", "100-500")
    ('exact values', 'items ranked 101–500')
    >>> level_words("present", False), level_words("record_length", None)
    ('target absent', 'length unknown')
    >>> level_words("loss", 0.5), level_words("loss", None)
    ('loss 0.5', 'no loss')
    """
    level = level_text(value)
    if axis in _OPTIONAL_WORDS:
        return _OPTIONAL_WORDS[axis](level)
    if axis == "aux":
        return f"{level.replace('/', ' of ')} items right"
    if axis == "date_noise":
        days = {"–": "no dates", "0": "exact dates", "1": "dates ±1 day"}
        return days.get(level, f"dates ±{level} days")
    if axis == "value_noise":
        return {"–": "no values", "0": "exact values"}.get(level, f"values ±{level}")
    if axis == "popularity":
        low, _, high = level.partition("-")
        if not high:
            return "all items" if low == "0" else f"items not in the top {low}"
        if low == "0":
            return f"items in the top {high}"
        if low.isdigit():
            return f"items ranked {int(low) + 1}–{high}"
    name = axis.replace("_", " ")
    return f"no {name}" if level == "–" else f"{name} {level}"


def _percent(level: str) -> str:
    return f"{100 * float(level):g}%"


def _length(level: str) -> str:
    known = {"–": "length unknown", "0": "exact length"}
    return known[level] if level in known else f"length ±{_percent(level)}"


_OPTIONAL_WORDS: dict[str, Callable[[str], str]] = {
    "missing": lambda p: "no value missing" if p == "0" else f"{_percent(p)} of values missing",
    "record_length": _length,
    "present": lambda word: f"target {'present' if word.lower() == 'true' else 'absent'}",
    "first": lambda n: {"–": "all facts", "1": "first fact"}.get(n, f"first {n} facts"),
    "value_known": lambda p: f"value of {_percent(p)} of mentions known",
    "hide_rarest": lambda p: "nothing hidden" if p == "0" else f"rarest {_percent(p)} hidden",
    "decoys": lambda n: {"0": "no decoys", "1": "1 decoy"}.get(n, f"{n} decoys"),
    "decoy_support": lambda n: (
        "most popular decoys" if n == "top" else f"decoys of support {n} or more"
    ),
}


def tick_words(axis: str, value: Any) -> str:
    """Return a level in words, below an axis that has a title.

    Examples
    --------
    >>> tick_words("aux", "6/8"), tick_words("popularity", 100), tick_words("loss", 0.5)
    ('6 of 8', 'not in the top 100', '0.5')
    """
    if axis == "aux":
        return level_words(axis, value).removesuffix(" items right")
    if axis == "popularity":
        return level_words(axis, value).removeprefix("items ")
    if axis == "present":
        return level_words(axis, value).removeprefix("target ")
    if axis == "value_known":
        return _percent(level_text(value))
    return level_words(axis, value) if axis in _TITLES else level_text(value)


def level_short(axis: str, value: Any) -> str:
    """Return a level as briefly as possible, below a head that names the axis.

    Examples
    --------
    >>> level_short("aux", "6/8"), level_short("date_noise", 3), level_short("date_noise", None)
    ('6/8', '±3 d', 'none')
    >>> level_short("popularity", 500), level_short("popularity", "100-500")
    ('not top 500', '101–500')
    """
    level = level_text(value)
    if axis in ("date_noise", "value_noise"):
        unit = " d" if axis == "date_noise" else ""
        return {"–": "none", "0": "exact"}.get(level, f"±{level}{unit}")
    if axis == "popularity":
        words = level_words(axis, value).replace("all items", "all").removeprefix("items ")
        return words.removeprefix("ranked ").removeprefix("in the ").replace(" in the", "")
    if axis == "present":
        return level_words(axis, value).removeprefix("target ")
    if axis == "record_length":
        return level_words(axis, value).removeprefix("length ")
    return level


def level_text(value: Any) -> str:
    """Return a level as briefly as possible, as in a table.

    Returns
    -------
    str
        A dash where nothing is known.

    Examples
    --------
    >>> level_text(3.0), level_text(0.5), level_text(None), level_text("6/8")
    ('3', '0.5', '–', '6/8')
    """
    if value is None or pd.isna(value):
        return "–"
    return f"{value:g}" if isinstance(value, float) else str(value)
