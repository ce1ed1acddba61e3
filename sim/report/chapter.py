"""A part of a result under one heading, below the first screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.report.html_table import HtmlTable


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of a result under one heading.

    Parameters
    ----------
    sentences : sequence of str
        Paragraphs.
    items : sequence of str
        A list below them.
    table : HtmlTable or None
        Below the list.
    commands : sequence of str
        Below the table.
    """

    title: str
    sentences: Sequence[str] = ()
    items: Sequence[str] = ()
    table: HtmlTable | None = None
    commands: Sequence[str] = ()
