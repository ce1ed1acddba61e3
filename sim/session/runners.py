"""Finds the runner of a study by ``cluster.kind``.

``inline`` is built in. All other runners, including Standout's Ray runner, come from the entry
points ``standout.runners`` of installed packages, so ``sim`` imports no package it does not need.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import entry_points
from typing import Any, cast

from sim.attack.engine.algorithm import Algorithm
from sim.config.schema import ClusterConfig
from sim.errors import ConfigError
from sim.numeric.text import quantity
from sim.release.store.store import Store
from sim.study.inline import InlineRunner
from sim.study.runner import Runner

GROUP = "standout.runners"
"""Entry points: the name is a kind of cluster, the value a `Factory`."""

BY_SIZE = "auto"
"""Inline or local, by the size of an attack."""

INLINE = "inline"

LOCAL = "local"
"""The runner on this machine; its workers share its cores."""

_USUAL = 2  # workers, by default

_MUCH_WORK = 1_000_000_000_000
"""Targets of all grid cells times cells of the release from which Ray is worth its start.

Seconds inline and local, of Scoreboard-RH but for the first, on two busy cores with compiled loops:
5 and 14 at 6e10 (Bayes-optimal), 16 and 25 at 6e11, 127 and 82 at 3e12.
"""

log = logging.getLogger("standout")

Factory = Callable[[ClusterConfig, Store, Algorithm], Runner]


def kinds() -> tuple[str, ...]:
    """Return all values of ``cluster.kind``.

    Examples
    --------
    >>> "inline" in kinds()
    True
    """
    return (BY_SIZE, INLINE, *sorted(entry_points(group=GROUP).names))


def resolved(cluster: ClusterConfig, work: float = 0) -> ClusterConfig:
    """Return a cluster with its kind and its workers chosen, where they are left open.

    Parameters
    ----------
    work : float
        Targets of all grid cells times cells of the release.

    Examples
    --------
    >>> auto = ClusterConfig(kind="auto", workers=None)
    >>> [(one.kind, one.workers) for one in (resolved(auto, 1e6), resolved(auto, 1e12))]
    [('inline', 1), ('local', 2)]
    """
    kind = cluster.kind
    if kind == BY_SIZE:
        kind = LOCAL if cluster.workers or work >= _MUCH_WORK else INLINE
    return replace(cluster, kind=kind, workers=cluster.workers or (1 if kind == INLINE else _USUAL))


def make_runner(cluster: ClusterConfig, store: Store, attack: Algorithm, n_targets: int) -> Runner:
    """Return a new runner for ``cluster.kind``.

    Parameters
    ----------
    n_targets : int
        Of all grid cells.

    Raises
    ------
    ConfigError
        No installed package provides it, or several do.
    ClusterError
        The cluster cannot be started or joined.
    """
    cluster = resolved(cluster, n_targets * store.manifest.n_cells)
    if cluster.kind == INLINE:
        return InlineRunner(store, attack)
    _warn_of_workers(cluster)
    return cast("Factory", _provided(GROUP, cluster.kind))(cluster, store, attack)


def _warn_of_workers(cluster: ClusterConfig) -> None:
    cores = os.cpu_count() or 1
    if cluster.kind == LOCAL and (cluster.workers or 0) > max(cores, _USUAL):
        log.warning(
            "cluster.workers=%s: this machine has %s; more workers than cores take memory, and "
            "are no faster.",
            *(f"{cluster.workers:,}", quantity(cores, "core")),
        )


def _provided(group: str, kind: str) -> Callable[..., Any]:
    """Return what the one package that provides a kind of cluster has for it."""
    found = list(entry_points(group=group, name=kind))
    if len(found) != 1:
        raise ConfigError(
            f"cluster.kind: {kind!r}: {len(found)} installed packages provide it, expected "
            f"one; choose from {', '.join(kinds())}, or install Standout again with pip"
        )
    return cast("Callable[..., Any]", found[0].load())
