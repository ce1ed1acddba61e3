"""Completion in a shell: what Hydra suggests, without the types of choices, and the commands."""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence

_TYPES = re.compile(r"_schema$")
"""Hydra takes the classes of the choices of ``conf/`` for choices: see `sim.config.schema`."""

_QUERY = "query="


def complete(hydra: Callable[[], object], commands: Sequence[str]) -> None:
    """Print what Hydra prints for ``--shell-completion``.

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
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.suppress(Exception):
        hydra()  # what is typed so far may be wrong: then there is nothing to suggest
    between = "\n" if f"{_QUERY}fish" in sys.argv else " "
    print(
        between.join(suggested(said.getvalue().split(), os.environ.get("COMP_LINE", ""), commands))
    )


def suggested(found: Sequence[str], typed: str, commands: Sequence[str]) -> Iterator[str]:
    """Yield the words that may come next.

    Parameters
    ----------
    found : sequence of str
        Hydra's suggestions.
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
