"""How rare a fact may be that an attacker knows, and was not drawn (spec §9.1).

Invariant: what was not counted may be as rare as can be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from sim.assessment.bound import is_above
from sim.metrics.fewest_fitting import COUNTS, TABLE
from sim.numeric.rows import row_dicts
from sim.numeric.text import quantity
from sim.record.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class RareFacts:
    """The fewest records of a release that fit a fact about one of them.

    Parameters
    ----------
    item, value, date, pair : int or None
        Of a fact that is an item, an item with its value, one with its date too, and of two facts;
        None: the attacker does not know it, or it was not counted.
    not_counted : str
        What was not counted, and why; empty: nothing.
    """

    item: int | None = None
    value: int | None = None
    date: int | None = None
    pair: int | None = None
    not_counted: str = ""

    @property
    def fewest(self) -> int:
        """The fewest records that fit any of these facts; 1 where none was counted.

        Examples
        --------
        >>> RareFacts(item=9, date=4).fewest, RareFacts(not_counted="no single fact").fewest
        (4, 1)
        """
        return min((n for _, n in self._counted()), default=1)

    def why_above(self, bound: float) -> str:
        """Return what leaves more than a bound to whoever knows it; empty: nothing.

        Examples
        --------
        >>> RareFacts(item=9, value=1).why_above(0.2)
        'an item with its value fits only 1 record'
        >>> RareFacts(item=9, value=5).why_above(0.2)
        ''
        """
        if self.item is None and is_above(1.0, bound):
            return f"how many records fit a single fact was not counted: {self.not_counted}"
        return next(
            (
                f"{_WORDS[name]} only {quantity(n, 'record')}"
                for name, n in self._counted()
                if is_above(1 / n, bound)
            ),
            "",
        )

    @property
    def why_fewest(self) -> str:
        """What fits the fewest records: of several facts, the one that most people know.

        Examples
        --------
        >>> RareFacts(item=631, date=1, pair=1).why_fewest
        'an item with its date fits only 1 record'
        """
        return self._rarest(_WORDS) or self.why_above(0)

    @property
    def rarest(self) -> str:
        """The same as what somebody knows; empty: nothing was counted.

        Examples
        --------
        >>> RareFacts(item=631, date=1, pair=1).rarest
        'an item with its date that fits only 1 record'
        >>> RareFacts(not_counted="no single fact").rarest
        ''
        """
        return self._rarest(_KNOWN)

    def _rarest(self, words: Mapping[str, str]) -> str:
        name = next((name for name, n in self._counted() if n == self.fewest), "")
        return f"{words[name]} only {quantity(self.fewest, 'record')}" if name else ""

    @property
    def looked_at(self) -> str:
        """Which facts were looked at beside those drawn, and which were not."""
        facts = "any single fact" if self.pair is None else "any one or two facts without error"
        return f"{facts}; not for {self.not_counted}" if self.not_counted else facts

    def _counted(self) -> list[tuple[str, int]]:
        each = ((name, getattr(self, name)) for name in COUNTS)
        return [(name, n) for name, n in each if n is not None]


_WORDS = {
    "item": "an item of a record is held by",
    "value": "an item with its value fits",
    "date": "an item with its date fits",
    "pair": "two facts together fit",
}
_KNOWN = {
    "item": "an item that is held by",
    "value": "an item with its value that fits",
    "date": "an item with its date that fits",
    "pair": "two facts that together fit",
}


def rare_facts_of(run: RunFolder, cell: int) -> RareFacts:
    """Return what was counted for a grid cell of a run.

    Raises
    ------
    InputError
        Its tables cannot be read.
    """
    rows = run.tables[TABLE] if TABLE in run.tables else pd.DataFrame({"cell": []})
    found = row_dicts(rows[rows["cell"] == cell])
    if not found:
        return RareFacts(not_counted=f"the run has no table {TABLE}")
    numbers = {
        name: None if pd.isna(n) else int(n) for name, n in found[0].items() if name in COUNTS
    }
    return RareFacts(**numbers, not_counted=str(found[0]["not_counted"]))
