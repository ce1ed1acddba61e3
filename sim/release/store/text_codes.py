"""A `Vocabulary` for columns of text that finds new ones in compiled code.

Invariant: the codes and the result of `finish` are those of a `Vocabulary`. Texts are told apart by
their bytes; a hash only says where to look.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.release.store.vocabulary import Vocabulary, in_order

_LEAST_PLACES = 1 << 10
_MANY_PLACES = 1 << 22  # from here on a table grows in smaller steps, to save memory
_OFFSET, _PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)  # FNV-1a
_MIX = np.uint64(0x9E3779B97F4A7C15)
_SHORT = np.iinfo(np.int32).max
_ZERO, _NINE, _MINUS = b"09-"
_MOST_DIGITS = 18


class TextCodes(Vocabulary):
    """Codes for distinct texts, chunk by chunk.

    Examples
    --------
    >>> book = TextCodes()
    >>> book.encode(pa.array(["b", "a", None, "b"])).tolist()
    [0, 1, -1, 0]
    >>> ids, final = book.finish()
    >>> ids.to_pylist(), final.tolist()
    (['a', 'b'], [1, 0])
    """

    def __init__(self) -> None:
        super().__init__()
        self._n = 0
        self._begin = np.zeros(2, np.int64)  # of each text in `_text`, with the end appended
        self._text = np.empty(0, np.uint8)
        self._hashes, self._places = _table(_LEAST_PLACES)

    def __len__(self) -> int:
        return self._n

    def encode(self, values: Any) -> NDArray[np.int32]:
        """See `Vocabulary.encode`.

        Parameters
        ----------
        values : pyarrow string or large string array, shape (n,)

        Returns
        -------
        codes : int32 array, shape (n,)
            −1 where there is none.
        """
        begin, text = _buffers(values)
        absent = np.zeros(0, bool)
        if values.null_count:
            absent = values.is_null().to_numpy(zero_copy_only=False)
        codes, done = np.empty(len(values), np.int32), 0
        while True:
            self._begin = _longer(self._begin, self._hashes.size // 2 + 1)
            # Room for all that is left: a text is new at most once.
            self._text = _longer(self._text, int(self._begin[self._n] + begin[-1] - begin[done]))
            table, seen = (self._hashes, self._places), (self._begin, self._text)
            done, self._n = _encode((begin, text, absent), done, table, seen, self._n, codes)
            if done == codes.size:
                return codes
            size = self._hashes.size
            self._hashes, self._places = _grown(
                self._hashes, self._places, (4 if size < _MANY_PLACES else 2) * size
            )

    def distinct(self) -> Any:
        """Return the distinct texts, by provisional codes, a large array if beyond 2 GiB."""
        begin = self._begin[: self._n + 1]
        short = begin[-1] <= _SHORT
        buffers = (
            None,
            pa.py_buffer(begin.astype(np.int32 if short else np.int64)),
            pa.py_buffer(self._text[: begin[-1]].copy()),
        )
        return pa.Array.from_buffers(pa.string() if short else pa.large_string(), self._n, buffers)

    def finish(self) -> tuple[Any, NDArray[np.int32]]:
        """See `Vocabulary.finish`; nothing can be encoded after it."""
        self._hashes, self._places = _table(0)
        ids = self.distinct()
        self._text = np.empty(0, np.uint8)
        if self._n and _are_integers(*_buffers(ids)):
            ids = pc.cast(ids, pa.int64())
        return in_order(ids)


def _buffers(texts: Any) -> tuple[NDArray[Any], NDArray[np.uint8]]:
    """Where the texts of a column begin, with the end appended, and their bytes."""
    kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, offsets, data = texts.buffers()
    if offsets is None or not len(texts):
        return np.zeros(1, kind), np.empty(0, np.uint8)
    begin = np.frombuffer(offsets, kind)[texts.offset : texts.offset + len(texts) + 1]
    return begin, np.frombuffer(data or b"", np.uint8)


def _longer(array: NDArray[Any], size: int) -> NDArray[Any]:
    """The array, with room for as many, and for more if it has to be moved."""
    if array.size >= size:
        return array
    return np.append(array, np.empty(max(size, array.size * 3 // 2) - array.size, array.dtype))


def _table(places: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """An open-addressing table: hashes, and places by first appearance (−1: free)."""
    return np.empty(places, np.uint64), np.full(places, -1, np.int32)


def _grown(
    hashes: NDArray[np.uint64], places: NDArray[np.int32], size: int
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    grown = _table(size)
    _fill(hashes, places, *grown)
    return grown


@njit(inline="always")
def _same(text, begin, end, texts, first, last):  # type: ignore[no-untyped-def]
    if end - begin != last - first:
        return False
    for k in range(end - begin):  # noqa: SIM110 - which cannot be compiled
        if text[begin + k] != texts[first + k]:
            return False
    return True


@njit
def _encode(column, done, table, seen, n, out):  # type: ignore[no-untyped-def]
    """Assign codes from `done` on until the end or a half-full table; return where, and n."""
    begin, text, absent = column
    hashes, places = table
    starts, texts = seen
    most, mask = hashes.size // 2, np.uint64(hashes.size - 1)
    for i in range(done, out.size):
        if absent.size and absent[i]:
            out[i] = -1
            continue
        first, last = np.int64(begin[i]), np.int64(begin[i + 1])
        mixed = _OFFSET
        for k in range(first, last):
            mixed = (mixed ^ np.uint64(text[k])) * _PRIME
        mixed = mixed * _MIX
        mixed ^= mixed >> np.uint64(32)
        at = mixed & mask
        while places[at] >= 0:
            code = places[at]
            if hashes[at] == mixed and _same(
                text, first, last, texts, starts[code], starts[code + 1]
            ):
                break
            at = (at + np.uint64(1)) & mask
        if places[at] < 0:
            if n == most:
                return i, n
            hashes[at], places[at] = mixed, n
            free = starts[n]
            for k in range(last - first):
                texts[free + k] = text[first + k]
            starts[n + 1] = free + last - first
            n += 1
        out[i] = places[at]
    return out.size, n


@njit
def _fill(hashes, places, new_hashes, new_places):  # type: ignore[no-untyped-def]
    mask = np.uint64(new_hashes.size - 1)
    for k in range(hashes.size):
        if places[k] >= 0:
            at = hashes[k] & mask
            while new_places[at] >= 0:
                at = (at + np.uint64(1)) & mask
            new_hashes[at], new_places[at] = hashes[k], places[k]


@njit
def _are_integers(begin, text):  # type: ignore[no-untyped-def]
    """Whether all texts are whole numbers as they are usually written, of at most 18 digits."""
    for i in range(begin.size - 1):
        first, last = begin[i], begin[i + 1]
        if first < last and text[first] == _MINUS:
            first += 1
            if first < last and text[first] == _ZERO:
                return False
        if not 0 < last - first <= _MOST_DIGITS or (text[first] == _ZERO and last - first > 1):
            return False
        for k in range(first, last):
            if not _ZERO <= text[k] <= _NINE:
                return False
    return True
