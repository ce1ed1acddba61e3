"""A part of a result under one heading, below the first screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sim.report.table import Table


@dataclass(frozen=True, slots=True)
class Chapter:
    """Paragraphs, a list of items, a table and commands under a title, in this order."""

    title: str
    sentences: Sequence[str] = ()
    items: Sequence[str] = ()
    table: Table | None = None
    commands: Sequence[str] = ()
