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
from sim.study.labels import level_short


def conclude(interpretations: pd.DataFrame, source: str) -> pd.DataFrame:
    """Summarise which interpretation comes closest to each figure's stated numbers.

    Parameters
    ----------
    interpretations : DataFrame
        As ``interpretations`` of `aggregate`.
    source : str
        The release it was measured on.

    Returns
    -------
    DataFrame
        A row per figure with a number stated of these cells, one for Fig. 5, of which none is
        stated, and one for Figs. 4 and 6 together, whose interpretations are the scoring variants:
        ``figure``;
        ``closest_interpretation``: the one with the smallest maximum error (Fig. 5: with the
        highest minimum share of right answers); ``miss``: that error (Fig. 5: that share);
        ``interpretations``: the number tried; ``agreeing``: the number that agree with all of the
        figure's numbers; ``conclusion`` in words.
    """
    rows = []
    for figure, group in interpretations.groupby("figure", sort=True):
        stated = group[group["theirs"].notna()]
        if len(stated):
            # An interpretation must give every number that the paper states for the figure.
            whole = stated.groupby("interpretation")["ours"].transform("count") == _most(stated)
            if whole.any():
                rows.append(_closest(str(figure), stated[whole], source))
        elif figure == "Fig. 5":
            rows.append(_surest(str(figure), group, source))
    rows.append(_together(interpretations, source))
    columns = [
        "figure",
        "closest_interpretation",
        "miss",
        "interpretations",
        "agreeing",
        "conclusion",
    ]
    return pd.DataFrame(rows, columns=columns)


def _most(stated: pd.DataFrame) -> int:
    return int(stated.groupby("interpretation").size().max()) if len(stated) else 0


def _closest(figure: str, stated: pd.DataFrame, source: str) -> dict[str, Any]:
    missed = stated.assign(
        miss=[_error(row) for row in row_dicts(stated)],
        agrees=stated["agrees"].fillna(False).astype(bool),
    )
    by_interpretation = missed.groupby("interpretation", sort=False).agg(
        miss=("miss", "max"), agrees=("agrees", "all")
    )
    best = str(by_interpretation["miss"].idxmin())
    agreeing = by_interpretation.index[by_interpretation["agrees"]].tolist()
    compared = "; ".join(
        f"{row['aux']} {level_short('date_noise', row['date_noise'])} {row['ours']:.2f} "
        f"[{row['low']:.2f}–{row['high']:.2f}] for {_RELATIONS[row['relation']]}{row['theirs']:g}"
        for row in row_dicts(missed[missed["interpretation"] == best])
    )
    those = len(agreeing) or "none"
    agree = "agrees" if len(agreeing) == 1 else "agree"
    others = [str(name) for name in agreeing if name != best][:_LISTED]
    also = f"; others that agree: {'; '.join(others)}" if others else ""
    return {
        "figure": figure,
        "closest_interpretation": best,
        "miss": float(by_interpretation["miss"].min()),
        "interpretations": len(by_interpretation),
        "agreeing": len(agreeing),
        "conclusion": (
            f"{figure} on {source}: {those} of the {len(by_interpretation)} interpretations "
            f"{agree} with all of its numbers; the closest is {best} ({compared}){also}"
        ),
    }


_LISTED = 9
"""Agreeing interpretations listed in addition to the closest."""

_RELATIONS = {"=": "", "about": "about ", "<": "below ", "<=": "at most ", ">": "above "}


def _together(interpretations: pd.DataFrame, source: str) -> dict[str, Any]:
    """Find the scoring variants that agree with both figures under some interpretation."""
    figures = ("Fig. 4", "Fig. 6")
    stated = interpretations[interpretations["theirs"].notna() & interpretations["ours"].notna()]
    misses: dict[str, float] = {}
    agreeing: dict[str, list[str]] = {}
    for score, group in stated.groupby("score", sort=False):
        whole = [_most(stated[stated["figure"] == f]) for f in figures]
        if not all(whole) or [_most(group[group["figure"] == f]) for f in figures] != whole:
            continue
        found = [_closest(f, group[group["figure"] == f], source) for f in figures]
        # Shares and bits have no common unit, so errors are not added up.
        misses[str(score)] = max(one["miss"] for one in found)
        if all(one["agreeing"] for one in found):
            agreeing[str(score)] = [
                f"{f} as {one['closest_interpretation'].partition(': ')[2]}"
                for f, one in zip(figures, found, strict=True)
            ]
    best = min(agreeing or misses, key=lambda score: misses[score], default="")
    those = "; ".join(
        f"{SCORES.get(score, score)} (closest: {', '.join(words)})"
        for score, words in agreeing.items()
    )
    return {
        "figure": "Figs. 4 and 6",
        "closest_interpretation": SCORES.get(best, best),
        "miss": misses.get(best, np.nan),
        "interpretations": len(misses),
        "agreeing": len(agreeing),
        "conclusion": f"Figs. 4 and 6 on {source}: scoring variants that agree with both: "
        + (those or "none"),
    }


def _surest(figure: str, group: pd.DataFrame, source: str) -> dict[str, Any]:
    # NS08: "the algorithm succeeds with high probability in both cases".
    least = group.groupby("interpretation", sort=False)["ours"].min()
    best = str(least.idxmax())
    return {
        "figure": figure,
        "closest_interpretation": best,
        "miss": float(least.max()),
        "interpretations": len(least),
        "agreeing": 0,
        "conclusion": (
            f"{figure} on {source}: the paper states no number; the interpretation with the "
            f"highest rate of right answers in its worst cell ({least.max():.0%}) is {best}"
        ),
    }


def _error(row: Mapping[Any, Any]) -> float:
    """Return the error of an interpretation against a stated number."""
    over = float(row["ours"]) - float(row["theirs"])
    return {"<": max(over, 0.0), "<=": max(over, 0.0), ">": max(-over, 0.0)}.get(
        str(row["relation"]), abs(over)
    )
