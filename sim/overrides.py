"""Values and commands as they are written on the command line: for Hydra, and for the shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def override(key: str, value: Any) -> str:
    """Write a key and its value as an override.

    Parameters
    ----------
    key : str
    value : object
        None, a truth, a number, text, or lists and dicts of these.

    Returns
    -------
    str

    Examples
    --------
    >>> override("grid.date_noise", [3, None]), override("data.path", "my data.csv")
    ('grid.date_noise=[3,null]', "data.path='my data.csv'")
    """
    return f"{key}={written(value)}"


def written(value: Any) -> str:
    """Write a value.

    Parameters
    ----------
    value : object
        As for `override`.

    Returns
    -------
    str

    Examples
    --------
    >>> written({"a": ["2/2", 0.5]}), written(True)
    ("{a:['2/2',0.5]}", 'true')
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        # Backslashes mean something before a quote only, the closing one included.
        text = re.sub(r"(\\*)('|\Z)", lambda m: m[1] * 2 + ("\\'" if m[2] else ""), value)
        return f"'{text}'"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(written(item) for item in value) + "]"
    return repr(value)


def command_line(words: Iterable[str]) -> str:
    """Write a command for a POSIX shell.

    Parameters
    ----------
    words : iterable of str

    Returns
    -------
    str

    Examples
    --------
    >>> print(command_line(["standout", "seed=2", "grid.aux=[2/2]", "data.path='a, b.csv'"]))
    standout seed=2 'grid.aux=[2/2]' "data.path='a, b.csv'"
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    """A word in the quotes that leave it readable."""
    plain = shlex.quote(word)
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else plain
