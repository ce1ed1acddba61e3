"""What a notebook shows of a run: its results as text, and its figures.

Invariant: nothing more than the report says, and every name in it is escaped.
"""

from __future__ import annotations

from markupsafe import Markup, escape

from sim.record.run_folder import RunFolder
from sim.report.page.html import shown_figures
from sim.report.page.text import text_of


def notebook_html(run: RunFolder, note: str = "") -> str:
    """Return a run as HTML for the output of a cell.

    Parameters
    ----------
    note : str
        A sentence to end with.
    """
    figures = Markup("").join(
        Markup('<img src="{}" alt="{}" width="{}" style="max-width: 100%">').format(
            one.source, one.alt, one.width
        )
        for one in shown_figures(run)
    )
    end = Markup("<p>{}</p>").format(note) if note else ""
    return str(preformatted(text_of(run)) + figures + end)


def preformatted(text: str) -> Markup:
    """Return text as it is, in columns.

    Examples
    --------
    >>> print(preformatted("a < b"))
    <pre>a &lt; b</pre>
    """
    return Markup("<pre>") + escape(text) + Markup("</pre>")
