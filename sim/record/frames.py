"""Small tables of a run, as parquet; and as csv where they are exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sim.files.disk import atomic_write
from sim.numeric.text import safe_in_sheet


def write_tables(folder: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables into a run folder, by the names of their files.

    A column that mixes numbers and text, such as the errors of dates in parts of a suite, is text.
    """
    for name, given in tables.items():
        write_whole(folder / f"{name}.parquet", _of_one_type(given).to_parquet)


def write_csv(path: Path, frame: pd.DataFrame) -> None:
    """Write a table as csv, safe to open with a spreadsheet or to show on a terminal."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, safe_in_sheets(frame).to_csv)


def safe_in_sheets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with its text as `safe_in_sheet`; the parquet file has the text itself.

    Examples
    --------
    >>> table = pd.DataFrame({"item": ["=1+1", "-3", "tea"], "n": [-1, 2, 3]})
    >>> safe_in_sheets(table).to_numpy().tolist()
    [["'=1+1", -1], ['-3', 2], ['tea', 3]]
    """
    safe = frame.rename(columns=lambda name: safe_in_sheet(str(name)))
    for place, column in enumerate(frame.columns):
        values = frame[column]
        if not (pd.api.types.is_numeric_dtype(values) or pd.api.types.is_datetime64_dtype(values)):
            safe.isetitem(place, values.map(safe_in_sheet, na_action="ignore").array)
    return safe


def _of_one_type(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table in which no column mixes numbers and text.

    Examples
    --------
    >>> mixed = pd.DataFrame({"date_noise": [3, "2h", None], "n": [1, 2, 3]})
    >>> _of_one_type(mixed)["date_noise"].tolist()[:2]
    ['3', '2h']
    """
    one_type = frame.copy(deep=False)
    for name in filter(lambda name: pd.api.types.is_object_dtype(frame[name]), frame):
        known = frame[name].notna()
        if len({isinstance(value, str) for value in frame[name][known]}) > 1:
            one_type[name] = frame[name].astype(str).where(known, None).astype("string")
    return one_type


def write_whole(path: Path, write: Callable[..., Any]) -> None:
    """Write a table by ``DataFrame.to_parquet`` or the like; only a complete file appears."""
    with atomic_write(path, flush=False) as partial:
        write(partial, index=False)
