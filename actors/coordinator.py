"""The runner on Ray: shards the release over scorers, sends batches, collects decisions."""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, get_args

import ray
from ray.exceptions import RayError

from actors.batch_sizer import MOST_BATCHES, BatchSizer
from actors.cluster import connect, nodes_alive, restarts
from actors.library import Copy, TransferStats
from actors.lost import TIMEOUT, as_ours, nothing_heard
from actors.placement import place
from actors.pool import start
from actors.pulse import LOOK_SECONDS, Pulses
from actors.supervisor import Supervisor
from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.config.schema import ClusterConfig
from sim.errors import ConfigError
from sim.release.store.store import Store
from sim.study.runner import Draw

log = logging.getLogger("standout")

_AHEAD = 3
"""Messages in flight for each row of scorers: one in progress, the others queued."""

_HELD = 4 * _AHEAD
"""Messages for each row whose results are awaited, or wait for those of earlier ones."""

_DRAWN = 2 * MOST_BATCHES
"""Batches drawn ahead of sending."""

_LATE = 4.0
"""A message that takes this many times the mean is sent to an idle row too."""


@dataclass(slots=True)
class _Message:
    batches: list[int]
    drawn: list[Drawn]
    shared: Any  # reference to `drawn`
    rows: list[int] = field(default_factory=list)  # to which it was sent
    since: float = field(default_factory=time.monotonic)
    decisions: list[Decisions] | None = None


def on_ray(cluster: ClusterConfig, store: Store, attack: Algorithm) -> Coordinator | Supervisor:
    """Return the runner for ``cluster.kind`` local and address; see `sim.session.runners`.

    A program that has connected to Ray itself keeps its own cluster.
    """
    if ray.is_initialized():
        return Coordinator(store, attack, **vars(cluster))
    return Supervisor(cluster, store, attack)


class Coordinator:
    """See `sim.study.runner.Runner`.

    Parameters
    ----------
    store : Store
        Nodes that do not have it are brought the blocks that they score.
    kind, address, workers, shards, timeout, wait, copy
        As in ``conf/cluster``, which has no `shards`, `timeout` and `copy`: an even split,
        the time of many batches and what a node lacks suit every cluster that was tried.
    folder : Path or None
        Where a cluster that is started keeps its files; None is Ray's own choice.

    Raises
    ------
    ClusterError
        The cluster does not answer, or has too few free cores.
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
        shards: int | None = None,
        timeout: float = TIMEOUT,
        wait: float = 0.0,
        copy: Copy = "missing",
        folder: Path | None = None,
    ) -> None:
        if copy not in get_args(Copy):
            raise ConfigError(f"copy: {copy!r}: expected {' or '.join(get_args(Copy))}")
        cells = [store.block(b).n_cells for b in range(store.manifest.n_blocks)]
        try:
            self.placement = place(cells, workers, shards)
        except ValueError:
            raise ConfigError(
                f"shards={shards}: expected a divisor of cluster.workers={workers} and at most the "
                f"release's {len(cells)} blocks"
            ) from None
        connect(kind, address, workers, folder)
        self.attack, self.kind, self.timeout = attack, kind, timeout
        self.pool = start(store, attack, self.placement, copy if kind == "address" else None, wait)
        self._pulses = Pulses(self.pool.named())
        self._is_ready = False
        self._looked = self._heard = time.monotonic()

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, Drawn, Decisions]]:
        """See `Runner.run`."""
        self._wait_for_copies()
        self._look()
        self._heard = time.monotonic()
        left, rows = deque(batches), self.pool.scorers
        drawn: deque[tuple[int, Future[Drawn]]] = deque()
        sent: deque[_Message] = deque()
        at_work: dict[Any, tuple[_Message, int]] = {}
        load, took = [0] * len(rows), list[float]()
        sizer = BatchSizer(len(rows))
        # One thread draws in order while this one waits for results and writes them.
        drawer = ThreadPoolExecutor(max_workers=1)
        try:
            while left or drawn or sent:
                while left and len(drawn) < _DRAWN:
                    batch = left.popleft()
                    drawn.append((batch, drawer.submit(draw, batch)))
                row, message = load.index(min(load)), None
                if drawn and load[row] < _AHEAD and len(sent) < _HELD * len(rows):
                    n = min(sizer.batches(len(left) + len(drawn)), len(drawn))
                    message = _message([drawn.popleft() for _ in range(n)])
                    sent.append(message)
                elif took and not load[row]:
                    message = _late(sent, row, _LATE * sum(took) / len(took))
                if message is not None:
                    at_work[self._send(message, rows[row])] = message, row
                    message.rows.append(row)
                    load[row] += 1
                    continue
                for decisions in self._finished(list(at_work)):
                    message, row = at_work.pop(decisions)
                    load[row] -= 1
                    if message.decisions is None:
                        message.decisions = self._get(decisions)
                        took.append(time.monotonic() - message.since)
                        sizer.received(len(message.batches))
                while sent and sent[0].decisions is not None:
                    first = sent.popleft()
                    yield from zip(first.batches, first.drawn, first.decisions or [], strict=True)
        finally:
            drawer.shutdown(cancel_futures=True)

    def shape(self) -> Mapping[str, Any]:
        """See `Runner.shape`; includes what nodes have copied so far."""
        self._wait_for_copies()
        shape: dict[str, Any] = {
            "kind": self.kind,
            "nodes": len(nodes_alive()),
            "workers": self.placement.workers,
            "shards": len(self.placement.shards),
            "replicas": self.placement.replicas,
            "replaced": self.n_replaced(),
        }
        return (
            shape if self.pool.library is None else {**shape, "copied": asdict(self._transfers())}
        )

    def n_replaced(self) -> int:
        """Return how many of the actors ended, and were started again."""
        return sum(restarts(actor) for _, actor in self.pool.named())

    def close(self) -> None:
        """See `Runner.close`; the cluster itself stays for the next run."""
        self.pool.stop()

    def _wait_for_copies(self) -> None:
        """Wait until every node has its scorers' blocks; only a stalled transfer times out."""
        if self.pool.library is None or self._is_ready:
            return
        waiting = [scorer.ready.remote() for row in self.pool.scorers for scorer in row]
        brought, since = -1, time.monotonic()
        while waiting:
            done, waiting = ray.wait(waiting, num_returns=len(waiting), timeout=LOOK_SECONDS)
            self._get(done)
            self._look()
            now = self._get(self.pool.library.n_parts.remote())
            if done or now != brought:
                brought, since = now, time.monotonic()
            elif time.monotonic() - since > self.timeout:
                raise nothing_heard(self.timeout)
        self._is_ready = True
        self._get(self.pool.library.forget.remote())
        transfers = self._transfers()
        if transfers.nodes:
            log.info(
                "%d nodes were brought %d blocks, %.1f MB",
                transfers.nodes,
                transfers.blocks,
                transfers.bytes / 1e6,
            )

    def _transfers(self) -> TransferStats:
        transfers = self._get(self.pool.library.transfers.remote())
        assert isinstance(transfers, TransferStats)
        return transfers

    def _send(self, message: _Message, row: list[Any]) -> Any:
        """Let a row of scorers work on a message; return the reference to its decisions."""
        carry: Any = [None] * len(message.drawn)
        for phase in range(self.attack.n_phases):
            found = [scorer.score.remote(message.shared, phase, carry) for scorer in row]
            carry = self.pool.aggregator.fold.remote(message.shared, phase, carry, *found)
        return carry

    def _finished(self, at_work: list[Any]) -> list[Any]:
        """Return results that are there, if any comes soon; see that the workers are alive."""
        done: list[Any] = ray.wait(at_work, timeout=min(LOOK_SECONDS, self.timeout))[0]
        now = time.monotonic()
        if done:
            self._heard = now
        elif now - self._heard > self.timeout:
            raise nothing_heard(self.timeout)
        if now - self._looked >= LOOK_SECONDS:
            self._look()
        return done

    def _look(self) -> None:
        self._looked = time.monotonic()
        self._pulses.look()

    def _get(self, reference: Any) -> Any:
        """Return the workers' results, or raise a one-line error with the cause."""
        try:
            return ray.get(reference, timeout=self.timeout)
        except RayError as error:
            raise as_ours(error, self.timeout) from error


def _message(parts: list[tuple[int, Future[Drawn]]]) -> _Message:
    drawn = [future.result() for _, future in parts]
    return _Message([batch for batch, _ in parts], drawn, ray.put(drawn))


def _late(sent: deque[_Message], row: int, seconds: float) -> _Message | None:
    """Return the first message that other rows owe an answer to for too long, if any.

    Scoring is pure, so it does not matter which row answers first.
    """
    due = time.monotonic() - max(seconds, LOOK_SECONDS)
    for message in sent:
        if message.decisions is None and message.since < due and row not in message.rows:
            return message
    return None
