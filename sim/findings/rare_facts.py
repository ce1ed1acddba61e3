"""How high the risk may be by a fact that an attacker knows, and was not drawn (spec §9.1).

Invariant: what was not looked at may leave any risk.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from sim.findings.bound import is_above
from sim.metrics.fact_risk import KINDS, TABLE
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent
from sim.record.run_folder import RunFolder


@dataclass(frozen=True, slots=True)
class RareFacts:
    """The highest risk of a person by one fact about them, or by two.

    Parameters
    ----------
    item, value, date, pair : float or None
        By a fact that is an item, an item with its value, one with its date too, and by two facts;
        None: the attacker does not know it, or it was not looked at.
    not_looked_at : str
        What was not looked at, and why; empty: nothing.
    """

    item: float | None = None
    value: float | None = None
    date: float | None = None
    pair: float | None = None
    not_looked_at: str = ""

    @property
    def highest(self) -> float:
        """The highest risk by any of these facts; 1 where none was looked at.

        Examples
        --------
        >>> RareFacts(item=0.1, date=0.2).highest, RareFacts(not_looked_at="no fact").highest
        (0.2, 1.0)
        """
        return max((risk for _, risk in self._risks()), default=1.0)

    def why_above(self, bound: float) -> str:
        """Return what leaves more than a bound to whoever knows it; empty: nothing.

        Examples
        --------
        >>> RareFacts(item=0.1, value=0.5, date=1.0).why_above(0.2)
        'whoever knows an item with its value can be right with a probability of 50.0%'
        >>> RareFacts(item=0.1, value=0.2).why_above(0.2)
        ''
        """
        if self.item is None and is_above(1.0, bound):
            return f"what a single fact reveals was not looked at: {self.not_looked_at}"
        return next(
            (
                f"whoever knows {_KNOWN[name]} can be right with a probability of "
                f"{format_percent(risk)}"
                for name, risk in self._risks()
                if is_above(risk, bound)
            ),
            "",
        )

    @property
    def riskiest(self) -> str:
        """What leaves the highest risk: of several facts, the one that most people know.

        Examples
        --------
        >>> RareFacts(item=0.1, date=1.0, pair=1.0).riskiest
        'an item with its date'
        >>> RareFacts(not_looked_at="no single fact").riskiest
        ''
        """
        name = next((name for name, risk in self._risks() if risk == self.highest), "")
        return _KNOWN.get(name, "")

    @property
    def looked_at(self) -> str:
        """Which facts were looked at beside those drawn, and which were not."""
        facts = "any single fact" if self.pair is None else "any one or two facts without error"
        return f"{facts}; not for {self.not_looked_at}" if self.not_looked_at else facts

    def _risks(self) -> list[tuple[str, float]]:
        each = ((name, getattr(self, name)) for name in KINDS)
        return [(name, risk) for name, risk in each if risk is not None]


_KNOWN = {
    "item": "an item of a person",
    "value": "an item with its value",
    "date": "an item with its date",
    "pair": "two facts together",
}


def rare_facts_of(run: RunFolder, cell: int) -> RareFacts:
    """Return what was found for a grid cell of a run.

    Raises
    ------
    InputError
        Its tables cannot be read.
    """
    rows = run.tables[TABLE] if TABLE in run.tables else pd.DataFrame({"cell": []})
    found = row_dicts(rows[rows["cell"] == cell])
    if not found:
        return RareFacts(not_looked_at=f"the run has no table {TABLE}")
    risks = {
        name: None if pd.isna(risk) else float(risk)
        for name, risk in found[0].items()
        if name in KINDS
    }
    return RareFacts(**risks, not_looked_at=str(found[0]["not_looked_at"]))
