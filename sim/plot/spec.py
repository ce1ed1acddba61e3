"""A figure as plain data: marks on axes, in panels, on a page.

Invariant: a page specifies everything that is drawn, so two equal pages give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.plot.palette import FAINT, INK

LINEAR = 2.0
"""Up to here a symmetric logarithmic scale is linear."""

Values: TypeAlias = "Sequence[float] | NDArray[Any] | pd.Series[Any]"


@dataclass(frozen=True, slots=True)
class Line:
    """A curve; a band between `low` and `high`, where they are given."""

    x: Values = ()
    y: Values = ()
    _: KW_ONLY
    low: Values | None = None
    high: Values | None = None
    label: str = ""
    colour: str = INK
    style: Any = "-"
    marker: str = ""
    size: float = 4.5
    width: float = 1.4
    opacity: float = 1.0
    steps: bool = False


@dataclass(frozen=True, slots=True)
class Points:
    """Points; bars from `low` to `high`, where they are given, along x if `sideways`.

    With an array for `size` each point has its own, and they have no bar ends.
    """

    x: Values = ()
    y: Values = ()
    _: KW_ONLY
    low: Values | None = None
    high: Values | None = None
    label: str = ""
    colour: str = INK
    marker: str = "o"
    style: Any = "none"
    filled: bool = True
    size: float | NDArray[np.float64] = 6.0
    edge: float = 1.2
    sideways: bool = False
    stated: bool = False
    """Whether a paper or a reproduction states them: drawn on top, late in the legend."""
    names: Sequence[str] = ()
    """Written beside the points."""


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars from `base` up by `y`; without gaps (`width` 1 or more) one outline is drawn."""

    x: Values = ()
    y: Values = ()
    _: KW_ONLY
    low: Values | None = None
    high: Values | None = None
    base: float | Values = 0.0
    width: float = 0.8
    label: str = ""
    colour: str = INK
    hatch: str = ""
    edge: str = ""
    opacity: float = 1.0
    values: Sequence[str] = ()
    """Written into the bars, or above those that are too low."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line to compare with, across the panel at `at`; a span up to `to`."""

    at: float = 0.0
    _: KW_ONLY
    to: float | None = None
    upright: bool = False
    between: tuple[float, float] | None = None
    """Its start and end, in units of the other axis; None: from edge to edge."""
    label: str = ""
    colour: str = FAINT
    style: Any = ":"
    width: float = 1.2


Mark: TypeAlias = Line | Points | Bars | Rule


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a panel."""

    title: str = ""
    limits: tuple[float | None, float | None] = (None, None)
    _: KW_ONLY
    scale: Literal["linear", "log", "symlog"] = "linear"
    ticks: Sequence[float] | None = None
    names: Sequence[str] | None = None
    """Words for the ticks; of a linear axis they are categories."""
    heads: Sequence[int] = ()
    """Indices of the names that are headings of those that follow."""
    form: str = ""
    """Format of a number, as for `str.format`."""
    whole: int = 0
    """Maximum number of ticks, at whole numbers; 0: any ticks."""
    upright: bool = False
    minor: bool = False
    """Whether there are small ticks between those given."""


@dataclass(frozen=True, slots=True)
class Name:
    """Words at the right of a panel that name the point (x, y), in place of a legend."""

    x: float
    y: float
    words: str
    colour: str = INK


@dataclass(frozen=True, slots=True)
class Panel:
    """Marks on a pair of axes."""

    marks: Sequence[Mark]
    x: Axis
    y: Axis
    title: str = ""
    _: KW_ONLY
    lines_across: Literal["x", "y"] = "y"
    """The axis whose ticks have grid lines."""
    names: Sequence[Name] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A title, panels, and a legend with a caption below.

    The legend holds the marks of `legend`, then the labelled marks of all panels: what was
    measured, what others state, what it is compared with; each label once.
    """

    title: str
    panels: Sequence[Panel]
    caption: str
    _: KW_ONLY
    across: int = 0
    """Panels side by side; all, if not given."""
    each: float = 6.4
    """Inches across a panel."""
    height: float = 3.1
    """Inches of a panel."""
    shared: Literal["", "y", "xy"] = ""
    """Axes that all panels share; their titles stand at the edge of the page alone."""
    legend: Sequence[Mark] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """The data of a figure: the tables of a run, its settings and the papers' numbers."""

    tables: Mapping[str, pd.DataFrame]
    numbers: Sequence[Any] = ()
    """Numbers of papers on the experiment, as `sim.papers.papers.PaperNumber`."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings that all cells share."""
    strongest: pd.DataFrame | None = None
    """Curves of the Bayes-optimal attacker with the same knowledge, if it was run."""
    phi: float | None = None
    """The φ of matches; None where the attack's rule is another."""
    n_records: int | None = None


@dataclass(frozen=True, slots=True)
class FigureSpec:
    """A figure of an attack, a measurement or a suite."""

    caption: str
    """One or two sentences on its contents; empty: those of the measurement's description."""
    pages: Callable[[Data], Iterator[Page]]
    _: KW_ONLY
    needs: Sequence[tuple[str, str]] = ()
    """Tables and columns that must have a value; without a column, the table must exist."""
    applies: Callable[[Data], bool] = lambda data: True  # noqa: ARG005
    """A further condition for drawing it."""

    def applies_to(self, data: Data) -> bool:
        """Return whether there is something to draw."""
        known = all(
            table in data.tables and (not column or bool(data.tables[table][column].notna().any()))
            for table, column in self.needs
        )
        return known and self.applies(data)
