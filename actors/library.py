"""Blocks reach the nodes as Ray objects.

What is read together of a block is a *part*, and one object in Ray's object store. Ray brings it to
a node once, where all scorers map the same memory, or a file if there is too little, and drops it
when nobody needs it any more.
"""

from __future__ import annotations

import hashlib
import socket
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import ray
from ray.exceptions import ObjectLostError, RayTaskError

from actors.lost import user_error
from actors.pulse import GROUP
from sim.errors import ClusterError, StoreError
from sim.release.store.manifest import Manifest, is_whole
from sim.release.store.store import Content, Store, mapped, part_of, parts_to_score

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

    def open(self, blocks: list[int] | None = None) -> Store:  # noqa: ARG002
        """Open it, to score some blocks.

        Raises
        ------
        StoreError
            The store was replaced or damaged.
        """
        return Store(self.folder, identity=self.identity)


@dataclass(frozen=True, slots=True)
class RemoteStore(StoreReference):
    """A store that other nodes may lack.

    Parameters
    ----------
    node
        Identifier of the coordinator's node.
    library
        Name of the actor `Library`: arguments of an actor that restarts may hold no references.
    copy
        Whether a node that finds the store at `folder` may use it there.
    """

    node: str
    library: str
    copy: Copy

    def open(self, blocks: list[int] | None = None) -> Store:
        """Open it on this node; parts to score `blocks` are brought at once, others when read.

        Raises
        ------
        ClusterError
            What was brought is damaged.
        """
        here = str(ray.get_runtime_context().get_node_id())
        wanted = parts_to_score(blocks or [])
        if here == self.node or (self.copy == "missing" and self._is_here(wanted)):
            return StoreReference.open(self)
        manifest: Manifest = _fetch(ray.get_actor(self.library).manifest.remote())
        files: dict[str, Content] = {}

        def bring(part: str) -> None:
            for name, content in self._part(part, here).items():
                if hashlib.sha256(content).hexdigest() != manifest.files[name][1]:
                    raise ClusterError(
                        f"node {socket.gethostname()}: {self.folder / name}: what was brought does "
                        "not match the store's checksum; see that the store on the first machine "
                        "is whole, and the network sound"
                    )
                files[name] = content

        def read(name: str) -> Content:
            if name not in files:
                bring(part_of(name))
            return files[name]

        for part in wanted:
            bring(part)
        return Store(self.folder, manifest=manifest, read=read)

    def _part(self, part: str, here: str) -> dict[str, Content]:
        """Return the files of a part, in memory that all processes of this node share."""
        library = ray.get_actor(self.library)
        while True:
            try:
                (files,) = ray.get(_fetch(library.part.remote(part, here)))
            except ObjectLostError:  # with the library; the one in its place reads it again
                continue
            assert isinstance(files, dict)
            return files

    def _is_here(self, parts: list[str]) -> bool:
        """Whether this node has the same store at the same path, its needed files intact."""
        try:
            files = StoreReference.open(self).manifest.files
            needed = [name for name in files if part_of(name) in parts]
            return all(is_whole(self.folder / name, files[name]) for name in needed)
        except (StoreError, OSError):
            return False


@dataclass(frozen=True, slots=True)
class TransferStats:
    """Counts what was brought to nodes.

    Parameters
    ----------
    nodes
        Nodes to which anything was brought.
    blocks
        Number of blocks with any part brought to a node, summed over nodes.
    """

    nodes: int = 0
    blocks: int = 0
    bytes: int = 0


class Library:
    """Puts parts of a store into Ray's object store, on the coordinator's node, when asked.

    It may be restarted at any time; only its counts are lost.
    """

    def __init__(self, reference: StoreReference) -> None:
        self.reference = reference
        self._parts: dict[str, Any] = {}
        self._brought: dict[str, set[str]] = defaultdict(set)

    @ray.method(concurrency_group=GROUP)
    def pulse(self) -> None:
        """Answer at once, whatever else is in progress."""

    def manifest(self) -> Manifest:
        """Return the manifest of the store."""
        return self.reference.open().manifest

    def part(self, name: str, node: str) -> list[Any]:
        """Return a reference to the files of a part, by their names, for a node."""
        if name not in self._parts:
            files = [file for file in self.manifest().files if part_of(file) == name]
            self._parts[name] = ray.put(
                {file: mapped(self.reference.folder, file) for file in files}
            )
        self._brought[node].add(name)
        return [self._parts[name]]

    def forget(self) -> None:
        """Leave parts to the nodes that have them; a node that comes later lets them be read again.

        This node's memory, or disk, holds them no longer.
        """
        self._parts.clear()

    def n_parts(self) -> int:
        """Return the number of parts asked for so far: while it grows, nodes are being served."""
        return sum(map(len, self._brought.values()))

    def transfers(self) -> TransferStats:
        """Return what was brought to nodes so far."""
        files = self.manifest().files
        size: dict[str, int] = defaultdict(int)
        for file, (n_bytes, _) in files.items():
            size[part_of(file)] += n_bytes
        brought = [(node, part) for node, parts in self._brought.items() for part in parts]
        blocks = {(node, part.partition("/")[0]) for node, part in brought if "/" in part}
        return TransferStats(
            len(self._brought), len(blocks), sum(size[part] for _, part in brought)
        )


def _fetch(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except RayTaskError as error:
        raise user_error(error) or error from None
