"""People who have too few facts to be attacked, and whether they alone exceed a bound.

Invariant: they count as found, whatever is done to the other records.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.metrics.risk_estimates import PERCENTILE, is_above, with_rest


@dataclass(frozen=True, slots=True)
class FewFacts:
    """How many people have fewer facts than an attacker uses.

    Parameters
    ----------
    facts : int
        That the attacker uses.
    short : int
        People who have fewer.
    records : int
        People in the release.
    """

    facts: int
    short: int
    records: int

    @classmethod
    def of_records(cls, length: NDArray[np.int32], facts: int) -> FewFacts:
        """Count the people by the lengths of their records.

        Parameters
        ----------
        length : int32 array, shape (n_records,)
        """
        return cls(facts, int(np.count_nonzero(length < facts)), length.size)

    @property
    def share(self) -> float:
        """The share of the people who have fewer."""
        return self.short / self.records

    def exceeds(self, measure: str, bound: float) -> bool:
        """Whether these people alone exceed a bound.

        Parameters
        ----------
        measure : str
            One of `sim.findings.attacker_row.MEASURES`.
        """
        eligible = self.records - self.short
        if measure == "highest":
            return self.short > 0 and is_above(1.0, bound)
        if measure == "percentile_99":
            return eligible / self.records < PERCENTILE and is_above(1.0, bound)
        return is_above(with_rest(0.0, {"records": self.records, "eligible": eligible}), bound)


@dataclass(frozen=True, slots=True)
class Cure:
    """What keeps people with too few facts from exceeding a bound.

    Parameters
    ----------
    length : int
        Cells that a record must have to stay in the release: as many as an attacker uses facts.
    facts : int
        Facts, instead of these, that few enough people lack; 1 if none of those tried is.
    """

    length: int
    facts: int


def cure(tried: Sequence[FewFacts], measure: str, bound: float) -> Cure | None:
    """Return what helps; None: people with too few facts do not alone exceed the bound.

    Parameters
    ----------
    tried : sequence of FewFacts
        One for each number of facts that an attacker uses.
    """
    lacked = [each.facts for each in tried if each.exceeds(measure, bound)]
    kept = [each.facts for each in tried if not each.exceeds(measure, bound)]
    return Cure(max(lacked), max(kept, default=1)) if lacked else None
