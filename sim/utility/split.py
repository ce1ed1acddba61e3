"""The cells of the original that a recommender is tested on: the last ones by time.

Invariant: the split is a function of the original release and the seed alone, so every release
that is made from it is tested on the same cells. Nothing depends on blocks: draws are keyed by
record and item.
"""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, philox
from sim.numeric.text import quantity
from sim.release.store.store import Store
from sim.utility.rows import Rows, rows_of

TEST_SHARE = 0.2
"""Share of the cells that are tested."""

_MANY = 0.1
"""Share of the tested cells from which on it is said that they were drawn."""

_PURPOSE = np.uint64(Purpose.UTILITY_SPLIT)
_ZERO = np.uint64(0)


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """The cells that are tested; every other cell may be learnt from.

    Parameters
    ----------
    test : Rows
        Cells of the original.
    learnable : int64 array, shape (people,)
        Cells of each person of the original outside the tested pairs of person and item.
    by_time : bool
        Whether the last cells are tested, rather than random ones.
    undated : int
        Cells that have no time in a release with times; they are not tested.
    drawn : int
        Tested cells that were drawn among those of the first tested bin of time.
    """

    test: Rows
    learnable: NDArray[np.int64]
    by_time: bool
    undated: int
    drawn: int = 0

    @property
    def in_words(self) -> str:
        """Which cells are tested.

        Examples
        --------
        >>> rows = Rows(np.zeros(2, np.int64), *(np.zeros(0, np.int32),) * 2, np.zeros(0))
        >>> Split(rows, np.zeros(1, np.int64), by_time=True, undated=2).in_words
        'the last cells by time (2 cells without a time are not tested)'
        """
        if not self.by_time:
            return "random cells"
        details = []
        if self.drawn > _MANY * self.test.item.size:
            details.append(f"{self.drawn:,} of them drawn among those of the same time")
        if self.undated:
            details.append(f"{quantity(self.undated, 'cell')} without a time are not tested")
        return "the last cells by time" + (f" ({'; '.join(details)})" if details else "")


@functools.lru_cache(maxsize=2)
def split_of(
    original: Store, seed: int, share: float = TEST_SHARE, *, by_time: bool | None = None
) -> Split:
    """Choose the cells that are tested.

    Parameters
    ----------
    seed : int
        Of the draws among the cells of the first tested bin of time, so that about `share` of the
        cells with a time are tested; of all draws without times.
    share : float
        Above 0, below 1.
    by_time : bool, optional
        By default, whether the release has times.
    """
    rows, m = rows_of(original), original.manifest
    by_time = m.has_days if by_time is None else by_time
    n_days = m.n_days
    per_day = np.zeros(n_days + 1, np.int64)
    if by_time:
        for index in range(m.n_blocks):
            per_day += np.bincount(original.block(index).record_day, minlength=n_days + 1)
        wanted = max(round(share * int(per_day[:n_days].sum())), 1)
        from_day = np.cumsum(per_day[:n_days][::-1])[::-1]  # cells of each day and after it
        border = int(np.count_nonzero(from_day >= wanted)) - 1
        later = int(from_day[border] - per_day[border])
        drawn = (wanted - later) / int(per_day[border])
    else:
        border, later, drawn = -1, 0, share
    whole = drawn >= 1
    limit = np.uint64(0 if whole else int(drawn * 2.0**64))
    tested, learnable = np.zeros(rows.item.size, np.bool_), np.zeros(m.n_records, np.int64)
    for index in range(m.n_blocks):
        block = original.block(index)
        begin = int(rows.start[block.first])
        _mark(
            (np.uint64(seed), limit, whole), (by_time, border, n_days), block.first,
            (block.record_start, block.record_item, block.record_day),
            tested[begin : begin + block.n_cells], learnable,
        )  # fmt: skip
    test = rows.where(tested)
    if not by_time:
        return Split(test, learnable, by_time=False, undated=0)
    drawn_cells = 0 if whole else test.item.size - later
    return Split(test, learnable, True, int(per_day[n_days]), drawn_cells)


@njit
def _mark(draw, times, first, cells, tested, learnable):  # type: ignore[no-untyped-def]
    """Mark the tested cells of a block, and count those of items that are not tested."""
    seed, limit, whole = draw
    by_time, border, n_days = times
    start, item, day = cells
    for r in range(start.size - 1):
        c = start[r]
        while c < start[r + 1]:
            end, any_tested = c, False
            word = philox(np.uint64(first + r), np.uint64(item[c]), _ZERO, _ZERO, seed, _PURPOSE)
            chosen = whole or word < limit
            while end < start[r + 1] and item[end] == item[c]:
                if not by_time:
                    tested[end] = chosen
                elif day[end] != n_days:
                    tested[end] = day[end] > border or (day[end] == border and chosen)
                any_tested |= tested[end]
                end += 1
            if not any_tested:
                learnable[first + r] += end - c
            c = end
