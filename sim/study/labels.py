"""The words of axes and levels for figures and tables.

The axes (`sim.axes`) state the words; these functions look them up for values from a table.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from sim.axes.registry import neutral_values, words_of


def axis_title(axis: str) -> str:
    """Return the title of an axis in a figure.

    Examples
    --------
    >>> axis_title("date_noise"), axis_title("record_length")
    ('error of the known dates', 'length of the record')
    """
    return words_of(axis).titled()


def axis_head(axis: str, *, report: bool = False) -> str:
    """Return the column head of an axis in a table.

    Parameters
    ----------
    report : bool
        Whether the table is in a report.

    Examples
    --------
    >>> axis_head("date_noise"), axis_head("aux", report=True), axis_head("my_axis")
    ('dates', 'facts right', 'my axis')
    """
    return words_of(axis).headed(report=report)


def mentioned_first(axis: str) -> int:
    """Return the sort key of an axis in a sentence."""
    return words_of(axis).mention_order


def is_informative(axis: str, value: Any) -> bool:
    """Return whether a level that all cells share should be mentioned: it is not the neutral one.

    Examples
    --------
    >>> is_informative("record_length", None), is_informative("record_length", 0.5)
    (False, True)
    """
    neutral = neutral_values()
    return axis not in neutral or level_text(value) != level_text(neutral[axis])


def has_effect(axis: str, cell: Mapping[Any, Any]) -> bool:
    """Return whether the level of an axis matters in a grid cell.

    Examples
    --------
    >>> cell = {"decoys": 0, "decoy_support": 8}
    >>> has_effect("decoy_support", cell), has_effect("decoy_support", cell | {"decoys": 5})
    (False, True)
    """
    other = words_of(axis).depends_on
    return other not in cell or is_informative(other, cell[other])


def level_words(axis: str, value: Any) -> str:
    """Return a level of an axis in words that do not need the name of the axis.

    Parameters
    ----------
    value : object
        As in ``curves.parquet``; None or NA for null.

    Examples
    --------
    >>> level_words("aux", "6/8"), level_words("date_noise", 3), level_words("date_noise", None)
    ('6 of 8 facts right', 'dates ±3 days', 'dates unknown')
    >>> level_words("value_noise", 0), level_words("popularity", "100-500")
    ('exact values', 'items ranked 101–500')
    >>> level_words("present", False), level_words("record_length", None)
    ('target absent', 'length unknown')
    >>> level_words("loss", 0.5), level_words("loss", None)
    ('loss 0.5', 'no loss')
    """
    return words_of(axis).words(level_text(value))


def level_phrase(axis: str, value: Any) -> str:
    """Return what an attacker knows at a level, after "with"; empty: it is not mentioned.

    Examples
    --------
    >>> level_phrase("date_noise", 3), level_phrase("popularity", 0)
    ('dates within 3 days', '')
    """
    return words_of(axis).phrase(level_text(value))


def tick_words(axis: str, value: Any) -> str:
    """Return a level in words, for the ticks of an axis with a title.

    Examples
    --------
    >>> tick_words("aux", "6/8"), tick_words("popularity", 100), tick_words("loss", 0.5)
    ('6 of 8', 'not in the top 100', '0.5')
    """
    return words_of(axis).tick(level_text(value))


def level_short(axis: str, value: Any) -> str:
    """Return a level as briefly as possible, for a column whose head names the axis.

    Examples
    --------
    >>> level_short("aux", "6/8"), level_short("date_noise", 3), level_short("date_noise", None)
    ('6/8', '±3 d', 'unknown')
    >>> level_short("popularity", 500), level_short("popularity", "100-500")
    ('not top 500', '101–500')
    """
    return words_of(axis).short(level_text(value))


def level_text(value: Any) -> str:
    """Format a level as in a table; a dash for null.

    Examples
    --------
    >>> level_text(3.0), level_text(0.5), level_text(None), level_text("6/8")
    ('3', '0.5', '–', '6/8')
    """
    if value is None or pd.isna(value):
        return "–"
    return f"{value:g}" if isinstance(value, float) else str(value)
