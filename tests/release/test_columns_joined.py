"""Several columns that are one: items and people by tuples of cells, dates by their parts."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import table_source

from sim.errors import ConfigError, InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.joined import joined_dates, joined_ids
from sim.release.store.cells import NO_TIME

PARTS = st.lists(st.text("ab|\\ 1", min_size=1, max_size=4), min_size=2, max_size=2)


@given(st.lists(PARTS, min_size=1, max_size=6))
def test_joining_is_injective(rows: list[list[str]]) -> None:
    parts = [pa.array([row[k] for row in rows]) for k in range(2)]
    assert len(set(joined_ids(parts).to_pylist())) == len({tuple(row) for row in rows})
    assert joined_ids(parts[:1]).to_pylist() == [row[0] for row in rows]


@given(st.lists(st.lists(st.sampled_from(["2015", " 7", "", "NA", "null ", "x"]), min_size=2,
                         max_size=2), min_size=1, max_size=4))  # fmt: skip
def test_dates_are_joined_with_blanks_where_no_part_is_missing(rows: list[list[str]]) -> None:
    parts = [pa.array([row[k] for row in rows]) for k in range(2)]
    bare = [[cell.strip() for cell in row] for row in rows]
    expected = ["" if {"", "NA", "null"} & {*row} else " ".join(row) for row in bare]
    assert joined_dates(parts).to_pylist() == expected


def read(path: Path, *columns: Any, **options: Any) -> list[tuple[Any, Any, int | None]]:
    source = table_source(path, *columns, **options)
    found = []
    for chunk in source.chunks():
        ids = [c.to_pylist() if hasattr(c, "to_pylist") else c.tolist()
               for c in (chunk.record, chunk.item)]  # fmt: skip
        times = [None] * len(chunk) if chunk.time is None else chunk.time.tolist()
        found += [(u, i, None if t == NO_TIME else t) for u, i, t in zip(*ids, times, strict=True)]
    return found


FRAME = pd.DataFrame(
    {
        "who": ["ann", "ann", "bob"],
        "place": ["zoo", "a|b", "spa"],
        "hour": [14, 9, 23],
        "year": [2015, 2015, 2016],
        "month": ["July", "January", "Feb"],
        "day": [21, 1, 29],
    }
)
ITEMS = ["zoo | 14", "a\\|b | 9", "spa | 23"]
DAYS = [1437436800, 1420070400, 1456704000]


def write(frame: pd.DataFrame, path: Path) -> Path:
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_items_and_dates_of_several_columns(tmp_path: Path, name: str, block_bytes: int) -> None:
    path = write(FRAME, tmp_path / name)
    size = {"block_bytes": block_bytes}
    found = read(path, "who", ["place", "hour"], None, ["year", "month", "day"], **size)
    assert found == list(zip(FRAME["who"], ITEMS, DAYS, strict=True))
    hours = read(path, "who", "place", None, ["year", "month", "day", "hour"], **size)
    assert [t for *_, t in hours] == [
        d + 3600 * h for d, h in zip(DAYS, FRAME["hour"], strict=True)
    ]
    people = read(path, ["who", "year"], "place", **size)
    assert [who for who, *_ in people] == ["ann | 2015", "ann | 2015", "bob | 2016"]
    formatted = read(
        path, "who", "place", None, ["day", "month", "year"], date_format="%d %b %Y", **size
    )
    assert [t for *_, t in formatted] == DAYS


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_parts_of_dates_that_are_missing_or_wrong(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame({"u": ["a", "b"], "i": ["x", "y"], "y": [2015, 2015], "m": [2, None]})
    path = write(frame.assign(d=[1, 2]), tmp_path / name)
    if name == "a.csv":
        path.write_text("u,i,y,m,d\na,x,2015,2,1\nb,y,2015,,2\n")
    assert [t for *_, t in read(path, "u", "i", None, ["y", "m", "d"])] == [1422748800, None]
    write(frame.assign(d=[1, 2], m=[2, 13]), path)
    with pytest.raises(InputError, match=r"(:3|row 2): column y\+m\+d: '2015 13 2' is not a date"):
        read(path, "u", "i", None, ["y", "m", "d"])


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
def test_an_empty_part_is_an_empty_identifier(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame({"u": ["a", "b"], "i": ["x", None], "k": ["p", "q"]})
    path = write(frame, tmp_path / name)
    with pytest.raises(InputError, match=r"(:3|row 2): column i: is empty"):
        read(path, "u", ["i", "k"])
    assert read(path, "u", ["i", "k"], empty="drop") == [("a", "x | p", None)]


def test_a_date_and_a_time_in_two_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("u,i,day,time\na,x,21/07/2015,08:26:00\nb,x,2/7/2015,8:26:30\n")
    assert [t for *_, t in read(path, "u", "i", None, ["day", "time"])] == [1437467160, 1435825590]
    table = pa.table({
        "u": ["a"], "i": ["x"],
        "day": pa.array([dt.date(2015, 7, 21)]), "time": pa.array([dt.time(8, 26)]),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "a.parquet")
    found = read(tmp_path / "a.parquet", "u", "i", None, ["day", "time"])
    assert [t for *_, t in found] == [1437467160]


def test_decimals_are_identifiers_where_they_are_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    ids = pa.array([Decimal("7"), Decimal("12")], pa.decimal128(38, 0))
    pq.write_table(pa.table({"u": ids, "i": ["x", "y"]}), path)
    assert [u for u, *_ in read(path, "u", "i")] == [7, 12]
    halves = pa.array([Decimal("7.0"), Decimal("7.5")], pa.decimal128(10, 1))
    pq.write_table(pa.table({"u": halves, "i": ["x", "y"]}), path)
    with pytest.raises(InputError, match=r"row 2: column u: 7\.5 is not a whole number"):
        read(path, "u", "i")


def test_which_columns_are_chosen_is_part_of_the_fingerprint(tmp_path: Path) -> None:
    path = write(FRAME, tmp_path / "a.csv")
    items: list[Any] = ["place", ["place"], ["place", "hour"], ["hour", "place"]]
    assert len({table_source(path, "who", item).fingerprint() for item in items}) == 3


@pytest.mark.parametrize(
    ("item", "date", "message"),
    [
        ([], None, r"data\.item: \[\]: expected the name of a column, or a list"),
        ([1], None, r"data\.item: \[1\]: expected the name of a column"),
        ("i", list("abcdefg"), r"data\.date: 7 columns; expected at most year"),
    ],
)
def test_what_cannot_name_columns(item: Any, date: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        ColumnChoice("u", item, date=date)


def test_a_column_may_be_a_part_of_an_item_and_a_date(tmp_path: Path) -> None:
    path = write(FRAME, tmp_path / "a.csv")
    read(path, "who", ["place", "year"], None, ["year", "month", "day"])
    for roles in (("who", ["place", "day"], "day"), (["who", "day"], "place", "day", "year")):
        with pytest.raises(InputError, match="column 'day' is chosen both as"):
            read(path, *roles)
    with pytest.raises(InputError, match="a column is listed twice"):
        read(path, "who", ["place", "place"])
