"""Comparison of several attacks with the same knowledge (F06, Fig. 4).

Invariant: every grid cell of every part is one row of ``facts``, with all columns of its curves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from sim.attack.algorithms.registry import attack_class
from sim.measurements.measurement import FACTS, Tables
from sim.papers.aggregate.part import Part


def aggregate(parts: Sequence[Part]) -> Tables:
    """Concatenate the curves of all parts.

    Parameters
    ----------
    parts : sequence of Part
        Attack runs, at least one.

    Returns
    -------
    Tables
        ``facts``: a row per part and grid cell, in this order: ``cell`` (numbered through),
        ``part``, ``algorithm``, where the attack has them ``value_tolerance`` and
        ``longest_records`` (kept, or left out), then the columns of ``curves.parquet`` and of the
        part's own ``facts``.
    """
    return {FACTS: stacked(parts)}


def stacked(parts: Sequence[Part]) -> pd.DataFrame:
    """The rows of all parts, each with what tells its attack apart.

    Returns
    -------
    DataFrame
        As ``facts`` of `aggregate`.
    """
    frames = []
    for part in parts:
        frame = part.table("curves")
        if (part.folder / f"{FACTS}.parquet").is_file():
            more = part.table(FACTS)
            new = [name for name in more.columns if name not in frame.columns]
            frame = frame.merge(more[["cell", *new]], on="cell", how="left", validate="1:1")
        columns = {"part": part.name, **attack_words(part.record["config"]["attack"])}
        for place, (name, value) in enumerate(columns.items(), 1):
            frame.insert(place, name, value)
        frames.append(frame)
    whole = pd.concat(frames, ignore_index=True)
    return whole.assign(cell=np.arange(len(whole), dtype=np.int32))


def attack_words(attack: Mapping[str, Any]) -> dict[str, Any]:
    """Return what distinguishes attacks on mentions, in the terms of `sim.papers.statements`.

    Parameters
    ----------
    attack : dict
        Of the configuration in ``run.json``.

    Returns
    -------
    dict
        ``algorithm``, ``value_tolerance`` (NaN: values are not compared), ``longest_records``
        (None: the attack has no such rule).

    Examples
    --------
    >>> attack_words({"name": "scoring", "max_length_share": None})
    {'algorithm': 'scoring', 'value_tolerance': nan, 'longest_records': 'kept'}
    """
    none = {"algorithm": attack["name"], "value_tolerance": np.nan, "longest_records": None}
    return none | attack_class(attack["name"]).conditions(attack)
