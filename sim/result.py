"""What a finished run found, read from its folder."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Result:
    """A finished run.

    Parameters
    ----------
    folder : Path
        Run folder; its files are described in ``outputs/README.md``.

    Raises
    ------
    InputError
        The folder holds no finished run.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / "curves.parquet").is_file():
            raise InputError(f"{folder}: holds no finished run: it has no curves.parquet")

    @functools.cached_property
    def record(self) -> dict[str, Any]:
        """What was asked of which release, and with what it was run: ``run.json``."""
        found: dict[str, Any] = json.loads((self.folder / "run.json").read_text(encoding="utf-8"))
        return found

    @functools.cached_property
    def curves(self) -> pd.DataFrame:
        """One row per grid cell: proportions with their intervals."""
        return pd.read_parquet(self.folder / "curves.parquet")

    @functools.cached_property
    def decisions(self) -> pd.DataFrame:
        """One row per grid cell and target."""
        return pd.read_parquet(self.folder / "decisions.parquet")

    @functools.cached_property
    def aux(self) -> pd.DataFrame:
        """One row per grid cell, target and item the adversary knew."""
        return pd.read_parquet(self.folder / "aux.parquet")

    def figures(self) -> dict[str, Figure]:
        """Draw the figures that apply, by name."""
        from sim.report.draw import figures_for

        return figures_for(self.folder)

    def __str__(self) -> str:
        from sim.report.beside import comparison_text
        from sim.report.table import curve_table

        config, release = self.record["config"], self.record["release"]
        title = (
            f"{config['name']} with {config['attack']['name']} on {release['source']}: "
            f"{release['n_records']:,} records × {release['n_items']:,} items, "
            f"{release['n_cells']:,} cells"
        )
        parts = (title, curve_table(self.curves), comparison_text(self.curves, config))
        return "\n\n".join(part for part in parts if part)

    def __repr__(self) -> str:
        return str(self)
