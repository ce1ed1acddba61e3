"""Which other encodings a text may have that was taken for Windows-1252."""

from __future__ import annotations

import re
import unicodedata

OTHERS = ("windows-1250", "iso8859-2", "windows-1257", "windows-1254")
"""Of Central European, Baltic and Turkish text, whose bytes may all be letters or signs there."""

_ORDINALS = "ªº"
_MARKED = re.compile(r"[^\W\d_]*[^\x00-\x7f]+(?:[^\W\d_]|[^\x00-\x7f])*")
"""A word with something that is not ASCII in it."""


def with_letters_only(text: str) -> list[str]:
    """Return the encodings by which a text has letters where it has other signs in its words now.

    Examples
    --------
    >>> with_letters_only("G³ówny, Zap³acono, dzieñ")
    ['windows-1250', 'iso8859-2']
    >>> with_letters_only("café, Übergröße")  # letters already
    []
    >>> with_letters_only("5 °C – “é”")  # signs beside words
    []
    """
    words = {word for word in _MARKED.findall(text) if any(one.isascii() for one in word)}
    odd = {word for word in words if not _is_word(word)}
    found = []
    for name in OTHERS if odd else ():
        try:
            read = [word.encode("cp1252").decode(name) for word in words]
        except UnicodeError:
            continue
        if all(map(_is_word, read)):
            found.append(name)
    return found


def _is_word(word: str) -> bool:
    """Whether all are letters of one script."""
    if not word.isalpha() or any(sign in word for sign in _ORDINALS):
        return False
    return len({unicodedata.name(sign, "").partition(" ")[0] for sign in word}) == 1
