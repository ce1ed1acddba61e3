"""Starts, joins and leaves Ray clusters."""

from __future__ import annotations

import logging
import socket
import threading
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray._private.state import actors

from actors.loopback import lock, on_loopback, unlock, warn_if_reachable
from sim.errors import ClusterError, ClusterLostError

MESSAGES = 256 << 20
"""Bytes of an object store through which only messages pass: the release is memory-mapped."""

_ANSWER_SECONDS = 5.0

_HEALTH = {
    "health_check_initial_delay_ms": 1000,
    "health_check_period_ms": 1000,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 4,
}
"""A raylet that says nothing for about ten seconds counts as dead; Ray waits a minute or more."""

_LOCAL = "local"

_ROOT = Path(__file__).resolve().parents[1]

changing = threading.Lock()
"""Held while a cluster is started, joined or left: Ray ends a process that asks it then."""

_connected: list[str] = []
"""Address this process connected to, `_LOCAL` for a cluster it started; empty if it did not."""


def connect(
    kind: str,
    address: str | None,
    workers: int,
    folder: Path | None = None,
    store_bytes: int | None = MESSAGES,
) -> None:
    """Start Ray here, or join a running cluster.

    The cluster of an earlier call is reused if it is the requested one and large enough. A cluster
    that other code in this process connected to is used for kind "local".

    Parameters
    ----------
    address : str or None
        ``host:port`` of the head, or ``auto``, for kind "address".
    workers : int
        Scorers the run will start.
    folder : Path or None
        Where a cluster that is started keeps its files; None is Ray's own choice.
    store_bytes : int or None
        Size of the object store of a cluster that is started; None is Ray's own choice.

    Raises
    ------
    ClusterError
        The address does not answer.
    ClusterLostError
        Ray breaks while it starts.
    """
    wanted = (address or "auto") if kind == "address" else _LOCAL
    if wanted not in (_LOCAL, "auto"):
        _must_answer(wanted)
    with changing:
        _change(wanted, workers, folder, store_bytes)


def _change(wanted: str, workers: int, folder: Path | None, store_bytes: int | None) -> None:
    gone = not ray.is_initialized()  # the embedding program may have called ray.shutdown()
    few = not gone and wanted == _LOCAL and _cores() < workers
    if _connected and (gone or few or _connected[0] != wanted):
        _leave()
    if not ray.is_initialized():
        if wanted == _LOCAL:
            _start(workers, folder, store_bytes)
        else:
            _join(wanted)
        _connected.append(wanted)


def disconnect() -> None:
    """Stop the cluster that `connect` started, or leave the one it joined."""
    with changing:
        _leave()


def _leave() -> None:
    if _connected:
        ray.shutdown()
        unlock()
        _connected.clear()


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of the cluster.

    Parameters
    ----------
    id : str
        Ray's; it changes each time the node joins.
    name : str
        Its address.
    """

    id: str
    name: str
    cores: int


def nodes_alive() -> list[Node]:
    """Return the nodes that are alive."""
    return [
        Node(node["NodeID"], node["NodeManagerAddress"], int(node["Resources"].get("CPU", 0)))
        for node in ray.nodes()  # type: ignore[no-untyped-call]
        if node["Alive"]
    ]


def head_answers() -> bool:
    """Whether the head answers in time, and still has nodes."""
    try:
        worker: Any = ray._private.worker.global_worker
        client = worker.gcs_client
        host, _, port = client.address.rpartition(":")
        _accept(host, port)  # at once refused if the head ended, which the client only retries
        client.internal_kv_exists(b"standout", timeout=_ANSWER_SECONDS)
        return bool(nodes_alive())
    except Exception:
        return False


def restarts(actor: Any) -> int:
    """Return how often an actor ended and was started again."""
    return int(actors(actor._actor_id.hex()).get("NumRestarts", 0))


def _start(workers: int, folder: Path | None, store_bytes: int | None) -> None:
    lock()
    try:
        with on_loopback():
            _init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                object_store_memory=store_bytes,
                _temp_dir=None if folder is None else str(folder),
                _system_config=_HEALTH,
            )
    except (RuntimeError, TimeoutError) as error:
        unlock()
        raise ClusterLostError(f"Ray does not start here: {error}") from None
    except (OSError, ValueError) as error:
        unlock()
        raise ClusterError(
            f"Ray does not start here ({error}); cluster=inline does without it"
        ) from None
    warn_if_reachable()


def _init(**given: Any) -> None:
    """Start or join from the folder that this program is imported from.

    Ray puts the working directory first in its workers' module path; a file `numba.py` next to the
    user's data must not shadow the package.
    """
    with chdir(_ROOT):
        ray.init(logging_level=logging.ERROR, log_to_driver=False, **given)


def _cores() -> int:
    return int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]


def _join(address: str) -> None:
    try:
        _init(address=address)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ClusterError(
            f"cluster.address={address}: no Ray cluster answers there ({error}); start one with: "
            "ray start --head; if it asks for a token: export RAY_AUTH_MODE=token"
        ) from None


def _must_answer(address: str) -> None:
    """Check the address first: Ray would wait for minutes, then abort the process."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        _accept(host, port)
    except ValueError:
        raise ClusterError(f"cluster.address={address}: expected host:port, or auto") from None
    except OSError as error:
        raise ClusterError(
            f"cluster.address={address}: does not answer ({error.strerror or 'timed out'}); "
            "start the head with: ray start --head"
        ) from None


def _accept(host: str, port: str) -> None:
    """Connect and leave; raise an error if nobody accepts."""
    socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS).close()
