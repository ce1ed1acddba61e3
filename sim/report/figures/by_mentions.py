"""Who is found and why others are not, by how much people say in public (F06, Figs. 3 and 5).

Invariant: every bin that anyone is in is drawn; the parts of a stack add up to the people in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from sim.metrics.by_mentions import bin_words
from sim.metrics.curves import axis_columns
from sim.papers.papers import PaperNumber
from sim.report.figures.attacks import attack_labels
from sim.report.figures.lines import MOST, aside, line_handles, people_words, percent_axis, points
from sim.report.figures.plates import plate
from sim.report.figures.style import COLOURS, INK
from sim.study.labels import level_words

TITLE = "People found at once, by how many items they mention"
TITLE_WHY = "Why people are not found at once, by how many items they mention"

_STACK = {
    "k1": ("found at once", COLOURS[0], ""),
    "not_narrow": ("not narrow: others fit as well", "#EDEDED", ""),
    "misdirected": ("misdirected: others fit better", "#C4C4C4", "////"),
    "no_one_possible": ("no one possible", "#8C8C8C", "...."),
}
_PANELS = 3
_APART = 0.11
_BIN = ("low", "high", "n", "n_present")


def by_mentions_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),  # noqa: ARG001
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw 1-identification over the number of mentions, then the reasons of failure.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.metrics.by_mentions` or `sim.papers.joint.by_mentions`.
    numbers : sequence of PaperNumber
        None that could be marked: the paper states sums over several bins.
    settings : Mapping, optional
        Not needed.

    Yields
    ------
    Figure
        A page of lines for as many attacks or grid cells as can be told apart, then three stacks
        to a page.
    """
    table = tables["by_mentions"]
    present = table[table["n_present"] > 0]
    bins = bins_of(present)
    groups = list(present.groupby("cell", sort=True))
    labels = _labels(present.drop_duplicates("cell").sort_values("cell"))
    series = list(zip(labels, (rows for _, rows in groups), strict=True))
    for begin in range(0, len(series), MOST):
        yield _lines(series[begin : begin + MOST], bins)
    for begin in range(0, len(series), _PANELS):
        yield _stacks(series[begin : begin + _PANELS], bins)


def bins_of(table: pd.DataFrame) -> list[str]:
    """Names of the bins of a table, by rising number of mentions.

    Parameters
    ----------
    table : DataFrame
        With ``low`` and ``high``.

    Returns
    -------
    list of str

    Examples
    --------
    >>> bins_of(pd.DataFrame({"low": [4, 1, 64, 4], "high": [7, 1, None, 7]}))
    ['1', '4–7', '64+']
    """
    return list(dict.fromkeys(_bin_names(table.sort_values("low"))))


def _bin_names(table: pd.DataFrame) -> list[str]:
    return [
        bin_words(int(low), None if pd.isna(high) else int(high))
        for low, high in zip(table["low"], table["high"], strict=True)
    ]


def _labels(rows: pd.DataFrame) -> list[str]:
    """Names of attacks, or of the cells of one attack; a single cell needs none."""
    if "algorithm" in rows.columns:
        return attack_labels(rows.drop(columns=list(_BIN)))
    axes = axis_columns(rows.drop(columns=list(_BIN)))
    varying = [axis for axis in axes if rows[axis].nunique(dropna=False) > 1]
    return [
        ", ".join(level_words(axis, row[axis]) for axis in varying)
        for row in rows.to_dict("records")
    ]


def _places(rows: pd.DataFrame, bins: Sequence[str]) -> list[int]:
    return [bins.index(name) for name in _bin_names(rows)]


def _mention_axis(axes: Axes, bins: Sequence[str]) -> None:
    axes.set_xticks(range(len(bins)), bins)
    axes.set_xlim(-0.5, len(bins) - 0.5)
    axes.set_xlabel("items mentioned")


def _lines(series: Sequence[tuple[str, pd.DataFrame]], bins: Sequence[str]) -> Figure:
    def draw(axes: Axes) -> None:
        for place, (_, rows) in enumerate(series):
            at = np.array(_places(rows, bins)) + aside(place, len(series), _APART)
            points(axes, at, rows, "k1", place)
        _mention_axis(axes, bins)
        percent_axis(axes, "people found at once (%)")

    counts = [int(n) for _, rows in series for n in rows["n_present"]]
    caption = f"{people_words(counts)}, bars: 95% intervals, ties count against the attacker"
    labels = [label or "found at once" for label, _ in series]
    return plate(TITLE, [draw], lambda: line_handles(labels), caption, each=7.0)


def _stacks(series: Sequence[tuple[str, pd.DataFrame]], bins: Sequence[str]) -> Figure:
    def panel(label: str, rows: pd.DataFrame) -> Callable[[Axes], None]:
        def draw(axes: Axes) -> None:
            places, bottom = _places(rows, bins), np.zeros(len(rows))
            for name, (_, colour, hatch) in _STACK.items():
                share = 100 * rows[name].to_numpy(np.float64)
                axes.bar(
                    places,
                    share,
                    0.86,
                    bottom,
                    color=colour,
                    hatch=hatch,
                    edgecolor=INK,
                    linewidth=0.6,
                )
                bottom += share
            axes.set_title(label)
            _mention_axis(axes, bins)
            percent_axis(axes)

        return draw

    def handles() -> list[Patch]:
        return [
            Patch(facecolor=colour, edgecolor=INK, linewidth=0.6, hatch=hatch, label=label)
            for label, colour, hatch in _STACK.values()
        ]

    counts = [int(n) for _, rows in series for n in rows["n_present"]]
    caption = people_words(counts).replace("a point", "a bar")
    drawn = [panel(label, rows) for label, rows in series]
    return plate(TITLE_WHY, drawn, handles, caption, each=3.6 if len(series) > 1 else 6.4)
