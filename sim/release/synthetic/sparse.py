"""Hypersparse releases: catalogues of millions of items that most people hold none of.

How many cells a person has and how many an item has are set beforehand, by quantile functions. Both
are made as streams that need no memory for either: a cell's place among the cells of all people is
permuted at random, and its place among the cells of all items is what comes out. So every item has
exactly the cells that it is to have, whoever makes which rows in what order; only where a person
draws an item twice does the release keep one cell. Who holds what is independent of everything
else: there are no tastes.

A person begins to rate on a day that is drawn by how rating grew, and spreads sessions of a few
ratings over the time until they stop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.numeric import interpolate
from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, philox, words
from sim.release.store.cells import SECONDS_PER_DAY, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY
from sim.release.synthetic.generated import GeneratedSource, Rows
from sim.release.synthetic.preset import Knots, quantiles
from sim.release.synthetic.randomness import mix

_PERSON, _CELL = np.uint64(Purpose.SPARSE_PERSON), np.uint64(Purpose.SPARSE_CELL)
_ZERO, _16, _32, _48 = np.uint64(0), np.uint64(16), np.uint64(32), np.uint64(48)
_LOW16, _LOW32 = np.uint64(0xFFFF), np.uint64(0xFFFFFFFF)
_ROUNDS = 4
_CLASSES = 1 << 16
"""Parts of a population whose members have the same number of cells."""


@dataclass(frozen=True, slots=True)
class SparsePreset:
    """The shape of a hypersparse release.

    Parameters
    ----------
    name : str
        What it is called in a configuration.
    records, items, cells : int
        N, M, and rows that are made.
    lengths, supports : tuple of (share, value)
        Quantile functions of record length and item support, see
        `sim.release.synthetic.preset.quantiles`; both are scaled to add up to `cells`, but for the
        many that have few.
    first_day, days : int
        First day since 1970-01-01, and number of days covered.
    joins : tuple of (share, day)
        Quantile function of the day a record starts, as a part of the span in [0, 1].
    session : int
        Ratings of a person on one day, but for the last.
    levels, shares : tuple of float
        The rating scale and how often each level occurs.

    Raises
    ------
    ConfigError
        Parameters contradict one another.
    """

    name: str
    records: int
    items: int
    cells: int
    lengths: Knots
    supports: Knots
    first_day: int
    days: int
    joins: Knots
    session: int
    levels: tuple[float, ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        if min(self.records, self.items, self.days, self.session) < 1:
            raise ConfigError(f"preset {self.name}: sizes must be 1 or more")
        if self.cells < max(self.records, self.items):
            raise ConfigError(
                f"preset {self.name}: cells = {self.cells}: must be one for each record and item"
            )
        if len(self.shares) != len(self.levels) or not math.isclose(sum(self.shares), 1.0):
            raise ConfigError(
                f"preset {self.name}: shares = {self.shares}: must be one part for each level, "
                "adding up to 1"
            )

    def smaller(self, times: int) -> SparsePreset:
        """Return the same shape with so many times fewer people, items and cells.

        The longest records and most popular items stay as they are, so that a person draws an item
        twice more often.

        Examples
        --------
        >>> from sim.release.synthetic.sparse_presets import SPARSE
        >>> SPARSE["amazon2023"].smaller(100).records
        545100
        """
        return replace(
            self,
            name=f"{self.name}_{times}",
            records=self.records // times,
            items=self.items // times,
            cells=self.cells // times,
        )


class Classes(NamedTuple):
    """A population in order of how many cells each member has, in runs of equal numbers.

    Parameters
    ----------
    size : int64 array, shape (C,)
        Cells of each member of a class, ascending.
    member, cell : int64 array, shape (C + 1,)
        Members, and their cells, before each class, with the end appended.
    """

    size: NDArray[np.int64]
    member: NDArray[np.int64]
    cell: NDArray[np.int64]


def classes(knots: Knots, count: int, cells: int) -> Classes:
    """Give each member of a population a number of cells, at least one, that add up to `cells`.

    Raises
    ------
    ConfigError
        There are too few cells.

    Examples
    --------
    >>> found = classes(((0.0, 1), (0.5, 2), (1.0, 100)), 1000, 9000)
    >>> int(found.member[-1]), int(found.cell[-1]), bool(found.size[0] == 1)
    (1000, 9000, True)
    """
    parts = min(count, _CLASSES)
    bound = np.arange(parts + 1, dtype=np.int64) * count // parts
    number, wanted = np.diff(bound), quantiles(knots, parts)

    def total(scale: float) -> tuple[int, NDArray[np.int64]]:
        size = np.maximum(np.rint(wanted * np.where(wanted > 2, scale, 1.0)), 1).astype(np.int64)
        return int((size * number).sum()), size

    low, high = 0.01, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if total(middle)[0] <= cells else (low, middle)
    reached, size = total(low)
    if reached > cells:
        raise ConfigError(f"{count} members: {cells} cells are too few for their quantiles")
    size, left = np.sort(size), cells - reached
    # What is left goes to those who have most: to a part as a whole, and the rest to single ones.
    for part in range(parts - 1, -1, -1):
        if 0 < number[part] <= left:
            more = left // int(number[part]) if part == parts - 1 else 1
            size[part] += more
            left -= more * int(number[part])
    if left:
        number[-1] -= left
        size, number = np.append(size, size[-1] + 1), np.append(number, left)
    order = np.argsort(size, kind="stable")
    size, number = size[order], number[order]
    new = np.flatnonzero(np.diff(size, prepend=-1))
    size, number = size[new], np.add.reduceat(number, new)
    member = np.concatenate([[0], np.cumsum(number)])
    return Classes(size, member, np.concatenate([[0], np.cumsum(number * size)]))


@njit(inline="always")
def permuted(place: Any, n: Any, half: Any, keys: Any) -> Any:
    """Permute [0, n) at random: a Feistel network of four rounds, walked until it is back inside.

    Parameters
    ----------
    place, n : uint64
    half : uint64
        Half the bits of the network, which permutes [0, 4^half): at least n numbers.
    keys : uint64 array, shape (4,)
        Of the rounds.
    """
    mask = (np.uint64(1) << half) - np.uint64(1)
    while True:
        left, right = place >> half, place & mask
        for r in range(_ROUNDS):
            left, right = right, left ^ (mix(right ^ keys[r]) & mask)
        place = (left << half) | right
        if place < n:
            return place


def half_bits(n: int) -> int:
    """Half the bits of the smallest network that permutes n numbers.

    Examples
    --------
    >>> keys, half = np.arange(4, dtype=np.uint64), np.uint64(half_bits(10))
    >>> sorted(int(permuted(np.uint64(i), np.uint64(10), half, keys)) for i in range(10))
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """
    return max(-(-(n - 1).bit_length() // 2), 1)


class SparseSource(GeneratedSource):
    """Rows of a hypersparse release.

    Parameters
    ----------
    seed : int
        Not negative.

    Raises
    ------
    ConfigError
        The seed is negative.

    Examples
    --------
    >>> from sim.release.synthetic.sparse_presets import SPARSE
    >>> source = SparseSource(SPARSE["amazon2023"].smaller(100_000), seed=1)
    >>> sum(len(chunk) for chunk in source.chunks()) == source.size == 5715
    True
    """

    repeats = Repeats.LATEST
    time_bin = DAY
    generator = "sparse", 1
    preset: SparsePreset

    def _count(self) -> int:
        return self.preset.cells

    def _rows(self) -> Rows:
        preset, seed = self.preset, np.uint64(self.seed)
        people = classes(preset.lengths, preset.records, preset.cells)
        items = classes(preset.supports, preset.items, preset.cells)
        keys = words(self.seed, Purpose.SPARSE_ORDER, np.arange(3 * _ROUNDS)).reshape(3, _ROUNDS)
        sizes = np.array([preset.records, preset.items, preset.cells], np.uint64)
        halves = np.array([half_bits(int(n)) for n in sizes], np.uint64)
        orders = sizes, halves, keys
        bound = np.minimum(np.cumsum(preset.shares) * (1 << 16), 1 << 16).astype(np.int64)
        share, day = (np.array(c, np.float64) for c in zip(*preset.joins, strict=True))
        parts = np.arange((1 << 12) + 1) / (1 << 12)
        joins = np.floor(interpolate(parts, share, day) * (preset.days - 1)).astype(np.int64)
        levels = np.array(preset.levels)

        def rows(lo: int, hi: int) -> CellChunk:
            length = np.empty(hi - lo, np.int64)
            begin = np.empty(hi - lo, np.int64)
            _people(lo, people, orders, length, begin)
            n = int(length.sum())
            out = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
            level = np.empty(n, np.int64)
            given = preset.days, preset.session, joins, bound
            _cells(seed, lo, length, begin, items, orders, given, (*out, level))
            record, item, when = out
            time = (when + preset.first_day) * SECONDS_PER_DAY
            return CellChunk(record, item, levels[level], time)

        return rows


@njit
def _people(lo, people, orders, length, begin):  # type: ignore[no-untyped-def]
    """Length of each record, and where its cells begin among those of all people."""
    sizes, halves, keys = orders
    for r in range(length.size):
        rank = np.int64(permuted(np.uint64(lo + r), sizes[0], halves[0], keys[0]))
        c = np.searchsorted(people.member, rank, side="right") - 1
        length[r] = people.size[c]
        begin[r] = people.cell[c] + (rank - people.member[c]) * people.size[c]


@njit
def _cells(seed, lo, length, begin, items, orders, given, out):  # type: ignore[no-untyped-def]
    sizes, halves, keys = orders
    days, session, joins, bound = given
    out_record, out_item, out_day, out_level = out
    at = 0
    for r in range(length.size):
        record = np.uint64(lo + r)
        word = philox(record, _ZERO, _ZERO, _ZERO, seed, _PERSON)
        # When they begin, between two steps of a fine table, and for how long they go on.
        step = np.int64((word & _LOW32) >> np.uint64(20))
        within = np.int64((word & _LOW32) & np.uint64(0xFFFFF))
        first = joins[step] + ((joins[step + 1] - joins[step]) * within >> 20)
        stay = 1 + (np.int64(word >> _32) * (days - first) >> 32)
        day = first
        for k in range(length[r]):
            cell = np.uint64(begin[r] + k)
            word = philox(record, np.uint64(k), _ZERO, _ZERO, seed, _CELL)
            if k % session == 0:
                day = first if k == 0 else first + (np.int64(word >> _32) * stay >> 32)
            slot = np.int64(permuted(cell, sizes[2], halves[2], keys[2]))
            c = np.searchsorted(items.cell, slot, side="right") - 1
            rank = items.member[c] + (slot - items.cell[c]) // items.size[c]
            item = permuted(np.uint64(rank), sizes[1], halves[1], keys[1])
            out_record[at], out_item[at] = lo + r + 1, np.int64(item) + 1
            out_day[at] = day
            level, part = 0, np.int64(word & _LOW16)
            while part >= bound[level]:
                level += 1
            out_level[at] = level
            at += 1
