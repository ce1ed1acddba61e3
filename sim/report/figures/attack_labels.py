"""Names of the rows of several attacks."""

from __future__ import annotations

import pandas as pd

from sim.attack.algorithms.registry import attack_title
from sim.axes.registry import axes_of
from sim.numeric.rows import row_dicts
from sim.report.figures.grid import cell_words


def attack_labels(facts: pd.DataFrame) -> list[str]:
    """Name the rows of several attacks so that no two names are alike.

    Examples
    --------
    >>> rated = {"algorithm": "scoring_rated", "longest_records": "left out", "n_targets": 9}
    >>> attack_labels(pd.DataFrame([
    ...     {"cell": 0, "part": "exact", "value_tolerance": 0.0} | rated,
    ...     {"cell": 1, "part": "fuzzy", "value_tolerance": 1.0} | rated]))
    ['Scoring with exact ratings', 'Scoring with ratings within 1']
    """
    names = []
    for row in row_dicts(facts):
        name = attack_title(str(row["algorithm"]))
        tolerance = row["value_tolerance"]
        if not pd.isna(tolerance):
            how = f"ratings within {tolerance:g}" if tolerance else "exact ratings"
            name = name.replace("ratings", how)
        if row["longest_records"] == "kept":
            name += ", longest records kept"
        names.append(name)
    if len(set(names)) == len(names):
        return names
    # The same attack more than once: the axes on which its rows differ distinguish them.
    levels = cell_words(facts, [axis.name for axis in axes_of()])
    longer = [", ".join(filter(None, both)) for both in zip(names, levels, strict=True)]
    if len(set(longer)) == len(longer):
        return longer
    return [f"{part}: {name}" for part, name in zip(facts["part"], longer, strict=True)]
