"""Figures of tables that only some attacks have."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from sim.metrics.by_mentions import bin_words
from sim.metrics.curves import axis_columns
from sim.numeric.columns import share
from sim.numeric.text import quantity
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import LINEAR, Axis, Bound, Data, Look, Plot, figure, percent, rows_of
from sim.report.figures.captions import TIES, captioned, per_point, populations_text
from sim.report.figures.grid import attack_labels, cell_words, shared_levels
from sim.report.figures.of_attacks import REASONS
from sim.report.figures.stated import stated_in

_STACK = {
    "k1": ("identified", Look(COLOURS[0])),
    **REASONS,
    "not_narrow": ("not narrow: others fit as well", REASONS["not_narrow"][1]),
    "misdirected": ("misdirected: others fit better", REASONS["misdirected"][1]),
}
FEWEST = 10
"""People of the smallest group of which a report states a share.

A threshold rule of statistical disclosure limitation: agencies require 3 people, or 5 (FCSM,
Statistical Policy Working Paper 22, 2005, chapter II); of fewer, a 95% interval says little.
"""

_BIN = ["low", "high", "n", "n_present"]


@figure("People identified, and why others are not, by number of items mentioned.", "by_mentions")
def by_mentions(data: Data) -> Iterator[Plot]:
    """F06, Figs. 3 and 5: a series for each attack or cell, then the parts of each bin."""
    table = data.tables["by_mentions"]
    table = table[table["n_present"] > 0].sort_values(["cell", "low"])
    cells = table.drop_duplicates("cell").set_index("cell", drop=False)
    axes = axis_columns(cells.drop(columns=_BIN))
    words = attack_labels(cells) if "algorithm" in cells else cell_words(cells, axes)
    labels = table["cell"].map(dict(zip(cells["cell"], words, strict=True)))
    x = Axis("items mentioned", names=list(dict.fromkeys(_bins(table.sort_values("low")))))
    people = table["n_present"].tolist()
    yield Plot(
        "points",
        "People identified, by number of items mentioned",
        rows_of(table, "k1", x=_bins(table), series=labels.replace("", "identified")),
        x,
        percent("people identified (%)"),
        captioned(per_point(people), TIES),
    )
    parts = [
        rows_of(table, name, x=_bins(table), panel=labels, part=part).assign(low=math.nan)
        for name, (part, _) in _STACK.items()
    ]
    yield Plot(
        "bars",
        "Why people are not identified, by number of items mentioned",
        pd.concat(parts),
        x,
        percent("people (%)"),
        per_point(people, "bar"),
        looks=dict(_STACK.values()),
    )


def _bins(table: pd.DataFrame) -> list[str]:
    ends = zip(table["low"], table["high"], strict=True)
    return [bin_words(int(low), None if pd.isna(high) else int(high)) for low, high in ends]


_KINDS = {
    "right": ("in the release, best guess right", Look(COLOURS[0], "o")),
    "missed": ("in the release, best guess wrong or a tie", Look(COLOURS[1], "s")),
    "absent": ("not in the release", Look(FAINT, "x")),
    "unknown": ("linkage unknown", Look(COLOURS[2], "^")),
}
"""What is known of a person and was found."""

_TICKS = (0, 0.5, 1, 1.5, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


@figure(
    "Eccentricity of the best guess for each person: its distance from the second best.", "people"
)
def people(data: Data) -> Iterator[Plot]:
    """NS08 §5, IMDb: every person of another site, by eccentricity."""
    everybody = data.tables["people"]
    facts = data.tables.get("facts", pd.DataFrame({"cell": [], "whose": []}))
    cells = everybody["cell"].unique().tolist()
    for nth, cell in enumerate(cells, 1):
        mine = everybody[everybody["cell"] == cell]
        known = mine[mine["eccentricity"].notna()]
        is_right = np.where(known["guess"] == "right", "right", "missed")
        kind = np.where(known["record"] == "present", is_right, known["record"])
        count = pd.Series(kind).value_counts()
        words = {name: f"{text} ({count.get(name, 0):,})" for name, (text, _) in _KINDS.items()}
        series = [words[name] for name in kind]
        rows = rows_of(known, "eccentricity", x=known["place"], series=series, scale=1.0)
        stated, bounds = _about_people(facts[facts["cell"] == cell], data)
        top = 1.35 * max([4.0, *rows["y"], *stated["y"]])
        ticks = [tick for tick in _TICKS if tick <= top]
        lost = len(mine) - len(known)
        yield Plot(
            "scatter",
            "Eccentricity of the best guess for each person"
            + (f" ({nth} of {len(cells)})" if len(cells) > 1 else ""),
            rows,
            Axis("people, by eccentricity of the best guess", (0.0, len(mine) + 1.0), whole=8),
            Axis("eccentricity (σ)", (-0.12, top), scale="symlog", ticks=ticks, form="{:g}"),
            captioned(
                f"{len(mine):,} people, linear up to {LINEAR:g}, logarithmic above",
                f"not drawn: {lost:,} without an eccentricity" if lost else "",
            ),
            stated=stated,
            bounds=bounds,
            looks={words[name]: look for name, (_, look) in _KINDS.items()},
            size=(6.4, 3.4),
        )


def _about_people(facts: pd.DataFrame, data: Data) -> tuple[pd.DataFrame, list[Bound]]:
    """Return what is stated of the first two people, and lines for φ and for all others."""
    bounds = []
    if (phi := data.settings.get("phi")) is not None:
        bounds.append(Bound(float(phi), f"a match begins: φ = {phi:g}", colour=INK, line="--"))
    if facts.empty:
        return facts.assign(x=0.0, y=0.0), bounds
    places = facts["whose"].map({"first": 1.0, "second": 2.0})
    stated = stated_in(rows_of(facts, "eccentricity", x=places, scale=1.0), facts, data)
    others = stated[stated["x"].isna()]
    for y, words in zip(others["y"], others["words"], strict=True):
        name = words.partition(":")[0]
        bounds.append(Bound(y, f"{name}: nearly all others at most {y:g}"))
    return stated[stated["x"].notna()], bounds


_RISK = {
    "risk_by_length": "items in the record",
    "risk_by_rarest": "records that hold the rarest item of the record",
}
_MEASURED = ("cell", "low", "high", "n", "rank1", "rank1_low", "rank1_high")


@figure(
    "Rate of right best guesses by the length of a record and by the support of its rarest item; "
    f"neighbouring bins are merged until each holds {FEWEST} people.",
    "risk_by_length",
)
def risk(data: Data) -> Iterator[Plot]:
    """Every cell of the grid is a series; a point stands for `FEWEST` people or more."""
    whole = data.tables["risk_by_length"]
    axes = [a for a in whole.columns if a not in _MEASURED and "matched" not in a]
    cells = whole.drop_duplicates("cell").sort_values("cell").set_index("cell", drop=False)
    words = cell_words(cells, axes).replace("", "best guess")
    rows, x, few = [], {}, 0
    for name, title in _RISK.items():
        bins = merged(data.tables[name])
        few += len(data.tables[name]) - len(bins)
        drawn = bins[bins["n"] >= FEWEST]
        series = words[drawn["cell"]].to_numpy()
        rows.append(rows_of(drawn, "rank1", x=drawn["low"], series=series, panel=title))
        x[title] = _length_axis((bins if drawn.empty else drawn)["low"])
    yield Plot(
        "points",
        "Which records are identified correctly",
        pd.concat(rows),
        x,
        percent("best guess right (%)"),
        captioned(
            *shared_levels(cells, axes),
            f"targets: {populations_text(data.tables['curves'])}",
            f"merged with another: {quantity(few, 'bin')} of too few people" if few else "",
        ),
        size=(3.9, 3.1),
    )


def merged(bins: pd.DataFrame) -> pd.DataFrame:
    """Merge neighbouring bins of each cell until each holds `FEWEST` people.

    A cell with fewer people in all has one bin.

    Examples
    --------
    >>> bins = pd.DataFrame({"cell": 0, "low": [1, 5, 9, 20], "n": [4, 8, 30, 3],
    ...     "rank1": [0.0, 0.75, 0.5, 1.0]})
    >>> merged(bins)[["low", "n", "rank1"]].values.tolist()
    [[1.0, 12.0, 0.5], [9.0, 33.0, 0.5454545454545454]]
    """
    rows = []
    for cell, its in bins.sort_values(["cell", "low"]).groupby("cell", sort=True):
        for _, some in its.groupby(_groups(its["n"].tolist())):
            n = int(some["n"].sum())
            found = share("rank1", float((some["rank1"] * some["n"]).sum()), n)
            rows.append({"cell": cell, "low": int(some["low"].iloc[0]), "n": n, **found})
    return pd.DataFrame(rows)


def _groups(sizes: list[int]) -> np.ndarray:
    """Number bins by the group that they are merged into; what is left over joins the last one."""
    groups, inside = [0], sizes[0]
    for size in sizes[1:]:
        full = inside >= FEWEST
        groups.append(groups[-1] + full)
        inside = size if full else inside + size
    last = groups[-1]
    short = inside < FEWEST and last > 0
    return np.minimum(groups, last - 1 if short else last)


def _length_axis(starts: pd.Series[int]) -> Axis:
    """At most eight of the bins are written."""
    lows = np.unique(starts.to_numpy(np.int64))
    ticks = lows[:: -(-lows.size // 8)].tolist()
    # A logarithmic axis of a single place has no width of its own.
    limits = (lows[0] / 2, lows[0] * 2) if lows.size == 1 else (None, None)
    return Axis("lower end of the bin", limits, scale="log", ticks=ticks, form="{:,.0f}")
