"""Who starts Ray and who stops it."""

from __future__ import annotations

import logging
import socket

import ray

from sim.errors import ClusterError

_OBJECT_STORE_BYTES = 256 << 20  # the release is memory-mapped; only messages pass through
_ANSWER_SECONDS = 5.0

_started: list[int] = []
"""Cores of the cluster that this process started; empty if it started none."""


def connect(kind: str, address: str | None, workers: int) -> None:
    """Start Ray here, or join a running cluster; what is already up is used as it is.

    Parameters
    ----------
    kind : {"local", "address"}
    address : str or None
        ``host:port`` of the head, or ``auto``, for kind "address".
    workers : int
        Scorers the run will start.

    Raises
    ------
    ClusterError
        The address does not answer, or the cluster has fewer cores than workers.
    """
    if ray.is_initialized() and _started and _cores() < workers:
        disconnect()
    if not ray.is_initialized():
        if kind == "address":
            _join(address or "auto")
        else:
            _start(workers)
    if _cores() < workers:
        raise ClusterError(
            f"cluster.workers={workers}: the cluster has {_cores()} cores; ask for at most as many"
        )


def disconnect() -> None:
    """Stop the cluster that `connect` started; one that it found is left alone."""
    if _started:
        ray.shutdown()
        _started.clear()


def _start(workers: int) -> None:
    try:
        ray.init(
            address="local",
            num_cpus=workers,
            include_dashboard=False,
            logging_level=logging.ERROR,
            log_to_driver=False,
            object_store_memory=_OBJECT_STORE_BYTES,
        )
    except (OSError, RuntimeError, TimeoutError, ValueError) as error:
        raise ClusterError(
            f"Ray does not start here ({error}); try again, or set cluster=inline"
        ) from None
    _started.append(workers)


def _cores() -> int:
    return int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]


def _join(address: str) -> None:
    if address != "auto":
        _must_answer(address)
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ClusterError(
            f"cluster.address={address}: no Ray cluster answers there ({error}); start one with: "
            "ray start --head; if it asks for a token, set RAY_AUTH_MODE=token as it does"
        ) from None


def _must_answer(address: str) -> None:
    """Ray itself would wait for minutes, then abort the process."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWER_SECONDS).close()
    except ValueError:
        raise ClusterError(f"cluster.address={address}: expected host:port, or auto") from None
    except OSError as error:
        raise ClusterError(
            f"cluster.address={address}: does not answer ({error.strerror or 'timed out'}); "
            "start the head with: ray start --head"
        ) from None
