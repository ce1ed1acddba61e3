"""Further tables of a finished attack, computed from its result files by kind of adversary.

Invariant: nothing but the files of the run folder is read.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from sim.measurements.measurement import FACTS, Tables
from sim.metrics.curves import axis_columns


def post_run_tables(folder: Path, record: Mapping[str, Any]) -> Tables:
    """Compute the further tables of a finished attack.

    Parameters
    ----------
    folder : Path
        Run folder.
    record : dict
        Its ``run.json``.

    Returns
    -------
    Tables
        ``facts`` last, of all of them, a row per grid cell: measures that curves have no column
        for. Empty where none apply.
    """
    curves = pd.read_parquet(folder / "curves.parquet")
    facts = [answers(curves)]
    tables: dict[str, pd.DataFrame] = {}
    maker = _makers().get(record["config"]["adversary"]["kind"])
    if maker is not None:
        made = dict(maker(folder, record))
        facts += [made.pop(FACTS)] if FACTS in made else []
        tables |= made
    facts = [frame for frame in facts if len(frame)]
    if facts:
        tables[FACTS] = functools.reduce(lambda a, b: a.merge(b, how="outer"), facts)
    return tables


def answers(curves: pd.DataFrame) -> pd.DataFrame:
    """Measures of a curve frame that are made of several of its columns or rows.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.

    Returns
    -------
    DataFrame
        ``cell``, the grid axes, and where the grid has what they compare: ``right`` (the right
        answer, which is "no match" for an absent target: NS08 §5, Fig. 5) and ``length_gain``
        (rank-1 rate with the record's length known, over the same without: Fig. 12).

    Examples
    --------
    >>> frame = pd.DataFrame({"cell": [0, 1], "present": [True, False],
    ...     **{f"matched_right{e}": [0.5, None] for e in ("", "_low", "_high")},
    ...     **{f"no_match{e}": [0.2, 0.9] for e in ("", "_low", "_high")},
    ...     "rank1": [0.6, None]})
    >>> answers(frame)["right"].tolist()
    [0.5, 0.9]
    """
    axes = list(axis_columns(curves))
    found = curves[["cell", *axes]].copy()
    if "present" in axes and not curves["present"].all():
        for end in ("", "_low", "_high"):
            right, none = curves[f"matched_right{end}"], curves[f"no_match{end}"]
            found[f"right{end}"] = right.where(curves["present"], none)
    if "record_length" in axes and curves["record_length"].nunique(dropna=False) > 1:
        found["length_gain"] = _length_gain(curves, axes)
    return found if len(found.columns) > 1 + len(axes) else curves.iloc[:0][["cell"]]


def _length_gain(curves: pd.DataFrame, axes: list[str]) -> list[float]:
    others = [axis for axis in axes if axis != "record_length"]
    keys = [tuple(str(value) for value in row) for row in curves[others].to_numpy(dtype=object)]
    unknown = curves["record_length"].isna()
    without = {
        key: rate for key, rate, plain in zip(keys, curves["rank1"], unknown, strict=True) if plain
    }
    return [
        math.nan if plain or not without.get(key) else rate / without[key]
        for key, rate, plain in zip(keys, curves["rank1"], unknown, strict=True)
    ]


def _makers() -> Mapping[str, Callable[[Path, Mapping[str, Any]], Tables]]:
    """By the kind of adversary."""
    from sim.metrics.by_mentions import by_mentions
    from sim.metrics.people_found import people_found

    return {
        "mentions": by_mentions,
        "mentions_file": by_mentions,
        "elsewhere": people_found,
        "external": people_found,
    }
