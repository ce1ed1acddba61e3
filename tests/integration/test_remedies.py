"""What an error advises works: each remedy is taken from the message as it is printed, and applied.

A message that advises an override or a command and is provoked by no test here is found, and fails.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import shutil
import socket
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from making import deep
from printed import KEY, ROOT, overrides_in, words_of

import sim
from sim.assessment.assessment import assess
from sim.assessment.rare_facts import RareFacts
from sim.assessment.rows import Estimate, Row
from sim.assessment.verdicts import judge
from sim.config.compose import composed, configured
from sim.config.schema import StudyConfig
from sim.errors import StandoutError
from sim.extend.overrides import override
from sim.record.run_folder import RunFolder, open_folder
from sim.record.sweep_record import write_sweep
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import NEXT, PASTE, UNTESTED
from sim.report.words.reading_losses import remarks
from sim.session.jobs import plan_job
from sim.session.suite import run_planned

BASE = {
    "data": "table", "data.path": "t.csv", "data.user": "who", "data.item": "what",
    "data.value": "stars", "data.date": "day", "data.cache": "cache",
    "cluster": "inline", "targets": "3", "bayes_targets": "0",
}  # fmt: skip
INLINE = "cluster=inline"
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
    """Let the driver of Ray end at once, and leave alone the one that tests before have started."""
    patch.setattr("actors.supervisor._drivers", [])
    patch.setattr("actors.supervisor._START", "import sys; sys.exit(3); ")


def ray_has_no_room(patch: pytest.MonkeyPatch) -> None:
    """Let Ray be refused what it needs."""
    patch.setattr("actors.supervisor._drivers", [])
    for name in ("lock", "unlock"):
        patch.setattr(f"actors.cluster.{name}", lambda: None)
    fails("actors.cluster._init", ValueError("no room"))(patch)

    def start(*_: object) -> None:
        from actors.cluster import _start

        _start(1, None, None)

    patch.setattr("actors.supervisor.DriverProcess", start)


def short_of(patch: pytest.MonkeyPatch, what: str) -> None:
    """Let there be no memory, or no folder, for a cluster."""
    patch.setattr("actors.supervisor._drivers", [])
    if what == "memory":
        patch.setattr("actors.memory.available", lambda *_: 1 << 20)
    else:
        patch.setenv("RAY_TMPDIR", "/nowhere")


@pytest.fixture(autouse=True)
def estimates(nothing_timed: None) -> None:
    """Commands that are tried for their estimate alone are tried without."""


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
    "of a similarity that is not chosen": Case(["attack.eps_day=7"]),
    "of another similarity that is not chosen": Case(
        ["attack=scoreboard", "attack.similarity=threshold", "attack.rho0=2"]
    ),
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
    "the first facts of an audit": Case(["experiment=audit", "grid.first=[1]"]),
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
    "no Ray": Case(["cluster=local"], ray_does_not_start),
    "no room for Ray": Case(["cluster=local"], ray_has_no_room),
    "no memory for Ray": Case(["cluster=local"], lambda patch: short_of(patch, "memory")),
    "no folder for Ray": Case(["cluster=local"], lambda patch: short_of(patch, "folder")),
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
    if not message or message.endswith("says what it may be"):
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


LEAVE_OUT = "data.unreadable=drop"


@pytest.mark.parametrize(
    "row",
    [
        *("p1,0", "p1,0,5,2020-01-01,x", "p1,0,many,2020-01-01", "p1,0,inf,2020-01-01"),
        *("p1,0,'3,5',2020-01-01", 'p1,0,"3,5",2020-01-01', 'p1,0,"1,280.6",2020-01-01'),
        *("p1,0,5,soon", "p1,0,5,2020-01-32", "p1,0,5,2020-01-01T10:00Z", "p1,0,5,1/2/2020"),
        *("p1,0,5,18262", "p1,0,5,2300-01-01"),
    ],
)
def test_a_row_that_cannot_be_read_can_be_left_out(
    attempt: Callable[[Case, Sequence[str]], str], files: Path, row: str
) -> None:
    """Whatever is wrong with it; the advice stands last, after what is said of the cell."""
    (files / "messy.csv").write_text(f"{(files / 't.csv').read_text()}{row}\n")
    typed = ["data.path=messy.csv"]
    message = attempt(Case(typed), typed)
    advised = overrides_in(message)
    assert advised[-1] == LEAVE_OUT
    others = [one for one in advised[:-1] if one != "data.decimal=','"]
    assert all(re.fullmatch(r"data\.date_format='.*\|.*'", one) for one in others)
    for one in (*others, LEAVE_OUT):
        assert attempt(Case(typed), [*typed, one]) == ""


@pytest.mark.parametrize(
    ("dates", "odd", "unit"),
    [
        ([12_000, 12_001], 10**9, "auto"),
        (["31/12/2019", "30/12/2019"], "2019-12-31", "auto"),
        (["31.12.2019", "30.12.2019"], "31-12-2019", "%d.%m.%Y"),
        ([2009, 2010], 2009.5, "year"),
        ([20_090_101, 20_090_102], 20_091_301, "yyyymmdd"),
        ([40_000, 40_001], 5, "excel"),
    ],
)
def test_a_date_unlike_others_can_be_left_out(
    attempt: Callable[[Case, Sequence[str]], str],
    files: Path,
    dates: list[Any],
    odd: Any,
    unit: str,
) -> None:
    """In text and in parquet."""
    rows = [line.split(",") for line in (files / "t.csv").read_text().splitlines()[1:]]
    frame = pd.DataFrame(rows, columns=["who", "what", "stars", "day"])
    frame["stars"] = frame["stars"].astype(float)
    frame["day"] = [*(dates * len(rows))[: len(rows) - 1], odd]
    frame.to_csv(files / "odd.csv", index=False)
    frame.to_parquet(files / "odd.parquet", index=False)
    stated = [f"data.date_format={unit}" if "%" in unit else f"data.date_unit={unit}"]
    for name in ("odd.csv", "odd.parquet"):
        typed = [f"data.path={name}", *stated, "grid.aux=[2/4]"]
        message = attempt(Case(typed), typed)
        assert overrides_in(message)[-1] == LEAVE_OUT, message
        assert attempt(Case(typed), [*typed, LEAVE_OUT]) == ""


def test_a_sweep_is_one(standout: Any, files: Path, no_figures: None) -> None:
    """Several values, as they were typed."""
    os.chdir(files)
    more = [f"{key}={value}" for key, value in BASE.items()]
    refused = standout(*more, "seed=1,2")
    SAID.add(refused.err.removeprefix("standout: error: ").strip())
    assert "add --multirun" in refused.err
    os.chdir(files)
    found = standout("--multirun", *more, "seed=1,2", "dry_run=true")
    assert found.code == 0
    assert all(line.startswith("estimate: ") for line in found.err.splitlines())


@pytest.mark.parametrize(
    ("asked", "shown"), [("describe", "entries of a person"), ("build", "(built in ")]
)
def test_data_to_read(standout: Any, files: Path, asked: str, shown: str) -> None:
    """The command that is shown, with a file and its columns in the places for them."""
    os.chdir(files)
    refused = standout(asked)
    SAID.add(refused.err.removeprefix("standout: error: ").strip())
    (command,) = re.findall(rf"standout {asked} .*$", refused.err.strip())
    columns = iter(["who", "what"])
    typed = re.sub("COLUMN", lambda _: next(columns), command.replace("FILE", "t.csv"))
    os.chdir(files)
    found = standout(*words_of(typed)[1:], f"data.cache=cache-{asked}")
    assert (found.code, found.err) == (0, "")
    assert shown in found.out


def test_columns_that_are_not_chosen(standout: Any, files: Path) -> None:
    """The command that might fit does, once what it lacks is added."""
    for name in ("t.csv", "it's.csv"):
        os.chdir(files)
        refused = standout("describe", "data=table", override("data.path", name))
        SAID.add(refused.err.removeprefix("standout: error: ").strip())
        command, audit = re.findall(r": (standout .*)$", refused.err, flags=re.MULTILINE)
        assert words_of(audit)[1:] == ["experiment=audit", *words_of(command)[2:]]
        os.chdir(files)
        found = standout(*words_of(command)[1:], "data.cache=cache")
        assert (found.code, found.err) == (0, "")


@pytest.mark.parametrize(
    ("encoding", "stops", "named"),
    [
        ("cp1250", ["Śródmieście", "Główny"], ["windows-1250"]),
        ("iso8859-2", ["Śródmieście", "Główny"], ["iso8859-2"]),
        ("cp1252", ["Nîmes", "Lyon"], ["windows-1250", "iso8859-2"]),
        ("utf-8", ["Śródmieście", "Główny"], []),
    ],
)
def test_letters_that_look_wrong(
    standout: Any, place: Path, encoding: str, stops: list[str], named: list[str]
) -> None:
    """In text that is not UTF-8: the columns are listed with what reads it otherwise."""
    rows = [f"{card};{stops[card % 2]}" for card in range(9)]
    text = "\n".join(["karta;przystanek", *rows])
    (place / "trips.csv").write_bytes(text.encode(encoding))
    given = ["data=table", "data.path=trips.csv", "data.cache=cache"]
    refused = standout("describe", *given)
    lines = [one for one in refused.err.splitlines() if "as it is not UTF-8" in one]
    assert len(lines) == bool(named)
    found = [one for line in lines for one in re.findall(r"data\.encoding=[\w-]+", line)]
    assert found == [f"data.encoding={name}" for name in named]
    assert all(("by which its words are letters only" in one) == (len(named) == 1) for one in lines)
    if lines:
        SAID.add(refused.err.removeprefix("standout: error: ").strip())
        assert len(named) > 1 or stops[0] in standout("describe", *given, found[0]).err
        columns = ["data.user=karta", "data.item=przystanek"]
        described = " ".join(standout("describe", *given, *columns).out.split())
        SAID.add(described)
        said = "such as data.encoding=windows-1250 or data.encoding=iso8859-2."
        assert f"If letters look wrong, set another encoding, {said}" in described
        with pytest.raises(StandoutError, match="such as encoding='") as error:
            sim.table("trips.csv")
        SAID.add(str(error.value))


def test_more_values_than_the_levels_of_a_scale(
    standout: Any, files: Path, no_figures: None
) -> None:
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


def test_what_an_attack_leads_on_to(standout: Any, files: Path, no_figures: None) -> None:
    os.chdir(files)
    more = [f"{key}={value}" for key, value in BASE.items()]
    assert standout(*more, "grid.aux=[1/1]", "hydra.run.dir=single").code == 0
    os.chdir(files)
    assert follow(standout, open_folder(files / "single"))


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
        patch.setattr("sim.session.session.draw_run", lambda folder, most=None: [])
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
    (folder / "curves.parquet").unlink(missing_ok=True)
    for above in {odd_run, (odd_run / part.partition("/")[0]), folder}:
        (above / "ledger.jsonl").unlink(missing_ok=True)
        record = (above / "run.json").read_text()
        (above / "run.json").write_text(record.replace('"complete"', '"running"', 1))
    if part != ".":
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


PLACES = ("outputs/…", "RUN_FOLDER")


def test_what_to_export_is_asked_for(standout: Any, odd_run: Path) -> None:
    """The command that is shown writes the run, or says that MLflow is to be installed."""
    asked = standout("export").err.removeprefix("standout: error: ").strip()
    SAID.add(asked)
    (command,) = re.findall(r"standout .*", asked)
    words = [str(odd_run) if x in PLACES else x for x in words_of(command)]
    found = standout(*words[1:])
    assert found.code == 0 or "needs MLflow, which is not installed" in found.err


@pytest.mark.parametrize("word", ["resume", "report"])
def test_a_folder_is_asked_for(standout: Any, odd_run: Path, word: str) -> None:
    for arguments in ([], ["fol=der"], ["not-there"]):
        message = standout(word, *arguments).err.removeprefix("standout: error: ").strip()
        SAID.add(message)
        for command in re.findall(r"standout .*", message):
            words = [str(odd_run) if x in PLACES else x for x in words_of(command)]
            assert standout(*words[1:]).code == 0


def test_a_sweep_is_no_run(standout: Any, odd_run: Path, tmp_path: Path) -> None:
    """The job that is named is a run, and the command that is named takes the whole folder."""
    sweep = tmp_path / "sweep"
    for name in ("0", "1"):
        shutil.copytree(odd_run, sweep / name)
    write_sweep(sweep, [sweep / "0", sweep / "1"])
    message = standout("resume", str(sweep)).err.removeprefix("standout: error: ").strip()
    SAID.add(message)
    (job,) = re.findall(r"such as ([^;]+);", message)
    assert standout("report", job).code == 0
    (command,) = re.findall(r"standout \w+", message)
    assert standout(command.split()[1], str(sweep)).code == 0


@pytest.fixture
def an_audit(standout: Any, files: Path, no_figures: None, place: Path) -> Path:
    """An audit of a sample."""
    typed = ["experiment=audit", "audit.attackers=[insider]", "data.preset=tiny", "targets=20"]
    done = standout(*typed, INLINE, f"data.cache={files}/cache", "hydra.run.dir=audit")
    assert done.code == 0, done.err
    return place / "audit"


def follow(standout: Any, run: RunFolder) -> int:
    """Type the commands that a first page advises, those of long runs for their estimate alone."""
    page = first_page(run)
    assert page is not None
    commands = [command for chapter in page.chapters for command in chapter.commands]
    for command in commands:
        typed = words_of(command.replace("RUN_FOLDER", shlex.quote(str(run.path))))[1:]
        dry = [] if typed[0] in ("check", "publish") else ["dry_run=true"]
        if typed[0] == "experiment=plan" and "plan.defences" not in command:
            dry.append("plan.defences=[coarsen_values]")
        found = standout(*typed, *dry)
        assert found.code == 0 or (typed[0] == "check" and found.code == 1), (command, found.err)
    return len(commands)


def test_audits_and_checks_advise(standout: Any, an_audit: Path, tmp_path: Path) -> None:
    SAID.add(" ".join((an_audit / "assessment.md").read_text(encoding="utf-8").split()))
    part, attack = (str(tmp_path / name) for name in ("part", "attack"))
    shutil.copytree(an_audit / "insider", part)
    small = ["data.preset=tiny", "targets=20", "bayes_targets=0", INLINE]
    assert standout(*small, "grid.aux=[4/4]", f"hydra.run.dir={attack}").code == 0
    refused = [
        *(["check"], ["check", "."], ["check", "none"], ["check", str(an_audit), "bound=1"]),
        *(["check", str(an_audit)], ["check", str(an_audit), "max_risk=1", "max_risk=1"]),
        *(["check", str(an_audit / "unicity"), "max_risk=1"],),
        *(["check", str(an_audit / "insider")], ["check", attack]),
        ["check", part, "max_risk=1"],
        ["check", attack, "max_risk=1", "measure=mean"],
        ["check", attack, "max_risk=1", "attackers=insider"],
        ["check", str(an_audit), "attackers=", "max_risk=1"],
        *(["audit.max_risk=1"], ["experiment=audit", "audit.attackers=[]"]),
    ]
    for words in refused:
        found = standout(*words)
        assert found.code == 2, words
        SAID.add(found.err.removeprefix("standout: error: ").strip())
    assert standout("check", attack, "max_risk=1").code == 0  # as is advised, measure is left out
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
    rare = replace(row, attacked=9, rare_facts=RareFacts(item=0.1, value=1))
    SAID.add(judge(rare, "highest", 0.5).reason)
    assert standout("check", str(an_audit), "max_risk=1", "measure=mean").code == 0
    run = open_folder(an_audit)
    for bound, measure in ((None, "mean"), (0.0, "mean"), (1.0, "mean"), (0.99999, "highest")):
        asked = {**run.config["audit"], "max_risk": bound, "measure": measure}
        config = {**run.config, "audit": asked}
        assert follow(standout, replace(run, record={**run.record, "config": config}))
    ledger = an_audit / "ledger.jsonl"
    lines = ledger.read_text(encoding="utf-8").splitlines(keepends=True)
    ledger.write_text(lines[0], encoding="utf-8")
    found = standout("check", str(an_audit), "max_risk=1")
    assert found.code == 2
    SAID.add(found.err.removeprefix("standout: error: ").strip())


def test_a_file_that_holds_more_than_was_read_is_published_as_read(
    standout: Any, place: Path, no_figures: None
) -> None:
    """Everybody has the same items, and a note of their own, which is not read."""
    rows = [f"{who},{item},{who}" for who in range(12) for item in range(4)]
    (place / "more.csv").write_text("\n".join(["who,what,note", *rows]), encoding="utf-8")
    data = [
        *("data=table", "data.path=more.csv", "data.user=who", "data.item=what"),
        "data.cache=cache",
    ]
    asked = ["audit.attackers=[insider]", "audit.max_risk=0.09", "hydra.run.dir=of_more", INLINE]
    assert standout("experiment=audit", *data, *asked).code == 0
    for given in ([], ["released=as_read", "data.path=more.csv"]):
        found = standout("check", "of_more", *given)
        assert found.code == 1
        SAID.add(found.out)
    assert standout("publish", *data, "identifiers=kept", "out=kept.csv").code == 0
    assert standout("check", "of_more", "released=as_read").code == 0
    # What is named is judged by its own audit: this run did not read it.
    assert standout("check", "of_more", "released=as_read", "data.path=kept.csv").code == 1


def test_quotes_that_end_within_a_cell_may_be_text(standout: Any, place: Path) -> None:
    songs = [f"Song {n % 7}" if n % 5 else f'"Song {n % 7}" (live)' for n in range(90)]
    rows = [f"{n % 9},{song}" for n, song in enumerate(songs)]
    (place / "songs.csv").write_text("\n".join(["who,track", *rows]), encoding="utf-8")
    data = ["data=table", "data.path=songs.csv", "data.user=who", "data.item=track"]
    found = standout("describe", *data, "data.cache=cache")
    assert found.code == 2
    SAID.add(found.err.removeprefix("standout: error: ").strip())
    assert standout("describe", *data, "data.cache=cache", "data.quotes=none").code == 0


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
            pattern = re.sub(r"(\.\*)+", ".*", pattern)  # several in a row take time without end
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


def test_what_is_advised_about_plans(standout: Any, place: Path, no_figures: None) -> None:
    """Each piece of advice is followed in turn, on a release and a chain that take seconds."""
    data = ["data=synthetic", "data.preset=tiny", "data.cache=cache"]
    chains = [
        *("plan.defences=[drop_items]", "audit.attackers=[insider]"),
        *("utility=[cells]", "plan.utility=cells", INLINE),
    ]

    def said(*typed: str, code: int = 0) -> str:
        found = standout(*typed)
        assert found.code == code, found.err
        text = " ".join((found.err if code == 2 else found.out).split())
        SAID.add(text.removeprefix("standout: error: "))
        return text

    assert "add experiment=plan" in said("plan.max_risk=0.5", *data, code=2)
    told = said("experiment=frontier", "targets=9", *data, *chains, "hydra.run.dir=frontier")
    assert follow(standout, open_folder(place / "frontier"))
    assert "experiment=plan chooses a chain" in told
    assert "standout experiment=plan" in said("check", "frontier", "max_risk=0.5", code=2)
    assert "set plan.max_risk=0.05" in said("experiment=plan", *data, code=2)
    assert "such as plan.max_risk=0.05" in said("experiment=plan", "plan.max_risk=0", *data, code=2)
    plan = ["experiment=plan", *data, *chains]
    assert "plan.write=release.csv" in said(*plan, "plan.max_risk=1")
    said(*plan, "plan.max_risk=1", "plan.write=release.csv", "hydra.run.dir=written")
    assert not follow(standout, open_folder(place / "written"))  # the file is there
    assert (place / "release.csv").is_file()
    said(*plan, "plan.max_risk=0.05", "hydra.run.dir=none")
    left_out = ["defence=[drop_items]", "defence.drop_items.min_support=90", "targets=9"]
    audit = ["experiment=audit", "audit.attackers=[insider]", INLINE, *data, *left_out]
    known = ["audit.known_facts=original", "hydra.run.dir=original"]
    assert "facts of what is released was not tested" in said(*audit, *known)
    checked = said("check", "original", "max_risk=1", code=1)
    assert "attackers know original facts alone (audit.known_facts)" in checked
    asked = said("check", "none", "max_risk=0.3", code=1)
    assert "experiment=plan plan.max_risk=0.3" in asked
    assert "standout experiment=audit" in said("publish", *data, "out=whole.csv")


def test_a_verb_says_what_it_expects(standout: Any, place: Path) -> None:
    (place / "mine.csv").write_text("who,what\na,x\nb,y\n", encoding="utf-8")
    for typed in (
        *(["audit"], ["plan"], ["repeat"], ["open"], ["open", "mine.csv"]),
        ["figure", "ns08_fig4", "--max-risk", "0.1"],
    ):
        found = standout(*typed)
        assert found.code == 2
        said = found.err.removeprefix("standout: error: ").strip()
        SAID.add(said)
        command = said.rpartition("expected standout ")[2].partition(",")[0]
        if " FILE " in command:
            filled = command.replace("FILE", "mine.csv").replace("user=COLUMN", "user=who")
            words = filled.replace("item=COLUMN", "item=what").split()
            assert standout(*words, "--explain").code == 0


def test_what_is_advised_where_a_file_or_an_experiment_is_no_key(
    standout: Any, place: Path, no_figures: None
) -> None:
    """As somebody types who knows other programs."""
    rows = [f"{who},{(who + item) % 12}" for who in range(30) for item in range(6)]
    (place / "mine.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    own = {"FILE": "mine.csv", "data.user=COLUMN": "data.user=who"}
    own |= {"data.item=COLUMN": "data.item=what"}

    def advised(*typed: str) -> str:
        found = standout(*typed)
        assert found.code == 2
        SAID.add(found.err.removeprefix("standout: error: ").strip())
        return str(found.err)

    (table,) = re.findall(
        r"a file of yours is (data=table data\.path=\S+);", advised("data=mine.csv")
    )
    assert standout("describe", *table.split(), "data.user=who", "data.item=what").code == 0
    (command,) = re.findall(r"standout (experiment=unicity [^;]*);", advised("unicity", "mine.csv"))
    for word, meant in own.items():
        command = command.replace(word, meant)
    assert standout(*command.split(), "dry_run=true", "data.cache=cache").code == 0
    plan = [
        *("experiment=plan", "plan.max_risk=1", "data=synthetic", "data.preset=tiny"),
        *("data.cache=cache", "audit.attackers=[insider]", "utility=[cells]", "plan.utility=cells"),
    ]
    (chains,) = re.findall(r'"(plan\.defences=.*)"', advised(*plan, "defence=[drop_time]"))
    found = standout(*plan, chains, "dry_run=true")
    assert found.code == 0, found.err


def test_what_is_advised_where_people_have_too_few_facts(
    standout: Any, place: Path, no_figures: None
) -> None:
    """Each of the two remedies takes away those who alone exceed the bound, whatever the chain.

    Those who have enough facts are alike, so that their risk keeps the bound.
    """
    held = [(who, item) for who in range(30) for item in range(2 if who < 9 else 6)]
    rows = [f"{who},{who % 3 + item}" for who, item in held]
    (place / "short.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    typed = [
        *("experiment=plan", "plan.max_risk=0.29", "data=table", "data.path=short.csv"),
        *("data.user=who", "data.item=what", "data.cache=cache", "audit.attackers=[insider]"),
        *(INLINE, "utility=[cells]", "plan.utility=cells"),
    ]
    found = standout(*typed, "plan.defences=[drop_items]", "hydra.run.dir=few")
    text = " ".join(found.out.split())
    assert "9 of 30 people (30.0%) have fewer facts than the 4 that" in " ".join(found.err.split())
    assert "stronger changes" not in text.partition("What to do next:")[2].partition("In detail")[0]
    SAID.add(text)
    told = first_page(open_folder(place / "few"))
    assert told is not None
    (following,) = (one for one in told.chapters if one.title == NEXT)
    (drop,) = set(re.findall(r"Leave them out, by (plan\.min_length=\d+),", text))
    (fewer,) = set(re.findall(r"such as (grid\.aux=\S+\]),", text))
    for folder, command in zip(("dropped", "fewer"), following.commands, strict=True):
        words = shlex.split(command)[1:]
        found = standout(*words, f"hydra.run.dir={folder}")
        assert found.code == 0, found.err
        assert (drop in words, fewer in words) == (folder == "dropped", folder == "fewer")
        trials = open_folder(place / folder).tables["trials"]
        assert trials.groupby("chain")["short"].last()[lambda x: x.index != "unchanged"].eq(0).all()
        # Where the chains leave them out already, nothing is advised.
        assert drop not in words or "Before any attack" not in found.err
    # Where they leave out too few, what is advised is more of it.
    low = standout(*typed, "plan.defences=[drop_records]", "hydra.run.dir=low").err
    assert f"Leave them out, by {drop}" in " ".join(low.split())
    SAID.add(" ".join(low.split()))
    # Where nobody has as many entries, more of it is not advised.
    asked = [*typed, "plan.defences=[drop_items]", "plan.min_length=7"]
    found = standout(*asked, "hydra.run.dir=nobody")
    assert f"Leave them out, by {drop}" in " ".join(found.err.split())
    told = first_page(open_folder(place / "nobody"))
    assert told is not None
    nobody = "plan.min_length=7 leaves nobody: nobody has 7 entries; ask for fewer."
    assert nobody in told.answer
    SAID.update(told.answer)
    assert not any("above" in one for one in told.answer)
    (following,) = (one for one in told.chapters if one.title == NEXT)
    longer, fewer_facts = map(shlex.split, following.commands)
    assert [one for one in longer if "min_length" in one] == [drop]
    assert not any("min_length" in one for one in fewer_facts)
    assert fewer in fewer_facts
    # After most chains alone.
    rows = [f"{who},{(who + item) % 12}" for who, item in held]
    (place / "short.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    chains = "plan.defences=[hide_items,'drop_records.min_length=4']"
    assert standout(*typed, chains, "hydra.run.dir=most").code == 0
    told = first_page(open_folder(place / "most"))
    assert told is not None
    (following,) = (one for one in told.chapters if one.title == NEXT)
    said = following.sentences[0]
    assert (
        "After 2 of the 3 ways of which the risk was estimated, people with too few facts" in said
    )
    assert f"The command with {drop} leaves them out" in said
    SAID.add(said)
    (command,) = map(shlex.split, following.commands)
    assert standout(*command[1:], "hydra.run.dir=after_most").code == 0
    trials = open_folder(place / "after_most").tables["trials"]
    assert trials.groupby("chain")["short"].last()[lambda x: x.index != "unchanged"].eq(0).all()
    # The chains leave out who has too few for the attackers of the data as they are, and those
    # who attack what is left use more.
    rows += [f"{who},{(who + item) % 20}" for who in range(30, 54) for item in range(12)]
    (place / "short.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    meant = ["audit.attackers=[well_informed]", "plan.defences=[drop_items]", "plan.min_length=4"]
    of_more = [*typed[:1], "plan.max_risk=0.15", *typed[2:], *meant, "hydra.run.dir=of_more"]
    assert standout(*of_more).code == 0
    text = " ".join(first_page(open_folder(place / "of_more")).answer)
    assert "After drop_records.min_length=4, 21 of 45 people (46.7%) have fewer facts" in text
    assert "facts than the 8 that an attacker uses." in text
    assert "by plan.min_length=8, or" in text
    SAID.add(text)
    del rows[-24 * 12 :]
    (place / "short.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    # An audit knows them before a plan does.
    audit = ["experiment=audit", "audit.max_risk=0.29", "audit.measure=mean", *typed[2:7], INLINE]
    audit.append("audit.attackers=[insider,well_informed]")
    assert standout(*audit, "hydra.run.dir=audit").code == 0
    told = first_page(open_folder(place / "audit"))
    assert told is not None
    (following,) = (one for one in told.chapters if one.title == NEXT)
    assert "9 of 30 people have fewer than the 4 facts" in following.sentences[0]
    SAID.add(following.sentences[0])
    few_chains = ["plan.defences=[drop_items]", *typed[-2:]]
    command, more_facts = following.commands
    assert standout(*shlex.split(more_facts)[1:], "hydra.run.dir=more").code == 0
    SAID.update(following.sentences)
    found = standout(*shlex.split(command)[1:], *few_chains, "hydra.run.dir=planned")
    assert "Before any attack" not in found.err
    trials = open_folder(place / "planned").tables["trials"]
    last = trials.groupby("chain")["short"].last()
    assert last[last.index != "unchanged"].eq(0).all()


@pytest.mark.parametrize(
    ("bound", "asked", "n_items", "kept"),
    [(0.3, 8, 9, "=8"), (0.07, 12, 9, "=9"), (0.03, 8, 1, None),
     *deep((0.03, 8, 9, "=8"), (0.3, 12, 9, "=9"))],
)  # fmt: skip
def test_what_is_advised_where_people_have_items_several_times(
    standout: Any, place: Path, no_figures: None, bound: float, asked: int, n_items: int,
    kept: str | None,
) -> None:  # fmt: skip
    """Each person has 18 entries; 23 of 40 have `n_items` different items, others at most 3.

    The plan that takes each item once asks for as many entries as leave half of the people.
    """
    rows = [
        f"{who},{n % (n_items if who < 23 else min(n_items, 3))}"
        for who in range(40)
        for n in range(18)
    ] + [f"0,{n}" for n in range(20, 30)]
    (place / "trips.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    plan = [
        *("experiment=plan", f"plan.max_risk={bound}", "audit.measure=mean", "data=table"),
        *("data.path=trips.csv", "data.user=who", "data.item=what"),
        *("data.repeats=cells", "data.cache=cache", INLINE),
        *("audit.attackers=[well_informed]", "utility=[cells]", "plan.utility=cells"),
        *("plan.defences=['sample_cells.share=0.6']", f"plan.min_length={asked}"),
        "audit.known_facts=original",  # of whom alone it cannot be tested
    ]
    found = standout(*plan, "hydra.run.dir=often")
    assert found.code == 0, found.err
    run = open_folder(place / "often")
    assert run.record["release"]["people_with"]["entries"][:18] == [40] * 18
    told = first_page(run)
    assert told is not None
    (following,) = (one for one in told.chapters if one.title == NEXT)
    said = " ".join(following.sentences)
    assert ("people have an item several times" in said) == (bound < 0.1)
    assert ("different items than entries" in said) == (kept != f"={asked}")
    SAID.add(said)
    once = next(words_of(one) for one in following.commands if "data.repeats=latest" in one)
    lengths = [one.removeprefix("plan.min_length") for one in once if "min_length" in one]
    assert lengths == ([kept] if kept else [])
    found = standout(*once[1:], "hydra.run.dir=once")
    assert found.code == 0, found.err
    assert "Before any attack" not in found.err
    if kept:
        less = [one for one in once[1:] if "min_length" not in one]
        assert "Before any attack" in standout(*less, "hydra.run.dir=less").err


def test_what_is_advised_where_people_have_far_more_entries(
    standout: Any, place: Path, no_figures: None
) -> None:
    """Three inspectors have every stop, and alone exceed the bound; all others are alike."""
    held = [(who, stop) for who in range(63) for stop in range(40 if who < 3 else 9)]
    bound = "plan.max_risk=0.04"
    rows = [f"{who},{stop}" for who, stop in held]
    (place / "trips.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    own = [
        *("audit.measure=mean", "data=table", "data.path=trips.csv", "data.user=who"),
        *("data.item=what", "data.cache=cache", "audit.attackers=[well_informed]", INLINE),
    ]
    assert standout("experiment=audit", *own, "hydra.run.dir=all").code == 0
    run = open_folder(place / "all")
    assert run.record["long_records"] == {"people": 3, "max_length": 9}
    told = first_page(run)
    assert told is not None
    (following,) = (one for one in told.chapters if one.title == NEXT)
    said = following.sentences[0]
    assert (
        "The command leaves out the 3 people with more than 9 entries (plan.max_length=9)" in said
    )
    SAID.add(said)
    (plan,) = (words_of(one) for one in following.commands if "experiment=plan" in one)
    assert "plan.max_length=9" in plan
    chains = ["plan.defences=[hide_items]", "utility=[cells]", "plan.utility=cells"]
    kept = "this keeps the bound that was given"

    def page_of_plan(folder: str, *typed: str) -> tuple[str, Any]:
        found = standout(*typed, f"hydra.run.dir={folder}")
        assert found.code == 0, found.err
        page = first_page(open_folder(place / folder))
        assert page is not None
        (chapter,) = (one for one in page.chapters if one.title == NEXT)
        return " ".join(page.answer), chapter

    others = {"plan.write=FILE.csv": "plan.write=short.csv", "plan.max_risk=0.09": bound}
    written = [others.get(one, one) for one in plan[1:]]
    assert bound in written
    told_of_plan, _ = page_of_plan("planned", *written, *chains)
    assert kept in told_of_plan
    assert "60 of 63 people" in told_of_plan
    # A plan of everybody says what helps, and the command that follows does.
    everybody = [one for one in written if "max_length" not in one and "write" not in one]
    told_of_plan, chapter = page_of_plan("everybody", *everybody, *chains)
    assert kept not in told_of_plan
    assert "3 of 63 people (4.8%) have nearly every item." in told_of_plan
    (drop,) = set(re.findall(r"Leave them out, by (plan\.max_length=\d+),", told_of_plan))
    SAID.update([told_of_plan, *chapter.sentences])
    (command,) = (words_of(one) for one in chapter.commands if drop in one)
    assert kept in page_of_plan("without", *command[1:])[0]
    # If nobody has far more entries, those who lack too few items are known by their entries.
    rows += [f"{who},{stop}" for who in range(3, 6) for stop in range(9, 40)]
    (place / "trips.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    higher = [one.replace("0.04", "0.09") for one in everybody]
    told_of_plan, chapter = page_of_plan("several", *higher, *chains)
    assert "6 of 63 people (9.5%) have nearly every item." in told_of_plan
    assert (
        "plan.max_length=38, if they are staff or the like: it leaves out 6 people" in told_of_plan
    )
    (command,) = (words_of(one) for one in chapter.commands if "max_length" in one)
    assert kept in page_of_plan("without_several", *command[1:])[0]
    # A plan that leaves them out already does not advise it.
    assert "plan.max_length" not in page_of_plan("less", *higher, "plan.max_length=9", *chains)[0]
    # Nobody is left where all have more entries.
    none = standout("publish", *own[1:5], "data.cache=cache", "defence=[drop_long]",
                    "defence.drop_long.max_length=5", "out=none.csv")  # fmt: skip
    assert none.code == 2
    SAID.add(none.err)
    (least,) = re.findall(r"set it to (\d+) or more", none.err)
    assert standout("publish", *own[1:5], "data.cache=cache", "defence=[drop_long]",
                    f"defence.drop_long.max_length={least}", "out=some.csv").code == 0  # fmt: skip


def test_what_is_advised_where_an_attacker_had_fewer_facts_than_meant(
    standout: Any, place: Path, no_figures: None
) -> None:
    """The check does not pass; an audit that asks for no more facts has nothing left open."""
    rows = [
        f"{who},{(who + item) % 12}" for who in range(30) for item in range(2 if who < 20 else 6)
    ]
    (place / "few.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    audit = [
        *("experiment=audit", "data=table", "data.path=few.csv", "data.user=who", "data.item=what"),
        *("data.cache=cache", INLINE),
    ]
    refused = standout(*audit, "grid.aux=[2/2]")
    assert refused.code == 2
    SAID.add(refused.err.removeprefix("standout: error: ").strip())
    (able,) = set(re.findall(r"; (audit\.attackers=\S+) names those", refused.err))
    assert standout(*audit, able, "grid.aux=[2/2]", "dry_run=true").code == 0
    assert standout(*audit, "audit.attackers=[insider]", "hydra.run.dir=meant").code == 0
    checked = standout("check", "meant", "max_risk=1")
    assert checked.code == 1
    SAID.add(checked.out)
    (fewer,) = set(re.findall(r"an audit with (.+) asks for no more", checked.out))
    (meant,) = set(re.findall(r"and with (grid\.aux=\S+) tests those who", checked.out))
    of_all = [fewer.split()[0], meant, "hydra.run.dir=of_all"]
    assert standout(*audit, *of_all).code == 0
    assert "so it was given" not in standout("check", "of_all", "max_risk=1").out
    refused = standout("check", "meant", "max_risk=0,9")
    SAID.add(" ".join(refused.err.split()))
    (pointed,) = re.findall(r"a number has a point: (max_risk=\S+)", refused.err)
    assert "expected a number" not in standout("check", "meant", pointed).err
    assert standout(*audit, *fewer.split(), "hydra.run.dir=fewer").code == 0
    checked = standout("check", "fewer", "max_risk=1")
    assert "so it was given" not in checked.out
    assert checked.code == 0
    # A plan says so beside its offer, and how to test those who have more before it is published.
    plan = ["experiment=plan", "plan.max_risk=1", "plan.defences=[drop_items]", *audit[1:]]
    asked = ["audit.attackers=[insider]", "utility=[cells]", "plan.utility=cells"]
    assert standout(*plan, *asked, "plan.write=release.csv", "hydra.run.dir=plan").code == 0
    assert standout("check", "plan").code == 1
    told = first_page(open_folder(place / "plan"))
    assert told is not None
    assert told.answer[1].startswith("However, a check of this release does not pass: ")
    assert "had only 2 here, since too few people have 4" in told.answer[2]
    assert "of those who have them (10 people), and was not tested." in told.answer[2]
    more = (
        "“insider” with 4 facts, where it had only 2: what one who knows 4 finds of those who have "
        "them (10 people) is not known"
    )
    chapters = {one.title: one for one in told.chapters}
    assert f"{more}." in chapters[UNTESTED].items
    assert f"; {more}; " in " ".join(chapters[PASTE].sentences).partition("Not tested: ")[2]
    (following,) = chapters[NEXT].sentences
    assert following.index("tests “insider” with 4 facts") < following.index("publish release.csv")
    (test,) = chapters[NEXT].commands
    assert standout(*words_of(test)[1:], "hydra.run.dir=tested").code == 0
    checked = standout("check", "tested", "max_risk=1")
    assert "insider, 4 facts" in checked.out
    assert "so it was given" not in checked.out


def test_what_is_advised_where_a_release_shows_how_often(
    standout: Any, place: Path, no_figures: None
) -> None:
    """The published file, audited as is advised, has an attacker who counts."""
    rows = [f"{who},{(who + item) % 12},{item}" for who in range(30) for item in range(6)]
    every = [f"{row}{day}" for row in rows for day in range(2)]
    (place / "visits.csv").write_text("\n".join(["who,what,day", *every]), encoding="utf-8")
    own = ["data=table", "data.user=who", "data.item=what", "data.cache=cache"]
    dated = [*own, "data.date=day", "data.date_unit=days", "data.path=visits.csv"]
    audit = ["experiment=audit", "audit.attackers=[insider]", INLINE]
    assert standout(*audit, *dated, "data.repeats=all", "hydra.run.dir=all").code == 0
    checked = standout("check", "all", "max_risk=1")
    assert checked.code == 1
    SAID.add(" ".join(checked.out.split()))
    (counted,) = set(re.findall(r"published file with (data\.repeats=\S+) tests", checked.out))
    done = standout("publish", *dated, "data.repeats=all", "out=published.csv")
    assert done.code == 0
    # Of rows that a coarser time makes equal, each is read by what publish says, or the report.
    week = ["defence=[coarsen_time]", "defence.coarsen_time.bin=2d"]
    (place / "later.csv").write_text(
        (place / "visits.csv").read_text(encoding="utf-8") + "\n0,11,9", encoding="utf-8"
    )
    later = [*own, *dated[-3:-1], "data.path=later.csv", "data.repeats=all"]
    assert standout("publish", *later, *week, "out=coarse.csv").code == 0
    alike = ["data=table", "data.path=coarse.csv", *own[1:], "data.date=day"]
    merged = standout(*audit, *alike, "hydra.run.dir=merged")
    SAID.add(" ".join(merged.out.split()))
    (each,) = set(
        re.findall(r"(data\.repeats=\S+) reads each of them", " ".join(merged.out.split()))
    )
    assert "repetitions, so the release shows how often" not in " ".join(merged.out.split())
    whole = standout(*audit, *alike, each, "hydra.run.dir=each")
    assert "repetitions, so the release shows how often" in " ".join(whole.out.split())
    checked = standout("check", "merged", "max_risk=1", "released=as_read").out
    assert "this holds if what is released is only what was read" in checked.splitlines()[-1]
    assert standout("check", "each", "max_risk=1", "data.path=coarse.csv").code == 1
    header = (place / "published.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
    names = [f"data.user={header[0]}", f"data.item={header[1]}"]
    published = ["data=table", "data.path=published.csv", *names, *own[3:]]
    found = standout(*audit, *published, counted, "hydra.run.dir=counts")
    assert found.code == 0, found.err
    SAID.add(" ".join(found.out.split()))
    refused = standout("check", "counts", "max_risk=1")  # the days of the file were not read
    assert refused.code == 1
    SAID.add(" ".join(refused.out.split()))
    (said,) = set(re.findall(r"(released=\S+) says", refused.out))
    assert standout("check", "counts", "max_risk=1", said).code == 0


def test_what_is_advised_where_what_was_read_keeps_the_bound(
    standout: Any, place: Path, no_figures: None
) -> None:
    """Of rows given twice, one of each is attacked, and what is published has one of each."""
    rows = [f"{who},{(who + item) % 12}" for who in range(30) for item in range(6)] * 2
    (place / "twice.csv").write_text("\n".join(["who,what", *rows]), encoding="utf-8")
    data = ["data=table", "data.path=twice.csv", "data.user=who", "data.item=what"]
    plan = [
        *("experiment=plan", "plan.max_risk=1", "plan.defences=[drop_items]", "utility=[cells]"),
        *("plan.utility=cells", "audit.attackers=[insider]", "data.cache=cache"),
        INLINE,
    ]
    found = standout(*plan, *data, "hydra.run.dir=plan")
    assert found.code == 0, found.err
    text = " ".join(found.out.split())
    assert "plan.write or standout publish writes what was read" in text
    SAID.add(text)
    assert standout("publish", *data, "data.cache=cache", "out=read.csv").code == 0
    assert len((place / "read.csv").read_text(encoding="utf-8").splitlines()) == 1 + 180


def test_what_is_kept_is_removed_as_advised(standout: Any, files: Path, place: Path) -> None:
    def said(*words: str, code: int) -> str:
        found = standout("cache", *words, "data.cache=cache")
        assert found.code == code, found.err
        text = str(found.err or found.out).strip()
        SAID.add(text.removeprefix("standout: error: "))
        return text

    opened = standout("describe", "data=synthetic", "data.preset=tiny", "data.cache=cache")
    assert opened.code == 0
    assert "standout cache list" in said(code=2)
    assert "standout cache list" in said("list", "data.cache=x", code=2)
    assert "standout cache clear" in said("clear", code=2)
    assert "standout cache list" in said("clear", "zzzz", code=2)
    listed = said("list", code=0)
    name = listed.splitlines()[2].split()[0]
    command = re.findall(r"standout cache (clear \S+), or (\S+), or (\S+)", listed)[0]
    assert "0 B freed" in said("clear", command[1], code=0)
    assert "removed" in said(*command[0].replace("NAME", name).split(), code=0)
    assert "0 B freed" in said("clear", command[2], code=0)


@pytest.mark.parametrize("group", ["defence", "utility"])
def test_who_names_an_unknown_choice_is_sent_to_those_there_are(standout: Any, group: str) -> None:
    refused = standout(f"{group}=[nobodys]")
    assert refused.code == 2
    SAID.add(refused.err.removeprefix("standout: error: ").strip())
    topic = words_of(refused.err.partition("; see ")[2].strip())[1:]
    assert f"'{group}=[" in standout(*topic).out


@pytest.mark.parametrize("typed", [["comprae"], ["help", "dta"], ["help", "data", "grid"]])
def test_who_types_another_word_is_sent_to_the_help(standout: Any, typed: list[str]) -> None:
    refused = standout(*typed)
    assert refused.code == 2
    SAID.add(refused.err.removeprefix("standout: error: ").strip())
    assert standout("help", "data").code == standout("--help").code == 0


def test_runs_to_compare_are_asked_for(standout: Any) -> None:
    asked = standout("compare")
    assert asked.code == 2
    SAID.add(asked.err.removeprefix("standout: error: ").strip())


def test_what_python_is_advised(files: Path, place: Path) -> None:
    """A keyword that may mean two keys or none, and a folder that goes with its result."""
    release = sim.table(files / "t.csv", user="who", item="what", cache=str(files / "cache"))
    with pytest.raises(StandoutError) as caught:
        sim.run(release, max_risk=0.5)
    SAID.add(str(caught.value))
    with pytest.raises(StandoutError) as caught:
        sim.run(release, zzzz=2)
    SAID.add(str(caught.value))
    mixed = pd.DataFrame({"who": [1, "b"] * 6, "what": range(12)})
    columns = {"user": "who", "item": "what", "cache": str(files / "cache")}
    with pytest.raises(StandoutError) as caught:
        sim.table(mixed, **columns)
    SAID.add(str(caught.value))
    assert sim.table(mixed.assign(who=mixed["who"].astype(str)), **columns)
    days = pd.to_datetime(["2024-05-01", "2024-05-02", "2024-05-01"] * 2)
    visits = pd.DataFrame({"who": list("aaabbb"), "what": [1, 1, 2, 3, 3, 2], "day": days})
    with pytest.raises(StandoutError) as caught:
        sim.nearest(sim.table(visits, **columns, date="day"))
    SAID.add(str(caught.value))
    assert len(sim.nearest(sim.table(visits, **columns, date="day", repeats="latest"))) == 2
    given = {"attack.phi": 2, "grid.aux": ["2/2"]}
    made = sim.run(release, options=given, targets=3, bayes_targets=0)
    assert made.record["config"]["attack"]["phi"] == 2
    SAID.add(re.sub(r"<svg.*?</svg>|base64,[^\"]*", "", made._repr_html_(), flags=re.DOTALL))
    kept = sim.run(release, aux=["2/2"], targets=3, bayes_targets=0, folder=place / "kept")
    assert "is removed with" not in kept._repr_html_()


def test_memory_that_ran_out(
    standout: Any, files: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The estimate that is advised can be made."""
    more = [f"{k}={v}" for k, v in BASE.items() if k not in ("data.cache", "data.path")]
    more += [f"data.path={files}/t.csv", f"data.cache={files}/cache"]
    with monkeypatch.context() as patch:
        fails("sim.session.suite.run_session", MemoryError())(patch)  # type: ignore[arg-type]
        found = standout(*more)
    SAID.add(found.err.removeprefix("standout: error: ").strip())
    assert "dry_run=true" in found.err
    assert standout(*more, "dry_run=true").code == 0


@pytest.mark.parametrize("typed", [["history"], ["spec", "glossary"]])
def test_who_is_sent_to_the_guide_finds_a_page(standout: Any, typed: list[str]) -> None:
    refused = standout("guide", *typed)
    assert refused.code == 2
    listed = standout("guide").out
    SAID.update({refused.err.removeprefix("standout: error: ").strip(), listed})
    page = listed.split()[0]
    assert standout("guide", page).out.startswith("# ")


def was_said(pattern: str) -> bool:
    """Whether a message has it; long ones are searched only if they have what it spells out."""
    spelt = [re.sub(r"\\(.)", r"\1", part, flags=re.DOTALL) for part in pattern.split(".*")]
    return any(re.search(pattern, said) for said in SAID if all(part in said for part in spelt))


def test_no_advice_goes_untried(request: pytest.FixtureRequest) -> None:
    here = [item for item in request.session.items if item.path == request.path]
    if len(here) < len(CASES) + 10:
        pytest.skip("looks at what the other tests of this module provoked")
    found = list(templates())
    assert len(found) >= 25
    untried = [(where, pattern) for where, pattern in found if not was_said(pattern)]
    assert untried == [], "\n".join(f"{where}: {pattern}" for where, pattern in untried)
