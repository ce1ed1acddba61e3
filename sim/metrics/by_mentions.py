"""Identification by the number of a person's mentions (F06, Figs. 3 and 5).

Invariant: every target of every cell is in exactly one bin; targets that are not in the release
are counted and in no share, as in ``curves.parquet``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.list_lengths import FIRSTS, list_bin
from sim.attack.algorithms.registry import attack_class
from sim.measurements.measurement import FACTS, Tables
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.curves import axis_columns
from sim.metrics.decision_arrays import decision_arrays
from sim.metrics.identification import identification, identified
from sim.numeric.columns import share

MANY = 8
"""Mentions from which on F06 §4.5 finds most people."""


def by_mentions(folder: Path, record: Mapping[str, Any]) -> Tables:
    """Bin the targets of a run by the number of their mentions.

    Parameters
    ----------
    folder : Path
        Run folder of an attack on mentions, its results written.
    record : dict
        Its ``run.json``.

    Returns
    -------
    Tables
        ``by_mentions``: a row per cell and bin that anyone is in: ``cell``, the axes, ``low`` and
        ``high`` (null: the bin is open; both 0: those who hide all they mention), ``n`` (targets),
        ``n_present``, then ``k1`` to ``k100``, ``not_narrow``, ``no_one_possible`` and
        ``misdirected`` with their intervals. Decoys are no mentions. ``facts``: a row per cell,
        ``k1_mentions_8``, the share identified of the people with 8 mentions or more, and
        ``n_mentions_8``, how many these are; ``k10_of_k100`` and ``k1_of_k100``, the shares
        identified among 10 and at once of those identified among 100.
    """
    properties = properties_of_record(record)
    curves = pd.read_parquet(folder / "curves.parquet")
    axes = curves[["cell", *axis_columns(curves)]]
    rows, facts = [], []
    for cell, decided in _with_counts(folder).groupby("cell"):
        name = f"grid cell {cell}"
        bins = list_bin(decided["mentions"].to_numpy())
        for number in np.unique(bins).tolist():
            here = decision_arrays(decided[bins == number], name, properties)
            ends = {**_ends(number), "n": len(here), "n_present": int(here.present.sum())}
            rows.append({"cell": cell, **ends, **identification(here, properties)})
        whole = decision_arrays(decided, name, properties)
        at = {k: whole.present & identified(whole, k, properties) for k in (1, 10, 100)}
        many = whole.present & (decided["mentions"] >= MANY).to_numpy()
        facts.append(
            {
                "cell": cell,
                f"n_mentions_{MANY}": _count(many),
                **share(f"k1_mentions_{MANY}", _count(at[1] & many), _count(many)),
                **share("k10_of_k100", _count(at[10]), _count(at[100])),
                **share("k1_of_k100", _count(at[1]), _count(at[100])),
            }
        )
    return {
        "by_mentions": _with_axes(axes, pd.DataFrame(rows).astype({"high": "Int64"})),
        FACTS: _with_axes(axes, pd.DataFrame(facts)),
    }


def properties_of_record(record: Mapping[str, Any]) -> AttackProperties:
    """Return the properties of a run's attack that measures of identification need.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> attack = {"name": "correlation", "phi": 1.5}
    >>> record = {"config": {"attack": attack}, "release": {"n_records": 9}}
    >>> properties_of_record(record).list_is_top
    False
    """
    attack = record["config"]["attack"]
    return AttackProperties(
        n_records=record["release"]["n_records"],
        phi=attack["phi"],
        list_is_top=attack_class(attack["name"]).list_is_top,
        log_scores=attack_class(attack["name"]).log_scores,
    )


def _with_counts(folder: Path) -> pd.DataFrame:
    """Decisions, each with the number of mentions, those made to mislead left out."""
    decisions = pd.read_parquet(folder / "decisions.parquet")
    aux = pd.read_parquet(folder / "aux.parquet", columns=["cell", "target", "person", "kind"])
    person = _people(decisions)
    said = aux[aux["kind"] != "decoy"]
    count = said.groupby(["cell", _people(said).rename("person")], observed=True).size()
    keys = pd.MultiIndex.from_arrays([decisions["cell"], person])
    mentions = count.reindex(keys).fillna(0).to_numpy(np.int64)
    return decisions.assign(mentions=mentions)


def _people(frame: pd.DataFrame) -> pd.Series[Any]:
    """Return the person of each row."""
    return frame["target"] if frame["person"].isna().all() else frame["person"]


def _ends(number: int) -> dict[str, int | None]:
    if number < 0:
        return {"low": 0, "high": 0}
    high = FIRSTS[number + 1] - 1 if number + 1 < len(FIRSTS) else None
    return {"low": FIRSTS[number], "high": high}


def _count(mask: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(mask))


def _with_axes(axes: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Insert the axes of the grid after the number of the cell."""
    return axes.merge(found, on="cell", how="right", validate="one_to_many")


def bin_words(low: int, high: int | None) -> str:
    """Name a bin.

    Parameters
    ----------
    high : int or None
        None for an open bin.

    Examples
    --------
    >>> [bin_words(1, 1), bin_words(2, 3), bin_words(64, None)]
    ['1', '2–3', '64+']
    """
    if high is None or pd.isna(high):
        return f"{low}+"
    return str(low) if low == high else f"{low}–{high}"
