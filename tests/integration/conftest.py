"""The command line for tests: in this process, where it is quick, or in one of its own."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hydra.core.global_hydra import GlobalHydra
from overlaying import Commands
from studying import results

from sim.session.cost import Probe

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where a command is given; its run folder is ``run`` there."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def quiet_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leaves this process as it was: handlers, signals, Hydra."""
    monkeypatch.setenv("HYDRA_FULL_ERROR", "0")
    root, run_log = logging.getLogger(), logging.getLogger("standout.run_log")
    handlers, level = root.handlers[:], root.level
    signals = {n: signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    yield
    for handler in (*root.handlers, *run_log.handlers):
        with contextlib.suppress(OSError):  # of a full disk
            handler.close()
    root.handlers[:], root.level = handlers, level
    run_log.handlers.clear()
    for number, answer in signals.items():
        signal.signal(number, answer)
    GlobalHydra.instance().clear()


@pytest.fixture
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaves the drawing out, which takes longer than a small study."""
    monkeypatch.setattr("sim.session.suite.draw_run", lambda folder: [])
    monkeypatch.setattr("sim.session.suite.write_report", lambda folder: folder)


@pytest.fixture
def nothing_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets a dry run attack nobody; what it measures is tested with `sim.session.cost`."""
    times = Probe(sets=1, postings=1.0, first=1.0, scan=1.0, driver=0.1, batch=0.1, fixed=1.0)
    monkeypatch.setattr("sim.session.cost._probe", lambda *_: times)


@pytest.fixture
def standout(
    place: Path,
    quiet_process: None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Command:
    """Run a command in this process: standout("seed=2", "data.path=…")."""
    from hydra._internal.hydra import Hydra

    from sim.cli import main as cli

    mode = Hydra.get_mode

    def mode_of(hydra: Hydra, config_name: str | None, overrides: list[str]) -> Any:
        """Compose the configuration for its mode only if it may set one: it takes long."""
        set_here = any(each.lstrip("+").startswith("hydra.mode=") for each in overrides)
        return mode(hydra, config_name, overrides) if set_here else None

    monkeypatch.setattr(Hydra, "get_mode", mode_of)

    def run(*arguments: str) -> Outcome:
        GlobalHydra.instance().clear()
        monkeypatch.setattr(sys, "argv", ["standout", *arguments])
        capfd.readouterr()
        code = 0
        try:
            cli.main()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0 if left.code is None else 1
        finally:
            os.chdir(place)
        out, err = capfd.readouterr()
        return Outcome(code, out, err)

    return run


@pytest.fixture(scope="session")
def forked() -> Iterator[Commands]:
    """Run a command in a process of its own, which costs no start: forked("seed=2", at=folder)."""
    with contextlib.closing(Commands(ROOT)) as commands:
        yield commands


@pytest.fixture(scope="session")
def store_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of stores that tests share."""
    return tmp_path_factory.mktemp("stores")


_HELD = """
import os, time
from pathlib import Path

sync, ledger, go_on = os.fsync, Path("run/ledger.jsonl"), Path("go on")

def held(file):
    sync(file)
    while ledger.exists() and ledger.read_bytes().count(b'"batch"') >= 2 and not go_on.exists():
        time.sleep(0.01)

os.fsync = held
"""

_WITHOUT_FIGURES = """
import runpy
from sim.report.page import html
from sim.session import session

session.draw_run = lambda folder, most=None: []
html.drawings_of = lambda run: ()
runpy.run_module("sim", run_name="__main__", alter_sys=True)
"""


def start(*arguments: str, cwd: Path, held: bool = False) -> subprocess.Popen[str]:
    """Start a command in a process of its own, which draws no figures.

    Held, it waits, when two batches are in the ledger of ``run``, for a file ``go on``: whatever is
    to happen in its middle does so there, on the slowest machine too.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "200"}
    environment.pop("HYDRA_FULL_ERROR", None)
    return subprocess.Popen(
        [sys.executable, "-c", (_HELD if held else "") + _WITHOUT_FIGURES, *arguments],
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def reached(ledger: Path, process: subprocess.Popen[str]) -> None:
    """Wait until two batches of a held command are done."""
    while not (ledger.exists() and ledger.read_bytes().count(b'"batch"') >= 2):
        assert process.poll() is None, process.communicate()
        time.sleep(0.005)


def ended(process: subprocess.Popen[str]) -> Outcome:
    """Wait for a command to end."""
    out, err = process.communicate(timeout=300)
    return Outcome(process.returncode, out, err)


LONG = (
    "data.preset=tiny", "targets=all", "grid.aux=[24/30]", "grid.date_noise=[3,14,30,60]",
    "grid.value_noise=[0,1]", "attack.entropy=true", "bayes_targets=0",
)  # fmt: skip
"""A job of a second or more in 16 batches: there is a middle to be interrupted in."""


@pytest.fixture(scope="session")
def long_job(store_cache: Path) -> tuple[str, ...]:
    """Arguments of a job long enough to be interrupted."""
    return (*LONG, f"data.cache={store_cache}")


@pytest.fixture(scope="session")
def long_results(
    long_job: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """What the long job gives when nothing happens to it."""
    where = tmp_path_factory.mktemp("long")
    found = ended(start(*long_job, "cluster=inline", "hydra.run.dir=run", cwd=where))
    assert found.code == 0, found.err
    return results(where / "run")


@pytest.fixture(scope="session")
def starting() -> Callable[..., subprocess.Popen[str]]:
    """See `start`."""
    return start


@pytest.fixture(scope="session")
def reaching() -> Callable[[Path, subprocess.Popen[str]], None]:
    """See `reached`."""
    return reached


@pytest.fixture(scope="session")
def waiting() -> Callable[[subprocess.Popen[str]], Outcome]:
    """See `ended`."""
    return ended
