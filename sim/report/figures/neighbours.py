"""Similarity or distance to the nearest other record (NS08, Fig. 1; NS07, Fig. 1).

Invariant: every curve is drawn with its interval, and the shares in the legend are at the papers'
threshold.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.measurements.nearest import HALF, WITHIN
from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS, LINES
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Rule
from sim.report.figures.series import stated_numbers, stated_point

_WORDS = {
    "presence": "items alone",
    "values": "values ±{eps_value:g}",
    "dates": "dates ±{eps_day:g} days",
    "values_and_dates": "values ±{eps_value:g} and dates ±{eps_day:g} days",
}


def pages(data: Data) -> Iterator[Page]:
    """Yield the share of records whose nearest other record is at least so similar, or distant."""
    facts, curves = data.tables["facts"], data.tables["ccdf"]
    far = "distance" in curves
    x = "distance" if far else "similarity"
    at, measure = (WITHIN, "no_neighbour_within_70") if far else (HALF, "no_neighbour_above_half")
    known = facts[facts[measure].notna()]

    def marks() -> Iterator[Mark]:
        yield Rule(at, upright=True)
        for row in row_dicts(known):
            nth, curve = (
                list(_WORDS).index(row["attributes"]),
                curves[curves["attributes"] == row["attributes"]],
            )
            words = _WORDS[row["attributes"]].format(
                **{str(key): value for key, value in row.items()}
            )
            words += f": {row[measure]:.1%} have none {'within' if far else 'above'} {at:g}"
            shares = {"y": "share", "low": "low", "high": "high"}
            yield Line(
                curve[x],
                **{key: 100 * curve[name] for key, name in shares.items()},
                colour=COLOURS[nth],
                style=LINES[nth],
                label=words,
            )
        for _, number, value in stated_numbers(data, known, [measure]):
            # The share without such a neighbour is what the curve leaves to 100%; not so far away.
            yield stated_point(number, at, 100 * (value if far else 1 - value))

    what = "distance, as a fraction of the record's own items" if far else "similarity"
    # Ends at 1, or where no record of a thousand is left.
    end = max(1.0, float(curves.loc[curves["share"] > 1e-3, x].max()))
    yield Page(
        f"{x.capitalize()} {'to' if far else 'of'} the nearest other record",
        [
            Panel(
                list(marks()),
                Axis(f"{what}, at least", (0, end)),
                Axis("records (%)", (-2, 104), ticks=range(0, 101, 20)),
            )
        ],
        _caption(facts, measure, at),
        each=6.8,
    )


def _caption(facts: pd.DataFrame, measure: str, at: float) -> str:
    """Describe the records whose neighbours are drawn."""
    first = facts.iloc[0]
    records, all_records = int(first["records"]), int(first["of_records"])
    who = f"all {all_records:,} records"
    if records < all_records:
        who = f"{records:,} of {all_records:,} records, each against all; bands: 95% intervals"
    missing = [f"the release has no {by}" for by in facts.loc[facts[measure].isna(), "attributes"]]
    return "; ".join([who, f"dotted line at {at:g}", *(word.replace("_", " ") for word in missing)])


SPEC = FigureSpec("Share of records by their similarity or distance to the nearest other.", pages)
