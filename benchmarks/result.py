"""One comparison: our cost and the peer's, round by round.

Invariant: every unit is a cost, so less is better; the ratio is ours over the peer's, and a goal is
the most the ratio may be.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import Any

Costs = tuple[float, ...]
"""One cost per round."""


@dataclass(frozen=True, slots=True)
class Result:
    """Ours against one peer.

    Parameters
    ----------
    name : str
        Benchmark, and which comparison of it: ``kernel/c``.
    what : str
        What was done by both, and what the peer is, in a line.
    unit : str
        Of a cost: ``ns a posting``.
    ours : tuple of float
        Costs, in the order of the rounds.
    peer : tuple of float or None
        Costs of the same rounds; None where the peer is missing on this machine.
    goal : float or None
        The most `ratio` may be; None where the number is only reported.

    Examples
    --------
    >>> r = Result("sort/c", "a sort, in C", "ms", (1.0, 2.0, 3.0), (2.0, 2.0, 2.0), goal=1.05)
    >>> r.ratio, r.met
    (1.0, True)
    """

    name: str
    what: str
    unit: str
    ours: Costs
    peer: Costs | None
    goal: float | None = None

    @property
    def ratio(self) -> float | None:
        """Median over the rounds of ours over the peer's: a slow spell hits both alike."""
        if self.peer is None:
            return None
        return statistics.median(a / b for a, b in zip(self.ours, self.peer, strict=True))

    @property
    def met(self) -> bool | None:
        """Whether the goal is reached; None without a goal or a peer."""
        if self.goal is None or self.ratio is None:
            return None
        return self.ratio <= self.goal

    def as_json(self) -> dict[str, Any]:
        """JSON values; costs as their medians."""
        return {
            "name": self.name,
            "what": self.what,
            "ours": statistics.median(self.ours),
            "peer": None if self.peer is None else statistics.median(self.peer),
            "unit": self.unit,
            "ratio": self.ratio,
            "goal": self.goal,
            "met": self.met,
        }
