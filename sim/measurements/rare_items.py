"""Counts the records with items outside the most supported (NS08, section 5; NS07, section 3).

Invariant: shares are of all records, not of a sample; they are null if a release has no items
outside the most supported.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from sim.adversary.knowledge import Window
from sim.adversary.targets import items_in_window
from sim.errors import GridError
from sim.extend.options import constant, option
from sim.findings.finding import Finding, Kind
from sim.measurements.measurement import FACTS, Measurement, Tables, numbers_of
from sim.numeric.rows import row_dicts
from sim.release.store.manifest import Manifest
from sim.release.store.store import Store

RARE_ITEMS_HELD = Kind("rare_items_held", "the share of people with items outside the most popular")


@dataclass(frozen=True)
class RareItems(Measurement):
    """Counts the records that hold items outside the most supported.

    Examples
    --------
    >>> RareItems(outside=(100,), at_least=(1, 5)).kind
    'rare_items'
    """

    kind: ClassVar[str] = "rare_items"
    summary: ClassVar[str] = "records with items outside the most popular"
    facts: ClassVar[str] = (
        "per `popularity` X: `items` outside the top X, shares of records with `at_least_1` ... of "
        "them"
    )
    figure: ClassVar[str] = "rare_items"
    kinds: ClassVar[tuple[Kind, ...]] = (RARE_ITEMS_HELD,)

    outside: tuple[int, ...] = option(
        (100, 500, 1000),
        help="X: number of the most supported items to exclude",
        minimum=0,
        ascending=True,
    )
    # Numbers of the other items in a record, as in the tables of NS08 and NS07.
    at_least: tuple[int, ...] = constant((1, 5, 10), minimum=1, ascending=True)

    @classmethod
    def findings(cls, facts: pd.DataFrame, study: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003
        """See `Measurement.findings`."""
        few = min(cls.at_least)
        for row in row_dicts(facts[facts[f"at_least_{few}"].notna()]):
            yield RARE_ITEMS_HELD.with_numbers(
                "measurement:rare_items",
                numbers_of(row, "popularity", "items")
                | {"at_least": few, "rate": row[f"at_least_{few}"]},
            )

    def lacks(self, release: Manifest) -> str | None:
        """Return how many items the release would need; None if it has enough."""
        least = min(self.outside)
        if release.n_items > least:
            return None
        return f"more than {least} items"

    def measure(self, store: Store, seed: int) -> Tables:  # noqa: ARG002
        """Measure.

        Parameters
        ----------
        seed : int
            Not used: nothing is drawn.

        Returns
        -------
        Tables
            ``facts``: a row per X, ``popularity``, with the number of ``items`` that are left, and
            the share of records that hold at least k of them as ``at_least_k``: exact, null where
            no item is left.

        Raises
        ------
        GridError
            No X leaves any item.
        """
        missing = self.lacks(store.manifest)
        if missing:
            raise GridError(
                f"study.outside: needs {missing}, and the release has {store.manifest.n_items}; "
                "leave out fewer"
            )
        return {FACTS: pd.DataFrame([self._row(store, most) for most in self.outside])}

    def _row(self, store: Store, most: int) -> dict[str, Any]:
        left = max(store.manifest.n_items - most, 0)
        row: dict[str, Any] = {"popularity": most, "items": left}
        if not left:
            return row | {f"at_least_{k}": math.nan for k in self.at_least}
        held = items_in_window(store, Window(most), draw="items")
        return row | {
            f"at_least_{k}": np.count_nonzero(held >= k) / held.size for k in self.at_least
        }
