"""Small tables of a run, each as parquet and as csv."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd


def write_tables(folder: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables into a run folder.

    Parameters
    ----------
    folder : Path
    tables : dict of str to DataFrame
        By the name of the file.
    """
    for name, frame in tables.items():
        write_whole(folder / f"{name}.csv", frame.to_csv)
        write_whole(folder / f"{name}.parquet", frame.to_parquet)


def write_whole(path: Path, write: Callable[..., Any]) -> None:
    """Write a table that appears under its name only when it is whole.

    Parameters
    ----------
    path : Path
    write : callable
        ``DataFrame.to_parquet`` or the like.
    """
    partial = path.with_suffix(path.suffix + ".partial")
    write(partial, index=False)
    partial.replace(path)
