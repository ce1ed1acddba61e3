"""Every command in the documents, the help and the comments of ``conf/`` can be typed as it is."""

from __future__ import annotations

import inspect
import io
import os
import re
import stat
import subprocess
import sys
import tarfile
import types
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from overlaying import EXAMPLES
from printed import (
    KEY,
    ROOT,
    commands_of,
    comments,
    fenced,
    is_command,
    joined_lines,
    overrides_in,
    spans,
    words_of,
)

import sim
from sim.attack.algorithms.registry import ATTACKS
from sim.axes.registry import AXES, axes_of
from sim.config.compose import composed, configured
from sim.config.refusals import types_of_keys
from sim.config.schema import choices
from sim.defence.registry import DEFENCES
from sim.measurements.registry import MEASUREMENTS
from sim.session.jobs import plan_job
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
        words = [f"experiment={verb}", "data=table", f"data.path={path}", *rest]
    if words[:1] == ["figure"]:
        words = [f"experiment={words[1]}", *words[2:]]
    if words[:1] and words[0] in FLAGS:
        return tuple(words)
    filled = [word.replace("NAME", "ns08_fig4").replace("ns08_*", "ns08_fig4*") for word in words]
    wanted = {**SMALL, **more}
    if not any(word.startswith("data=") for word in words):
        wanted["data.preset"] = "tiny"
    if "experiment=plan" in filled:
        del wanted["targets"]  # its parts set them
    kept = [word for word in filled if word.partition("=")[0] not in wanted]
    return (*kept, *(f"{key}={value}" for key, value in wanted.items() if value))


NAMES = ("resume", "report")
"""Commands that a text names without their folder."""

APART = ("guide", "describe", "build", "check", "publish", "compare", "export", "help", "cache")
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


def test_stores_are_built(standout: Any, files: None, store_cache: Path) -> None:
    """By one process: what a cluster does is tested elsewhere."""
    asked = [words_of(line)[1:] for line in OURS if words_of(line)[1] == "build"]
    whole = [words for words in asked if len(words) > 1]
    assert whole
    for words in whole:
        kept = [word.replace("/shared/", "") for word in words if not word.startswith("cluster")]
        small = [word.replace("=netflix", "=tiny") for word in kept]
        found = standout(*small, "cluster=inline", f"data.cache={store_cache}")
        assert (found.code, found.err) == (0, "")
        assert "store: " in found.out


def test_pages_of_the_guide_are_printed(standout: Any) -> None:
    lines = [words_of(line)[1:] for line in OURS if words_of(line)[1] == "guide"]
    assert ["guide", "PAGE"] in lines
    for words in lines:
        found = standout(*("glossary" if word == "PAGE" else word for word in words))
        assert (found.code, found.err) == (0, "")
        assert found.out


def test_commands_on_a_run_folder(
    standout: Any, place: Path, no_figures: None, store_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever a folder is asked for, that of a run does."""
    made = smaller("standout hydra.run.dir=made", dry_run="", cluster="inline")
    assert standout(*made, f"data.cache={store_cache}").code == 0
    monkeypatch.setattr("sim.cli.report.draw_run", lambda folder: [])
    monkeypatch.setattr("sim.cli.report.write_report", lambda folder: folder / "report.html")
    lines = [
        line
        for line in OURS
        if any(folder in line for folder in FOLDERS)
        and words_of(line)[1] not in ("check", "export", "open", "repeat", "plan")
    ]
    assert len(lines) >= 5
    names = "|".join(sorted(map(re.escape, FOLDERS), key=len, reverse=True))
    for line in sorted({re.sub(names, "made", line) for line in lines}):
        found = standout(*words_of(line)[1:])
        assert found.code == 0, (line, found.err)
        assert "made" in found.out


def test_a_shell_takes_them_as_they_are() -> None:
    """Also one that refuses what looks like the pattern of a file's name, as zsh does."""
    script = "\n".join(
        ["shopt -s failglob", "standout() { printf '%s\\0' \"$@\"; printf '\\n'; }", *OURS]
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert done.stderr == ""
    typed = [line.split("\0")[:-1] for line in done.stdout.splitlines()]
    assert [[w for w in words if w != "…"] for words in typed] == [words_of(x)[1:] for x in OURS]


PYTHON_KEYS = {*inspect.signature(sim.run).parameters, *inspect.signature(sim.nearest).parameters}
DATA = {
    "data=table": ["data.path=x", "data.user=a", "data.item=b"],
    "data=movielens": ["data.path=x"],
    "data=netflix": ["data.path=x"],
    "cluster=address": ["cluster.address=host:1"],
    "experiment=plan": ["plan.max_risk=0.1"],
    "adversary=aux": ["grid=sweep"],
    "adversary=mentions": ["grid=mentions"],
    "grid=mentions": ["adversary=mentions"],
    "adversary=elsewhere": ["grid=people"],
    "grid=people": ["adversary=elsewhere"],
    "adversary=mentions_file": [
        *("grid=people", "adversary.path=x", "adversary.user=a", "adversary.item=b"),
    ],
    "adversary=external": [
        *("grid=people", "adversary.path=x", "adversary.user=a", "adversary.item=b"),
    ],
}
"""What goes with a choice."""


def complete(given: list[str]) -> list[str]:
    """Overrides with what goes with them, and something in the place of dots."""
    filled = [word.removesuffix("...") + "x" if word.endswith("...") else word for word in given]
    keys = {word.partition("=")[0] for word in filled}
    usual = {"data=synthetic", "attack=scoreboard_rh", "adversary=aux", "grid=sweep"}
    owners = [[x.strip("'") for x in types_of_keys(choices()).get(key, ())] for key in sorted(keys)]
    chosen = [
        choices[0]
        for choices in owners
        if choices and not usual & set(choices) and "=" in choices[0]
        if choices[0].partition("=")[0] not in keys
    ]
    if any(key.startswith("plan.") for key in keys) and "experiment" not in keys:
        chosen.append("experiment=frontier")
    more = [word for each in [*filled, *chosen] for word in [*DATA.get(each, []), each]]
    return [*(word for word in more if word.partition("=")[0] not in keys), *filled]


def alternatives(words: list[str]) -> list[list[str]]:
    """One reading for each of several values: ``value|item``."""
    for at, word in enumerate(words):
        key, _, value = word.partition("=")
        if "|" in value:
            return [[*words[:at], f"{key}={x}", *words[at + 1 :]] for x in value.split("|")]
    return [words]


def named() -> list[str]:
    """Overrides in the sentences of the documents, in comments and in the help."""
    found = []
    for path in DOCUMENTS:
        for span in spans(path.read_text(encoding="utf-8")):
            words = span.split()
            if words and all(re.match(rf"{KEY}=[^\s=]", word) for word in words):
                found.append(span)
    for path in CONF:
        text = path.read_text(encoding="utf-8")
        found += [" ".join(overrides_in(x)) for x in comments(text) if "standout" not in x]
    lines = joined_lines(HELP.read_text(encoding="utf-8"))
    listed = [
        " ".join(overrides_in(x))
        for x in lines
        if not re.search("standout (check|publish|compare|export|cache)", x)
    ]
    found += [x for x in listed if "FOLDER" not in x and x != "key=value"]
    return list(dict.fromkeys(x for x in found if x))


def taken(asked: list[str]) -> None:
    """Compose and check."""
    plan_job(configured(composed(asked)), asked)


def test_an_override_in_a_sentence_is_taken(a_few_parts: None) -> None:
    asked = set()
    for text in named():
        words = [text] if text.startswith("parts=") else text.split()
        if words[0].partition("=")[0] in {"key", "released", *PYTHON_KEYS} - {
            "targets",
            "seed",
            "grid",
            "attack",
        }:
            continue
        for reading in alternatives([word.replace("NAME", "bayes") for word in words]):
            if not any("glob(" in word or re.search(r"\w,\w", word) for word in reading):
                asked.add(tuple(complete(reading)))
    assert len(asked) > 25
    for overrides in sorted(asked):
        taken([*overrides])


def test_an_example_of_a_value_is_taken() -> None:
    """Of the tables of the documents, and of what the help says of each key."""
    table = re.findall(
        r"^\| `(grid\.\w+)` \| (?:mentions: )?(.*) \| `(\S+)` \|$",
        (ROOT / "sim/guide/grid.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    axes = [(key, example) for key, _, example in table]
    stated = [axis for axis in axes_of() if axis.name != "last_days"]
    assert axes == [(f"grid.{axis.name}", axis.example) for axis in stated]
    assert [text.replace("`", "") for _, text, _ in table] == [axis.help for axis in stated]
    keys = re.findall(
        r"^  ([a-z_.]+) .*: (\[\S+\]|\{.*\})$", HELP.read_text(encoding="utf-8"), re.MULTILINE
    )
    said = {key: f"{key}={value}" for key, value in (*axes, *keys)}
    of_mentions = [said.pop(f"grid.{axis.name}") for axis in stated if "sweep" not in axis.grids]
    taken(["grid.aux=[8/8]", said.pop("grid.first")])
    taken([*said.values()])
    taken(["adversary=mentions", "grid=mentions", *of_mentions])


def test_targets_of_make_and_what_they_run() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = {line.split()[1] for line in COMMANDS if line.startswith("make ")}
    assert {"run", "test"} <= named <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))
    (line,) = re.findall(r"^run:.*\n\t\$\(BIN\)/(standout .*)$", makefile, re.MULTILINE)
    assert smaller(line) in STUDIES


def test_benchmarks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    if getattr(sys.modules.get("benchmarks"), "__file__", None) is None:
        sys.modules.pop("benchmarks", None)  # the folder of their tests
    from benchmarks import __main__ as all_of_them
    from benchmarks import facts, readme, registry

    nothing = types.SimpleNamespace(run=lambda scale, cache: [])
    monkeypatch.setattr(all_of_them, "load", lambda name: nothing)
    lines = [words_of(x)[1:] for x in COMMANDS if x.startswith("python -m benchmarks")]
    assert len(lines) >= 2
    for _, module, *arguments in lines:
        if module == "benchmarks.facts":
            monkeypatch.setattr(facts, "_RECORDED", tmp_path)
            facts.main([*arguments, "--preset", "tiny"])
            continue
        if module == "benchmarks.readme":
            monkeypatch.setattr(readme, "DOCUMENTS", ())
            assert readme.main(arguments) == 0
            continue
        assert all(callable(registry.load(name).run) for name in arguments)
        all_of_them.main([*arguments, "--quick"])


def test_the_secret_of_a_cluster_is_made(tmp_path: Path) -> None:
    """It is in a file of its owner alone, and not on the terminal."""
    block = next(
        block
        for block in fenced((ROOT / "sim/guide/machines.md").read_text(), "sh")
        if "get-auth-token" in block
    )
    script = "\n".join(x for x in block.splitlines() if not x.startswith(("ray start", "standout")))
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAY_AUTH")}
    home = {"HOME": str(tmp_path), "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    show = f"{script}\nprintf %s $RAY_AUTH_MODE"
    done = subprocess.run(
        ["bash", "-ec", f"umask 022\n{show}"], env=kept | home, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    secret = tmp_path / ".ray" / "auth_token"
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    assert len(secret.read_text()) >= 64
    assert done.stdout == "token"
    assert secret.read_text() not in done.stderr


def test_ray_knows_what_it_is_asked() -> None:
    from ray.scripts.scripts import start

    lines = [words_of(x)[2:] for x in COMMANDS if x.startswith("ray start")]
    assert len(lines) >= 2
    for arguments in lines:
        start.make_context("start", arguments)


@pytest.mark.parametrize("path", PYTHON, ids=lambda path: path.stem)
def test_the_python_of_a_document_runs(
    files: None, no_figures: None, monkeypatch: pytest.MonkeyPatch, store_cache: Path, path: Path
) -> None:
    """Block after block in one session, with the files that the documents name; then its words."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(store_cache))
    text = path.read_text(encoding="utf-8")
    space: dict[str, Any] = {"__name__": "__main__"}
    for block in fenced(text, "python"):
        exec(compile(block, path.name, "exec"), space)
    for span in spans(text):
        if span.startswith("sim.nearest("):
            assert len(eval(span, space)) == 24
        elif re.fullmatch(r"sim\.\w+", span):
            assert callable(eval(span, space)), span


def test_python_is_found() -> None:
    """The test above would pass if there were none."""
    assert {"README", "data", "plan", "python"} <= {path.stem for path in PYTHON}


def test_no_command_is_overlooked() -> None:
    """Whatever block of a document has no language is one of commands."""
    for path in DOCUMENTS:
        for block in fenced(path.read_text(encoding="utf-8"), "sh", ""):
            lines = [x for x in block.splitlines() if x.strip() and not x.startswith(" ")]
            assert all(is_command(x) for x in lines), (path, lines)


def test_what_hydra_reads_is_what_was_typed() -> None:
    """No command asks for several values without saying so."""
    parser = OverridesParser.create()
    for line in OURS:
        words = words_of(line)[1:]
        ours = words[0] in ("resume", "report", "export")  # not for Hydra
        given = [word for word in words if "=" in word and not ours]
        swept = [o for o in parser.parse_overrides(given) if o.is_sweep_override()]
        assert not swept or "--multirun" in words, line
