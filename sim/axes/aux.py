"""The number of facts the adversary has, and how many of them are right."""

from __future__ import annotations

import re
from typing import Any

from sim.axes.axis import Axis
from sim.errors import ConfigError


class AuxAxis(Axis):
    """Number of facts, and how many of them are right."""

    name = "aux"
    order = 10
    value_type = str
    default = ("2/2", "3/4", "6/8")
    help = "right facts / all facts the adversary has about a target"
    example = "[2/2,3/4,6/8]"
    column_type = "text"
    meaning = "facts the attacker knows about a target: `6/8` means eight facts, six of them right"
    modelled = True
    restricts = True

    title = "facts known to the attacker (right of all)"
    head = "aux"
    report_head = "facts right"
    mention_order = 0
    x_order = 0

    def expected(self, value: Any) -> None:
        """See `Axis.expected`; `parsed` refuses invalid values."""

    def parsed(self, value: Any) -> tuple[int, int]:
        """Parse "m/m′": m right facts out of m′.

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
        return f"{self.tick(level)} facts right"

    def tick(self, level: str) -> str:
        """See `Words.tick`."""
        return level.replace("/", " of ")


def facts_of(level: Any) -> int:
    """Return how many facts a level of the axis has, right or wrong.

    Raises
    ------
    ConfigError
        It is no level.

    Examples
    --------
    >>> facts_of("6/8")
    8
    """
    return AuxAxis().parsed(level)[1]


def right_facts_of(level: Any) -> int:
    """Return how many of the facts of a level of the axis are right.

    Raises
    ------
    ConfigError
        It is no level.

    Examples
    --------
    >>> right_facts_of("6/8")
    6
    """
    return AuxAxis().parsed(level)[0]


def with_facts(level: Any, n: int) -> str:
    """Return the level of n facts of which as large a share is right, rounded up.

    Raises
    ------
    ConfigError
        It is no level.

    Examples
    --------
    >>> with_facts("6/8", 2)
    '2/2'
    """
    correct, size = AuxAxis().parsed(level)
    return f"{-(-n * correct // size)}/{n}"
