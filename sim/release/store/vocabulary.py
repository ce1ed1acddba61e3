"""Assigns numbers (codes) to the user's identifiers and values.

Provisional codes count distinct values as they first appear. `finish` sorts the values, so the
final codes depend on the set of values alone, not on the order of the file or the chunk size.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_CANONICAL_INTEGER = re.compile(r"-?[1-9][0-9]{0,17}|0")


class Vocabulary:
    """Codes for distinct integers, strings or floats, chunk by chunk.

    Examples
    --------
    >>> book = Vocabulary()
    >>> book.encode(np.array([30, 10, 30])).tolist()
    [0, 1, 0]
    >>> ids, final = book.finish()
    >>> ids.to_pylist(), final.tolist()
    ([10, 30], [1, 0])
    """

    def __init__(self) -> None:
        self._code: dict[Any, int] = {}

    def __len__(self) -> int:
        return len(self._code)

    def encode(self, values: Any) -> NDArray[np.int32]:
        """Return provisional codes of one chunk; −1 where a float is NaN or a string is null.

        Parameters
        ----------
        values : int64 or float64 array, or pyarrow array, shape (n,)

        Returns
        -------
        codes : int32 array, shape (n,)
        """
        array = values if isinstance(values, pa.Array) else pa.array(values, from_pandas=True)
        encoded = array.dictionary_encode()
        code = self._code
        local = np.fromiter(
            (code.setdefault(x, len(code)) for x in encoded.dictionary.to_pylist()),
            dtype=np.int32,
            count=len(encoded.dictionary),
        )
        indices = encoded.indices.fill_null(len(local)).to_numpy(zero_copy_only=False)
        codes: NDArray[np.int32] = np.append(local, np.int32(-1))[indices]
        return codes

    def finish(self) -> tuple[Any, NDArray[np.int32]]:
        """Sort the values and return their final codes.

        Identifiers that are all canonical integers (no leading zero, no plus sign) are sorted and
        kept as int64; other strings are sorted by code point.

        Returns
        -------
        ids : pyarrow array, shape (k,)
            Sorted distinct values.
        final : int32 array, shape (k,)
            ``final[provisional code]`` is the index in `ids`.
        """
        seen = list(self._code)
        if seen and isinstance(seen[0], str) and all(_CANONICAL_INTEGER.fullmatch(s) for s in seen):
            seen = [int(s) for s in seen]
        return in_order(pa.array(seen))


def in_order(ids: Any) -> tuple[Any, NDArray[np.int32]]:
    """Sort distinct values, texts by code point; return them, and the place of each.

    Examples
    --------
    >>> ids, place = in_order(pa.array(["b", "a", "B"]))
    >>> ids.to_pylist(), place.tolist()
    (['B', 'a', 'b'], [2, 1, 0])
    """
    order = pc.array_sort_indices(ids)  # of texts: by bytes of UTF-8, which is by code points
    place = np.empty(len(ids), np.int32)
    place[order.to_numpy()] = np.arange(len(ids), dtype=np.int32)
    return ids.take(order), place
