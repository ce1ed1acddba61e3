"""Every interpretation of what the papers leave open, next to their numbers.

Invariant: every interpretation that was measured of a cell shown is drawn once, and none is
emphasised; the paper's number runs through all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from sim.numeric.rows import row_dicts
from sim.papers.interpretations import SCORES
from sim.plot.palette import COLOURS
from sim.plot.spec import Axis, Data, FigureSpec, Mark, Page, Panel, Points, Rule

_ROW = 0.165
"""Inches of a line."""

_NEAR, _FAR = ("2/2", 3), ("6/8", 14)
"""The cells the paper states numbers of."""

_TITLES = ("2 of 2, dates ±3 days", "6 of 8, dates ±14 days")


@dataclass(frozen=True, slots=True)
class _PointSet:
    """One kind of point: rows of ``interpretations``, in which panel, and whether it is filled."""

    label: str
    panel: int
    rows: pd.DataFrame
    filled: bool = True


@dataclass(frozen=True, slots=True)
class _PageSpec:
    """A page: its kinds of points, and what the paper states in each panel."""

    title: str
    kinds: Sequence[_PointSet]
    stated: Sequence[Sequence[Rule]]
    unit: str
    scale: float = 100.0
    panels: tuple[str, str] = _TITLES
    note: str = ""


def pages(data: Data) -> Iterator[Page]:
    """Yield a page for each of NS08, Figs. 4 to 6, that has interpretations in these cells."""
    interpretations = data.tables["interpretations"]
    for make in (_fig4, _fig5, _fig6):
        comparison = make(interpretations)
        if any(len(kind.rows) for kind in comparison.kinds):
            yield _page(comparison)


def _cell(interpretations: pd.DataFrame, figure: str, cell: tuple[str, int]) -> pd.DataFrame:
    aux, days = cell
    chosen = (interpretations["figure"] == figure) & (interpretations["aux"] == aux)
    return interpretations[chosen & (interpretations["date_noise"] == days)]


def _fig4(interpretations: pd.DataFrame) -> _PageSpec:
    cells = [_cell(interpretations, "Fig. 4", cell) for cell in (_NEAR, _FAR)]
    return _PageSpec(
        title="Records identified: interpretations of NS08, Fig. 4",
        kinds=[_PointSet("this release", panel, rows) for panel, rows in enumerate(cells)],
        stated=[
            [
                _stated(100 * theirs, "NS08's number", style="-", width=1.6)
                for theirs in rows["theirs"].dropna()[:1]
            ]
            for rows in cells
        ],
        unit="targets (%)",
    )


def _fig5(interpretations: pd.DataFrame) -> _PageSpec:
    kinds = []
    for panel, cell in enumerate((_NEAR, _FAR)):
        rows = _cell(interpretations, "Fig. 5", cell)
        for kind, filled in (("present", True), ("absent", False)):
            some = rows[rows["measure"] == f"right, {kind}"]
            kinds.append(_PointSet(f"target {kind}", panel, some, filled))
    return _PageSpec(
        title="Right answers, target present or absent: interpretations of NS08, Fig. 5",
        kinds=kinds,
        stated=[[], []],
        unit="right answers (%)",
        note="; NS08: right “with high probability” in both cases",
    )


def _fig6(interpretations: pd.DataFrame) -> _PageSpec:
    near = _cell(interpretations, "Fig. 6", _NEAR)
    kinds = [
        _PointSet("2 of 2: targets not identified", 0, _of(near, "unresolved")),
        _PointSet("2 of 2: all targets", 0, _of(near, "all"), filled=False),
    ]
    for days, filled in ((3, True), (14, False)):
        rows = _of(_cell(interpretations, "Fig. 6", ("6/8", days)), "all")
        kinds.append(_PointSet(f"6 of 8: all targets, dates ±{days} days", 1, rows, filled))
    words = "NS08: around 3 bits, and a fraction of a bit"
    return _PageSpec(
        title="Bits of uncertainty that remain: interpretations of NS08, Fig. 6",
        panels=(_TITLES[0], "6 of 8"),
        kinds=kinds,
        stated=[[_stated(2.5, words, to=3.5)], [_stated(0.0, words, to=1.0)]],
        scale=1.0,
        unit="mean (bits)",
    )


def _stated(at: float, label: str, *, to: float | None = None, **form: float | str) -> Rule:
    return Rule(at, to=to, upright=True, label=label, colour=COLOURS[4], **form)  # type: ignore[arg-type]


def _of(rows: pd.DataFrame, statistic: str) -> pd.DataFrame:
    """The rows of one statistic, by the interpretation alone."""
    if rows.empty:
        return rows
    ending = f"_{statistic}"
    mine = rows[rows["how"].str.endswith(ending)]
    return mine.assign(
        how=mine["how"].str.removesuffix(ending),
        interpretation=mine["interpretation"].str.rpartition("; ")[0],
    )


def _lines(comparison: _PageSpec) -> list[tuple[str, str, str]]:
    """Lines from the top: (score, how, words); a score's name stands on a line of its own."""
    known: dict[str, dict[str, str]] = {}
    for kind in comparison.kinds:
        for row in row_dicts(kind.rows[kind.rows["ours"].notna()]):
            words = str(row["interpretation"]).partition(": ")[2]
            known.setdefault(row["score"], {}).setdefault(row["how"], words)
    lines = []
    for score, hows in known.items():
        lines.append((score, "", SCORES.get(score, score)))
        lines += [(score, how, words) for how, words in hows.items()]
    return lines


def _page(comparison: _PageSpec) -> Page:
    lines = _lines(comparison)
    places = {(score, how): -nth for nth, (score, how, _) in enumerate(lines)}
    y = Axis(
        limits=(-len(lines) + 0.4, 0.6),
        ticks=[-nth for nth in range(len(lines))],
        names=[words for *_, words in lines],
        heads=[nth for nth, (_, how, _) in enumerate(lines) if not how],
    )
    x = Axis(comparison.unit, (-3, 104) if comparison.scale == 100 else (-0.2, None))
    return Page(
        comparison.title,
        [
            Panel(list(_marks(comparison, nth, places)), x, y, title, lines_across="x")
            for nth, title in enumerate(comparison.panels)
        ],
        f"bars: 95% intervals{comparison.note}",
        each=4.7,
        height=0.7 + _ROW * len(lines),
        shared="y",
    )


def _marks(
    comparison: _PageSpec, panel: int, places: Mapping[tuple[str, str], int]
) -> Iterator[Mark]:
    yield from comparison.stated[panel]
    for (_, how), place in places.items():
        if not how:
            yield Rule(place + 0.5, colour="#D9D9D9", style="-", width=0.6)
    for kind in (k for k in comparison.kinds if k.panel == panel):
        rows = kind.rows[kind.rows["ours"].notna()]
        ours, low, high = (
            comparison.scale * rows[name].to_numpy(np.float64) for name in ("ours", "low", "high")
        )
        yield Points(
            ours,
            [places[row["score"], row["how"]] for row in row_dicts(rows)],
            low=low,
            high=high,
            sideways=True,
            label=kind.label,
            colour=COLOURS[0 if kind.filled else 1],
            marker="o" if kind.filled else "s",
            filled=kind.filled,
            size=4.2,
            edge=1.0,
        )


SPEC = FigureSpec("Every interpretation of what the paper leaves open, with its results.", pages)
