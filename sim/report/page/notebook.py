"""What a notebook shows of a run: the first screen of its report.

Invariant: nothing more than the report says, and every name in it is escaped.
"""

from __future__ import annotations

from markupsafe import Markup, escape

from sim.numeric.text import visible
from sim.record.run_folder import RunFolder
from sim.report.page.html import first_screen


def notebook_html(run: RunFolder, note: str = "") -> str:
    """Return a run as HTML for the output of a cell."""
    return visible(first_screen(run) + (Markup("<p>{}</p>").format(note) if note else ""))


def preformatted(text: str) -> Markup:
    """Return text as it is, in columns.

    Examples
    --------
    >>> print(preformatted("a < b"))
    <pre>a &lt; b</pre>
    """
    return Markup("<pre>") + escape(text) + Markup("</pre>")
