"""Summarise which interpretation of the papers comes closest to their numbers.

Invariant: every conclusion follows from the rows of the table of interpretations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sim.numeric.rows import row_dicts
from sim.papers.interpretations import SCORES


def conclude(interpretations: pd.DataFrame) -> pd.DataFrame:
    """Summarise which interpretation comes closest to each figure's stated numbers.

    Parameters
    ----------
    interpretations : DataFrame
        As ``interpretations`` of `aggregate`.

    Returns
    -------
    DataFrame
        A row per figure with a number stated of these cells, one for Fig. 5, of which none is
        stated, and one for Figs. 4 and 6 together, whose interpretations are the scoring variants:
        ``figure``;
        ``closest_interpretation``: the one with the smallest maximum error (Fig. 5: with the
        highest minimum share of right answers); ``miss``: that error (Fig. 5: that share);
        ``interpretations``: the number tried; ``agreeing``: the number that agree with all of the
        figure's numbers, null where none is stated.
    """
    rows = []
    for figure, group in interpretations.groupby("figure", sort=True):
        stated = group[group["theirs"].notna()]
        if len(stated):
            # An interpretation must give every number that the paper states for the figure.
            whole = stated.groupby("interpretation")["ours"].transform("count") == _most(stated)
            if whole.any():
                rows.append(_closest(str(figure), stated[whole]))
        elif figure == "Fig. 5":
            rows.append(_surest(str(figure), group))
    rows.append(_together(interpretations))
    columns = ["figure", "closest_interpretation", "miss", "interpretations", "agreeing"]
    return pd.DataFrame(rows, columns=columns).astype({"agreeing": "Int64"})


def _most(stated: pd.DataFrame) -> int:
    return int(stated.groupby("interpretation").size().max()) if len(stated) else 0


def _closest(figure: str, stated: pd.DataFrame) -> dict[str, Any]:
    missed = stated.assign(
        miss=[_error(row) for row in row_dicts(stated)],
        agrees=stated["agrees"].fillna(False).astype(bool),
    )
    by_interpretation = missed.groupby("interpretation", sort=False).agg(
        miss=("miss", "max"), agrees=("agrees", "all")
    )
    return {
        "figure": figure,
        "closest_interpretation": str(by_interpretation["miss"].idxmin()),
        "miss": float(by_interpretation["miss"].min()),
        "interpretations": len(by_interpretation),
        "agreeing": int(by_interpretation["agrees"].sum()),
    }


def _together(interpretations: pd.DataFrame) -> dict[str, Any]:
    """Find the scoring variants that agree with both figures under some interpretation."""
    figures = ("Fig. 4", "Fig. 6")
    stated = interpretations[interpretations["theirs"].notna() & interpretations["ours"].notna()]
    misses: dict[str, float] = {}
    agreeing: list[str] = []
    for score, group in stated.groupby("score", sort=False):
        whole = [_most(stated[stated["figure"] == f]) for f in figures]
        if not all(whole) or [_most(group[group["figure"] == f]) for f in figures] != whole:
            continue
        found = [_closest(f, group[group["figure"] == f]) for f in figures]
        # Shares and bits have no common unit, so errors are not added up.
        misses[str(score)] = max(one["miss"] for one in found)
        if all(one["agreeing"] for one in found):
            agreeing.append(str(score))
    best = min(agreeing or misses, key=lambda score: misses[score], default="")
    return {
        "figure": "Figs. 4 and 6",
        "closest_interpretation": SCORES.get(best, best),
        "miss": misses.get(best, np.nan),
        "interpretations": len(misses),
        "agreeing": len(agreeing),
    }


def _surest(figure: str, group: pd.DataFrame) -> dict[str, Any]:
    # NS08: "the algorithm succeeds with high probability in both cases".
    least = group.groupby("interpretation", sort=False)["ours"].min()
    return {
        "figure": figure,
        "closest_interpretation": str(least.idxmax()),
        "miss": float(least.max()),
        "interpretations": len(least),
        "agreeing": None,
    }


def _error(row: Mapping[Any, Any]) -> float:
    """Return the error of an interpretation against a stated number."""
    over = float(row["ours"]) - float(row["theirs"])
    return {"<": max(over, 0.0), "<=": max(over, 0.0), ">": max(-over, 0.0)}.get(
        str(row["relation"]), abs(over)
    )
