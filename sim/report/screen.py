"""The first screen of a result, as data: what every medium shows first.

Invariant: a screen is made of findings and numbers alone; terminal, report and Markdown render the
same one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sim.findings.finding import Finding, most_serious
from sim.report.sentences import sentences
from sim.report.table import Table

RUN = "RUN_FOLDER"
"""Stands for the folder of a run in a command: it may be moved."""

MOST_MINDS = 3
"""Warnings on a screen; the others are in the report."""

LINES_OF_ONE, LINES_OF_SEVERAL = 20, 24
"""Lines on a terminal at most: of a grid or a measurement, and of several runs."""


@dataclass(frozen=True, slots=True)
class Screen:
    """What is shown first.

    Parameters
    ----------
    verdict : str
        One sentence: whether the bound is kept, or the main result.
    data : sequence of str
        What was read: name and size; roles of the columns.
    table : Table or None
        Its caption is a question or a title.
    more : sequence of str
        At most three lines below the verdict.
    minds : sequence of str
        At most `MOST_MINDS`.
    n_others : int
        Warnings that the report has, and the screen does not.
    commands : sequence of (str, str)
        Labels and command lines: to repeat it, and what to do next.
    lines : int
        On a terminal, at most.
    """

    verdict: str
    data: Sequence[str] = ()
    table: Table | None = None
    more: Sequence[str] = ()
    minds: Sequence[str] = ()
    n_others: int = 0
    commands: Sequence[tuple[str, str]] = ()
    lines: int = LINES_OF_SEVERAL


def minds_of(findings: Iterable[Finding]) -> tuple[tuple[str, ...], int]:
    """Return the warnings of a screen, the most serious first, and how many others there are."""
    said = sentences(most_serious(findings))
    return tuple(said[:MOST_MINDS]), max(len(said) - MOST_MINDS, 0)
