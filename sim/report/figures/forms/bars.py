"""Bars, those of several series beside each other, the parts of one stacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from sim.plot.palette import INK
from sim.plot.spec import Plot
from sim.report.figures.forms.form import Curve, Form

_INSIDE = 10.0
"""Height of a bar, in units of y, from which its words fit inside."""


def _draw(axes: Axes, plot: Plot, curves: Sequence[Curve]) -> None:
    for curve in curves:
        rows = curve.rows if "part" in curve.rows else curve.rows.assign(part="")
        height = dict.fromkeys(rows["x"], 0.0)
        for part, some in rows.groupby("part", sort=False):
            look = plot.looks.get(str(part), curve.look)
            base = [height[x] for x in some["x"]]
            height |= {x: height[x] + y for x, y in zip(some["x"], some["y"], strict=True)}
            edge = INK if part else ("white" if look.hatch else look.colour)
            drawn: dict[str, Any] = {
                "color": look.colour,
                "hatch": look.hatch,
                "edgecolor": edge,
                "linewidth": 0.5,
            }
            label = str(part) or curve.label
            bars = axes.bar(some["x"], some["y"], 0.92 * curve.slot, base, label=label, **drawn)
            if "words" in some:
                inside = np.where(some["y"] >= _INSIDE, some["words"], "")
                axes.bar_label(bars, inside, label_type="center", color="white", fontsize=8)
                axes.bar_label(bars, np.where(inside == "", some["words"], ""), fontsize=8)
        known = replace(curve, rows=rows[rows["low"].notna()], label="_")
        thin: dict[str, Any] = {
            "capsize": min(2.5, 13 * curve.slot),
            "elinewidth": 1.0,
            "linestyle": "none",
        }
        axes.errorbar(known.x, known.y, known.errors, color=INK, **thin)


FORM = Form(_draw, spread=0.8)
