"""Plain words for the axes of a grid and their levels, for pictures and tables.

The words are stated by the axes (`sim.axes`); here they are looked up for what stands in a table.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from sim.axes.registry import neutral_values, words_of


def axis_title(axis: str) -> str:
    """Name an axis of the grid, as below a picture.

    Examples
    --------
    >>> axis_title("date_noise"), axis_title("record_length")
    ('error of the known dates', 'length of the record')
    """
    return words_of(axis).titled()


def axis_head(axis: str, *, report: bool = False) -> str:
    """Name an axis of the grid in a word, as above a table's column.

    Parameters
    ----------
    report : bool
        Whether the table is one of a report.

    Examples
    --------
    >>> axis_head("date_noise"), axis_head("aux"), axis_head("aux", report=True)
    ('dates', 'aux', 'facts right')
    """
    words = words_of(axis)
    return (words.report_head if report else "") or words.head or axis


def mentioned_first(axis: str) -> int:
    """Return what axes are sorted by in a sentence."""
    return words_of(axis).mention_order


def is_informative(axis: str, value: Any) -> bool:
    """Return whether a level that all cells share is worth a word: not if it goes without saying.

    Examples
    --------
    >>> is_informative("record_length", None), is_informative("record_length", 0.5)
    (False, True)
    """
    neutral = neutral_values()
    return axis not in neutral or level_text(value) != level_text(neutral[axis])


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
    return words_of(axis).words(level_text(value))


def level_phrase(axis: str, value: Any) -> str:
    """Return what an attacker knows of a level, after "with"; empty: it is not mentioned.

    Examples
    --------
    >>> level_phrase("date_noise", 3), level_phrase("popularity", 0)
    ('dates within 3 days', '')
    """
    return words_of(axis).phrase(level_text(value))


def tick_words(axis: str, value: Any) -> str:
    """Return a level in words, below an axis that has a title.

    Examples
    --------
    >>> tick_words("aux", "6/8"), tick_words("popularity", 100), tick_words("loss", 0.5)
    ('6 of 8', 'not in the top 100', '0.5')
    """
    return words_of(axis).tick(level_text(value))


def level_short(axis: str, value: Any) -> str:
    """Return a level as briefly as possible, below a head that names the axis.

    Examples
    --------
    >>> level_short("aux", "6/8"), level_short("date_noise", 3), level_short("date_noise", None)
    ('6/8', '±3 d', 'none')
    >>> level_short("popularity", 500), level_short("popularity", "100-500")
    ('not top 500', '101–500')
    """
    return words_of(axis).short(level_text(value))


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
