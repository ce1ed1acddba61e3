"""Tables as plain text, for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


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
