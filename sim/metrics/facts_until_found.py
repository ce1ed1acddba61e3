"""The number of facts from which the Bayes-optimal attacker finds a record (spec §9).

Invariant: every record attacked with the fewest facts, of a person who is in the release, is in
exactly one row.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from sim.metrics.decided_targets import Decisions, is_named, is_true
from sim.numeric.columns import SHARE, exact_share, unmeasured

TABLE = "facts_until_found"

_AT_MOST = [f"at_most{end}" for end in SHARE]


def facts_until_found(
    decisions: Decisions, sizes: Mapping[int, int], confidence: float
) -> pd.DataFrame:
    """Count records by the number of facts from which they are found.

    A record is found with a number of facts if it alone has the highest posterior, at least
    `confidence`, and so it is with every larger number that was tried.

    Parameters
    ----------
    decisions : callable
        Reads those of the Bayes-optimal attacker with a growing number of the same facts.
    sizes : mapping of int to int
        The facts of each grid cell.

    Returns
    -------
    DataFrame
        ``facts`` (null: not found), ``n`` (records), ``share`` of the records attacked with the
        fewest facts, ``at_most``, the share found with these facts or fewer (null where not found),
        both with their intervals, ``known``, the most facts tried: of a record that has fewer, as
        many as it has.

    Raises
    ------
    InputError
        The decisions cannot be read.
    """
    columns = ["cell", "target", "present", "person", "correct", "ties", "posterior"]
    decided: pd.DataFrame = decisions(columns, None).to_pandas()
    # The publisher may have left a target's record out: nobody is found who is not there.
    decided = decided[is_true(decided, "present")].copy()
    if decided["person"].notna().any():
        decided["target"] = decided["person"]
    decided["facts"] = decided["cell"].map(sizes)
    decided["found"] = is_true(decided, "correct") & is_named(decided, confidence)
    return counted(decided, sorted(sizes.values()))


def counted(decided: pd.DataFrame, sizes: list[int]) -> pd.DataFrame:
    """Count the records of `facts_until_found`.

    Parameters
    ----------
    decided : DataFrame
        ``target``, ``facts`` and whether it is ``found`` with so many.
    sizes : list of int
        Numbers of facts, ascending.

    Examples
    --------
    >>> decided = pd.DataFrame({"target": ["a", "a", "b", "b", "c"], "facts": [1, 2, 1, 2, 1],
    ...     "found": [True, True, True, False, True]})
    >>> counted(decided, [1, 2])[["facts", "n"]].to_dict("list")
    {'facts': [1, 2, None], 'n': [2, 0, 1]}
    """
    first = decided[decided["facts"] == sizes[0]]["target"]
    missed = decided[~decided["found"]].groupby("target")["facts"].max()
    most = decided.groupby("target")["facts"].max().reindex(first)
    failed = missed.reindex(first).fillna(0).to_numpy(np.int64)
    place = np.searchsorted(sizes, failed, side="right")
    # Not found with the most facts that were tried of this record.
    place[failed >= most.to_numpy(np.int64)] = len(sizes)
    counts = np.bincount(place, minlength=len(sizes) + 1).tolist()
    rows, below = [], 0
    for facts, n in zip([*sizes, None], counts, strict=True):
        below += n
        rows.append(
            {"facts": facts, "n": n, **exact_share("share", n, len(first))}
            | (unmeasured(_AT_MOST) if facts is None else exact_share("at_most", below, len(first)))
            | {"known": sizes[-1]}
        )
    return pd.DataFrame(rows).astype({"facts": "Int64"})
