"""The actor that serves the store: it reads pieces of files for nodes that do not have them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from sim.errors import StoreError
from sim.release.store.manifest import Manifest

PIECE_BYTES = 4 << 20
"""Size of a transfer. A node requests a few pieces at once, so this bounds the memory in use,
whatever the size of the release."""


@dataclass(frozen=True, slots=True)
class TransferStats:
    """Counts what nodes have copied.

    Parameters
    ----------
    nodes
        Nodes that copied anything.
    blocks
        Number of blocks with any file copied by a node, summed over nodes.
    """

    nodes: int = 0
    blocks: int = 0
    bytes: int = 0


class BlockServer:
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
        """Return the manifest of the store."""
        return Manifest.read(self.folder)

    def piece(self, name: str, begin: int) -> bytes:
        """Return at most `PIECE_BYTES` of a file, from an offset."""
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

    def copied(self, node: str, name: str, size: int) -> None:
        """Record that a node has a file; repeated calls count once."""
        self._files[node][name] = size

    def pieces(self) -> int:
        """Return the number of pieces read so far: while it grows, nodes are copying."""
        return self._pieces

    def transfers(self) -> TransferStats:
        """Return what nodes have copied so far."""
        blocks = {
            (node, name.partition("/")[0])
            for node, files in self._files.items()
            for name in files
            if "/" in name
        }
        size = sum(sum(files.values()) for files in self._files.values())
        return TransferStats(len(self._files), len(blocks), size)
