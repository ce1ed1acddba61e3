"""k-anonymity of a table under suppression and generalisation.

A table is k-anonymous if every row shares its quasi-identifier with at least k−1 others
(Sweeney 2002; slides; F06, section 1.1). Invariant: rows are alike only if equal in every
quasi-identifying column after the recoding; a missing entry is like a missing entry and nothing
else, and recoding never changes the table it is given.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.errors import ConfigError

SUPPRESSED = "*"
"""Replacement of a suppressed entry."""


def suppress(table: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Hide whole columns.

    Returns
    -------
    DataFrame
        A copy, with `SUPPRESSED` throughout these columns.

    Raises
    ------
    ConfigError
        The table has no such column.

    Examples
    --------
    >>> suppress(pd.DataFrame({"name": ["Ann", "Bo"]}), ["name"])["name"].tolist()
    ['*', '*']
    """
    _check(table, columns)
    return table.assign(**dict.fromkeys(columns, SUPPRESSED))


def to_intervals(table: pd.DataFrame, column: str, edges: Sequence[float]) -> pd.DataFrame:
    """Generalise numbers to intervals: x ≤ a, a < x ≤ b, …, x > z.

    Parameters
    ----------
    column : str
        Numbers.
    edges : sequence of float
        Ends of the intervals, ascending; each belongs to the interval below it.

    Returns
    -------
    DataFrame
        A copy, with the intervals as text; missing numbers stay missing.

    Raises
    ------
    ConfigError
        The table has no such column, it does not hold numbers, or the edges do not ascend.

    Examples
    --------
    >>> to_intervals(pd.DataFrame({"age": [17, 20, 21, 35]}), "age", [20, 30])["age"].tolist()
    ['<= 20', '<= 20', '20 < x <= 30', '> 30']
    """
    _check(table, [column])
    if not pd.api.types.is_numeric_dtype(table[column]):
        raise ConfigError(
            f"kanonymity: column {column!r} does not hold numbers, so it has no intervals; "
            "generalise it by groups, or suppress it"
        )
    if not edges or any(a >= b for a, b in pairwise(edges)):
        raise ConfigError(f"kanonymity: the edges of {column!r} must ascend, not {list(edges)}")
    labels = [
        f"<= {edges[0]:.15g}",
        *(f"{a:.15g} < x <= {b:.15g}" for a, b in pairwise(edges)),
        f"> {edges[-1]:.15g}",
    ]
    cut = pd.cut(table[column], [-np.inf, *edges, np.inf], labels=labels)
    return table.assign(**{column: cut.astype(object)})


def to_groups(table: pd.DataFrame, column: str, groups: Mapping[Any, Any]) -> pd.DataFrame:
    """Generalise categories to groups, one step up a hierarchy (a state to its country).

    Parameters
    ----------
    groups : mapping
        Group of every category that occurs.

    Returns
    -------
    DataFrame
        A copy; missing entries stay missing.

    Raises
    ------
    ConfigError
        The table has no such column, or a category has no group.

    Examples
    --------
    >>> table = pd.DataFrame({"state": ["Kerala", "Bavaria"]})
    >>> to_groups(table, "state", {"Kerala": "India", "Bavaria": "Germany"})["state"].tolist()
    ['India', 'Germany']
    """
    _check(table, [column])
    present = table[column].dropna()
    without = [str(entry) for entry in present.unique() if entry not in groups]
    if without:
        raise ConfigError(
            f"kanonymity: no group for {', '.join(sorted(without))} in column {column!r}; "
            "give every category one"
        )
    general = table[column].map(lambda entry: groups[entry], na_action="ignore")
    return table.assign(**{column: general.astype(object)})


def class_sizes(table: pd.DataFrame, quasi: Sequence[str]) -> NDArray[np.int64]:
    """Count, for each row, the rows that share its quasi-identifier, itself included.

    Parameters
    ----------
    table : DataFrame
        n rows.
    quasi : sequence of str
        The quasi-identifying columns. With none, all rows are alike.

    Returns
    -------
    int64 array, shape (n,)

    Raises
    ------
    ConfigError
        The table has no such column.

    Examples
    --------
    >>> class_sizes(pd.DataFrame({"sex": ["f", "m", "f"]}), ["sex"]).tolist()
    [2, 1, 2]
    """
    _check(table, quasi)
    if not quasi:
        return np.full(len(table), len(table), dtype=np.int64)
    group = table.groupby(list(quasi), dropna=False, sort=False, observed=True).ngroup().to_numpy()
    return np.bincount(group, minlength=1)[group].astype(np.int64)


def k_anonymity(table: pd.DataFrame, quasi: Sequence[str]) -> int:
    """Find the greatest k for which the table is k-anonymous: its smallest class.

    Parameters
    ----------
    table : DataFrame
        At least one row.
    quasi : sequence of str
        The quasi-identifying columns.

    Raises
    ------
    ConfigError
        The table has no such column, or no row.

    Examples
    --------
    >>> table = pd.DataFrame({"age": [17, 19, 23, 29], "sex": ["m", "m", "f", "f"]})
    >>> k_anonymity(table, ["age", "sex"]), k_anonymity(suppress(table, ["age"]), ["age", "sex"])
    (1, 2)
    """
    sizes = class_sizes(table, quasi)
    if not sizes.size:
        raise ConfigError("kanonymity: a table without rows has no k; give one with rows")
    return int(sizes.min())


def suppress_rows(table: pd.DataFrame, quasi: Sequence[str], k: int) -> pd.DataFrame:
    """Remove the rows that keep the table from being k-anonymous: those in classes below k.

    Parameters
    ----------
    quasi : sequence of str
        The quasi-identifying columns.

    Returns
    -------
    DataFrame
        The other rows, possibly none; what was removed is the difference in length.

    Raises
    ------
    ConfigError
        The table has no such column.

    Examples
    --------
    >>> table = pd.DataFrame({"sex": ["f", "m", "f"]})
    >>> suppress_rows(table, ["sex"], 2).index.tolist()
    [0, 2]
    """
    return table[class_sizes(table, quasi) >= k]


def record_class_sizes(
    starts: NDArray[np.integer[Any]], *columns: NDArray[Any]
) -> NDArray[np.int64]:
    """Count, for each record of a sparse release, the records with identical cells.

    In a sparse release every attribute may be known, so the quasi-identifier is the whole record
    (NS08, section 2). Suppression leaves out cells or whole columns; generalisation is whatever
    recoding the columns have had (a value rounded, a day made a month).

    Parameters
    ----------
    starts : int array, shape (N + 1,)
        Cells of record r are [starts[r], starts[r + 1]), in one order for all records (by item).
    *columns : array, shape (cells,)
        Item, and value and day where they are released; equal means equal bytes, NaN included.

    Returns
    -------
    int64 array, shape (N,)
        Its minimum is the k of the release. Records without a cell are alike.

    Raises
    ------
    ValueError
        A column of Python objects, whose bytes are addresses.

    Examples
    --------
    Three records: items {0, 1}, {0, 1} and {0}.

    >>> starts, item = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 0])
    >>> record_class_sizes(starts, item).tolist()
    [2, 2, 1]
    """
    _, group, count = np.unique(
        record_digests(starts, *columns), return_inverse=True, return_counts=True
    )
    return count[group].astype(np.int64)


def record_digests(
    starts: NDArray[np.integer[Any]], *columns: NDArray[Any], digest_size: int = 16
) -> NDArray[np.bytes_]:
    """Digest the cells of each record (BLAKE2b).

    Parameters
    ----------
    starts : int array, shape (N + 1,)
        As for `record_class_sizes`.
    *columns : array, shape (cells,)
        Without any, all records are alike.
    digest_size : int
        Bytes, 1 to 64.

    Returns
    -------
    bytes array, shape (N,)

    Raises
    ------
    ValueError
        A column of Python objects, whose bytes are addresses.

    Examples
    --------
    >>> first, second, third = record_digests(np.array([0, 1, 2, 3]), np.array([7, 7, 8]))
    >>> bool(first == second), bool(second == third)
    (True, False)
    """
    cells = [np.ascontiguousarray(column) for column in columns]
    if any(column.dtype.hasobject for column in cells):
        raise ValueError("record classes need columns of numbers, not of Python objects")
    bytes_of = [(memoryview(column).cast("B"), column.itemsize) for column in cells if column.size]
    bounds = starts.tolist()
    digests = np.empty(len(bounds) - 1, dtype=f"S{digest_size}")
    for r, (begin, end) in enumerate(pairwise(bounds)):
        digest = hashlib.blake2b(digest_size=digest_size)
        for data, size in bytes_of:
            digest.update(data[begin * size : end * size])
        digests[r] = digest.digest()
    return digests


def _check(table: pd.DataFrame, columns: Sequence[str]) -> None:
    """Refuse columns that the table does not have."""
    missing = [name for name in columns if name not in table.columns]
    if missing:
        raise ConfigError(
            f"kanonymity: the table has no column {', '.join(map(repr, missing))}; "
            f"it has {', '.join(map(repr, table.columns))}"
        )
