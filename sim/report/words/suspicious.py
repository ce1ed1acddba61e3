"""What looked wrong about the data before any attack, where results are read first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.findings.suspicions import stored_suspicions
from sim.report.sentences import sentences


def suspicious(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what ``standout describe`` finds suspicious about the data of a run.

    Parameters
    ----------
    record : dict
        As ``run.json``; a run of an earlier version has none.

    Examples
    --------
    >>> [*suspicious({})]
    []
    """
    for words in sentences(stored_suspicions(record)):
        yield f"Look at this before you rely on the results: {words}"
