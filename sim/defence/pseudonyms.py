"""New identifiers of records, which tell nothing of whose the records are, nor by their order.

A pseudonym is the image of a record's number under a keyed permutation of a power of four: a
balanced Feistel network (Luby and Rackoff, "How to construct pseudorandom permutations from
pseudorandom functions", SIAM J. Comput. 1988) whose round function is Philox. Who has the key can
take a pseudonym back to the record; so nothing needs to be kept but the key.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sim.numeric.random import words
from sim.release.store.store import Store

_ROUNDS = 8

Ints = NDArray[np.int64]


def secret_of(store: Store) -> str:
    """Return a SHA-256 (hex) of a release's cells, which only who has all of them can compute.

    It is another than the fingerprint of the release, which the record of a run tells. It does not
    depend on the blocks of the store. All cells are read, once for a store.
    """
    if store not in _SECRETS:
        _SECRETS[store] = _digest(store)
    return _SECRETS[store]


_SECRETS: WeakKeyDictionary[Store, str] = WeakKeyDictionary()


def _digest(store: Store) -> str:
    hashers = [hashlib.sha256(b"standout-secret-1") for _ in range(3)]
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        columns = (block.record_item, block.record_level, block.record_day)
        for hasher, column in zip(hashers, columns, strict=True):
            hasher.update(np.ascontiguousarray(column))
    whole = hashlib.sha256(store.length.tobytes())
    for hasher in hashers:
        whole.update(hasher.digest())
    return whole.hexdigest()


@dataclass(frozen=True, slots=True)
class Pseudonyms:
    """The pseudonyms of some records.

    Parameters
    ----------
    key : str
        Whatever nobody else has: two keys give unrelated pseudonyms.
    size : int
        Records are numbered below this; at most 2**62.

    Examples
    --------
    >>> some = Pseudonyms("key", 1000)
    >>> given = some.of(np.arange(1000))
    >>> np.unique(given).size, int(given.min()) >= 0, int(given.max()) < 1024
    (1000, True, True)
    >>> np.array_equal(some.whose(given), np.arange(1000))
    True
    """

    key: str
    size: int

    @property
    def _half(self) -> int:
        """Bits of a half of a number."""
        return max((int(self.size - 1).bit_length() + 1) // 2, 1)

    def _mixed(self, half: Ints, turn: int) -> Ints:
        digest = hashlib.sha256(f"standout-pseudonyms-1 {self.key}".encode()).digest()
        seed, purpose = (int.from_bytes(digest[at : at + 8], "little") for at in (0, 8))
        # Purposes of 2**63 and more are nobody else's.
        drawn = words(seed, purpose | 1 << 63, half, turn)
        return (drawn >> np.uint64(64 - self._half)).astype(np.int64)

    def of(self, record: Ints) -> Ints:
        """Return the pseudonyms of records, shape (n,)."""
        bits = self._half
        left, right = record >> bits, record & ((1 << bits) - 1)
        for turn in range(_ROUNDS):
            left, right = right, left ^ self._mixed(right, turn)
        return (left << bits) | right

    def whose(self, pseudonym: Ints) -> Ints:
        """Return the records of pseudonyms, shape (n,)."""
        bits = self._half
        left, right = pseudonym >> bits, pseudonym & ((1 << bits) - 1)
        for turn in reversed(range(_ROUNDS)):
            left, right = right ^ self._mixed(left, turn), left
        return (left << bits) | right
