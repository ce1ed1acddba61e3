"""The actors of one run: who is started where, to stay there."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.aggregator import Aggregator
from actors.cluster import nodes_alive
from actors.library import Library
from actors.placement import Placement, spread
from actors.scorer import Scorer
from actors.share import Copy, Origin, Place
from sim.attack.engine.algorithm import Algorithm
from sim.record.provenance import program
from sim.release.store.store import Store

# Finite retries would be burnt before a dead node is noticed; `patience` is the deadline instead.
# Methods are pure, so order does not matter; and an actor that keeps it waits half a minute, after
# a restart, for calls that went to the one before it.
_ENDURING: dict[str, Any] = {
    "max_restarts": -1,
    "max_task_retries": -1,
    "allow_out_of_order_execution": True,
}
_Scorer: Any = ray.remote(num_cpus=1, **_ENDURING)(Scorer)
_Aggregator: Any = ray.remote(num_cpus=0, **_ENDURING)(Aggregator)
_Library: Any = ray.remote(num_cpus=0, **_ENDURING)(Library)

_crews = itertools.count()


@dataclass(frozen=True, slots=True)
class Crew:
    """Handles of the actors of one run.

    Parameters
    ----------
    scorers : list of list of actor handle
        A row for each replica of the release, a scorer for each shard.
    aggregator : actor handle
    library : actor handle or None
        None where all nodes are this one.
    """

    scorers: list[list[Any]]
    aggregator: Any
    library: Any = None

    def stop(self) -> None:
        """Stop them all."""
        for actor in (self.aggregator, self.library, *itertools.chain(*self.scorers)):
            if actor is not None:
                ray.kill(actor)


def start_here(store: Store, attack: Algorithm, placement: Placement) -> Crew:
    """Start the actors on this machine, where all find the store.

    Parameters
    ----------
    store : Store
    attack : Algorithm
    placement : Placement

    Returns
    -------
    Crew
    """
    ours, place = program(), Place(store.folder, store.manifest.identity)
    scorers = [
        [_Scorer.remote(place, part, attack, ours) for part in placement.shards]
        for _ in range(placement.replicas)
    ]
    return Crew(scorers, _Aggregator.remote(place, attack, ours))


def start_on_nodes(
    store: Store, attack: Algorithm, placement: Placement, cache: str | None, copy: Copy
) -> Crew:
    """Start the actors on the nodes of a cluster, each scorer on one that it comes back to.

    Parameters
    ----------
    store : Store
        On this node.
    attack : Algorithm
    placement : Placement
    cache, copy
        See `actors.share.Origin`.

    Returns
    -------
    Crew
    """
    ours, here = program(), str(ray.get_runtime_context().get_node_id())
    # The aggregator looks at all of the release, so it works where that lies; so does who lends it.
    only_here = {"scheduling_strategy": NodeAffinitySchedulingStrategy(here, soft=False)}
    name = f"standout-library-{next(_crews)}"
    library = _Library.options(name=name, **only_here).remote(store.folder)
    origin = Origin(store.folder, store.manifest.identity, here, name, cache, copy)
    aggregator = _Aggregator.options(**only_here).remote(origin, attack, ours)
    # Replicas of a shard come one after the other, so that as few nodes as can be hold it.
    nodes = iter(_nodes(placement.workers, here))
    columns = [
        [
            _Scorer.options(**_at(next(nodes))).remote(origin, part, attack, ours)
            for _ in range(placement.replicas)
        ]
        for part in placement.shards
    ]
    return Crew([list(row) for row in zip(*columns, strict=True)], aggregator, library)


def _nodes(scorers: int, here: str) -> list[str]:
    """Node of each scorer, this one first where all else is equal.

    Nodes come in the order of their names, so that in the next run each finds what it copied.
    """
    ordered = sorted(nodes_alive(), key=lambda node: (node.id != here, node.name, node.id))
    return [ordered[at].id for at in spread(scorers, [node.cores for node in ordered])]


def _at(node: str) -> dict[str, Any]:
    """Start there, and start again there, as long as the node lives."""
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=True)}
