"""Values are exchanged between cells of the same item.

Which cells exchange values, and how, is drawn from a counter of each cell, so it depends neither on
blocks nor on pieces. A pass over the cells comes first. It takes about 40 bytes per exchanged cell,
and 5 are kept until the release is written: 400 MB and 50 MB for a tenth of 100 million cells.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.extend.options import constant, option
from sim.numeric.compiled import njit
from sim.numeric.random import unit


class _Exchange(NamedTuple):
    """What each exchanged cell gets, by item and then by record.

    Parameters
    ----------
    start : int64 array, shape (n_items + 1,)
        Where the cells of each item begin.
    record : int32 array, shape (n,)
    level : uint8 array, shape (n,)
        Level of the scale that is given to the cell.
    """

    start: NDArray[np.int64]
    record: NDArray[np.int32]
    level: NDArray[np.uint8]


@dataclass(frozen=True, kw_only=True)
class SwapValues(Defence):
    """Permutes the values of a random share of each item's cells among these cells.

    So every item keeps exactly its values, and the number of cells with each of them. A cell
    without a value keeps none.
    """

    name: ClassVar[str] = "swap_values"
    summary: ClassVar[str] = "exchanges values between cells of the same item"
    needs: ClassVar[tuple[str, ...]] = ("values",)

    share: float = option(
        0.1, help="probability that a cell takes part in the exchange", minimum=0, maximum=1
    )
    # One seed is as good as another: draws depend on a secret of the original too.
    seed: int = constant(1, minimum=0, maximum=2**64 - 1)
    exchange: _Exchange | None = field(default=None, repr=False, compare=False)
    """Found by `study`."""

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.share > 0

    def _taking_part(self, cells: Cells) -> NDArray[np.int64]:
        """Places of the cells that exchange values."""
        drawn = unit(self.draws(self.seed, cells)) < self.share
        return np.flatnonzero(drawn & ~np.isnan(cells.value))

    def study(self, pieces: Iterator[Cells], release: ReleaseStats) -> Self:
        """See `Defence.study`."""
        items, records, levels, keys = [], [], [], []
        for cells in pieces:
            swapped = cells.where(self._taking_part(cells))
            items.append(swapped.item.astype(np.int32))
            records.append(swapped.record.astype(np.int32))
            levels.append(np.searchsorted(release.scale, swapped.value).astype(np.uint8))
            keys.append(self.draws(self.seed, swapped, attempt=1))
        none = np.empty(0, np.int32)
        item = np.concatenate([none, *items])
        columns = (
            np.concatenate([none, *records]),
            np.concatenate([none.astype(np.uint8), *levels]),
            np.concatenate([none.astype(np.uint64), *keys]),
        )
        del items, records, levels, keys
        start = np.zeros(release.support.size + 1, np.int64)
        np.cumsum(np.bincount(item, minlength=release.support.size), out=start[1:])
        record, level, key = (np.empty_like(column) for column in columns)
        _by_item(item, columns, start[:-1].copy(), (record, level, key))
        _permute(start, level, key)
        return replace(
            self,
            exchange=_Exchange(start, np.asarray(record, np.int32), np.asarray(level, np.uint8)),
        )

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """See `Defence.apply`."""
        assert self.exchange is not None, "study comes first"
        swapped, value = self._taking_part(cells), cells.value.copy()
        place = np.empty(swapped.size, np.int64)
        _places(cells.record[swapped], cells.item[swapped], self.exchange, place)
        value[swapped] = release.scale[self.exchange.level[place]]
        return cells.with_values(value)

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`: every item keeps its values."""
        return release

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`."""
        return replace(publisher, swapped=1 - (1 - publisher.swapped) * (1 - self.share))


@njit
def _by_item(item, columns, next_place, out):  # type: ignore[no-untyped-def]
    """Sort the cells by item; those of an item stay in their order."""
    record, level, key = columns
    for c in range(item.size):
        at = next_place[item[c]]
        out[0][at], out[1][at], out[2][at] = record[c], level[c], key[c]
        next_place[item[c]] = at + 1


@njit
def _permute(start, level, key):  # type: ignore[no-untyped-def]
    """Give each cell of an item the level of another one: those in the order of their keys."""
    for i in range(start.size - 1):
        first, last = start[i], start[i + 1]
        if last - first > 1:
            level[first:last] = level[first:last][np.argsort(key[first:last], kind="mergesort")]


@njit
def _places(record, item, exchange, place):  # type: ignore[no-untyped-def]
    """Write the place of each cell in the exchange; cells are sorted by record and item."""
    before = 0  # cells of the same record and item
    for c in range(record.size):
        same = c > 0 and record[c] == record[c - 1] and item[c] == item[c - 1]
        before = before + 1 if same else 0
        low, high = exchange.start[item[c]], exchange.start[item[c] + 1]
        while low < high:
            middle = (low + high) // 2
            if exchange.record[middle] < record[c]:
                low = middle + 1
            else:
                high = middle
        place[c] = low + before
