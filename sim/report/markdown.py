"""A screen, and chapters, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sim.report.chapter import Chapter
from sim.report.screen import Screen

_MARKUP = str.maketrans({"\\": "\\\\", "|": "\\|", "<": "\\<", "`": "\\`", "*": "\\*", "\n": " "})


def plain(text: str) -> str:
    """Escape what would be markup: names of files and identifiers may hold anything."""
    return text.translate(_MARKUP)


def screen_markdown(screen: Screen) -> str:
    """Return a screen as Markdown, its verdict first."""
    blocks = [f"**{plain(screen.verdict)}** {' '.join(map(plain, screen.more))}".strip()]
    blocks += ["\n".join(f"- {plain(line.strip())}" for line in screen.data)] if screen.data else []
    if screen.table is not None:
        blocks.append(_table(screen.table.heads, screen.table.rows))
    if screen.minds:
        blocks.append("\n".join(f"- Mind: {plain(mind)}" for mind in screen.minds))
    return "\n\n".join(blocks)


def chapters_markdown(chapters: Sequence[Chapter]) -> str:
    """Return chapters as Markdown, under headings of the second level."""
    return "\n\n".join("\n\n".join(_chapter(chapter)) for chapter in chapters)


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"## {plain(chapter.title)}"
    yield from map(plain, chapter.sentences)
    if chapter.items:
        yield "\n".join(f"- {plain(item)}" for item in chapter.items)
    if chapter.table is not None:
        heads = [column.head for column in chapter.table.columns]
        yield _table(heads, [[cell.text for cell in row] for row in chapter.table.rows])
    for command in chapter.commands:
        yield f"```sh\n{command}\n```"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(map(plain, line))} |" for line in lines)
