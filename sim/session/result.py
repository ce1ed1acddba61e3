"""The results of a finished run, read from its folder."""

from __future__ import annotations

import functools
import shutil
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import pandas as pd

from sim.errors import ConfigError, MissingResultError
from sim.files.private import private
from sim.record.digests import as_written
from sim.record.run_folder import RunFolder, open_folder
from sim.session.arguments import with_checked_arguments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sim.findings.finding import Finding

Told = TypeVar("Told")


def _as_written(tell: Callable[[Result], Told]) -> Callable[[Result], Told]:
    """What is told of tables that somebody changed is told as one error; see `as_written`."""

    @functools.wraps(tell)
    def told(result: Result) -> Told:
        with as_written(result.folder):
            return tell(result)

    return told


class Result:
    """A finished run: an attack, a measurement of the release, or a suite of runs.

    Parameters
    ----------
    folder : str or Path
        Run folder; its files are described in ``sim/guide/files.md``. Its parts have the same.
    temporary : bool
        Whether to remove the folder with the result, its parts and the end of the process.

    Raises
    ------
    InputError
        The folder holds no finished run.
    """

    @with_checked_arguments
    def __init__(self, folder: str | Path, *, temporary: bool = False) -> None:
        self.folder = Path(folder)
        self._run: RunFolder = open_folder(self.folder)
        self._whole = self
        self._temporary = temporary
        if temporary:
            weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def __reduce__(self) -> tuple[Callable[..., Result], tuple[Any, ...]]:
        """Copy the name of the folder alone, so that another process opens it.

        Raises
        ------
        ConfigError
            The folder is removed with the result.
        """
        if self._whole._temporary:
            raise ConfigError(
                f"{self.folder}: is removed with this result, so no copy can be made of it for "
                "another process; run it with folder=, which keeps it"
            )
        whole = type(self), (self.folder.resolve(),)
        return whole if self._whole is self else (_part_of, (whole[1][0], self._run.within))

    @property
    def temporary_folder(self) -> Path | None:
        """The folder that is removed with the run that this is, or is a part of; None: it stays."""
        return self._whole.folder if self._whole._temporary else None

    @property
    def record(self) -> Mapping[str, Any]:
        """The configuration, release and provenance of the run: ``run.json``."""
        return self._run.record

    @property
    def tables(self) -> Mapping[str, pd.DataFrame]:
        """All tables of the run by name, each read on first use."""
        return _TablesOf(self)

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
    @_as_written
    def assessment(self) -> Mapping[str, Any]:
        """The assessment of an audit or a plan, computed from its tables, as ``assessment.json``.

        Raises
        ------
        InputError
            The run is neither.
        """
        from sim.report.json_files import assessment_json

        return assessment_json(self._run)

    @functools.cached_property
    @_as_written
    def findings(self) -> Sequence[Finding]:
        """What was found, the main result first, as ``findings.json``."""
        from sim.findings.of_run import findings_of

        return tuple(findings_of(self._run))

    @functools.cached_property
    @_as_written
    def summary(self) -> Mapping[str, Any]:
        """What was asked and what was found, as ``summary.json``."""
        from sim.report.summary_json import summary_of

        return summary_of(self._run)

    @functools.cached_property
    def parts(self) -> Mapping[str, Result]:
        """The parts of a suite that were run, by name; empty for a single run."""
        return {
            part.name: self._within(part.run) for part in self._run.parts if part.run is not None
        }

    @functools.cached_property
    def bayes(self) -> Result | None:
        """The Bayes-optimal attacker with the same knowledge, if it was run."""
        inside = self._run.bayes
        return None if inside is None else self._within(inside)

    @_as_written
    def comparison(self) -> pd.DataFrame | None:
        """Compare the results with the papers' statements about this experiment, if any."""
        from sim.papers.comparison import comparison_of

        return comparison_of(self._run)

    @_as_written
    def figures(self) -> dict[str, Figure]:
        """Draw all figures that apply to the run, by name."""
        from sim.report.figures.draw import figures_for

        return figures_for(self._run)

    @_as_written
    def report(self) -> Path:
        """Rewrite ``report.html`` of the folder and return its path."""
        from sim.record.own_files import check_folder
        from sim.report.page.html import write_report

        check_folder(self.folder)
        with private():
            return write_report(self.folder)

    @_as_written
    def _repr_html_(self) -> str:
        from sim.report.page.notebook import notebook_html

        note = f"{self.folder} is removed with this result; folder=… keeps it."
        return notebook_html(self._run, note if self._whole._temporary else "")

    @_as_written
    def __str__(self) -> str:
        from sim.report.screens.of_run import screen_of
        from sim.report.terminal import screen_text

        return screen_text(screen_of(self._run), folder=str(self.folder))

    def __repr__(self) -> str:
        return str(self)

    def _within(self, run: RunFolder) -> Result:
        """A result in the folder of this one, which must not be removed before."""
        found = Result.__new__(Result)
        found.folder, found._run, found._whole = run.path, run, self._whole
        found._temporary = False
        return found

    def _table(self, name: str) -> pd.DataFrame:
        if name not in self._run.tables:
            raise MissingResultError(
                f"{self.folder}: has no {name}.parquet; it has {', '.join(self._run.tables)}"
            )
        return self._run.tables[name]


def _part_of(folder: Path, within: str) -> Result:
    """Open a run within that of a folder; see `Result.__reduce__`."""
    result = Result(folder)
    for name in within.split("/"):
        result = result.parts.get(name, result.bayes or result)
    return result


class _TablesOf(Mapping[str, pd.DataFrame]):
    """The tables of a result, which keep it and so its folder, where that is removed with it."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __getitem__(self, name: str) -> pd.DataFrame:
        return self._result._run.tables[name]

    def __contains__(self, name: object) -> bool:
        return name in self._result._run.tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._result._run.tables)

    def __len__(self) -> int:
        return len(self._result._run.tables)

    def __repr__(self) -> str:
        return repr(self._result._run.tables)
