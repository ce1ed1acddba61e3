"""A screen, and the chapters below it, as plain text for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill, wrap

from sim.report.chapter import Chapter
from sim.report.screen import RUN, Screen, ScreenTable
from sim.report.text_table import aligned, table_text

WIDTH, MOST_LINES = 100, 24
_NARROWEST = 12
_BAR = 6
"""Characters of a full bar."""


def screen_text(screen: Screen, *, folder: str = RUN, bars: bool = False) -> str:
    """Return a screen as text of at most `WIDTH` columns, and `MOST_LINES` lines if it can be.

    Parameters
    ----------
    folder : str
        Of the run, which commands name.
    bars : bool
        Whether shares have bars, as on a terminal.
    """
    minds, others = list(screen.minds), screen.n_others
    while True:
        lines = [*_lines(screen, minds, others, folder, bars=bars)]
        if len(lines) <= MOST_LINES or len(minds) < 2:
            return "\n".join(lines)
        minds.pop()
        others += 1


def _lines(
    screen: Screen, minds: Sequence[str], others: int, folder: str, *, bars: bool
) -> Iterator[str]:
    said = [fill(f"Mind: {one}", WIDTH, subsequent_indent="      ") for one in minds]
    if others:
        said.append(f"      {others} more in the report, or with --details")
    above = [] if screen.table is None else _table(screen.table, bars=bars)
    labels = max((len(label) for label, _ in screen.commands), default=0)
    blocks = [
        [
            line if len(line) <= WIDTH else fill(line, WIDTH, subsequent_indent="  ")
            for line in screen.data
        ],
        [*([screen.heading] if screen.heading else []), *above],
        [fill(line, WIDTH) for line in (screen.verdict, *screen.more) if line],
        said,
        [f"{label:{labels}}  {words.replace(RUN, folder)}" for label, words in screen.commands],
    ]
    for place, block in enumerate(filter(None, blocks)):
        yield from [""] if place else []
        yield from "\n".join(block).split("\n")


def _table(table: ScreenTable, *, bars: bool) -> list[str]:
    """Return the lines of a table: without bars, and its names wrapped, where it is too wide."""
    rows = [list(table.heads), *map(list, table.rows)]
    if bars and table.shares:
        drawn = ["", *("" if share is None else _bar(share) for share in table.shares)]
        with_bars = [
            [*row[: table.left], bar, *row[table.left :]]
            for row, bar in zip(rows, drawn, strict=True)
        ]
        lines = aligned(with_bars, left=table.left)
        if max(map(len, lines)) <= WIDTH:
            return lines
    lines = aligned(rows, left=table.left)
    over = max(map(len, lines)) - WIDTH
    if over <= 0:
        return lines
    place = table.left - 1
    width = max(len(row[place]) for row in rows) - over
    return aligned([*_wrapped(rows, place, max(width, _NARROWEST))], left=table.left)


def _wrapped(rows: list[list[str]], place: int, width: int) -> Iterator[list[str]]:
    """Yield rows with the cells of a column broken; what follows stands below, alone."""
    for row in rows:
        first, *more = wrap(row[place], width, break_long_words=False) or [""]
        yield [*row[:place], first, *row[place + 1 :]]
        for line in more:
            yield [*[""] * place, f"  {line}", *[""] * (len(row) - place - 1)]


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
