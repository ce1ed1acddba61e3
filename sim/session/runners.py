"""Finds the runner of a study by ``cluster.kind``.

``inline`` is built in. All other runners, including Standout's Ray runner, come from the entry
points ``standout.runners`` of installed packages, so ``sim`` imports no package it does not need.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any, cast

from sim.attack.engine.algorithm import Algorithm
from sim.config.schema import ClusterConfig
from sim.errors import ConfigError
from sim.numeric.text import quantity
from sim.release.store.build import Builder, build_here
from sim.release.store.store import Store
from sim.study.inline import InlineRunner
from sim.study.runner import Runner

GROUP = "standout.runners"
"""Entry points: the name is a kind of cluster, the value a `Factory`."""

BUILDERS = "standout.builders"
"""Entry points: of the same kinds, the value makes a `sim.release.store.build.Builder` for one."""

INLINE = "inline"

LOCAL = "local"
"""The runner on this machine; its workers share its cores."""

_USUAL = 2  # workers, by default

log = logging.getLogger("standout")

Factory = Callable[[ClusterConfig, Store, Algorithm], Runner]


def kinds() -> tuple[str, ...]:
    """Return all values of ``cluster.kind``.

    Examples
    --------
    >>> "inline" in kinds()
    True
    """
    return (INLINE, *sorted(entry_points(group=GROUP).names))


def make_builder(cluster: ClusterConfig) -> Builder:
    """Return who builds a store on ``cluster.kind``.

    Raises
    ------
    ConfigError
        No installed package provides it, or several do.
    """
    if cluster.kind == INLINE:
        return build_here
    _warn_of_workers(cluster)
    return cast("Builder", _provided(BUILDERS, cluster.kind)(cluster))


def make_runner(cluster: ClusterConfig, store: Store, attack: Algorithm) -> Runner:
    """Return a new runner for ``cluster.kind``.

    Raises
    ------
    ConfigError
        No installed package provides it, or several do.
    ClusterError
        The cluster cannot be started or joined.
    """
    if cluster.kind == INLINE:
        return InlineRunner(store, attack)
    _warn_of_workers(cluster)
    return cast("Factory", _provided(GROUP, cluster.kind))(cluster, store, attack)


def _warn_of_workers(cluster: ClusterConfig) -> None:
    cores = os.cpu_count() or 1
    if cluster.kind == LOCAL and cluster.workers > max(cores, _USUAL):
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
