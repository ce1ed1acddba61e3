"""Compiles kernels, each once on a machine, whichever processes need it at the same time."""

from __future__ import annotations

import contextlib
import os
import zlib
from collections.abc import Callable, Iterator
from typing import Any, overload

import numba
from numba.core import config, event

from sim.files.kernel_cache import Locator, kernel_folder

_Function = Callable[..., Any]
_LOCATOR = f"{Locator.__module__}.{Locator.__qualname__}"
_LOCK = "being-compiled"
WAITING = "standout:compiled elsewhere"
"""The kind of event, of Numba's, that lasts while another process compiles what is needed here."""


@overload
def njit(function: _Function, **options: Any) -> _Function: ...


@overload
def njit(**options: Any) -> Callable[[_Function], _Function]: ...


def njit(function: Any = None, **options: Any) -> Any:
    """Compile a function when it is first called, without the interpreter's lock, and keep it.

    Parameters
    ----------
    function : callable, optional
        Without it, a decorator is returned.
    **options
        Of `numba.njit`.
    """
    if function is None:
        return lambda given: njit(given, **options)
    with _kept_by_us():
        kernel = numba.njit(cache=True, nogil=True, **options)(function)
    name = f"{function.__module__}.{function.__qualname__}"
    kernel.compile = _alone(kernel.compile, zlib.crc32(name.encode()))
    return kernel


def vectorize(function: _Function) -> _Function:
    """Compile a function of numbers for arrays of them, as `numba.vectorize`, and keep it."""
    with _kept_by_us():
        kernel: _Function = numba.vectorize(cache=True)(function)  # type: ignore[no-untyped-call]
    return kernel


@contextlib.contextmanager
def _kept_by_us() -> Iterator[None]:
    settings: Any = config
    before = settings.CACHE_LOCATOR_CLASSES
    settings.CACHE_LOCATOR_CLASSES = _LOCATOR
    try:
        yield
    finally:
        settings.CACHE_LOCATOR_CLASSES = before


def _alone(compile_or_load: Callable[[Any], Any], number: int) -> Callable[[Any], Any]:
    """Let one process at a time compile a kernel; the others find it kept.

    A process that waits holds the locks of the kernels that call this one, never the other way
    round, so that none waits for ever.
    """

    def alone(signature: Any) -> Any:
        with _locked(number):
            return compile_or_load(signature)

    return alone


@contextlib.contextmanager
def _locked(number: int) -> Iterator[None]:
    """Hold the lock of a number: a byte of a file, which the system frees if the process dies."""
    try:
        import fcntl

        file = _lock_file()
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
        except (BlockingIOError, PermissionError):
            with event.trigger_event(WAITING):
                fcntl.lockf(file, fcntl.LOCK_EX, 1, number)
    except (ImportError, OSError):  # a system, or a file system, without such locks
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            fcntl.lockf(file, fcntl.LOCK_UN, 1, number)


_files: dict[int, int] = {}


def _lock_file() -> int:
    """Return the descriptor of the file; kept open, as closing any frees all locks of a process."""
    process = os.getpid()
    if process not in _files:
        _files[process] = os.open(kernel_folder() / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    return _files[process]
