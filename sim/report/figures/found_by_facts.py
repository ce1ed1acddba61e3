"""The share of people found by the number of facts known, a line for each attacker of an audit.

Invariant: every row of the assessment is a point; of several rows of an attacker with equally many
facts, the highest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.axes.aux import facts_of, right_facts_of
from sim.findings.attacker_names import attacker_words
from sim.numeric.rows import row_dicts
from sim.plot.palette import COLOURS, INK
from sim.plot.spec import Axis, Data, FigureSpec, Mark, Name, Page, Panel, Points, Rule
from sim.report.figures.series import look, offset, percent

_APART = 0.05
"""Between the points of neighbouring lines, of the room between two numbers of facts."""

_MEASURES = {
    "highest": "on the highest risk",
    "percentile_99": "on the 99th percentile of risks",
    "mean": "on the mean risk",
    "succeeds": "on the share found",
}
_ELSEWHERE = 0
"""In place of the number of facts of who knows what another source says."""


@dataclass(frozen=True, slots=True)
class _Share:
    """The share found with so many facts."""

    facts: int
    share: float
    low: float
    high: float


def pages(data: Data) -> Iterator[Page]:
    """Yield all attackers in one panel."""
    lines = _lines(data)
    known = sorted({one.facts for line in lines.values() for one in line} - {_ELSEWHERE})
    ticks = [*map(str, known)]
    if any(one.facts == _ELSEWHERE for line in lines.values() for one in line):
        known.append(_ELSEWHERE)
        ticks.append("from other\nsources")
    marks: list[Mark] = []
    names: list[Name] = []
    for place, (words, line) in enumerate(lines.items()):
        line.sort(key=lambda one: known.index(one.facts))
        at = [known.index(one.facts) + offset(place, len(lines), _APART) for one in line]
        shares = {"y": [one.share for one in line], "low": [one.low for one in line]}
        style: dict[str, Any] = look(place % len(COLOURS)) | shares | {"style": "-"}
        marks.append(Points(at, high=[one.high for one in line], **style))
        names.append(Name(at[-1], line[-1].share, words, style["colour"]))
    for row in row_dicts(data.tables["assessment"][:1]) if "assessment" in data.tables else ():
        if pd.notna(row["bound"]):
            bound = 100 * float(row["bound"])
            words = f"your bound {bound:g}%, {_MEASURES[row['measure']]}"
            marks.append(Rule(bound, colour=INK, style="-"))
            names.append(Name(len(known) - 0.4, bound, words))
    yield Page(
        "Share of people found, by the facts known",
        [
            Panel(
                marks,
                Axis("facts known", (-0.4, len(known) - 0.4), ticks=range(len(known)), names=ticks),
                percent("people found (%)"),
                names=names,
            )
        ],
        "of the people with so many facts; bars: 95% intervals",
        each=6.0,
        height=3.4,
    )


def _lines(data: Data) -> dict[str, list[_Share]]:
    """Return what each attacker finds, by what it knows."""
    lines: dict[str, list[_Share]] = {}
    if "facts_until_found" in data.tables:
        rows = row_dicts(data.tables["facts_until_found"].dropna(subset=["facts"]))
        lines["exact facts"] = [_share(row, "at_most", int(row["facts"])) for row in rows]
    found: dict[tuple[str, int], _Share] = {}
    for row in row_dicts(data.tables["assessment"]) if "assessment" in data.tables else ():
        words, facts = attacker_words(row["attacker"]), _ELSEWHERE
        if aux := row.get("aux"):
            facts, right = facts_of(aux), right_facts_of(aux)
            words += f", {right} of {facts} right" if right < facts else ""
        names = [name for name in ("succeeds", "published_finds") if pd.notna(row[name])]
        here = [_share(row, name, facts) for name in names]
        here += [found[words, facts]] if (words, facts) in found else []
        found[words, facts] = max(here, key=lambda one: one.share)
    for (words, _), one in found.items():
        lines.setdefault(words, []).append(one)
    return lines


def _share(row: Any, name: str, facts: int) -> _Share:
    low, high = (float(row[f"{name}{end}"]) for end in ("_low", "_high"))
    return _Share(facts, 100 * float(row[name]), 100 * low, 100 * high)


SPEC = FigureSpec(
    "Share of people that each attacker finds, by the number of facts known about them.",
    pages,
    applies=lambda data: not {"assessment", "facts_until_found"}.isdisjoint(data.tables),
)
