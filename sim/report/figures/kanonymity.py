"""What must be left out of a release for k-anonymity, recoded as much as it may be.

Invariant: every recoding of the table is one bar for each k; a recoding under which nothing need be
left out has a bar of no height, and is written down as such.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sim.measurements.measurement import FACTS
from sim.measurements.ten_patients import AS_RECORDED, RECODED
from sim.papers.papers import PaperNumber
from sim.report.figures.style import COLOURS, INK, house_style, new_figure

TITLE = "Records to leave out for k-anonymity"

_MEASURE = "suppressed_records_"
_DAYS = ("day", "week", "month", "year", "none")
_VALUES = {"exact": "exact values", "halves": "high or low values", "none": "no values"}
_HATCHES = ("", "////", "....")
_WIDE = 0.84


def kanonymity_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw the share of records left out, a panel per k and number of items released.

    Parameters
    ----------
    tables : Mapping
        ``facts``, as `sim.measurements.k_of_release` makes them.
    numbers : sequence of PaperNumber
        What is stated about the worked table is written below.
    settings : Mapping, optional
        Not needed.

    Yields
    ------
    Figure
    """
    facts = tables[FACTS]
    worked, release = facts[facts["data"].notna()], facts[facts["data"].isna()]
    ks = [int(name.removeprefix(_MEASURE)) for name in map(str, facts) if name.startswith(_MEASURE)]
    items = list(dict.fromkeys(None if pd.isna(n) else int(n) for n in release["items"]))
    told = release.assign(
        values=release["values"].fillna("none"), days=release["days"].fillna("none")
    )
    values = [value for value in _VALUES if value in set(told["values"])]
    days = [day for day in _DAYS if day in set(told["days"])]
    with house_style():
        figure = new_figure(max(3.1 * len(ks), 6.0), 1.4 + 2.2 * len(items))
        grid = figure.subplots(len(items), len(ks), sharex=True, sharey=True, squeeze=False)
        for row, count in enumerate(items):
            of_items = told[told["items"].isna() if count is None else told["items"] == count]
            for column, k in enumerate(ks):
                axes = grid[row][column]
                _draw(axes, of_items, f"{_MEASURE}{k}", values, days)
                named = "all items" if count is None else f"the top {count:,} items alone"
                axes.set_title(f"{named}, k = {k}")
                if row == len(items) - 1:
                    axes.set_xlabel("dates told by")
                if column == 0:
                    axes.set_ylabel("left out (% of records)")
        figure.suptitle(TITLE, x=0.01, horizontalalignment="left")
        handles = [
            Patch(facecolor=COLOURS[v], hatch=_HATCHES[v], edgecolor="white", label=_VALUES[value])
            for v, value in enumerate(_VALUES)
            if value in values
        ]
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=len(handles),
            title=fill(_caption(worked, numbers), int(12 * figure.get_figwidth())),
        ).get_title().set_multialignment("center")
    yield figure


def _draw(
    axes: Axes, facts: pd.DataFrame, measure: str, values: Sequence[str], days: Sequence[str]
) -> None:
    slot = _WIDE / len(values)
    for place, value in enumerate(values):
        v = list(_VALUES).index(value)
        rows = facts[facts["values"] == value].set_index("days")[measure]
        for d, day in enumerate(days):
            at, share = d + (place - (len(values) - 1) / 2) * slot, 100 * float(rows[day])
            axes.bar(
                at, share, 0.9 * slot, color=COLOURS[v], hatch=_HATCHES[v], edgecolor="white",
                linewidth=0,
            )  # fmt: skip
            if share == 0:
                axes.text(at, 1.5, "0", color=INK, fontsize=7, horizontalalignment="center")
    axes.set_xticks(range(len(days)), days)
    axes.set_ylim(0, 104)
    axes.set_yticks(range(0, 101, 20))
    axes.tick_params(axis="x", bottom=False)


def _caption(worked: pd.DataFrame, numbers: Sequence[PaperNumber]) -> str:
    """Say what came out of the worked table, and what is stated of it."""
    said = "records kept are alike, in all that is released, to k − 1 others or more"
    if worked.empty:
        return said
    k = worked.set_index("recoding")["k"]
    stated = [n for n in numbers if n.data == "ten_patients" and n.value is not None]
    theirs = f" ({stated[0].paper}: {stated[0].value:g})" if stated else ""
    return (
        f"{said}; the slides' ten patients: k = {k[AS_RECORDED]} as recorded, "
        f"{k[RECODED]} {RECODED}{theirs}"
    )
