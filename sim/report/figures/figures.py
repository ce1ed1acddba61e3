"""Pictures of points: how often the attacker names the right record, and what is left to learn.

Invariant: every cell of the grid is drawn, with its intervals; whatever axes a grid has, those that
do not fit into one panel become small multiples, and those that do not vary are named below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from sim.numeric.columns import SHARE
from sim.papers.papers import PaperNumber
from sim.report.figures.multiples import PER_PAGE, Sheet
from sim.report.figures.panels import plan_panels
from sim.report.figures.points import Level, Measure, Points
from sim.report.figures.references import References

TITLE = "How often the attacker names the right record"
ENTROPY_TITLE = "What is left to be learnt about a target"

_NOTE = "bars: 95% intervals"

_BASELINES = (
    Level("baseline_random", "random guess", ":"),
    Level("baseline_longest", "guessing the longest record", "-."),
)


def figure_best_guess(curves: pd.DataFrame, phi: float | None, **options: Any) -> Figure:
    """Draw the rank-1 rate beside the rate of right matches (NS08, Figs. 4 and 5).

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, at least one row.
    phi : float or None
        The φ of the matches; None where the attack's rule is another.
    **options
        As for `best_guess_pages`.

    Returns
    -------
    Figure
        Filled points: φ ignored; open points: at φ; bars: 95% intervals.

    Raises
    ------
    ValueError
        There is no curve.

    Examples
    --------
    >>> rates = {name: [0.5] for name in ("rank1", "rank1_low", "rank1_high", "matched_right",
    ...                                   "matched_right_low", "matched_right_high")}
    >>> counts = {"n_targets": 100, "n_present": 100, "n_eligible": 900, "eligible": 1.0}
    >>> frame = pd.DataFrame({"cell": [0], "aux": ["2/2"], **counts, **rates})
    >>> len(figure_best_guess(frame, phi=1.5).axes)
    1
    """
    return next(best_guess_pages(curves, phi, per_page=None, **options))


def best_guess_pages(
    curves: pd.DataFrame,
    phi: float | None,
    *,
    per_page: int | None = PER_PAGE,
    title: str = TITLE,
    baseline: float | None = None,
    numbers: Sequence[PaperNumber] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw a grid of any size, page by page.

    Where targets are absent, the right answer is "no match": that is then the open point, and
    there is no best guess that could be right. Where nobody knows which records are right, all
    that can be drawn is how often no match is declared.

    Parameters
    ----------
    curves, phi
        As for `figure_best_guess`.
    per_page : int or None
        Small multiples on a page, at most; None for all on one.
    title : str
        One line; gets the page's number where there are several.
    baseline : float, optional
        Success of a uniformly random guess, where the frame has no ``baseline_random``.
    numbers : sequence of PaperNumber
        Numbers to mark; those about other measures or cells are left out.
    fixed : Mapping, optional
        Axes without a column, to know which cells the numbers are about.

    Yields
    ------
    Figure
        Axes, colours and levels are the same on all pages.

    Examples
    --------
    >>> rates = {name: 0.5 for name in ("rank1", "rank1_low", "rank1_high", "matched_right",
    ...                                 "matched_right_low", "matched_right_high")}
    >>> counts = {"n_targets": 9, "n_present": 9, "n_eligible": 900, "eligible": 1.0}
    >>> frame = pd.DataFrame({"cell": range(32), "aux": ["2/2", "6/8"] * 16, **counts,
    ...     "loss": [i // 2 for i in range(32)], **rates})
    >>> [len(page.axes) for page in best_guess_pages(frame, 1.5, per_page=10)]
    [10, 6]
    """
    unknown = np.array(curves["matched_right"].isna())
    if unknown.all():
        yield from _names_nobody(curves, per_page)
        return
    absent = np.array(curves["rank1"].isna()) & ~unknown
    drawn = curves.copy()
    for end in SHARE if absent.any() else ():
        drawn.loc[absent, f"matched_right{end}"] = drawn.loc[absent, f"no_match{end}"]
    for level in _BASELINES:
        if level.column not in drawn:
            drawn[level.column] = np.nan
    if baseline is not None and drawn["baseline_random"].isna().all():
        drawn["baseline_random"] = baseline
    right = "open: right answer" if absent.any() else "open: matched and right"
    right += "" if phi is None else f" at φ = {phi:g}"
    points = Points(
        title=title,
        measures=(
            Measure("rank1", "filled: best guess right, φ ignored"),
            Measure("matched_right", right, filled=False),
        ),
        levels=_BASELINES,
        references=References(numbers, fixed or {}),
        note=_NOTE + (", if absent no match is the right answer" if absent.any() else ""),
    )
    if absent.all():
        points = replace(points, measures=points.measures[1:])
    yield from points.sheet(drawn, plan_panels(drawn)).pages(per_page)


def _names_nobody(curves: pd.DataFrame, per_page: int | None) -> Iterator[Figure]:
    """Draw what is left where nobody knows which records are right."""
    points = Points(
        title="How often the attacker names nobody",
        measures=(Measure("no_match", "no match is declared", filled=False),),
    )
    yield from points.sheet(curves, plan_panels(curves)).pages(per_page)


def figure_entropy(curves: pd.DataFrame, **options: Any) -> Figure:
    """Draw the mean entropy, by both conventions of σ (NS08, Figs. 6 and 11).

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``, of an attack that measures the entropy; cells without are left out.
    **options
        As for `entropy_pages`.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        There is no entropy to draw.

    Examples
    --------
    >>> figure_entropy(pd.DataFrame({"bits": [None]}))
    Traceback (most recent call last):
    ValueError: there is no curve to draw
    """
    return next(entropy_pages(curves, per_page=None, **options))


def entropy_pages(
    curves: pd.DataFrame,
    *,
    per_page: int | None = PER_PAGE,
    title: str = ENTROPY_TITLE,
    numbers: Sequence[PaperNumber] = (),
    fixed: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    """Draw the entropy of a grid of any size, page by page.

    Parameters
    ----------
    curves
        As for `figure_entropy`.
    per_page, title, numbers, fixed
        As for `best_guess_pages`.

    Yields
    ------
    Figure
        Filled points: σ over all candidates; open points: over those sharing an aux item, where
        that makes a difference; the line: log2 N.
    """
    drawn = curves[curves["bits"].notna()]
    plan = plan_panels(drawn)
    one = (drawn["bits"] == drawn["bits_nonzero"]).all()
    highest = drawn[["bits_prior", "bits_high", "bits_nonzero_high"]].to_numpy(np.float64)
    top = float(np.nanmax(highest))
    measures = (
        Measure("bits", "mean" if one else "filled: mean, σ over all candidates"),
        Measure("bits_nonzero", "open: σ over those sharing an item", filled=False),
    )
    points = Points(
        title=title,
        measures=measures[:1] if one else measures,
        levels=(Level("bits_prior", "knowing nothing: log2 N", "--"),),
        scale=1.0,
        y_title="entropy (bits)",
        y_limits=(-0.03 * top, 1.06 * max(top, 0.1)),
        y_step=_step(top),
        unit=" bits",
        references=References(numbers, fixed or {}),
    )
    sheet: Sheet = points.sheet(drawn, plan)
    yield from sheet.pages(per_page)


def _step(top: float) -> float:
    """Return 1, 2 or 5 times a power of ten, so that there are five to ten steps."""
    rough = max(top, 0.1) / 5
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * step for step in (1.0, 2.0, 5.0, 10.0) if power * step >= rough * 0.999)
