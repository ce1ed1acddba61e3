"""Lengths of records (NS08, Figs. 2 and 3).

Invariant: every length up to the end of a panel is drawn, and its title counts the others.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.plot.palette import COLOURS, LINES
from sim.plot.spec import Axis, Bars, Data, FigureSpec, Line, Page, Panel


def pages(data: Data) -> Iterator[Page]:
    """Yield the number of records with exactly, and with at least, X items."""
    facts, lengths = data.tables["facts"].iloc[0], data.tables["lengths"]
    ranges = data.tables["beyond"]
    panels = []
    for items, beyond in zip(ranges["items"].tolist(), ranges["records"].tolist(), strict=True):
        shown = lengths[lengths["x"] <= items]
        seen = shown[shown["at_least"] > 0]
        exactly = Bars(
            shown["x"],
            shown["exactly"],
            base=0.5,
            width=1.0,
            colour=COLOURS[0],
            opacity=0.75,
            label="with exactly X items",
        )
        at_least = Line(
            seen["x"],
            seen["at_least"],
            colour=COLOURS[1],
            style=LINES[1],
            label="with X items or more",
        )
        panels.append(
            Panel(
                [exactly, at_least],
                Axis("items in a record, X", (0, items), form="{:,.0f}"),
                Axis(
                    "records", (0.5, 2.0 * float(facts["n_records"])), scale="log", form="{:,.0f}"
                ),
                f"up to {items:,} items ({beyond:,} records hold more)",
            )
        )
    yield Page(
        "Number of records by length",
        panels,
        f"all {facts['n_records']:,.0f} records; items in a record: mean "
        f"{facts['length_mean']:,.0f}, median {facts['length_median']:,.0f}, maximum "
        f"{facts['length_max']:,.0f}",
        each=max(4.6, 6.4 / len(panels)),
    )


SPEC = FigureSpec("Number of records by number of items.", pages)
