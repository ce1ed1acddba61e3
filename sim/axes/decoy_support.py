"""The popularity of the decoys (F06 §6.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sim.axes.axis import Axis, is_whole


class DecoySupportAxis(Axis):
    """Minimum support of the decoys."""

    name = "decoy_support"
    grids = ("mentions",)
    order = 68
    value_type = Any
    neutral = "top"
    help = "minimum support of decoys; top: the most supported items"
    example = "[8,top]"
    column_type = "int64, or text"
    meaning = "minimum support of the decoys; `top`: decoys are the most supported items"

    title = "support of the decoys"
    head = "support"
    depends_on = "decoys"

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        good = value == "top" or is_whole(value, 1)
        return None if good else "a support of 1 or more, or top"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return replace(adversary, decoy_support=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return "most popular decoys" if level == "top" else f"decoys of support {level} or more"
