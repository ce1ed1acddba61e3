"""People of another site, by how far the best guess about each stands out (NS08 §5, IMDb).

Invariant: everyone attacked is in the table, without identifiers: who is who stays in
``decisions.parquet``, by the identifiers that the user supplied.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.measurements.measurement import FACTS, Tables
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts

NEARLY_ALL = 0.95
"""Our interpretation of NS08's "nearly all the other users"."""

LITTLE = 2.0
"""The eccentricity that, in NS08, they do not exceed."""

_PLACES = ("first", "second", "others")
_KEPT = ["cell", "eccentricity", "matched", "correct", "present", "aux_size", "ties"]


def people_found(folder: Path, record: Mapping[str, Any]) -> Tables:  # noqa: ARG001
    """Sort the people of a finished run by eccentricity.

    Parameters
    ----------
    folder : Path
        Run folder.
    record : dict
        Its ``run.json``; nothing of it is needed.

    Returns
    -------
    Tables
        ``people``, as `ranked` makes it, and ``facts``, as `summed_up` does, for every grid cell.
    """
    curves = pd.read_parquet(folder / "curves.parquet")
    decisions = pd.read_parquet(folder / "decisions.parquet", columns=_KEPT)
    axes = list(axis_columns(curves))
    people, facts = [], []
    for cell in row_dicts(curves):
        one = ranked(decisions[decisions["cell"] == cell["cell"]])
        known = {axis: cell[axis] for axis in axes}
        people.append(one)
        facts.append(summed_up(one).assign(cell=cell["cell"], **known))
    whole = pd.concat(facts, ignore_index=True)
    return {
        "people": pd.concat(people, ignore_index=True),
        FACTS: whole[["cell", *axes, *(n for n in whole.columns if n not in ("cell", *axes))]],
    }


def ranked(decisions: pd.DataFrame) -> pd.DataFrame:
    """Sort the people of one grid cell by decreasing eccentricity.

    Parameters
    ----------
    decisions : DataFrame
        DecisionArrays of ``decisions.parquet``.

    Returns
    -------
    DataFrame
        ``cell``; ``place``, from 1; ``eccentricity``, those without one last; ``record``:
        whether the person's is ``present`` in the release, ``absent``, or ``unknown``; ``guess``:
        ``right``, ``wrong``, ``none`` (the top is tied), or ``unknown``; ``matched``;
        ``aux_size``.

    Examples
    --------
    >>> found = ranked(pd.DataFrame({"cell": 0, "eccentricity": [0.5, 28.0], "aux_size": 9,
    ...     "matched": [False, True], "correct": [False, True], "present": [False, True],
    ...     "ties": 1}))
    >>> found["eccentricity"].tolist(), found["record"].tolist(), found["guess"].tolist()
    ([28.0, 0.5], ['present', 'absent'], ['right', 'wrong'])
    """
    order = decisions["eccentricity"].sort_values(
        ascending=False, na_position="last", kind="stable"
    )
    rows = decisions.loc[order.index]
    present = rows["present"].astype("boolean")
    right = rows["correct"].astype("boolean")
    known = present.notna().to_numpy(np.bool_)
    tied = (rows["ties"] > 1).to_numpy(np.bool_)
    named = right.fillna(False).to_numpy(np.bool_)
    guess = np.select([~known, tied, named], ["unknown", "none", "right"], "wrong")
    there = present.fillna(False).to_numpy(np.bool_)
    return pd.DataFrame(
        {
            "cell": rows["cell"].to_numpy(),
            "place": np.arange(1, len(rows) + 1),
            "eccentricity": rows["eccentricity"].to_numpy(np.float64, na_value=np.nan),
            "record": np.select([~known, there], ["unknown", "present"], "absent"),
            "guess": guess,
            "matched": rows["matched"].to_numpy(np.bool_),
            "aux_size": rows["aux_size"].to_numpy(),
        }
    )


def summed_up(people: pd.DataFrame) -> pd.DataFrame:
    """State what NS08 states of its people: the first, the second, and the others.

    Parameters
    ----------
    people : DataFrame
        As `ranked` makes it.

    Returns
    -------
    DataFrame
        Rows by ``whose``: ``first``, ``second`` and ``others``, as far as there are that
        many people. ``eccentricity``: of the others, the 95% quantile (an observed value).
        ``at_most_2``: the share of these people whose eccentricity is 2 at most; ``in_release``,
        ``matched``, ``right``: how many of them have a record in the release, are matched, and
        are matched rightly (missing where unknown).

    Examples
    --------
    >>> four = pd.DataFrame({"eccentricity": [28.0, 15.0, 1.0, None], "record": "unknown",
    ...     "guess": "unknown", "matched": [True, True, False, False]})
    >>> found = summed_up(four)
    >>> found["whose"].tolist(), found["eccentricity"].tolist(), found["at_most_2"].tolist()
    (['first', 'second', 'others'], [28.0, 15.0, 1.0], [0.0, 0.0, 1.0])
    """
    rows = []
    for whose, part in zip(_PLACES, (people[:1], people[1:2], people[2:]), strict=True):
        if not len(part):
            continue
        # Who does not stand out at all has no eccentricity, and stands out by nothing.
        values = part["eccentricity"].fillna(0.0).to_numpy(np.float64)
        known = (part["record"] != "unknown").all()
        right = int((part["matched"] & (part["guess"] == "right")).sum())
        rows.append(
            {
                "whose": whose,
                "eccentricity": float(np.quantile(values, NEARLY_ALL, method="inverted_cdf")),
                "at_most_2": float((values <= LITTLE).mean()),
                "people": len(part),
                "in_release": int((part["record"] == "present").sum()) if known else np.nan,
                "matched": int(part["matched"].sum()),
                "right": right if known else np.nan,
            }
        )
    return pd.DataFrame(rows)
