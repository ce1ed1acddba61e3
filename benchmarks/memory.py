"""Memory of a process and all its descendants, counting shared pages once.

Linux counts it: every page in use by n processes is 1/n of a page to each (``Pss``). Sampled, so a
peak that comes and goes between two looks is missed.
"""

from __future__ import annotations

import threading
import time
from pathlib import Path
from types import TracebackType

_EVERY_SECONDS = 2.0
_REST = 50  # times as long as a look takes, so that it takes a fiftieth of a core
_PROC = Path("/proc")


def can_tell() -> bool:
    """Whether this system reports shared memory."""
    return (_PROC / "self/smaps_rollup").is_file()


def held_by(root: int) -> tuple[int, int]:
    """Bytes held by a process and its descendants now, and those of them that no file holds.

    Parameters
    ----------
    root : int
        Process identifier.
    """
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdigit():
            children.setdefault(_parent(entry), []).append(int(entry.name))
    held, beyond, left = 0, 0, [root]
    while left:
        pid = left.pop()
        every, of_files = _share(pid)
        held, beyond = held + every, beyond + every - of_files
        left += children.get(pid, [])
    return held, beyond


def _parent(entry: Path) -> int:
    try:
        # The name stands in brackets and may hold anything.
        return int((entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return -1  # gone


def _share(pid: int) -> tuple[int, int]:
    """The share of a process of all pages, and of those of mapped files."""
    try:
        lines = (_PROC / f"{pid}/smaps_rollup").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0, 0  # gone, or nothing is mapped any more
    pairs = (line.split(":") for line in lines if line.startswith("Pss"))
    held = {name: int(size.split()[0]) * 1024 for name, size in pairs}
    return held.get("Pss", 0), held.get("Pss_File", 0)


class Peak:
    """The most a process and its descendants held, watched in a thread until the block ends.

    In all, and beyond what is mapped from files, as a store is.

    Examples
    --------
    >>> import os
    >>> with Peak(os.getpid()) as peak:
    ...     pass
    >>> peak.bytes > 1_000_000 or not can_tell()
    True
    """

    def __init__(self, root: int) -> None:
        self.bytes = self.beyond_files = 0
        self._root = root
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Peak:
        if can_tell():
            self._look()
            self._watcher.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        if can_tell():
            self._watcher.join()

    def _watch(self) -> None:
        pause = _EVERY_SECONDS
        while not self._over.wait(pause):
            begin = time.perf_counter()
            self._look()
            # A look walks all that is mapped, which may be many gigabytes.
            pause = max(_EVERY_SECONDS, _REST * (time.perf_counter() - begin))

    def _look(self) -> None:
        held, beyond = held_by(self._root)
        self.bytes = max(self.bytes, held)
        self.beyond_files = max(self.beyond_files, beyond)
