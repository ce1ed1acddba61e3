"""Identification when the publisher drops the rarest items (F06, Figs. 6 and 7).

Invariant: shares are of all people attacked; people whose items were all dropped count as not
identified.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pandas as pd

from sim.measurements.measurement import FACTS, Tables
from sim.metrics.identification import DEPTHS
from sim.numeric.columns import share
from sim.numeric.rows import row_dicts
from sim.papers.aggregate.part import Part

PEOPLE = 133
"""Number of people attacked in F06, and so the resolution of its shares."""

_SHARES = ("items_dropped", "cells_dropped")


def aggregate(parts: Sequence[Part]) -> Tables:
    """Return identification by the share of items and cells dropped.

    Parameters
    ----------
    parts : sequence of Part
        Attacks that differ in ``defence.drop_items.min_support``; one has 1, the unchanged release.

    Returns
    -------
    Tables
        ``dropped``: a row per grid cell and threshold, by rising threshold: ``part``, ``cell``,
        ``min_support``, ``items_dropped`` and ``cells_dropped`` (shares of the release, exact),
        ``records_left_out`` (count), ``n_targets``, ``n_left_out`` (targets who are left out),
        ``not_candidate`` (targets that the attack leaves out by their length), ``k1`` to ``k100``
        with their intervals. ``facts``: a row per cell, ``items_dropped_k1_nil`` and
        ``cells_dropped_k1_nil``: the least share dropped from which on no one is identified at
        once, null where someone always is. ``_low``: the least share from which on less than one
        person in `PEOPLE` is; ``_high``: as the share itself.
    """
    rows = [row for part in parts for row in _rows(part)]
    dropped = pd.DataFrame(rows).sort_values(["cell", "min_support"], ignore_index=True)
    facts = [
        {"cell": cell, **nil(curve, name)}
        for cell, curve in dropped.groupby("cell")
        for name in _SHARES
    ]
    merged = pd.DataFrame(facts).groupby("cell", as_index=False).first()
    return {"dropped": dropped, FACTS: merged}


def _rows(part: Part) -> list[dict[str, object]]:
    curves, decisions = part.table("curves"), part.table("decisions")
    release = part.record["release"]
    notes = release["notes"]
    gone = {name: int(notes.get(name, 0)) for name in ("items dropped", "cells dropped")}
    rows: list[dict[str, object]] = []
    for curve in row_dicts(curves):
        here = decisions[decisions["cell"] == curve["cell"]]
        n, present = len(here), int(here["present"].fillna(False).sum())
        row: dict[str, object] = {
            "part": part.name,
            "cell": curve["cell"],
            "min_support": _threshold(part),
            "items_dropped": gone["items dropped"] / (gone["items dropped"] + release["n_items"]),
            "cells_dropped": gone["cells dropped"] / (gone["cells dropped"] + release["n_cells"]),
            "records_left_out": int(notes.get("records left out", 0)),
            "n_targets": n,
            "n_left_out": n - present,
            "not_candidate": curve["not_candidate"],
        }
        for k in DEPTHS:
            found = round(curve[f"k{k}"] * present) if present else 0
            row |= share(f"k{k}", found, n)
        rows.append(row)
    return rows


def _threshold(part: Part) -> int:
    given = part.record["config"]["defence"].get("drop_items") or {"min_support": 1}
    return int(given["min_support"])


def nil(curve: pd.DataFrame, what: str) -> dict[str, float]:
    """Find the share from which on no one is identified at once.

    Parameters
    ----------
    curve : DataFrame
        Rows of ``dropped`` of one cell, by rising threshold.
    what : str
        ``items_dropped`` or ``cells_dropped``.

    Returns
    -------
    dict of str to float
        ``{what}_k1_nil`` with its ends, as `aggregate` says.

    Examples
    --------
    >>> curve = pd.DataFrame({"items_dropped": [0.0, 0.5, 0.9], "k1": [0.3, 0.001, 0.0]})
    >>> nil(curve, "items_dropped")
    {'items_dropped_k1_nil': 0.9, 'items_dropped_k1_nil_low': 0.5, 'items_dropped_k1_nil_high': 0.9}
    """
    none = _from(curve, what, curve["k1"].to_numpy() > 0)
    few = _from(curve, what, curve["k1"].to_numpy() >= 1 / PEOPLE)
    name = f"{what}_k1_nil"
    return {name: none, f"{name}_low": few if none == none else math.nan, f"{name}_high": none}


def _from(
    curve: pd.DataFrame, what: str, found: np.ndarray[tuple[int], np.dtype[np.bool_]]
) -> float:
    """The share dropped after the last threshold at which some are found; NaN if there is none."""
    last = np.flatnonzero(found)
    first = int(last[-1]) + 1 if last.size else 0
    return float(curve[what].iloc[first]) if first < len(curve) else math.nan
