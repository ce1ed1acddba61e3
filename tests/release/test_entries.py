"""Rows that hold several entries are read as the same table with a row for each."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.errors import ConfigError, InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.entries import split
from sim.release.readers.table import TableSource
from sim.release.readers.table_options import TableOptions
from sim.release.store.accounts import SPLIT_ROWS

pytestmark = pytest.mark.fast

Read = list[tuple[str, str, int]]


def written(path: Path, names: list[str], rows: list[tuple[Any, ...]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(names)
        writer.writerows(rows)
    return path


def read(
    path: Path, item: Any, shape: str | None, *, date: str | None = "day", **more: Any
) -> tuple[Read, TableSource]:
    options = TableOptions(shape=shape, **more)
    source = TableSource(path, ColumnChoice("who", item, date=date), options)
    found: Read = []
    for chunk in source.chunks():
        times = np.zeros(len(chunk), int) if chunk.time is None else chunk.time
        found += zip(chunk.record.to_pylist(), chunk.item.to_pylist(), times.tolist(), strict=True)
    return found, source


ITEMS = [f"sku{n}" for n in range(12)]


@settings(max_examples=examples(40))
@given(
    baskets=st.lists(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=6), min_size=30,
                     max_size=60),
    form=st.sampled_from(["|", "; ", "json", "python", "braces"]),
)  # fmt: skip
def test_lists_are_read_as_a_row_for_each_part(
    tmp_path_factory: pytest.TempPathFactory, baskets: list[list[str]], form: str
) -> None:
    place = tmp_path_factory.mktemp("lists")
    baskets = [ITEMS[:3], ITEMS[1:5], [ITEMS[2], ITEMS[0]], *baskets, *[ITEMS[4:7]] * 60]
    day = [f"2021-01-{n % 28 + 1:02}" for n in range(len(baskets))]
    cell = {
        "|": "|".join, "; ": "; ".join, "json": json.dumps, "python": str,
        "braces": lambda parts: "{" + ",".join(parts) + "}",
    }[form]  # fmt: skip
    lists = [(f"p{n % 9}", cell(one), day[n]) for n, one in enumerate(baskets)]
    single = [(f"p{n % 9}", part, day[n]) for n, one in enumerate(baskets) for part in one]
    names = ["who", "what", "day"]
    found, source = read(written(place / "lists.csv", names, lists), "what", "lists")
    assert found == read(written(place / "single.csv", names, single), "what", None)[0]
    assert source.notes()[SPLIT_ROWS] == len(baskets)


def test_columns_are_read_as_a_row_for_each_cell(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = [
        (f"p{n % 7}", *(ITEMS[i] if i < 12 else "" for i in rng.integers(20, size=4)), "2021-03-04")
        for n in range(90)
    ]
    rows = [row for row in rows if any(row[1:5])]
    names = ["who", "a", "b", "c", "d", "day"]
    single = [(row[0], part, row[5]) for row in rows for part in row[1:5] if part]
    path = written(tmp_path / "columns.csv", names, rows)
    found, source = read(path, ["a", "b", "c", "d"], "columns")
    assert (
        found == read(written(tmp_path / "s.csv", ["who", "what", "day"], single), "what", None)[0]
    )
    assert source.notes()[SPLIT_ROWS] == len(rows)
    assert Counter(item for _, item, _ in found) == Counter(part for _, part, _ in single)


def test_parts_are_those_of_the_list() -> None:
    assert split('"a, b", c', ",") == ["a, b", "c"]
    assert split("<x; y>", ";") == ["x", "y"]
    assert split('[1, "b", 2.50]', ",") == ["1", "b", "2.50"]
    assert split("a", "|") == ["a"]
    assert split("a||b|", "|") == ["a", "b"]
    assert split("", "|") == split("[]", ",") == split("()", ",") == [""]


def test_lists_of_json_are_read_as_a_row_for_each_part(tmp_path: Path) -> None:
    rows = [
        {"who": f"p{n % 5}", "what": [*ITEMS[n % 7 : n % 7 + 3], n % 3], "day": "2021-01-02"}
        for n in range(60)
    ]
    rows[7]["what"] = "sku1"
    rows[9]["what"] = [None, True]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    single = [
        (row["who"], "" if part is None else "true" if part is True else str(part), row["day"])
        for row in rows
        for part in (row["what"] if isinstance(row["what"], list) else [row["what"]])
    ]
    single = [row for row in single if row[1]]
    names = ["who", "what", "day"]
    found, _ = read(path, "what", "lists")
    assert found == read(written(tmp_path / "s.csv", names, single), "what", None)[0]
    with pytest.raises(InputError, match="holds a list or an object"):
        read(path, "what", None)
    rows[20]["what"] = [{"id": 3}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match=r"column what: .*holds a list or an object"):
        read(path, "what", "lists")


BASKETS = [(f"p{n % 5}", "|".join(ITEMS[n % 7 : n % 7 + 3]), "2021-01-02") for n in range(80)]


def test_a_row_without_parts_is_one_without_an_item(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", ["who", "what", "day"], [*BASKETS, ("p1", "", "2021-01-02")])
    with pytest.raises(InputError, match="82"):
        read(path, "what", "lists")
    found, source = read(path, "what", "lists", empty="drop")
    assert len(found) == 3 * len(BASKETS)
    assert source.notes()[SPLIT_ROWS] == len(BASKETS) + 1


def test_a_row_that_cannot_be_read_is_counted_once(tmp_path: Path) -> None:
    """However many entries it holds; and its share is of the rows."""
    path = written(tmp_path / "a.csv", ["who", "what", "day"], [("p1", "sku1|sku2|sku3", "soon"),
                                                               *BASKETS])  # fmt: skip
    found, source = read(path, "what", "lists", max_unread=0.02, date_format="%Y-%m-%d")
    assert len(found) == 3 * len(BASKETS)
    assert [(row.line, row.column) for row in source.unread()] == [(2, "day")]
    with pytest.raises(InputError, match="1 of 81"):
        read(path, "what", "lists", max_unread=0.01, date_format="%Y-%m-%d")


def test_what_is_no_list_is_refused(tmp_path: Path) -> None:
    names = ["who", "what", "day"]
    path = written(
        tmp_path / "a.csv", names, [(f"p{n}", f"x{n % 7}", "2021-01-02") for n in range(50)]
    )
    with pytest.raises(InputError, match="no lists; leave it out"):
        read(path, "what", "lists")
    with pytest.raises(InputError, match="expected one column of items"):
        read(path, ["what", "day"], "lists", date=None)
    with pytest.raises(ConfigError, match="expected one of rows, lists, columns"):
        TableOptions(shape="baskets")
    pd.DataFrame(BASKETS, columns=names).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="only of csv and JSON"):
        read(tmp_path / "a.parquet", "what", "lists")
