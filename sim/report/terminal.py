"""A screen, and the chapters below it, as plain text for a terminal.

Invariant: no line is wider than `WIDTH`, but for a command, which is not broken; a screen has the
rows and warnings for which it has lines, the most important first, and counts the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import wrap

from sim.numeric.text import quantity
from sim.report.screen import RUN, Screen
from sim.report.table import Chapter, Table
from sim.report.text_table import WIDTH, table_lines

_FEWEST_ROWS = 3
_MOST_ROWS = 20
"""Rows of a table below the screen."""

_OTHERS = 12
"""Characters that count what is left out."""

_APART = " " * 6
"""Between two commands on a line."""


def screen_text(screen: Screen, *, folder: str = RUN, bars: bool = False) -> str:
    """Return a screen as text of at most `WIDTH` columns.

    Parameters
    ----------
    folder : str
        Of the run, which commands name.
    bars : bool
        Whether shares have bars, as on a terminal, where there is room for them.
    """
    data = [part for line in screen.data for part in ([line] if len(line) <= WIDTH else fill(line))]
    verdict = [part for line in (screen.verdict, *screen.more) for part in wrap(line, WIDTH)]
    commands = _commands(screen.commands, folder)
    minds = [fill(f"Mind: {one}", " " * 6, WIDTH - _OTHERS) for one in screen.minds]
    room = screen.lines - sum(len(block) + 1 for block in (data, verdict, commands) if block) + 1
    table = []
    if screen.table is not None:
        table = _rows_for(screen.table, room - len(minds[0] if minds else []) - 1, bars=bars)
        room -= len(table) + 1
    said: list[str] = []
    shown = 0
    for mind in minds:
        if shown and len(said) + len(mind) > room:
            break
        said += mind
        shown += 1
    if said and (others := screen.n_others + len(minds) - shown):
        said[-1] += f" (+ {others} more)"
    blocks = [data, table, [*verdict, *said], commands]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _rows_for(table: Table, lines: int, *, bars: bool) -> list[str]:
    """Return a table of as many rows as fit into so many lines, the most important ones."""
    heads, rows = table_lines(table, bars=bars)
    caption = wrap(table.caption, WIDTH - _OTHERS)
    room = lines - len(heads)
    if not caption and (table.n_others or sum(map(len, rows)) > room):
        caption = [""]  # which counts the others
    blank = len(heads[0]) - len(heads[0].lstrip())
    is_inside = len(caption) == 1 and len(caption[0]) + _OTHERS < blank
    room -= 0 if is_inside else len(caption)
    kept = set[int]()
    for place in table.rank or range(len(rows)):
        if len(kept) >= _FEWEST_ROWS and len(rows[place]) > room:
            break
        kept.add(place)
        room -= len(rows[place])
    if others := table.n_others + len(rows) - len(kept):
        caption[-1] = f"{caption[-1]} (+ {quantity(others, 'row')})".lstrip()
    if is_inside:  # the first line of the head has room for it
        heads[0] = caption[0] + heads[0][len(caption.pop()) :]
    return [*caption, *heads, *(line for place in sorted(kept) for line in rows[place])]


def fill(line: str, indent: str = "  ", width: int = WIDTH) -> list[str]:
    """Return the lines of a text that is too long for one."""
    return wrap(line, width, subsequent_indent=indent)


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


def details_text(chapters: Iterable[Chapter]) -> str:
    """Return chapters as text."""
    return "\n\n".join("\n".join(_chapter(chapter)) for chapter in chapters)


def _chapter(chapter: Chapter) -> list[str]:
    lines = [f"{chapter.title}:", *(part for one in chapter.sentences for part in fill(one, ""))]
    lines += [part for one in chapter.items for part in fill(f"- {one}")]
    if chapter.table is not None and chapter.table.rows:
        heads, rows = table_lines(chapter.table)
        lines += [line for line in heads if line.strip()]
        lines += [line for row in rows[:_MOST_ROWS] for line in row]
        left = len(rows) - _MOST_ROWS
        lines += [f"({left:,} more rows in the report)"] if left > 0 else []
    return [*lines, *(f"  {command}" for command in chapter.commands)]
