"""Quotes of delimited text: whether they are text, and the error where they cannot be right."""

from __future__ import annotations

from sim.errors import InputError


class QuoteError(InputError):
    """The quotes of a text cannot be right, unless they are text.

    Parameters
    ----------
    lines : bool
        Whether they may be right if cells hold line ends.
    """

    def __init__(self, problem: str, *, lines: bool = False) -> None:
        super().__init__(problem)
        self.lines = lines


def quotes_are_text(data: bytes, delimiter: str) -> bool:
    r"""Whether quotes enclose no cells, by the lines of a text.

    Every line has as many cells as the first without them, and most cells that begin with a quote
    do not end with it.

    Examples
    --------
    >>> quotes_are_text(b'a\tb\n1\t"So" (live)\n', "\t"), quotes_are_text(b'a\tb\n1\t"So"\n', "\t")
    (True, False)
    """
    if b'"' not in data:
        return False
    lines = [line for line in data.rstrip(b"\n").split(b"\n") if line.strip()]
    rows = [line.rstrip(b"\r").split(delimiter.encode()) for line in lines]
    if not rows or any(len(row) != len(rows[0]) for row in rows):
        return False
    quoted = [cell for row in rows for cell in row if cell.startswith(b'"')]
    closed = [cell for cell in quoted if len(cell) > 1 and cell.endswith(b'"')]
    whole = sum(b'"' not in cell[1:-1].replace(b'""', b"") for cell in closed)
    return 2 * whole < len(quoted)
