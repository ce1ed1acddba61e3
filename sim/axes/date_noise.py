"""The error of the known dates."""

from __future__ import annotations

from typing import Any

from sim.axes.axis import Axis, is_number
from sim.axes.words import NONE
from sim.release.store.manifest import Manifest

_MIN_SPAN = 4  # in tolerances: a wider tolerance covers more than a quarter of the days


class DateNoiseAxis(Axis):
    """Maximum error of the known dates, in days."""

    name = "date_noise"
    order = 20
    value_type = int | None
    default = (3, 14)
    help = "maximum error of dates in days, either way; null: dates unknown"
    example = "[3,14,null]"
    column_type = "int64"
    meaning = "maximum error of the known dates, in days; null: no dates are known"
    modelled = True

    title = "error of the known dates"
    head = "dates"
    mention_order = 2
    prefers_colour = True

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        if is_number(value) and value != int(value):
            return "whole days"
        good = value is None or (is_number(value) and value >= 0)
        return None if good else "0 or more, or null for none"

    def lacks(self, value: Any, release: Manifest) -> str:
        """See `Axis.lacks`."""
        return "" if value is None or release.has_days else "the release has no dates"

    def too_wide(self, value: Any, release: Manifest) -> str:
        """See `Axis.too_wide`: at most a quarter of the span of the release (spec §9)."""
        if value is None or value <= release.n_days / _MIN_SPAN:
            return ""
        days = "1 day" if release.n_days == 1 else f"{release.n_days:,} days"
        return f"that is more than a quarter of the {days} of the release"

    def instead(self, release: Manifest) -> int | None:
        """See `Axis.instead`: the widest noise that is of use; no dates where there are none."""
        return release.n_days // _MIN_SPAN if release.has_days else None

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return adversary.knowing(date_noise=value)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        days = {NONE: "no dates", "0": "exact dates", "1": "dates ±1 day"}
        return days.get(level, f"dates ±{level} days")

    def short(self, level: str) -> str:
        """See `Words.short`."""
        return {NONE: "none", "0": "exact"}.get(level, f"±{level} d")

    def phrase(self, level: str) -> str:
        """See `Words.phrase`."""
        return self.words(level).replace("±", "within ")
