"""Figures of measurements, by the name that a measurement states."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.measurements.measurement import FACTS
from sim.measurements.nearest import HALF, WITHIN
from sim.measurements.ten_patients import NAME
from sim.measurements.time_bins import NO_TIMES, width_words
from sim.plot.palette import COLOURS
from sim.plot.spec import (
    Axis,
    Bound,
    Data,
    Look,
    Plot,
    figure,
    percent,
    rows_of,
    rows_over,
)
from sim.report.figures.captions import captioned
from sim.report.figures.stated import stated_in


@figure("Share of the records that are the only one to fit some of their points, drawn at random.")
def unicity(data: Data) -> Iterator[Plot]:
    """The share of records that a few points single out (de Montjoye et al., 2013, Fig. 2)."""
    table = data.tables[FACTS]
    most = int(table["points"].max())
    fewest = table.loc[table["points"] == most, "n"].min()
    names = [
        "item alone" if times == NO_TIMES else f"item and {width_words(times)}"
        for times in table["times"]
    ]
    yield Plot(
        "curves",
        "Unicity",
        rows_of(table, "unique", x=table["points"], series=names),
        Axis("random points known", (1, max(most, 2)), whole=10),
        percent("records that are unique (%)"),
        f"of the records with that many points ({fewest:,} with {most}), one draw of points each; "
        "not a bound on what an attacker achieves",
    )


@figure("Number of records by number of items.")
def lengths(data: Data) -> Iterator[Plot]:
    """The number of records with exactly, and with at least, X items (NS08, Figs. 2 and 3)."""
    totals, table = data.tables[FACTS].iloc[0], data.tables["lengths"]
    rows, x = [], {}
    for items, beyond in data.tables["beyond"][["items", "records"]].to_numpy().tolist():
        panel = f"up to {items:,} items ({beyond:,} records hold more)"
        shown = table[table["x"] <= items]
        seen = shown[shown["at_least"] > 0]
        at: dict[str, Any] = {"panel": panel, "scale": 1.0}
        rows.append(rows_of(shown, "exactly", x=shown["x"], series="with exactly X items", **at))
        rows.append(rows_of(seen, "at_least", x=seen["x"], series="with X items or more", **at))
        x[panel] = Axis("items in a record, X", (0, items), form="{:,.0f}")
    yield Plot(
        "distribution",
        "Number of records by length",
        pd.concat(rows),
        x,
        Axis("records", (0.5, 2.0 * float(totals["n_records"])), scale="log", form="{:,.0f}"),
        f"all {totals['n_records']:,.0f} records; items in a record: mean "
        f"{totals['length_mean']:,.0f}, median {totals['length_median']:,.0f}, maximum "
        f"{totals['length_max']:,.0f}",
        size=(max(4.6, 6.4 / len(x)), 3.1),
    )


@figure("Share of the records that hold items outside the most popular.")
def rare_items(data: Data) -> Iterator[Plot]:
    """Records that hold items outside the most supported (NS08, table of section 5)."""
    table = data.tables[FACTS]
    known = table[table["items"] > 0]
    measures = {
        f"{int(name.removeprefix('at_least_')):,}": name
        for name in map(str, table)
        if name.startswith("at_least_")
    }
    names = [
        f"not in the top {top:,} ({items:,} items)"
        for top, items in zip(known["popularity"], known["items"], strict=True)
    ]
    rows = rows_over(known, measures, series=names)
    missing = " or ".join(f"{top:,}" for top in table.loc[table["items"] == 0, "popularity"])
    yield Plot(
        "bars",
        "Share of records that hold rare items",
        rows.assign(words=rows["y"].map("{:.1f}".format)),
        Axis("minimum number of such items in a record"),
        percent("records (%)", 110),
        captioned("all records counted", f"no item outside the top {missing}" if missing else ""),
        stated=stated_in(rows, known, data),
    )


_SUPPRESSED = "suppressed_records_"
_VALUES = {
    "exact": ("exact values", Look(COLOURS[0])),
    "halves": ("high or low values", Look(COLOURS[1], hatch="////")),
    "none": ("no values", Look(COLOURS[2], hatch="....")),
}


@figure("Share of records to leave out so that every other record is identical to k − 1 others.")
def kanonymity(data: Data) -> Iterator[Plot]:
    """The share of records to leave out for k-anonymity, a panel per k and number of items."""
    table = data.tables[FACTS]
    release = table[table["data"] != NAME].fillna({"values": "none", "days": "none"})
    days = list(dict.fromkeys(release["days"]))[::-1]  # finest first
    names = {day: day if day == NO_TIMES else width_words(day) for day in days}
    order = release["values"].map([*_VALUES].index)
    release = release.assign(
        series=release["values"].map(lambda value: _VALUES[value][0]),
        which=release["items"]
        .map("the top {:,.0f} items only".format, "ignore")
        .fillna("all items"),
    ).iloc[order.argsort(kind="stable")]
    measures = [name for name in map(str, table) if name.startswith(_SUPPRESSED)]
    drawn = pd.concat([
        rows_of(
            some,
            name,
            x=some["days"].map(names),
            series=some["series"],
            panel=f"{which}, k = {name.removeprefix(_SUPPRESSED)}",
        )
        for which, some in release.groupby("which", sort=False)
        for name in measures
    ])  # fmt: skip
    yield Plot(
        "bars",
        "Records left out for k-anonymity",
        drawn.assign(words=np.where(drawn["y"] == 0, "0", "")),
        Axis("precision of dates", names=list(names.values())),
        percent("left out (% of records)"),
        "each record kept is identical to at least k − 1 others",
        looks=dict(_VALUES.values()),
        across=len(measures),
        size=(3.1, 2.3),
    )


_OF_OWN = ", as a fraction of the record's own items"
_NEIGHBOURS = {
    "presence": "items alone",
    "values": "values ±{eps_value:g}",
    "dates": "dates ±{eps_day:g} days",
    "values_and_dates": "values ±{eps_value:g} and dates ±{eps_day:g} days",
}


@figure("Share of records by their similarity or distance to the nearest other.")
def neighbours(data: Data) -> Iterator[Plot]:
    """Similarity or distance to the nearest other record (NS08, Fig. 1; NS07, Fig. 1)."""
    table, curves = data.tables[FACTS], data.tables["ccdf"]
    far = "distance" in curves
    x, without = ("distance", "within") if far else ("similarity", "above")
    at, measure = (WITHIN, "no_neighbour_within_70") if far else (HALF, "no_neighbour_above_half")
    known = table[table[measure].notna()]
    names = {
        row["attributes"]: _NEIGHBOURS[row["attributes"]].format_map(row)
        + f": {row[measure]:.1%} have none {without} {at:g}"
        for row in known.to_dict("records")
    }
    curves = curves[curves["attributes"].isin(names)]
    curves = curves.rename(columns={"low": "share_low", "high": "share_high"})
    series = curves["attributes"].map(names)
    of_known = rows_of(known, measure, x=at, series=known["attributes"].map(names))
    stated = stated_in(of_known, known, data)
    # The share without such a neighbour is what the curve leaves to 100%; not so far away.
    stated = stated if far else stated.assign(y=100 - stated["y"])
    # Ends at 1, or where no record of a thousand is left.
    end = max(1.0, float(curves.loc[curves["share"] > 1e-3, x].max()))
    records, of = int(table["records"].iloc[0]), int(table["of_records"].iloc[0])
    each = f"{records:,} of {of:,} records, each against all"
    missing = table.loc[table[measure].isna(), "attributes"].str.replace("_", " ")
    yield Plot(
        "curves",
        f"{x.capitalize()} {'to' if far else 'of'} the nearest other record",
        rows_of(curves, "share", x=curves[x], series=series),
        Axis(f"{x}{_OF_OWN if far else ''}, at least", (0, end)),
        percent("records (%)"),
        captioned(
            each if records < of else f"all {of:,} records",
            f"dotted line at {at:g}",
            *(f"the release has no {by}" for by in missing),
        ),
        stated=stated,
        bounds=[Bound(at, upright=True)],
    )


BINS_A_DECADE = 16

_GAINS = {
    "presence": "the item alone",
    "values": "with its value",
    "dates": "with its date",
    "values_and_dates": "with both",
}


@figure("Bits gained from knowing one item of a person, by the rank of the item.")
def item_bits(data: Data) -> Iterator[Plot]:
    """Information gained from one known item, by its rank (NS08, Fig. 7).

    Medians of bins that are almost equally wide on the logarithmic axis, between the quartiles.
    """
    items, table = data.tables["item_bits"], data.tables[FACTS].set_index("known")
    prior = float(table["bits_prior"].iloc[0])
    known = [name for name in _GAINS if items[name].notna().any()]
    edges = rank_bins(len(items))
    groups = items[known].groupby(np.searchsorted(edges, items["item_rank"], side="right"))
    quartiles = {"_low": 0.25, "": 0.5, "_high": 0.75}
    bins = pd.concat([groups.quantile(q).add_suffix(end) for end, q in quartiles.items()], axis=1)
    rows = [
        rows_of(
            bins,
            name,
            x=np.sqrt(edges[:-1] * (edges[1:] - 1.0)),
            series=f"{_GAINS[name]} ({float(table['bits'][name]):.1f} bits per cell)",
            scale=1.0,
        )
        for name in known
    ]
    within = table.iloc[0]
    agree = [
        *([f"values within {within['eps_value']:g}"] if "values" in known else []),
        *([f"days within {within['eps_day']:g}"] if "dates" in known else []),
    ]
    missing = " and no ".join(word for word in ("values", "dates") if word not in known)
    ranks = (1, max(len(items), 2))
    yield Plot(
        "curves",
        "Information gained from one known item",
        pd.concat(rows),
        Axis("rank of the item, 1 the most supported", ranks, scale="log", form="{:,.0f}"),
        Axis("bits gained", (0, 1.06 * max(prior, 0.1)), whole=8),
        captioned(
            f"{' and '.join(agree)} agree" if agree else "",
            "medians of bins of ranks",
            f"the release has no {missing}" if missing else "",
        ),
        bounds=[Bound(prior, f"total uncertainty: log2 N = {prior:.1f}")],
        intervals="quartiles",
    )


def rank_bins(items: int) -> NDArray[np.int64]:
    """Return the first ranks of bins that are equally wide on a logarithmic axis, and the end.

    Examples
    --------
    >>> rank_bins(12).tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13]
    >>> rank_bins(10_000)[-3:].tolist()
    [7500, 8660, 10001]
    """
    count = max(1, round(BINS_A_DECADE * np.log10(items + 1)))
    edges = np.geomspace(1, items + 1, count + 1).round()
    return np.unique(edges).astype(np.int64)


_WAYS = {
    ("records", "at random"): "random order, records weighted equally",
    ("cells", "at random"): "random order, cells weighted equally",
    ("cells", "longest first"): "longest records first, cells weighted equally",
}
_LAWS = {
    "mean square": ("", "mean squared error proportional to the unknown share"),
    "linear": ("open", "RMSE proportional to the unknown share (NS07)"),
}
_NEAR = 0.05
"""Share of the records up to which the first panel goes."""


@figure("Error of a recommender by the share of records whose truth it knows.")
def recommender(data: Data) -> Iterator[Plot]:
    """The error of a recommender over the share of records it knows (NS07, section 5)."""
    table, gain = data.tables[FACTS], data.tables["gain"]
    near, whole = f"up to {_NEAR:.0%} of the records", "up to all records"
    # The end of a panel is a share k / n in floating point.
    panels = {near: gain[gain["share"] <= _NEAR + 1e-12], whole: gain}
    rows = [
        rows_of(
            some,
            "rmse",
            x=100 * some["share"],
            series=[_WAYS[way] for way in zip(some["weighing"], some["chosen"], strict=True)],
            panel=panel,
            variant=variant,
            scale=1.0,
        )
        for panel, shown in panels.items()
        for law, (variant, _) in _LAWS.items()
        if len(some := shown[shown["law"] == law])
    ]
    levels = stated_in(rows_of(table, "records_for_1_percent", x=math.nan), table, data)
    level = table.loc[levels.index, "rmse"] - 0.01
    rmse = table[table["weighing"] == "cells"]["rmse"].iloc[0]
    what = (
        f"a recommender with mean, item and record bias and a cross-validated RMSE of {rmse:.3f}"
        if table["measured"].any()
        else f"a recommender with RMSE {rmse:g} and equal errors in all records"
    )
    known, top = "records known (%)", 1.01 * gain["rmse"].max()
    looks = {name: Look(COLOURS[nth]) for nth, name in enumerate(_WAYS.values())}
    # The two weightings often coincide: the thicker line of the records stays visible below.
    looks[_WAYS["records", "at random"]] = Look("#9CC3E0", width=3.2)
    yield Plot(
        "curves",
        "Error of a recommender, by the share of records known",
        pd.concat(rows),
        {near: Axis(known, (0, 100 * _NEAR)), whole: Axis(known, (0, 100))},
        {near: Axis("RMSE (units of the value)", (None, top)), whole: Axis(limits=(0, None))},
        captioned(what, "grey line: RMSE reduced by 0.01" if len(levels) else ""),
        stated=levels.assign(panel=near, x=levels["y"], y=level),
        bounds=[Bound(at, panel=near, line="-") for at in level.unique()],
        looks=looks,
        variants=dict(_LAWS.values()),
        size=(4.8, 3.5),
        intervals="95% of random choices",
    )
