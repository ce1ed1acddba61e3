"""The rows of a table as mappings."""

from __future__ import annotations

from typing import Any

import pandas as pd


def row_dicts(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return each row by the names of the columns, in Python's own types.

    A missing value of an extension type is None. The same as ``frame.to_dict("records")``, which
    takes each column apart by its place, and so a multiple of the time for the hundred columns of
    a curve.

    Parameters
    ----------
    frame : DataFrame
        With text for the names of its columns.

    Examples
    --------
    >>> row_dicts(pd.DataFrame({"aux": ["2/2"], "rank1": [0.5], "n": pd.array([None], "Int64")}))
    [{'aux': '2/2', 'rank1': 0.5, 'n': None}]
    """
    names = list(frame.columns)
    return [
        {name: None if value is pd.NA else value for name, value in zip(names, row, strict=True)}
        for row in frame.to_numpy(object).tolist()
    ]
