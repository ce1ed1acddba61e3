"""The records of a block that hold an item, a bit each, for items that many records hold.

Whether a record holds an item is then one look into a few kilobytes, where a search of the item's
postings takes a dozen. Bits are made when an item is first asked about, and kept: at most an eighth
of a byte for each record and item that at least one record in 32 holds.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import functools

import numba
import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.types import HolderBits
from sim.numeric.bits import WORD, set_bits
from sim.release.store.store import Block, Store

_ONE_IN = 32


class Holders:
    """The bits of a release's items, block by block."""

    def __init__(self, store: Store) -> None:
        m = store.manifest
        often = np.flatnonzero(store.support >= max(m.n_records // _ONE_IN, 1))
        self._place = np.full(m.n_items, -1, np.int32)
        self._place[often] = np.arange(often.size)
        self._often = often
        self._bits: dict[int, NDArray[np.uint64]] = {}
        self._known: dict[int, NDArray[np.bool_]] = {}

    def of(self, block: Block, item: NDArray[np.int32]) -> HolderBits:
        """Return the bits of a block's records, those of some items at least."""
        if block.first not in self._bits:
            self._known[block.first] = np.zeros(self._often.size, np.bool_)
            # Pages that are never written take no memory.
            self._bits[block.first] = np.zeros(
                (self._often.size, block.n_records // WORD + 1), "u8"
            )
        bits, known = self._bits[block.first], self._known[block.first]
        wanted = np.unique(self._place[item[item >= 0]])
        wanted = wanted[wanted >= 0]
        wanted = wanted[~known[wanted]]
        _mark(block.item_start, block.item_row, self._often, wanted, bits)
        known[wanted] = True
        return HolderBits(self._place, bits)


@functools.lru_cache(maxsize=2)
def holders_of(store: Store) -> Holders:
    """Return the bits of a release, the same for all who ask."""
    return Holders(store)


@numba.njit(cache=True, nogil=True)
def _mark(item_start, item_row, often, wanted, bits):  # type: ignore[no-untyped-def]
    for place in wanted:
        item = often[place]
        set_bits(item_row, item_start[item], item_start[item + 1], bits[place])
