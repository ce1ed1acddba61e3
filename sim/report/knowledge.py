"""What an attacker knows in words: of a table, and of findings, which hold levels as settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.axes.aux import AuxAxis, facts_of, right_facts_of
from sim.findings.cells import levels_of
from sim.numeric.text import is_null, quantity
from sim.study.labels import (
    axis_title,
    is_informative,
    level_phrase,
    level_text,
    level_words,
    mentioned_first,
)

_ELSEWHERE: Mapping[str, str] = {
    "mentions": "public mentions",
    "mentions_file": "mentions, from a file",
    "elsewhere": "record of another service",
    "external": "row of another table",
    "counts": "how often, of each item",
}
_EXACT = ("exact values", "exact dates")
_UNKNOWN = {"value_noise": "no values", "date_noise": "no dates"}


def known_words(known: Mapping[str, Any], *, has_values: bool, has_dates: bool) -> str:
    """Return what an attacker knows, in a few words.

    Parameters
    ----------
    known : Mapping
        ``kind`` of adversary, and the level of each axis.
    has_values, has_dates : bool
        Whether the release has any; that an attacker lacks them is said only then.

    Examples
    --------
    >>> known = {"kind": "aux", "aux": "6/8", "value_noise": None, "date_noise": 3}
    >>> known_words(known, has_values=False, has_dates=True)
    '8 facts, 6 right, ±3 days'
    >>> known_words({"kind": "mentions"}, has_values=True, has_dates=True)
    'public mentions'
    """
    kind = str(known.get("kind", "aux"))
    if kind in _ELSEWHERE:
        return _ELSEWHERE[kind]
    aux = level_text(known.get(AuxAxis.name))
    words = []
    if aux != level_text(None):
        right, size = right_facts_of(aux), facts_of(aux)
        words = [quantity(size, "fact"), *([f"{right} right"] if right < size else [])]
    there = {"value_noise": has_values, "date_noise": has_dates}
    for axis in sorted(known, key=mentioned_first):
        if axis in ("kind", "facts", "present", AuxAxis.name) or not there.get(axis, True):
            continue
        level = known[axis]
        if axis in _UNKNOWN:
            words.append(
                _UNKNOWN[axis]
                if is_null(level)
                else level_words(axis, level).replace("dates ±", "±")
            )
        elif is_informative(axis, level) and level_phrase(axis, level):
            words.append(level_words(axis, level))
    if {*_EXACT} <= {*words}:
        words = ["exact" if one == _EXACT[0] else one for one in words if one != _EXACT[1]]
    of = known.get("facts")
    return ", ".join([*words, *([f"of the {of}"] if of else [])])


def levels_words(text: str) -> str:
    """Return levels in words that name their axis, unknown ones included.

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
