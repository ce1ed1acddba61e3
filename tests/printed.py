"""What documents, help and messages print to be typed, found by its form."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]

NONE_CALLED = "none of that name is installed, as a plug-in or otherwise; "
"""Of a choice that plug-ins can add to."""

KEY = r"\+{0,2}[a-z_]+(?:\.[a-z0-9_]+)*"
_BEGINNING = re.compile(rf"""(?<![\w.'"=/-])(?=["']?{KEY}=[^\s),;])""")
_PROGRAMS = ("standout", "make", "ray", "python", "export", "chmod", "(umask")


def overrides_in(text: str) -> list[str]:
    """Overrides in a sentence, as a shell would hand them on."""
    found, end = [], 0
    for match in _BEGINNING.finditer(text):
        if match.start() < end:
            continue
        lexer = shlex.shlex(text[match.start() :], posix=True)
        lexer.whitespace_split, lexer.commenters = True, ""
        word = lexer.get_token() or ""
        end = match.start() + lexer.instream.tell()
        found.append(word if word.endswith("...") else word.rstrip(",;:.?)"))
    return found


def joined_lines(text: str) -> Iterator[str]:
    """Lines, those that end in a backslash with what follows."""
    for line in re.sub(r"[ ]*\\\n\s*", " ", text).splitlines():
        if line.strip():
            yield line.strip()


def fenced(markdown: str, *languages: str) -> Iterator[str]:
    """Fenced blocks in some languages."""
    for language, body in re.findall(r"^```(\w*)\n(.*?)^```", markdown, re.MULTILINE | re.DOTALL):
        if language in languages:
            yield body


def spans(markdown: str) -> list[str]:
    """Code within sentences."""
    prose = re.sub(r"^```.*?^```", "", markdown, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", prose)]


def comments(yaml: str) -> list[str]:
    """Comments of a configuration."""
    return re.findall(r"#\s?(.*)$", yaml, re.MULTILINE)


def is_command(line: str) -> bool:
    """Whether a line begins like a command."""
    return line.split(maxsplit=1)[0] in _PROGRAMS and " " in line.strip()


def commands_of(path: Path) -> list[str]:
    """Command lines of a document, of the help or of the comments of a configuration."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        blocks = [line for block in fenced(text, "sh", "") for line in joined_lines(block)]
        found = [line for line in [*blocks, *spans(text)] if is_command(line)]
    elif path.suffix == ".txt":
        lines = [re.split(r"\s{2,}", line)[-1] for line in joined_lines(text)]
        found = [line for line in lines if is_command(line)]
    else:
        found = [m[0] for m in (re.search(r"\bstandout .*", x) for x in comments(text)) if m]
    return list(dict.fromkeys(found))


def words_of(line: str) -> list[str]:
    """Words of a command line, without a mark that some are left out."""
    return [word for word in shlex.split(line, comments=True) if word != "…"]
