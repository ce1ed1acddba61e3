"""The share of the facts that lack a value."""

from __future__ import annotations

from typing import Any

from sim.axes.axis import Axis, is_share
from sim.axes.words import percent


class MissingAxis(Axis):
    """Share of the facts that lack a value."""

    name = "missing"
    order = 50
    value_type = float
    neutral = 0
    help = "share of the facts that lack a value (a mention, a comment)"
    example = "[0,0.5]"
    column_type = "int64, or float64"
    meaning = "share of the known facts that lack a value"
    modelled = True

    title = "facts without a value"
    head = "missing"

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        return None if is_share(value) else "a share from 0 to 1"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return adversary.knowing(missing=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return "no value missing" if level == "0" else f"{percent(level)} of values missing"
