"""Lists and removes what a cache keeps: stores, the remains of killed builds, compiled loops.

Invariant: nothing is removed but a folder directly within the cache, no link, that has a name of
ours (a store its manifest too), and that no process reads or builds. A store that is removed loses
its name first, so no part of one is ever taken for a whole one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from sim.errors import StoreError
from sim.files.in_use import is_held
from sim.files.kernel_cache import FOLDER
from sim.files.private import check_cache, check_owned
from sim.release.store.cache import LOCK
from sim.release.store.manifest import NAME

Kind = Literal["store", "remains", "loops"]

_KINDS: dict[Kind, re.Pattern[str]] = {
    "store": re.compile(r"(?P<key>[0-9a-f]{32}-\d+-\d+)-[0-9a-f]{32}"),
    "remains": re.compile(r"\.\.?(?P<key>[0-9a-f]{32}-\d+-\d+)(\.building-\d+)?"),
    "loops": re.compile(f"(?P<key>{FOLDER})"),
}
"""Names of folders, see `sim.release.store.cache` and `build_store`."""

_LARGEST_MANIFEST = 1 << 28


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder in a cache.

    Parameters
    ----------
    key : str
        What its lock is named after.
    source : str
        The release in words; empty: not known.
    records, cells : int or None
        Its size. None: not known.
    size : int
        Bytes on the disk.
    used : float
        Seconds since 1970, when it was last opened or written.
    """

    path: Path
    kind: Kind
    key: str
    source: str
    records: int | None
    cells: int | None
    size: int
    used: float

    @property
    def name(self) -> str:
        """A name by which it can be told from others."""
        return self.path.name


def kept_in(cache: Path) -> list[Kept]:
    """List what a cache keeps, the last used first.

    Raises
    ------
    StoreError
        The cache cannot be read.
    """
    if not cache.exists():
        return []
    try:
        found = [one for path in cache.iterdir() for one in _kept(path)]
    except OSError as error:
        raise StoreError(f"{cache}: cannot be read ({error.strerror})") from None
    return sorted(found, key=lambda one: (-one.used, one.name))


def _kept(path: Path) -> Iterator[Kept]:
    named = ((kind, pattern.fullmatch(path.name)) for kind, pattern in _KINDS.items())
    kind, match = next(((kind, match) for kind, match in named if match), (None, None))
    if kind is None or match is None or not stat.S_ISDIR(path.lstat().st_mode):
        return
    files = [Path(above, name) for above, _, names in os.walk(path) for name in names]
    found = [file.lstat() for file in files]
    told = _manifest(path / NAME)
    if kind == "store" and not told:
        return  # no folder of ours, whatever its name
    times = [one.st_mtime for one in found] or [path.lstat().st_mtime]
    with contextlib.suppress(OSError):
        times.append(path.with_name(f"{match['key']}{LOCK}").lstat().st_mtime)
    counts = [told.get(key) for key in ("n_records", "n_cells")]
    records, cells = (one if isinstance(one, int) else None for one in counts)
    size = sum(one.st_size for one in found)
    source = str(told.get("source") or "")
    yield Kept(path, kind, match["key"], source, records, cells, size, max(times))


def _manifest(path: Path) -> dict[str, object]:
    """What a manifest says, of whatever version; empty: there is none that can be read."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode) or path.lstat().st_size > _LARGEST_MANIFEST:
            return {}
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and "schema" in found else {}


def remove(one: Kept) -> bool:
    """Remove a folder of a cache.

    Returns
    -------
    bool
        False: a process reads or builds it, and nothing is removed.

    Raises
    ------
    StoreError
        Others may write to it, or it cannot be removed.
    """
    cache = one.path.parent
    lock = FileLock(_lock_of(one), timeout=0, mode=0o600)
    try:
        check_cache(cache, "data.cache")
        check_owned(one.path, "data.cache")
        with lock:
            if is_held(one.path):
                return False
            # The name of remains: if this process is killed, the next build sweeps them away.
            doomed = one.path
            if one.kind == "store":
                doomed = cache / f".{one.key}"
                shutil.rmtree(doomed, ignore_errors=True)
                one.path.rename(doomed)
            shutil.rmtree(doomed)
    except Timeout:
        return False
    except OSError as error:
        raise StoreError(f"{one.path}: cannot be removed ({error.strerror})") from None
    return True


def _lock_of(one: Kept) -> Path:
    return one.path.with_name(f"{one.key}{LOCK}")
