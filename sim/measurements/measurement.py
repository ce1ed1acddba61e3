"""The base class of measurements: studies of a release as a whole, without an attack.

Invariant: the tables depend only on the release, the settings and the seed. Every measurement has
a table ``facts``: a row per set of conditions, a column per condition and per measure, and the ends
of a measure's 95% interval as ``_low`` and ``_high`` (none if it is exact).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from sim.extend.options import Options
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

    @classmethod
    def summarise(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Sequence[str]:  # noqa: ARG003
        """Summarise the facts in sentences, the most important first.

        Parameters
        ----------
        facts : DataFrame
            The table `FACTS`.
        study : Mapping
            The options, as in the configuration of the run.

        Returns
        -------
        sequence of str
            Empty: the report names the first measures instead.
        """
        return ()

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
