"""Which reading of the papers comes closest to what they state: the arithmetic, in words.

Invariant: nothing is said that does not follow from the rows of the table of readings.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from sim.papers.readings import SCORES


def concluded(readings: pd.DataFrame, source: str) -> pd.DataFrame:
    """Say which reading comes closest to what a figure's text states.

    Parameters
    ----------
    readings : DataFrame
        As ``readings`` of `join`.
    source : str
        The release it was measured on.

    Returns
    -------
    DataFrame
        A row per figure with a stated number, one for Fig. 5, which has none, and one for Figs. 4
        and 6 together, whose readings are the ways to score, each read as suits it: ``figure``;
        ``closest_reading``: the one whose largest miss of the figure's numbers is least (Fig. 5:
        with the highest least share of right answers); ``miss`` (Fig. 5: that share); ``readings``
        tried; ``agreeing``: those that agree with all of the figure's numbers; ``conclusion`` in
        words.
    """
    rows = []
    for figure, group in readings.groupby("figure", sort=True):
        stated = group[group["theirs"].notna()]
        if len(stated):
            # A reading that says nothing where the paper does is not one of the figure's.
            whole = stated.groupby("reading")["ours"].transform("count") == _most(stated)
            if whole.any():
                rows.append(_closest(str(figure), stated[whole], source))
        else:
            rows.append(_surest(str(figure), group, source))
    rows.append(_together(readings, source))
    columns = ["figure", "closest_reading", "miss", "readings", "agreeing", "conclusion"]
    return pd.DataFrame(rows, columns=columns)


def _most(stated: pd.DataFrame) -> int:
    return int(stated.groupby("reading").size().max()) if len(stated) else 0


def _closest(figure: str, stated: pd.DataFrame, source: str) -> dict[str, Any]:
    missed = stated.assign(
        miss=[_miss(row) for row in stated.to_dict("records")],
        agrees=stated["agrees"].fillna(False).astype(bool),
    )
    by_reading = missed.groupby("reading", sort=False).agg(
        miss=("miss", "max"), agrees=("agrees", "all")
    )
    best = str(by_reading["miss"].idxmin())
    agreeing = by_reading.index[by_reading["agrees"]].tolist()
    told = "; ".join(
        f"{row['aux']} ±{row['date_noise']:g} d {row['ours']:.2f} "
        f"[{row['low']:.2f}–{row['high']:.2f}] for {_SAID[row['relation']]}{row['theirs']:g}"
        for row in missed[missed["reading"] == best].to_dict("records")
    )
    those = f"{len(agreeing) or 'none'} agree{'s' * (len(agreeing) < 2)} with all of them"
    others = [str(name) for name in agreeing if name != best][:_LISTED]
    also = f"; also, of those that agree: {'; '.join(others)}" if others else ""
    return {
        "figure": figure,
        "closest_reading": best,
        "miss": float(by_reading["miss"].min()),
        "readings": len(by_reading),
        "agreeing": len(agreeing),
        "conclusion": (
            f"{figure} on {source}: of {len(by_reading)} readings of its numbers {those}; "
            f"closest is: {best} ({told}){also}"
        ),
    }


_LISTED = 9
"""Agreeing readings named besides the closest."""

_SAID = {"=": "", "about": "about ", "<": "below ", "<=": "at most ", ">": "above "}


def _together(readings: pd.DataFrame, source: str) -> dict[str, Any]:
    """Which one way to score agrees with both figures, however each of them is read."""
    figures = ("Fig. 4", "Fig. 6")
    stated = readings[readings["theirs"].notna() & readings["ours"].notna()]
    misses: dict[str, float] = {}
    agreeing: dict[str, list[str]] = {}
    for score, group in stated.groupby("score", sort=False):
        whole = [_most(stated[stated["figure"] == f]) for f in figures]
        if not all(whole) or [_most(group[group["figure"] == f]) for f in figures] != whole:
            continue
        found = [_closest(f, group[group["figure"] == f], source) for f in figures]
        # Shares and bits have no common unit: how many agree says more than a sum of misses.
        misses[str(score)] = max(one["miss"] for one in found)
        if all(one["agreeing"] for one in found):
            agreeing[str(score)] = [
                f"{f} as {one['closest_reading'].partition(': ')[2]}"
                for f, one in zip(figures, found, strict=True)
            ]
    best = min(agreeing or misses, key=lambda score: misses[score], default="")
    those = "; ".join(
        f"{SCORES.get(score, score)} (closest: {', '.join(words)})"
        for score, words in agreeing.items()
    )
    return {
        "figure": "Figs. 4 and 6",
        "closest_reading": SCORES.get(best, best),
        "miss": misses.get(best, np.nan),
        "readings": len(misses),
        "agreeing": len(agreeing),
        "conclusion": f"Figs. 4 and 6 on {source}: ways to score that agree with both: "
        + (those or "none"),
    }


def _surest(figure: str, group: pd.DataFrame, source: str) -> dict[str, Any]:
    # NS08: "the algorithm succeeds with high probability in both cases".
    least = group.groupby("reading", sort=False)["ours"].min()
    best = str(least.idxmax())
    return {
        "figure": figure,
        "closest_reading": best,
        "miss": float(least.max()),
        "readings": len(least),
        "agreeing": 0,
        "conclusion": (
            f"{figure} on {source}: the paper states no number; right most often in its worst "
            f"cell ({least.max():.0%}), present or absent, is: {best}"
        ),
    }


def _miss(row: Mapping[Any, Any]) -> float:
    """By how much a reading misses a number."""
    over = float(row["ours"]) - float(row["theirs"])
    return {"<": max(over, 0.0), "<=": max(over, 0.0), ">": max(-over, 0.0)}.get(
        str(row["relation"]), abs(over)
    )
