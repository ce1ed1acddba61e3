"""Matches and errors over φ, the target present and absent in one panel (NS08, Fig. 5).

Invariant: at each φ the shares of a cell add up to one.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.metrics.phi import PRESENT
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Points, Rule
from sim.report.figures.facets import facet_pages, plan_series
from sim.report.figures.series import percent

_ANSWERS = {
    "matched_right": ("matched and right", COLOURS[0]),
    "matched_wrong": ("matched and wrong", COLOURS[1]),
    "no_match": ("no match", COLOURS[6]),
}
_STYLES = {True: "-", False: "--"}


def pages(data: Data) -> Iterator[Page]:
    """Yield the answers over φ, one panel for each cell, or for a cell and its absent twin."""
    curves, over_phi = data.tables["curves"], data.tables["phi"]
    plan = plan_series(curves, "phi", without=(PRESENT,), coloured=False)
    presence = [bool(value) for value in curves.get(PRESENT, pd.Series(True, curves.index))]
    is_present = dict(zip(curves["cell"].tolist(), presence, strict=True))
    by_cell = dict(list(over_phi.groupby("cell")))
    crossing = "phi_star" in curves and bool(curves["phi_star"].notna().any())
    last = float(over_phi["phi"].max())

    def marks(cells: pd.DataFrame) -> Iterator[Mark]:
        for cell in cells["cell"].tolist():
            shares, present = by_cell[cell], is_present[cell]
            # An absent target has no correct match.
            for name in list(_ANSWERS)[0 if present else 1 :]:
                y, colour = 100 * shares[name], _ANSWERS[name][1]
                yield Line(shares["phi"], y, colour=colour, style=_STYLES[present], steps=True)
        if crossing:
            found = cells[["phi_star", "equal_error"]].dropna().drop_duplicates()
            inside = found[found["phi_star"] <= last]
            y = 100 * inside["equal_error"]
            label = "φ*: both errors equal"
            yield Points(inside["phi_star"], y, marker="X", colour=INK, label=label)
        if data.phi is not None:
            yield Rule(data.phi, upright=True, label=f"φ = {data.phi:g} of this run")

    legend: list[Mark] = [
        Line(label=label, colour=colour)
        for name, (label, colour) in _ANSWERS.items()
        if over_phi[name].notna().any()
    ]
    both = len(set(presence)) > 1
    if both:
        for present, word in ((True, "present"), (False, "absent")):
            legend.append(Line(label=f"target {word}", colour=FAINT, style=_STYLES[present]))
    yield from facet_pages(
        curves,
        plan,
        marks,
        title="Matches and errors, by the threshold φ",
        x=Axis("φ: standard deviations from the second best", (0, last)),
        y=percent("targets (%)"),
        note="" if both or presence[0] else "target absent",
        legend=legend,
    )


SPEC = FigureSpec(
    "Matches and errors by φ, the eccentricity that a match requires.",
    pages,
    needs=[("phi", "")],
)
