"""An axis in words, and a level of it.

Invariant: two levels of one axis never get the same words.
"""

from __future__ import annotations

NONE = "–"
"""How the level null is written."""


class Words:
    """What reports and figures call an axis and its levels; a level comes as it is written.

    Every axis has these words; one that has better ones overrides them.
    """

    name: str
    title: str = ""
    """Below a figure."""
    head: str = ""
    """A word above a column of the command line's table."""
    report_head: str = ""
    """Above a column of the report's tables, if not as `head`."""
    mention_order: int = 3
    """Axes with a lower number are mentioned first in a sentence."""

    def titled(self) -> str:
        """Name the axis, as below a figure."""
        return self.title or self.name.replace("_", " ")

    def words(self, level: str) -> str:
        """Return a level in words that do not need the name of the axis."""
        name = self.name.replace("_", " ")
        return f"no {name}" if level == NONE else f"{name} {level}"

    def tick(self, level: str) -> str:
        """Return a level in words, below an axis that has a title."""
        return self.words(level)

    def short(self, level: str) -> str:
        """Return a level as briefly as possible, below a head that names the axis."""
        return level

    def phrase(self, level: str) -> str:
        """Return what an attacker knows of a level, after "with"; empty: it is not mentioned."""
        return self.words(level)


class UnknownWords(Words):
    """The words of an axis of which only the name is known: a plug-in that is not installed."""

    def __init__(self, name: str) -> None:
        self.name = name

    def tick(self, level: str) -> str:
        """See `Words.tick`."""
        return level


def percent(level: str) -> str:
    """Write a share as a percentage.

    Examples
    --------
    >>> percent("0.25")
    '25%'
    """
    return f"{100 * float(level):g}%"
