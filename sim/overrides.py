"""Values as they are written on the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
        # A backslash means something before a quote only.
        return "'" + value.replace("\\'", "\\\\'").replace("'", "\\'") + "'"
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(written(item) for item in value) + "]"
    return repr(value)
