"""The results of a finished run, read from its folder."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from sim.errors import InputError
from sim.files.private import private
from sim.record.run_folder import RunFolder, open_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Result:
    """A finished run: an attack, a measurement of the release, or a suite of runs.

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
        self._run: RunFolder = open_folder(self.folder)

    @property
    def record(self) -> Mapping[str, Any]:
        """The configuration, release and provenance of the run: ``run.json``."""
        return self._run.record

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """All tables of the run by name, each read on first use."""
        return self._run.tables

    @property
    def curves(self) -> pd.DataFrame:
        """One row per grid cell of an attack: proportions with their intervals."""
        return self._table("curves")

    @property
    def decisions(self) -> pd.DataFrame:
        """One row per grid cell and target of an attack."""
        return self._table("decisions")

    @property
    def aux(self) -> pd.DataFrame:
        """One row per grid cell, target and item the adversary knew."""
        return self._table("aux")

    @property
    def facts(self) -> pd.DataFrame:
        """One row per set of conditions of a measurement, or of a suite's aggregate."""
        return self._table("facts")

    @functools.cached_property
    def assessment(self) -> Mapping[str, Any]:
        """The assessment of an audit or a plan, computed from its tables, as ``assessment.json``.

        Raises
        ------
        InputError
            The run is neither.
        """
        from sim.report.page.assessment import assessment_of

        return assessment_of(self._run)

    @functools.cached_property
    def parts(self) -> Mapping[str, Result]:
        """The parts of a suite that were run, by name; empty for a single run."""
        return {
            part.name: Result(part.run.path) for part in self._run.parts if part.run is not None
        }

    @functools.cached_property
    def bayes(self) -> Result | None:
        """The Bayes-optimal attacker with the same knowledge, if it was run."""
        inside = self._run.bayes
        return None if inside is None else Result(inside.path)

    def comparison(self) -> pd.DataFrame | None:
        """Compare the results with the papers' statements about this experiment, if any."""
        from sim.papers.comparison import comparison_of

        return comparison_of(self._run)

    def figures(self) -> dict[str, Figure]:
        """Draw all figures that apply to the run, by name."""
        from sim.report.figures.draw import figures_for

        return figures_for(self.folder)

    def report(self) -> Path:
        """Rewrite ``report.html`` and return its path."""
        from sim.record.own_files import check_folder
        from sim.report.page.html import write_report

        check_folder(self.folder)
        with private():
            return write_report(self.folder)

    def __str__(self) -> str:
        from sim.report.page.text import text_of

        return text_of(self._run)

    def __repr__(self) -> str:
        return str(self)

    def _table(self, name: str) -> pd.DataFrame:
        if name not in self._run.tables:
            raise InputError(
                f"{self.folder}: has no {name}.parquet; it has {', '.join(self._run.tables)}"
            )
        return self._run.tables[name]
