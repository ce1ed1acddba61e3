"""The base class of measurements: studies of a release as a whole, without an attack.

Invariant: the tables depend only on the release, the settings and the seed. Every measurement has
a table ``facts``: a row per set of conditions, a column per condition and per measure, and the ends
of a measure's 95% interval as ``_low`` and ``_high`` (none if it is exact).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from sim.extend.options import Options
from sim.findings.finding import Finding, Kind, Value
from sim.numeric.text import is_null
from sim.plot.spec import FigureSpec
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store

Tables = Mapping[str, pd.DataFrame]
"""Frames by name, which is also the name of the file."""

FACTS = "facts"
"""The table that every measurement has."""


@dataclass(frozen=True)
class Measurement(Options, ABC):
    """One kind of study of a release."""

    group: ClassVar[str] = "study"
    facts: ClassVar[str] = ""
    """Describes the rows and columns of the table `FACTS`."""
    tables: ClassVar[Mapping[str, str]] = {}
    """Describes the further tables."""
    heads: ClassVar[Mapping[str, str]] = {}
    """Column heads in a report; other columns have their name as head."""
    figure: ClassVar[str | FigureSpec] = "facts"
    """Its figure, or the name of a module of `sim.report.figures` that has it."""

    kinds: ClassVar[tuple[Kind, ...]] = ()
    """Kinds of its findings, the main one first. A plug-in's is ``plugin:NAME``: its findings have
    a ``label``, a ``value`` and a ``unit`` ("%": the value is a share)."""

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterable[Finding]:  # noqa: ARG003
        """Return what the facts show, the most important first.

        Parameters
        ----------
        facts : DataFrame
            The table `FACTS`.
        study : Mapping
            The options, as in the configuration of the run.

        Returns
        -------
        iterable of Finding
            Of `kinds`; empty: the first measures are its findings.
        """
        return ()

    @classmethod
    def main_table(cls, facts: pd.DataFrame) -> pd.DataFrame:
        """Return the facts that a first screen shows, a few rows and columns; by default all."""
        return facts

    takes_repeats: ClassVar[bool] = False
    """Whether it is defined where a record holds an item in several cells."""

    def unmet(self, release: Manifest) -> str | None:
        """Return what the release lacks, repeats considered, as words to follow "needs"."""
        if release.has_repeats and not self.takes_repeats:
            return "one cell for each person and item (data.repeats=latest)"
        return self.lacks(release)

    def lacks(self, release: Manifest) -> str | None:  # noqa: ARG002
        """Return what the release lacks, in words that follow "needs"; None if nothing."""
        return None

    def memory(self, store: Store) -> int:  # noqa: ARG002
        """Return the bytes that it takes at most, beyond the release; 0: little.

        It is not begun where the system has less: the system would end it.
        """
        return 0

    @abstractmethod
    def measure(self, store: Store, seed: int) -> Tables:
        """Measure a release; `seed` is for random samples.

        Raises
        ------
        GridError
            The release is too small for the options.
        """


def numbers_of(row: Mapping[Any, Any], *columns: str) -> dict[str, Value]:
    """Return some columns of a row as the numbers of a finding; None for null.

    Examples
    --------
    >>> numbers_of({"k": 2, "bits": float("nan"), "n": 9}, "k", "bits")
    {'k': 2, 'bits': None}
    """
    return {name: None if is_null(row[name]) else row[name] for name in columns}
