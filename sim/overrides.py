"""Values as they are written on the command line."""

from __future__ import annotations

import re
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
        from hydra.core.override_parser.types import Quote, QuotedString

        # Text is text: OmegaConf takes what follows "${" for a name, unless a backslash stands
        # before it; and pairs of those for one each.
        plain = re.sub(r"(\\*)\$\{", r"\1\1\\${", value)
        return QuotedString(plain, Quote.single).with_quotes()
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{key}:{written(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Sequence):
        return "[" + ",".join(written(item) for item in value) + "]"
    return repr(value)
