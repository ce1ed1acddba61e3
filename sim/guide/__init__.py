"""The guide: specification, architecture, glossary, and how to extend Standout."""

from __future__ import annotations

from importlib.resources import files

from sim.errors import InputError
from sim.numeric.text import did_you_mean

_SUFFIX = ".md"


def pages() -> dict[str, str]:
    """Return the title of every page by its name.

    Examples
    --------
    >>> pages()["glossary"]
    'Glossary'
    """
    found = sorted(p.name for p in files(__package__).iterdir() if p.name.endswith(_SUFFIX))
    names = [name.removesuffix(_SUFFIX) for name in found]
    return {name: page(name).splitlines()[0].removeprefix("# ") for name in names}


SCHEMA, SCHEMA_TITLE = "schema", "JSON Schema of summary.json"
"""Not a page, but printed as one."""


def page(name: str) -> str:
    """Return a page as Markdown, or `SCHEMA`.

    Raises
    ------
    InputError
        There is no such page.

    Examples
    --------
    >>> page("history")
    Traceback (most recent call last):
    sim.errors.InputError: guide: no page 'history'; list the pages with: standout guide
    """
    found = {p.name: p for p in files(__package__).iterdir()}.get(
        "summary.schema.json" if name == SCHEMA else name + _SUFFIX
    )
    if found is None:
        like = did_you_mean(name, [*pages(), SCHEMA])
        raise InputError(f"guide: no page {name!r}{like}; list the pages with: standout guide")
    return found.read_text(encoding="utf-8")
