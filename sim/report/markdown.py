"""A screen, and chapters, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sim.report.screen import Screen
from sim.report.table import Chapter, Table

_MARKUP = str.maketrans({"\\": "\\\\", "|": "\\|", "<": "\\<", "`": "\\`", "*": "\\*", "\n": " "})


def plain(text: str) -> str:
    """Escape what would be markup: names of files and identifiers may hold anything."""
    return text.translate(_MARKUP)


def screen_markdown(screen: Screen) -> str:
    """Return a screen as Markdown, its verdict first."""
    blocks = [f"**{plain(screen.verdict)}** {' '.join(map(plain, screen.more))}".strip()]
    blocks += _list(line.strip() for line in screen.data)
    blocks += [] if screen.table is None else [_table(screen.table)]
    blocks += _list(f"Mind: {mind}" for mind in screen.minds)
    return "\n\n".join(blocks)


def chapters_markdown(chapters: Sequence[Chapter]) -> str:
    """Return chapters as Markdown, under headings of the second level."""
    return "\n\n".join("\n\n".join(_chapter(chapter)) for chapter in chapters)


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"## {plain(chapter.title)}"
    yield from map(plain, chapter.sentences)
    yield from _list(chapter.items)
    if chapter.table is not None:
        yield _table(chapter.table)
    for command in chapter.commands:
        yield f"```sh\n{command}\n```"


def _list(items: Iterable[str]) -> list[str]:
    lines = [f"- {plain(item)}" for item in items]
    return ["\n".join(lines)] if lines else []


def _table(table: Table) -> str:
    lines = [table.heads, ["---"] * len(table.heads), *table.rows]
    return "\n".join(f"| {' | '.join(map(plain, line))} |" for line in lines)
