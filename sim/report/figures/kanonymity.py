"""Share of records to leave out for k-anonymity, by recoding.

Invariant: every recoding of the table is one bar for each k; a recoding under which no record has
to be left out has a bar of height 0 with the label 0.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.measurements.measurement import FACTS
from sim.measurements.ten_patients import AS_RECORDED, NAME, RECODED
from sim.measurements.time_bins import NO_TIMES, width_words
from sim.plot.palette import COLOURS
from sim.plot.spec import Axis, Bars, Data, FigureSpec, Mark, Page, Panel
from sim.report.figures.series import offset

_MEASURE = "suppressed_records_"
_VALUES = {
    "exact": ("exact values", ""),
    "halves": ("high or low values", "////"),
    "none": ("no values", "...."),
}
_WIDE = 0.84


def pages(data: Data) -> Iterator[Page]:
    """Yield the share of records left out, a panel per k and number of items released."""
    facts = data.tables[FACTS]
    worked, release = facts[facts["data"] == NAME], facts[facts["data"] != NAME]
    ks = [int(name.removeprefix(_MEASURE)) for name in map(str, facts) if name.startswith(_MEASURE)]
    recoded = release.fillna({"values": "none", "days": "none"})
    days = list(dict.fromkeys(recoded["days"]))[::-1]  # finest first
    names = [day if day == NO_TIMES else width_words(day) for day in days]
    panels = [
        Panel(
            list(_marks(rows, f"{_MEASURE}{k}", days)),
            Axis("precision of dates", ticks=range(len(days)), names=names),
            Axis("left out (% of records)", (0, 104), ticks=range(0, 101, 20)),
            f"{_items(rows['items'].iloc[0])}, k = {k}",
        )
        for _, rows in recoded.groupby("items", dropna=False, sort=False)
        for k in ks
    ]
    yield Page(
        "Records left out for k-anonymity",
        panels,
        _caption(worked, data),
        across=len(ks),
        each=3.1,
        height=2.3,
        shared="xy",
    )


def _items(count: float) -> str:
    return "all items" if pd.isna(count) else f"the top {count:,.0f} items only"


def _marks(facts: pd.DataFrame, measure: str, days: list[str]) -> Iterator[Mark]:
    values = [value for value in _VALUES if value in set(facts["values"])]
    slot = _WIDE / len(values)
    for place, value in enumerate(values):
        shares = facts[facts["values"] == value].set_index("days")[measure]
        y = [100 * float(shares[day]) for day in days]
        words, hatch = _VALUES[value]
        yield Bars(
            [day + offset(place, len(values), slot) for day in range(len(days))],
            y,
            width=0.9 * slot,
            colour=COLOURS[list(_VALUES).index(value)],
            hatch=hatch,
            edge="white",
            label=words,
            values=["0" if share == 0 else "" for share in y],
        )


def _caption(worked: pd.DataFrame, data: Data) -> str:
    """Return k of the worked table, and the k that the slides state."""
    words = "each record kept is identical to at least k − 1 others"
    if worked.empty:
        return words
    k = worked.set_index("recoding")["k"]
    stated = [n for n in data.numbers if n.data == NAME and n.value is not None]
    theirs = f" ({stated[0].paper}: {stated[0].value:g})" if stated else ""
    return (
        f"{words}; the slides' ten patients: k = {k[AS_RECORDED]} as recorded, "
        f"{k[RECODED]} {RECODED}{theirs}"
    )


SPEC = FigureSpec(
    "Share of records to leave out so that every other record is identical to k − 1 others.", pages
)
