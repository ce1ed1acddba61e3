"""Figures of NS08's open interpretations and of its theorems."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim.measurements.measurement import FACTS
from sim.papers.interpretations import SCORES
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import Axis, Bound, Data, Look, Plot, figure, percent, rows_of
from sim.report.figures.captions import captioned

_NEAR, _FAR = ("2/2", 3, "2 of 2, dates ±3 days"), ("6/8", 14, "6 of 8, dates ±14 days")
"""The cells that NS08 states numbers of."""

_STATED: dict[str, Any] = {"colour": COLOURS[4], "line": "-"}


@figure("Every interpretation of what the paper leaves open, with its results.")
def interpretations(data: Data) -> Iterator[Plot]:
    """Every interpretation of NS08, Figs. 4 to 6, next to the paper's number, none emphasised."""
    table = data.tables["interpretations"]
    table = table[table["ours"].notna()]
    fig4 = _cells_of(table, "Fig. 4", _NEAR, _FAR)
    stated = fig4.dropna(subset="theirs").drop_duplicates("panel")
    yield _interpreted(
        "Records identified: interpretations of NS08, Fig. 4",
        fig4.assign(kind="this release"),
        percent("targets (%)"),
        bounds=[
            Bound(100 * theirs, "NS08's number", panel=panel, **_STATED)
            for panel, theirs in zip(stated["panel"], stated["theirs"], strict=True)
        ],
    )
    fig5 = _cells_of(table, "Fig. 5", _NEAR, _FAR)
    yield _interpreted(
        "Right answers, target present or absent: interpretations of NS08, Fig. 5",
        fig5.assign(kind=fig5["measure"].str.replace("right, ", "target ")),
        percent("right answers (%)"),
        "NS08: right “with high probability” in both cases",
    )
    words = "NS08: around 3 bits, and a fraction of a bit"
    fig6 = _cells_of(table, "Fig. 6", _NEAR, ("6/8", 3, "6 of 8"), ("6/8", 14, "6 of 8"))
    yield _interpreted(
        "Bits of uncertainty that remain: interpretations of NS08, Fig. 6",
        _statistics(fig6),
        Axis("mean (bits)", (-0.2, None)),
        bounds=[
            Bound(2.5, words, to=3.5, panel=_NEAR[2], **_STATED),
            Bound(0.0, words, to=1.0, panel="6 of 8", **_STATED),
        ],
        scale=1.0,
    )


def _cells_of(table: pd.DataFrame, name: str, *cells: tuple[str, int, str]) -> pd.DataFrame:
    of = table[table["figure"] == name]
    some = (
        of[(of["aux"] == aux) & (of["date_noise"] == days)].assign(panel=panel)
        for aux, days, panel in cells
    )
    return pd.concat(some)


def _statistics(table: pd.DataFrame) -> pd.DataFrame:
    """The mean of all targets, and of those that are not identified where this is stated."""
    statistic = table["how"].map(lambda one: one.rpartition("_")[2])
    near = table["aux"] == _NEAR[0]
    days = "6 of 8: all targets, dates ±" + table["date_noise"].astype(str) + " days"
    kind = np.where(near, "2 of 2: all targets", days)
    kind = np.where(statistic == "unresolved", "2 of 2: targets not identified", kind)
    shown = (statistic == "all") | ((statistic == "unresolved") & near)
    how = table["interpretation"].map(lambda one: one.rpartition("; ")[0])
    return table.assign(kind=kind, interpretation=how)[shown]


def _interpreted(
    title: str,
    table: pd.DataFrame,
    y: Axis,
    note: str = "",
    bounds: Sequence[Bound] = (),
    scale: float = 100.0,
) -> Plot:
    """Return a list of interpretations, those of a score together."""
    score = table["score"].map(lambda one: SCORES.get(one, one))
    names = score + ": " + table["interpretation"].map(lambda one: one.partition(": ")[2])
    lines = [name for one in score.unique() for name in names[score == one].unique()]
    kinds = table["kind"].unique().tolist()
    table = table.rename(columns={"low": "ours_low", "high": "ours_high"})
    at: dict[str, Any] = {"x": names, "series": table["kind"], "panel": table["panel"]}
    return Plot(
        "listing",
        title,
        rows_of(table, "ours", scale=scale, **at),
        Axis(names=lines[::-1]),
        y,
        note,
        bounds=bounds,
        looks={kind: Look(COLOURS[nth], "os^D"[nth]) for nth, kind in enumerate(kinds)},
    )


_BY = {
    "presence": "items alone",
    "values": "items and values",
    "dates": "items and dates",
    "values_and_dates": "items, values and dates",
}
_PRINTED, _SOUND = "theorems 1–4 as printed", "minus the share with a look-alike"
_HERE, _GONE = "measured: one record named", "measured: absent, no record named"


@figure("The theorems' bounds compared with measurements.")
def theory(data: Data) -> Iterator[Plot]:
    """The bounds of NS08's section 4 as lines over m, measurements as points; then theorem 5."""
    facts, promises, needed = (data.tables[name] for name in (FACTS, "promises", "needed"))
    rows, bounds = [], []
    x: dict[str, Axis] = {}
    y: dict[str, Axis] = {}
    for row in needed.to_dict("records"):
        by = _by(row["attributes"])
        success, bits = f"{by}: {_sparse(row)}", f"{by}: bits left"
        mine = facts[facts["attributes"] == row["attributes"]]
        line = promises[promises["attributes"] == row["attributes"]]
        here, gone = mine[mine["present"]], mine[~mine["present"]]
        for table, measure, series, panel in (
            (line, "promised", _PRINTED, success),
            (line, "promised_sound", _SOUND, success),
            (here, "named", _HERE, success),
            (gone, "named", _GONE, success),
            (line, "promised_bits", _PRINTED, bits),
            (here, "bits", _HERE, bits),
        ):
            at: dict[str, Any] = {
                "series": series,
                "panel": panel,
                "scale": 1.0 if panel == bits else 100.0,
            }
            rows.append(rows_of(table, measure, x=table["m"], **at))
        end = 1.05 * max(float(mine["m"].max()), float(line["m"].max()))
        x |= dict.fromkeys((success, bits), Axis("attributes known", (0, end)))
        y |= {success: percent("targets (%)"), bits: Axis("bits left", (-0.3, None))}
        if not math.isnan(row["theorem1"]):
            words = "attributes required by theorem 1"
            bounds.append(Bound(row["theorem1"], words, upright=True, panel=success))
    yield Plot(
        "curves",
        "Scoreboard: bounds proved and rates measured",
        pd.concat(rows).dropna(subset=["y"]),
        x,
        y,
        _about(facts, needed),
        bounds=bounds,
        looks={
            _PRINTED: Look(COLOURS[1], line="--"),
            _SOUND: Look(COLOURS[0]),
            _HERE: Look(INK, "o", ""),
            _GONE: Look(FAINT, "s", ""),
        },
        across=2,
        size=(4.8, 2.6),
        intervals="",
    )
    if len(data.tables["samples"]):
        yield _samples(data.tables["samples"])


def _by(name: str) -> str:
    return _BY.get(name, name)


def _sparse(needed: dict[Any, Any]) -> str:
    share = f"{needed['epsilon']:.0%}"
    if math.isnan(needed["delta"]):
        return f"no θ leaves {share} with a neighbour"
    return f"({needed['theta']:.2g}, {share})-sparse"


def _about(facts: pd.DataFrame, needed: pd.DataFrame) -> str:
    enough = ", ".join(
        f"{_by(row['attributes'])} {row['enough']:.0f} of {math.ceil(row['theorem1'])}"
        for row in needed.dropna(subset=["enough", "theorem1"]).to_dict("records")
    )
    broken = int((facts["kept"] == False).sum())  # noqa: E712 - null is neither
    return captioned(
        "targets: at each m, records with m or more attributes",
        "bars: 95% intervals",
        f"attributes sufficient, of those required: {enough}" if enough else "",
        f"points that violate a bound: {broken}, because lemma 1 needs similarity over the "
        "target's own items, whereas NS08 defines it over the items of either record"
        if broken
        else "",
    )


def _samples(samples: pd.DataFrame) -> Plot:
    first = samples.drop_duplicates("attributes").set_index("attributes")
    titles = {
        by: f"{_by(str(by))}: {row['delta']:.0%} above {row['eps']:.2g}"
        for by, row in first.iterrows()
    }
    panel = samples["attributes"].map(titles)
    printed = samples[samples["lam"] == samples["lam"].min()]
    at: dict[str, Any] = {"x": printed["gamma"], "panel": panel[printed.index]}
    rows = [rows_of(printed, "printed", series="as printed: 1 − γ", **at)]
    implied = "as implied, sample 1/" + samples["lam"].astype(str)
    rows.append(rows_of(samples, "sound", x=samples["gamma"], series=implied, panel=panel))
    return Plot(
        "curves",
        "Sparsity in a sample of the release (theorem 5)",
        pd.concat(rows),
        Axis("γ"),
        percent("probability (%)"),
        "probability that in a 1/λ subset at least δγ/λ of the records have an equally near "
        "neighbour; the proof applies Markov's inequality to a lower tail",
        size=(3.3, 2.7),
    )
