"""The list of rows that were left out as they cannot be read: ``unread.csv``.

It lies beside a store and in the folder of a run, for whoever mends the file; it may quote cells.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple, Protocol, runtime_checkable

from sim.numeric.text import safe_in_sheet

NAME = "unread.csv"


class UnreadRow(NamedTuple):
    """A row that was left out.

    Parameters
    ----------
    line : int
        Of the file, from 1; of parquet and frames, the row.
    column : str
        Of the cell that cannot be read; empty: the whole row.
    """

    file: str
    line: int
    column: str
    reason: str


@runtime_checkable
class LeavesOut(Protocol):
    """A source that may leave out rows."""

    def unread(self) -> Iterable[UnreadRow]:
        """Yield the rows that were left out; complete after `chunks`."""


def write_unread(source: Any, folder: Path) -> None:
    """Write the rows that a source left out into a folder; no file if there are none."""
    rows = [*source.unread()] if isinstance(source, LeavesOut) else []
    if not rows:
        return
    with (folder / NAME).open("w", encoding="utf-8", newline="") as out:
        table = csv.writer(out, lineterminator="\n")
        table.writerow(UnreadRow._fields)
        table.writerows(map(safe_in_sheet, row) for row in rows)


def copy_unread(store: Path, folder: Path) -> None:
    """Copy the list that lies beside a store, if there is one, into the folder of a run."""
    if (store / NAME).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(store / NAME, folder / NAME)
