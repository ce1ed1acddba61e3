"""The command that makes a report again: redraws everything, or says in one line why it cannot."""

import json

import pandas as pd
import pytest
from reporting import folder_of

from sim.cli.report import report_command
from sim.errors import InputError, StandoutError

CONFIG = {"name": "m", "seed": 1, "study": {"kind": "lengths"}, "data": {"kind": "synthetic"}}


@pytest.fixture
def measured(tmp_path):
    counts = {"n_records": 9, "length_median": 2.0, "length_mean": 2.5, "length_max": 4}
    tables = {
        "facts": pd.DataFrame([{"n_cells": 18, **counts}]),
        "lengths": pd.DataFrame({"x": [1, 2], "exactly": [4, 5], "at_least": [9, 5]}),
        "beyond": pd.DataFrame({"items": [2], "records": [0]}),
    }
    return folder_of(tmp_path / "run", CONFIG, tables)


@pytest.mark.parametrize("words", ["run={}", "{}"])
def test_everything_is_made_from_the_tables_alone(measured, capsys, words):
    report_command([words.format(measured)])
    said = capsys.readouterr().out.splitlines()
    assert said == [f"figures  {measured / 'figures'} (1)", f"report   {measured / 'report.html'}"]
    first = (measured / "report.html").read_bytes()
    (measured / "figures" / "lengths.png").write_text("stale")
    report_command([words.format(measured)])
    assert (measured / "report.html").read_bytes() == first


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "expected one run folder: standout report RUN_FOLDER"),
        (["run="], "expected one run folder"),
        (["run=a", "run=b"], "expected one run folder"),
        (["--help"], "expected one run folder"),
        (["folder=a"], "folder=a: not a key of report; expected standout report"),
        (["run=a", "extra=1"], "extra=1: not a key of report"),
        (["run=not-there"], "not-there: no such folder"),
    ],
)
def test_wrong_arguments_are_said_in_one_line(arguments, said):
    with pytest.raises(StandoutError) as caught:
        report_command(arguments)
    assert said in str(caught.value)


def test_what_holds_no_run_is_said(tmp_path, measured):
    for spoilt, said in (
        (lambda: None, "not a run folder: it has no run.json"),
        (lambda: (tmp_path / "run.json").write_text("{"), r"run.json: cannot be read"),
        (lambda: (tmp_path / "run.json").write_text("[]"), "not the record of a run"),
    ):
        spoilt()
        with pytest.raises(StandoutError, match=said):
            report_command([str(tmp_path)])
    (measured / "facts.parquet").write_bytes(b"PAR1")
    with pytest.raises(StandoutError, match=r"facts\.parquet: cannot be read"):
        report_command([str(measured)])
    (measured / "facts.parquet").unlink()
    with pytest.raises(StandoutError, match=r"holds no finished run: it has no facts\.parquet"):
        report_command([str(measured)])


def test_a_part_outside_its_suite_is_refused(tmp_path, measured):
    part = {"name": "a", "folder": "../run", "status": "complete", "error": None}
    folder = folder_of(tmp_path / "suite", {**CONFIG, "parts": {"a": []}}, {}, parts=[part])
    with pytest.raises(InputError, match="its folder lies outside the run"):
        report_command([str(folder)])
    record = json.loads((folder / "run.json").read_text())
    record["parts"] = []
    (folder / "run.json").write_text(json.dumps(record))
    with pytest.raises(InputError, match="has no finished part"):
        report_command([str(folder)])
