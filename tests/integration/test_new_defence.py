"""A new defence is one file: the guide's own, dropped into the package or plugged in."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pandas as pd
import pytest
from overlaying import EXAMPLES, SMALL, Commands, overlaid, plugged_in, run
from printed import NONE_CALLED

from sim.defence.registry import DEFENCES
from sim.errors import EXIT_CODE

UNDISCLOSED = EXAMPLES["DropLastDays"].replace("drop_last_days", "no_end")
# The statement is false; these tests only read what reports say of a defence that makes one.
DEFENCE = (
    EXAMPLES["DropLastDays"].rstrip()
    + """

    def disclosed(self, publisher, release):
        return publisher
"""
)
CHOSEN = "defence=[drop_last_days,jitter_time]"


@pytest.fixture(scope="module")
def overlay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Commands]:
    """Commands of packages in which the guide's file lies where it says."""
    files = {
        "defence/drop_last_days.py": DEFENCE,
        "defence/no_end.py": UNDISCLOSED,
    }
    with closing(Commands(overlaid(tmp_path_factory.mktemp("overlay"), files))) as standout:
        yield standout


def refusal(done: CompletedProcess[str]) -> str:
    """The one line of what was refused."""
    assert done.returncode == EXIT_CODE
    assert "Traceback" not in done.stderr
    return done.stderr.splitlines()[-1].removeprefix("standout: error: ")


def test_the_help_has_it(overlay: Commands, tmp_path: Path) -> None:
    topics = ("all", "defence.drop_last_days.days")
    done = [overlay("help", topic, at=tmp_path) for topic in topics]
    assert {one.returncode for one in done} == {0}
    words = " ".join(" ".join(one.stdout.split()) for one in done)
    assert "drop_last_days Drops the cells of the last days" in words
    assert (
        "defence.drop_last_days.days days at the end of the release (default: 1; at least 1)"
        in words
    )


@pytest.fixture(scope="module")
def defended(overlay: Commands, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run on a release that two defences changed."""
    place = tmp_path_factory.mktemp("defended")
    done = overlay(
        CHOSEN, "defence.drop_last_days.days=7", f"data.cache={place}",
        *SMALL, f"hydra.run.dir={place / 'run'}", at=place,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "do not know" not in done.stdout
    return place / "run"


def test_it_runs(defended: Path) -> None:
    record = json.loads((defended / "run.json").read_text())
    assert record["config"]["defence"] == {
        "drop_last_days": {"days": 7},
        "jitter_time": {"date_noise": 14},
    }
    assert [each["name"] for each in record["defences"]] == ["drop_last_days", "jitter_time"]
    assert record["read"]["n_cells"] > record["release"]["n_cells"]
    assert record["release"]["n_days"] <= record["read"]["n_days"] - 7 + 2 * 14
    found = json.loads((defended / "findings.json").read_text(encoding="utf-8"))["findings"]
    applied = [one["subject"] for one in found if one["kind"] == "defence_applied"]
    assert applied == ["defence:drop_last_days", "defence:jitter_time"]
    assert not any(one["kind"] == "defence_unknown" for one in found)


def test_the_order_is_that_given(overlay: Commands, defended: Path, tmp_path: Path) -> None:
    """Days that were moved past the end are of the last days, too."""
    done = overlay(
        "study=lengths", "defence=[jitter_time,drop_last_days]",
        "defence.drop_last_days.days=7", f"data.cache={defended.parent}", *SMALL,
        f"hydra.run.dir={tmp_path / 'run'}", at=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    one, other = (
        json.loads((folder / "run.json").read_text())["release"]
        for folder in (defended, tmp_path / "run")
    )
    assert other["n_cells"] > one["n_cells"]


def test_what_attackers_do_not_know_is_said(overlay: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    asked = ["defence=[no_end]", f"data.cache={tmp_path}", *SMALL]
    done = overlay(*asked, f"hydra.run.dir={folder}", at=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((folder / "findings.json").read_text(encoding="utf-8"))["findings"]
    unknown = [one["subject"] for one in found if one["kind"] == "defence_unknown"]
    assert unknown == ["defence:no_end"]


FOUND = sorted([*DEFENCES.all(), "drop_last_days", "no_end"])
"""The defences of the package, and those that are added to it here."""

REFUSED = {
    "defence=[drop_last_days] defence.drop_last_days.days=0": (
        "defence.drop_last_days.days: 0: expected a whole number of at least 1"
    ),
    "defence=[drop_last_day]": (
        f"defence: 'drop_last_day': {NONE_CALLED}did you mean drop_last_days?; "
        "see standout help defence"
    ),
    "defence=[no_end,no_end]": (
        "defence: no_end: given twice; each defence can be applied once, with options under "
        "defence.no_end"
    ),
    "defence=[jitter_time] defence.drop_last_days.days=2": (
        "defence.drop_last_days.days: not an option of what was chosen; leave "
        "defence.drop_last_days.days out, or set what it is a key of: "
        "'defence=[drop_last_days]'; see standout --help"
    ),
    "+defence.no_end.days=2": (
        "defence.no_end: not chosen; set 'defence=[no_end]'; see standout --help"
    ),
    "defence=drop_items,no_end": (
        "defence=drop_items,no_end: holds a comma; to use it as a list: "
        "'defence=[drop_items,no_end]'; or add --multirun to run each; see standout --help"
    ),
}


def test_what_cannot_be_is_refused_in_a_line(overlay: Commands, tmp_path: Path) -> None:
    script = f"""
from sim.config.compose import composed, configured
from sim.errors import ConfigError
from sim.session.jobs import plan_job

for words in {list(REFUSED)!r}:
    try:
        plan_job(configured(composed(words.split())), words.split())
    except ConfigError as error:
        print(error)
"""
    done = run(overlay.root, "-c", script, at=tmp_path)
    assert done.stdout.splitlines() == list(REFUSED.values()), done.stderr
    many = ["defence=[drop_last_days]", "defence.drop_last_days.days=99999"]
    place = [f"data.cache={tmp_path}", f"hydra.run.dir={tmp_path / 'run'}"]
    left = overlay("study=lengths", *many, *SMALL, *place, at=tmp_path)
    assert refusal(left) == "defence=[drop_last_days]: nothing is left of the release"


def test_from_python(overlay: Commands, tmp_path: Path) -> None:
    """By name, as an instance, and as an instance of a class of the script itself."""
    script = f"""
import sim
from sim.defence.drop_items import DropItems
from sim.defence.drop_last_days import DropLastDays

class Mine(DropLastDays):
    "Mine."
    name = "mine"

release = sim.synthetic("tiny", cache={str(tmp_path)!r})
grid = {{"aux": ["3/4"], "date_noise": [3]}}
asked = {{"grid": grid, "targets": 5, "options": {{"bayes_targets": 0}}}}
found = [
    sim.run(release, defence=[defence, DropItems(min_support=5)], **asked).record["release"]
    for defence in ("drop_last_days", DropLastDays(), Mine(), Mine(days=30))
]
cells = [one["n_cells"] for one in found]
assert cells[0] == cells[1] == cells[2] > cells[3], cells
print(found[3]["notes"]["defences"])
facts = sim.measure(release, "lengths", defence=[Mine()]).record["defences"]
print(facts[0]["name"], facts[0]["options"])
twice = [{{"name": "drop_items", "min_support": 5}}, {{"name": "drop_items", "min_support": 9}}]
for wrong in ([Mine(days=3), Mine(days=2)], twice, Mine(), ["nobodys"]):
    try:
        sim.run(release, defence=wrong, **asked)
    except sim.errors.ConfigError as error:
        print(error)
try:
    sim.run(release, defence=[Mine()], options={{"defence.mine.days": 3}})
except sim.errors.ConfigError as error:
    print(error)
"""
    done = run(overlay.root, "-c", script, at=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines == [
        "mine(days=30), drop_items(min_support=5)",
        "mine {'days': 1}",
        "defence: mine, mine: expected each defence once",
        "defence: drop_items, drop_items: expected each defence once",
        "defence: Mine(days=1): expected a list",
        f"defence: 'nobodys': {NONE_CALLED}expected some of {len(FOUND) + 1}: "
        f"{', '.join(FOUND[:3])}, …, mine; see standout help defence",
        "defence.mine.days: set it on the Mine that is given",
    ]


@pytest.fixture
def plugged(tmp_path: Path) -> Path:
    """A distribution of a plug-in that can be used and one that cannot."""
    return plugged_in(
        tmp_path / "site",
        {"plugged_defence": DEFENCE},
        "[standout.defences]\n"
        "drop_last_days = plugged_defence:DropLastDays\n"
        "broken = plugged_defence:Nobody\n",
    )


def test_a_plug_in_runs_and_a_run_folder_names_installed_ones_alone(
    forked: Commands, plugged: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    asked = [CHOSEN, f"data.cache={tmp_path}", *SMALL, f"hydra.run.dir={folder}"]
    done = forked(*asked, at=tmp_path, path=plugged)
    assert done.returncode == 0, done.stderr
    before = pd.read_parquet(folder / "decisions.parquet")
    wrong = forked("defence=[broken]", *SMALL, at=tmp_path, path=plugged)
    assert refusal(wrong).startswith("'defence=[broken]': the plug-in cannot be used: entry point")
    (folder / "ledger.jsonl").unlink()
    again = forked("resume", str(folder), at=tmp_path, path=plugged)
    assert again.returncode == 0, again.stderr
    pd.testing.assert_frame_equal(pd.read_parquet(folder / "decisions.parquet"), before)
    for words in (["resume", str(folder)], ["report", f"run={folder}"]):
        without = forked(*words, at=tmp_path)
        said = refusal(without)
        assert said.startswith(
            f"{folder / 'run.json'}: overrides: defence: 'drop_last_days': {NONE_CALLED}expected "
            "some of "
        )


def test_another_version_of_a_defence_makes_another_store(
    forked: Commands, plugged: Path, tmp_path: Path
) -> None:
    """The cache goes by what a defence does, not by what it is called."""
    cells = []
    for code in (DEFENCE, DEFENCE.replace("end - self.days", "end - 2 * self.days")):
        (plugged / "plugged_defence.py").write_text(code, encoding="utf-8")
        folder = tmp_path / f"run-{len(cells)}"
        done = forked(
            "study=lengths", CHOSEN, "defence.drop_last_days.days=30",
            f"data.cache={tmp_path}", *SMALL, f"hydra.run.dir={folder}",
            at=tmp_path, path=plugged,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        cells.append(json.loads((folder / "run.json").read_text())["release"]["n_cells"])
    assert cells[0] > cells[1]


@pytest.mark.parametrize(
    ("line_that_fails", "why"),
    [("1 / 0", "ZeroDivisionError: division by zero"), ("raise SystemExit(0)", "SystemExit: 0")],
)
def test_a_plug_in_that_fails_is_named_with_its_line(
    forked: Commands, tmp_path: Path, line_that_fails: str, why: str
) -> None:
    """The run folder's log has the traceback, for whoever is to mend it."""
    fails = f"def apply(self, *_):\n        {line_that_fails}\n\n    def old("
    flawed = EXAMPLES["DropLastDays"].replace("def apply(", fails)
    site = plugged_in(
        tmp_path / "site",
        {"plugged_defence": flawed},
        "[standout.defences]\ndrop_last_days = plugged_defence:DropLastDays\n",
    )
    asked = ["defence=[drop_last_days]", f"data.cache={tmp_path}", *SMALL, "hydra.run.dir=run"]
    said = refusal(forked(*asked, at=tmp_path, path=site))
    place, _, what = said.partition(": in apply: ")
    file, _, line = place.rpartition(":")
    assert (file, (site / "plugged_defence.py").read_text().splitlines()[int(line) - 1]) == (
        str(site / "plugged_defence.py"), f"        {line_that_fails}",
    )  # fmt: skip
    assert what == (
        f"{why}: the code of a plug-in failed; mend it, or leave it out; its traceback is in "
        "run/standout.log"
    )
    assert "Traceback" in (tmp_path / "run" / "standout.log").read_text()
