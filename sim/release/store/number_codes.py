"""A `Vocabulary` for columns of numbers that finds new ones in compiled code.

Invariant: the codes and the result of `finish` are those of a `Vocabulary`, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.release.store.vocabulary import Vocabulary

_LEAST_PLACES = 1 << 10
_MANY_PLACES = 1 << 22  # from here on a table grows in smaller steps, to save memory
_MIX = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: neighbouring numbers fall far apart


class NumberCodes(Vocabulary):
    """Codes for distinct 64-bit numbers, chunk by chunk.

    Examples
    --------
    >>> book = NumberCodes()
    >>> book.encode(np.array([30, 10, 30])).tolist()
    [0, 1, 0]
    >>> NumberCodes().encode(np.array([2.5, np.nan, 2.5])).tolist()
    [0, -1, 0]
    """

    def __init__(self) -> None:
        super().__init__()
        self._bits = np.empty(0, np.int64)
        self._n = 0
        self._code_of = np.empty(0, np.int32)
        self._keys, self._places = _table(_LEAST_PLACES)

    def encode(self, values: Any) -> NDArray[np.int32]:
        """See `Vocabulary.encode`.

        Parameters
        ----------
        values : int64 or float64 array, or pyarrow int64 array without nulls, shape (n,)

        Returns
        -------
        codes : int32 array, shape (n,)
        """
        numbers = np.ascontiguousarray(values)
        bits = numbers.view(np.int64)
        local, done = np.empty(bits.size, np.int32), 0
        while True:
            seen = self._n
            if self._bits.size < self._keys.size // 2:
                self._bits = np.append(
                    self._bits[:seen], np.empty(self._keys.size // 2 - seen, np.int64)
                )
            done, self._n = _encode(bits, done, self._keys, self._places, self._bits, seen, local)
            if self._n > seen and numbers.dtype != np.int64:
                # Of floats, different bits may be one number, or none.
                new = self._bits[seen : self._n].view(numbers.dtype)
                self._code_of = np.append(self._code_of, super().encode(new))
            if done == bits.size:
                break
            size = self._keys.size
            self._keys, self._places = _table((4 if size < _MANY_PLACES else 2) * size)
            _fill(self._bits[: self._n], self._keys, self._places)
        codes: NDArray[np.int32] = local if numbers.dtype == np.int64 else self._code_of[local]
        return codes

    def __len__(self) -> int:
        return super().__len__() if self._code_of.size else self._n

    def finish(self) -> tuple[Any, NDArray[np.int32]]:
        """See `Vocabulary.finish`; nothing can be encoded after it."""
        if self._code_of.size or not self._n:
            return super().finish()
        self._keys, self._places = _table(0)
        seen, self._bits = self._bits[: self._n], np.empty(0, np.int64)
        order = np.argsort(seen, kind="stable")
        final = np.empty(order.size, np.int32)
        final[order] = np.arange(order.size, dtype=np.int32)
        return pa.array(seen[order]), final


def _table(places: int) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """An open-addressing table: numbers, and their places by first appearance (−1: free)."""
    return np.empty(places, np.int64), np.full(places, -1, np.int32)


@njit(inline="always")
def _find(number, keys, places):  # type: ignore[no-untyped-def]
    """Return the place of a number in the table, or the free place for it."""
    mask = np.uint64(keys.size - 1)
    mixed = np.uint64(number) * _MIX
    at = (mixed ^ (mixed >> np.uint64(32))) & mask
    while places[at] >= 0 and keys[at] != number:
        at = (at + np.uint64(1)) & mask
    return at


@njit
def _encode(bits, begin, keys, places, seen, n, out):  # type: ignore[no-untyped-def]
    """Assign codes from `begin` on until the end or a half-full table; return where, and n."""
    most = seen.size
    for k in range(begin, bits.size):
        at = _find(bits[k], keys, places)
        if places[at] < 0:
            if n == most:
                return k, n
            keys[at], places[at], seen[n] = bits[k], n, bits[k]
            n += 1
        out[k] = places[at]
    return bits.size, n


@njit
def _fill(seen, keys, places):  # type: ignore[no-untyped-def]
    for n in range(seen.size):
        at = _find(seen[n], keys, places)
        keys[at], places[at] = seen[n], n
