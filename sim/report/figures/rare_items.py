"""Who holds items that few others hold (NS08, table of section 5).

Invariant: every share is a bar with its value; where no item is left, the legend says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sim.papers.papers import PaperNumber
from sim.report.figures.plates import plate
from sim.report.figures.references import References, mark, reference_handles
from sim.report.figures.style import COLOURS

TITLE = "How many records hold items that few others hold"

_PREFIX = "at_least_"
_ROOM = 0.1
"""Share that is high enough as a bar to hold its own value."""

_WIDE = 0.8
"""Share of the room between two x positions that a group of bars takes."""


def rare_items_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw the share of records with items outside the most supported.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.measurements.rare_items.RareItems`.
    numbers : sequence of PaperNumber
        Marked over their bars.
    settings : Mapping, optional
        What the numbers' conditions may be looked up in besides.

    Yields
    ------
    Figure
    """
    facts = tables["facts"]
    measures = [name for name in facts.columns if name.startswith(_PREFIX)]
    known = facts[facts["items"] > 0]
    slot = _WIDE / len(known)
    references, used = References(numbers, settings or {}), dict[str, bool]()

    def place(most: int) -> float:
        nth = known["popularity"].tolist().index(most)
        return (nth - (len(known) - 1) / 2) * slot

    def draw(axes: Axes) -> None:
        rows = known[["popularity", *measures]].to_numpy(np.float64)
        for colour, row in zip(_colours(len(known)), rows, strict=True):
            centres = np.arange(len(measures)) + place(int(row[0]))
            bars = axes.bar(centres, 100 * row[1:], 0.92 * slot, color=colour)
            words = [f"{100 * share:.1f}" for share in row[1:]]
            # Inside the bar, away from a mark at its end, if there is room.
            inside = [
                word if share >= _ROOM else "" for word, share in zip(words, row[1:], strict=True)
            ]
            axes.bar_label(bars, inside, label_type="center", color="white", fontsize=8)
            above = ["" if word in inside else word for word in words]
            axes.bar_label(bars, above, fontsize=8)
        for cell, number in references.about(known, measures):
            at = measures.index(number.measure) + place(int(cell["popularity"]))
            used.update(mark(axes, at, 100 * float(number.value or 0), number))
        words = [f"{int(name.removeprefix(_PREFIX)):,}" for name in measures]
        axes.set_xticks(range(len(measures)), words)
        axes.tick_params(axis="x", bottom=False)
        axes.set_xlabel("such items in a record, at least")
        axes.set_ylabel("records (%)")
        axes.set_ylim(0, 110)
        axes.set_yticks(range(0, 101, 20))

    def handles() -> list[Any]:
        rows = zip(known["popularity"], known["items"], _colours(len(known)), strict=True)
        bars = [
            Patch(color=colour, label=f"not in the top {most:,} ({items:,} items)")
            for most, items, colour in rows
        ]
        return [*bars, *reference_handles(used)]

    yield plate(TITLE, [draw], handles, _caption(facts), each=max(6.4, 0.5 * len(known) * 3))


def _colours(count: int) -> list[str]:
    """As many as there are rows, over again if need be."""
    return [COLOURS[nth % len(COLOURS)] for nth in range(count)]


def _caption(facts: pd.DataFrame) -> str:
    missing = [f"{most:,}" for most in facts.loc[facts["items"] == 0, "popularity"]]
    none = f"no item outside the top {' or '.join(missing)}" if missing else ""
    return "; ".join(["all records counted", *([none] if none else [])])
