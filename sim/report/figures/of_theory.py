"""Figures of NS08's open interpretations and of its theorems."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from sim.measurements.measurement import FACTS
from sim.papers.interpretations import SCORES
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import Axis, Bound, Data, Look, Plot, figure, percent, rows_of
from sim.report.figures.captions import captioned

_CELLS = {
    ("2/2", 3): "2 of 2, dates ±3 days",
    ("6/8", 3): "6 of 8, dates ±3 days",
    ("6/8", 14): "6 of 8, dates ±14 days",
}
"""The cells that NS08 states numbers of."""

_TITLES = {
    "Fig. 4": "Records identified",
    "Fig. 5": "Right answers, target present or absent",
    "Fig. 6": "Bits of uncertainty that remain",
}
_MEANS = {"all": "mean of all targets", "unresolved": "mean of those not identified"}
"""Statistics of Fig. 6 that are drawn."""


@figure("Every interpretation of what the paper leaves open, with its results.")
def interpretations(data: Data) -> Iterator[Plot]:
    """Every interpretation of NS08, Figs. 4 to 6, next to the paper's number, none emphasised."""
    table = data.tables["interpretations"]
    panels = [*_CELLS.values()]
    cells = zip(table["aux"], table["date_noise"], strict=True)
    table = table.assign(panel=[_CELLS.get(cell, "") for cell in cells])
    table = table[table["ours"].notna() & (table["panel"] != "")]
    table = table.rename(columns={"low": "ours_low", "high": "ours_high"})
    for name, title in _TITLES.items():
        rows = table[table["figure"] == name]
        if rows.empty:
            continue
        kind, what = rows["measure"].str.replace("right, ", "target "), rows["interpretation"]
        if name == "Fig. 6":
            kind = rows["how"].str.rpartition("_")[2].map(_MEANS)
            # Where 6 facts of 8 are right, the mean of those not identified is that of all.
            kind = kind.where((kind == _MEANS["all"]) | (rows["aux"] == "2/2"))
            what = what.str.rpartition("; ")[0]
        rows = rows.assign(kind=kind, what=what)[kind.notna()]
        rows = rows.sort_values("panel", key=lambda s: s.map(panels.index), kind="stable")
        yield _interpreted(f"{title}: interpretations of NS08, {name}", rows)


def _interpreted(title: str, table: pd.DataFrame) -> Plot:
    """Return a list of interpretations, those of a score together, and what the paper states."""
    bits = (table["measure"] == "bits").any()
    score = table["score"].map(lambda one: SCORES.get(one, one))
    names = score + ": " + table["what"].str.partition(": ")[2]
    lines = [name for one in score.unique() for name in names[score == one].unique()]
    scale, kinds = 1.0 if bits else 100.0, table["kind"].unique().tolist()
    stated = table.dropna(subset="theirs").drop_duplicates("panel")
    at: dict[str, Any] = {"x": names, "series": table["kind"], "panel": table["panel"]}
    return Plot(
        "listing",
        title,
        rows_of(table, "ours", scale=scale, **at),
        Axis(names=lines[::-1]),
        Axis("bits", (-0.2, None)) if bits else percent("targets (%)"),
        bounds=[
            Bound(scale * theirs, "what NS08 states", panel=panel, colour=COLOURS[4], line="-")
            for panel, theirs in zip(stated["panel"], stated["theirs"], strict=True)
        ],
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
    broken = int((facts["kept"] == False).sum())  # noqa: E712 - null is neither
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
        captioned(
            "targets: at each m, records with m or more attributes",
            "bars: 95% intervals",
            f"points that violate a bound: {broken}, as lemma 1 needs similarity over the target's "
            "own items"
            if broken
            else "",
        ),
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
