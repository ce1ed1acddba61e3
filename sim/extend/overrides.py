"""Formats values and commands for the command line: for Hydra, and for the shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from sim.errors import ConfigError

_PLAIN = re.compile(
    r"(?!(?:true|false|null|nan|inf(?:inity)?)\Z)[a-z_/][a-z0-9_./-]*|[0-9]+/[0-9]+",
    re.IGNORECASE | re.ASCII,
)
"""Text that Hydra reads as such without quotes: names, paths, 2/2."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def override(key: str, value: Any) -> str:
    """Format a key and its value as an override.

    Parameters
    ----------
    value : object
        None, a bool, a number, text, or lists and dicts of these; or what `plain` makes such.

    Raises
    ------
    ConfigError
        It is something else.

    Examples
    --------
    >>> override("grid.date_noise", [3, None]), override("data.path", "my data.csv")
    ('grid.date_noise=[3,null]', "data.path='my data.csv'")
    >>> override("audit.attackers", [len])
    Traceback (most recent call last):
    sim.errors.ConfigError: audit.attackers: <built-in function len>: expected text, a number, or \
lists or dicts of these
    """
    try:
        return f"{key}={hydra_value(value)}"
    except ConfigError as error:
        raise ConfigError(f"{key}: {error}") from None


def plain(value: Any) -> Any:
    """Return NumPy's numbers and arrays, tuples, ranges and paths as numbers, lists and text.

    Parameters
    ----------
    value : object
        Anything else is returned as it is.

    Examples
    --------
    >>> import numpy as np
    >>> plain(np.float64(2)), plain(np.array([3, 14])), plain((range(2), None))
    (2.0, [3, 14], [[0, 1], None])
    """
    # Series and indices have it too; and whatever it returns is a number, text or a list.
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [plain(item) for item in value]
    return value


def hydra_value(value: Any) -> str:
    """Format a value for Hydra.

    Parameters
    ----------
    value : object
        As for `override`, or what `plain` makes such.

    Raises
    ------
    ConfigError
        It is something else.

    Examples
    --------
    >>> hydra_value({"a": ["2/2", 0.5, "1-2"]}), hydra_value(True)
    ("{a:[2/2,0.5,'1-2']}", 'true')
    """
    value = plain(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        if _PLAIN.fullmatch(value):
            return value
        from hydra.core.override_parser.types import Quote, QuotedString

        # Escape interpolations: OmegaConf reads "${" as a reference unless a backslash precedes
        # it, and reads each pair of backslashes before it as one.
        escaped = re.sub(r"(\\*)\$\{", r"\1\1\\${", value)
        return QuotedString(escaped, Quote.single).with_quotes()
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{hydra_value(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(hydra_value(item) for item in value) + "]"
    if not isinstance(value, (int, float)):
        raise ConfigError(f"{value!r}: expected text, a number, or lists or dicts of these")
    return repr(value)


def command_line(words: Iterable[str]) -> str:
    """Format a command for a POSIX shell.

    Examples
    --------
    >>> print(command_line(["standout", "seed=2", "grid.aux=[2/2]", "data.path='a, b.csv'"]))
    standout seed=2 'grid.aux=[2/2]' "data.path='a, b.csv'"
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    r"""Quote a word so that it stays readable, and so that a terminal pastes only text.

    A terminal treats a control character as a key, even within quotes; so it is escaped.

    Examples
    --------
    >>> print(_quoted("it's"), _quoted("a\x03b'c"))
    "it's" $'a\u0003b\'c'
    """
    if _CONTROL.search(word):
        escaped = word.replace("\\", "\\\\").replace("'", "\\'")
        return "$'" + _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", escaped) + "'"
    plain = shlex.quote(word)
    return f'"{word}"' if "'" in word and not set(word) & set('"$`\\!') else plain
