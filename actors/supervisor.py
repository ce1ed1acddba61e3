"""The runner on Ray as the program sees it: a process of its own, begun again when it breaks.

Invariant: this process never connects to Ray, so no part of Ray that dies takes it along, and its
signals stay its own. What the driver started ends with it, killed, as soon as it is not needed.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Pipe
from pathlib import Path
from typing import Any

from ray import cloudpickle

from actors import guard
from actors.library import StoreReference
from actors.lost import TIMEOUT
from actors.memory import check_memory
from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.config.schema import ClusterConfig
from sim.errors import ClusterError, ClusterLostError
from sim.numeric.text import quantity
from sim.release.store.store import Store
from sim.study.runner import Draw

log = logging.getLogger("standout")
run_log = logging.getLogger("standout.run_log")

_LOOK_SECONDS = 0.25
_MOST_SILENT = 40
"""Looks without a message after which the driver counts as hung; it sends one twice a second."""

_ATTEMPTS = 3
"""Times that a cluster may break, or not start, without a batch decided in between."""

_LONGEST_START = 60.0
"""Seconds in which a cluster must start here, or be joined again; both take a few."""

_MOST_REPLACED = 10
"""Workers that may end, and be started again, without a batch decided in between."""

_PARTS = frozenset({"gcs_server", "raylet"})
"""Processes without which a local cluster is lost."""

_FOLDER_OF_MODULE = "set PYTHONPATH to the folder of that module, for workers to find it, or "

_LONGEST_PLACE = 30
"""Ray's sockets lie deep in its folder, and their paths are limited to about 100 bytes."""

_START = "import json, sys; sys.path[:] = json.loads(sys.argv.pop(1)); "
_START += "from actors.driver import main; main(iter(sys.argv[1:]))"


_ONE_HEAP = {"MALLOC_ARENA_MAX": "1"}
"""For the C library, whose threads otherwise keep heaps of their own, which are never given back.

In a census a twentieth of the memory of all processes; they allocate too seldom to wait for it.
"""


_drivers: list[DriverProcess] = []
"""The driver of this process, if any: its cluster serves one run after the other."""


class Supervisor:
    """See `sim.study.runner.Runner`.

    Parameters
    ----------
    cluster : ClusterConfig
        As in ``conf/cluster``.

    Raises
    ------
    ClusterError
        The cluster does not answer, or has too few cores.
    ClusterLostError
        It breaks again and again.
    ConfigError
        See `actors.coordinator.Coordinator`.
    """

    def __init__(self, cluster: ClusterConfig, store: Store, attack: Algorithm) -> None:
        reference = StoreReference(store.folder, store.manifest.identity)
        self._cluster = cluster
        self._opening = "open", reference, attack, vars(cluster)
        self._replaced = 0
        """Workers that ended, and were started again, in clusters that are lost."""
        self._replaced_here = 0
        self._clusters = 0
        self._failures = self._in_vain = 0
        self._error: Exception | None = None
        self._open()

    def run(self, batches: list[int], draw: Draw) -> Iterator[tuple[int, Drawn, Decisions]]:
        """See `Runner.run`."""
        left, drawn = deque(batches), dict[int, Drawn]()
        drawer = ThreadPoolExecutor(max_workers=1)

        def answer(asker: DriverProcess, batch: int) -> None:
            try:
                if batch not in drawn:  # it may be asked for again
                    drawn[batch] = draw(batch)
                asker.send("drawn", batch, drawn[batch])
            except Exception as error:
                self._error = error
                asker.send("drawn", batch, None)

        try:
            while left:
                try:
                    for word, *given in self._asked("run", list(left)):
                        if word == "draw":
                            drawer.submit(answer, _driver(), *given)
                        elif word == "decided":
                            self._failures = self._in_vain = 0
                            batch, decisions = given
                            assert batch == left.popleft()
                            yield batch, drawn.pop(batch), decisions
                except ClusterLostError as error:
                    self._begin_again(error)
        finally:
            drawer.shutdown(cancel_futures=True)

    def shape(self) -> Mapping[str, Any]:
        """See `Runner.shape`; includes what was lost and replaced."""
        while True:
            try:
                shape = self._done("shape")
            except ClusterLostError as error:
                self._begin_again(error)
            else:
                self._note(shape.pop("replaced"))
                workers = self._replaced + self._replaced_here
                return {**shape, "replaced": {"workers": workers, "clusters": self._clusters}}

    def close(self) -> None:
        """See `Runner.close`; the cluster stays for the next run unless it is in the middle."""
        if not _drivers:
            return
        if _drivers[0].busy:
            stop()
            return
        try:
            self._done("close")
        except ClusterLostError:
            stop()

    def _open(self) -> None:
        while True:
            if not _drivers:
                if self._cluster.kind == "local":
                    check_memory(self._cluster.workers or 1)
                _drivers.append(DriverProcess())
            joins, limit = self._cluster.kind == "address", TIMEOUT
            if self._clusters or not joins:
                limit = min(limit, _LONGEST_START)
            limit += self._cluster.wait
            try:
                self._done(*self._opening, timeout=limit)
            except ClusterLostError as error:
                self._count(error)
            except TimeoutError:
                if not joins:
                    self._count(ClusterLostError(f"it does not start in {limit:g} seconds"))
                    continue
                stop()
                raise ClusterError(
                    f"cluster.address={self._cluster.address}: accepts connections, but no Ray "
                    f"answers in {limit:g} seconds; see that it is up"
                ) from None
            else:
                return

    def _begin_again(self, error: ClusterLostError) -> None:
        """Start another cluster, or join the same one again, in place of one that broke."""
        self._count(error)
        try:
            self._open()
        except ClusterLostError:
            raise
        except ClusterError as later:
            raise ClusterLostError(f"the cluster is lost ({error}): {later}") from None

    def _count(self, error: ClusterLostError) -> None:
        """End the driver, and give up if that was once too often."""
        self._replaced, self._replaced_here = self._replaced + self._replaced_here, 0
        printed = stop()
        if printed:
            run_log.info("what Ray's driver printed before it ended (%s):\n%s", error, printed)
        self._failures += 1
        if self._failures >= _ATTEMPTS:
            lacks_module = ModuleNotFoundError.__name__ in str(error)
            raise ClusterLostError(
                f"Ray broke off {_ATTEMPTS} times in a row ({error}); "
                f"{_FOLDER_OF_MODULE if lacks_module else ''}cluster=inline does without "
                f"Ray; the run can be resumed"
            )
        self._clusters += 1
        log.warning("Ray broke off (%s); it is started again, and the run goes on", error)

    def _done(self, *message: Any, timeout: float | None = None) -> Any:
        """Return what the driver answers to a command."""
        answers = [
            given for word, *given in self._asked(*message, timeout=timeout) if word == "done"
        ]
        return answers[0][0]

    def _asked(self, *message: Any, timeout: float | None = None) -> Iterator[tuple[Any, ...]]:
        """Yield what the driver says to a command; say or raise what is for everybody."""
        driver = _driver()
        driver.send(*message)
        for word, *given in driver.messages(timeout):
            if word == "log":
                log.log(*given)
            elif word == "alive":
                self._note(*given)
            elif word == "failed":
                raise self._error or given[0]
            else:
                yield (word, *given)

    def _note(self, replaced: int) -> None:
        """Say it when workers ended."""
        more = replaced - self._replaced_here
        if more > 0:
            log.warning(
                "%s ended and %s started again; no result is lost",
                *(quantity(more, "worker"), "was" if more == 1 else "were"),
            )
            self._replaced_here = replaced
            self._in_vain += more
        if self._in_vain > _MOST_REPLACED:
            self._in_vain = 0
            raise ClusterLostError(
                f"{_MOST_REPLACED} workers ended without a result; if the system ended them for "
                "want of memory, set fewer cluster.workers"
            )


def stop() -> str:
    """End the driver of this process with its cluster, and return the last that it printed."""
    return _drivers.pop().end() if _drivers else ""


atexit.register(stop)


def _driver() -> DriverProcess:
    return _drivers[0]


def _place() -> str:
    """Return the folder for temporary files, or another where the paths of sockets fit."""
    place = os.environ.get("RAY_TMPDIR") or tempfile.gettempdir()
    return place if len(place) <= _LONGEST_PLACE else "/tmp"


class DriverProcess:
    """A process that runs `actors.driver`, with all that it starts."""

    def __init__(self) -> None:
        place = _place()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="standout-ray-", dir=place))
        except OSError as error:
            raise ClusterError(
                f"{place}: Ray's temporary files cannot be put there ({error.strerror}); set "
                "RAY_TMPDIR to a folder that can be written, or cluster=inline"
            ) from None
        self.busy = False
        self._sending = threading.Lock()
        self._heard: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._parts: set[str] = set()
        self._opens = False
        # Processes of their own sessions: an interrupt from the terminal reaches only this one.
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__, self.folder],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True,
        )  # fmt: skip
        self._connection, theirs = Pipe()
        with self._output.open("wb") as output:
            self._process = subprocess.Popen(
                [
                    sys.executable, "-P", "-c", _START, json.dumps(sys.path), str(theirs.fileno()),
                    self.folder,
                ],
                stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                pass_fds=[theirs.fileno()], start_new_session=True, env={**_ONE_HEAP, **os.environ},
            )  # fmt: skip
        theirs.close()
        assert self._guard.stdin is not None
        self._guard.stdin.write(f"{self._process.pid}\n".encode())
        self._guard.stdin.flush()
        threading.Thread(target=self._receive, daemon=True).start()

    @property
    def _output(self) -> Path:
        return self.folder / "driver.log"

    def send(self, *message: Any) -> None:
        """Send a message, from any thread; if it does not arrive, the driver counts as lost."""
        self._opens = message[0] == "open"
        data = cloudpickle.dumps(message)  # type: ignore[no-untyped-call]
        try:
            with self._sending:
                self._connection.send_bytes(data)
        except OSError:
            self._heard.put(("lost", "its driver ended"))

    def messages(self, timeout: float | None = None) -> Iterator[tuple[Any, ...]]:
        """Yield messages as they come, until the command that was sent last is done.

        Parameters
        ----------
        timeout : float, optional
            Most seconds.

        Raises
        ------
        ClusterLostError
            The driver or its cluster ended, or says nothing.
        TimeoutError
            It was not done in time.
        """
        self.busy, silent, begun = True, 0, time.monotonic()
        while True:
            try:
                message = self._heard.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                self._check_parts()
                silent += 1
                if silent >= _MOST_SILENT:
                    raise ClusterLostError(
                        f"its driver says nothing for {_MOST_SILENT * _LOOK_SECONDS:g} seconds"
                    ) from None
            else:
                silent = 0
                if message[0] == "lost":
                    raise ClusterLostError(message[1])
                if message[0] in ("done", "failed"):
                    self.busy = False
                yield message
                if not self.busy:
                    return
            if timeout is not None and time.monotonic() - begun >= timeout:
                raise TimeoutError

    def end(self) -> str:
        """End it, with all that it started, and return the last that it printed."""
        try:
            printed = self._output.read_text(errors="replace").strip()
        except OSError:
            printed = ""
        guard.end(self._process.pid, self.folder)
        self._process.wait()  # only now may another process have its identifier
        self._guard.kill()
        self._guard.wait()
        self._connection.close()
        return printed

    def _receive(self) -> None:
        try:
            while True:
                self._heard.put(cloudpickle.loads(self._connection.recv_bytes()))
        except (EOFError, OSError, TypeError):  # TypeError: closed by another thread
            self._heard.put(("lost", "its driver ended"))

    def _check_parts(self) -> None:
        """Notice at once that a part has ended; Ray takes its time."""
        parts = set(guard.processes(self._process.pid).values()) & _PARTS
        # A driver that opens with more workers than before ends the smaller cluster itself.
        if self._parts - parts and not self._opens:
            raise ClusterLostError(f"{', '.join(sorted(self._parts - parts))} ended")
        self._parts = parts
