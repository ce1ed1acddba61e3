"""Rows without a person or an item: refused by file and line, or counted, in all kinds of table."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

import sim
from sim.errors import ConfigError, InputError
from sim.release.readers.empty_ids import BLANKS, EMPTY, WORDS, EmptyIds
from sim.release.readers.table import TableSource
from sim.release.store.accounts import DROPPED, NO_DATE, NO_VALUE

NONE = [
    "",
    " ",
    "\t ",
    "\u00a0",
    "\ufeff",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "NA",
    "N/A",
    " NA ",
]
TABLE = [("ann", "zoo"), ("{}", "spa"), ("bob", "{}"), ("cyd", "pub")]

CELLS = st.one_of(
    st.sampled_from([*NONE, *WORDS, "nana", "Nan0", "NANCY", "nil", "0", "n", "-", "N\u00a0A"]),
    st.text(alphabet="nNaAuUlLeEoO/<>\\# " + BLANKS, max_size=6),
    st.text(max_size=5),
    st.none(),
)


@settings(max_examples=examples(300))
@given(
    st.lists(CELLS, max_size=12),
    st.sampled_from(EMPTY),
    st.sampled_from([pa.string(), pa.large_string()]),
    st.integers(0, 3),
)
def test_columns_mean_what_cells_mean(
    cells: list[str | None], asked: str, kind: Any, skipped: int
) -> None:
    empty = EmptyIds(asked)
    column = pa.array([None, "x", "", *cells], kind)[skipped:]
    mask = empty.mask(column)
    found = [False] * len(column) if mask is None else mask.tolist()
    assert found == [empty.problem(cell) is not None for cell in column.to_pylist()]


def ids_of(source: TableSource) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    for chunk in source.chunks():
        columns = [
            ids.tolist() if isinstance(ids, np.ndarray) else ids.to_pylist()
            for ids in (chunk.record, chunk.item)
        ]
        found += zip(*columns, strict=True)
    return found


def csv_of(path: Path, none: str) -> Path:
    rows = "".join(f'"{user}","{item}"\n'.replace("{}", none) for user, item in TABLE)
    path.write_text(f"who,what\n{rows}", encoding="utf-8")
    return path


def parquet_of(path: Path, none: str | None) -> Path:
    columns = zip(*TABLE, strict=True)
    who, what = ([none if cell == "{}" else cell for cell in column] for column in columns)
    pq.write_table(pa.table({"who": who, "what": what}), path)
    return path


def tables(folder: Path, none: str | None) -> list[tuple[Path, str]]:
    """The same rows as csv and as parquet, and where the first of the empty ones is."""
    made = [(parquet_of(folder / "a.parquet", none), ": row 2: ")]
    if none is not None:
        made.append((csv_of(folder / "a.csv", none), ":3: "))
    return made


@pytest.mark.parametrize("none", [None, *NONE])
def test_they_are_refused_by_default(tmp_path: Path, none: str | None) -> None:
    for path, place in tables(tmp_path, none):
        with pytest.raises(InputError) as error:
            ids_of(table_source(path, "who", "what"))
        message = str(error.value)
        assert message.startswith(f"{path}{place}column who: ")
        assert "set data.empty=drop to leave such rows out" in message
        blank = not (none or "").strip(BLANKS)
        assert ("data.empty=keep if it is an identifier" in message) != blank


@pytest.mark.parametrize("none", [None, *NONE])
@pytest.mark.parametrize("block_bytes", [8, 1 << 20])
def test_they_are_dropped_and_counted(tmp_path: Path, none: str | None, block_bytes: int) -> None:
    for path, _ in tables(tmp_path, none):
        source = table_source(path, "who", "what", empty="drop", block_bytes=block_bytes)
        for _ in range(2):  # counts begin anew
            assert ids_of(source) == [TABLE[0], TABLE[3]]
            assert source.notes()["rows"] == 4
            assert source.notes()[DROPPED] == 2


@pytest.mark.parametrize("none", [None, *NONE])
def test_words_can_be_kept(tmp_path: Path, none: str | None) -> None:
    word = none is not None and none.strip(BLANKS) != ""
    for path, place in tables(tmp_path, none):
        kept = table_source(path, "who", "what", empty="keep")
        rest = table_source(path, "who", "what", empty="drop_blank")
        if word:
            whole = [(user.replace("{}", none), item.replace("{}", none)) for user, item in TABLE]
            assert ids_of(kept) == ids_of(rest) == whole
            assert (rest.notes()[DROPPED], kept.notes().get(DROPPED)) == (0, None)
            continue
        with pytest.raises(InputError) as error:
            ids_of(kept)
        assert str(error.value).startswith(f"{path}{place}column who: ")
        assert "set data.empty=drop_blank to leave such rows out" in str(error.value)
        assert ids_of(rest) == [TABLE[0], TABLE[3]]
        assert rest.notes()[DROPPED] == 2


def test_other_cells_of_dropped_rows_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("who,what,stars,when\n,b,x,2009\na,b,1,2005-09-06\nNA,b,,12000\nc,d,,\n")
    source = table_source(path, "who", "what", "stars", "when", empty="drop")
    assert ids_of(source) == [("a", "b"), ("c", "d")]
    assert source.notes()["dates"] == "ISO dates, taken as UTC (recognised)"
    counts = [source.notes()[name] for name in ("rows", DROPPED, NO_VALUE, NO_DATE)]
    assert counts == [4, 2, 1, 1]
    path = tmp_path / "a.parquet"
    columns = {
        "who": [None, 1, 2],
        "what": [1, 1, 2],
        "stars": [np.inf, 1, 2],
        "when": [5, 12000, 1],
    }
    pq.write_table(pa.table(columns), path)
    assert ids_of(table_source(path, "who", "what", "stars", "when", empty="drop")) == [
        (1, 1),
        (2, 2),
    ]
    with pytest.raises(InputError, match=r"row 1: column who: is empty"):
        ids_of(table_source(path, "who", "what", "stars", "when"))


def test_a_bad_cell_after_dropped_rows_is_named_by_its_own_row(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    columns = {"who": [None, 1, None, 2], "what": [1, 1, 1, 2], "stars": [1, 2, 3, np.inf]}
    pq.write_table(pa.table(columns), path)
    with pytest.raises(InputError, match=r"a\.parquet: row 4: column stars: inf is not finite"):
        ids_of(table_source(path, "who", "what", "stars", empty="drop"))


def test_whole_numbers_with_one_missing_are_floats_and_still_numbers(tmp_path: Path) -> None:
    for n, who in enumerate(([1.0, np.nan, 3.0], [4, 5, 6])):
        pq.write_table(pa.table({"who": who, "what": ["a", "b", "c"]}), tmp_path / f"{n}.parquet")
    found = ids_of(table_source(tmp_path, "who", "what", empty="drop"))
    assert found == [(1, "a"), (3, "c"), (4, "a"), (5, "b"), (6, "c")]
    with pytest.raises(InputError, match=r"0\.parquet: row 2: column who: is empty; expected an"):
        ids_of(table_source(tmp_path, "who", "what"))
    for bad in (1.5, 2.0**53, np.inf):
        pq.write_table(pa.table({"who": [1.0, bad], "what": ["a", "b"]}), tmp_path / "0.parquet")
        with pytest.raises(InputError, match=r"row 2: column who: .* is not a whole number that a"):
            ids_of(table_source(tmp_path, "who", "what", empty="drop"))


@pytest.mark.parametrize("none", [None, np.nan, pd.NA, "", "NaN", "None"])
def test_data_frames(tmp_path: Path, none: Any) -> None:
    frame = pd.DataFrame({"who": ["ann", none, "bob"], "what": ["zoo", "zoo", "spa"]})
    names = {"user": "who", "item": "what", "cache": str(tmp_path)}
    with pytest.raises(InputError, match=r"row 2: column who: .*set empty='drop'"):
        sim.table(frame, **names)
    release = sim.table(frame, empty="drop", **names)
    assert release.store.records.to_pylist() == ["ann", "bob"]
    assert release.describe().dropped == 1


def test_numbers_of_a_data_frame_with_one_missing(tmp_path: Path) -> None:
    frame = pd.DataFrame({"who": [7, None, 9], "what": ["zoo", "zoo", "spa"]})
    release = sim.table(frame, user="who", item="what", empty="drop", cache=str(tmp_path))
    assert release.store.records.to_pylist() == [7, 9]


def test_nothing_left(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,what\n,a\nb,NA\n")
    with pytest.raises(
        InputError, match=r"holds no rows but 2 without a user or an item; expected"
    ):
        ids_of(table_source(tmp_path / "a.csv", "who", "what", empty="drop"))


def test_what_is_asked_changes_the_fingerprint_and_is_checked(tmp_path: Path) -> None:
    path = csv_of(tmp_path / "a.csv", "NA")
    made = {table_source(path, "who", "what", empty=asked).fingerprint() for asked in EMPTY}
    assert len(made) == len(EMPTY)
    with pytest.raises(
        ConfigError, match=r"^adversary\.empty: 'skip': expected one of error, drop"
    ):
        table_source(path, "who", "what", empty="skip", group="adversary")


def test_spellings() -> None:
    """All spellings in capitals and small letters, with blanks around, and nothing longer."""
    empty = EmptyIds("error")
    for word, before, after in itertools.product(WORDS, ("", " ", "\u00a0"), ("", "  ", "\t")):
        for cell in (word, word.upper(), word.capitalize()):
            assert empty.problem(before + cell + after), cell
        assert empty.problem(f"{word}x") is None
