"""``standout guide [PAGE]``: print a page of the guide, or list the pages."""

from __future__ import annotations

from collections.abc import Sequence

from sim.errors import InputError
from sim.guide import SCHEMA, SCHEMA_TITLE, page, pages


def guide_command(arguments: Sequence[str]) -> None:
    """Print the page that the arguments name; without one, the list of pages.

    Raises
    ------
    InputError
        There is no such page, or more than one argument.
    """
    if len(arguments) > 1:
        raise InputError("guide: expected at most one page: standout guide PAGE")
    if arguments:
        print(page(arguments[0]), end="")
        return
    for name, title in {**pages(), SCHEMA: SCHEMA_TITLE}.items():
        print(f"{name:<14}{title}")
    print("\nRead one with: standout guide PAGE")
