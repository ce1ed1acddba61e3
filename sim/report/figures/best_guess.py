"""How often the best guess is the right record (NS08, Figs. 4 and 5).

Where targets are absent, the right answer is "no match": the open point is then the rate of
"no match", and there is no rank-1 rate. Where the true records are unknown, only the rate of
"no match" is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sim.numeric.columns import SHARE
from sim.plot.spec import Data, FigureSpec, Page
from sim.report.figures.cells import Level, Measure, cell_pages

_BASELINES = (
    Level("baseline_random", "random guess", ":"),
    Level("baseline_longest", "guessing the longest record", "-."),
)


def pages(data: Data) -> Iterator[Page]:
    """Yield the rank-1 rate next to the rate of right matches."""
    curves = data.tables["curves"].copy()
    unknown = np.array(curves["matched_right"].isna())
    if unknown.all():
        measure = Measure("no_match", "no match declared", filled=False)
        title = "No match declared"
        yield from cell_pages(curves, Data(tables=data.tables), title=title, measures=[measure])
        return
    absent = np.array(curves["rank1"].isna()) & ~unknown
    for end in SHARE if absent.any() else ():
        curves.loc[absent, f"matched_right{end}"] = curves.loc[absent, f"no_match{end}"]
    for level in _BASELINES:
        if level.column not in curves:
            curves[level.column] = np.nan
    if data.n_records and curves["baseline_random"].isna().all():
        curves["baseline_random"] = 1 / data.n_records
    right = "right answer" if absent.any() else "declared right"
    measures = [Measure("rank1", "best guess right"), Measure("matched_right", right, filled=False)]
    title = f"{right.capitalize()} (open)"
    yield from cell_pages(
        curves,
        data,
        title=title if absent.all() else f"Best guess right (filled), {right} (open)",
        measures=measures[1:] if absent.all() else measures,
        compared=_BASELINES,
        note=("" if data.phi is None else f"declared at φ = {data.phi:g}; ")
        + "bars: 95% intervals"
        + ("; for absent targets, no match is the right answer" if absent.any() else ""),
    )


SPEC = FigureSpec(
    "How often the attacker's best guess is the right record, and how often the attack declares "
    "a correct match, compared with a random guess and with guessing the longest record.",
    pages,
)
