"""The process that talks to Ray may end in any way: the program goes on, or says one line."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import ray
from making import RowSource, random_rows
from studying import an_attack, results, small_plan, study

from actors import cluster, driver, guard, pulse, supervisor
from actors.supervisor import Supervisor
from sim.adversary.aux import Drawn
from sim.config.schema import ClusterConfig
from sim.errors import ClusterError, ClusterLostError, GridError
from sim.release.store.build import build_store
from sim.release.store.store import Store

LOCAL = {"kind": "local", "workers": 2, "address": None}


def config(**given: Any) -> ClusterConfig:
    return ClusterConfig(**LOCAL | {"wait": 0.0} | given)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    folder = tmp_path_factory.mktemp("made") / "store"
    rows = RowSource(random_rows(7, records=300, items=40, cells=4000), 1000)
    build_store(rows, folder, block_records=60)
    return Store(folder)


@pytest.fixture(scope="module")
def runner(store: Store) -> Iterator[Supervisor]:
    """On one cluster for all tests."""
    yield Supervisor(config(), store, an_attack())
    supervisor.stop()


class Counting:
    """A runner that counts how often batches are drawn; something may happen meanwhile."""

    def __init__(self, runner: Supervisor, happens: Callable[[int], None]) -> None:
        self.runner, self.happens, self.drawn = runner, happens, list[int]()

    def run(self, batches: list[int], draw: Callable[[int], Drawn]) -> Any:
        def counted(batch: int) -> Drawn:
            self.drawn.append(batch)
            self.happens(batch)
            return draw(batch)

        return self.runner.run(batches, counted)

    def shape(self) -> Any:
        return self.runner.shape()

    def close(self) -> None:
        pass


def test_more_workers_than_before_are_no_loss(store: Store) -> None:
    """The smaller cluster is ended for the larger one, and not because it was lost."""
    supervisor.stop()
    for workers in (1, 2):
        larger = Supervisor(config(workers=workers), store, an_attack())
        shape = larger.shape()
        assert (shape["workers"], shape["replaced"]) == (workers, {"workers": 0, "clusters": 0})
        larger.close()


def test_a_cluster_is_not_asked_while_it_is_ended_and_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ray would end the driver, whose other thread looks after the cluster."""
    asked, started = list[bool](), list[bool]()
    ours, theirs = multiprocessing.Pipe()
    looking = driver.Driver(theirs, Path())

    def start(*_: Any) -> None:
        started.append(True)
        looking._look()

    monkeypatch.setattr(ray, "is_initialized", lambda: bool(started))
    monkeypatch.setattr(driver, "head_answers", lambda: not asked.append(True))
    monkeypatch.setattr(cluster, "_start", start)
    monkeypatch.setattr(cluster, "_connected", list[str]())
    cluster.connect("local", None, workers=1)
    assert started
    assert not asked
    looking._look()
    assert asked
    ours.close()
    theirs.close()


def test_a_driver_that_dies_is_replaced(
    runner: Supervisor, store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Facts are drawn once, though the next driver may ask for them again."""
    plan = small_plan(store)
    study(store, plan, tmp_path / "inline")
    folders = []

    def kill(batch: int) -> None:
        if batch == 3:
            process = supervisor._drivers[0]
            folders.append(process.folder)
            os.kill(process._process.pid, signal.SIGKILL)

    counting = Counting(runner, kill)
    with caplog.at_level(logging.WARNING, "standout"):
        study(store, plan, tmp_path / "ray", counting)
    assert results(tmp_path / "ray") == results(tmp_path / "inline")
    assert len(folders) == 1
    assert not any(folder.exists() for folder in folders)
    assert runner.shape()["replaced"] == {"workers": 0, "clusters": 1}
    assert sum("its driver ended" in line for line in caplog.messages) == 1
    assert counting.drawn == sorted(set(counting.drawn))


def test_an_error_of_the_draw_is_its_own(runner: Supervisor, store: Store, tmp_path: Path) -> None:
    """The cluster serves the next run."""
    before = supervisor._drivers[0]

    def refuse(batch: int) -> None:
        if batch == 2:
            raise GridError("none is left")

    with pytest.raises(GridError, match="none is left"):
        study(store, small_plan(store), tmp_path / "refused", Counting(runner, refuse))
    runner.close()
    again = Supervisor(config(), store, an_attack())
    study(store, small_plan(store), tmp_path / "run", again)
    assert supervisor._drivers == [before]


def test_a_cluster_that_never_starts_is_given_up(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    supervisor.stop()
    monkeypatch.setattr(supervisor, "_START", "raise SystemExit; ")
    with pytest.raises(ClusterLostError, match=r"3 times in a row .*cluster=inline"):
        Supervisor(config(), store, an_attack())
    assert len([line for line in caplog.messages if "started again" in line]) == 2
    assert not supervisor._drivers


def test_what_lets_workers_find_a_module_is_said(runner: Supervisor) -> None:
    error = ClusterLostError("ModuleNotFoundError: No module named 'my_package'")
    runner._count(error)
    runner._count(error)
    with pytest.raises(ClusterLostError, match=r"set PYTHONPATH to .* or cluster=inline does"):
        runner._count(error)


def test_a_port_that_accepts_and_says_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    supervisor.stop()
    monkeypatch.setattr(supervisor, "TIMEOUT", 5.0)
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as mute:
        address = f"127.0.0.1:{mute.getsockname()[1]}"
        with pytest.raises(ClusterError, match=rf"{address}: accepts connections, but no Ray"):
            Supervisor(config(kind="address", address=address), store, an_attack())
    assert time.monotonic() - begun < 60  # Ray alone never ends
    assert not supervisor._drivers


FAMILY = """
import os, signal, subprocess, sys, time
children = [subprocess.Popen(["sleep", "600"]) for _ in range(2)]
os.kill(children[0].pid, signal.SIGSTOP)
print("ready", flush=True)
time.sleep(600)
"""


def test_the_guard_ends_a_session(tmp_path: Path) -> None:
    """With what is stopped in it, when its standard input closes; signals do not end the guard."""
    folder = tmp_path / "of-the-driver"
    folder.mkdir()
    family = subprocess.Popen(
        [sys.executable, "-c", FAMILY], start_new_session=True, stdout=subprocess.PIPE
    )
    assert family.stdout is not None
    family.stdout.readline()
    guarding = subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, folder], stdin=subprocess.PIPE
    )
    assert guarding.stdin is not None
    guarding.stdin.write(f"{family.pid}\n".encode())
    guarding.stdin.flush()
    assert len(guard.processes(family.pid)) == 3
    time.sleep(0.3)
    guarding.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    assert guarding.poll() is None
    guarding.stdin.close()
    assert guarding.wait(10) == 0
    assert family.wait(10) == -signal.SIGKILL
    assert not guard.processes(family.pid)
    assert not folder.exists()


class Ray:
    """Ray for pulses: some actors answer, and killed ones may answer again."""

    def __init__(self, *dead: str) -> None:
        self.dead, self.killed = set(dead), list[str]()

    def actor(self, name: str) -> Any:
        return SimpleNamespace(name=name, pulse=SimpleNamespace(remote=lambda: name))

    def wait(self, asked: list[str], timeout: float) -> tuple[list[str], list[str]]:
        answered = [name for name in asked if name not in self.dead]
        return answered, [name for name in asked if name in self.dead]

    def kill(self, actor: Any, no_restart: bool) -> None:
        assert not no_restart
        self.killed.append(actor.name)


def watched(monkeypatch: pytest.MonkeyPatch, *dead: str) -> tuple[Ray, pulse.Pulses]:
    ray = Ray(*dead)
    monkeypatch.setattr(pulse, "ray", ray)
    return ray, pulse.Pulses((name, ray.actor(name)) for name in ("one", "two"))


def test_who_falls_silent_is_replaced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ray, pulses = watched(monkeypatch)
    for _ in range(100):
        pulses.look()
    ray.dead.add("two")
    for _ in range(pulse._MOST_SILENT + 1):
        assert not ray.killed
        pulses.look()
    assert ray.killed == ["two"]
    for _ in range(pulse._MOST_STARTING):  # the one in its place takes its time
        pulses.look()
    ray.dead.clear()
    for _ in range(100):
        pulses.look()
    assert ray.killed == ["two"]


def test_workers_that_never_start_are_a_lost_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    ray, pulses = watched(monkeypatch, "one")

    def look_on() -> None:
        for _ in range(pulse._MOST_STARTING + 3):
            pulses.look()

    with pytest.raises(ClusterLostError, match="no worker started in 60 seconds"):
        look_on()
    assert not ray.killed
