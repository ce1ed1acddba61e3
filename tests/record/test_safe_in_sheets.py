"""A csv file of a run is opened by a spreadsheet, or shown on a terminal: nothing in it acts."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.numeric.text import visible
from sim.record.frames import write_csv, write_tables

FORMULAS = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"]
PLAIN = ["-3", "+4", "-0.5", "1e-3", "-.5", "tea", "a=b", "–", "0bin", "6/8", "2h", ""]
HIDDEN = "a\x1b[31mb\u202ec\x9bd\u2066e"


def written(folder: Path, cells: list[str], name: str = "item") -> list[str]:
    """Cells of a csv file, its head first."""
    frame = pd.DataFrame({name: cells, "n": range(len(cells))})
    write_tables(folder, {"t": frame})
    write_csv(folder / "t.csv", frame)
    with (folder / "t.csv").open(newline="", encoding="utf-8") as file:
        return [row[0] for row in csv.reader(file)]


@pytest.mark.parametrize("cell", FORMULAS)
def test_a_formula_is_text(tmp_path: Path, cell: str) -> None:
    assert written(tmp_path, [cell])[1] == "'" + visible(cell, keep="")
    assert written(tmp_path, ["x"], name=cell)[0] == "'" + visible(cell, keep="")
    assert pd.read_parquet(tmp_path / "t.parquet").columns[0] == cell


@pytest.mark.parametrize("cell", PLAIN)
def test_all_else_stays(tmp_path: Path, cell: str) -> None:
    assert written(tmp_path, [cell])[1] == cell


def test_numbers_stay_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [-1.5, None], "b": [-3, 2], "c": [None, True]})
    write_csv(tmp_path / "t.csv", frame)
    assert (tmp_path / "t.csv").read_text() == "a,b,c\n-1.5,-3,\n,2,True\n"


def test_what_cannot_be_seen_is_written_out(tmp_path: Path) -> None:
    (cell,) = written(tmp_path, [HIDDEN])[1:]
    assert cell == r"a\u001b[31mb\u202ec\u009bd\u2066e"
    assert pd.read_parquet(tmp_path / "t.parquet")["item"].tolist() == [HIDDEN]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_json_says_the_same(text: str) -> None:
    shown = visible(json.dumps(text, ensure_ascii=False))
    assert json.loads(shown) == text
    assert not {"\x1b", "\x9b", "\u202e", "\u2066"} & set(visible(text))
