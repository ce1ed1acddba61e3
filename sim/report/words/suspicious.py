"""What looked wrong about the data before any attack, where results are read first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def suspicious(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what ``standout describe`` finds suspicious about the data of a run.

    Parameters
    ----------
    record : dict
        As ``run.json``; a run of an earlier version has none.

    Examples
    --------
    >>> [*suspicious({"suspicions": ["Are people and items swapped?"]})]
    ['Look at this before you rely on the results: Are people and items swapped?']
    """
    found = record.get("suspicions")
    for words in found if isinstance(found, list) else ():
        yield f"Look at this before you rely on the results: {words}"
