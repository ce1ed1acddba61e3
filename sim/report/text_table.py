"""Tables as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from sim.report.html_table import HtmlTable

_MOST_LINES = 20
_FEW = 6


def aligned(rows: Sequence[Sequence[str]], left: int = 0) -> list[str]:
    """Return a line for each row, its columns two blanks apart.

    Parameters
    ----------
    rows : sequence of sequence of str
        Equally long, the head included.
    left : int
        Number of columns aligned to the left; the others are aligned to the right.

    Examples
    --------
    >>> aligned([["name", "n"], ["a", "10"]], left=1)
    ['name   n', 'a     10']
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def table_text(given: HtmlTable, width: int = 100) -> str:
    """Format a table in aligned columns.

    Parameters
    ----------
    width : int
        Columns of the terminal.

    Returns
    -------
    str
        Transposed where it is too wide and has few rows; otherwise without the columns that do not
        fit. The last line names what is left out.

    Examples
    --------
    >>> import pandas as pd
    >>> from sim.report.html_table import frame_table
    >>> given = frame_table(pd.DataFrame({"of": ["values", "dates"], "n": [5, 12]}), "Any")
    >>> print(table_text(given))
    of       n
    values   5
    dates   12
    >>> table = frame_table(pd.DataFrame({"records": [1], "items": [2]}), "Any")
    >>> print(table_text(table, width=12))
    records  1
    items    2

    Rows that do not fit then are named by their first cells:

    >>> frame = pd.DataFrame({"facts": ["2 of 2", "4 of 4"], "right": [5, 6], "wrong": [1, 0]})
    >>> print(table_text(frame_table(frame, "Any"), width=19))
    facts  2 of 2
    right       5
    wrong       1
    not shown: facts 4
    of 4
    """
    heads = [column.head for column in given.columns]
    rows = [[cell.text for cell in row] for row in given.rows[:_MOST_LINES]]
    table = [heads, *rows]
    what = "the columns"
    if len(aligned(table)[0]) > width and len(rows) <= _FEW:
        what = heads[0]  # a row is a column now, under the level in its first cell
        table = [list(column) for column in zip(*table, strict=True)]
    texts = [column.numeric for column in given.columns]
    left = (texts.index(True) if True in texts else len(texts)) if what == "the columns" else 1
    kept = len(table[0])
    while kept > 1 and len(aligned([row[:kept] for row in table])[0]) > width:
        kept -= 1
    left_out = [
        *([f"the last {len(given.rows) - len(rows):,} rows"] * (len(given.rows) > len(rows))),
        *([f"{what} {', '.join(table[0][kept:])}"] if kept < len(table[0]) else []),
    ]
    if not any(table[0]):  # names and values alone
        table = table[1:]
    lines = aligned([row[:kept] for row in table], left=min(left, kept))
    more = fill(f"not shown: {'; and '.join(left_out)}", width).split("\n") if left_out else []
    return "\n".join([*lines, *more])
