"""The number of facts the adversary knows, the first ones of each target."""

from __future__ import annotations

from typing import Any

from sim.axes.axis import Axis, is_whole
from sim.axes.words import NONE
from sim.errors import ConfigError


class FirstAxis(Axis):
    """Number of the facts that are known, the first ones."""

    name = "first"
    order = 80
    modelled = True
    value_type = int | None
    neutral = None
    help = "number of facts known, the first ones of each target; null: all"
    example = "[1,2,4,8]"
    column_type = "int64"
    meaning = "number of the facts of `aux` that are known, the first ones; null: all"

    title = "number of these facts known"
    head = "first"
    mention_order = 0

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        good = value is None or is_whole(value, 1)
        return None if good else "a whole number of at least 1, or null for all"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        if value is None:
            return adversary
        known = adversary.knowledge
        if value > known.size:
            raise ConfigError(
                f"grid.first: {value}: more facts than grid.aux={known.correct}/{known.size} has"
            )
        return adversary.knowing(first=int(value))

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return {NONE: "all facts", "1": "first fact"}.get(level, f"first {level} facts")

    def phrase(self, level: str) -> str:
        """See `Words.phrase`."""
        words = self.words(level)
        return f"{words if level == NONE else f'only the {words}'} known"
