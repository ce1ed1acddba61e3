"""Calls of functions on the cores of a cluster, as Ray tasks; values travel as Ray objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ray
from ray.exceptions import RayError
from ray.util.placement_group import remove_placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

import sim.release.store.build_apart  # noqa: F401 - every worker has it before its first task
from actors.cluster import connect
from actors.lost import TIMEOUT, as_ours
from actors.pool import reserve
from sim.errors import StandoutError
from sim.files.private import private
from sim.record.provenance import check_program, program
from sim.release.store.threads import keep_to_one_core

_RETRIES = 10
"""Times that a task is done again whose worker or node ended; it is a pure function."""


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder of a node."""

    path: Path
    node: str


class RayTasks:
    """See `sim.release.store.build_apart.Tasks`.

    Parameters
    ----------
    number : int
        Cores that are reserved, one for each worker.
    wait : float
        Seconds in which the cluster may grow to that many.
    timeout : float
        Seconds in which a value that is waited for must come.

    Raises
    ------
    ClusterError
        The cores are not there, or not free.
    """

    def __init__(self, number: int, *, wait: float, timeout: float) -> None:
        self.number, self._timeout = number, timeout
        self._cores = reserve(number, wait)
        self._node = str(ray.get_runtime_context().get_node_id())
        self._program = program()
        self._where = PlacementGroupSchedulingStrategy(self._cores)
        for _ in range(number):  # so that workers start, and import, while parts are found
            self.call(_nothing, returns=1)

    def share(self, value: Any) -> Any:
        """See `Tasks.share`."""
        return ray.put(value)

    def folder(self, path: Path) -> Any:
        """See `Tasks.folder`; processes of this node reach it."""
        return _Folder(path, self._node)

    def call(self, function: Callable[..., Sequence[Any]], *given: Any, returns: int) -> list[Any]:
        """See `Tasks.call`."""
        task = _called.options(
            num_returns=returns, max_retries=_RETRIES, scheduling_strategy=self._where
        )
        found = task.remote(self._program, function, *given)
        return [found] if returns == 1 else list(found)

    def get(self, standing: Any) -> Any:
        """See `Tasks.get`.

        Raises
        ------
        StandoutError, OSError
            The function raised it.
        ClusterError
            A worker failed, or nothing came in time.
        ClusterLostError
            Ray broke.
        """
        try:
            return ray.get(standing, timeout=self._timeout)
        except RayError as error:
            cause = getattr(error, "cause", None)
            if isinstance(cause, (StandoutError, OSError)):
                raise cause from None
            raise as_ours(error, self._timeout, "run it again") from error

    def close(self) -> None:
        """Leave the cores."""
        remove_placement_group(self._cores)


@ray.remote(num_cpus=1)
def _called(ours: str, function: Callable[..., Sequence[Any]], *given: Any) -> Any:
    """Call a function; a sequence of one item is this item."""
    check_program(ours)
    keep_to_one_core()
    here = str(ray.get_runtime_context().get_node_id())
    known = [_reached(one, here) if isinstance(one, _Folder) else one for one in given]
    with private():
        found = function(*known)
    return found[0] if len(found) == 1 else tuple(found)


def _nothing() -> tuple[None]:
    return (None,)


def _reached(folder: _Folder, here: str) -> Path | None:
    return folder.path if folder.node == here else None


def join(
    *,
    kind: str,
    address: str | None,
    workers: int,
    wait: float,
    timeout: float = TIMEOUT,
    folder: Path | None = None,
    **others: Any,  # noqa: ARG001
) -> RayTasks:
    """Start or join a cluster through whose object store rows pass; see `actors.cluster.connect`.

    Other keys of ``conf/cluster`` are for runs alone.

    Raises
    ------
    ClusterError
        The cluster does not answer, or has too few free cores.
    """
    connect(kind, address, workers, folder, store_bytes=None)
    return RayTasks(workers, wait=wait, timeout=timeout)
