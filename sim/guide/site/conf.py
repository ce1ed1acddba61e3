"""Settings of Sphinx for the site; its sources are the pages that ``standout guide`` prints.

The order of the navigation is that of the links in ``index.md``. Nothing is loaded from the network
when the site is looked at.
"""

from __future__ import annotations

import re
from importlib import metadata
from typing import TYPE_CHECKING

from sim.guide.site.drawing import with_drawings

if TYPE_CHECKING:
    from sphinx.application import Sphinx

project = "Standout"
copyright = "The Standout maintainers, MIT License"  # noqa: A001
release = version = metadata.version("standout")

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["**/__pycache__"]
html_theme = "furo"
html_title = "Standout"
html_copy_source = False
html_show_sourcelink = False

myst_heading_anchors = 3
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
napoleon_google_docstring = False
napoleon_use_rtype = False

_SECTION = re.compile(r"^## (?P<title>.+)\n\n(?P<links>(?:- \[.+\n)+)", re.MULTILINE)
_LINK = re.compile(r"^- \[(.+?)\]\((\w+)\.md\)", re.MULTILINE)
_API = """- [API](site/api.md): the functions of `import sim`, from their docstrings
"""
_SAMPLE = """
**See an answer first:** <a href="sample/report.html">a sample report</a>, as every run writes it.
It is that of an audit of a small synthetic release.
"""


def navigation(app: Sphinx, document: str, source: list[str]) -> None:  # noqa: ARG001
    """Add the navigation to the first page, and what only the site has."""
    if document == "index":
        before, first, after = source[0].partition("\n## ")
        source[0] = _SECTION.sub(_with_toctree, f"{before}{_SAMPLE}{first}{after}")


def _with_toctree(section: re.Match[str]) -> str:
    links, title = section["links"], section["title"]
    pages = [f"{words} <{name}>" for words, name in _LINK.findall(links)]
    if title == "Reference":
        links, pages = links + _API, [*pages, "API <site/api>"]
    tree = "\n".join(["```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```"])
    return f"## {title}\n\n{links}\n{tree}\n"


def outside(app: Sphinx, document: str, source: list[str]) -> None:  # noqa: ARG001
    """Name the files of the project that a page links to, since they are not part of the site.

    Graphs are drawn: what Mermaid would load from the network, a reader may not have.
    """
    source[0] = with_drawings(source[0])
    source[0] = re.sub(r"\[[^\]]+\]\(\.\./\.\./([^)]+)\)", r"`\1`", source[0])


def setup(app: Sphinx) -> None:
    """Connect the changes of pages."""
    app.connect("source-read", navigation)
    app.connect("source-read", outside)
