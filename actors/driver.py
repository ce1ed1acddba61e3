"""The process that talks to Ray, so that nothing that happens to Ray happens to the program.

Ray's library ends the process that uses it when a part of the cluster dies, prints to its terminal,
and takes over its signals. `actors.supervisor` starts this process, and another if it ends.

Messages are tuples, the first word says what they are. To this process: ``open``, ``run``,
``shape`` and ``close``, each answered by ``done`` or by ``failed``; and ``drawn``. From it:
``draw`` asks for a batch's aux, ``decided`` brings its decisions, ``log`` brings a line, ``alive``
comes all the time, and ``lost`` is the last.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import ray
from ray import cloudpickle

from actors import guard
from actors.cluster import changing, head_answers
from actors.coordinator import Coordinator
from actors.library import StoreReference
from sim.adversary.aux import Drawn
from sim.errors import ClusterLostError, StandoutError

_BEAT_SECONDS = 0.5


class Driver:
    """Does what the supervisor asks, one thing after the other.

    Parameters
    ----------
    connection : Connection
        To the supervisor.
    folder : Path
        Where a cluster that is started keeps its files; removed in the end.
    """

    def __init__(self, connection: Connection, folder: Path) -> None:
        self._connection, self._folder = connection, folder
        self._sending = threading.Lock()
        self._asked: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._drawn: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()
        self._coordinator: Coordinator | None = None

    def serve(self) -> None:
        """Work until the supervisor is gone."""
        threading.Thread(target=self._receive, daemon=True).start()
        threading.Thread(target=self._beat, daemon=True).start()
        while True:
            word, *given = self._asked.get()
            try:
                self._send("done", getattr(self, f"_{word}")(*given))
            except ClusterLostError as error:
                self._lose(str(error))
            except StandoutError as error:
                self._send("failed", error)
            except Exception as error:
                traceback.print_exc()
                self._lose(str(error).strip().splitlines()[-1] if str(error) else repr(error))

    def _open(self, reference: StoreReference, attack: Any, given: dict[str, Any]) -> None:
        self._coordinator = None
        self._coordinator = Coordinator(reference.open(), attack, folder=self._folder, **given)

    def _run(self, batches: list[int]) -> None:
        for batch, _, decisions in self._opened.run(batches, self._draw):
            self._send("decided", batch, decisions)

    def _shape(self) -> Any:
        return self._opened.shape()

    def _close(self) -> None:
        self._opened.close()
        self._coordinator = None

    @property
    def _opened(self) -> Coordinator:
        assert self._coordinator is not None
        return self._coordinator

    def _draw(self, batch: int) -> Drawn:
        """Let the supervisor draw; called by one thread, one batch at a time."""
        self._send("draw", batch)
        its_batch, drawn = self._drawn.get()
        assert its_batch == batch
        if drawn is None:
            raise StandoutError(f"batch {batch} is not drawn")  # the supervisor knows why
        assert isinstance(drawn, Drawn)
        return drawn

    def _receive(self) -> None:
        try:
            while True:
                word, *given = cloudpickle.loads(self._connection.recv_bytes())
                if word == "drawn":
                    self._drawn.put(given)
                else:
                    self._asked.put((word, *given))
        except (EOFError, OSError):
            self._end()

    def _beat(self) -> None:
        while True:
            self._send("alive", self._look())
            time.sleep(_BEAT_SECONDS)

    def _look(self) -> int:
        """Return how many workers were replaced, if Ray can be asked just now."""
        if not changing.acquire(blocking=False):
            return 0
        try:
            if ray.is_initialized() and not head_answers():
                self._lose("its head or its last node does not answer")
            coordinator = self._coordinator
            return coordinator.n_replaced() if coordinator else 0
        finally:
            changing.release()

    def _lose(self, why: str) -> None:
        self._send("lost", why)
        self._end()

    def _send(self, *message: Any) -> None:
        data = cloudpickle.dumps(message)  # type: ignore[no-untyped-call]
        try:
            with self._sending:
                self._connection.send_bytes(data)
        except OSError:
            self._end()

    def _end(self) -> None:
        guard.end(os.getsid(0), self._folder)
        os._exit(1)


class _Sender(logging.Handler):
    """Sends what is logged here to the terminal and the log of the run."""

    def __init__(self, driver: Driver) -> None:
        super().__init__(logging.INFO)
        self._driver = driver

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        self._driver._send("log", record.levelno, record.getMessage())


def main(arguments: Iterator[str]) -> None:
    """Serve the supervisor that holds the other end of a connection."""
    driver = Driver(Connection(int(next(arguments))), Path(next(arguments)))
    log = logging.getLogger("standout")
    log.setLevel(logging.INFO)
    log.addHandler(_Sender(driver))
    driver.serve()


if __name__ == "__main__":
    main(iter(sys.argv[1:]))
