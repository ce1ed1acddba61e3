"""Tables from Python: whatever hands over Arrow batches is read as the same rows of a file are."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sim
from sim.errors import ConfigError, InputError

TABLE = pa.table(
    {
        "who": pa.array(["ann", "ann", "bob", "cyd"]),
        "what": pa.array(["zoo", "spa", "zoo", "pub"]).dictionary_encode(),
        "note": pa.array([[1], [], None, [2, 3]]),
        "stars": pa.array([Decimal("1.5"), Decimal("2.0"), None, Decimal("1.5")]),
        "when": pa.array([dt.datetime(2015, 7, day) for day in (21, 22, 23, 24)]),
    }
)
COLUMNS = {"user": "who", "item": "what", "value": "stars", "date": "when"}


class Stream:
    """A frame of another library, which offers the Arrow C stream and nothing else."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


class Batch:
    """A batch of another library."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._batch = batch

    def __arrow_c_array__(self, requested_schema: object | None = None) -> object:
        return self._batch.__arrow_c_array__(requested_schema)


def views(table: pa.Table) -> pa.Table:
    """A table as polars hands it over: views of text, and categories by unsigned numbers."""
    categories = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0, 2], pa.uint32()), pa.array(["zoo", "spa", "pub"]).cast(pa.string_view())
    )
    who = table["who"].cast(pa.string_view())
    return table.set_column(0, "who", who).set_column(1, "what", categories)


MADE: dict[str, Any] = {
    "pyarrow": lambda table: table,
    "stream": Stream,
    "views": lambda table: Stream(views(table)),
    "batches": lambda table: iter(table.to_batches(max_chunksize=2)),
    "batches of others": lambda table: (Batch(b) for b in table.to_batches(max_chunksize=1)),
    "tables": lambda table: [table.slice(0, 1), Stream(table.slice(1))],
    "reader": lambda table: table.to_reader(max_chunksize=1),
    "a batch": lambda table: table.combine_chunks().to_batches()[0],
    "pandas": lambda table: table.drop(["note"]).to_pandas(),
    "sparse": lambda table: (
        table.drop(["note"])
        .to_pandas()
        .astype({"who": object, "stars": float})
        .astype({"who": pd.SparseDtype(object), "stars": pd.SparseDtype(float)})
    ),
}


@pytest.mark.parametrize("kind", MADE)
def test_any_frame_is_the_release_that_its_file_is(kind: str, tmp_path: Path) -> None:
    pq.write_table(TABLE, tmp_path / "a.parquet")
    cache = str(tmp_path / "cache")
    expected = sim.table(tmp_path / "a.parquet", **COLUMNS, cache=cache)
    found = sim.table(MADE[kind](TABLE), **COLUMNS, cache=cache)
    assert found.store.manifest.fingerprint == expected.store.manifest.fingerprint
    assert found.store.manifest.n_cells == 4
    assert found.store.manifest.scale == [1.5, 2.0]


def test_batches_are_taken_one_at_a_time(tmp_path: Path) -> None:
    alive = 0

    def batches() -> Iterator[pa.RecordBatch]:
        nonlocal alive
        for n in range(100):
            before = pa.total_allocated_bytes()
            batch = pa.record_batch({"who": [n] * 10_000, "what": range(10_000)})
            yield batch
            size = batch.nbytes
            del batch
            alive = max(alive, pa.total_allocated_bytes() - before - size)

    release = sim.table(batches(), user="who", item="what", cache=str(tmp_path / "cache"))
    assert release.store.manifest.n_cells == 1_000_000
    assert alive < 16 * 1_000_000 / 4


def test_columns_that_are_missing_or_not_chosen() -> None:
    with pytest.raises(InputError, match=r"^data frame: no column 'whom' \(chosen as user\)"):
        sim.table(TABLE, user="whom", item="what")
    with pytest.raises(ConfigError, match=r"^item: not given; expected columns of data frame"):
        sim.table(Stream(TABLE), user="who")


def test_periods_of_pandas_are_told_how_to_become_times() -> None:
    months = pd.period_range("2024-01", periods=3, freq="M")
    frame = pd.DataFrame({"who": [1, 2, 3], "what": [1, 1, 1], "month": months})
    with pytest.raises(InputError, match=r"; pandas makes times of it by \.dt\.to_timestamp\(\)$"):
        sim.table(frame, user="who", item="what", date="month")
    frame["month"] = frame["month"].dt.to_timestamp()
    assert sim.table(frame, user="who", item="what", date="month").store.manifest.n_records == 3


def test_a_bad_cell_is_named_by_its_row() -> None:
    table = pa.table({"who": ["a", None], "what": ["x", "y"]})
    with pytest.raises(InputError, match=r"^data frame: row 2: column who: is empty"):
        sim.table(table, user="who", item="what")


@pytest.mark.parametrize("given", [pd.DataFrame, pa.Table.from_pandas, lambda frame: [frame]])
def test_columns_that_are_not_read_are_known_of(given: Any, tmp_path: Path) -> None:
    """What would be released with the others was not tested."""
    frame = pd.DataFrame({"who": ["a", "b"], "what": ["x", "y"], "why": ["p", "q"]})
    release = sim.table(given(frame), user="who", item="what", cache=tmp_path)
    assert "Columns not read, so not attacked (1: why" in repr(release)


def test_batches_that_differ() -> None:
    one, other = pa.record_batch({"who": ["a"], "what": ["x"]}), pa.record_batch({"who": ["b"]})
    with pytest.raises(InputError, match=r"^data frame: batch 2 has no column 'what'"):
        sim.table([one, other], user="who", item="what")
    other = pa.record_batch({"who": ["b"], "what": [7]})
    with pytest.raises(InputError, match=r"^data frame: batch 2 has other columns than the first"):
        sim.table([one, other], user="who", item="what")


@pytest.mark.parametrize(
    "given",
    [7, [[1, 2]], {"who": [1]}, pd.Series([1]), [pd.Series([1])], pa.chunked_array([[1]]), []],
)
def test_what_is_no_table(given: Any) -> None:
    said = "expected (a table: a path, a data|at least one)"
    with pytest.raises((ConfigError, InputError), match=said):
        sim.table(given, user="who", item="what")


def test_columns_that_are_not_chosen(tmp_path: Path) -> None:
    """The columns are listed, and the call that is advised opens the frame."""
    given = pa.table({"Adhérent": ["ann", "bob", None], "lieu visité": ["zoo", "zoo", "spa"]})
    for chosen in ({}, {"item": "lieu visité"}):
        with pytest.raises(ConfigError) as error:
            sim.table(given, **chosen)
        message = str(error.value)
        assert "not given; expected columns of data frame" in message
        assert all(name in message for name in given.schema.names)
        assert "standout" not in message
        assert "data." not in message
        call = message.split("release = ")[1].split("; print")[0]
        assert call.startswith("sim.table(df, user='Adhérent', item='lieu visité', ")
        call = call.replace(", empty", f", cache={str(tmp_path)!r}, empty")
        release = eval(call, {"sim": sim, "df": given})
        assert (release.describe().people, release.describe().dropped) == (2, 1)


def test_a_file_is_refused_in_the_words_of_the_call(tmp_path: Path) -> None:
    """Following what is said, it is read."""
    path, cache = tmp_path / "visits.csv", str(tmp_path)
    path.write_text("who,what,day\nann,zoo,01/02/2015\nbob,zoo,03/04/2015\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"set date_format$") as refused:
        sim.table(path, cache=cache)
    assert "data." not in str(refused.value)
    (written,) = re.findall(r"2015-02-01 \((.*?)\)", str(refused.value))
    assert written == "date_format='%d/%m/%Y'"
    given = {"date_format": "%d/%m/%Y"}
    assert sim.table(path, user="who", item="what", date="day", cache=cache, **given)
    with pytest.raises(InputError, match=r"none\.csv: no such file"):
        sim.table(tmp_path / "none.csv", user="who", item="what", cache=cache)


def test_names_of_columns_that_are_no_text_get_a_hint(tmp_path: Path) -> None:
    """Following it, they are read."""
    frame = pd.DataFrame([["ann", "zoo"], ["ann", "spa"], ["bob", "zoo"]])
    cache = str(tmp_path)
    with pytest.raises(ConfigError, match=r"user: 0: .*; a column .* is named as text: user='0'$"):
        sim.table(frame, user=0, item=1, cache=cache)  # type: ignore[arg-type]
    assert sim.table(frame, user="0", item="1", cache=cache).describe().cells == 3
    frame.columns = pd.MultiIndex.from_tuples([("a", "who"), ("a", "what")])
    with pytest.raises(
        ConfigError, match=r"names of 2 levels; expected one: df.columns = "
    ) as told:
        sim.table(frame, user="who", item="what", cache=cache)
    exec(str(told.value).partition("expected one: ")[2], {}, {"df": frame})
    assert sim.table(frame, user="a_who", item="a_what", cache=cache).describe().cells == 3


def test_cells_of_several_kinds_are_read_as_those_of_a_text_file(tmp_path: Path) -> None:
    """What is not read stands in nobody's way, and a value that is no number is left out."""
    stars: list[object] = [1, "2", 3.5, "none", None, 2]
    when: list[object] = [dt.date(2024, 1, 5), "2024-01-06", None, *["2024-01-07"] * 3]
    who, what = ["a", "a", "b", "b", "c", "c"], [1, 2] * 3
    frame = pd.DataFrame({"who": who, "what": what, "stars": stars, "when": when})
    frame["note"] = [1, "x", [2], {"y": 3}, object(), b"z"]
    columns = {"user": "who", "item": "what", "value": "stars", "date": "when"}
    path = tmp_path / "t.csv"
    frame.drop(columns="note").to_csv(path, index=False)
    cache = str(tmp_path / "cache")
    with pytest.raises(InputError, match=r"data frame: row 4: .*stars.*none.*max_unread.*"):
        sim.table(frame, **columns, cache=cache)
    found = sim.table(frame, **columns, max_unread=1, cache=cache).describe()
    read = sim.table(path, **columns, max_unread=1, cache=cache).describe()
    assert found.fingerprint == read.fingerprint
    assert found.unreadable == 1
    assert "note" in str(found)
    with pytest.raises(ConfigError, match="user and item: not given"):
        sim.table(frame, cache=cache)


def test_one_and_the_text_of_one_are_not_taken_for_the_same_person(tmp_path: Path) -> None:
    frame = pd.DataFrame({"who": [1, "1", 2, "b"], "what": [1, 2, 1, 2]})
    with pytest.raises(InputError, match=r"column who: holds cells of several kinds, .*astype"):
        sim.table(frame, user="who", item="what", cache=str(tmp_path))


def test_a_column_in_place_of_its_name_is_refused(tmp_path: Path) -> None:
    """Nothing of what it holds is printed."""
    frame = pd.DataFrame({"who": [*"abcdef"] * 2, "what": range(12)})
    with pytest.raises(ConfigError, match="user: 12 values: expected the name of a column"):
        sim.table(frame, user=frame["who"], item="what", cache=str(tmp_path))  # type: ignore[arg-type]


def test_whole_numbers_of_more_than_64_bits(tmp_path: Path) -> None:
    """As values they are rounded, which is said; as identifiers they would be."""
    many = pd.DataFrame({"who": [1, 2, 3], "what": [1, 1, 2], "stars": [2**70, 1, 2]})
    keys = {"user": "who", "item": "what", "cache": str(tmp_path / "cache")}
    release = sim.table(many, value="stars", **keys)
    assert release.store.manifest.scale == [1.0, 2.0, 2.0**70]
    for column in ("who", "what"):
        wide = many.astype({column: object})
        wide.loc[1, column] = -(2**64)
        with pytest.raises(InputError, match=rf"column {column}: holds whole numbers of more than"):
            sim.table(wide, **keys)
        text = wide.astype({column: str})
        assert sim.table(text, **keys).store.manifest.n_cells == 3


def test_columns_that_arrow_does_not_take_are_left_out_where_they_are_not_read(
    tmp_path: Path,
) -> None:
    frame = pd.DataFrame({"who": [1, 2, 3], "what": [1, 1, 2]}).assign(
        waves=[1j, 2j, 3j], kinds=pd.Categorical([1, "a", 1.5]), wide=[2**70, 1, 2]
    )
    release = sim.table(frame, user="who", item="what", cache=str(tmp_path / "cache"))
    assert release.store.manifest.n_cells == 3
    assert "3: waves, kinds, wide" in str(release.describe())
