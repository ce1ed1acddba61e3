"""A screen, and the chapters below it, as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import fill

from sim.report.chapter import Chapter
from sim.report.page.text import table_text
from sim.report.screen import RUN, Screen, ScreenTable
from sim.report.text_table import aligned

WIDTH = 100
_BAR = 6
"""Characters of a full bar."""


def screen_text(screen: Screen, *, folder: str = RUN, bars: bool = False) -> str:
    """Return a screen as text of at most `WIDTH` columns.

    Parameters
    ----------
    folder : str
        Of the run, which commands name.
    bars : bool
        Whether shares have bars, as on a terminal.
    """
    minds = [fill(f"Mind: {one}", WIDTH, subsequent_indent="      ") for one in screen.minds]
    if screen.n_others:
        minds.append(f"      {screen.n_others} more in the report, or with --details")
    table = [] if screen.table is None else [*_table(screen.table, bars=bars)]
    labels = max((len(label) for label, _ in screen.commands), default=0)
    blocks = [
        [fill(line, WIDTH, subsequent_indent="  ") for line in screen.data],
        [*([screen.heading] if screen.heading else []), *table],
        [fill(line, WIDTH) for line in (screen.verdict, *screen.more) if line],
        minds,
        [
            f"{label:<{labels}}  {command.replace(RUN, folder)}"
            for label, command in screen.commands
        ],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _table(table: ScreenTable, *, bars: bool) -> Iterator[str]:
    rows = [list(table.heads), *map(list, table.rows)]
    if bars and table.shares:
        for row, share in zip(rows, (None, *table.shares), strict=True):
            row.insert(table.left, "" if share is None else _bar(share))
    yield from aligned(rows, left=table.left)


def _bar(share: float) -> str:
    full = round(min(max(share, 0.0), 1.0) * _BAR)
    return "█" * full + "░" * (_BAR - full)


def details_text(chapters: Iterable[Chapter]) -> str:
    """Return chapters as text."""
    return "\n\n".join(map(_chapter, chapters))


def _chapter(chapter: Chapter) -> str:
    lines = [f"{chapter.title}:", *(fill(sentence, WIDTH) for sentence in chapter.sentences)]
    lines += [fill(f"- {item}", WIDTH, subsequent_indent="  ") for item in chapter.items]
    lines += [table_text(chapter.table)] if chapter.table is not None else []
    return "\n".join([*lines, *(f"  {command}" for command in chapter.commands)])
