"""The share of their mentions that people leave out (F06 §6.1)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sim.axes.axis import Axis, is_share
from sim.axes.words import Countermeasure, percent


class HideRarestAxis(Axis):
    """Share of their mentions that people leave out, the rarest first."""

    name = "hide_rarest"
    grids = ("mentions",)
    order = 64
    value_type = float
    neutral = 0
    help = "share of their mentions that people leave out, the rarest first"
    example = "[0,0.2]"
    column_type = "int64, or float64"
    meaning = "share of the mentions of held items that people leave out, the rarest first"

    title = "mentions hidden, the rarest first"
    head = "hidden"
    countermeasure = Countermeasure(
        "People identified when they hide their rarest mentions",
        "mentions of held items hidden, the rarest first (%)",
        scale=100.0,
    )

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        return None if is_share(value) else "a share from 0 to 1"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return replace(adversary, hide_rarest=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return "nothing hidden" if level == "0" else f"rarest {percent(level)} hidden"
