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
    """Make a source; `options` are those of `TableOptions` and of the source itself."""
    own = ("block_bytes", "repeats", "value_bins", "time_bin")
    size = {name: options.pop(name) for name in own if name in options}
    choice = ColumnChoice(user, item, value, date)
    return TableSource(path, choice, TableOptions(**options), **size)
