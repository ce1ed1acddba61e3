"""Shows the progress of compiling, and compiles a job's last kernels while its first ones run.

A second process attacks a few people as the last run of the job does and discards the result; the
job then finds the kernels in the cache. No result depends on that process.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType
from typing import Any

from numba.core import event
from numba.core.dispatcher import Dispatcher

from sim.attack.kernels import candidates
from sim.config.compose import composed, configured
from sim.config.own_overrides import own_group
from sim.errors import StandoutError
from sim.files.kernel_cache import is_kept
from sim.numeric.compiled import WAITING
from sim.release.store.store import Store
from sim.session.bayes_companion import companion_of, overrides_of
from sim.session.cost import cores
from sim.session.jobs import Job
from sim.session.session import run_session
from sim.study.bar import Stage, stage

_FEW = 16  # people: as many as show every kind of fact
_MANY = 5  # kernels, from which on it is worth saying how far it is


@contextlib.contextmanager
def told_of_compiling() -> Iterator[None]:
    """Show how far it is while loops are compiled within the block."""
    listeners = {"numba:compile": _Listener(), WAITING: _Waiting()}
    for kind, each in listeners.items():
        event.register(kind, each)  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        for kind, each in listeners.items():
            event.unregister(kind, each)  # type: ignore[no-untyped-call]


class _Listener(event.Listener):
    """Shows the kernels that a kernel is made of while they are compiled."""

    def __init__(self) -> None:
        self._depth = self._done = 0
        self._shown = contextlib.ExitStack()
        self._stage: Stage | None = None

    def on_start(self, found: Any) -> None:
        self._depth += 1
        if self._depth > 1:
            return
        made_of = _not_compiled(found.data["dispatcher"])
        if made_of >= _MANY:
            self._done = 0
            compiling = stage("compiling, once on this machine", made_of, unit="loop")
            self._stage = self._shown.enter_context(compiling)

    def on_end(self, found: Any) -> None:  # noqa: ARG002
        self._depth -= 1
        self._done += 1
        if self._stage is not None:
            self._stage.reach(self._done)
        if self._depth == 0:
            self._stage = None
            self._shown.close()


class _Waiting(event.Listener):
    """Shows that another process compiles what is needed."""

    def __init__(self) -> None:
        self._shown = contextlib.ExitStack()

    def on_start(self, found: Any) -> None:  # noqa: ARG002
        self._shown.enter_context(stage("compiling in another process, once on this machine", 1))

    def on_end(self, found: Any) -> None:  # noqa: ARG002
        self._shown.close()


def _not_compiled(kernel: Dispatcher) -> int:
    """Count the kernels reachable from one, itself included, that are not compiled yet."""
    found, left = {kernel}, [kernel]
    while left:
        function = left.pop().py_func
        values = (function.__globals__.get(name) for name in _names(function.__code__))
        new = {one for one in values if isinstance(one, Dispatcher)} - found
        found |= new
        left += new
    return sum(not one.overloads for one in found)


def _names(code: CodeType) -> set[str]:
    """Return the global names of a function, and of those that are made in it."""
    inner = (one for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names}.union(*map(_names, inner))


@contextlib.contextmanager
def compiling_ahead(job: Job, store: Store) -> Iterator[None]:
    """Compile the kernels of a job's last attack in a second process, unless they are kept."""
    given = None
    if cores() > 1 and sys.executable and not is_kept(Path(candidates.__file__)):
        with contextlib.suppress(StandoutError):  # the job will say what is wrong
            given = [str(store.folder), _overrides_of_last(job)]
    if given is None:
        yield
        return
    command = [sys.executable, "-m", __name__]
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=nothing, stderr=nothing, text=True
    )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin as asked:
        json.dump(given, asked)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _overrides_of_last(job: Job) -> list[str]:
    """Return the overrides of the last attack of a job, on few people and in one process."""
    while job.parts:
        job = job.parts[-1]
    other = companion_of(job.config)
    overrides = list(job.overrides) if other is None else overrides_of(other, job.overrides)
    few = [one for one in overrides if own_group(one) not in ("cluster", "targets")]
    return [*few, f"targets={_FEW}", "cluster=inline"]


def _compile(folder: str, overrides: Sequence[str]) -> None:
    with tempfile.TemporaryDirectory() as place:
        run_session(configured(composed(overrides)), Store(Path(folder)), Path(place))


if __name__ == "__main__":
    os.setpgrp()  # an interruption of the terminal is for the job alone
    _compile(*json.load(sys.stdin))
