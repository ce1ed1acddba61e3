"""How many facts the adversary has, and how many of them are right."""

from __future__ import annotations

import re
from typing import Any

from sim.axes.axis import Axis
from sim.errors import ConfigError


class AuxAxis(Axis):
    """How many facts, and how many of them are right."""

    name = "aux"
    order = 10
    value_type = str
    default = ("2/2", "3/4", "6/8")
    help = "right facts / all facts the adversary has of a target"
    example = "[2/2,3/4,6/8]"
    column_type = "text"
    meaning = "items the attacker knows: `6/8` is eight, of which six are right"
    modelled = True
    restricts = True

    title = "items known to the attacker (right of all)"
    head = "aux"
    report_head = "facts right"
    mention_order = 0

    def expected(self, value: Any) -> None:
        """See `Axis.expected`; `parsed` refuses what cannot be read."""

    def parsed(self, value: Any) -> tuple[int, int]:
        """Read "m/m′": m right facts of m′.

        Examples
        --------
        >>> AuxAxis().parsed("6/8")
        (6, 8)
        """
        found = re.fullmatch(r"(\d+)/(\d+)", str(value).strip())
        if found:
            correct, size = int(found[1]), int(found[2])
            if correct <= size and size >= 1:
                return correct, size
        raise ConfigError(f"grid.aux: {value!r}: expected right facts/facts, like 6/8")

    def apply(self, adversary: Any, value: Any) -> Any:
        """See `Axis.apply`."""
        correct, size = self.parsed(value)
        return adversary.knowing(correct=correct, size=size)

    def words(self, level: str) -> str:
        """See `Words.words`."""
        return f"{self.tick(level)} items right"

    def tick(self, level: str) -> str:
        """See `Words.tick`."""
        return level.replace("/", " of ")

    def phrase(self, level: str) -> str:
        """See `Words.phrase`."""
        return f"{self.tick(level)} facts right"
