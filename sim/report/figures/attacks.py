"""Attacks side by side: how often the person is among the k most likely records (F06, Fig. 4).

Invariant: every row of the joined curves is one line; a paper's number stands at its k, in the
colour of the line it is about.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from sim.attack.algorithms.registry import attack_title
from sim.metrics.identification import DEPTHS
from sim.papers.papers import PaperNumber, matching_cells
from sim.report.figures.lines import MOST, aside, line_handles, percent_axis, points
from sim.report.figures.plates import plate
from sim.report.figures.style import COLOURS, INK
from sim.report.words.population import populations_text
from sim.study.axes import AXES, MENTION_AXES, OPTIONAL_AXES
from sim.study.labels import level_words

TITLE = "How often each attack finds the person among k records"

_AXES = (*AXES, *OPTIONAL_AXES, *MENTION_AXES)
_APART = 0.035
"""Between the points of neighbouring lines, in decades of k."""


def attacks_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw the share identified over k, a line for each attack.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.papers.joint.attacks`.
    numbers : sequence of PaperNumber
        Marked where they are about k1, k5, k10 or k100.
    settings : Mapping, optional
        Not needed: every row says what it is about.

    Yields
    ------
    Figure
        A page holds as many lines as can be told apart.
    """
    facts = tables["facts"]
    drawn = facts[facts["k1"].notna()]
    labels = attack_labels(drawn)
    for begin in range(0, len(drawn), MOST):
        page = drawn.iloc[begin : begin + MOST]
        yield _page(page, labels[begin : begin + MOST], numbers)


def _page(rows: pd.DataFrame, labels: Sequence[str], numbers: Sequence[PaperNumber]) -> Figure:
    places = {int(cell): place for place, cell in enumerate(rows["cell"])}
    marked: dict[str, None] = {}

    def where(place: int) -> NDArray[np.float64]:
        return np.array(DEPTHS, np.float64) * 10 ** aside(place, len(rows), _APART)

    def draw(axes: Axes) -> None:
        for place, row in enumerate(rows.to_dict("records")):
            by_k = {f"k{e}": [row[f"k{k}{e}"] for k in DEPTHS] for e in ("", "_low", "_high")}
            points(axes, where(place), pd.DataFrame(by_k), "k", place)
        for number in numbers:
            for cell in _cells_about(rows, number):
                place, depth = places[cell], DEPTHS.index(int(number.measure[1:]))
                look = _stated(COLOURS[place])
                axes.plot([where(place)[depth]], [100 * float(number.value or 0)], **look)
                marked[f"{number.paper}: {number.targets} people, MovieLens"] = None
        axes.set_xscale("log")
        axes.set_xticks(DEPTHS, [str(k) for k in DEPTHS])
        axes.set_xticks([], minor=True)
        axes.set_xlabel("k")
        percent_axis(axes, "people among the k most likely (%)")

    def handles() -> list[Line2D]:
        return [
            *line_handles(labels),
            *(Line2D([], [], label=said, **_stated(INK)) for said in marked),
        ]

    caption = (
        f"targets: {populations_text(rows)}; bars: 95% intervals; ties count against the attacker"
    )
    return plate(TITLE, [draw], handles, caption, each=7.6)


def _cells_about(rows: pd.DataFrame, number: PaperNumber) -> list[int]:
    if number.value is None or number.measure not in [f"k{k}" for k in DEPTHS]:
        return []
    same = rows[rows["algorithm"] == number.algorithm]
    return [int(cell) for cell in matching_cells(same, number)["cell"]]


def _stated(colour: str) -> dict[str, Any]:
    look = {"color": colour, "marker": "D", "markersize": 8.5, "markeredgewidth": 1.2}
    return look | {"markerfacecolor": "none", "linestyle": "none", "zorder": 4}


def attack_labels(facts: pd.DataFrame) -> list[str]:
    """Name the rows of several attacks, each by what tells it from the others.

    Parameters
    ----------
    facts : DataFrame
        As of `sim.papers.joint.attacks`.

    Returns
    -------
    list of str
        No two alike.

    Examples
    --------
    >>> rated = {"algorithm": "scoring_rated", "longest_records": "left out", "n_targets": 9}
    >>> attack_labels(pd.DataFrame([
    ...     {"cell": 0, "part": "exact", "value_tolerance": 0.0} | rated,
    ...     {"cell": 1, "part": "fuzzy", "value_tolerance": 1.0} | rated]))
    ['Scoring with exact ratings', 'Scoring with ratings within 1']
    """
    names = []
    for row in facts.to_dict("records"):
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
    # The same attack more than once: the axes on which its rows differ tell them apart.
    varying = [a for a in _AXES if a in facts.columns and facts[a].nunique(dropna=False) > 1]
    told = [
        ", ".join([name, *(level_words(axis, row[axis]) for axis in varying)])
        for name, row in zip(names, facts.to_dict("records"), strict=True)
    ]
    if len(set(told)) == len(told):
        return told
    return [f"{part}: {name}" for part, name in zip(facts["part"], told, strict=True)]
