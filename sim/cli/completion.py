"""Completion in a shell: from the table of keys, or by Hydra, and commands."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sim.config.key_table import key_table

_TYPES = re.compile(r"_schema$")
"""Hydra takes the classes of the choices of ``conf/`` for choices: see `sim.config.schema`."""

_QUERY = "query="
_PLAIN = ("-m", "--multirun", "--quiet")
"""Flags that change no key."""


def complete(hydra: Callable[[], object], commands: Sequence[str]) -> None:
    """Print what may follow, or what Hydra prints for ``--shell-completion`` of anything else.

    Parameters
    ----------
    hydra : callable
        Runs Hydra on the command line.
    commands : sequence of str
        Words that the command line may begin with.
    """
    if not any(word.startswith(_QUERY) for word in sys.argv):
        hydra()
        return
    typed = os.environ.get("COMP_LINE", "")
    found = known_words(typed, commands)
    if found is None:
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(Exception):
            hydra()  # what is typed so far may be wrong: then there is nothing to suggest
        found = said.getvalue().split()
    between = "\n" if f"{_QUERY}fish" in sys.argv else " "
    print(between.join(suggested(found, typed, commands)))


def known_words(line: str, commands: Sequence[str] = ()) -> list[str] | None:
    """Return the keys, choices or files that may come next; None: only Hydra knows.

    Examples
    --------
    >>> known_words("standout data=t"), known_words("standout data=table data.value")
    (['data=table'], ['data.value=', 'data.value_bins='])
    >>> known_words("standout +seed") is None
    True
    """
    first, *words = line.split() or [""]
    words = [word.replace("'", "") for word in words if word not in _PLAIN]
    last = words.pop() if words and not line[-1:].isspace() else ""
    if first.startswith("python") or any(w.startswith(_OF_HYDRA) for w in (*words, last)):
        return None
    if words and words[0] in commands:
        return []
    key, equals, value = last.partition("=")
    if equals and value.startswith((".", "/")):
        folder, name = os.path.split(value)
        return [f"{key}={path}" for path in _files(folder, name)]
    if equals:
        return _choices(key, value)
    keys = _keys(words)
    return None if keys is None else sorted({_next(key, last) for key in keys} - {""})


_OF_HYDRA = ("-", "+", "~", "hydra")


def _choices(group: str, begun: str) -> list[str] | None:
    """Return the choices of a group, plug-ins among them; None: it is a key with a value."""
    table = key_table()
    names = [*table.choices.get(group, ())]
    if not names:
        return None
    if group in table.plugins:
        from importlib.metadata import entry_points

        names += entry_points(group=table.plugins[group]).names
    return [f"{group}={name}" for name in sorted({*names}) if name.startswith(begun)]


def _keys(words: Sequence[str]) -> list[str] | None:
    """Return groups, with "=", and keys of what is chosen; None: the table does not hold it."""
    table = key_table()
    found = [*table.keys[""], *(f"{group}=" for group in table.choices)]
    for group, written in table.chosen_by(words).items():
        for name in re.findall(r"\w+", written):
            if name not in (*table.choices[group], "null"):
                return None
            found += table.keys.get(f"{group}={name}", [])
    return found


def _next(key: str, begun: str) -> str:
    """Return what a word that has begun may become on the way to a key; empty: it cannot."""
    if not key.startswith(begun):
        return ""
    head, point, _ = key.partition(".")
    return f"{head}." if point and "." not in begun else f"{key.rstrip('=')}="


def _files(folder: str, begun: str) -> list[str]:
    with contextlib.suppress(OSError):
        names = sorted(path.name for path in Path(folder or ".").iterdir())
        return [os.path.join(folder, name) for name in names if name.startswith(begun)]  # noqa: PTH118
    return []


def suggested(found: Sequence[str], typed: str, commands: Sequence[str]) -> Iterator[str]:
    """Yield the words that may come next.

    Parameters
    ----------
    found : sequence of str
        Keys and choices: from the table, or by Hydra.
    typed : str
        The line so far.

    Examples
    --------
    >>> list(suggested(["data=table", "data=table_schema"], "standout data=t", ["describe"]))
    ['data=table']
    >>> list(suggested(["data="], "standout d", ["describe", "report"]))
    ['data=', 'describe']
    """
    yield from (word for word in found if not _TYPES.search(word))
    _, _, rest = typed.lstrip().partition(" ")
    if " " not in rest.lstrip():
        yield from (command for command in commands if command.startswith(rest.strip()))
