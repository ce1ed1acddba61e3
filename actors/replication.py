"""Opens the part of a store that a scorer needs: in place, or from a copy on its node."""

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

from actors.block_server import PIECE_BYTES
from sim.errors import ClusterError, StandoutError, StoreError
from sim.release.store.copies import PartialCopy
from sim.release.store.manifest import Manifest, is_whole
from sim.release.store.store import Store, files_to_score

_AHEAD = 2
"""Pieces in flight to a node while one is written."""

Copy = Literal["missing", "always"]


@dataclass(frozen=True, slots=True)
class StoreReference:
    """A store that other processes find at the same path.

    Parameters
    ----------
    folder
        Its path on the coordinator's node.
    identity
        `sim.release.store.manifest.Manifest.identity` of the store at the start of the run.
    """

    folder: Path
    identity: str

    def open(self) -> Store:
        """Open it.

        Raises
        ------
        StoreError
            The store was replaced or damaged.
        """
        return Store(self.folder, identity=self.identity)


@dataclass(frozen=True, slots=True)
class RemoteStore(StoreReference):
    """A store that other nodes may have to copy.

    Parameters
    ----------
    node
        Identifier of the coordinator's node.
    server
        Name of the actor `actors.block_server.BlockServer` that serves it.
    cache
        Folder for copies, as each node reads it (``~``, ``$SCRATCH``); None is the user's cache
        folder there.
    copy
        Whether a node that finds the store at `folder` may use it there.
    """

    node: str
    server: str
    cache: str | None
    copy: Copy


def open_replica(reference: RemoteStore, blocks: list[int]) -> Store:
    """Open the store on this node; files needed to score `blocks` are copied at once.

    Other files of a copy are fetched when they are read.

    Raises
    ------
    ClusterError
        The cache of this node cannot be used, or what is copied is damaged.
    """
    node = str(ray.get_runtime_context().get_node_id())
    if node == reference.node:
        return reference.open()
    names = files_to_score(blocks)
    if reference.copy == "missing" and _is_here(reference, names):
        return reference.open()

    # Look up by name, so that an actor's arguments stay small and hold no reference.
    server = ray.get_actor(reference.server)
    manifest: Manifest = _fetch(server.manifest.remote())
    if manifest.identity != reference.identity:
        raise ClusterError(
            f"{reference.folder}: the store was changed after the run began; run it again"
        )

    def pieces(name: str) -> Iterator[bytes]:
        return _pieces(server, name, manifest.files[name][0])

    def on_copied(name: str) -> None:
        _fetch(server.copied.remote(node, name, manifest.files[name][0]))

    copy = PartialCopy(_cache(reference.cache), manifest, pieces, on_copied)

    def obtain(name: str) -> None:
        try:
            copy.obtain(name)
        except StoreError as error:
            raise ClusterError(f"node {socket.gethostname()}: {error}") from None

    for name in names:
        obtain(name)
    return Store(copy.folder, part_of=manifest, obtain=obtain)


def user_error(error: Exception) -> StandoutError | None:
    """Return the cause of a worker's error if the user can remedy it, else None."""
    cause = error.cause if isinstance(error, RayTaskError) else error
    return cause if isinstance(cause, StandoutError) else None


def _is_here(reference: RemoteStore, names: list[str]) -> bool:
    """Whether this node has the same store at the same path, its needed files intact."""
    try:
        files = reference.open().manifest.files
        return all(is_whole(reference.folder / name, files[name]) for name in names)
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


def _pieces(server: Any, name: str, size: int) -> Iterator[bytes]:
    in_flight: deque[Any] = deque()
    for begin in range(0, size, PIECE_BYTES):
        in_flight.append(server.piece.remote(name, begin))
        if len(in_flight) > _AHEAD:
            yield _fetch(in_flight.popleft())
    while in_flight:
        yield _fetch(in_flight.popleft())


def _fetch(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except RayTaskError as error:
        raise user_error(error) or error from None
