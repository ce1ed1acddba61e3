"""The option of attacks that rule records out: to look at every record all the same."""

from __future__ import annotations

from dataclasses import dataclass

from sim.attack.engine.algorithm import Algorithm
from sim.extend.options import option


@dataclass(frozen=True, kw_only=True)
class CandidatesFirst(Algorithm):
    """An attack that gives most records nothing, and need not look at these (spec §10).

    Its decisions are those of the scan of every record, to the bit. Only the number of records that
    share an item with the aux is unknown, and with it a σ over these.
    """

    full: bool = option(
        False,
        help="score every record, also those that the facts rule out: for the number of records "
        "that share an item with the facts; the decisions are the same",
    )

    @property
    def looks_at_everybody(self) -> bool:
        """See `Algorithm.looks_at_everybody`; a σ over the overlapping records needs them all."""
        return self.full or "nonzero" in self.conventions or self.n_phases > 1
