"""Who holds all of some items, in SQL, on DuckDB: the table in memory, sorted by item."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

Answers = list[int]
"""Number of records in each target's set."""


def queries(
    record: NDArray[Any], item: NDArray[Any], targets: NDArray[Any], threads: int = 1
) -> Mapping[str, Callable[[], Answers]]:
    """Load the inverted table; the queries that are worth a try.

    Parameters
    ----------
    record, item : integer arrays, shape (n_cells,)
        By item, then record.
    targets : integer array, shape (T, F)
        Items of each target.
    threads : int
        Cores that DuckDB may use.
    """
    base = duckdb.connect()
    base.execute(f"SET threads TO {threads}")
    base.register("given", pa.table({"record": record, "item": item}))
    base.execute("CREATE TABLE cells AS SELECT * FROM given")
    base.unregister("given")
    held = dict(zip(*np.unique(item, return_counts=True), strict=True))

    def joins() -> Answers:
        """A join for each item, the one with the fewest records first."""
        found = []
        for items in targets.tolist():
            first, *others = sorted(items, key=held.__getitem__)
            joined = " ".join(
                f"SEMI JOIN (SELECT record FROM cells WHERE item = {other}) c{n} USING (record)"
                for n, other in enumerate(others)
            )
            sql = f"SELECT count(*) FROM (SELECT record FROM cells WHERE item = {first}) c {joined}"
            found.append(_number(base.execute(sql).fetchone()))
        return found

    def counted() -> Answers:
        """The records of all items, counted."""
        found = []
        for items in targets.tolist():
            listed = ", ".join(map(str, items))
            sql = (
                "SELECT count(*) FROM (SELECT record FROM cells WHERE item IN "
                f"({listed}) GROUP BY record HAVING count(*) = {len(items)})"
            )
            found.append(_number(base.execute(sql).fetchone()))
        return found

    return {"intersection by joins": joins, "records counted": counted}


def _number(row: tuple[Any, ...] | None) -> int:
    assert row is not None
    return int(row[0])
