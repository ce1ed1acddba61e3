"""Stores kept by the fingerprint of their input, built once however many processes ask."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from filelock import FileLock

from sim.errors import StoreError
from sim.release.build import Progress, build_store
from sim.release.cells import Source
from sim.release.manifest import SCHEMA
from sim.release.store import BLOCK_RECORDS, Store


def open_or_build(
    source: Source,
    cache: Path,
    *,
    block_records: int = BLOCK_RECORDS,
    progress: Progress | None = None,
) -> Store:
    """Open the store of this very input, building it first if there is none.

    Parameters
    ----------
    source : Source
    cache : Path
        Folder that holds stores; made if missing.
    block_records : int
        See `sim.release.build.build_store`.
    progress : callable, optional
        See `sim.release.build.build_store`; not called if the store is there.

    Returns
    -------
    Store
        Its files have been compared with their checksums.

    Raises
    ------
    InputError
        The source cannot be read.
    StoreError
        The cache cannot be written, or the store in it is damaged.
    """
    name = f"{source.fingerprint()[:32]}-{SCHEMA}-{block_records}"
    folder = cache / name
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{name}.lock"):
            if not folder.exists():
                _sweep(cache, name)
                build_store(source, folder, block_records=block_records, progress=progress)
    except OSError as error:
        raise StoreError(
            f"{cache}: cannot be used as a cache ({error.strerror}); set data.cache elsewhere"
        ) from None
    store = Store(folder)
    store.verify()
    return store


def _sweep(cache: Path, name: str) -> None:
    """Remove what a build of this store left behind when it was killed; we hold its lock."""
    for left in cache.iterdir():
        if re.fullmatch(re.escape(f".{name}.building-") + r"\d+", left.name):
            shutil.rmtree(left, ignore_errors=True)
