"""Runs beside each other: as a table, as text and as a figure.

Invariant: whatever tells two rows apart names its axis or setting, unknown levels included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, percents
from sim.plot.spec import Axis, Plot, percent, rows_of
from sim.report.page.notebook import preformatted
from sim.report.text_table import aligned
from sim.study.labels import axis_head, level_short, level_text, level_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDS = ("", "_low", "_high")
NONE = "–"
"""Of a setting or an axis that a run does not have."""


_CAPTION = "% [95% interval]; n: people attacked"
"""Says what the numbers of a comparison are."""


class ShownMeasure(NamedTuple):
    """A measure with its interval, and the head of its column."""

    name: str
    head: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Runs beside each other.

    Parameters
    ----------
    table : DataFrame
        A row per run and condition: ``run``, the settings that differ, the axes of the conditions,
        each measure with ``_low`` and ``_high``, ``n`` (people attacked).
    conditions : tuple of str
        The columns that tell rows apart.
    axes : tuple of str
        Of these, the axes of a grid.
    measures : tuple of (name, head)
    verdicts : str
        What the verdicts are on; empty: there is none, or not on the same.
    """

    table: pd.DataFrame
    conditions: tuple[str, ...]
    measures: tuple[ShownMeasure, ...]
    verdicts: str = ""
    axes: tuple[str, ...] = ()

    def plot(self) -> Plot:
        """Return the measures with their intervals, a line for each row of the table."""
        names = self.labels()
        rows = [rows_of(self.table, each.name, x=names, panel=each.head) for each in self.measures]
        return Plot("listing", "", pd.concat(rows), Axis(names=names[::-1]), percent("%"))

    def figure(self) -> Figure:
        """Draw the plot."""
        from sim.report.figures.page import draw_plot

        return draw_plot(self.plot())

    def labels(self) -> list[str]:
        """Name each row by what tells it apart: every word names its axis or setting.

        The number of a job is left out where the others do.
        """
        columns = [
            [
                level_words(name, value) if name in self.axes else _label(name, value)
                for value in self.table[name]
            ]
            for name in self.conditions
        ]
        by_run = [", ".join(filter(None, words)) for words in zip(*columns, strict=True)]
        if not self.table["run"].astype(str).str.fullmatch(r"\d+( \(\d+\))?").all():
            return by_run
        labels = [", ".join(filter(None, words)) for words in zip(*columns[1:], strict=True)]
        return labels if all(labels) and len({*labels}) == len(by_run) else by_run

    def _texts(self, rows: pd.DataFrame) -> list[list[str]]:
        """Return the conditions of rows, in columns whose heads name them."""
        texts = [
            [level_short(n, value) if n in self.axes else level_text(value) for value in rows[n]]
            for n in self.conditions
        ]
        return [list(row) for row in zip(*texts, strict=True)]

    def _repr_html_(self) -> str:
        return str(preformatted(str(self)))

    def __str__(self) -> str:
        return self.first(len(self.table))

    def first(self, rows: int) -> str:
        """Return the first rows as text, under what their numbers are."""
        heads = [axis_head(n, report=True) if n in self.axes else n for n in self.conditions]
        heads += [*(measure.head for measure in self.measures), "n"]
        lines = [heads]
        shown = self.table[:rows]
        texts = self._texts(shown)
        for words, row in zip(texts, row_dicts(shown), strict=True):
            shares = [_share(row, measure.name) for measure in self.measures]
            lines.append([*words, *shares, f"{row['n']:,}"])
        caption = f"{_CAPTION}{f'; {self.verdicts}' if self.verdicts else ''}"
        return "\n".join([caption, *aligned(lines, left=len(self.conditions))])

    def __repr__(self) -> str:
        return str(self)


def _label(name: str, value: Any) -> str:
    """Return a setting in words that name it; empty: the run has no such setting."""
    text = level_text(value)
    if text == NONE:
        return ""
    if name == "facts":
        return level_words("aux", value)
    if name == "run":
        return f"run {text}" if text[:1].isdigit() else text
    return text if name in _AS_THEY_ARE else f"{name}={text}"


_AS_THEY_ARE = ("attacker", "verdict", "defence")


def _share(row: Mapping[Any, Any], name: str) -> str:
    value, low, high = (row[f"{name}{end}"] for end in ENDS)
    if pd.isna(value):
        return "–"
    if pd.isna(low):
        return format_percent(value)
    text = percents(value, low, high)
    return f"{text[0]} [{text[1]}–{text[2]}]"
