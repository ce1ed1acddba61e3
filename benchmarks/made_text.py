"""A made-up release as text: in the Netflix layout, and the same rows as plain columns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from benchmarks.made import MadeRelease
from sim.release.cells import SECONDS_PER_DAY

NETFLIX = "combined_data_1.txt"
PLAIN = "ratings.csv"
COLUMNS = ["item", "record", "value", "date"]

_BARE = pa_csv.WriteOptions(include_header=False)


def write_texts(source: MadeRelease, folder: Path) -> int:
    """Write all rows, item by item, as `NETFLIX` and as `PLAIN`.

    Parameters
    ----------
    source : MadeRelease
    folder : Path

    Returns
    -------
    int
        The number of rows.
    """
    chunks = list(source.chunks())
    item = np.concatenate([chunk.item for chunk in chunks]).astype(np.uint16)
    order = np.argsort(item, kind="stable")
    time = np.concatenate([chunk.time for chunk in chunks if chunk.time is not None])
    value = np.concatenate([chunk.value for chunk in chunks if chunk.value is not None])
    record = np.concatenate([chunk.record for chunk in chunks]).astype(np.int32)
    del chunks
    item = item[order]
    rows = pa.table(
        {
            "item": item + np.uint16(1),
            "record": record[order] + np.int32(1),
            "value": value[order].astype(np.uint8),
            "date": pa.array((time[order] // SECONDS_PER_DAY).astype(np.int32), pa.date32()),
        }
    )
    pa_csv.write_csv(rows, folder / PLAIN, _BARE)
    bounds = np.flatnonzero(np.diff(item, prepend=-1, append=-1))
    with (folder / NETFLIX).open("wb") as out:
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            part = rows.slice(begin, end - begin)
            out.write(b"%d:\n" % part["item"][0].as_py())
            pa_csv.write_csv(part.drop_columns(["item"]), out, _BARE)
    return item.size
