"""What pandas says of a table in a parquet file is known, and what else stands there is named."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sim.release.readers.parquet_extras import further_bytes
from sim.release.readers.parquet_file import open_parquet
from sim.release.readers.parquet_metadata import metadata_keys

SPARK = "org.apache.spark.sql.parquet.row.metadata"
FRAME = pd.DataFrame(
    {
        "who": ["ann", "bob"],
        "kind": pd.Categorical(["x", "y"]),
        "when": pd.to_datetime(["2020-01-01", "2020-01-02"], utc=True),
        "stars": [1.5, None],
        "raw": [b"x", None],
        "big": pd.array([1, None], dtype="Int64"),
        "words": pd.array(["a", None], dtype="string"),
        "wait": pd.to_timedelta([1, 2], "h"),
        "is": [True, False],
    }
)


def keys_of(path: Path, of_folders: Collection[str] = ()) -> tuple[str, ...]:
    with open_parquet(path) as file:
        return metadata_keys(file, of_folders)


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME[1:],
        FRAME[::-1],
        FRAME.set_index("who"),
        FRAME.set_index(["who", "kind"]),
        FRAME.astype({"when": "datetime64[ns, Europe/Berlin]"}),
        FRAME.convert_dtypes(),
        FRAME.convert_dtypes(dtype_backend="pyarrow"),
    ],
)
def test_what_pandas_writes_by_itself_is_nothing_more(tmp_path: Path, frame: pd.DataFrame) -> None:
    path = tmp_path / "t.parquet"
    frame.to_parquet(path)
    assert keys_of(path) == ()
    with open_parquet(path) as file:
        assert further_bytes(file, path) == 0


def test_a_column_that_folders_give_is_one_of_the_table(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path, partition_cols=["stars"])
    (path, *_) = sorted(tmp_path.rglob("*.parquet"))
    assert keys_of(path, {"stars"}) == ()
    assert keys_of(path) == ("pandas.columns",)


@pytest.mark.parametrize(
    ("field", "found"),
    [({}, ()), ({"metadata": {"comment": "ann"}}, (SPARK,)), ({"x": 1}, (SPARK,))],
)
def test_spark_describes_columns_without_comments(
    tmp_path: Path, field: dict[str, Any], found: tuple[str, ...]
) -> None:
    """As Spark 3.5 writes a table of one column."""
    of_column = {"name": "who", "type": "string", "nullable": True, "metadata": {}} | field
    told = {"org.apache.spark.version": "3.5.1"}
    told[SPARK] = json.dumps({"type": "struct", "fields": [of_column]})
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"who": ["ann"]}).replace_schema_metadata(told), path)
    assert keys_of(path) == found


def _of_first_column(key: str, value: Any) -> Any:
    def change(found: dict[str, Any]) -> None:
        found["columns"][0][key] = value

    return change


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda found: found["creator"].update(library="ann"), "pandas.creator"),
        (lambda found: found["creator"].update(version="ann"), "pandas.creator"),
        (lambda found: found["creator"].update(ann=1), "pandas.creator"),
        (lambda found: found.update(pandas_version="ann"), "pandas.pandas_version"),
        (lambda found: found.update(ann=1), "pandas.ann"),
        (lambda found: found["index_columns"][0].update(name="ann"), "pandas.index_columns"),
        (lambda found: found["index_columns"].append("ann"), "pandas.index_columns"),
        (lambda found: found["column_indexes"][0].update(name="ann"), "pandas.column_indexes"),
        (_of_first_column("name", "ann"), "pandas.columns"),
        (_of_first_column("numpy_type", "Ann Lee"), "pandas.columns"),
        (_of_first_column("metadata", {"note": "ann"}), "pandas.columns"),
        (_of_first_column("metadata", {"timezone": "Ann Lee"}), "pandas.columns"),
        (_of_first_column("ann", "ann"), "pandas.columns"),
    ],
)
def test_what_is_put_within_is_named(tmp_path: Path, change: Any, key: str) -> None:
    table = pa.Table.from_pandas(FRAME)
    found = json.loads(table.schema.metadata[b"pandas"])
    change(found)
    path = tmp_path / "t.parquet"
    pq.write_table(table.replace_schema_metadata({"pandas": json.dumps(found)}), path)
    assert keys_of(path) == (key,)
