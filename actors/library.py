"""The actor that lends the store: it reads pieces of files for nodes that lack them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from sim.errors import StoreError
from sim.release.store.manifest import Manifest

PIECE_BYTES = 4 << 20
"""What travels at a time. A node asks for a few pieces at once, so this bounds what is in memory,
whatever the size of the release."""


@dataclass(frozen=True, slots=True)
class Lent:
    """What nodes have copied.

    Parameters
    ----------
    nodes : int
        Nodes that copied anything.
    blocks : int
        Blocks of which a node copied any file, node by node.
    bytes : int
    """

    nodes: int = 0
    blocks: int = 0
    bytes: int = 0


class Library:
    """Reads the files of a store, on the coordinator's node; may be restarted at any time.

    Parameters
    ----------
    folder : Path
        The store.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._pieces = 0
        self._files: dict[str, dict[str, int]] = defaultdict(dict)

    def manifest(self) -> Manifest:
        """What the store holds."""
        return Manifest.read(self.folder)

    def piece(self, name: str, begin: int) -> bytes:
        """At most `PIECE_BYTES` of a file, from a place in it."""
        self._pieces += 1
        try:
            with (self.folder / name).open("rb") as stream:
                stream.seek(begin)
                return stream.read(PIECE_BYTES)
        except OSError as error:
            raise StoreError(
                f"{self.folder / name}: cannot be read ({error.strerror}); "
                "delete the store and let it be built again"
            ) from None

    def took(self, node: str, name: str, size: int) -> None:
        """Note that a node has a file; said twice, it counts once."""
        self._files[node][name] = size

    def pieces(self) -> int:
        """Pieces read so far: as long as the number grows, nodes are copying."""
        return self._pieces

    def lent(self) -> Lent:
        """What nodes have copied so far."""
        blocks = {
            (node, name.partition("/")[0])
            for node, files in self._files.items()
            for name in files
            if "/" in name
        }
        size = sum(sum(files.values()) for files in self._files.values())
        return Lent(len(self._files), len(blocks), size)
