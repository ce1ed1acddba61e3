"""A cluster that Standout starts is out of reach: for other machines, and for other users here."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray
from making import RowSource, random_rows
from studying import an_attack

from actors import loopback
from actors.cluster import connect, disconnect
from actors.coordinator import Coordinator
from sim.release.store.build import build_store
from sim.release.store.store import Store

PROC = Path("/proc")
AUTH = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
OUTSIDER = """
import sys
from ray._raylet import GcsClient
print(GcsClient(address=sys.argv[1]).internal_kv_get(b"session_name", b"session", timeout=30))
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Coordinator]:
    """A cluster with two scorers at work, started for these tests."""
    disconnect()
    folder = tmp_path_factory.mktemp("made") / "store"
    rows = RowSource(random_rows(7, records=60, items=20, cells=600), 1000)
    build_store(rows, folder, block_records=30)
    made = Coordinator(
        Store(folder), an_attack(), kind="local", address=None, workers=2, shards=2, timeout=120
    )
    ray.get([scorer.ready.remote() for scorer in made.pool.scorers[0]])
    yield made
    disconnect()


def tree(root: int) -> list[int]:
    """A process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text()
            except OSError:  # it has ended
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def open_sockets() -> dict[str, tuple[str, str]]:
    """Address by inode of every TCP socket that listens, and every UDP socket that is bound."""
    found = {}
    for name in ("tcp", "tcp6", "udp", "udp6"):
        table = PROC / "net" / name
        for line in table.read_text().splitlines()[1:] if table.exists() else ():
            _, local, _, state, *rest = line.split()
            if state == "0A" or name.startswith("udp"):
                digits = local.partition(":")[0]
                words = [int(digits[i : i + 8], 16) for i in range(0, len(digits), 8)]
                packed = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
                family = socket.AF_INET if len(packed) == 4 else socket.AF_INET6
                found[rest[5]] = name, socket.inet_ntop(family, packed)
    return found


def listening(root: int) -> list[tuple[str, str, str]]:
    """Process, protocol and address of each socket that a process and its descendants listen on."""
    sockets, found = open_sockets(), []
    for pid in tree(root):
        targets = []
        with contextlib.suppress(OSError):  # it has ended
            command = (PROC / str(pid) / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            for fd in (PROC / str(pid) / "fd").iterdir():
                with contextlib.suppress(OSError):  # closed since: the raylet opens files all along
                    targets.append(str(fd.readlink()))
        inodes = {m[1] for m in map(re.compile(r"socket:\[(\d+)\]").fullmatch, targets) if m}
        found += [(command, *sockets[inode]) for inode in sorted(inodes & sockets.keys())]
    return found


def is_loopback(address: str) -> bool:
    parsed = ipaddress.ip_address(address)
    return bool((getattr(parsed, "ipv4_mapped", None) or parsed).is_loopback)


@pytest.mark.skipif(not PROC.is_dir(), reason="reads the sockets of processes from /proc")
def test_no_process_listens_but_on_loopback(runner: Coordinator) -> None:
    """Nor one that takes the place of another."""
    scorer = runner.pool.scorers[0][0]
    ray.kill(scorer, no_restart=False)
    ray.get(scorer.ready.remote())
    found = listening(os.getpid())
    for part in ("gcs_server", "raylet", "ray::RuntimeEnvAgent", "ray::Scorer"):
        assert any(part in command for command, _, _ in found), part
    assert not [one for one in found if not is_loopback(one[2])]


def outsider(address: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a client of Ray gets that is not of the run."""
    kept = {name: value for name, value in os.environ.items() if name not in AUTH}
    return subprocess.run(
        [sys.executable, "-c", OUTSIDER, address],
        env=kept | variables, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_who_lacks_the_secret_is_refused(runner: Coordinator) -> None:
    address = ray.get_runtime_context().gcs_address
    secret = os.environ["RAY_AUTH_TOKEN"]
    session = ray._private.worker.global_worker.node.session_name
    for variables in ({"RAY_AUTH_MODE": "disabled"}, {"RAY_AUTH_TOKEN": "0" * 64}):
        refused = outsider(address, **{"RAY_AUTH_MODE": "token"} | variables)
        assert refused.returncode == 1
        assert "InvalidAuthToken" in refused.stderr
    admitted = outsider(address, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secret)
    assert session in admitted.stdout
    commands = [(PROC / str(pid) / "cmdline").read_bytes() for pid in tree(os.getpid())]
    assert not [command for command in commands if secret.encode() in command]


def test_the_secret_is_of_one_cluster_and_then_forgotten(runner: Coordinator) -> None:
    first = os.environ["RAY_AUTH_TOKEN"]
    disconnect()
    assert not [name for name in AUTH if name in os.environ]
    connect("local", None, workers=1)
    second = os.environ["RAY_AUTH_TOKEN"]
    assert second != first
    assert ray.get(ray.put(1)) == 1
    ray.shutdown()  # by the caller
    connect("local", None, workers=1)
    assert ray.cluster_resources()["CPU"] == 1
    assert os.environ["RAY_AUTH_TOKEN"] != second


def test_a_choice_of_the_user_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    disconnect()
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", "mine")
    loopback.lock()
    assert [name for name in AUTH if name in os.environ] == ["RAY_AUTH_TOKEN_PATH"]
    loopback.unlock()
    assert os.environ["RAY_AUTH_TOKEN_PATH"] == "mine"


@pytest.mark.parametrize(("address", "warned"), [("127.0.0.1", 0), ("::1", 0), ("192.0.2.5", 1)])
def test_a_ray_that_cannot_be_kept_in_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, address: str, warned: int
) -> None:
    monkeypatch.setattr("ray.util.get_node_ip_address", lambda: address)
    with caplog.at_level(logging.WARNING, "standout"):
        loopback.warn_if_reachable()
    assert len(caplog.records) == warned
    assert all(address in record.getMessage() for record in caplog.records)


def test_other_clusters_are_left_as_they_are() -> None:
    """What holds a cluster to this machine holds only while one is started."""
    before: Any = ray._private.ray_constants.ENABLE_RAY_CLUSTER
    with contextlib.suppress(OSError), loopback.on_loopback():
        assert not ray._private.ray_constants.ENABLE_RAY_CLUSTER
        raise OSError
    assert before == ray._private.ray_constants.ENABLE_RAY_CLUSTER
