"""Share of records that a few random points single out (de Montjoye et al., 2013, Fig. 2).

Invariant: every share is of the records that have as many points.
"""

from __future__ import annotations

from collections.abc import Iterator

from sim.measurements.time_bins import NO_TIMES, width_words
from sim.plot.palette import COLOURS, LINES
from sim.plot.spec import Axis, Data, FigureSpec, Line, Page, Panel


def pages(data: Data) -> Iterator[Page]:
    """Yield the share of unique records over the number of points."""
    facts = data.tables["facts"]
    lines, most = [], int(facts["points"].max())
    for nth, (times, rows) in enumerate(facts.groupby("times", sort=False)):
        lines.append(
            Line(
                rows["points"],
                100 * rows["unique"],
                low=100 * rows["unique_low"],
                high=100 * rows["unique_high"],
                colour=COLOURS[nth % len(COLOURS)],
                style=LINES[nth % len(LINES)],
                marker="o",
                label=_label(str(times)),
            )
        )
    fewest = facts.loc[facts["points"] == most, "n"].min()
    yield Page(
        "Unicity",
        [
            Panel(
                lines,
                Axis("random points known", (1, max(most, 2)), whole=10),
                Axis("records that are unique (%)", (0, 105), ticks=range(0, 101, 20)),
            )
        ],
        f"of the records with that many points ({fewest:,} with {most}), one draw of points each; "
        "not a bound on what an attacker achieves",
    )


def _label(times: str) -> str:
    return "item alone" if times == NO_TIMES else f"item and {width_words(times)}"


SPEC = FigureSpec(
    "Share of the records that are the only one to fit some of their points, drawn at random.",
    pages,
)
