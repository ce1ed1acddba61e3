"""What a form is, and the curves that it draws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from numpy.typing import NDArray

from sim.extend.plugins import named
from sim.plot.spec import Axis, Look, Plot, nth_look

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curve:
    """The rows of a series and variant within a panel."""

    label: str
    look: Look
    variant: str
    slot: float
    """Between neighbouring series of a category."""
    rows: pd.DataFrame

    @property
    def x(self) -> Floats:
        """Where the points stand, as numbers."""
        return self.rows["x"].to_numpy(np.float64)

    @property
    def y(self) -> Floats:
        """The measure."""
        return self.rows["y"].to_numpy(np.float64)

    @property
    def errors(self) -> Floats | None:
        """Lengths of the intervals below and above; None if there is none."""
        low, high = self.rows["low"].to_numpy(np.float64), self.rows["high"].to_numpy(np.float64)
        if np.isnan(low).all():
            return None
        return np.asarray(np.nan_to_num([self.y - low, high - self.y]).clip(0))

    def point(self, size: float, line: Any = "none") -> dict[str, Any]:
        """Return how matplotlib draws its points."""
        return {
            "color": self.look.colour,
            "marker": "none" if self.variant == "dotted" else self.look.marker,
            "markersize": size,
            "markerfacecolor": "white" if self.variant == "open" else self.look.colour,
            "markeredgewidth": 1.1,
            "linestyle": line,
            "label": self.label,
        }


@dataclass(frozen=True, slots=True)
class Form:
    """A way to draw rows.

    Parameters
    ----------
    draw : callable
        Draws the curves of one panel, with labels for the legend.
    is_named : bool
        Whether series are named at their ends, in place of a legend.
    sideways : bool
        Whether x runs upwards.
    spread : float
        Share of a category that its series take; of a scale, series stand beside each other too.
    widest : float
        Between neighbouring series of a category, at most.
    intervals : str
        How they are drawn.
    """

    draw: Callable[[Axes, Plot, Sequence[Curve]], None]
    is_named: bool = False
    sideways: bool = False
    spread: float = 0.0
    widest: float = 1.0
    intervals: str = "bars"


def form_of(name: str) -> Form:
    """Import a form of this folder, or of a plug-in."""
    path = name if ":" in name else f"sim.report.figures.forms.{name}:FORM"
    found: Form = named(path)
    return found


_BESIDE = 0.008
"""Between neighbouring series on a scale, of its length."""


def categorized(plot: Plot) -> Plot:
    """Make an axis of texts one of categories, all of them in their order."""
    if pd.api.types.is_numeric_dtype(plot.rows["x"]) or not isinstance(plot.x, Axis):
        return plot
    names = list(plot.x.names or plot.rows["x"].unique())
    limits = (-0.5, len(names) - 0.5)
    return replace(plot, x=replace(plot.x, names=names, ticks=range(len(names)), limits=limits))


def placed(plot: Plot, form: Form) -> tuple[Plot, float]:
    """Give every row a number as x, so that no series covers another; and the slot of a series."""
    plot = categorized(plot)
    rows, x, names = plot.rows, plot.x, list(categories_of(plot))
    axis = x if isinstance(x, Axis) else next(iter(x.values()))
    beside = rows[rows["variant"] != "dotted"][["series", "variant"]].drop_duplicates()
    order = list(
        beside.sort_values(
            "series", key=lambda s: s.map(plot.series().index), kind="stable"
        ).itertuples(index=False, name=None)
    )

    def at(some: pd.DataFrame) -> pd.Series[float]:
        known = {name: nth for nth, name in enumerate(names)}
        value = some["x"].map(known if names else float).astype(np.float64)
        return value.transform(np.log) if axis.scale == "log" else value

    length = np.ptp(at(rows)) if form.spread else 0.0
    slot = min(form.spread / len(order), form.widest) if names else _BESIDE * float(length)

    def moved(some: pd.DataFrame) -> pd.DataFrame:
        pairs = zip(some["series"], some["variant"].replace("dotted", ""), strict=True)
        middle = (len(order) - 1) / 2
        aside = [slot * (order.index(one) - middle if one in order else 0.0) for one in pairs]
        beside = at(some) + aside
        return some.assign(x=np.exp(beside) if axis.scale == "log" else beside)

    stated = None if plot.stated is None or plot.stated.empty else moved(plot.stated)
    bounds = [replace(b, x=names.index(b.x)) if b.x is not None else b for b in plot.bounds]
    return replace(plot, rows=moved(rows), x=x, stated=stated, bounds=bounds), slot


def categories_of(plot: Plot) -> Sequence[str]:
    """Return the categories along x of a placed plot; none of a scale."""
    return plot.x.names or () if isinstance(plot.x, Axis) else ()


def curves_of(plot: Plot, panel: str, slot: float) -> Iterator[Curve]:
    """Yield the curves of a panel, in the order of the series."""
    looks = {name: plot.looks.get(name, nth_look(nth)) for nth, name in enumerate(plot.series())}
    rows = plot.rows[plot.rows["panel"] == panel]
    for (name, variant), some in rows.groupby(["series", "variant"], sort=False):
        yield Curve(str(name), looks[str(name)], str(variant), slot, some)
