"""How cells are written beside what they say: by each writer alike, and one cell otherwise."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.release.readers.cell_forms import CellForms

NAMES = ["who", "what", "stars"]
TEXTS = st.text("aZ09 '-,\"\n\u00e9", max_size=4)
ROWS = st.lists(st.tuples(TEXTS.filter(bool), TEXTS, st.floats(0, 9, width=16)), min_size=1)


def seen(data: bytes) -> CellForms:
    forms = CellForms()
    forms.see(data, ",", NAMES)
    return forms


def written(rows: list[tuple[str, str, float]], how: int, end: str) -> list[bytes]:
    """Each row as csv."""
    lines = []
    for row in rows:
        text = io.StringIO(newline="")
        csv.writer(text, quoting=how, lineterminator=end).writerow(row)  # type: ignore[arg-type]
        lines.append(text.getvalue().encode())
    return lines


def like_sqlite(cell: object) -> str:
    """Quoted as in the csv mode of SQLite's shell: if any of its letters is not of the safest."""
    text = str(cell)
    plain = all("!" <= sign <= "~" and sign not in "\"'," for sign in text)
    return text if plain and text else '"' + text.replace('"', '""') + '"'


@given(
    ROWS,
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC, None]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(0, 9),
)
def test_what_one_program_wrote_is_alike_and_counted_the_same_in_parts(
    rows: list[tuple[str, str, float]], how: int | None, end: str, cut: int
) -> None:
    if how is None:
        lines = [(",".join(map(like_sqlite, row)) + end).encode() for row in rows]
    else:
        lines = written(rows, how, end)
    whole = seen(b"".join(lines))
    if how != csv.QUOTE_MINIMAL or all(row[1] for row in rows):
        assert [*whole.mixed()] == []
    parts = seen(b"".join(lines[:cut])) + seen(b"".join(lines[cut:]))
    assert {name: of.tolist() for name, of in parts.cells.items()} == {
        name: of.tolist() for name, of in whole.cells.items()
    }
    ends = [len(rows) * (end == "\n"), len(rows) * (end != "\n"), 0]
    assert parts.ends.tolist() == whole.ends.tolist() == ends
    assert all(of.sum() == len(rows) for of in whole.cells.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"ann,x,1\nbob,x,2\n", []),
        (b'ann,x,1\n"bob",x,2\n', ["cells of who in quotes: 1, alike and without: 1"]),
        (b'ann,x,1\n"b b",x,2\n', []),  # a program may quote what holds a blank
        (b'a n,x,1\n"b b",x,2\nann,x,2\n', ["cells of who in quotes: 1, alike and without: 1"]),
        (b'"a,n",x,1\nann,x,2\n', []),
        (b'ann,x,1\nbob,x,"2"\ncid,x,""\ndan,x,\n', [
            "cells of stars in quotes: 2, alike and without: 2"]),
        (b'"ann",x,1\n"bob",x,2\n', []),
        (b'5" n,x,1\nann,x,2\n', []),
        (b"ann,x,1\r\nbob,x,2\ncid,x,2\n", ["lines that end with CR LF: 1, with LF: 2"]),
        (b'"an\nn",x,1\r\nbob,x,2\r\n', []),
        (b"ann,x,1\n\nbob,x,2", ["empty lines: 1"]),
    ],
)  # fmt: skip
def test_hand_written_cells(text: bytes, said: list[str]) -> None:
    assert [*seen(text).mixed()] == said


def test_columns_that_one_part_alone_has_are_added() -> None:
    other = replace(CellForms(), cells={"when": np.ones_like(seen(b"1,2,3\n").cells["who"])})
    assert set((seen(b"1,2,3\n") + other).cells) == {*NAMES, "when"}
