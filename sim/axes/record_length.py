"""The adversary's knowledge of the length of the target's record (NS08 Fig. 12)."""

from __future__ import annotations

from typing import Any

from sim.axes.axis import Axis, is_number
from sim.axes.words import NONE, percent


class RecordLengthAxis(Axis):
    """Relative error of the known record length."""

    name = "record_length"
    order = 60
    value_type = float | None
    neutral = None
    help = "maximum relative error of the known record length; null: unknown"
    example = "[null,0.5]"
    column_type = "int64, or float64"
    meaning = "maximum relative error of the known length of the target's record; null: not known"
    modelled = True

    title = "length of the record"
    head = "length"

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        good = value is None or (is_number(value) and 0 <= value < 1)
        return None if good else "a share of at least 0 and below 1, or null for not known"

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return adversary.knowing(record_length=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        known = {NONE: "length unknown", "0": "exact length"}
        return known[level] if level in known else f"length ±{percent(level)}"

    def short(self, level: str) -> str:
        """See `Words.short`."""
        return self.words(level).removeprefix("length ")
