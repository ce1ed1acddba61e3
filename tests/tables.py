"""Makes sources of tables from keywords, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.table import TableSource
from sim.release.readers.table_options import TableOptions


def table_source(
    path: Path, user: Any, item: Any, value: Any = None, date: Any = None, **options: Any
) -> TableSource:
    """Make a source; `options` are those of `TableOptions`, and ``block_bytes``."""
    size = {"block_bytes": options.pop("block_bytes")} if "block_bytes" in options else {}
    choice = ColumnChoice(user, item, value, date)
    return TableSource(path, choice, TableOptions(**options), **size)
