"""Comparison of attacks: how often the person is among the k most likely records (F06, Fig. 4).

Invariant: every row of the joined curves is one line; a paper's number is drawn at its k, in the
colour of its line.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from sim.attack.algorithms.registry import attack_title
from sim.axes.registry import axes_of
from sim.metrics.identification import DEPTHS
from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS, INK
from sim.plot.spec import Axis, Data, FigureSpec, Mark, Page, Panel, Points
from sim.report.figures.facets import chunks, differing
from sim.report.figures.series import (
    MOST,
    interval,
    look,
    offset,
    percent,
    stated_numbers,
    stated_point,
)
from sim.report.population import populations_text
from sim.study.labels import level_words

_MEASURES = [f"k{k}" for k in DEPTHS]
_APART = 0.035
"""Between the points of neighbouring lines, in decades of k."""


def pages(data: Data) -> Iterator[Page]:
    """Yield the share identified over k, a line for each attack."""
    facts = data.tables["facts"]
    drawn = facts[facts["k1"].notna()]
    labels = attack_labels(drawn)
    for places in chunks(range(len(drawn)), MOST):
        rows = drawn.iloc[list(places)]
        yield Page(
            "How often each attack ranks the person among the top k records",
            [
                Panel(
                    list(_marks(rows, [labels[place] for place in places], data)),
                    Axis("k", scale="log", ticks=DEPTHS, names=[str(k) for k in DEPTHS]),
                    percent("people among the k most likely (%)"),
                )
            ],
            f"targets: {populations_text(rows)}; bars: 95% intervals; ties count against "
            "the attacker",
            each=7.6,
        )


def _marks(rows: pd.DataFrame, labels: list[str], data: Data) -> Iterator[Mark]:
    places = {int(cell): place for place, cell in enumerate(rows["cell"])}
    at = [
        np.array(DEPTHS, np.float64) * 10 ** offset(place, len(rows), _APART)
        for place in range(len(rows))
    ]
    for place, label in enumerate(labels):
        shares = interval(rows.iloc[[place]], _MEASURES)
        yield Points(at[place], size=4.5, edge=1.0, label=label, **shares, **look(place))
    legend: dict[str, Mark] = {}
    for row, number, value in stated_numbers(data, rows, _MEASURES):
        if row["algorithm"] == number.algorithm:
            place = places[int(row["cell"])]
            x = float(at[place][_MEASURES.index(number.measure)])
            point = replace(stated_point(number, x, 100 * value), size=8.5, label="")
            yield replace(point, colour=COLOURS[place])
            label = f"{number.paper}: {number.targets} people, MovieLens"
            legend[label] = replace(point, x=(), y=(), label=label, colour=INK)
    yield from legend.values()


def attack_labels(facts: pd.DataFrame) -> list[str]:
    """Name the rows of several attacks so that no two names are alike.

    Parameters
    ----------
    facts : DataFrame
        From `sim.papers.aggregate.attacks`.

    Examples
    --------
    >>> rated = {"algorithm": "scoring_rated", "longest_records": "left out", "n_targets": 9}
    >>> attack_labels(pd.DataFrame([
    ...     {"cell": 0, "part": "exact", "value_tolerance": 0.0} | rated,
    ...     {"cell": 1, "part": "fuzzy", "value_tolerance": 1.0} | rated]))
    ['Scoring with exact ratings', 'Scoring with ratings within 1']
    """
    names = []
    for row in row_dicts(facts):
        name = attack_title(str(row["algorithm"]))
        tolerance = row["value_tolerance"]
        if not pd.isna(tolerance):
            how = f"ratings within {tolerance:g}" if tolerance else "exact ratings"
            name = name.replace("ratings", how)
        if row["longest_records"] == "kept":
            name += ", longest records kept"
        names.append(name)
    if len(set(names)) == len(names):
        return names
    # The same attack more than once: the axes on which its rows differ distinguish them.
    varying = differing(facts, [axis.name for axis in axes_of()])
    longer = [
        ", ".join([name, *(level_words(axis, row[axis]) for axis in varying)])
        for name, row in zip(names, row_dicts(facts), strict=True)
    ]
    if len(set(longer)) == len(longer):
        return longer
    return [f"{part}: {name}" for part, name in zip(facts["part"], longer, strict=True)]


SPEC = FigureSpec("Share of people among the k most likely records, for each attack.", pages)
