"""Where a scorer finds its share of the store: in its place, or in a copy of its node's own."""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import ray
from platformdirs import user_cache_path
from ray.exceptions import RayTaskError

from actors.library import PIECE_BYTES
from sim.errors import ClusterError, StandoutError, StoreError
from sim.release.store.copies import PartialCopy
from sim.release.store.manifest import Manifest, is_whole
from sim.release.store.store import Store, files_to_score

_AHEAD = 2
"""Pieces on their way to a node while one is written."""

Copy = Literal["missing", "always"]


@dataclass(frozen=True, slots=True)
class Place:
    """A store that other processes find where this one does.

    Parameters
    ----------
    folder : Path
        Where it lies on the coordinator's node.
    identity : str
        `sim.release.store.manifest.Manifest.identity` of the store that the run began with.
    """

    folder: Path
    identity: str

    def open(self) -> Store:
        """Open it.

        Raises
        ------
        StoreError
            Another store lies there by now, or a damaged one.
        """
        return Store(self.folder, identity=self.identity)


@dataclass(frozen=True, slots=True)
class Origin(Place):
    """A store that other nodes may have to copy.

    Parameters
    ----------
    node : str
        Identifier of the coordinator's node.
    library : str
        Name of the actor that lends it; see `actors.library.Library`.
    cache : str or None
        Folder for copies, as each node understands it (``~``, ``$SCRATCH``); None is the user's
        cache folder there.
    copy : {"missing", "always"}
        Whether a node that finds the store at `folder` may use it there.
    """

    node: str
    library: str
    cache: str | None
    copy: Copy


def open_share(origin: Origin, blocks: list[int]) -> Store:
    """Open the store on this node, so that some of its blocks can be scored at once.

    Parameters
    ----------
    origin : Origin
    blocks : list of int

    Returns
    -------
    Store
        Other files of a copy come when they are read.

    Raises
    ------
    ClusterError
        The cache of this node cannot be used, or what is copied is damaged.
    """
    node = str(ray.get_runtime_context().get_node_id())
    if node == origin.node:
        return origin.open()
    names = files_to_score(blocks)
    if origin.copy == "missing" and _lies_here(origin, names):
        return origin.open()

    # Looked up by name: what an actor is started with should be small, and hold no reference.
    library = ray.get_actor(origin.library)
    manifest: Manifest = _arrived(library.manifest.remote())
    if manifest.identity != origin.identity:
        raise ClusterError(
            f"{origin.folder}: the store was changed after the run began; run it again"
        )

    def pieces(name: str) -> Iterator[bytes]:
        return _pieces(library, name, manifest.files[name][0])

    def brought(name: str) -> None:
        _arrived(library.took.remote(node, name, manifest.files[name][0]))

    copy = PartialCopy(_cache(origin.cache), manifest, pieces, brought)

    def obtain(name: str) -> None:
        try:
            copy.obtain(name)
        except StoreError as error:
            raise ClusterError(f"node {socket.gethostname()}: {error}") from None

    for name in names:
        obtain(name)
    return Store(copy.folder, part_of=manifest, obtain=obtain)


def said(error: Exception) -> StandoutError | None:
    """What a worker found that the user can put right; None if that is not what went wrong."""
    cause = error.cause if isinstance(error, RayTaskError) else error
    return cause if isinstance(cause, StandoutError) else None


def _lies_here(origin: Origin, names: list[str]) -> bool:
    """Whether this node has the very same store at the same path, sound where it is needed."""
    try:
        files = origin.open().manifest.files
        return all(is_whole(origin.folder / name, files[name]) for name in names)
    except (StoreError, OSError):
        return False


def _cache(configured: str | None) -> Path:
    if configured is None:
        return user_cache_path("standout")
    folder = Path(os.path.expandvars(configured)).expanduser()
    if not folder.is_absolute():
        raise ClusterError(
            f"node {socket.gethostname()}: cluster.cache={configured}: is {folder} there; "
            "expected an absolute path, or one that begins with ~ or a variable set on every node"
        )
    return folder


def _pieces(library: Any, name: str, size: int) -> Iterator[bytes]:
    coming: deque[Any] = deque()
    for begin in range(0, size, PIECE_BYTES):
        coming.append(library.piece.remote(name, begin))
        if len(coming) > _AHEAD:
            yield _arrived(coming.popleft())
    while coming:
        yield _arrived(coming.popleft())


def _arrived(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except RayTaskError as error:
        raise said(error) or error from None
