"""What people gain who say less, or mislead (F06, Figs. 8 and 9).

Invariant: the shares are of the same people along a line, who say more and more otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from sim.metrics.curves import axis_columns
from sim.metrics.identification import DEPTHS
from sim.papers.papers import PaperNumber
from sim.report.figures.lines import MOST, aside, line, line_handles, percent_axis, points
from sim.report.figures.plates import plate
from sim.report.figures.references import References, mark, reference_handles
from sim.report.words.population import populations_text
from sim.study.labels import level_words

TITLES = {
    "hide_rarest": "Who is found when people hide the rarest of what they mention",
    "decoys": "Who is found when people mention what they do not hold",
}
"""Axes along which people defend themselves, and the titles of their figures."""

_X_TITLES = {
    "hide_rarest": "mentions hidden, the rarest first (% of those held)",
    "decoys": "items mentioned to mislead",
}
_APART = 0.006
_SCALES = {"hide_rarest": 100.0, "decoys": 1.0}


def defences(curves: pd.DataFrame) -> list[str]:
    """Axes of a grid along which people defend themselves more and more.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.

    Returns
    -------
    list of str

    Examples
    --------
    >>> defences(pd.DataFrame({"hide_rarest": [0, 0.1], "decoys": [0, 0]}))
    ['hide_rarest']
    """
    return [axis for axis in TITLES if axis in curves.columns and curves[axis].nunique() > 1]


def defence_pages(
    curves: pd.DataFrame,
    *,
    numbers: Sequence[PaperNumber] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw k-identification over how much people hide or add, a line for each k.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, with a present target.
    numbers, fixed
        As for `sim.report.figures.figures.best_guess_pages`.

    Yields
    ------
    Figure
        One for each such axis and each combination of the other axes.
    """
    drawn = curves[curves["k1"].notna()]
    for axis in defences(drawn):
        others = [
            a for a in axis_columns(drawn) if a != axis and drawn[a].nunique(dropna=False) > 1
        ]
        groups = drawn.groupby(others, sort=False, dropna=False) if others else [((), drawn)]
        for _, rows in groups:
            labels = [f"k = {k}" for k in DEPTHS]
            lines = [(rows, f"k{k}") for k in DEPTHS]
            said = [level_words(a, rows[a].iloc[0]) for a in others]
            yield _page(axis, labels, lines, said, numbers, fixed or {})


def decoys_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),
    settings: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw 1-identification over the number of decoys, a line for each list of decoys.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As of `sim.papers.joint.decoys`.
    numbers : sequence of PaperNumber
        Marked where they are about k1.
    settings : Mapping, optional
        What is the same in all cells.

    Yields
    ------
    Figure
        As many lines as can be told apart: of more thresholds than that, the lowest, the highest
        and some between; all are in the table.
    """
    facts = tables["facts"]
    known = facts[facts["k1"].notna()]
    groups = {str(key): rows for key, rows in known.groupby("decoy_support", sort=False)}
    chosen = _some(list(groups))
    labels = [level_words("decoy_support", support) for support in chosen]
    lines = [(groups[support], "k1") for support in chosen]
    left = len(groups) - len(chosen)
    said = [f"{left} further thresholds are in the table"] if left else []
    yield _page("decoys", labels, lines, said, numbers, settings or {})


def _some(levels: Sequence[str]) -> list[str]:
    """At most `MOST` levels: the ends and evenly between; the last is the top."""
    places = np.unique(np.linspace(0, len(levels) - 1, min(MOST, len(levels))).round().astype(int))
    rest = [level for level in levels if level != "top"]
    if "top" not in levels or len(levels) <= MOST:
        return [levels[place] for place in places.tolist()]
    places = np.linspace(0, len(rest) - 1, MOST - 1).round().astype(int)
    return [*(rest[place] for place in places.tolist()), "top"]


def _page(
    axis: str,
    labels: Sequence[str],
    lines: Sequence[tuple[pd.DataFrame, str]],
    said: Sequence[str],
    numbers: Sequence[PaperNumber],
    fixed: Mapping[str, Any],
) -> Figure:
    used: dict[str, bool] = {}
    stated: list[float] = []
    all_k1 = all(column == "k1" for _, column in lines)

    def draw(axes: Axes) -> None:
        for place, (rows, column) in enumerate(lines):
            ordered = rows.sort_values(axis)
            x = _SCALES[axis] * ordered[axis].to_numpy(np.float64)
            if all_k1:
                x += aside(place, len(lines), _APART * x.max())
                points(axes, x, ordered, column, place)
            else:
                line(axes, x, ordered, column, place)
            for cell, number in References(numbers, fixed).about(rows, [column]):
                stated.append(100 * float(number.value or 0))
                used.update(mark(axes, _SCALES[axis] * float(cell[axis]), stated[-1], number))
        axes.set_xlabel(_X_TITLES[axis])
        percent_axis(axes, "people found at once (%)" if all_k1 else "people (%)")
        if axis == "decoys":
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        if all_k1:
            highest = [100 * float(rows["k1_high"].max()) for rows, _ in lines]
            axes.set_yticks(range(0, 101, 10))
            axes.set_ylim(-1, 4 + max([*highest, *stated]))

    def handles() -> list[Line2D]:
        return [*line_handles(labels), *reference_handles(used)]

    targets = f"targets: {populations_text(pd.concat([rows for rows, _ in lines]))}"
    intervals = f"{'bars' if all_k1 else 'bands'}: 95% intervals"
    caption = "; ".join([*([", ".join(said)] if said else []), targets, intervals])
    drawn: list[Callable[[Axes], None]] = [draw]
    return plate(TITLES[axis], drawn, handles, caption, each=7.4)
