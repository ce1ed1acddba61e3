"""A new attack or measurement is one file: the guide's own, in the package or plugged in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pandas as pd
import pytest
from overlaying import EXAMPLES, ROOT, SMALL, TESTS, Commands, overlaid, plugged_in, run

from sim.errors import EXIT_CODE

ATTACK, MEASUREMENT = EXAMPLES["CommonItems"], EXAMPLES["TopShare"]
DEFENCE, AXIS = EXAMPLES["DropLastDays"], EXAMPLES["LastDays"]
UTILITY = EXAMPLES["RareKept"]
FILES = {
    "attack/algorithms/common_items.py": ATTACK,
    "measurements/top_share.py": MEASUREMENT,
    "defence/drop_last_days.py": DEFENCE,
    "axes/last_days.py": AXIS,
    "utility/rare_kept.py": UTILITY,
}
"""By their paths in ``sim``."""


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """Commands of packages in which the guide's files lie where it says."""
    with closing(Commands(overlaid(tmp_path_factory.mktemp("overlay"), FILES))) as standout:
        yield standout


def test_the_files_of_the_guide_pass_the_checks_of_the_project(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    files = {f"sim/{path}": code for path, code in FILES.items()}
    for path, code in (files | {f"tests/{name}.py": code for name, code in TESTS.items()}).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(code, encoding="utf-8")
    ours = f"src={[str(ROOT), '.']}"
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", ours],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tests_of_the_guide_pass(overlay: Commands, tmp_path: Path) -> None:
    assert len(TESTS) == len(EXAMPLES) == 5
    for name, code in TESTS.items():
        (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    asked = ["-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "-c", "none.ini"]
    (tmp_path / "none.ini").write_text("[pytest]\n", encoding="utf-8")
    files = [f"{name}.py" for name in TESTS]
    done = run(overlay.root, *asked, *files, at=tmp_path, path=str(ROOT / "tests"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 passed" in done.stdout


def test_the_help_has_them(overlay: Commands, tmp_path: Path) -> None:
    topics = ("all", "attack.rare", "study.top")
    done = [overlay("help", topic, at=tmp_path) for topic in topics]
    assert {one.returncode for one in done} == {0}
    words = " ".join(" ".join(one.stdout.split()) for one in done)
    assert "common_items Number of aux items held, counting rare items twice" in words
    assert "attack.rare maximum support of a rare item (default: 100; at least 1)" in words
    assert "top_share Share of all cells that belong to the most supported items" in words
    assert (
        "study.top numbers of the most supported items (default: [1,10,100]; at least 1)" in words
    )


def test_the_attack_runs(overlay: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    asked = ["attack=common_items", "attack.rare=50", f"data.cache={tmp_path}", *SMALL]
    done = overlay(*asked, f"hydra.run.dir={folder}", at=tmp_path)
    assert done.returncode == 0, done.stderr
    config = json.loads((folder / "run.json").read_text())["config"]["attack"]
    assert (config["name"], config["rare"], config["phi"]) == ("common_items", 50, 1.5)
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "at φ = 1.5" in report
    refused = overlay(*asked, "attack.rare=0", f"hydra.run.dir={tmp_path / 'no'}", at=tmp_path)
    assert refused.returncode == EXIT_CODE
    assert refused.stderr == (
        "standout: error: attack.rare: 0: expected a whole number of at least 1\n"
    )


def test_the_measure_of_utility_runs(overlay: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    asked = ["defence=[drop_items]", "defence.drop_items.min_support=15", f"data.cache={tmp_path}"]
    measures = ["utility=[rare_kept,people]", "utility.rare_kept.rare=30"]
    done = overlay(*asked, *measures, *SMALL, f"hydra.run.dir={folder}", at=tmp_path)
    assert done.returncode == 0, done.stderr
    table = pd.read_parquet(folder / "utility.parquet")
    assert table["measure"].tolist() == ["rare_kept", "people"]
    assert table["before"].tolist() == [1.0, 1.0]
    assert 0 < table["after"][0] < 1
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert "rare items kept" in report
    assert "Utility before and after the defences" in report
    help_text = overlay("help", "all", at=tmp_path).stdout
    assert "utility.rare_kept.rare" in help_text


def test_the_measurement_runs(overlay: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    asked = ["study=top_share", "study.top=[10,1,10]", f"data.cache={tmp_path}", *SMALL]
    done = overlay(*asked, f"hydra.run.dir={folder}", at=tmp_path, draws=True)
    assert done.returncode == 0, done.stderr
    facts = pd.read_parquet(folder / "facts.parquet")
    assert facts.columns.tolist() == ["items", "share"]
    summary = f"cells of the 10 most supported items: {100 * facts['share'][1]:.1f}%."
    assert summary in done.stdout
    assert (folder / "figures" / "top_share.png").is_file()
    report = (folder / "report.html").read_text(encoding="utf-8")
    assert summary in report
    assert "Share of all cells that belong to the most supported items" in report
    assert "share of all cells" in report


def test_from_python(overlay: Commands, tmp_path: Path) -> None:
    """By name, as an instance, and as an instance of a class of the script itself."""
    script = f"""
import sim
from sim.attack.algorithms.common_items import CommonItems
from sim.measurements.top_share import TopShare

class Mine(CommonItems):
    "Mine."
    name = "mine"

release = sim.synthetic("tiny", cache={str(tmp_path)!r})
grid = {{"aux": ["3/4"], "date_noise": [3]}}
asked = {{"grid": grid, "targets": 5, "options": {{"bayes_targets": 0}}}}
found = [
    sim.run(release, attack, **asked).decisions["best_score"].tolist()
    for attack in ("common_items", CommonItems(), Mine(), Mine(rare=1))
]
assert found[0] == found[1] == found[2] != found[3], found
try:
    sim.run(release, Mine(), options={{"attack.rare": 3}})
except sim.errors.ConfigError as error:
    print(error)
for measurement in ("top_share", TopShare(top=(2, 3))):
    print(sim.measure(release, measurement).tables["facts"]["items"].tolist())
"""
    done = run(overlay.root, "-c", script, at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "attack.rare: set it on the Mine that is given",
        "[1, 10, 100]",
        "[2, 3]",
    ]


@pytest.fixture
def plugged(tmp_path: Path) -> Path:
    """A distribution of two plug-ins that can be used and one that cannot."""
    modules = {
        "plugged_attack": ATTACK,
        "plugged_study": MEASUREMENT,
        "plugged_broken": "import nothing_of_this_name\n",
    }
    return plugged_in(
        tmp_path / "site",
        modules,
        "[standout.attacks]\n"
        "common_items = plugged_attack:CommonItems\n"
        "broken = plugged_broken:Broken\n"
        "[standout.measurements]\n"
        "top_share = plugged_study:TopShare\n",
    )


def test_a_plug_in_runs_beside_a_broken_one(
    forked: Commands, plugged: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    asked = ["attack=common_items", f"data.cache={tmp_path}", *SMALL, f"hydra.run.dir={folder}"]
    done = forked(*asked, at=tmp_path, path=plugged)
    assert done.returncode == 0, done.stderr
    (warning,) = [line for line in done.stderr.splitlines() if "plug-in" in line]
    assert "entry point broken = plugged_broken:Broken of plugged" in warning
    assert "nothing_of_this_name" in warning
    wrong = forked("attack=broken", *SMALL, at=tmp_path, path=plugged)
    assert wrong.returncode == EXIT_CODE
    said = wrong.stderr.splitlines()[-1]
    assert said.startswith(
        "standout: error: attack=broken: the plug-in cannot be used: entry point"
    )
    assert "Traceback" not in wrong.stderr
    without = forked("report", f"run={folder}", at=tmp_path)
    assert without.returncode == 0, without.stderr  # it is read where the plug-in is not installed
    resumed = forked("resume", str(folder), at=tmp_path)
    assert resumed.returncode == EXIT_CODE
    assert "common_items" in resumed.stderr
    (plugged / "plugged_attack.py").write_text(f"{ATTACK}\n# changed", encoding="utf-8")
    changed = forked("resume", str(folder), at=tmp_path, path=plugged)
    assert changed.returncode == EXIT_CODE
    assert "plug_in" in changed.stderr
