"""Small groups of people, which a report leaves out."""

from __future__ import annotations

import pandas as pd

from sim.numeric.text import quantity

FEWEST = 10
"""People of the smallest group of which a report states a share.

This is a threshold rule of statistical disclosure limitation. Some agencies require 3 people,
others 5 (FCSM, Statistical Policy Working Paper 22, 2005, chapter II); of fewer than 10, a 95%
interval says little either.
"""

_SIZES = {"low": "n", "whose": "people"}
"""Of a table of groups: a column that tells them apart, and the one of their sizes."""


def without_small_groups(frame: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """Leave out the groups of fewer than `FEWEST` people.

    Returns
    -------
    DataFrame
        Unchanged where it does not group people.
    str
        A sentence that counts what was left out; empty for nothing.

    Examples
    --------
    >>> frame = pd.DataFrame({"low": [1, 5, 9], "n": [10, 9, 30]})
    >>> found, said = without_small_groups(frame)
    >>> found["n"].tolist(), said
    ([10, 30], '1 group of fewer than 10 people is left out here.')
    """
    for group, size in _SIZES.items():
        if group in frame and size in frame:
            few = frame[size] < FEWEST
            if few.any():
                verb = "is" if few.sum() == 1 else "are"
                groups = quantity(int(few.sum()), "group")
                said = f"{groups} of fewer than {FEWEST} people {verb} left out here."
                return frame[~few], said
    return frame, ""
