"""Figures of all parts of a suite together, by the name of its aggregate."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sim.config.chains import UNCHANGED
from sim.measurements.measurement import FACTS
from sim.numeric.text import format_percent, quantity
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import MOST, Axis, Bound, Data, Look, Plot, figure, percent, rows_of, rows_over
from sim.report.figures.captions import TIES, captioned, per_point, populations_text
from sim.report.figures.grid import attack_labels
from sim.report.figures.of_attacks import DEPTH_MEASURES, amount_of, countermeasure_plot
from sim.report.figures.stated import stated_at, stated_in
from sim.study.labels import level_words

_AMONG = percent("people among the k most likely (%)")


@figure("Share of people among the k most likely records, for each attack.")
def attacks(data: Data) -> Iterator[Plot]:
    """F06, Fig. 4."""
    facts = data.tables[FACTS]
    drawn = facts[facts["k1"].notna()]
    rows = rows_over(drawn, DEPTH_MEASURES, series=attack_labels(drawn))
    yield Plot(
        "points",
        "How often each attack ranks the person among the top k records",
        rows,
        Axis("k", scale="log", ticks=list(DEPTH_MEASURES), form="{:g}"),
        _AMONG,
        captioned(f"targets: {populations_text(drawn)}", TIES),
        stated=stated_in(rows, drawn, data),
        size=(6.4, 3.8),
    )


@figure("People identified, by the number of decoys they mention and the decoys' support.")
def decoys(data: Data) -> Iterator[Plot]:
    """F06, Fig. 9; of more supports than can be told apart, the ends and some between."""
    facts = data.tables[FACTS]
    known = facts[facts["k1"].notna()]
    supports = [str(support) for support in known["decoy_support"].unique()]
    rest = [support for support in supports if support != "top"]
    places = np.linspace(0, len(rest) - 1, min(MOST - 1, len(rest))).round().astype(int)
    chosen = {"top", *(rest[place] for place in places)}
    drawn = known[known["decoy_support"].astype(str).isin(chosen)]
    words = [level_words("decoy_support", support) for support in drawn["decoy_support"]]
    rows = rows_of(drawn, "k1", x=amount_of("decoys", drawn), series=words)
    plot = countermeasure_plot("decoys", "points", rows, drawn, data)
    left = len(set(supports) - chosen)
    more = f"the table has {left} more thresholds" if left else ""
    yield replace(plot, caption=captioned(more, plot.caption))


_DROPPED = {
    "items_dropped": "items dropped, the rarest first",
    "cells_dropped": "cells dropped with them",
}


@figure("People identified, by the share of items and of cells that the publisher drops.")
def dropped(data: Data) -> Iterator[Plot]:
    """F06, Figs. 6 and 7; people whose items were all dropped count as not identified."""
    stated = [
        stated_at(number, panel=title, series="", variant="", x=100 * number.value)
        | {"y": 0.0, "words": f"{number.paper}: nobody at k = 1"}
        for by, title in _DROPPED.items()
        for number in data.numbers
        if number.measure == f"{by}_k1_nil" and number.value is not None
    ]
    for _, table in data.tables["dropped"].groupby("cell"):
        rows = [
            rows_of(table, name, x=100 * table[by], series=f"k = {k}", panel=title)
            for by, title in _DROPPED.items()
            for k, name in DEPTH_MEASURES.items()
        ]
        low, high = int(table["min_support"].min()), int(table["min_support"].max())
        yield Plot(
            "curves",
            "People identified when the publisher drops the rarest items",
            pd.concat(rows),
            Axis("dropped (%)", (-2, 102), ticks=range(0, 101, 20)),
            _AMONG,
            f"{per_point(table['n_targets'].tolist())}; dropped: items held by fewer than {low:,} "
            f"to {high:,} records",
            stated=pd.DataFrame(stated),
            size=(4.4, 3.1),
        )


_LOOKS = {
    "dominated by another chain": Look(FAINT, "."),
    "the release as it is": Look(COLOURS[1], "s"),
    "on the frontier": Look(COLOURS[0]),
}


@figure(
    "Risk and loss of utility of the release after each chain of defences; the list has the chains "
    "that no other chain dominates."
)
def frontier(data: Data) -> Iterator[Plot]:
    """Risk against utility lost, and the best as a list (spec §11)."""
    table = data.tables["frontier"].assign(lost=lambda one: 100 * (1 - one["kept"]).clip(lower=0))
    known = table["risk"].notna() & table["kept"].notna()
    missing = f"not drawn: {quantity(int((~known).sum()), 'chain')} not tested"
    best = numbered(table)
    table = table[known].assign(best=table["part"].isin(best["part"]))
    kinds = np.where(table["best"], "on the frontier", "dominated by another chain")
    kinds = np.where(table["chain"] == UNCHANGED, "the release as it is", kinds)
    table = table.iloc[np.argsort([[*_LOOKS].index(kind) for kind in kinds], kind="stable")]
    words = table["part"].map(_labels(best)).fillna("")
    bounds = []
    for bound in table["bound"].dropna()[:1]:
        text = f"the bound that was set: {format_percent(bound)} (the upper end counts)"
        bounds.append(Bound(100 * float(bound), text, colour=COLOURS[3], line="-"))
    yield Plot(
        "frontier",
        "What the defences protect, and what they cost",
        rows_of(
            table,
            "risk",
            x=table["lost"],
            series=sorted(kinds, key=[*_LOOKS].index),
            best=table["best"],
            words=words,
        ),
        Axis("utility lost (%)", (-4, 106), ticks=range(0, 101, 20)),
        percent("risk (%)"),
        captioned(
            "lower left is better",
            "numbers: chains that no other chain dominates, listed on the next page",
            "" if known.all() else missing,
        ),
        bounds=bounds,
        looks=_LOOKS,
        size=(6.4, 4.2),
    )
    listed = best[::-1].assign(kept=best["kept"].clip(upper=1.0))
    names = listed["chain"] + "  (" + listed["number"].astype(str) + ")"
    rows = [rows_of(listed, "risk", x=names, series="risk")]
    rows.append(rows_of(listed, "kept", x=names, series="utility kept", variant="open"))
    yield Plot(
        "listing",
        "The frontier: from the least loss to the least risk",
        pd.concat(rows),
        Axis(),
        percent("%"),
        bounds=bounds,
        looks={"risk": Look(INK, "D"), "utility kept": Look(COLOURS[2])},
    )


def numbered(rows: pd.DataFrame) -> pd.DataFrame:
    """Number the chains that no other dominates, the least lossy first."""
    best = rows[rows["risk"].notna() & rows["kept"].notna() & (rows["dominated_by"] == "")]
    best = best.sort_values(["lost", "risk", "part"], ascending=[True, False, True])
    return best.assign(number=np.arange(1, len(best) + 1))


def _labels(best: pd.DataFrame) -> dict[Any, str]:
    """The numbers of the points by part; those of one place in one label."""
    changed = best[best["chain"] != UNCHANGED]
    places = changed.groupby([changed["lost"].round(0), (100 * changed["risk"]).round(0)])
    return {one["part"].iloc[0]: ", ".join(map(str, one["number"])) for _, one in places}
