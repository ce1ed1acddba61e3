"""Eccentricity of the best guess for each person of another site (NS08 §5, IMDb).

Invariant: every person with an eccentricity is drawn once, in the order of the eccentricities;
those without one, since no record shares an item with them, are counted in the caption.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import LINEAR, Axis, Data, FigureSpec, Mark, Page, Panel, Points, Rule
from sim.report.figures.series import stated_numbers, stated_point

_KINDS = {
    "right": ("in the release, best guess right", "o", COLOURS[0], True),
    "missed": ("in the release, best guess wrong or a tie", "s", COLOURS[1], False),
    "absent": ("not in the release", "x", FAINT, True),
    "unknown": ("linkage unknown", "^", COLOURS[2], True),
}
"""By what is known of a person and was found: words, marker, colour, whether it is filled."""

_TICKS = (0, 0.5, 1, 1.5, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def pages(data: Data) -> Iterator[Page]:
    """Yield the people of every grid cell."""
    people = data.tables["people"]
    cells = people["cell"].drop_duplicates().tolist()
    facts = data.tables.get("facts", pd.DataFrame({"cell": [], "whose": []}))
    for nth, cell in enumerate(cells, 1):
        mine = people[people["cell"] == cell]
        known = mine["eccentricity"].notna()
        highest = max([4.0, *mine["eccentricity"][known], *(n.value or 0.0 for n in data.numbers)])
        caption = f"{len(mine):,} people, linear up to {LINEAR:g}, logarithmic above"
        if not known.all():
            caption += f"; not drawn: {int((~known).sum()):,} without an eccentricity"
        yield Page(
            "Eccentricity of the best guess for each person"
            + (f" ({nth} of {len(cells)})" if len(cells) > 1 else ""),
            [
                Panel(
                    list(_marks(mine, facts[facts["cell"] == cell], data)),
                    Axis(
                        "people, by eccentricity of the best guess",
                        (0.0, len(mine) + 1.0),
                        whole=8,
                    ),
                    Axis(
                        "eccentricity (σ)",
                        (-0.12, 1.35 * highest),
                        scale="symlog",
                        ticks=[tick for tick in _TICKS if tick <= 1.35 * highest],
                        form="{:g}",
                    ),
                )
            ],
            caption,
            each=7.2,
        )


def _marks(people: pd.DataFrame, facts: pd.DataFrame, data: Data) -> Iterator[Mark]:
    kinds = np.select(
        [people["record"] != "present", people["guess"] == "right"],
        [people["record"], "right"],
        "missed",
    )
    for kind, (words, marker, colour, filled) in _KINDS.items():
        mine = people[kinds == kind]
        if len(mine):
            yield Points(
                mine["place"][mine["eccentricity"].notna()],
                mine["eccentricity"].dropna(),
                marker=marker,
                colour=colour,
                filled=filled,
                label=f"{words} ({len(mine):,})",
            )
    phi = data.settings.get("phi")
    if phi is not None:
        label = f"a match begins: φ = {phi:g}"
        yield Rule(float(phi), label=label, colour=INK, style="--", width=1.1)
    places = {"first": 1, "second": 2}
    for row, number, value in stated_numbers(data, facts, ["eccentricity"]):
        if row["whose"] in places:
            yield stated_point(number, places[row["whose"]], value)
        else:
            label = f"{number.paper}: nearly all others at most {value:g}"
            yield Rule(value, between=(2.5, len(people) + 0.5), label=label, width=1.4)


SPEC = FigureSpec(
    "Eccentricity of the best guess for each person: its distance from the second best.",
    pages,
    needs=[("people", "")],
)
