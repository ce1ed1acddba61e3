"""A delimiter at the end of every line makes a column without a name, which holds nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from tables import table_source

from sim.release.store.accounts import UNREAD
from sim.release.store.build import build_store
from sim.release.store.store import Store

ROWS = [f"p{n % 7},i{n % 5},{1 + n % 3}," for n in range(40)]

NO_NAME = "1: (no name: an index? pandas writes none with index=False)"


def unread(folder: Path, text: str, **given: object) -> object:
    path = folder / "t.csv"
    path.write_bytes(text.encode())
    source = table_source(path, user="who", item="what", value="stars", **given)
    build_store(source, folder / "store")
    return Store(folder / "store").manifest.notes.get(UNREAD)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "end"])
def test_an_empty_last_column_is_no_column(tmp_path: Path, end: str, last: str) -> None:
    text = end.join(["who,what,stars,", *ROWS]) + (end if last else "")
    assert unread(tmp_path, text) is None


@pytest.mark.parametrize("row", ["p1,i1,2,x", 'p1,i1,2,"x"', "p1,i1,2, ", 'p1,i1,2,"x,y"'])
def test_a_last_column_that_holds_something_was_not_read(tmp_path: Path, row: str) -> None:
    assert unread(tmp_path, "\n".join(["who,what,stars,", *ROWS, row, *ROWS, ""])) == NO_NAME


def test_other_columns_are_still_said(tmp_path: Path) -> None:
    rows = [f"p{n % 7},i{n % 5},2,zoo," for n in range(40)]
    assert unread(tmp_path, "\n".join(["who,what,stars,where,", *rows])) == "1: where"


def test_a_column_without_a_name_elsewhere_was_not_read(tmp_path: Path) -> None:
    rows = [f"{n},p{n % 7},i{n % 5},2," for n in range(40)]
    assert unread(tmp_path, "\n".join([",who,what,stars,", *rows])) == NO_NAME
