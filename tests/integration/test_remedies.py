"""What an error advises works: each remedy is taken from the message as it is printed, and applied.

A message that advises an override or a command and is provoked by no test here is found, and fails.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from printed import KEY, ROOT, overrides_in, words_of

from sim.assessment.assessment import assess
from sim.assessment.rows import Estimate, Row
from sim.assessment.verdicts import judge
from sim.config.compose import composed, configured
from sim.config.schema import StudyConfig
from sim.errors import StandoutError
from sim.extend.overrides import override
from sim.record.run_folder import open_folder
from sim.report.words.reading_losses import remarks
from sim.session.suite import plan_job, run_planned

BASE = {
    "data": "table", "data.path": "t.csv", "data.user": "who", "data.item": "what",
    "data.value": "stars", "data.date": "day", "data.cache": "cache",
    "cluster": "inline", "targets": "3", "bayes_targets": "0",
}  # fmt: skip
SAID: set[str] = set()
"""Messages that were provoked."""

_MOST_STEPS = 7
"""Errors that may follow one another, each with a remedy of its own."""


class ReachedError(Exception):
    """The cluster would be started or joined now: all that comes before is right."""


def fails(where: str, error: Exception) -> Callable[[pytest.MonkeyPatch], None]:
    """Let a function fail."""

    def failing(*_: Any, **__: Any) -> None:
        raise error

    return lambda patch: patch.setattr(where, failing)


def ray_does_not_start(patch: pytest.MonkeyPatch) -> None:
    """Let Ray not start, and leave alone the one that tests before may have started."""
    patch.setattr("actors.cluster._connected", [])
    patch.setattr("ray.is_initialized", lambda: False)
    for name in ("lock", "unlock"):
        patch.setattr(f"actors.cluster.{name}", lambda: None)
    fails("ray.init", RuntimeError("no room"))(patch)


@dataclass(frozen=True)
class Case:
    """What is typed, and what else must be so for the error."""

    typed: Sequence[str]
    around: Callable[[pytest.MonkeyPatch], None] = lambda patch: None


EXTERNAL = (
    *("adversary=external", "adversary.path=t.csv"),
    *("adversary.user=who", "adversary.item=what"),
)
CASES = {
    "no dates": Case(["data.date=null", "grid.date_noise=[3]"]),
    "no values": Case(["data.value=null", "grid.value_noise=[0,null]"]),
    "neither": Case(["data.date=null", "data.value=null", "adversary.wrong=value"]),
    "bayes on mentions": Case(["attack=bayes", "adversary=mentions", "grid=mentions"]),
    "bayes on people": Case(["attack=bayes", "grid=people", *EXTERNAL]),
    "bayes on the first facts, some dropped": Case(
        [
            "attack=bayes",
            "adversary.wrong=item",
            "defence=drop_items",
            "grid.aux=[2/4]",
            "grid.first=[1,2]",
        ]
    ),
    "a grid for people": Case(["adversary=elsewhere"]),
    "a grid for people of a file": Case(EXTERNAL),
    "a grid for mentions": Case(["adversary=mentions"]),
    "a grid for samples": Case(["grid=mentions"]),
    "another name": Case(["attack.name=bayes"]),
    "no such name": Case(["attack.name=guess"]),
    "another kind": Case(["study.kind=lengths"]),
    "items alone": Case(["study=neighbours", "study.metric=hamming"]),
    "nobody is left": Case(["data.path=one.csv", "grid.present=[false]", "grid.aux=[2/2]"]),
    "who is who": Case([*EXTERNAL, "grid=people", "grid.present=[false]"]),
    "all is alike": Case(
        [
            "grid.value_noise=[9]",
            "grid.date_noise=[null]",
            "grid.aux=[1/2]",
            "adversary.wrong=value",
        ]
    ),
    "everything is held": Case(["data.path=all.csv", "adversary.wrong=item", "grid.aux=[1/2]"]),
    "parts that are a list": Case(["parts=[a]"]),
    "a part that is no list": Case(["parts={a: x}"]),
    "a part without overrides": Case(["parts={b_2: [x]}"]),
    "set by the parts": Case(["parts={a: ['seed=1'], b: ['seed=2']}", "seed=3"]),
    "joined": Case(["aggregate=by_mentions", "parts={a: ['seed=1']}", "attack=scoring"]),
    "unknown": Case(["target=3"]),
    "unknown, added": Case(["+target=3"]),
    "unknown, of two groups": Case(["date_unit=auto"]),
    "of another choice": Case(["attack.lam=3"]),
    "of two other choices": Case(["adversary.path=t.csv"]),
    "a list": Case(["grid.aux=2/2,3/4"]),
    "a comma": Case(["data.path=a, b.csv"]),
    "brackets": Case(["data.path=t[1].csv"]),
    "a quote": Case(["data.path=it's.csv"]),
    "too many values": Case(["data.path=many.csv", "data.value_bins=none", "data.cache=cache"]),
    "chosen twice": Case(["+attack=bayes"]),
    "a defence that needs values": Case(
        ["data.value=null", "defence=[drop_items,perturb_values]", "grid.value_noise=[null]"]
    ),
    "a defence that needs dates": Case(
        ["data.date=null", "defence=[jitter_time]", "grid.date_noise=[null]"]
    ),
    "a defence that is not chosen": Case(["defence.drop_items.min_support=3"]),
    "a defence that is not chosen, added": Case(["+defence.drop_items.min_support=3"]),
    "hours of dates": Case(["data.time_bin=hour"]),
    "hours of days": Case(["grid.date_noise=[36h]"]),
    "hours of times that were cut": Case(
        ["data.path=times.csv", "grid.date_noise=[2h]", "grid.aux=[2/2]"]
    ),
    "an attacker of an audit": Case(["experiment=audit", "attacker=insider"]),
    "a release of a tool in a chain": Case(
        ["defence=[drop_items,external]", "defence.external.path=t.csv"]
    ),
    "bayes on groups of items": Case(
        ["attack=bayes", "defence=[hide_items]", "grid.aux=[2/4]", "grid.popularity=[1]"]
    ),
    "bayes on wrong items, records cut": Case(
        ["attack=bayes", "defence=[cut_pseudonyms]", "grid.aux=[2/4]", "adversary.wrong=item"]
    ),
    "defences with a comma": Case(["defence=drop_items,jitter_time"]),
    "added twice": Case(["+seed=2"]),
    "shards": Case(
        ["cluster=local", "cluster.workers=2", "cluster.shards=3"],
        fails("actors.coordinator.connect", ReachedError()),
    ),
    "no Ray": Case(["cluster=local"], ray_does_not_start),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables: a usual one under several names, one where all hold everything, one of a person."""
    folder = tmp_path_factory.mktemp("tables")
    cells = [(p, i, 1 + (3 * p + i) % 5, 1 + (p * i) % 28) for p in range(30) for i in range(24)]
    some = [cell for cell in cells if (cell[0] + cell[1]) % 2]
    for names, rows in (
        (("t.csv", "a, b.csv", "t[1].csv", "it's.csv"), some),
        (("all.csv",), cells),
        (("one.csv",), [cell for cell in some if cell[0] == 1]),
    ):
        lines = ["who,what,stars,day", *(f"p{p},{i},{s},2020-01-{d:02d}" for p, i, s, d in rows)]
        for name in names:
            (folder / name).write_text("\n".join([*lines, ""]))
    timed = (f"p{p},i{i},{s},2020-01-{d:02d} {i:02d}:30" for p, i, s, d in some)
    (folder / "times.csv").write_text("\n".join(["who,what,stars,day", *timed, ""]))
    levels = (f"p{p},i{i},{24 * p + i},2020-01-{d:02d}" for p, i, _, d in some)
    (folder / "levels.csv").write_text("\n".join(["who,what,stars,day", *levels, ""]))
    prices = (f"p{n % 50},i{n // 50},{n},2020-01-01" for n in range(65_600))
    (folder / "many.csv").write_text("\n".join(["who,what,stars,day", *prices, ""]))
    return folder


@pytest.fixture
def attempt(
    files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_figures: None
) -> Callable[[Case, Sequence[str]], str]:
    """Do what is typed, and return what is wrong with it: attempt(case, typed)."""
    monkeypatch.chdir(files)

    def done(case: Case, typed: Sequence[str]) -> str:
        given = {key_of(override) for override in typed}
        asked = [*(f"{k}={v}" for k, v in BASE.items() if k not in given), *typed]
        folder = tmp_path / "run"
        folder.mkdir()
        try:
            with pytest.MonkeyPatch.context() as patch:
                case.around(patch)
                run_planned(plan_job(configured(composed(asked)), asked), folder)
        except StandoutError as error:
            SAID.add(str(error))
            return str(error)
        except ReachedError:
            pass
        finally:
            shutil.rmtree(folder)
        return ""

    return done


def key_of(override: str) -> str:
    return override.split("=", 1)[0].lstrip("+~")


@dataclass(frozen=True)
class Remedy:
    """Keys to leave out, a key to write otherwise, and overrides to set."""

    out: Sequence[str] = ()
    named: tuple[str, str] | None = None
    put: Sequence[str] = ()

    def applied(self, typed: Sequence[str]) -> list[str]:
        """What is typed next."""
        if self.named:
            old, new = self.named
            return [f"{new}={x.split('=', 1)[1]}" if key_of(x) == old else x for x in typed]
        gone = {*self.out, *map(key_of, self.put)}
        return [*(x for x in typed if key_of(x) not in gone), *self.put]


def remedies(message: str) -> list[Remedy]:
    """What a message advises: what stands behind its first semicolon, one thing or another."""
    unknown = re.search(
        r"(?:override '([^']+)'|^([^:]+): (?:unknown|not a key|not an option)).*"
        r"; did you mean ([^?]+)\?",
        message,
    )
    if unknown:
        old = unknown[1] or unknown[2]
        return [Remedy(named=(old, name)) for name in unknown[3].split(" or ")]
    found = []
    for advice in re.split(r"; |, or | or ", message.partition("; ")[2]):
        out, put = re.findall(r"leave (\S+) out", advice), overrides_in(advice)
        if out or put:
            found.append(Remedy(out=out, put=put))
    return found


def succeeds(
    attempt: Callable[[Case, Sequence[str]], str], case: Case, typed: Sequence[str], steps: int
) -> bool:
    """Whether something that is advised, or what is advised then, leads to a run.

    To ask for what only the user knows is to lead on, too.
    """
    message = attempt(case, typed)
    if not message or message.endswith("not given; see standout --help"):
        return True
    return steps > 0 and any(
        succeeds(attempt, case, remedy.applied(typed), steps - 1) for remedy in remedies(message)
    )


@pytest.mark.parametrize("name", CASES)
def test_a_remedy_is_one(attempt: Callable[[Case, Sequence[str]], str], name: str) -> None:
    case = CASES[name]
    message = attempt(case, case.typed)
    advised = remedies(message)
    assert advised, message
    for remedy in advised:
        typed = remedy.applied(case.typed)
        assert typed != [*case.typed]
        assert succeeds(attempt, case, typed, _MOST_STEPS), (message, typed)


def test_a_sweep_is_one(standout: Any, files: Path, no_figures: None) -> None:
    """Several values, as they were typed."""
    os.chdir(files)
    more = [f"{key}={value}" for key, value in BASE.items()]
    refused = standout(*more, "seed=1,2")
    SAID.add(refused.err.removeprefix("standout: error: ").strip())
    assert "add --multirun" in refused.err
    os.chdir(files)
    found = standout("--multirun", *more, "seed=1,2", "dry_run=true")
    assert (found.code, found.err) == (0, "")


def test_data_to_describe(standout: Any, files: Path) -> None:
    """The command that is shown, with a file and its columns in the places for them."""
    os.chdir(files)
    refused = standout("describe")
    SAID.add(refused.err.removeprefix("standout: error: ").strip())
    (command,) = re.findall(r"standout describe .*$", refused.err.strip())
    columns = iter(["who", "what"])
    typed = re.sub("COLUMN", lambda _: next(columns), command.replace("FILE", "t.csv"))
    os.chdir(files)
    found = standout(*words_of(typed)[1:], "data.cache=cache")
    assert (found.code, found.err) == (0, "")
    assert "cells of a person" in found.out


def test_columns_that_are_not_chosen(standout: Any, files: Path) -> None:
    """The command that might fit does, once what it lacks is added."""
    for name in ("t.csv", "it's.csv"):
        os.chdir(files)
        refused = standout("describe", "data=table", override("data.path", name))
        SAID.add(refused.err.removeprefix("standout: error: ").strip())
        (command,) = re.findall(r"what might fit: (standout data=.*)$", refused.err.strip())
        os.chdir(files)
        found = standout("describe", *words_of(command)[1:], "data.cache=cache")
        assert (found.code, found.err) == (0, "")


def test_more_values_than_the_levels_of_a_scale(standout: Any, files: Path) -> None:
    """They are put into bins; or kept, and then what makes the attack faster is taken."""
    more = [*(f"{key}={value}" for key, value in BASE.items()), "data.path=levels.csv"]
    facts = ["grid.aux=[1/1]", "grid.date_noise=[3]", "hydra.run.dir=levels"]
    os.chdir(files)
    found = standout(*more, *facts)
    assert found.code == 0, found.err
    release = open_folder(files / "levels").record["release"]
    assert len(release["scale"]) <= 255
    (said,) = (one for one in remarks(release) if "data.value_bins" in one)
    SAID.add(said)
    kept, slow = overrides_in(said)[0], "bayes_targets=2"
    for quicker in ("", "data.value_bins=quantiles:255", "bayes_targets=100"):
        shutil.rmtree(files / "levels")
        os.chdir(files)
        typed = {key_of(one): one for one in (*more, kept, slow, quicker) if one}
        found = standout(*typed.values(), *facts)
        assert found.code == 0, found.err
        warned = [one for one in found.err.splitlines() if "takes long" in one]
        assert bool(warned) == (quicker != "data.value_bins=quantiles:255")
        SAID.update(warned)
        if not quicker:
            assert overrides_in(warned[0]) == ["data.value_bins=quantiles:255", "bayes_targets=100"]


@pytest.fixture
def addressed() -> Iterator[Callable[[Exception], str]]:
    """What is said where something answers at an address but is no cluster."""
    from actors import cluster

    with socket.create_server(("127.0.0.1", 0)) as server, pytest.MonkeyPatch.context() as patch:

        def tried(error: Exception | None) -> str:
            where = f"127.0.0.1:{server.getsockname()[1] if error else 1}"
            fails("ray.init", error or AssertionError())(patch)
            cluster.disconnect()
            with pytest.raises(StandoutError) as caught:
                cluster.connect("address", where, 1)
            SAID.add(str(caught.value))
            return str(caught.value)

        yield tried


def test_a_cluster_that_does_not_answer(
    addressed: Callable[[Exception | None], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ray._raylet import AuthenticationMode, get_authentication_mode
    from ray.scripts.scripts import start

    from actors import loopback

    for error in (None, ConnectionError("it asks for a token")):
        (command,) = re.findall(r"ray (start [^;]*)", addressed(error))
        start.make_context("start", command.split()[1:])
    (variable,) = re.findall(r"export (\S+)", addressed(ConnectionError()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(*variable.split("="))
        loopback._read_again()
        assert get_authentication_mode() == AuthenticationMode.TOKEN
    loopback._read_again()


def test_a_ray_that_cannot_be_kept_in(
    attempt: Callable[[Case, Sequence[str]], str],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    from actors import loopback

    monkeypatch.setattr("ray.util.get_node_ip_address", lambda: "192.0.2.5")
    loopback.warn_if_reachable()
    (message,) = caplog.messages
    SAID.add(message)
    (remedy,) = remedies(message)
    assert attempt(Case([]), remedy.applied(["cluster=local"])) == ""


def test_a_study_that_is_none(attempt: Callable[[Case, Sequence[str]], str]) -> None:
    from sim.session.checks import measurement_of

    with pytest.raises(StandoutError) as caught:
        measurement_of(StudyConfig(kind="guess"))
    SAID.add(str(caught.value))
    assert attempt(Case([]), overrides_in(str(caught.value))) == ""


ODD = "my  run's [1], $HOME=ü"
"""A name that a shell and Hydra read as something else."""


@pytest.fixture(scope="module")
def made(files: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A suite of a run and the Bayes-optimal attacker's."""
    folder = tmp_path_factory.mktemp("made") / "run"
    folder.mkdir()
    asked = [f"{k}={v}" for k, v in (BASE | {"bayes_targets": "1"}).items()]
    asked.append("parts={a: ['grid.aux=[1/1]']}")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(files)
        patch.setattr("sim.session.session.draw_run", lambda folder: [])
        patch.setattr("sim.session.session.write_report", lambda folder: folder)
        run_planned(plan_job(configured(composed(asked)), asked), folder)
    return folder


@pytest.fixture
def odd_run(
    made: Path, standout: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_figures: None
) -> Path:
    """A copy of it in a folder with an odd name."""
    monkeypatch.setattr("sim.cli.report.draw_run", lambda folder: [])
    monkeypatch.setattr("sim.cli.report.write_report", lambda folder: folder)
    return Path(shutil.copytree(made, tmp_path / ODD))


def resumed(standout: Any, message: str) -> None:
    """Type the command that a message ends with."""
    SAID.add(message)
    (command,) = re.findall(r"standout resume .*$", message)
    found = standout(*words_of(command)[1:])
    assert found.code == 0, found.err


@pytest.mark.parametrize("part", [".", "a", "a/bayes"])
def test_a_run_that_is_not_finished_can_be_resumed(
    standout: Any, odd_run: Path, part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is that of the outermost run, wherever in it something is missing."""
    from sim.record.disk import disk_full_as_error

    folder = odd_run / part
    for gone in ("curves.parquet", "ledger.jsonl"):
        (folder / gone).unlink(missing_ok=True)
    if part == ".":
        record = (folder / "run.json").read_text()
        (folder / "run.json").write_text(record.replace('"complete"', '"running"', 1))
    else:
        reported = standout("report", str(folder))
        assert reported.code == 2
        resumed(standout, reported.err.removeprefix("standout: error: ").strip())
    with pytest.raises(StandoutError) as caught, disk_full_as_error(folder):
        raise OSError(28, "No space left on device")
    resumed(standout, str(caught.value))
    assert (odd_run / "a" / "curves.parquet").is_file()


def test_a_run_that_is_interrupted_can_be_resumed(
    standout: Any, files: Path, no_figures: None, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = [f"{k}={v}" for k, v in BASE.items() if k not in ("data.cache", "data.path")]
    more += [f"data.path={files}/t.csv", f"data.cache={files}/cache"]
    with monkeypatch.context() as patch:
        fails("sim.session.session.finish", KeyboardInterrupt())(patch)  # type: ignore[arg-type]
        stopped = standout(*more, 'hydra.run.dir="my  run\'s [1], =ü"')
    assert stopped.code == 130
    resumed(standout, next(x for x in stopped.err.splitlines() if "resume" in x))


@pytest.mark.parametrize("word", ["resume", "report"])
def test_a_folder_is_asked_for(standout: Any, odd_run: Path, word: str) -> None:
    for arguments in ([], ["fol=der"], ["not-there"]):
        message = standout(word, *arguments).err.removeprefix("standout: error: ").strip()
        SAID.add(message)
        for command in re.findall(r"standout .*", message):
            words = [x.replace("outputs/…", str(odd_run)) for x in words_of(command)]
            assert standout(*words[1:]).code == 0


@pytest.fixture
def an_audit(standout: Any, files: Path, no_figures: None, place: Path) -> Path:
    """An audit of a sample."""
    typed = ["experiment=audit", "audit.attackers=[insider]", "data.preset=tiny", "targets=20"]
    done = standout(*typed, "cluster=inline", f"data.cache={files}/cache", "hydra.run.dir=audit")
    assert done.code == 0, done.err
    return place / "audit"


def test_audits_and_checks_advise(standout: Any, an_audit: Path, tmp_path: Path) -> None:
    SAID.add(" ".join((an_audit / "assessment.md").read_text(encoding="utf-8").split()))
    refused = [
        *(["check"], ["check", "."], ["check", "none"], ["check", str(an_audit), "bound=1"]),
        *(["check", str(an_audit)], ["check", str(an_audit), "max_risk=1", "max_risk=1"]),
        *(["check", str(an_audit / "insider"), "max_risk=1"],),
        ["check", str(an_audit), "attackers=", "max_risk=1"],
        *(["audit.max_risk=1"], ["experiment=audit", "audit.attackers=[]"]),
    ]
    for words in refused:
        found = standout(*words)
        assert found.code == 2, words
        SAID.add(found.err.removeprefix("standout: error: ").strip())
    checked = standout("check", str(an_audit), "max_risk=0.999999", "measure=highest")
    assert checked.code == 1
    with pytest.raises(StandoutError) as caught:
        assess(open_folder(an_audit / "insider"))
    SAID.update({checked.out, str(caught.value)})
    sample = Estimate(0.0, 0.0, 0.1, 0.1)
    row = Row(
        attacker="insider", cell=0, axes={}, attack="bayes", records=9, eligible=9, attacked=5,
        succeeds=sample, wrong=sample, control=None, absent=0, highest=sample,
    )  # fmt: skip
    SAID.add(judge(row, "highest", 0.5).reason)
    assert standout("check", str(an_audit), "max_risk=1", "measure=mean").code == 0
    ledger = an_audit / "ledger.jsonl"
    lines = ledger.read_text(encoding="utf-8").splitlines(keepends=True)
    ledger.write_text(lines[0], encoding="utf-8")
    found = standout("check", str(an_audit), "max_risk=1")
    assert found.code == 2
    SAID.add(found.err.removeprefix("standout: error: ").strip())


ADVICE = re.compile(rf"""(standout |ray start )|; .*(?<![\w.'"=/-])["']?{KEY}=[\w'\[{{…]""")


def templates() -> Iterator[tuple[str, str]]:
    """Texts of the program that advise something, with a pattern of what is filled in."""
    for path in sorted([*(ROOT / "sim").rglob("*.py"), *(ROOT / "actors").rglob("*.py")]):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        inner = {
            id(part)
            for node in ast.walk(tree)
            if isinstance(node, ast.JoinedStr)
            for part in ast.walk(node)
            if part is not node
        }
        documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if id(node) in inner | documents:
                continue
            if isinstance(node, ast.JoinedStr):
                parts = [v.value if isinstance(v, ast.Constant) else None for v in node.values]
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                parts = [node.value]
            else:
                continue
            text = "".join("…" if part is None else str(part) for part in parts)
            pattern = "".join(".*" if p is None else re.escape(str(p)) for p in parts)
            if ADVICE.search(text):
                yield f"{path.relative_to(ROOT)}:{node.lineno}", pattern.replace("%s", ".*")


@pytest.mark.parametrize(
    "typed",
    [
        ["--experimental-rerun=x"],
        ["--hlep"],
        ["--cfg"],
        ["parts={a: ['b=1']}"],
        ["parts={a: ['attack=a b']}"],
    ],
)
def test_who_is_sent_to_the_help_finds_it(standout: Any, typed: list[str]) -> None:
    found = standout(*typed)
    assert found.code == 2
    SAID.add(found.err.removeprefix("standout: error: ").strip())
    assert "resume" in found.err or standout("--help").code == 0


def test_data_to_publish(standout: Any, place: Path) -> None:
    """The command of the message, with data and a file of one's own."""
    for words in ((), ("data=synthetic",), ("out=r.csv", "seeds=1")):
        refused = standout("publish", *words)
        assert refused.code == 2
        said = refused.err.removeprefix("standout: error: ").strip()
        SAID.add(said)
        (command,) = re.findall(r"standout publish .*$", said)
        own = ["data=synthetic", "data.preset=tiny", "data.cache=cache"]
        given = [word for word in words_of(command)[1:] if not word.startswith("data=")]
        assert standout(*given, *own).code == 0
        (place / "FILE.csv").unlink()


def test_what_is_advised_about_plans(standout: Any, place: Path) -> None:
    """Each piece of advice is followed in turn, on a release and a chain that take seconds."""
    data = ["data=synthetic", "data.preset=tiny", "data.cache=cache"]
    chains = [
        *("plan.defences=[drop_items]", "audit.attackers=[insider]"),
        *("utility=[cells]", "plan.utility=cells"),
    ]

    def said(*typed: str, code: int = 0) -> str:
        found = standout(*typed)
        assert found.code == code, found.err
        text = " ".join((found.err if code == 2 else found.out).split())
        SAID.add(text.removeprefix("standout: error: "))
        return text

    assert "add experiment=frontier" in said("plan.max_risk=0.5", *data, code=2)
    told = said("experiment=frontier", "targets=9", *data, *chains, "hydra.run.dir=frontier")
    assert "experiment=plan chooses a chain" in told
    assert "standout experiment=plan" in said("check", "frontier", "max_risk=0.5", code=2)
    assert "set plan.max_risk=0.05" in said("experiment=plan", *data, code=2)
    assert "such as plan.max_risk=0.05" in said("experiment=plan", "plan.max_risk=0", *data, code=2)
    plan = ["experiment=plan", *data, *chains]
    assert "plan.write=release.csv" in said(*plan, "plan.max_risk=1")
    said(*plan, "plan.max_risk=1", "plan.write=release.csv")
    assert (place / "release.csv").is_file()
    said(*plan, "plan.max_risk=0.05", "hydra.run.dir=none")
    asked = said("check", "none", "max_risk=0.3", code=1)
    assert "experiment=plan plan.max_risk=0.3" in asked
    assert "standout experiment=audit" in said("publish", *data, "out=whole.csv")


@pytest.mark.parametrize("typed", [["history"], ["spec", "glossary"]])
def test_who_is_sent_to_the_guide_finds_a_page(standout: Any, typed: list[str]) -> None:
    refused = standout("guide", *typed)
    assert refused.code == 2
    listed = standout("guide").out
    SAID.update({refused.err.removeprefix("standout: error: ").strip(), listed})
    page = listed.split()[0]
    assert standout("guide", page).out.startswith("# ")


def test_no_advice_goes_untried(request: pytest.FixtureRequest) -> None:
    here = [item for item in request.session.items if item.path == request.path]
    if len(here) < len(CASES) + 10:
        pytest.skip("looks at what the other tests of this module provoked")
    found = list(templates())
    assert len(found) >= 25
    untried = [
        (where, pattern)
        for where, pattern in found
        if not any(re.search(pattern, said) for said in SAID)
    ]
    assert untried == [], "\n".join(f"{where}: {pattern}" for where, pattern in untried)
