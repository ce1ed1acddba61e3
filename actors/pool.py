"""The pool of actors of one run: reserves cores, and starts each actor on one of them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ray
from ray.util.placement_group import (
    PlacementGroup,
    placement_group,
    placement_group_table,
    remove_placement_group,
)
from ray.util.scheduling_strategies import (
    NodeAffinitySchedulingStrategy,
    PlacementGroupSchedulingStrategy,
)

from actors.aggregator import Aggregator
from actors.cluster import nodes_alive
from actors.library import Copy, Library, RemoteStore, StoreReference
from actors.placement import Placement
from actors.pulse import GROUP
from actors.scorer import Scorer
from sim.attack.engine.algorithm import Algorithm
from sim.errors import ClusterError
from sim.record.provenance import program
from sim.release.store.store import Store

# Finite retries would be used up before a dead node is noticed; `actors.lost.TIMEOUT` is the
# deadline instead. Methods are pure, so order does not matter; with ordering on, a restarted actor
# waits about 30 s for calls sent to its predecessor.
_RESTARTS: dict[str, Any] = {
    "max_restarts": -1,
    "max_task_retries": -1,
    "allow_out_of_order_execution": True,
    "concurrency_groups": {GROUP: 1},
}
_Scorer: Any = ray.remote(num_cpus=1, **_RESTARTS)(Scorer)
_Aggregator: Any = ray.remote(num_cpus=0, **_RESTARTS)(Aggregator)
_Library: Any = ray.remote(num_cpus=0, **_RESTARTS)(Library)

_libraries = itertools.count()

_SETTLES = 5.0
"""Seconds in which cores become free that an earlier run has just left."""


@dataclass(frozen=True, slots=True)
class ActorPool:
    """Handles of the actors of one run.

    Parameters
    ----------
    cores : PlacementGroup
        The cores of the scorers.
    scorers : list of list of actor handle
        A row for each replica of the release, a scorer for each shard.
    library : actor handle or None
        None where all nodes are this one.
    """

    cores: PlacementGroup
    scorers: list[list[Any]]
    aggregator: Any
    library: Any = None

    def named(self) -> Iterator[tuple[str, Any]]:
        """Yield all actors, each with what to call it."""
        for row in self.scorers:
            for part, scorer in enumerate(row, 1):
                yield f"a worker of part {part} of {len(row)}", scorer
        yield "the worker that merges", self.aggregator
        if self.library is not None:
            yield "the worker that serves the release", self.library

    def stop(self) -> None:
        """Stop all actors, and leave their cores."""
        for _, actor in self.named():
            ray.kill(actor)
        remove_placement_group(self.cores)


def start(
    store: Store, attack: Algorithm, placement: Placement, copy: Copy | None, wait: float
) -> ActorPool:
    """Start the actors; one that ends is started again where its core is, or is moved to.

    Parameters
    ----------
    copy : Copy or None
        That of `actors.library.RemoteStore`; None where all can read the store in its place.
    wait : float
        See `reserve`.

    Raises
    ------
    ClusterError
        See `reserve`.
    """
    cores = reserve(placement.workers, wait)
    ours, here = program(), str(ray.get_runtime_context().get_node_id())
    reference, library = StoreReference(store.folder, store.manifest.identity), None
    # The aggregator reads the whole release, so it runs on the store's node, as the library does.
    only_here = {"scheduling_strategy": NodeAffinitySchedulingStrategy(here, soft=False)}
    aggregator = _Aggregator.options(**only_here).remote(reference, attack, ours)
    if copy is not None:
        name = f"standout-library-{next(_libraries)}"
        library = _Library.options(name=name, **only_here).remote(reference)
        reference = RemoteStore(reference.folder, reference.identity, here, name, copy)
    # Replicas of a shard are consecutive, so that as few nodes as possible hold it.
    places = iter(_places(cores, here))
    columns = [
        [
            _Scorer.options(scheduling_strategy=next(places)).remote(reference, part, attack, ours)
            for _ in range(placement.replicas)
        ]
        for part in placement.shards
    ]
    return ActorPool(cores, [list(row) for row in zip(*columns, strict=True)], aggregator, library)


def reserve(workers: int, wait: float) -> PlacementGroup:
    """Reserve a core for each worker: all of them or none.

    Parameters
    ----------
    wait : float
        Seconds in which nodes may be added.

    Raises
    ------
    ClusterError
        They are not there, or not free.
    """
    cores: PlacementGroup = placement_group([{"CPU": 1}] * workers, strategy="SPREAD")
    enough = sum(node.cores for node in nodes_alive()) >= workers
    if (enough or wait) and cores.wait(max(wait, _SETTLES)):
        return cores
    remove_placement_group(cores)
    there = sum(node.cores for node in nodes_alive())
    free = int(ray.available_resources().get("CPU", 0))  # type: ignore[no-untyped-call]
    raise ClusterError(
        f"cluster.workers={workers}: the cluster has {there} cores, of which {free} are free; ask "
        "for at most as many, or set cluster.wait to the seconds in which it may grow"
    )


def _places(cores: PlacementGroup, here: str) -> list[PlacementGroupSchedulingStrategy]:
    """Return the reserved cores, those of a node one after the other, those of this node first."""
    names = {node.id: node.name for node in nodes_alive()}
    table: Any = placement_group_table(cores)
    of_core: dict[int, str] = table["bundles_to_node_id"]
    ordered = sorted(
        of_core, key=lambda i: (of_core[i] != here, names.get(of_core[i], ""), of_core[i], i)
    )
    return [PlacementGroupSchedulingStrategy(cores, core) for core in ordered]
