"""The tables of several runs in one folder: what each wrote is read again exactly."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from sim.record.frames import write_tables
from sim.record.gathered import gather
from sim.record.run_folder import open_folder
from sim.record.run_record import read_record, write_record

pytestmark = pytest.mark.fast


def test_what_each_run_wrote_is_read_again(tmp_path: Path) -> None:
    """Types that differ, columns that only one has, and the empty table of a third."""
    work, folder = tmp_path / "work", tmp_path / "run"
    tables = {
        "a": pd.DataFrame({"x": [1, None], "n": [1, 2]}).astype({"x": "Int64"}),
        "b": pd.DataFrame({"x": [0.5], "y": ["2h"]}),
        "c": pd.DataFrame({"y": [3], "n": [2**60], "z": [True]}).iloc[:0],
        "d": pd.DataFrame({"y": [True], "n": [None]}),
    }
    records = {"status": "complete", "config": {"parts": dict.fromkeys(tables)}, "seed": 1}
    parts = [{"name": one, "folder": one, "status": "complete"} for one in tables]
    record = {"status": "complete", "config": {"study": {"kind": "lengths"}}, "seed": 1}
    work.mkdir()
    folder.mkdir()
    write_record(work, {**records, "parts": parts})
    for name, table in tables.items():
        (work / name).mkdir()
        write_record(work / name, record)
        write_tables(work / name, {"facts": table, f"of_{name}": table})
    gather(work, folder)
    run = open_folder(folder)
    assert list(run.tables) == []
    for part in run.parts:
        assert part.run is not None
        assert part.run.record == read_record(work / part.name)
        assert list(part.run.tables) == ["facts", f"of_{part.name}"]
        written = pd.read_parquet(work / part.name / "facts.parquet")
        pd.testing.assert_frame_equal(part.run.tables["facts"], written)
    assert pd.read_parquet(folder / "facts.parquet")["run"].tolist() == ["a", "a", "b", "d"]
