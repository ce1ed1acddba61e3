"""What is known about a real table, and what a synthetic release has instead."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A known number of the real table, with the tolerance for the synthetic one.

    Parameters
    ----------
    within : float
        A part of `wanted`, or percentage points.
    points : bool
        Whether both are percentages.

    Examples
    --------
    >>> Fact("median", 96, 100, 0.1).met, Fact("% rated 1", 4.6, 6.0, 1.0, points=True).met
    (True, False)
    """

    name: str
    wanted: float
    got: float
    within: float
    points: bool = False

    @property
    def met(self) -> bool:
        """Whether it comes near enough."""
        slack = self.within * (1.0 if self.points else abs(self.wanted))
        return abs(self.got - self.wanted) <= slack

    @property
    def off(self) -> str:
        """The deviation in words."""
        if self.points:
            return f"{self.got - self.wanted:+.1f} points"
        return f"{self.got / self.wanted - 1:+.1%}"

    @property
    def allowed(self) -> str:
        """The tolerance in words."""
        return f"±{self.within:g} points" if self.points else f"±{self.within:.0%}"


@dataclass(frozen=True, slots=True)
class Remark:
    """A statement in words about the real table, or a number without a statement.

    Parameters
    ----------
    met : bool or None
        Whether the words fit; None where there are none.
    """

    name: str
    said: str
    got: str
    met: bool | None = None
