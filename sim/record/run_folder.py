"""Reads a run folder for reports: its record, its tables, its parts.

Invariant: only ``run.json`` and the parquet files are read, each table on first use.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd
import pyarrow as pa

from sim.errors import InputError
from sim.record.gathered import TableFiles, record_within
from sim.record.run_record import (
    BAYES_FOLDER,
    FILE_FACTS_FOLDER,
    NAME,
    check_record,
    read_record,
    resume_command,
)

RunKind = Literal["attack", "measurement", "suite"]

_NEEDED = {"attack": "curves", "measurement": "facts"}


class Tables(Mapping[str, pd.DataFrame]):
    """The parquet files of a folder, by name, each read once, on first use.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as name:
    ...     pd.DataFrame({"k": [2]}).to_parquet(Path(name) / "facts.parquet")
    ...     list(Tables(Path(name))), Tables(Path(name))["facts"]["k"].tolist()
    (['facts'], [2])
    """

    def __init__(self, folder: Path, run: str = "", files: TableFiles | None = None) -> None:
        self._files = TableFiles(folder) if files is None else files
        self._run = run
        self._read: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._read:
            self._read[name] = self.rows(name).to_pandas()
        return self._read[name]

    def rows(
        self, name: str, columns: Sequence[str] | None = None, cell: int | None = None
    ) -> pa.Table:
        """Read a table, or some columns of it, or of one grid cell; see `TableFiles.read`.

        Raises
        ------
        KeyError
            There is no such table.
        InputError
            It cannot be read.
        """
        if name not in self:
            raise KeyError(f"{name}: no such table; there are {', '.join(self)}")
        return self._files.read(name, self._run, columns, cell)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._files.has(name, self._run)

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._files.paths if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"Tables({', '.join(self)})"


@dataclass(frozen=True, slots=True)
class Entry:
    """A part of a suite.

    Parameters
    ----------
    run : RunFolder or None
        None where the release does not allow the part.
    error : str
        What it ended in.
    problem : str
        The kind of the finding that this is.
    """

    name: str
    run: RunFolder | None
    error: str = ""
    problem: str = ""


@dataclass(frozen=True)
class RunFolder:
    """A run, or several as one.

    Parameters
    ----------
    record : dict
        Its ``run.json``.
    path : Path
        Of the folder that its tables are read from.
    name : str
        Name of the part within a suite; empty for a single run.
    within : str
        Which of the runs of the folder it is, as in the column ``run`` of its tables.
    files : TableFiles, optional
        Of the folder, where others read them too.
    """

    path: Path
    record: Mapping[str, Any]
    name: str = ""
    within: str = ""
    files: TableFiles | None = None

    @property
    def config(self) -> Mapping[str, Any]:
        """The configuration of the run."""
        config: Mapping[str, Any] = self.record["config"]
        return config

    @property
    def kind(self) -> RunKind:
        """An attack, a measurement of the release, or a suite of runs."""
        if self.config.get("parts"):
            return "suite"
        return "attack" if study_of(self.config) == "attack" else "measurement"

    @cached_property
    def worked_out(self) -> dict[Any, Any]:
        """What was worked out of its tables, by a key of whoever did, so that it is done once."""
        return {}

    @cached_property
    def tables(self) -> Tables:
        """Its parquet files."""
        return Tables(self.path, self.within, self._files)

    @cached_property
    def _files(self) -> TableFiles:
        return TableFiles(self.path) if self.files is None else self.files

    def decisions(self, columns: Sequence[str], cell: int | None = None) -> pa.Table:
        """Read columns of the decisions of an attack, or of those of one grid cell.

        Raises
        ------
        InputError
            They cannot be read.
        """
        if "decisions" not in self.tables:
            raise InputError(f"{self.path / 'decisions.parquet'}: missing; run the study again")
        return self.tables.rows("decisions", columns, cell)

    @cached_property
    def parts(self) -> tuple[Entry, ...]:
        """The parts of a suite, in its order; empty for a single run."""
        return tuple(_entry(self, part) for part in self.record.get("parts") or ())

    @cached_property
    def bayes(self) -> RunFolder | None:
        """The Bayes-optimal attacker's run within this one, if it was run."""
        return self._inner(BAYES_FOLDER)

    @cached_property
    def file_facts(self) -> RunFolder | None:
        """The same attack with facts of the file, if it was run within this one."""
        return self._inner(FILE_FACTS_FOLDER)

    def _inner(self, name: str) -> RunFolder | None:
        entry = self.record.get(name) or {}
        return self.run_within(entry, name) if entry.get("folder") is not None else None

    def run_within(self, entry: Mapping[str, Any], name: str) -> RunFolder:
        """Open a run within this one: of the same tables, or in a folder of its own.

        Raises
        ------
        InputError
            It holds no results.
        """
        try:
            record = record_within(entry, self.record)
        except (KeyError, TypeError):
            raise InputError(f"{self.path / NAME}: {name}: not the record of a run") from None
        if record is None:
            return open_folder(self.path / entry["folder"], name)
        check_record(self.path / NAME, record)
        within = f"{self.within}/{entry['folder']}" if self.within else str(entry["folder"])
        run = RunFolder(self.path, record, name, within, self._files)
        _check_results(run)
        return run


def study_of(config: Mapping[str, Any]) -> str:
    """Return the kind of study: ``attack``, or a kind of measurement.

    Examples
    --------
    >>> study_of({"study": {"kind": "lengths"}}), study_of({"attack": {"name": "bayes"}})
    ('lengths', 'attack')
    """
    return str((config.get("study") or {"kind": "attack"})["kind"])


def open_folder(folder: Path, name: str = "") -> RunFolder:
    """Open a run folder that holds results.

    Raises
    ------
    InputError
        It is no run folder, or has no results yet.
    """
    run = RunFolder(folder, read_record(folder), name)
    if not (folder / NAME).is_file():
        raise InputError(f"{folder}: incomplete; finish the run first: {resume_command(folder)}")
    _check_results(run)
    return run


def _check_results(run: RunFolder) -> None:
    """Check that a run has the results of its kind."""
    folder, needed = run.path, _NEEDED.get(run.kind)
    if needed is None:
        done = any(part.get("status") == "complete" for part in run.record.get("parts") or ())
    else:
        done = needed in run.tables
    if not done:
        lacking = f"{needed}.parquet" if needed else "finished part"
        raise InputError(
            f"{folder}: holds no finished run: it has no {lacking}; "
            f"if it was interrupted: {resume_command(folder)}"
        )


def runs_of(run: RunFolder) -> Iterator[RunFolder]:
    """Yield a run, or the single runs of a suite, parts of parts included."""
    if run.kind != "suite":
        yield run
    for part in run.parts:
        if part.run is not None:
            yield from runs_of(part.run)


_parts: ContextVar[dict[Path, RunFolder] | None] = ContextVar("parts", default=None)
"""Parts that were opened within `parts_opened_once`; None: outside of it."""


@contextlib.contextmanager
def parts_opened_once() -> Iterator[None]:
    """Open each part of a suite once, however often the suite is.

    A suite opens itself anew for each of its tables and pages. Its parts are finished by then,
    and reading them is most of its work where people are few.
    """
    if _parts.get() is not None:
        yield
        return
    token = _parts.set({})
    try:
        yield
    finally:
        _parts.reset(token)


def _entry(suite: RunFolder, part: Mapping[str, Any]) -> Entry:
    name = part["name"]
    if part["status"] != "complete":
        error = str(part.get("error") or "none was recorded")
        return Entry(name, None, error, str(part.get("problem") or ""))
    kept = _parts.get()
    if kept is None:
        return Entry(name, suite.run_within(part, name))
    path = suite.path / suite.within / part["folder"]
    if path not in kept:
        kept[path] = suite.run_within(part, name)
    return Entry(name, kept[path])
