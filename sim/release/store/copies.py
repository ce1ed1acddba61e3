"""Keeps a node's copy of the files of a store that it reads.

A file is brought in pieces, compared with the manifest's checksum and renamed into place, so that
under its name there is either the file or nothing. What lies there from an earlier run is compared
again before it is used. Processes that share the folder wait for one another.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from sim.errors import StoreError
from sim.files.disk import is_full
from sim.files.private import check_cache, check_owned, private
from sim.release.store.manifest import Manifest, is_whole

Pieces = Callable[[str], Iterable[bytes]]
"""The content of a file of the store, by its path in it, piece after piece."""

_TRIES = 2  # one damaged transfer may be an accident, two are not


class PartialCopy:
    """Some files of a store, on a disk of this node; see `Store` for how it is opened.

    Parameters
    ----------
    cache : Path
        Folder that holds copies; made if missing.
    manifest : Manifest
        Of the store.
    pieces : callable
        Where files come from.
    brought : callable, optional
        Called with the name of every file that came.
    """

    def __init__(
        self,
        cache: Path,
        manifest: Manifest,
        pieces: Pieces,
        brought: Callable[[str], None] | None = None,
    ) -> None:
        self.folder = cache / f"{manifest.identity[:32]}-part"
        self._manifest, self._pieces = manifest, pieces
        self._brought = brought or (lambda _: None)
        self._whole: set[str] = set()

    def obtain(self, name: str) -> None:
        """See to it that a file is here and whole.

        Parameters
        ----------
        name : str
            Path in the store.

        Raises
        ------
        StoreError
            The cache cannot be written or is not ours alone to write, or what comes is not what
            the manifest says.
        """
        if name in self._whole:
            return
        with private(), _writing(self.folder.parent):
            self._open()
            if not self._has(name):
                path = self.folder / name
                path.parent.mkdir(exist_ok=True)
                with FileLock(self.folder / ".lock", mode=0o600):
                    if not self._has(name):  # no other process copied it while this one waited
                        self._bring(name, path)
        self._whole.add(name)

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        check_cache(self.folder.parent, "cluster.cache")
        check_owned(self.folder, "cluster.cache")

    def _has(self, name: str) -> bool:
        return is_whole(self.folder / name, self._manifest.files[name])

    def _bring(self, name: str, path: Path) -> None:
        """Called under the lock: partial files next to the file are those of killed processes."""
        partial = path.with_name(f".{path.name}.partial")
        for _ in range(_TRIES):
            sha = _write(partial, self._pieces(name))
            if [partial.stat().st_size, sha] == list(self._manifest.files[name]):
                partial.replace(path)
                self._brought(name)
                return
            partial.unlink()
        raise StoreError(
            f"{path}: what was copied does not match the store's checksum, {_TRIES} times over; "
            "see that the store on the first machine is whole, and the network sound"
        )


def _write(path: Path, pieces: Iterable[bytes]) -> str:
    """Write a file to the disk; its SHA-256."""
    whole = hashlib.sha256()
    try:
        with path.open("wb") as out:
            for piece in pieces:
                whole.update(piece)
                out.write(piece)
            out.flush()
            os.fsync(out.fileno())
    except BaseException:
        path.unlink(missing_ok=True)  # a full disk should not stay full for our sake
        raise
    return whole.hexdigest()


@contextmanager
def _writing(cache: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise StoreError(
                f"{cache}: the disk is full; free some space or set cluster.cache elsewhere"
            ) from None
        raise StoreError(
            f"{cache}: cannot be used as a cache ({error.strerror or error}); "
            "set cluster.cache elsewhere"
        ) from None
