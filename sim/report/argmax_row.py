"""The row of a table in which a measure is highest, or lowest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sim.numeric.rows import row_dicts


def argmax_row(frame: pd.DataFrame, name: str) -> dict[str, Any]:
    """Return the first row with the highest value.

    Parameters
    ----------
    frame : DataFrame
        With at least one value.
    name : str
        A column of numbers; missing ones are left out.

    Examples
    --------
    >>> argmax_row(pd.DataFrame({"aux": ["2/2", "6/8", "7/8"], "rank1": [None, 0.9, 0.9]}), "rank1")
    {'aux': '6/8', 'rank1': 0.9}
    """
    return _row(frame, int(np.nanargmax(frame[name].to_numpy(np.float64))))


def argmin_row(frame: pd.DataFrame, name: str) -> dict[str, Any]:
    """Return the first row with the lowest value.

    Parameters
    ----------
    frame, name
        As for `argmax_row`.
    """
    return _row(frame, int(np.nanargmin(frame[name].to_numpy(np.float64))))


def _row(frame: pd.DataFrame, place: int) -> dict[str, Any]:
    return row_dicts(frame.iloc[[place]])[0]
