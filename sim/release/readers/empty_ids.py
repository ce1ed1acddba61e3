"""Finds missing identifiers: empty or blank cells, and words such as "null".

Invariant: `EmptyIds.problem` (one cell) and `EmptyIds.mask` (a column) find the same cells. No such
cell ever becomes a person or an item unless the user says that it is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.numeric.compiled import njit
from sim.numeric.text import expected_among
from sim.release.readers.strict_parser import shown
from sim.release.store.doubtful_ids import BLANKS

EMPTY = ("error", "drop", "keep", "drop_blank")
"""What may be asked for."""

WORDS = (
    *("na", "n/a", "#n/a", "<na>", "nan", "nat", "none"),
    *("null", "(null)", "<null>", "\\n"),
)
"""Words for a missing identifier, in small letters; capitals make no difference."""

_NOTHING = pa.array(["", *WORDS])
_BLANK = pa.array([""])
_LONGEST = max(map(len, WORDS))
_WORD_BEGINS, _BLANK_BEGINS, _BLANK_ENDS = 1, 2, 4
_BYTES = np.zeros(256, np.uint8)
_BYTES[[ord(letter) for word in WORDS for letter in word[0] + word[0].upper()]] |= _WORD_BEGINS
_BYTES[[blank.encode()[0] for blank in BLANKS]] |= _BLANK_BEGINS
_BYTES[[blank.encode()[-1] for blank in BLANKS]] |= _BLANK_ENDS


class EmptyIds:
    """The treatment of rows whose person or item is empty.

    Parameters
    ----------
    asked : str
        ``error``: refuse them. ``drop``: leave these rows out and count them. ``keep``: a word
        such as NA is an identifier like any other, and only blank cells are refused;
        ``drop_blank``: the same, and rows with blank cells are left out.
    key : str
        The setting, as messages call it.

    Raises
    ------
    ConfigError
        Something else was asked for.

    Examples
    --------
    >>> EmptyIds("error").problem("NaN")
    "'NaN' stands for an empty cell; set data.empty=drop to leave such rows out, or \
data.empty=keep if it is an identifier"
    >>> EmptyIds("keep").problem("NaN"), EmptyIds("keep").problem("7")
    (None, None)
    """

    def __init__(self, asked: str, key: str = "data.empty") -> None:
        if asked not in EMPTY:
            raise ConfigError(f"{key}: {asked!r}: {expected_among(asked, EMPTY)}")
        self.asked, self._key = asked, key
        self.drops = asked in ("drop", "drop_blank")
        self._words = asked in ("error", "drop")

    def problem(self, cell: str | None) -> str | None:
        """Return what is wrong with an identifier, or None where it is one; None is a null."""
        text = "" if cell is None else cell.strip(BLANKS)
        if not text:
            drop = "drop" if self._words else "drop_blank"
            what = "is empty" if not cell else f"{shown(cell)} is blank"
            return f"{what}; expected an identifier; set {self._key}={drop} to leave such rows out"
        if self._words and text.lower() in WORDS:
            return (
                f"{shown(str(cell))} stands for an empty cell; set {self._key}=drop to leave such "
                f"rows out, or {self._key}=keep if it is an identifier"
            )
        return None

    def mask(self, cells: Any) -> NDArray[np.bool_] | None:
        """Return which identifiers of a column are none; None where all are identifiers.

        Parameters
        ----------
        cells : pyarrow string, large string or integer array, shape (n,)

        Returns
        -------
        bool array, shape (n,), or None

        Examples
        --------
        >>> EmptyIds("error").mask(pa.array(["7", " ", "null", None]))
        array([False,  True,  True,  True])
        """
        if pa.types.is_integer(cells.type):
            return _mask(cells.is_null()) if cells.null_count else None
        # Looking at bytes is much cheaper than looking up whole cells, and rules out most.
        likely = _likely_none(cells)
        if not likely.size:
            return None
        texts = pc.ascii_lower(pc.utf8_trim(cells.take(pa.array(likely)), characters=BLANKS))
        found = pc.is_in(texts, value_set=_NOTHING if self._words else _BLANK)
        none = _mask(pc.or_(found, pc.is_null(texts)))
        if not none.any():
            return None
        mask = np.zeros(len(cells), bool)
        mask[likely[none]] = True
        return mask

    def any_of(self, *columns: Any) -> NDArray[np.bool_] | None:
        """Return in which rows an identifier, or a part of one, is none; None where all are one.

        Parameters
        ----------
        *columns : pyarrow arrays, each shape (n,)
            As for `mask`.
        """
        masks = [mask for ids in columns if (mask := self.mask(ids)) is not None]
        return np.asarray(np.stack(masks).any(axis=0)) if masks else None


def _mask(flags: Any) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = flags.to_numpy(zero_copy_only=False)
    return mask


def _likely_none(cells: Any) -> NDArray[np.int64]:
    """Where cells may be empty, null, blank or a word for it, by length, first and last byte."""
    kind = np.int64 if pa.types.is_large_string(cells.type) else np.int32
    _, offsets, data = cells.buffers()
    bounds = np.frombuffer(offsets, kind)[cells.offset : cells.offset + len(cells) + 1]
    found = np.empty(len(cells), np.int64)
    n = _find_likely(bounds, np.frombuffer(data or b"", np.uint8), _BYTES, _LONGEST, found)
    return found[:n]


@njit
def _find_likely(bounds, text, kinds, longest, found):  # type: ignore[no-untyped-def]
    """Put the places of likely cells into `found`; how many there are."""
    n = 0
    for k in range(bounds.size - 1):
        begin, end = bounds[k], bounds[k + 1]
        if begin < end:
            first = kinds[text[begin]]
            if not first & _BLANK_BEGINS:
                if not first & _WORD_BEGINS:
                    continue
                if end - begin > longest and not kinds[text[end - 1]] & _BLANK_ENDS:
                    continue
        found[n] = k
        n += 1
    return n
