"""A finished part of a suite, as what is made of all parts together sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd


@dataclass(frozen=True, slots=True)
class Part:
    """A run within a run.

    Parameters
    ----------
    folder : Path
        Its own run folder.
    record : dict
        Its ``run.json``.
    """

    name: str
    folder: Path
    record: Mapping[str, Any]

    def table(self, name: str) -> pd.DataFrame:
        """Read one of its tables.

        Parameters
        ----------
        name : str
            ``curves``, ``decisions``, ``facts`` ...
        """
        return pd.read_parquet(self.folder / f"{name}.parquet")
