"""A screen, and the chapters below it, as plain text for a terminal.

Invariant: no line is wider than `WIDTH`, but for a command, which is not broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import fill, wrap

from sim.report.chapter import Chapter
from sim.report.screen import RUN, Screen, ScreenTable
from sim.report.text_table import aligned, table_text

WIDTH, MOST_LINES = 100, 24
_BAR = 6
"""Characters of a full bar."""

_NARROWEST = 24
"""Columns that the names of rows keep, however wide the others are."""

_APART = " " * 6
"""Between two commands on a line."""


def screen_text(screen: Screen, *, folder: str = RUN, bars: bool = False) -> str:
    """Return a screen as text of at most `WIDTH` columns, and `MOST_LINES` lines if it can be.

    Parameters
    ----------
    folder : str
        Of the run, which commands name.
    bars : bool
        Whether shares have bars, as on a terminal, where there is room for them.
    """
    for shown in range(len(screen.minds), -1, -1):
        text = _text(screen, shown, folder, bars=bars)
        if text.count("\n") < MOST_LINES or shown <= 1:
            return text
    return text


def _text(screen: Screen, shown: int, folder: str, *, bars: bool) -> str:
    table = [] if screen.table is None else _table(screen.table, bars=bars)
    minds = list(screen.minds[:shown])
    if minds and (others := screen.n_others + len(screen.minds) - shown):
        minds[-1] += f" ({others} more: --details)"
    blocks = [
        [
            line if len(line) <= WIDTH else fill(line, WIDTH, subsequent_indent="  ")
            for line in screen.data
        ],
        [*([fill(screen.heading, WIDTH)] if screen.heading else []), *table],
        [
            *(fill(line, WIDTH) for line in (screen.verdict, *screen.more) if line),
            *(fill(f"Mind: {one}", WIDTH, subsequent_indent="      ") for one in minds),
        ],
        _commands(screen.commands, folder),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _commands(commands: Sequence[tuple[str, str]], folder: str) -> list[str]:
    """Return commands, two on a line where they fit."""
    labels = max((len(label) for label, _ in commands), default=0)
    lines: list[str] = []
    is_open = False
    for label, command in commands:
        said = f"{label:<{labels}}  {command.replace(RUN, folder)}"
        is_open = is_open and len(f"{lines[-1]}{_APART}{said}") <= WIDTH
        if is_open:
            lines[-1] += f"{_APART}{said}"
        else:
            lines.append(said)
        is_open = not is_open
    return lines


def _table(table: ScreenTable, *, bars: bool) -> list[str]:
    """Return a table: if too wide, without bars, then with broken texts, then without columns."""
    heads = [head.split("\n") for head in table.heads]
    n_heads = max(map(len, heads))  # heads of several lines stand on the rows
    rows = [
        *(
            [*line]
            for line in zip(*([""] * (n_heads - len(head)) + head for head in heads), strict=True)
        ),
        *map(list, table.rows),
    ]
    if bars and table.shares:
        with_bars = [list(row) for row in rows]
        shares = (*[None] * n_heads, *table.shares)
        for row, share in zip(with_bars, shares, strict=True):
            row.insert(table.left, "" if share is None else _bar(share))
        lines = aligned(with_bars, left=table.left)
        if _fits(lines):
            return lines
    lines = aligned(rows, left=table.left)
    if _fits(lines):
        return lines
    at = max(range(table.left), key=lambda column: max(len(row[column]) for row in rows))
    left = WIDTH - (max(map(len, lines)) - max(len(row[at]) for row in rows))
    if left >= _NARROWEST:
        return aligned([*_broken(rows, at, left)], left=table.left)
    names = [" ".join(head) for head in heads]
    return [line for row in rows[n_heads:] for line in _as_line(names, row)]


def _fits(lines: Sequence[str]) -> bool:
    return max(map(len, lines)) <= WIDTH


def _broken(rows: Sequence[Sequence[str]], at: int, left: int) -> Iterator[list[str]]:
    """Yield rows whose texts in a column take several lines."""
    for row in rows:
        first, *others = wrap(row[at], left, subsequent_indent="  ") or [""]
        yield [*row[:at], first, *row[at + 1 :]]
        for line in others:
            yield ["" if place != at else line for place in range(len(row))]


def _as_line(heads: Sequence[str], row: Sequence[str]) -> list[str]:
    cells = [f"{head} {cell}" for head, cell in zip(heads[1:], row[1:], strict=True) if cell]
    return wrap(f"{row[0]}: {'; '.join(cells)}", WIDTH, subsequent_indent="  ")


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
