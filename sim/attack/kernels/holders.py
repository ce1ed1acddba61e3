"""The records of a block that hold an item, a bit each, for items that many records hold.

Whether a record holds an item is then one look into a few kilobytes, where a search of the item's
postings takes a dozen; and where its posting is, is a count of the bits before its own. Bits are
made when an item is first asked about, and kept: at most a sixth of a byte for each record and item
that at least one record in 32 holds.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.types import HolderBits
from sim.numeric.bits import WORD, popcount, set_bits
from sim.numeric.compiled import njit
from sim.release.store.store import Block, Store

_ONE_IN = 32


class Holders:
    """The bits of a release's items, block by block."""

    def __init__(self, store: Store) -> None:
        m = store.manifest
        often = np.flatnonzero(store.support >= max(m.n_records // _ONE_IN, 1))
        self._n_items = m.n_items
        self._often, self._counts = often, not m.has_repeats
        self._bits: dict[int, NDArray[np.uint64]] = {}
        self._before: dict[int, NDArray[np.uint16]] = {}
        self._known: dict[int, NDArray[np.bool_]] = {}

    def of(self, block: Block, item: NDArray[np.int32]) -> HolderBits:
        """Return the bits of a block's records, those of some items at least."""
        if block.first not in self._bits:
            self._known[block.first] = np.zeros(self._often.size, np.bool_)
            # Pages that are never written take no memory.
            shape = self._often.size, block.n_records // WORD + 1
            self._bits[block.first] = np.zeros(shape, np.uint64)
            self._before[block.first] = np.zeros(shape if self._counts else (0, 0), np.uint16)
        bits, before = self._bits[block.first], self._before[block.first]
        known = self._known[block.first]
        dense = block.item_start is not None
        place = np.where(item >= 0, self._place[item], -1) if dense else self._places(item)
        asked = np.zeros(self._often.size, np.bool_)
        asked[place[place >= 0]] = True
        wanted = np.flatnonzero(asked & ~known)
        _mark(*block.postings_of(self._often[wanted]), block.item_row, wanted, bits)
        if self._counts:
            _count(wanted, bits, before)
        known[wanted] = True
        if dense:
            return HolderBits(self._place, bits, before)
        of_facts = np.full(2 * item.size, -1, np.int32)  # as in `facts_index`
        of_facts[::2] = place
        return HolderBits(of_facts, bits, before)

    def _places(self, item: NDArray[np.int32]) -> NDArray[np.int32]:
        """Row of each item's bits; −1 for none."""
        at = np.minimum(np.searchsorted(self._often, item), max(self._often.size - 1, 0))
        has = self._often[at] == item if self._often.size else np.zeros(item.size, np.bool_)
        return np.where(has, at, -1).astype(np.int32)

    @functools.cached_property
    def _place(self) -> NDArray[np.int32]:
        """The same for every item of the release: where an index has a place for each, so do we."""
        place = np.full(self._n_items, -1, np.int32)
        place[self._often] = np.arange(self._often.size)
        return place


@functools.lru_cache(maxsize=2)
def holders_of(store: Store) -> Holders:
    """Return the bits of a release, the same for all who ask."""
    return Holders(store)


@njit
def _mark(begin, end, item_row, wanted, bits):  # type: ignore[no-untyped-def]
    for j in range(wanted.size):
        set_bits(item_row, begin[j], end[j], bits[wanted[j]])


@njit
def _count(wanted, bits, before):  # type: ignore[no-untyped-def]
    for place in wanted:
        n = np.uint64(0)
        for w in range(bits.shape[1]):
            before[place, w] = n  # fewer than there are records before the last word
            n += popcount(bits[place, w])
