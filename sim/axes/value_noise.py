"""The error of the known values: in their units, or relative to the true value."""

from __future__ import annotations

import re
from typing import Any

from sim.axes.axis import Axis, is_number, tidy
from sim.axes.words import NONE
from sim.release.store.accounts import BINS
from sim.release.store.manifest import Manifest

_TO_THE_BIN = "0bin"
"""No error at all, where the release has its values in bins."""

_PERCENT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?%")


class ValueNoiseAxis(Axis):
    """Maximum error of the known values, in value units or as a percentage of the true value."""

    name = "value_noise"
    order = 30
    value_type = Any
    default = (0,)
    help = (
        "maximum error of values, in value units or relative to the true value (10%), for counts "
        "and amounts; null: values unknown"
    )
    example = "[0,1]"
    column_type = "int64, or float64; text where one is relative or 0bin"
    meaning = (
        "maximum error of the known values, in value units, or in % of the true value, which is "
        "that of its bin where values are in bins (0bin is exact to the bin); null: no values are "
        "known"
    )
    modelled = True

    title = "error of the known values"
    head = "values"
    mention_order = 1
    part = "values"
    x_order = 2

    def expected(self, value: Any) -> str | None:
        """See `Axis.expected`."""
        good = value is None or value == _TO_THE_BIN or (is_number(value) and value >= 0)
        good = good or _share(value) is not None
        return None if good else "0 or more, or null for none; or a percentage such as 10%"

    def parsed(self, value: Any) -> Any:
        """See `Axis.parsed`; 0% and 0bin are 0."""
        if value == _TO_THE_BIN:
            return 0
        share = _share(value)
        return value if share is None else f"{100 * share:g}%" if share else 0

    def written(self, value: Any, release: Manifest) -> Any:
        """See `Axis.written`; no error at all says so where values are exact to their bins only."""
        given = tidy(self.parsed(value))
        return _TO_THE_BIN if given == 0 and BINS in release.notes else given

    def lacks(self, value: Any, release: Manifest) -> str:
        """See `Axis.lacks`."""
        return "" if value is None or release.has_values else "the release has no values"

    def instead(self, release: Manifest) -> None:  # noqa: ARG002
        """See `Axis.instead`: no values are known."""
        return

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        share, value = _share(value), self.parsed(value)
        if share is None:
            return adversary.knowing(value_noise=value, value_share=0.0)
        return adversary.knowing(value_noise=0, value_share=share)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        exact = {"0": "exact values", _TO_THE_BIN: "values exact to the bin"}
        return exact.get(level) or ("values unknown" if level == NONE else f"values ±{level}")

    def short(self, level: str) -> str:
        """See `Words.short`."""
        return {NONE: "unknown", "0": "exact", _TO_THE_BIN: "exact to the bin"}.get(
            level, f"±{level}"
        )

    def phrase(self, level: str) -> str:
        """See `Words.phrase`."""
        return "no values" if level == NONE else self.words(level).replace("±", "within ")


def _share(value: Any) -> float | None:
    """Return a percentage as a share; None if it is none.

    Examples
    --------
    >>> _share("10%"), _share("2.5 %"), _share(0.1), _share("ten%")
    (0.1, 0.025, None, None)
    """
    found = _PERCENT.fullmatch(value) if isinstance(value, str) else None
    return float(found[1]) / 100 if found else None
