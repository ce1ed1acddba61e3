"""The words of an axis and of its levels, and its role in figures.

Invariant: two levels of one axis never get the same words.
"""

from __future__ import annotations

from dataclasses import dataclass

NONE = "–"
"""Text of the level null."""


@dataclass(frozen=True)
class Countermeasure:
    """The figure of an axis along which people protect themselves (F06, section 6).

    Parameters
    ----------
    title : str
        Title of the figure.
    x_title : str
        Title of its x axis.
    scale : float
        Factor from a level to x.
    """

    title: str
    x_title: str
    scale: float = 1.0


class Words:
    """The words of an axis and of its levels in reports and figures; a level is given as text.

    Every axis has these words; it overrides those that it can improve.
    """

    name: str
    title: str = ""
    """Title in a figure."""
    head: str = ""
    """Column head in the command line's table; empty: the name in words."""
    report_head: str = ""
    """Column head in the report's tables, if not `head`."""
    mention_order: int = 3
    """Axes with a lower number come first in a sentence."""
    x_order: int = 3
    """Axes with a lower number are chosen first as the x axis of a figure."""
    prefers_colour: bool = False
    """Whether a figure shows it by colour, and along x only where no other axis varies."""
    depends_on: str = ""
    """The axis at whose neutral level this one has no effect, and is not mentioned."""
    part: str = ""
    """The part of a fact that it is about, as in `Algorithm.reads`; empty: none, or the item."""
    countermeasure: Countermeasure | None = None
    """Its own figure, for an axis along which people protect themselves."""

    @property
    def name_in_words(self) -> str:
        """The name without underscores."""
        return self.name.replace("_", " ")

    def titled(self) -> str:
        """Return the title of the axis in a figure."""
        return self.title or self.name_in_words

    def headed(self, *, report: bool = False) -> str:
        """Return the column head of the axis in a table, one of a report or not."""
        return (self.report_head if report else "") or self.head or self.name_in_words

    def words(self, level: str) -> str:
        """Return a level in words that do not need the name of the axis."""
        return f"no {self.name_in_words}" if level == NONE else f"{self.name_in_words} {level}"

    def tick(self, level: str) -> str:
        """Return a level in words, for the ticks of an axis with a title."""
        return self.words(level)

    def short(self, level: str) -> str:
        """Return a level as briefly as possible, for a column whose head names the axis."""
        return level

    def phrase(self, level: str) -> str:
        """Return what an attacker knows at a level, after "with"; empty: it is not mentioned."""
        return self.words(level)


class UnknownWords(Words):
    """The words of an axis that is not installed: only its name is known."""

    def __init__(self, name: str) -> None:
        self.name = name

    def tick(self, level: str) -> str:
        """See `Words.tick`."""
        return level


def percent(level: str) -> str:
    """Format a share as a percentage.

    Examples
    --------
    >>> percent("0.25")
    '25%'
    """
    return f"{100 * float(level):g}%"
