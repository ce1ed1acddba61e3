"""Levels of axes in words, as findings hold them."""

from __future__ import annotations

from sim.findings.cells import levels_of
from sim.study.labels import axis_title, level_words, mentioned_first


def levels_words(text: str) -> str:
    """Return levels in words that name their axis, unknown ones included.

    Parameters
    ----------
    text : str
        As `sim.findings.cells.levels_text`.

    Examples
    --------
    >>> levels_words("aux=6/8; date_noise=null; value_noise=1"), levels_words("")
    ('6 of 8 facts right, values ±1, dates unknown', 'the facts in the list')
    """
    levels = sorted(levels_of(text), key=lambda one: mentioned_first(one[0]))
    return ", ".join(level_words(*one) for one in levels) or "the facts in the list"


def axes_words(text: str) -> str:
    """Return axes in words.

    Examples
    --------
    >>> axes_words("value_noise, date_noise")
    'the error of the known values, the error of the known dates'
    """
    return ", ".join(f"the {axis_title(axis)}" for axis in text.split(", "))
