"""The server: files in pieces of bounded size, and a count of what was taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from actors.block_server import PIECE_BYTES, BlockServer, TransferStats
from sim.errors import StoreError


def test_pieces_make_up_the_file(tmp_path: Path) -> None:
    content = bytes(range(251)) * (2 * PIECE_BYTES // 251 + 99)
    (tmp_path / "file").write_bytes(content)
    server = BlockServer(tmp_path)
    pieces = [server.piece("file", b) for b in range(0, len(content), PIECE_BYTES)]
    assert max(map(len, pieces)) == PIECE_BYTES
    assert b"".join(pieces) == content
    assert server.pieces() == len(pieces) == 3


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="gone: cannot be read") as raised:
        BlockServer(tmp_path).piece("gone", 0)
    assert "\n" not in str(raised.value)


def test_what_was_taken_counts_once(tmp_path: Path) -> None:
    server = BlockServer(tmp_path)
    assert server.transfers() == TransferStats(0, 0, 0)
    for node, name, size in (
        ("a", "block-00000/item_row.npy", 10),
        ("a", "block-00000/item_row.npy", 10),  # reported again: a call may come twice
        ("a", "block-00000/item_day.npy", 20),
        ("b", "block-00000/item_row.npy", 10),
        ("b", "block-00001/item_row.npy", 5),
        ("b", "items.arrow", 1),
    ):
        server.copied(node, name, size)
    assert server.transfers() == TransferStats(nodes=2, blocks=3, bytes=46)
