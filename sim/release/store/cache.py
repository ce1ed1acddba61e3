"""Caches stores by the fingerprint of their input; concurrent processes build one once.

A store's folder is named after its input and its contents (`Manifest.identity`), so neither another
store nor another manifest can take its place.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from filelock import FileLock

from sim.errors import InputError, StoreError
from sim.files.private import check_cache, check_owned, private
from sim.release.store.build import Progress, build_store
from sim.release.store.cells import Source
from sim.release.store.manifest import NAME, REBUILD, SCHEMA, Manifest
from sim.release.store.store import BLOCK_RECORDS, Store

LOCK = ".lock"
"""End of the name of a file that is locked while a store is built or opened.

The empty file stays when its store is removed. Whoever waits for the lock has the file open: if it
were removed, that process would lock a file without a name, and the next one a new file, so that
both would build the same store. Versions of filelock that notice this need not be installed. The
file is neither listed nor counted.
"""


@private()
def open_or_build(
    source: Source,
    cache: Path,
    *,
    block_records: int = BLOCK_RECORDS,
    progress: Progress | None = None,
) -> Store:
    """Open the store of an input, and build it first if there is none.

    Parameters
    ----------
    cache : Path
        Folder that holds stores; made if missing.
    block_records : int
        See `sim.release.store.build.build_store`.
    progress : callable, optional
        See `sim.release.store.build.build_store`; not called if the store is there.

    Returns
    -------
    Store
        Its files have been compared with their checksums.

    Raises
    ------
    InputError
        The source cannot be read.
    StoreError
        The cache cannot be written or is not ours alone to write, or the store in it is damaged
        or not the one asked for.
    """
    asked = source.fingerprint()
    name = f"{asked[:32]}-{SCHEMA}-{block_records}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        check_cache(cache, "data.cache")
        lock = cache / f"{name}{LOCK}"
        with FileLock(lock, mode=0o600):
            lock.touch()  # when it was last used
            folder = _found(cache, name)
            if folder is None:
                _sweep(cache, name)
                folder = _built(cache, name, source, asked, block_records, progress)
            check_owned(folder, "data.cache")
            # Within the lock, and held from then on: nobody removes it in between.
            store = Store(folder, identity=_identity(folder, asked), source=source.name)
    except OSError as error:
        raise StoreError(
            f"{cache}: cannot be used as a cache ({error.strerror}); set data.cache elsewhere"
        ) from None
    store.verify()
    return store


def _found(cache: Path, name: str) -> Path | None:
    """The folder of a store by what it was built from; what it holds is the end of its name."""
    found = sorted(cache.glob(f"{name}-*"))
    if len(found) > 1:
        raise StoreError(
            f"{found[0]} and {found[1].name}: two stores of the same input; delete both folders, "
            "and one is built again"
        )
    return found[0] if found else None


def _built(
    cache: Path,
    name: str,
    source: Source,
    asked: str,
    block_records: int,
    progress: Progress | None,
) -> Path:
    whole = cache / f".{name}"
    manifest = build_store(source, whole, block_records=block_records, progress=progress)
    if manifest.input_fingerprint != asked:
        shutil.rmtree(whole)
        raise InputError(f"{source.name}: was changed while it was read; run it again")
    return whole.rename(cache / f"{name}-{manifest.identity[:32]}")


def _identity(folder: Path, asked: str) -> str:
    """The identity of a store, once it is known to be of the input asked for, and its own."""
    manifest = Manifest.read(folder)
    if manifest.input_fingerprint != asked:
        raise StoreError(f"{folder / NAME}: is that of another input; {REBUILD}")
    if not folder.name.endswith(f"-{manifest.identity[:32]}"):
        raise StoreError(
            f"{folder / NAME}: does not match the name of its folder, so one of them was changed "
            f"after it was written; {REBUILD}"
        )
    return manifest.identity


def _sweep(cache: Path, name: str) -> None:
    """Remove the remains of a killed build of this store; the caller holds its lock."""
    left = re.compile(rf"\.{name}|\.\.{name}\.building-\d+")
    for path in cache.iterdir():
        if left.fullmatch(path.name):
            shutil.rmtree(path, ignore_errors=True)
