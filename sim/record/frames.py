"""Small tables of a run, each as parquet and as csv."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sim.files.disk import atomic_write


def write_tables(folder: Path, tables: Mapping[str, pd.DataFrame]) -> None:
    """Write tables into a run folder, by the names of their files.

    A column that mixes numbers and text, such as the errors of dates in parts of a suite, is text.
    """
    for name, given in tables.items():
        frame = _of_one_type(given)
        write_whole(folder / f"{name}.csv", frame.to_csv)
        write_whole(folder / f"{name}.parquet", frame.to_parquet)


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
