"""The pool of actors of one run: starts each on its node and keeps it there."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.aggregator import Aggregator
from actors.block_server import BlockServer
from actors.cluster import nodes_alive
from actors.placement import Placement, distribute
from actors.replication import Copy, RemoteStore, StoreReference
from actors.scorer import Scorer
from sim.attack.engine.algorithm import Algorithm
from sim.record.provenance import program
from sim.release.store.store import Store

# Finite retries would be used up before a dead node is noticed; `cluster.timeout` is the deadline
# instead. Methods are pure, so order does not matter; with ordering on, a restarted actor waits
# about 30 s for calls sent to its predecessor.
_RESTARTS: dict[str, Any] = {
    "max_restarts": -1,
    "max_task_retries": -1,
    "allow_out_of_order_execution": True,
}
_Scorer: Any = ray.remote(num_cpus=1, **_RESTARTS)(Scorer)
_Aggregator: Any = ray.remote(num_cpus=0, **_RESTARTS)(Aggregator)
_BlockServer: Any = ray.remote(num_cpus=0, **_RESTARTS)(BlockServer)

_pools = itertools.count()


@dataclass(frozen=True, slots=True)
class ActorPool:
    """Handles of the actors of one run.

    Parameters
    ----------
    scorers : list of list of actor handle
        A row for each replica of the release, a scorer for each shard.
    server : actor handle or None
        None where all nodes are this one.
    """

    scorers: list[list[Any]]
    aggregator: Any
    server: Any = None

    def stop(self) -> None:
        """Stop all actors."""
        for actor in (self.aggregator, self.server, *itertools.chain(*self.scorers)):
            if actor is not None:
                ray.kill(actor)


def start_local(store: Store, attack: Algorithm, placement: Placement) -> ActorPool:
    """Start the actors on this machine, where all can read the store."""
    ours, reference = program(), StoreReference(store.folder, store.manifest.identity)
    scorers = [
        [_Scorer.remote(reference, part, attack, ours) for part in placement.shards]
        for _ in range(placement.replicas)
    ]
    return ActorPool(scorers, _Aggregator.remote(reference, attack, ours))


def start_on_nodes(
    store: Store, attack: Algorithm, placement: Placement, cache: str | None, copy: Copy
) -> ActorPool:
    """Start the actors on the nodes of a cluster; a restarted scorer returns to its node.

    The store is on this node; `cache` and `copy` are those of `actors.replication.RemoteStore`.
    """
    ours, here = program(), str(ray.get_runtime_context().get_node_id())
    # The aggregator reads the whole release, so it runs on the store's node, as the server does.
    only_here = {"scheduling_strategy": NodeAffinitySchedulingStrategy(here, soft=False)}
    name = f"standout-server-{next(_pools)}"
    server = _BlockServer.options(name=name, **only_here).remote(store.folder)
    reference = RemoteStore(store.folder, store.manifest.identity, here, name, cache, copy)
    aggregator = _Aggregator.options(**only_here).remote(reference, attack, ours)
    # Replicas of a shard are consecutive, so that as few nodes as possible hold it.
    nodes = iter(_nodes(placement.workers, here))
    columns = [
        [
            _Scorer.options(**_at(next(nodes))).remote(reference, part, attack, ours)
            for _ in range(placement.replicas)
        ]
        for part in placement.shards
    ]
    return ActorPool([list(row) for row in zip(*columns, strict=True)], aggregator, server)


def _nodes(scorers: int, here: str) -> list[str]:
    """Return the node of each scorer, preferring this one.

    Nodes are taken in the order of their names, so that in the next run each finds what it copied.
    """
    ordered = sorted(nodes_alive(), key=lambda node: (node.id != here, node.name, node.id))
    return [ordered[at].id for at in distribute(scorers, [node.cores for node in ordered])]


def _at(node: str) -> dict[str, Any]:
    """Options that start, and restart, an actor on a node as long as the node lives."""
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(node, soft=True)}
