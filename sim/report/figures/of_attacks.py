"""Figures of an attack's curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sim.axes.registry import axes_of, words_of
from sim.metrics.curves import axis_columns
from sim.metrics.identification import DEPTHS
from sim.metrics.neighbourhoods import MEASURED, SIZES
from sim.metrics.phi import PRESENT
from sim.numeric.columns import SHARE
from sim.plot.palette import COLOURS, FAINT, INK
from sim.plot.spec import Axis, Bound, Data, Look, Plot, figure, percent, rows_of, rows_over
from sim.report.figures.captions import TIES, captioned, populations_text
from sim.report.figures.grid import Grid, cell_words, differing, grid_of
from sim.report.figures.stated import stated_in


@figure(
    "How often the attacker's best guess is the right record, and how often the attack declares a "
    "correct match, compared with a random guess and with guessing the longest record."
)
def best_guess(data: Data) -> Iterator[Plot]:
    """NS08, Figs. 4 and 5.

    For an absent target "no match" is the right answer; where true records are unknown, the rate
    of "no match" is all there is.
    """
    curves = data.tables["curves"].copy()
    absent = curves["rank1"].isna() & curves["matched_right"].notna()
    right = "right answer" if absent.any() else "declared right"
    for end in SHARE if absent.any() else ():
        curves.loc[absent, f"matched_right{end}"] = curves.loc[absent, f"no_match{end}"]
    title = f"Best guess right (filled), {right} (open)"
    measures = {"rank1": "best guess right", "matched_right": right}
    if curves["matched_right"].isna().all():
        title, measures = "No match declared", {"no_match": "no match declared"}
    elif absent.all():
        title, measures = "Right answer (open)", {"matched_right": right}
    grid = grid_of(curves, along=True)
    plot = _cells(curves, data, grid, title, measures)
    bounds: list[Bound] = []
    if "rank1" in measures:
        if data.n_records and curves["baseline_random"].isna().all():
            curves["baseline_random"] = 1 / data.n_records
        bounds += _levels(curves, grid, "baseline_random", "random guess", ":")
        longest = "guessing the longest record"
        bounds += _levels(curves, grid, "baseline_longest", longest, "-.")
    if "rank1" in measures and data.strongest is not None:
        other = curves[["cell"]].merge(data.strongest[["cell", "rank1"]], "left")["rank1"]
        height = 100 * np.fmax(curves["rank1"].to_numpy(), other.to_numpy())
        rows = plot.rows[: len(curves)].assign(y=height, low=np.nan, high=np.nan, variant="dotted")
        words = {"dotted": "strongest attacker (dotted)"}
        plot = replace(plot, rows=pd.concat([plot.rows, rows.dropna(subset=["y"])]), variants=words)
    declared = f"declared at φ = {data.phi:g}" if data.phi is not None and len(measures) > 1 else ""
    note = "for absent targets, no match is the right answer" if absent.any() else ""
    yield replace(plot, bounds=bounds, caption=captioned(plot.caption, declared, note))


@figure("Bits of uncertainty that remain about a target, out of log2 N.")
def entropy(data: Data) -> Iterator[Plot]:
    """NS08, Figs. 6 and 11."""
    curves = data.tables["curves"]
    drawn = curves[curves["bits"].notna()]
    if len(drawn):
        grid = grid_of(drawn, along=True)
        title = "Bits of uncertainty that remain about a target"
        plot = _cells(drawn, data, grid, title, {"bits": "mean"}, scale=1.0)
        top = max(float(np.nanmax(drawn[["bits_prior", "bits_high"]].to_numpy(np.float64))), 0.1)
        words = "without any knowledge: log2 N"
        bounds = list(_levels(drawn, grid, "bits_prior", words, "--", " bits", 1.0))
        y = Axis("entropy (bits)", (-0.03 * top, 1.06 * top))
        yield replace(plot, bounds=bounds, y=y)


def _cells(
    curves: pd.DataFrame,
    data: Data,
    grid: Grid,
    title: str,
    measures: dict[str, str],
    scale: float = 100.0,
) -> Plot:
    """Return every cell as a point, of two measures beside each other."""
    single = (grid.series == "").all()
    drawn = pd.concat([
        rows_of(
            curves,
            name,
            x=grid.x,
            series=words if single else grid.series,
            panel=grid.panel,
            variant="open" if name == "matched_right" else "",
            scale=scale,
        )
        for name, words in measures.items()
    ])  # fmt: skip
    stated = stated_in(drawn, curves, data)
    x = Axis(words_of(grid.axis).titled())
    return grid.plot("points", title, drawn, x, percent("targets (%)"), stated=stated)


def _levels(
    curves: pd.DataFrame,
    grid: Grid,
    column: str,
    words: str,
    line: str,
    unit: str = "%",
    scale: float = 100.0,
) -> Iterator[Bound]:
    """Yield a level to compare with in each panel, or for each cell where it differs."""
    known = curves[curves[column].notna()]
    same = known[column].nunique() == 1
    if same:
        words += f" ({scale * known[column].iloc[0]:.2g}{unit})"
    places = known.assign(panel=grid.panel, x=None if same else grid.x)
    for panel, x, height in places[["panel", "x", column]].drop_duplicates().to_numpy().tolist():
        yield Bound(scale * height, words, panel=panel, x=x, line=line)


REASONS = {
    "not_narrow": ("not narrow: others score as much", Look("#EDEDED")),
    "misdirected": ("misdirected: others score more", Look("#C4C4C4", hatch="////")),
    "no_one_possible": ("no one possible", Look("#8C8C8C", hatch="....")),
}
"""Why a target is not identified: words, grey and hatch."""

DEPTH_MEASURES = {k: f"k{k}" for k in DEPTHS}


@figure("How often the right record is among the k most likely, and why people are not identified.")
def k_identification(data: Data) -> Iterator[Plot]:
    """F06, Figs. 3-5: bars for every k, and the reasons of failure at k = 1 stacked."""
    curves = data.tables["curves"]
    drawn = curves[curves["k1"].notna()]
    if len(drawn):
        grid, failed = grid_of(drawn), "failed at k = 1"
        measures = {str(k): name for k, name in DEPTH_MEASURES.items()}
        shares = rows_over(drawn, measures, part="", **grid.where())
        reasons = [
            rows_of(drawn, reason, x=failed, part=words, **grid.where()).assign(low=math.nan)
            for reason, (words, _) in REASONS.items()
        ]
        yield grid.plot(
            "bars",
            "How often the target is among the k most likely records",
            pd.concat([shares, *reasons]),
            Axis("k", names=[*measures, failed]),
            percent("targets (%)"),
            TIES,
            stated=stated_in(shares, drawn, data),
            looks=dict(REASONS.values()),
        )


@figure("Share of the targets with at most n matching records.")
def mu(data: Data) -> Iterator[Plot]:
    """NS07, Figs. 2-4."""
    curves = data.tables["curves"]
    drawn = curves[curves["mu_1"].notna()]
    if len(drawn):
        grid = grid_of(drawn)
        rows = rows_over(drawn, dict(zip(SIZES, MEASURED, strict=True)), **grid.where())
        title = "Number of records that match the attacker's facts"
        x = Axis("matching records, at most", scale="log", form="{:,.0f}")
        stated = stated_in(rows, drawn, data)
        yield grid.plot("curves", title, rows, x, percent("targets (%)"), stated=stated)


_ANSWERS = {
    "matched_right": ("matched and right", Look(COLOURS[0])),
    "matched_wrong": ("matched and wrong", Look(COLOURS[1])),
    "no_match": ("no match", Look(COLOURS[6])),
}
_CROSSING = "φ*: both errors equal"


@figure("Matches and errors by φ, the eccentricity that a match requires.", "phi")
def phi(data: Data) -> Iterator[Plot]:
    """NS08, Fig. 5: target present and absent in one panel; of an absent one no match is right."""
    curves, over = data.tables["curves"], data.tables["phi"]
    grid = grid_of(curves, without=(PRESENT,), coloured=False)
    here = curves.get(PRESENT, pd.Series(True, curves.index)).astype(bool)
    cells = pd.DataFrame({"panel": grid.panel, "here": here}).set_index(curves["cell"])
    over = over.join(cells, "cell")
    rows = [
        rows_of(some, name, x=some["phi"], series=words, panel=some["panel"], variant=variant)
        for name, (words, _) in _ANSWERS.items()
        for variant, some in (("", over[over["here"]]), ("open", over[~over["here"]]))
        if variant == "" or name != "matched_right"
    ]
    last = float(over["phi"].max())
    if "phi_star" in curves:
        star = curves.assign(panel=grid.panel)[curves["phi_star"] <= last]
        star = star.drop_duplicates(["panel", "phi_star"])
        at: dict[str, Any] = {"x": star["phi_star"], "panel": star["panel"]}
        rows.append(rows_of(star, "equal_error", series=_CROSSING, **at))
    run = "" if data.phi is None else f"φ = {data.phi:g} of this run"
    yield grid.plot(
        "steps",
        "Matches and errors, by the threshold φ",
        pd.concat(rows),
        Axis("φ: standard deviations from the second best", (0, last)),
        percent("targets (%)"),
        "" if here.any() else "target absent",
        bounds=[Bound(data.phi, run, upright=True)] if data.phi is not None else [],
        looks=dict(_ANSWERS.values()) | {_CROSSING: Look(INK, "X", "")},
        variants={"": "target present", "open": "target absent"} if here.nunique() > 1 else {},
    )


@figure("Whether guesses are right as often as their claimed probability.", "reliability")
def reliability(data: Data) -> Iterator[Plot]:
    """Right against claimed (spec §4.1): every bin that holds a guess is a point."""
    curves, bins = data.tables["curves"], data.tables["reliability"]
    drawn = curves[curves["rank1"].notna()]
    if len(drawn):
        grid = grid_of(drawn)
        cells = pd.DataFrame(grid.where()).set_index(drawn["cell"])
        bins = bins[bins["n"] > 0].join(cells, "cell", "inner")
        at: dict[str, Any] = {
            "series": bins["series"].replace("", "guesses"),
            "panel": bins["panel"],
        }
        rows = rows_of(bins, "right", x=100 * bins["claimed"], weight=bins["n"], **at)
        even = "right as often as claimed"
        line = {"x": [0.0, 100.0], "y": [0.0, 100.0], "series": even, "variant": "dotted"}
        lines = [pd.DataFrame(line | {"panel": panel}) for panel in bins["panel"].unique()]
        yield grid.plot(
            "scatter",
            "How often guesses are right, by the probability claimed",
            pd.concat([rows, *lines]),
            percent("probability claimed (%)"),
            percent("guesses right (%)"),
            "larger points: more guesses",
            looks={even: Look(FAINT)},
        )


@figure(
    "People identified, by the share of their mentions they hide or the number of decoys they add."
)
def defence(data: Data) -> Iterator[Plot]:
    """F06, Fig. 8: k-identification over each countermeasure that varies."""
    curves = data.tables["curves"]
    drawn = curves[curves["k1"].notna()]
    for axis in countermeasures(drawn):
        others = [other for other in axis_columns(drawn) if other != axis]
        panel = cell_words(drawn, others)
        rows = [
            rows_of(drawn, name, x=amount_of(axis, drawn), series=f"k = {k}", panel=panel)
            for k, name in DEPTH_MEASURES.items()
        ]
        yield countermeasure_plot(axis, "curves", pd.concat(rows), drawn, data)


def countermeasures(curves: pd.DataFrame) -> list[str]:
    """Return the axes that vary and along which people protect themselves.

    Examples
    --------
    >>> countermeasures(pd.DataFrame({"decoys": [0, 5], "hide_rarest": 0, "aux": ["1/1", "2/2"]}))
    ['decoys']
    """
    return differing(curves, [axis.name for axis in axes_of() if axis.countermeasure])


def amount_of(axis: str, table: pd.DataFrame) -> pd.Series[float]:
    """Return how much people hide or add, as along x."""
    figure = words_of(axis).countermeasure
    return table[axis].astype(np.float64) * (figure.scale if figure else 1.0)


def countermeasure_plot(
    axis: str, form: str, rows: pd.DataFrame, table: pd.DataFrame, data: Data
) -> Plot:
    """Return a plot over the amount of hiding or decoys."""
    figure = words_of(axis).countermeasure
    title, x = (figure.title, figure.x_title) if figure else (axis, axis)
    return Plot(
        form,
        title,
        rows.sort_values("x", kind="stable"),
        Axis(x, whole=8),
        percent("people (%)"),
        f"targets: {populations_text(table)}",
        stated=stated_in(rows, table, data),
    )
