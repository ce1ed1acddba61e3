"""The number of decoys: items that people mention without holding them (F06 §6.2)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sim.axes.axis import Axis, is_whole
from sim.axes.words import Countermeasure
from sim.release.store.manifest import Manifest


class DecoysAxis(Axis):
    """Number of items that people mention without holding them."""

    name = "decoys"
    grids = ("mentions",)
    order = 66
    value_type = int
    neutral = 0
    help = "number of items that people mention without holding them"
    example = "[0,5]"
    column_type = "int64"
    meaning = "number of items that each person mentions to mislead, without holding them"

    title = "decoys mentioned"
    head = "decoys"
    countermeasure = Countermeasure(
        "People identified when they add decoys to their mentions", "decoys mentioned"
    )

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        return None if is_whole(value, 0) else "a whole number of at least 0"

    def lacks(self, value: Any, release: Manifest) -> str:
        """See `Axis.lacks`."""
        return "" if value <= release.n_items else f"the release has only {release.n_items} items"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return replace(adversary, decoys=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return {"0": "no decoys", "1": "1 decoy"}.get(level, f"{level} decoys")
