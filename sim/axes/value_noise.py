"""The error of the known values."""

from __future__ import annotations

from typing import Any

from sim.axes.axis import Axis, is_number
from sim.axes.words import NONE
from sim.release.store.manifest import Manifest


class ValueNoiseAxis(Axis):
    """Maximum error of the known values, in value units."""

    name = "value_noise"
    order = 30
    value_type = float | None
    default = (0,)
    help = "maximum error of values in value units; null: values unknown"
    example = "[0,1]"
    column_type = "int64, or float64"
    meaning = "maximum error of the known values, in value units; null: no values are known"
    modelled = True

    title = "error of the known values"
    head = "values"
    mention_order = 1
    x_order = 2

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        good = value is None or (is_number(value) and value >= 0)
        return None if good else "0 or more, or null for none"

    def lacks(self, value: Any, release: Manifest) -> str:
        """See `Axis.lacks`."""
        return "" if value is None or release.has_values else "the release has no values"

    def instead(self, release: Manifest) -> None:  # noqa: ARG002
        """See `Axis.instead`: no values are known."""
        return

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return adversary.knowing(value_noise=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return {NONE: "no values", "0": "exact values"}.get(level, f"values ±{level}")

    def short(self, level: str) -> str:
        """See `Words.short`."""
        return {NONE: "none", "0": "exact"}.get(level, f"±{level}")

    def phrase(self, level: str) -> str:
        """See `Words.phrase`."""
        return self.words(level).replace("±", "within ")
