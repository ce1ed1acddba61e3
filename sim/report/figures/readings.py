"""Every way to read what the papers leave open, beside their numbers: a dot and an interval each.

Invariant: every reading that was measured of a cell shown is drawn once, and none is emphasised;
the paper's number runs through all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from sim.papers.papers import PaperNumber
from sim.papers.readings import SCORES
from sim.report.figures.style import COLOURS, FAINT, house_style, new_figure

_ROW = 0.165
"""Inches of a line."""

_NEAR, _FAR = ("2/2", 3), ("6/8", 14)
"""The cells the paper states numbers of."""


@dataclass(frozen=True, slots=True)
class _Dot:
    """One kind of point: which rows, where, and how it looks.

    Parameters
    ----------
    words : str
        For the legend.
    panel : int
    rows : DataFrame
        Of ``readings``; one for each line it is drawn on.
    filled : bool
    """

    words: str
    panel: int
    rows: pd.DataFrame
    filled: bool = True


@dataclass(frozen=True, slots=True)
class _Band:
    """What the paper states in one panel: a number, and what it leaves open."""

    low: float
    high: float
    words: str


@dataclass(frozen=True, slots=True)
class _Page:
    title: str
    panels: tuple[str, str]
    dots: Sequence[_Dot]
    bands: tuple[_Band | None, _Band | None]
    scale: float
    unit: str


def readings_pages(
    tables: Mapping[str, pd.DataFrame],
    *,
    numbers: Sequence[PaperNumber] = (),  # noqa: ARG001
    settings: Mapping[str, Any] | None = None,  # noqa: ARG001
) -> Iterator[Figure]:
    """Draw the readings of NS08, Figs. 4 to 6.

    Parameters
    ----------
    tables : Mapping
        ``readings``, as `sim.papers.joint.readings` makes it: the paper's numbers are in it.
    numbers, settings
        Not needed.

    Yields
    ------
    Figure
        One for each of the paper's figures of which there is a reading in the cells shown.

    Examples
    --------
    >>> next(readings_pages({"readings": pd.DataFrame(columns=["figure", "aux", "date_noise"])}),
    ...      None) is None
    True
    """
    readings = tables["readings"]
    for page in (_fig4(readings), _fig5(readings), _fig6(readings)):
        if any(len(dot.rows) for dot in page.dots):
            yield _drawn(page)


def _cell(readings: pd.DataFrame, figure: str, cell: tuple[str, int]) -> pd.DataFrame:
    aux, days = cell
    chosen = (readings["figure"] == figure) & (readings["aux"] == aux)
    return readings[chosen & (readings["date_noise"] == days)]


def _fig4(readings: pd.DataFrame) -> _Page:
    near, far = (_cell(readings, "Fig. 4", cell) for cell in (_NEAR, _FAR))
    return _Page(
        title="Records identified: readings of NS08, Fig. 4",
        panels=("2 of 2, dates ±3 days", "6 of 8, dates ±14 days"),
        dots=[_Dot("this release", 0, near), _Dot("this release", 1, far)],
        bands=(_stated(near, 100), _stated(far, 100)),
        scale=100,
        unit="targets (%)",
    )


def _fig5(readings: pd.DataFrame) -> _Page:
    dots = []
    for panel, cell in enumerate((_NEAR, _FAR)):
        rows = _cell(readings, "Fig. 5", cell)
        for kind, filled in (("present", True), ("absent", False)):
            some = rows[rows["measure"] == f"right, {kind}"] if len(rows) else rows
            dots.append(_Dot(f"target {kind}", panel, some, filled))
    return _Page(
        title="Right answers, target present or absent: readings of NS08, Fig. 5",
        panels=("2 of 2, dates ±3 days", "6 of 8, dates ±14 days"),
        dots=dots,
        bands=(None, None),
        scale=100,
        unit="right answers (%)",
    )


def _fig6(readings: pd.DataFrame) -> _Page:
    near = _cell(readings, "Fig. 6", _NEAR)
    dots = [
        _Dot("2 of 2: targets not named", 0, _of(near, "unresolved")),
        _Dot("2 of 2: all targets", 0, _of(near, "all"), filled=False),
    ]
    for days, filled in ((3, True), (14, False)):
        rows = _of(_cell(readings, "Fig. 6", ("6/8", days)), "all")
        dots.append(_Dot(f"6 of 8: all targets, dates ±{days} days", 1, rows, filled))
    return _Page(
        title="Bits left to be learnt about the target: readings of NS08, Fig. 6",
        panels=("2 of 2, dates ±3 days", "6 of 8"),
        dots=dots,
        bands=(
            _Band(2.5, 3.5, "NS08: around 3 bits, and a fraction of a bit"),
            _Band(0.0, 1.0, "NS08: around 3 bits, and a fraction of a bit"),
        ),
        scale=1,
        unit="mean (bits)",
    )


def _of(rows: pd.DataFrame, statistic: str) -> pd.DataFrame:
    """The rows of one statistic, by the reading alone."""
    if not len(rows):
        return rows
    ending = f"_{statistic}"
    mine = rows[rows["how"].str.endswith(ending)]
    return mine.assign(
        how=mine["how"].str.removesuffix(ending),
        reading=mine["reading"].str.rpartition("; ")[0],
    )


def _stated(rows: pd.DataFrame, scale: float) -> _Band | None:
    theirs = rows["theirs"].dropna() if len(rows) else pd.Series(dtype=float)
    if theirs.empty:
        return None
    value = scale * float(theirs.iloc[0])
    return _Band(value, value, "NS08's number")


def _lines(page: _Page) -> list[tuple[str, str, str]]:
    """Lines from the top: (score, how, words); a score's name stands on a line of its own."""
    known: dict[str, dict[str, str]] = {}
    for dot in page.dots:
        for row in dot.rows[dot.rows["ours"].notna()].to_dict("records"):
            words = str(row["reading"]).partition(": ")[2]
            known.setdefault(row["score"], {}).setdefault(row["how"], words)
    lines = []
    for score, hows in known.items():
        lines.append((score, "", SCORES.get(score, score)))
        lines += [(score, how, words) for how, words in hows.items()]
    return lines


def _drawn(page: _Page) -> Figure:
    lines = _lines(page)
    places = {(score, how): -nth for nth, (score, how, _) in enumerate(lines)}
    with house_style():
        figure = new_figure(9.4, 1.5 + _ROW * len(lines))
        left, right = figure.subplots(1, 2, sharey=True)
        for nth, axes in enumerate((left, right)):
            _panel(axes, page, nth, places)
        left.set_yticks([-nth for nth in range(len(lines))], [words for *_, words in lines])
        for label, (_, how, _) in zip(left.get_yticklabels(), lines, strict=True):
            label.set_fontsize(7.5)
            label.set_fontweight("normal" if how else "bold")
        left.set_ylim(-len(lines) + 0.4, 0.6)
        figure.suptitle(page.title, x=0.01, horizontalalignment="left")
        figure.legend(
            handles=_handles(page), loc="outside lower center", ncols=2, title="bars: 95% intervals"
        )
    return figure


def _panel(axes: Axes, page: _Page, nth: int, places: Mapping[tuple[str, str], int]) -> None:
    axes.set_title(page.panels[nth])
    band = page.bands[nth]
    if band is not None:
        look: dict[str, Any] = {"color": COLOURS[4], "zorder": 0}
        if band.low == band.high:
            axes.axvline(band.low, linewidth=1.6, **look)
        else:
            axes.axvspan(band.low, band.high, alpha=0.35, linewidth=0, **look)
    for (_, how), y in places.items():
        if not how:
            axes.axhline(y + 0.5, color="#D9D9D9", linewidth=0.6, zorder=0)
    for dot in (d for d in page.dots if d.panel == nth):
        rows = dot.rows[dot.rows["ours"].notna()]
        at = [places[row["score"], row["how"]] for row in rows.to_dict("records")]
        value, low, high = (
            page.scale * rows[end].to_numpy(np.float64) for end in ("ours", "low", "high")
        )
        colour = COLOURS[0] if dot.filled else COLOURS[1]
        axes.errorbar(
            *(value, at),
            xerr=np.nan_to_num([value - low, high - value]).clip(0),
            linestyle="none",
            marker="o" if dot.filled else "s",
            markersize=4.2,
            color=colour,
            markerfacecolor=colour if dot.filled else "white",
            elinewidth=1.0,
            capsize=1.8,
            zorder=3,
        )
    axes.grid(axis="y", visible=False)
    axes.grid(axis="x", visible=True)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(page.unit)
    if page.scale == 100:
        axes.set_xlim(-3, 104)
    else:
        axes.set_xlim(left=-0.2)


def _handles(page: _Page) -> list[Any]:
    handles: dict[str, Any] = {}
    for dot in page.dots:
        colour = COLOURS[0] if dot.filled else COLOURS[1]
        handles[dot.words] = Line2D(
            [],
            [],
            linestyle="none",
            marker="o" if dot.filled else "s",
            markersize=4.2,
            color=colour,
            markerfacecolor=colour if dot.filled else "white",
            label=dot.words,
        )
    for band in page.bands:
        if band is None:
            continue
        if band.low == band.high:
            handles[band.words] = Line2D([], [], color=COLOURS[4], linewidth=1.6, label=band.words)
        else:
            handles[band.words] = Patch(color=COLOURS[4], alpha=0.35, label=band.words)
    if page.bands == (None, None):
        words = "NS08: right “with high probability” in both cases"
        handles[words] = Line2D([], [], linestyle="none", color=FAINT, label=words)
    return list(handles.values())
