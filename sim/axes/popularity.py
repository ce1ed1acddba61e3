"""The items that the adversary may know, by their rank."""

from __future__ import annotations

import re
from typing import Any

from sim.adversary.knowledge import Window
from sim.axes.axis import Axis
from sim.errors import ConfigError


class PopularityAxis(Axis):
    """Items that the adversary may know, by their rank."""

    name = "popularity"
    order = 40
    value_type = Any
    default = (0,)
    help = "items outside the top X, or a window of ranks"
    example = "[0,100,100-500]"
    column_type = "int64, or text"
    meaning = (
        "items the attacker may know: all but the X most supported (`0`: all), or those with ranks "
        "`lo-hi`, from `lo` (counted from 0) up to but not including `hi`"
    )
    modelled = True
    restricts = True

    title = "items the attacker may know"
    head = "items"
    x_order = 1

    def expected(self, value: Any) -> None:
        """See `Axis.expected`; `parsed` refuses invalid values."""

    def parsed(self, value: Any) -> Window:
        """Parse X, for "outside the top X", or a window of ranks "low-high".

        Examples
        --------
        >>> PopularityAxis().parsed(100), PopularityAxis().parsed("100-500")
        (Window(low=100, high=None), Window(low=100, high=500))
        """
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", str(value).strip())
        if found and not isinstance(value, bool):
            low, high = int(found[1]), None if found[2] is None else int(found[2])
            if high is None or low < high:
                return Window(low, high)
        raise ConfigError(
            f"grid.popularity: {value!r}: expected X (outside the top X) or a window of ranks like "
            "100-500"
        )

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        return adversary.knowing(popularity=self.parsed(value))

    def words(self, level: str) -> str:
        """See `Words.words`."""
        low, _, high = level.partition("-")
        if not high:
            return "all items" if low == "0" else f"items not in the top {low}"
        if low == "0":
            return f"items in the top {high}"
        return f"items ranked {int(low) + 1}–{high}" if low.isdigit() else super().words(level)

    def tick(self, level: str) -> str:
        """See `Words.tick`."""
        return self.words(level).removeprefix("items ")

    def short(self, level: str) -> str:
        """See `Words.short`."""
        words = self.words(level).replace("all items", "all").removeprefix("items ")
        return words.removeprefix("ranked ").removeprefix("in the ").replace(" in the", "")

    def which_items(self, level: str) -> str:
        """Return which items of a record may be known at a level, to follow "items"."""
        return "" if level == "0" else self.tick(level).replace("not in", "outside")

    def phrase(self, level: str) -> str:
        """See `Words.phrase`."""
        return "" if level == "0" else self.words(level)
