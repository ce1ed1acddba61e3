"""Where the series of a plot stand: beside each other, so that none covers another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from sim.plot.spec import Axis, Plot, nth_look
from sim.report.figures.forms import Curve, Form

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
    rows, x, names = plot.rows, plot.x, list(plot.categories)
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


def curves_of(plot: Plot, panel: str, slot: float) -> Iterator[Curve]:
    """Yield the curves of a panel, in the order of the series."""
    looks = {name: plot.looks.get(name, nth_look(nth)) for nth, name in enumerate(plot.series())}
    rows = plot.rows[plot.rows["panel"] == panel]
    for (name, variant), some in rows.groupby(["series", "variant"], sort=False):
        yield Curve(str(name), looks[str(name)], str(variant), slot, some)
