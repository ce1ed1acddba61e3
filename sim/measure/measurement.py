"""What a study that attacks nobody is: it measures the release as a whole.

Invariant: the tables depend on the release, the settings and the seed alone. Every measurement has
a table ``facts``: a row per set of conditions, a column per condition and per measure, the ends of
a measure's 95% interval beside it as ``_low`` and ``_high`` (none: it is exact).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Protocol

import pandas as pd

from sim.release.store.manifest import Manifest
from sim.release.store.store import Store

Tables = Mapping[str, pd.DataFrame]
"""Frames by name: the name of the file each is written to."""

FACTS = "facts"
"""The table that every measurement has."""


class Measurement(Protocol):
    """One kind of study of a release."""

    kind: ClassVar[str]

    def lacks(self, release: Manifest) -> str | None:  # noqa: ARG002
        """What the release would have to hold; None if nothing is missing.

        Parameters
        ----------
        release : Manifest

        Returns
        -------
        str or None
            In words that end "needs ...". Nothing, unless a measurement says otherwise.
        """
        return None

    def measure(self, store: Store, seed: int) -> Tables:
        """Measure.

        Parameters
        ----------
        store : Store
        seed : int
            Of samples, where any are drawn.

        Returns
        -------
        Tables

        Raises
        ------
        GridError
            The release is too small for what is asked.
        """
