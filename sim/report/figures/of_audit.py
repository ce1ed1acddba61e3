"""The figure of an audit: the share of people found by the number of facts known."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.axes.aux import facts_of, right_facts_of
from sim.findings.attacker_row import attacker_words
from sim.plot.palette import INK
from sim.plot.spec import Axis, Bound, Data, Plot, figure, percent, rows_of
from sim.report.sentences import MEASURED

_ELSEWHERE = 10**6
"""In place of the number of facts of who knows what another source says."""


@figure("Share of people that each attacker finds, by the number of facts known about them.")
def found_by_facts(data: Data) -> Iterator[Plot]:
    """Every row of the assessment as a point, each attacker a line.

    Of several rows of an attacker with equally many facts, the highest.
    """
    rows, bounds = [], []
    if "facts_until_found" in data.tables:
        exact = data.tables["facts_until_found"].dropna(subset=["facts"])
        rows.append(rows_of(exact, "at_most", x=exact["facts"].astype(int), series="exact facts"))
    if "assessment" in data.tables:
        table = data.tables["assessment"].reset_index(drop=True)
        known = table["aux"].fillna("") if "aux" in table else [""] * len(table)
        x = [facts_of(aux) if aux else _ELSEWHERE for aux in known]
        series = [_who(*row) for row in zip(table["attacker"], known, strict=True)]
        names = ("succeeds", "published_finds")
        found = pd.concat([rows_of(table, name, x=x, series=series) for name in names])
        found = found.dropna(subset=["y"]).sort_values("y", kind="stable")
        rows.append(found.drop_duplicates(["x", "series"], keep="last").sort_index())
        for bound in table["bound"].dropna()[:1]:
            words = f"your bound {100 * bound:g}%, on {MEASURED[table['measure'].iloc[0]]}"
            bounds.append(Bound(100 * float(bound), words, colour=INK, line="-"))
    if rows:
        drawn = pd.concat(rows)
        places, who = sorted(drawn["x"].unique()), list(drawn["series"].unique())
        drawn = drawn.assign(place=drawn["x"], who=drawn["series"].map(who.index))
        drawn = drawn.sort_values(["who", "place"], kind="stable")
        ticks = {place: str(place) for place in places} | {_ELSEWHERE: "from other sources"}
        yield Plot(
            "points",
            "Share of people found, by the facts known",
            drawn.assign(x=drawn["x"].map(ticks)),
            Axis("facts known", names=[ticks[place] for place in places]),
            percent("people found (%)"),
            "of the people with so many facts",
            bounds=bounds,
            most=99,
        )


def _who(attacker: str, aux: str) -> str:
    """Name an attacker, and how many of its facts are right if not all are."""
    size, right = (facts_of(aux), right_facts_of(aux)) if aux else (0, 0)
    return attacker_words(attacker) + (f", {right} of {size} right" if right < size else "")
