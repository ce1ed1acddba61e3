"""Bad input by the hundred: every reader names the file, the line and the column, or reads it."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.adversary.linkage_table import read_linkage_table
from sim.errors import InputError, ResumeError, StandoutError
from sim.record.ledger import Ledger
from sim.record.run_record import read_record
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.movielens import MovieLensSource
from sim.release.readers.netflix import NetflixSource
from sim.release.readers.table import TableSource
from sim.release.store.manifest import NAME as MANIFEST
from sim.release.store.store import Store

COLUMNS = ("who", "what", "stars", "day")
ROWS = [[f"p{n}", f"i{n}", f"{1 + n % 5}", f"2020-01-0{1 + n}"] for n in range(5)]
STARS = [[f"{n + 1}", f"{n % 3 + 1}", f"{1 + n % 5}", f"{880000000 + n}"] for n in range(6)]
RENTALS = [["5", "3", "2005-09-06"], ["7", "4", "2005-09-07"], ["9", "1", "2005-09-08"]]
NO_NUMBER = "is not a number"
CELLS: dict[str, dict[str, str]] = {
    "who": {"": "is empty", "NA": "stands for an empty cell", "null": "stands for an empty"},
    "what": {"  ": "is blank", "None": "stands for an empty cell", "NaN": "stands for an empty"},
    "stars": {
        **dict.fromkeys(("x", "0x1", "1_000", "½", "١", "--1", "1e", "1.2.3", "$5"), NO_NUMBER),
        **dict.fromkeys(("5%", "true", "\x1b[31m", "=1+1", "1 2", "\u202e1", "+-1"), NO_NUMBER),
        **dict.fromkeys(("inf", "-inf", "1e999", "Infinity"), "is not finite"),
    },
    "day": {
        **dict.fromkeys(("x", "today", "20200101", "2020-1-1", "-1", "1e5"), "is not an ISO date"),
        **dict.fromkeys(("9" * 20, "\u202e2020", "2020-01"), "is not an ISO date"),
        **dict.fromkeys(("2020-13-01", "2020-02-30", "0000-00-00"), "is not a date of the calen"),
        **dict.fromkeys(("2020-01-01T25:00", "9999-99-99"), "is not a date of the calendar"),
        **dict.fromkeys(("1492-01-01", "2201-01-01"), "is out of range"),
    },
}
NO_RATING = "is not a rating; expected 0.5 to 5 stars"
OF_MOVIES: dict[str, dict[str, str]] = {
    "userId": {"x": "is not a whole", "1.5": "is not a whole", "9" * 20: "is not", "": "is empty"},
    "movieId": {"x": "is not a whole number", "": "is empty", "1e3": "is not a whole number"},
    "rating": {
        **dict.fromkeys(("6", "0", "2.25", "-1"), NO_RATING), "x": NO_NUMBER, "": "is empty",
    },
    "timestamp": {"x": NO_NUMBER, "": "is empty; expected a number", "9" * 20: "1e+20 (seconds"},
}  # fmt: skip
OF_RENTALS: dict[str, dict[str, str]] = {
    "user": {"x": "is not a whole number", "": "is empty; expected a whole", "1.5": "is not a"},
    "rating": {**dict.fromkeys(("6", "0", "x", "3.5"), "is not a rating"), "": "is empty"},
    "date": {
        **dict.fromkeys(("x", "2005-13-01", "2005-02-30", "2005/01/01"), "is not a date"),
        "": "is empty",
    },
}


def spoilt(rows: list[list[str]], line: int, column: int, cell: str, mark: str) -> str:
    """Rows as text, one of whose cells is another."""
    changed = [list(row) for row in rows]
    changed[line][column] = cell
    return "".join(mark.join(row) + "\n" for row in changed)


def corpus() -> Iterator[Any]:
    """Kind of data, name and content of a file, and what must be said after its folder."""
    for mark in (",", ";", "\t"):
        for line in (1, 4):
            for place, column in enumerate(COLUMNS):
                for cell, said in CELLS[column].items():
                    text = mark.join(COLUMNS) + "\n" + spoilt(ROWS, line, place, cell, mark)
                    where = f"t.csv:{line + 2}: column {column}: "
                    yield "table", "t.csv", text, where, said
    for name, mark, head in (
        ("u.data", "\t", ""),
        ("ratings.dat", "::", ""),
        ("ratings.csv", ",", "userId,movieId,rating,timestamp\n"),
    ):
        for place, (column, cells) in enumerate(OF_MOVIES.items()):
            for cell, said in cells.items():
                where = f"{name}:{3 + bool(head)}: column {column}: "
                yield "movielens", name, head + spoilt(STARS, 2, place, cell, mark), where, said
    for name in ("mv_0000001.txt", "combined_data_1.txt"):
        for place, (column, cells) in enumerate(OF_RENTALS.items()):
            for cell, said in cells.items():
                text = "1:\n" + spoilt(RENTALS, 1, place, cell, ",")
                yield "netflix", name, text, f"{name}:3: column {column}: ", said


CORPUS = list(corpus())


def read(kind: str, folder: Path, name: str) -> int:
    """Number of rows of a file; of MovieLens and Netflix, of its folder."""
    sources = {"movielens": MovieLensSource, "netflix": NetflixSource}
    source: Any = (
        sources[kind](folder)
        if kind in sources
        else TableSource(folder / name, ColumnChoice("who", "what", "stars", "day"))
    )
    return sum(len(np.asarray(chunk.item)) for chunk in source.chunks())


def test_the_corpus_is_large() -> None:
    assert len(CORPUS) >= 300
    assert len({(name, content) for _, name, content, _, _ in CORPUS}) == len(CORPUS)


@pytest.mark.parametrize("kind", ["table", "movielens", "netflix"])
def test_a_bad_cell_is_named(tmp_path: Path, kind: str) -> None:
    """All in one test, since each takes a thousandth of what pytest would add."""
    wrong = []
    for number, (of, name, content, where, said) in enumerate(CORPUS):
        if of != kind:
            continue
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / name).write_text(content, encoding="utf-8")
        try:
            read(kind, folder, name)
            wrong.append((content, "it was read"))
        except InputError as error:
            text = str(error)
            if not text.startswith(f"{folder}/{where}") or said not in text:
                wrong.append((content, text))
            assert text.isprintable()
    assert wrong == []


WHOLE = (",".join(COLUMNS) + "\n" + spoilt(ROWS, 0, 0, "p0", ",")).encode()


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("t.csv", WHOLE + b"a,b\n", "t.csv:7: 2 cells; expected 4 (who, what, stars, day)"),
        ("t.csv", WHOLE + b"a,b,1,2020-01-01,9\n", "t.csv:7: 5 cells; expected 4"),
        ("t.csv", WHOLE + b'a,"b,1,2020-01-01\n', "t.csv:7: a quote is never closed"),
        ("t.csv", WHOLE + b"a\x00,b,1,2020-01-01\n", "t.csv:7: holds a NUL byte"),
        ("t.csv", b"\xff\xfe", "t.csv: is empty and holds no rows"),
        ("t.csv", b"\n\n\n", "t.csv:1: expected a header with the columns' names"),
        ("t.csv", b"who," + WHOLE, "t.csv:1: column 'who' (chosen as user) is there 2 times"),
        ("t.csv", b"who\twhat\n", "t.csv:1: no column 'stars' (chosen as value); the file has"),
        ("t.csv", b"\x00\x01" * 999, "t.csv:1: no column 'who' (chosen as user); the file has"),
        ("t.csv", b"PK\x03\x04junk", "t.csv: is damaged or cut short"),
        ("t.csv", b"PAR1junkPAR1", "t.csv: is cut short, damaged or not parquet"),
        ("t.json", b'[{"who": 1}]', "t.json:1: no column 'what' (chosen as item); the file has"),
        ("t.json", b'{\n"who": [1]\n}', "t.json:1: no column 'what' (chosen as item)"),
        ("t.db", b"SQLite format 3\0\x10\0\1\1", "t.db: is an SQLite database; write a table"),
        ("t.parquet", b"", "t.parquet: is empty and holds no rows"),
        ("t.parquet", b"PAR1" + bytes(99), "t.parquet"),
        ("t.csv.gz", gzip.compress(WHOLE, mtime=0)[:-9], "t.csv.gz: "),
        ("t.csv.bz2", bz2.compress(WHOLE)[:-9], "t.csv.bz2: "),
        ("t.csv.xz", lzma.compress(WHOLE)[:-9], "t.csv.xz: "),
        ("t.csv.zst", b"\x28\xb5\x2f\xfd", "t.csv.zst: is damaged"),
        ("t.zip", b"PK\x03\x04", "t.zip: is damaged or cut short"),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read("table", tmp_path, name)
    assert str(caught.value).startswith(f"{tmp_path}/{said}")
    assert len(str(caught.value)) < 600


def as_parquet(folder: Path) -> bytes:
    path = folder / "whole.parquet"
    pd.read_csv(folder / "t.csv").to_parquet(path)
    return path.read_bytes()


PIECES = [
    *(b"", b"\n", b"\r", b'"', b",", b"\t", b"::", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"NA"),
    *(b"1e999", b"-", b"9" * 400, "\u202e".encode(), b"\x1b[2J", b"=", b"1:\n", b"{}", b"[" * 99),
]
CHANGES = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(PIECES) | st.binary(max_size=6)),
    min_size=1, max_size=6,
)  # fmt: skip


def damaged(content: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    """Put pieces in the place of some bytes."""
    for share, n, piece in changes:
        at = int(share * len(content))
        content = content[:at] + piece + content[at + n :]
    return content


FUZZED = {
    "t.csv": ("table", WHOLE),
    "t.tsv": ("table", WHOLE.replace(b",", b"\t")),
    "t.csv.gz": ("table", gzip.compress(WHOLE, mtime=0)),
    "t.parquet": ("table", b""),
    "u.data": ("movielens", spoilt(STARS, 0, 0, "1", "\t").encode()),
    "ratings.dat": ("movielens", spoilt(STARS, 0, 0, "1", "::").encode()),
    "ratings.csv": (
        "movielens",
        b"userId,movieId,rating,timestamp\n" + spoilt(STARS, 0, 0, "1", ",").encode(),
    ),
    "mv_0000001.txt": ("netflix", b"1:\n" + spoilt(RENTALS, 0, 0, "5", ",").encode()),
    "combined_data_1.txt": ("netflix", b"1:\n" + spoilt(RENTALS, 0, 0, "5", ",").encode() * 2),
}


def names(error: StandoutError, place: Path) -> None:
    """See that an error is a line that names the place."""
    said = str(error)
    assert str(place) in said
    assert said.isprintable()
    assert len(said) < 2000


@pytest.mark.parametrize("name", FUZZED)
@settings(max_examples=examples(200))
@given(changes=CHANGES)
def test_damaged_files(
    tmp_path_factory: pytest.TempPathFactory, name: str, changes: list[tuple[float, int, bytes]]
) -> None:
    """They are read, or refused in one line that names the file."""
    kind, whole = FUZZED[name]
    folder = tmp_path_factory.mktemp("damaged")
    if name == "t.parquet":
        (folder / "t.csv").write_bytes(WHOLE)
        whole = as_parquet(folder)
    (folder / name).write_bytes(damaged(whole, changes))
    try:
        read(kind, folder, name)
    except StandoutError as error:
        names(error, folder)


@settings(max_examples=examples(200))
@given(changes=CHANGES)
def test_damaged_linkage_tables(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, int, bytes]]
) -> None:
    path = tmp_path_factory.mktemp("linkage") / "w.csv"
    path.write_bytes(damaged(b"who,record\nann,1\nbob,2\ncyd,3\n", changes))
    try:
        found = read_linkage_table(path, "who", "record")
    except StandoutError as error:
        names(error, path)
    else:
        assert len(set(found.values())) == len(found)


HEADER = {"seed": 1, "asked": {"name": "study"}}


@settings(max_examples=examples(200))
@given(changes=CHANGES)
def test_damaged_ledgers(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, int, bytes]]
) -> None:
    """What is done is what was written, as far as it is whole."""
    path = tmp_path_factory.mktemp("ledger") / "ledger.jsonl"
    with Ledger(path, HEADER) as ledger:
        for batch in range(3):
            ledger.add(batch, {"decisions": f"d{batch}"})
    path.write_bytes(damaged(path.read_bytes(), changes))
    try:
        with Ledger(path, HEADER) as ledger:
            assert all(isinstance(entry, dict) for entry in ledger.done.values())
    except ResumeError as error:
        names(error, path)


RECORD = {"status": "running", "config": {"name": "study"}, "overrides": ["seed=1"], "parts": []}


@settings(max_examples=examples(200))
@given(changes=CHANGES)
def test_damaged_records(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, int, bytes]]
) -> None:
    folder = tmp_path_factory.mktemp("record")
    (folder / "run.json").write_bytes(damaged(json.dumps(RECORD).encode(), changes))
    try:
        assert {"status", "config"} <= read_record(folder).keys()
    except InputError as error:
        names(error, folder)


@settings(max_examples=examples(40))
@given(changes=CHANGES)
def test_damaged_manifests(
    tmp_path_factory: pytest.TempPathFactory,
    make_store: Any,
    changes: list[tuple[float, int, bytes]],
) -> None:
    """One that was changed is no store's."""
    store = make_store([(1, 10, 4.0, 1000), (2, 20, 5.0, 1003)])
    folder = tmp_path_factory.mktemp("manifest")
    content = (store.folder / MANIFEST).read_bytes()
    changed = damaged(content, changes)
    for path in store.folder.rglob("*"):
        if path.is_file() and path.name != MANIFEST:
            target = folder / path.relative_to(store.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    (folder / MANIFEST).write_bytes(changed)
    try:
        again = Store(folder)
    except StandoutError as error:
        names(error, folder)
    else:
        assert again.manifest == store.manifest
