"""The number of the draw of facts: the same people and adversary, other facts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sim.adversary.draw import Sampling
from sim.axes.axis import Axis, is_whole
from sim.errors import ConfigError


class FactDrawAxis(Axis):
    """Number of the draw of facts about the same people."""

    name = "fact_draw"
    grids = ("sweep", "mentions", "people")
    order = 90
    value_type = int
    neutral = 0
    help = "number of the draw of facts about the same people, from 0; each is independent"
    example = "[0,1,2]"
    column_type = "int64; only if used"
    meaning = "number of the draw of facts about the same people, from 0"
    modelled = True
    only_if_used = True

    title = "draw of the facts"
    head = "draw"

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        return None if is_whole(value, 0) else "a whole number of at least 0"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`; facts from a file are not drawn."""
        if isinstance(adversary, Sampling):
            return adversary.knowing(fact_draw=int(value))
        if hasattr(adversary, self.name):
            return replace(adversary, fact_draw=int(value))
        if value:
            raise ConfigError(
                f"grid.fact_draw: {value}: the facts of this adversary are read from a file, not "
                "drawn; expected 0"
            )
        return adversary

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return f"draw {int(level) + 1} of the facts" if level.isdigit() else super().words(level)

    def short(self, level: str) -> str:
        """See `Words.short`."""
        return str(int(level) + 1) if level.isdigit() else level

    def phrase(self, level: str) -> str:  # noqa: ARG002
        """See `Words.phrase`; every draw is of the same knowledge."""
        return ""
