"""A new axis is one file: the guide's own, dropped into the package or plugged in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from overlaying import EXAMPLES, SMALL, Commands, overlaid, plugged_in

from sim.errors import EXIT_CODE

AXIS = EXAMPLES["LastDays"]


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """Commands of packages in which the file of the guide lies where it says."""
    root = overlaid(tmp_path_factory.mktemp("overlay"), {"axes/last_days.py": AXIS})
    with closing(Commands(root)) as standout:
        yield standout


def asked(folder: Path, cache: Path, *more: str) -> list[str]:
    """A small run of the axis."""
    return [*SMALL, f"data.cache={cache}", f"hydra.run.dir={folder}", *more]


def check_run(folder: Path) -> None:
    """See that the axis is a column, took facts out, and took out nothing else."""
    curves = pd.read_parquet(folder / "curves.parquet")
    assert curves["last_days"].isna().tolist() == [True, False]
    assert curves["last_days"][1] == 200
    assert curves["n_eligible"][1] < curves["n_eligible"][0]
    release = json.loads((folder / "run.json").read_text())["release"]
    begin = release["first_day"] + release["n_days"] - 200
    aux = pd.read_parquet(folder / "aux.parquet").query("kind == 'true'")
    days = [aux.loc[aux["cell"] == cell, "day"] for cell in (0, 1)]
    assert days[0].min() < begin - 3  # the noise of the days
    assert days[1].min() >= begin - 3
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "the last 200 days" in report
    assert "has no model of" in report


def test_it_is_in_the_help_and_runs(overlay: Commands, tmp_path: Path) -> None:
    words = " ".join(overlay("help", "all", at=tmp_path).stdout.split())
    assert (
        "grid.last_days number of last days whose cells may be known; null: any day: [null,365] "
        "(default: [null])" in words
    )
    folder = tmp_path / "run"
    done = overlay(
        *asked(folder, tmp_path, "grid.last_days=[null,200]", "bayes_targets=5"), at=tmp_path
    )
    assert done.returncode == 0, done.stderr
    check_run(folder)
    resumed = overlay("resume", str(folder), at=tmp_path)
    assert resumed.returncode == 0, resumed.stderr
    for value, expected in (("0", "expected a whole number of at least 1"), ("x", "last_days")):
        refused = overlay(
            *asked(tmp_path / "no", tmp_path, f"grid.last_days=[{value}]"), at=tmp_path
        )
        assert refused.returncode == EXIT_CODE
        assert expected in refused.stderr
        assert "Traceback" not in refused.stderr
    refused = overlay(
        *asked(tmp_path / "no", tmp_path, "grid.last_days=[9]", "attack=bayes"), at=tmp_path
    )
    assert refused.returncode == EXIT_CODE
    assert "Recent(days=9)" in refused.stderr


def test_it_can_be_plugged_in(forked: Commands, tmp_path: Path) -> None:
    site = plugged_in(
        tmp_path / "site",
        {"plugged_axis": AXIS},
        "[standout.axes]\nlast_days = plugged_axis:LastDays\nbroken = plugged_axis:Nothing\n",
    )
    used, unused, plain = (tmp_path / name for name in ("used", "unused", "plain"))
    more = ("grid.last_days=[null,200]", "bayes_targets=5")
    done = forked(*asked(used, tmp_path, *more), at=tmp_path, path=site)
    assert done.returncode == 0, done.stderr
    assert "entry point broken" in done.stderr
    check_run(used)
    broken = forked(*asked(unused, tmp_path, "grid.broken=[1]"), at=tmp_path, path=site)
    assert broken.returncode == EXIT_CODE
    assert "grid.broken: the plug-in cannot be used: entry point" in broken.stderr
    header = json.loads((used / "ledger.jsonl").read_text().splitlines()[0])["header"]
    assert list(header["asked"]["plug_in_axes"]) == ["last_days"]
    # A plug-in that is installed and not used leaves no trace in the results.
    for folder, path in ((unused, site), (plain, None)):
        done = forked(*asked(folder, tmp_path), at=tmp_path, path=path)
        assert done.returncode == 0, done.stderr
    for name in ("curves.parquet", "aux.parquet", "decisions.parquet"):
        assert (unused / name).read_bytes() == (plain / name).read_bytes()
    for asked_for in (("report", f"run={used}"), ("resume", str(used))):
        without = forked(*asked_for, at=tmp_path)  # its key is no key of ours
        assert without.returncode == EXIT_CODE
        assert "grid.last_days" in without.stderr
        assert "Traceback" not in without.stderr
    (site / "plugged_axis.py").write_text(f"{AXIS}\n# changed", encoding="utf-8")
    changed = forked("resume", str(used), at=tmp_path, path=site)
    assert changed.returncode == EXIT_CODE
    assert "plug_in_axes" in changed.stderr
