"""The share of mentions that state the value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sim.axes.axis import Axis, is_share
from sim.axes.words import percent


class ValueKnownAxis(Axis):
    """Probability that a mention states the value."""

    name = "value_known"
    grids = ("mentions",)
    order = 62
    value_type = float
    neutral = 0
    help = "probability that a mention states the value"
    example = "[0,1]"
    column_type = "int64, or float64"
    meaning = "probability that a mention states the value"

    title = "mentions that state the value"
    head = "valued"
    part = "values"

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        return None if is_share(value) else "a share from 0 to 1"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return replace(adversary, value_known=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return f"value of {percent(level)} of mentions known"

    def tick(self, level: str) -> str:
        """See `Words.tick`."""
        return percent(level)
