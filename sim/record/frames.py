"""Small tables of a run, each as parquet and as csv."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sim.files.disk import atomic_write


def write_tables(folder: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables into a run folder, by the names of their files."""
    for name, frame in tables.items():
        write_whole(folder / f"{name}.csv", frame.to_csv)
        write_whole(folder / f"{name}.parquet", frame.to_parquet)


def write_whole(path: Path, write: Callable[..., Any]) -> None:
    """Write a table by ``DataFrame.to_parquet`` or the like; only a complete file appears."""
    with atomic_write(path, flush=False) as partial:
        write(partial, index=False)
