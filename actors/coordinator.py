"""The runner on Ray: shards the release over scorers, sends batches, collects decisions."""

from __future__ import annotations

import itertools
import logging
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, get_args

import ray
from ray.exceptions import GetTimeoutError, RayError

from actors.batch_sizer import MOST_BATCHES, BatchSizer
from actors.block_server import TransferStats
from actors.cluster import connect, nodes_alive
from actors.placement import place
from actors.pool import start_local, start_on_nodes
from actors.replication import Copy, user_error
from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.config.schema import ClusterConfig
from sim.errors import ClusterError, ConfigError
from sim.release.store.store import Store
from sim.study.runner import Draw

log = logging.getLogger("standout")

_LOOK_SECONDS = 1.0
"""Interval at which to check whether nodes are still copying."""

_AHEAD = 3
"""Messages in flight for each row of scorers: one in progress, the others queued."""

_DRAWN = 2 * MOST_BATCHES
"""Batches drawn ahead of sending."""


@dataclass(frozen=True, slots=True)
class _Sent:
    batches: list[int]
    drawn: list[Drawn]
    decisions: Any  # reference to a list of Decisions


def on_ray(cluster: ClusterConfig, store: Store, attack: Algorithm) -> Coordinator:
    """Return the runner for ``cluster.kind`` local and address; see `sim.session.runners`."""
    return Coordinator(store, attack, **vars(cluster))


class Coordinator:
    """See `sim.study.runner.Runner`.

    Parameters
    ----------
    store : Store
        Nodes that do not have it copy the blocks that they score.
    kind, address, workers, shards, timeout, cache, copy
        As in ``conf/cluster``.

    Raises
    ------
    ClusterError
        The cluster does not answer, or has too few cores.
    ConfigError
        The release cannot be split into `shards` parts, or `copy` is unknown.
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
        timeout: float,
        cache: str | None = None,
        copy: Copy = "missing",
    ) -> None:
        if copy not in get_args(Copy):
            raise ConfigError(f"cluster.copy: {copy!r}: expected {' or '.join(get_args(Copy))}")
        cells = [store.block(b).n_cells for b in range(store.manifest.n_blocks)]
        try:
            self.placement = place(cells, workers, shards)
        except ValueError:
            raise ConfigError(
                f"cluster.shards={shards}: expected a divisor of cluster.workers={workers} and at "
                f"most the release's {len(cells)} blocks; cluster.shards=null lets it be chosen"
            ) from None
        connect(kind, address, workers)
        self.attack, self.kind, self.timeout = attack, kind, timeout
        self.pool = (
            start_on_nodes(store, attack, self.placement, cache, copy)
            if kind == "address"
            else start_local(store, attack, self.placement)
        )
        self._is_ready = False

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, Drawn, Decisions]]:
        """See `Runner.run`."""
        self._wait_for_copies()
        left, rows = deque(batches), itertools.cycle(self.pool.scorers)
        drawn: deque[tuple[int, Future[Drawn]]] = deque()
        sent: deque[_Sent] = deque()
        sizer = BatchSizer(self.placement.replicas)
        # One thread draws in order while this one waits for results and writes them.
        drawer = ThreadPoolExecutor(max_workers=1)
        try:
            while left or drawn or sent:
                while left and len(drawn) < _DRAWN:
                    batch = left.popleft()
                    drawn.append((batch, drawer.submit(draw, batch)))
                if drawn and len(sent) < _AHEAD * self.placement.replicas:
                    n = min(sizer.batches(len(left) + len(drawn)), len(drawn))
                    sent.append(self._send([drawn.popleft() for _ in range(n)], next(rows)))
                    continue
                first = sent.popleft()
                decisions = self._get(first.decisions)
                sizer.received(len(decisions))
                yield from zip(first.batches, first.drawn, decisions, strict=True)
        finally:
            drawer.shutdown(cancel_futures=True)

    def shape(self) -> Mapping[str, Any]:
        """See `Runner.shape`; includes what nodes have copied so far."""
        self._wait_for_copies()
        shape = {
            "kind": self.kind,
            "nodes": len(nodes_alive()),
            "workers": self.placement.workers,
            "shards": len(self.placement.shards),
            "replicas": self.placement.replicas,
        }
        return shape if self.pool.server is None else {**shape, "copied": asdict(self._transfers())}

    def close(self) -> None:
        """See `Runner.close`; the cluster itself stays for the next run."""
        self.pool.stop()

    def _wait_for_copies(self) -> None:
        """Wait until every node has its scorers' blocks; only a stalled transfer times out."""
        if self.pool.server is None or self._is_ready:
            return
        waiting = [scorer.ready.remote() for row in self.pool.scorers for scorer in row]
        travelled, since = -1, time.monotonic()
        while waiting:
            done, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=_LOOK_SECONDS)
            self._get(done)
            now = self._get(self.pool.server.pieces.remote())
            if done or now != travelled:
                travelled, since = now, time.monotonic()
            elif time.monotonic() - since > self.timeout:
                raise self._nothing_heard()
        self._is_ready = True
        transfers = self._transfers()
        if transfers.nodes:
            log.info(
                "%d nodes copied %d blocks, %.1f MB",
                transfers.nodes,
                transfers.blocks,
                transfers.bytes / 1e6,
            )

    def _transfers(self) -> TransferStats:
        transfers = self._get(self.pool.server.transfers.remote())
        assert isinstance(transfers, TransferStats)
        return transfers

    def _send(self, message: list[tuple[int, Future[Drawn]]], row: list[Any]) -> _Sent:
        drawn = [future.result() for _, future in message]
        shared = ray.put(drawn)
        carry: Any = [None] * len(drawn)
        for phase in range(self.attack.n_phases):
            found = [scorer.score.remote(shared, phase, carry) for scorer in row]
            carry = self.pool.aggregator.fold.remote(shared, phase, carry, *found)
        return _Sent([batch for batch, _ in message], drawn, carry)

    def _get(self, reference: Any) -> Any:
        """Return the workers' results, or raise a one-line error with the cause."""
        try:
            return ray.get(reference, timeout=self.timeout)
        except GetTimeoutError:
            raise self._nothing_heard() from None
        except RayError as error:
            known = user_error(error)
            if known is not None:
                raise ClusterError(f"a worker failed: {known}; the run can be resumed") from None
            last = str(error).strip().splitlines()[-1]
            raise ClusterError(f"a worker failed ({last}); the run can be resumed") from error

    def _nothing_heard(self) -> ClusterError:
        return ClusterError(
            f"no result for {self.timeout:g} seconds; see that the cluster's nodes are up, "
            "or raise cluster.timeout; the run can be resumed"
        )
