"""Who starts Ray and who stops it."""

from __future__ import annotations

import logging
import os
import socket

import ray

from sim.errors import ClusterError

_OBJECT_STORE_BYTES = 256 << 20  # the release is memory-mapped; only messages pass through
_ANSWER_SECONDS = 5.0


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
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    if not ray.is_initialized():
        if kind == "address":
            _join(address or "auto")
        else:
            ray.init(
                address="local",
                num_cpus=workers,
                include_dashboard=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
                object_store_memory=_OBJECT_STORE_BYTES,
            )
    cores = int(ray.cluster_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
    if kind == "address" and cores < workers:
        raise ClusterError(
            f"cluster.workers={workers}: the cluster has {cores} cores; ask for at most as many"
        )
    if cores < workers:
        ray.shutdown()
        connect(kind, address, workers)


def disconnect() -> None:
    """Stop what `connect` started, or leave the cluster it joined."""
    if ray.is_initialized():
        ray.shutdown()


def _join(address: str) -> None:
    if address != "auto":
        _must_answer(address)
    try:
        ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise ClusterError(
            f"cluster.address={address}: no Ray cluster answers there ({error}); "
            "start one with: ray start --head"
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
