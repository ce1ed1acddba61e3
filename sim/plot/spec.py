"""A figure as plain data: a form, and the table that fills it.

Invariant: a plot states everything that is drawn, so two equal plots give the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from sim.plot.palette import COLOURS, FAINT, LINES, MARKERS

MOST = len(COLOURS)
"""Series that a reader can distinguish."""

LINEAR = 2.0
"""Up to here a symmetric logarithmic scale is linear."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a panel."""

    title: str = ""
    limits: tuple[float | None, float | None] = (None, None)
    _: KW_ONLY
    scale: Literal["linear", "log", "symlog"] = "linear"
    ticks: Sequence[float] | None = None
    names: Sequence[str] | None = None
    """All categories in their order, where x is texts."""
    form: str = ""
    """Format of a number, as for `str.format`."""
    whole: int = 0
    """Maximum number of ticks, at whole numbers; 0: any ticks."""


def percent(title: str, top: float = 104) -> Axis:
    """Return an axis of shares, in percent."""
    return Axis(title, (-3, top), ticks=range(0, 101, 20))


@dataclass(frozen=True, slots=True)
class Look:
    """How a series, or a part of bars, is drawn; curves without a line are points."""

    colour: str
    marker: str = "o"
    line: Any = "-"
    hatch: str = ""
    width: float = 1.4


def nth_look(nth: int) -> Look:
    """Return the look of the nth series; of more than `MOST`, colours meet other markers."""
    other = nth + nth // MOST
    return Look(COLOURS[nth % MOST], MARKERS[other % MOST], LINES[other % MOST])


@dataclass(frozen=True, slots=True)
class Bound:
    """A straight line to compare with, or a span up to `to`."""

    at: float
    words: str = ""
    _: KW_ONLY
    to: float | None = None
    upright: bool = False
    panel: str | None = None
    """The panel that it is in; None: all."""
    x: Any = None
    """The category that it is about; None: all."""
    colour: str = FAINT
    line: Any = ":"


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """A figure: panels of one form, filled by a table.

    Parameters
    ----------
    form : str
        One of `sim.report.figures.forms`, or ``module:NAME`` of a `Form`.
    rows : DataFrame
        As from `rows_of`: ``panel``, ``series``, ``x`` (numbers, or text for categories), ``y``,
        ``low``, ``high`` (null: no interval), ``variant`` of a series ("", ``open``, ``dotted``);
        ``part`` of a bar; ``weight`` of a point, and ``words`` beside it.
    x, y : Axis or mapping of str to Axis
        By panel, where panels differ.
    caption : str
        Stands below: what all points share.
    stated : DataFrame, optional
        What papers state: ``panel``, ``series``, ``variant``, ``x``, ``y``, ``words`` beside the
        point, ``source`` for the legend.
    looks : mapping
        Of series, and of parts of bars; others have the next colour.
    variants : mapping
        What a variant means.
    across : int
        Panels side by side, if they are a table.
    size : tuple of float, optional
        Inches of a panel.
    intervals : str
        What the intervals are.
    most : int
        Series on a page.
    """

    form: str
    title: str
    rows: pd.DataFrame
    x: Axis | Mapping[str, Axis]
    y: Axis | Mapping[str, Axis]
    caption: str = ""
    _: KW_ONLY
    stated: pd.DataFrame | None = None
    bounds: Sequence[Bound] = ()
    looks: Mapping[str, Look] = field(default_factory=dict)
    variants: Mapping[str, str] = field(default_factory=dict)
    across: int = 0
    size: tuple[float, float] | None = None
    intervals: str = "95% intervals"
    most: int = MOST

    @property
    def categories(self) -> Sequence[str]:
        """The categories along x; none of a scale."""
        return self.x.names or () if isinstance(self.x, Axis) else ()

    def series(self) -> list[str]:
        """Return the names of the series, in the order of the rows."""
        return list(self.rows["series"].unique())

    def panels(self) -> list[str]:
        """Return the names of the panels, in the order of the rows."""
        return list(self.rows["panel"].unique())


def rows_of(
    table: pd.DataFrame,
    measure: str,
    *,
    x: Any,
    series: Any = "",
    panel: Any = "",
    variant: str = "",
    scale: float = 100.0,
    **further: Any,
) -> pd.DataFrame:
    """Return the rows of a plot: a measure of each row of a table, with its interval if any.

    Parameters
    ----------
    x, series, panel : array or scalar
        Where each row stands.
    scale : float
        From the measure to y; 100 gives percent.
    further : array or scalar
        Further columns.

    Examples
    --------
    >>> table = pd.DataFrame({"k": [1, 5], "found": [0.5, 1.0], "found_low": 0.25})
    >>> rows_of(table, "found", x=table["k"])[["x", "y", "low", "high"]].values.tolist()
    [[1.0, 50.0, 25.0, nan], [5.0, 100.0, 25.0, nan]]
    """
    ends = {"y": "", "low": "_low", "high": "_high"}
    shares = {
        key: scale * table[name].to_numpy(np.float64, na_value=np.nan) if name in table else np.nan
        for key, name in ((key, f"{measure}{end}") for key, end in ends.items())
    }
    where = {"panel": panel, "series": series, "variant": variant, "measure": measure, "x": x}
    columns = {
        name: value.to_numpy() if isinstance(value, pd.Series) else value
        for name, value in {**where, **shares, **further}.items()
    }
    return pd.DataFrame(columns, index=table.index)


def rows_over(table: pd.DataFrame, measures: Mapping[Any, str], **given: Any) -> pd.DataFrame:
    """Return the rows of several measures, each at its own x; otherwise as `rows_of`."""
    return pd.concat([rows_of(table, name, x=x, **given) for x, name in measures.items()])


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
    plots: Callable[[Data], Iterable[Plot]]
    """Plots without rows are not drawn."""
    tables: Sequence[str] = ()
    """Tables that it needs."""

    def filled(self, data: Data) -> tuple[Plot, ...]:
        """Return the plots that have anything to show."""
        if not set(self.tables) <= set(data.tables):
            return ()
        return tuple(plot for plot in self.plots(data) if plot.rows["y"].notna().any())


def figure(caption: str, *tables: str) -> Callable[[Callable[[Data], Iterable[Plot]]], FigureSpec]:
    """Make a function of its plots a figure."""
    return lambda plots: FigureSpec(caption, plots, tables)
