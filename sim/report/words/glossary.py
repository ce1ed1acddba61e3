"""The glossary of a report: the terms of the guide's that it uses."""

from __future__ import annotations

import re
from functools import cache

from sim.guide import page

_ROW = re.compile(r"^\| (?P<term>[^|]+) \| (?P<meaning>[^|]+) \|$", re.MULTILINE)
_SYMBOL = re.compile(r" \([^)]*\)")
_HEAD = ("term", "---")


def terms_in(text: str) -> dict[str, str]:
    """Return the meanings of the terms that a text uses, by term.

    Parameters
    ----------
    text : str
        Without markup.

    Examples
    --------
    >>> list(terms_in("The best guess is right for 3 of 4 targets."))
    ['target', 'best guess, rank-1 rate']
    """
    return {
        term: meaning
        for term, meaning in _glossary().items()
        if any(_uses(text, name) for name in _names(term))
    }


def _names(term: str) -> list[str]:
    """Return the names of a term, which share a line of the glossary."""
    return [_SYMBOL.sub("", name).strip() for name in term.split(", ")]


def _uses(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(s|es)?(?!\w)", text, re.IGNORECASE) is not None


@cache
def _glossary() -> dict[str, str]:
    found = {
        row["term"].strip(): re.sub(r"[*`]", "", row["meaning"]).strip()
        for row in _ROW.finditer(page("glossary"))
    }
    return {term: meaning for term, meaning in found.items() if term not in _HEAD}
