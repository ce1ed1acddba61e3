"""The error of the known dates."""

from __future__ import annotations

from typing import Any

from sim.axes.axis import Axis
from sim.axes.words import NONE
from sim.errors import ConfigError
from sim.numeric.text import quantity
from sim.release.store.accounts import CUT
from sim.release.store.manifest import Manifest
from sim.release.store.time_spans import EXPECTED, TimeSpan, parts, zero

_MIN_SPAN = 4  # in tolerances: a wider tolerance covers more than a quarter of the days
_WIDEST = TimeSpan.parse(14)  # of the defaults

_EXACT = {"w": "dates exact to the week", "mo": "dates exact to the month",
          "h": "times exact to the hour", "min": "exact times"}  # fmt: skip


class DateNoiseAxis(Axis):
    """Maximum error of the known dates, in days or with another unit."""

    name = "date_noise"
    order = 20
    value_type = Any
    default = (3, 14)
    help = (
        "maximum error of dates, either way, in days or with a unit: min, h, d, w, mo; a whole "
        "number of data.time_bin; null: dates unknown"
    )
    example = "[3,14,null]"
    column_type = "int64, or text where one has another unit"
    meaning = (
        "maximum error of the known dates, in days unless a unit follows (2h, 1mo; 0h is exact to "
        "the hour); null: no dates are known"
    )
    modelled = True

    title = "error of the known dates"
    head = "dates"
    mention_order = 2
    part = "days"
    prefers_colour = True

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        if value is None:
            return None
        try:
            TimeSpan.parse(value)
        except ConfigError:
            if isinstance(value, (int, float)) and value < 0:
                return "0 or more, or null for none"
            if isinstance(value, int) and not isinstance(value, bool):
                return "a number of days with at most 9 digits, or null for none"
            return f"whole days, or {EXPECTED}; or null for none"
        return None

    def parsed(self, value: Any) -> Any:
        """See `Axis.parsed`."""
        return value if value is None or self.expected(value) else TimeSpan.parse(value).value

    def lacks(self, value: Any, release: Manifest) -> str:
        """See `Axis.lacks`."""
        if value is None:
            return ""
        if not release.has_days:
            return "the release has no dates"
        span = TimeSpan.parse(value)
        misfit, fitting = span.misfit(release.bins), span.fitting_bin
        if misfit and fitting and release.notes.get(CUT):
            return f"{misfit}; set data.time_bin={fitting}, since the data have times of day"
        return misfit

    def too_wide(self, value: Any, release: Manifest) -> str:
        """See `Axis.too_wide`: at most a quarter of the span of the release (spec §9)."""
        bins = None if value is None else TimeSpan.parse(value).bins(release.bins)
        if bins is None or bins <= release.n_days / _MIN_SPAN:
            return ""
        span = quantity(release.n_days, release.bins.words)
        return f"that is more than a quarter of the {span} of the release"

    def instead(self, release: Manifest) -> Any:
        """See `Axis.instead`: the widest noise that is of use; no dates where there are none.

        A release whose bins are wider than the defaults has an error of one bin.
        """
        if not release.has_days:
            return None
        width = release.bins
        usual = 1 if width.kind == "month" else max(_WIDEST.minutes // width.minutes, 1)
        bins = min(release.n_days // _MIN_SPAN, usual)
        return self.written(TimeSpan.of_bins(bins, width).value, release)

    def written(self, value: Any, release: Manifest) -> Any:
        """See `Axis.written`; no error at all states the bin to which dates are exact."""
        if value is None:
            return None
        span = TimeSpan.parse(value)
        return span.value if span != TimeSpan() else zero(release.bins)

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return adversary.knowing(date_noise=None if value is None else adversary.in_bins(value))

    def words(self, level: str) -> str:
        """See `Words.words`."""
        if level == NONE:
            return "dates unknown"
        number, unit = parts(level)
        if not number:
            return _EXACT.get(unit, "exact dates")
        what = "times" if unit in ("h", "min") else "dates"
        return f"{what} ±{TimeSpan.parse(level).words}"

    def short(self, level: str) -> str:
        """See `Words.short`."""
        if level == NONE:
            return "unknown"
        number, unit = parts(level)
        return f"±{number} {unit}" if number else "exact"

    def phrase(self, level: str) -> str:
        """See `Words.phrase`."""
        return "no dates" if level == NONE else self.words(level).replace("±", "within ")
