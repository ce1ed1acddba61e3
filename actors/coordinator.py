"""The runner on Ray: shards the release over scorers, sends them batches, collects decisions."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ray
from ray.exceptions import RayError

from actors.aggregator import Aggregator
from actors.cluster import connect
from actors.placement import place
from actors.runner import Draw
from actors.scorer import Scorer
from sim.adversary.aux import AuxBatch
from sim.attack.algorithm import Algorithm
from sim.attack.decisions import Decisions
from sim.errors import ClusterError, ConfigError
from sim.record.provenance import program
from sim.release.store import Store

_AHEAD = 3
"""Batches on their way for each row of scorers: one in work, the others to follow at once."""


# Finite retries would be burnt before a dead node is noticed; `patience` is the deadline instead.
# Methods are pure, so order does not matter; and an actor that keeps it waits half a minute, after
# a restart, for calls that went to the one before it.
_ENDURING: dict[str, Any] = {
    "max_restarts": -1,
    "max_task_retries": -1,
    "allow_out_of_order_execution": True,
}
_Scorer: Any = ray.remote(Scorer).options(num_cpus=1, **_ENDURING)
_Aggregator: Any = ray.remote(Aggregator).options(num_cpus=0, **_ENDURING)


@dataclass(slots=True)
class _Sent:
    batch: int
    aux: AuxBatch
    decisions: Any  # reference to Decisions


class Coordinator:
    """See `actors.runner.Runner`.

    Parameters
    ----------
    store : Store
        Every node must find it at the same path.
    attack : Algorithm
    kind, address, workers, shards, patience
        As in ``conf/cluster``.

    Raises
    ------
    ClusterError
        The cluster does not answer, or has not the cores asked for.
    ConfigError
        The release cannot be split into so many shards.
    """

    def __init__(
        self,
        store: Store,
        attack: Algorithm,
        *,
        kind: str,
        address: str | None,
        workers: int,
        shards: int | None,
        patience: float,
    ) -> None:
        cells = [store.block(b).n_cells for b in range(store.manifest.n_blocks)]
        try:
            self.placement = place(cells, workers, shards)
        except ValueError:
            raise ConfigError(
                f"cluster.shards={shards}: expected a divisor of cluster.workers={workers} and at "
                f"most the release's {len(cells)} blocks; or null to let it be chosen"
            ) from None
        connect(kind, address, workers)
        self.attack, self.kind, self.patience = attack, kind, patience
        ours = program()
        self.scorers = [
            [_Scorer.remote(store.folder, part, attack, ours) for part in self.placement.shards]
            for _ in range(self.placement.replicas)
        ]
        self.aggregator = _Aggregator.remote(store.folder, attack, ours)

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, AuxBatch, Decisions]]:
        """See `Runner.run`."""
        sent: deque[_Sent] = deque()
        for nth, batch in enumerate(batches):
            if len(sent) == _AHEAD * self.placement.replicas:
                yield self._receive(sent.popleft())
            sent.append(self._send(batch, draw(batch), nth % self.placement.replicas))
        while sent:
            yield self._receive(sent.popleft())

    def shape(self) -> Mapping[str, Any]:
        """See `Runner.shape`."""
        return {
            "kind": self.kind,
            "nodes": len(ray.nodes()),  # type: ignore[no-untyped-call]
            "workers": self.placement.workers,
            "shards": len(self.placement.shards),
            "replicas": self.placement.replicas,
        }

    def close(self) -> None:
        """See `Runner.close`; the cluster itself stays for the next run."""
        for actor in (self.aggregator, *(s for row in self.scorers for s in row)):
            ray.kill(actor)

    def _send(self, batch: int, aux: AuxBatch, row: int) -> _Sent:
        shared = ray.put(aux)
        carry = None
        for phase in range(self.attack.n_phases):
            found = [scorer.score.remote(shared, phase, carry) for scorer in self.scorers[row]]
            carry = self.aggregator.fold.remote(shared, phase, carry, *found)
        return _Sent(batch, aux, carry)

    def _receive(self, sent: _Sent) -> tuple[int, AuxBatch, Decisions]:
        try:
            decisions = ray.get(sent.decisions, timeout=self.patience)
        except ray.exceptions.GetTimeoutError:
            raise ClusterError(
                f"no result for {self.patience:g} seconds; see that the cluster's nodes are up, "
                "or raise cluster.patience; the run can be resumed"
            ) from None
        except RayError as error:
            last = str(error).strip().splitlines()[-1]
            raise ClusterError(f"a worker failed ({last}); the run can be resumed") from error
        return sent.batch, sent.aux, decisions
