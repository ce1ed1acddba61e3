"""Reads a run folder for reports: its record, its tables, its parts.

Invariant: only ``run.json`` and the parquet files are read, each table on first use.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from sim.errors import InputError
from sim.record.run_record import BAYES_FOLDER, FILE_FACTS_FOLDER, read_record, resume_command

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

    def __init__(self, folder: Path) -> None:
        self._paths = {path.stem: path for path in sorted(folder.glob("*.parquet"))}
        self._read: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self._read:
            if name not in self._paths:
                raise KeyError(f"{name}: no such table; there are {', '.join(self._paths)}")
            path = self._paths[name]
            try:
                self._read[name] = pd.read_parquet(path)
            except (OSError, ValueError) as error:
                raise InputError(f"{path}: cannot be read ({error}); run the study again") from None
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._paths

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)

    def __repr__(self) -> str:
        return f"Tables({', '.join(self._paths)})"


@dataclass(frozen=True, slots=True)
class Entry:
    """A part of a suite.

    Parameters
    ----------
    run : RunFolder or None
        None where the release does not allow the part.
    reason : str
        Why not.
    problem : str
        Which kind of reason, where it is recorded, as of chains of defences.
    """

    name: str
    run: RunFolder | None
    reason: str = ""
    problem: str = ""


@dataclass(frozen=True)
class RunFolder:
    """A run, or several as one.

    Parameters
    ----------
    record : dict
        Its ``run.json``.
    name : str
        Name of the part within a suite; empty for a single run.
    """

    path: Path
    record: Mapping[str, Any]
    name: str = ""

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
        return Tables(self.path)

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
        run = (self.record.get(name) or {}).get("folder") is not None
        return open_folder(self.path / name) if run else None


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
    needed = _NEEDED.get(run.kind)
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
    return run


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
        reason = str(part.get("reason") or "no reason was recorded")
        return Entry(name, None, reason, str(part.get("problem") or ""))
    path = suite.path / part["folder"]
    kept = _parts.get()
    if kept is None:
        return Entry(name, open_folder(path, name))
    if path not in kept:
        kept[path] = open_folder(path, name)
    return Entry(name, kept[path])
