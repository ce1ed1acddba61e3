"""Every command in the documents, the help and the comments of ``conf/`` can be typed as it is."""

from __future__ import annotations

import io
import re
import sys
import tarfile
import types
import zipfile
from pathlib import Path
from typing import Any

import pytest
from overlaying import EXAMPLES
from printed import (
    ROOT,
    commands_of,
    fenced,
    words_of,
)

from sim.attack.algorithms.registry import ATTACKS
from sim.axes.registry import AXES
from sim.defence.registry import DEFENCES
from sim.measurements.registry import MEASUREMENTS
from sim.utility.registry import UTILITIES

HELP = ROOT / "conf" / "help.txt"
COMMAND_HELP = ROOT / "conf" / "commands.txt"
DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(path for path in (ROOT / "sim/guide").glob("*.md") if path.stem != "spec"),
        ROOT / "outputs/README.md",
    ]
)
CONF = sorted((ROOT / "conf").rglob("*.yaml"))
COMMANDS = list(
    dict.fromkeys(c for path in (*DOCUMENTS, HELP, COMMAND_HELP, *CONF) for c in commands_of(path))
)
OURS = [
    line
    for line in COMMANDS
    if words_of(line)[0] == "standout" and not re.search(r" FILE( |$)|\[key=value", line)
]
PYTHON = [
    path
    for path in DOCUMENTS
    if path.stem not in ("extending", "files") and any(fenced(path.read_text("utf-8"), "python"))
]
"""Documents whose Python is run here; that of the other two has tests of its own."""

FOLDERS = ("FOLDER", "RUN_FOLDER", "outputs/my-run", "outputs/ns08_fig4/2026-01-31/09-00-00")
"""What stands for the folder of a run."""

SMALL = {"targets": "4", "bayes_targets": "0", "dry_run": "true"}
"""What makes a command cheap; all data are small too."""


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """The classes of the documents' examples are known, as if their files were in the package."""
    for registry in (ATTACKS, MEASUREMENTS, DEFENCES, UTILITIES, AXES):
        monkeypatch.setattr(registry, "_found", dict(registry.all()))
    for name, code in EXAMPLES.items():
        module = types.ModuleType(f"example_{name}")
        monkeypatch.setitem(sys.modules, module.__name__, module)
        exec(code, vars(module))
        (registry,) = (
            one
            for one in (ATTACKS, MEASUREMENTS, DEFENCES, UTILITIES, AXES)
            if issubclass(vars(module)[name], one.base)
        )
        registry.add(vars(module)[name])


def test_the_commands_are_found() -> None:
    """The tests below would pass if none were."""
    assert len(OURS) >= 18
    for part in ("experiment=all", "--multirun", "resume", "report", "data=netflix", "--help"):
        assert any(part in line for line in OURS), part


def rows() -> list[tuple[int, int, int, int]]:
    """Person, item, stars and day: eight items or more for everyone."""
    return [(p, i, 1 + (p * i) % 5, p + i) for p in range(1, 25) for i in range(20) if (p + i) % 3]


@pytest.fixture
def files(place: Path) -> None:
    """The files that the documents name, with few rows."""
    lines = [f"{p}::{i}::{stars}::{964982703 + 864000 * day}" for p, i, stars, day in rows()]
    with zipfile.ZipFile("ml-1m.zip", "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "\n".join(lines) + "\n")
    with tarfile.open("training_set.tar", "w") as tar:
        for item in range(20):
            mine = [
                f"{p},{s},2005-{1 + d % 12:02d}-{1 + d % 28:02d}"
                for p, i, s, d in rows()
                if i == item
            ]
            content = "\n".join([f"{item + 1}:", *mine, ""]).encode()
            info = tarfile.TarInfo(f"training_set/mv_{item + 1:07d}.txt")
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    visits = [f"{p},{i},2020-{1 + d % 12:02d}-{1 + d % 28:02d}" for p, i, _, d in rows()]
    Path("visits.csv").write_text("\n".join(["person,place,day", *visits, ""]))
    named = [f"{p},{i},2020-01-{1 + d % 28:02d} 10:00,{p % 5},1" for p, i, _, d in rows()]
    heads = 'Prénom,lieu visité,"jour, heure",carte,salle'
    Path("visites.csv").write_text("\n".join([heads, *named, ""]), encoding="utf-8")


@pytest.fixture
def a_few_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Suites of two parts; all of them are run elsewhere."""
    from sim.session import jobs

    whole = jobs._parts_of
    monkeypatch.setattr(jobs, "_parts_of", lambda config: whole(config)[:2])


FLAGS = ("--help", "--hydra-help", "--cfg")


def smaller(line: str, **more: str) -> tuple[str, ...]:
    """The same command on small data, for a few targets; of many experiments, one."""
    words = words_of(line)[1:]
    if words[0] in ("audit", "plan"):
        verb, path, *rest = words
        if rest[:1] == ["--max-risk"]:
            rest = [f"{verb}.max_risk={rest[1]}", *rest[2:]]
        words = [verb, path, *rest]
    if words[:1] == ["figure"]:
        words = [f"experiment={words[1]}", *words[2:]]
    if words[:1] and words[0] in FLAGS:
        return tuple(words)
    filled = [word.replace("NAME", "ns08_fig4").replace("ns08_*", "ns08_fig4*") for word in words]
    wanted = {**SMALL, **more}
    if words[0] not in ("audit", "plan") and not any(word.startswith("data=") for word in words):
        wanted["data.preset"] = "tiny"
    if "experiment=plan" in filled or words[0] == "plan":
        del wanted["targets"]  # its parts set them
    kept = [word for word in filled if word.partition("=")[0] not in wanted]
    return (*kept, *(f"{key}={value}" for key, value in wanted.items() if value))


NAMES = ("resume", "report")
"""Commands that a text names without their folder."""

APART = ("guide", "describe", "check", "publish", "compare", "export", "help", "cache")
"""Commands that are tried by tests of their own."""

STUDIES = list(
    dict.fromkeys(
        smaller(x)
        for x in OURS
        if x.split()[-1] not in NAMES
        and x.split()[1] not in APART
        and not any(f in x for f in FOLDERS)
    )
)
"""What is typed on small data, each once."""


@pytest.mark.parametrize("words", STUDIES, ids=" ".join)
def test_a_command_runs(
    standout: Any, files: None, a_few_parts: None, no_figures: None, nothing_timed: None,
    store_cache: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...],
) -> None:  # fmt: skip
    if words[0] == "--multirun":  # every job is composed, checked and planned; that will do
        monkeypatch.setattr("sim.cli.run.estimate", lambda job: f"{job.config.name} is planned")
    cache = [] if words[0] in FLAGS else [f"data.cache={store_cache}"]
    found = standout(*words, *cache)
    assert found.code == 0, found.err
    assert all(line.startswith("estimate: ") for line in found.err.splitlines()), found.err
    assert found.out


def test_releases_are_published(standout: Any, files: None, store_cache: Path, place: Path) -> None:
    """By a command of the documents; the table and the linkage are those that it names."""
    published = [words_of(line)[1:] for line in OURS if words_of(line)[1] == "publish"]
    whole = [words for words in published if len(words) > 1 and "data=movielens" not in words]
    assert whole
    with Path("visits.csv").open("a") as visits:
        visits.write("999,1,2020-01-01\n999,2,2020-01-01\n")  # a guest, with few entries
    for words in whole:
        found = standout(*words, f"data.cache={store_cache}")
        assert (found.code, found.err) == (0, "")
        drops = any("drop_items" in word for word in words)
        assert ("After drop_items: 25 of 25 people" in found.out) == drops
        for word in words:
            key, _, path = word.partition("=")
            assert key not in ("out", "linkage") or (place / path).is_file()


def test_releases_are_described(standout: Any, files: None, store_cache: Path) -> None:
    described = [words_of(line)[1:] for line in OURS if words_of(line)[1] == "describe"]
    whole = [words for words in described if len(words) > 1]
    assert whole
    for words in whole:
        found = standout(*words, f"data.cache={store_cache}")
        assert (found.code, found.err) == (0, "")
        assert "entries of a person" in found.out
