"""The bounds of NS08's theorems (section 4) compared with measurements.

Invariant: a bound is a line over every m, a measurement a point with its interval; the two are
never joined.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pandas as pd

from sim.measurements.measurement import FACTS
from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS, LINES
from sim.plot.spec import Axis, Data, FigureSpec, Line, Mark, Page, Panel, Points, Rule
from sim.report.figures.series import percent

_BY = {
    "presence": "items alone",
    "values": "items and values",
    "dates": "items and dates",
    "values_and_dates": "items, values and dates",
}
_PRINTED: dict[str, Any] = {"colour": COLOURS[1], "style": LINES[1]}
_SOUND: dict[str, Any] = {"colour": COLOURS[0], "style": LINES[0]}


def pages(data: Data) -> Iterator[Page]:
    """Yield success and remaining bits over the attributes known; then theorem 5."""
    yield _attributes(data.tables[FACTS], data.tables["promises"], data.tables["needed"])
    if len(data.tables["samples"]):
        yield _samples(data.tables["samples"])


def _attributes(facts: pd.DataFrame, promises: pd.DataFrame, needed: pd.DataFrame) -> Page:
    panels = []
    for nth, row in enumerate(row_dicts(needed)):
        mine, line = (
            facts[facts["attributes"] == row["attributes"]],
            promises[promises["attributes"] == row["attributes"]],
        )
        end = 1.05 * max(float(mine["m"].max()), float(line["m"].max()))
        x = Axis("attributes known" * (nth == len(needed) - 1), (0, end))
        panels += [
            Panel(
                list(_success(mine, line, row["theorem1"])),
                x,
                percent("targets (%)"),
                f"{_by(row['attributes'])}: {_sparse(row)}",
            ),
            Panel(
                [
                    Line(line["m"], line["promised_bits"], **_PRINTED),
                    _measured(mine[mine["present"]], "bits", 1),
                ],
                x,
                Axis("bits left", (-0.3, None)),
            ),
        ]
    return Page(
        "Scoreboard: bounds proved and rates measured",
        panels,
        _caption(facts, needed),
        across=2,
        each=4.8,
        height=2.6,
        legend=[
            Points(label="measured: one record named", size=4.5),
            *(
                []
                if facts["present"].all()
                else [Points(label="measured: absent, no record named", **_ABSENT)]
            ),
        ],
    )


_ABSENT: dict[str, Any] = {"marker": "s", "filled": False, "size": 4.5}


def _success(facts: pd.DataFrame, promises: pd.DataFrame, theorem1: float) -> Iterator[Mark]:
    y = 100 * promises["promised"]
    yield Line(promises["m"], y, label="theorems 1–4 as printed", **_PRINTED)
    y = 100 * promises["promised_sound"]
    yield Line(promises["m"], y, label="minus the share with a look-alike", **_SOUND)
    yield _measured(facts[facts["present"]], "named", 100)
    yield _measured(facts[~facts["present"]], "named", 100, **_ABSENT)
    if not math.isnan(theorem1):
        label = "attributes required by theorem 1"
        yield Rule(theorem1, upright=True, label=label)


def _measured(rows: pd.DataFrame, name: str, scale: float, **form: Any) -> Points:
    rows = rows[rows[name].notna()]
    low, high = (scale * rows[f"{name}{end}"].fillna(rows[name]) for end in ("_low", "_high"))
    form = {"size": 4.5, "edge": 1.0} | form
    return Points(rows["m"], scale * rows[name], low=low, high=high, **form)


def _by(name: str) -> str:
    return _BY.get(name, name)


def _sparse(needed: dict[Any, Any]) -> str:
    share = f"{needed['epsilon']:.0%}"
    if math.isnan(needed["delta"]):
        return f"no θ leaves {share} with a neighbour"
    return f"({needed['theta']:.2g}, {share})-sparse"


def _caption(facts: pd.DataFrame, needed: pd.DataFrame) -> str:
    broken = facts[facts["kept"] == False]  # noqa: E712 - null is neither
    enough = [
        f"{_by(row['attributes'])} {row['enough']:.0f} of {math.ceil(row['theorem1'])}"
        for row in row_dicts(needed)
        if not (math.isnan(row["enough"]) or math.isnan(row["theorem1"]))
    ]
    words = "targets: at each m, records with m or more attributes; bars: 95% intervals"
    if enough:
        words += "; attributes sufficient, of those required: " + ", ".join(enough)
    if len(broken):
        words += (
            f"; points that violate a bound: {len(broken)}, because lemma 1 needs similarity over "
            "the target's own items, whereas NS08 defines it over the items of either record"
        )
    return words


def _samples(samples: pd.DataFrame) -> Page:
    lams = sorted(set(samples["lam"]))
    panels = []
    for by, rows in samples.groupby("attributes", sort=False):
        one, printed = rows.iloc[0], rows[rows["lam"] == lams[0]]
        y = 100 * printed["printed"]
        marks = [Line(printed["gamma"], y, label="as printed: 1 − γ", **_PRINTED)]
        for place, lam in enumerate(lams):
            of_lam = rows[rows["lam"] == lam]
            form = _SOUND | {"style": LINES[2 * place % len(LINES)]}
            y = 100 * of_lam["sound"]
            marks.append(Line(of_lam["gamma"], y, label=f"as implied, sample 1/{lam}", **form))
        panels.append(
            Panel(
                marks,
                Axis("γ"),
                percent("probability (%)"),
                f"{_by(str(by))}: {one['delta']:.0%} above {one['eps']:.2g}",
            )
        )
    return Page(
        "Sparsity in a sample of the release (theorem 5)",
        panels,
        "probability that in a 1/λ subset at least δγ/λ of the records have an equally near "
        "neighbour; the proof applies Markov's inequality to a lower tail",
        each=3.3,
        height=2.7,
        shared="y",
    )


SPEC = FigureSpec("The theorems' bounds compared with measurements.", pages)
