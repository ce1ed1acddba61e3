"""The release as an attack sees it: without the records of absent targets.

Each aux set of a batch is compared with its own release, from which the records of an absent target
have been removed; supports and counts are those of that release. Invariant: no public attribute
reveals which record was removed, or whether any was. Quantities are for all aux sets of a batch at
once, in the order of their facts. Per-record arrays have an entry for every record, in every
release: a removed record is no candidate, so its entry is never read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux, Drawn
from sim.adversary.knowledge import Draw, Window
from sim.adversary.target_cells import all_own_cells
from sim.adversary.targets import items_in_window
from sim.attack.engine import census
from sim.attack.engine.decisions import Floats
from sim.attack.kernels.prefixes import group_prefixes
from sim.attack.kernels.sorted_cells import sorted_cells
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin

Ints = NDArray[np.int64]
K = TypeVar("K")
_MOST_KEPT = 4
"""Results of `ReleaseView.once` for a release that are kept: each has a number for every record."""


class _OwnPart(NamedTuple):
    """The cells of one removed record of each target, by fact."""

    fact: Ints
    level: NDArray[np.int32]
    day: NDArray[np.int32]


class Longest(NamedTuple):
    """The aux sets of a batch of which the others are prefixes.

    What depends on single facts alone is computed of these, and taken for all.

    Parameters
    ----------
    release : ReleaseView
    aux : Aux
    unit : int64 array, shape (U,), or slice
        The one of which each aux set of the batch is a prefix.
    fact : int64 array, shape (A,), or slice
        Its fact that each fact of the batch is.
    """

    release: ReleaseView
    aux: Aux
    unit: Ints | slice
    fact: Ints | slice


class ReleaseView:
    """The release that each of U aux sets of A facts is held against.

    Parameters
    ----------
    store : Store
        N records.
    """

    def __init__(self, store: Store, drawn: Drawn) -> None:
        truth, size = drawn.truth, drawn.aux.size
        self._drawn = drawn
        self._store, self._item, self._size = store, drawn.aux.item, size
        self._removed = truth.all_removed
        own = truth.own
        gone = np.repeat(truth.removed >= 0, size)[own.fact]
        parts = [_OwnPart(own.fact[gone], own.level[gone], own.day[gone])]
        for n in range(1, int(self._removed.number.max(initial=0))):
            own = all_own_cells(store, np.repeat(self._removed.nth(n), size), self._item)
            parts.append(_OwnPart(own.fact, own.level, own.day))
        self._parts = parts
        self._own = np.concatenate([part.fact for part in parts])
        self._own_level = np.concatenate([part.level for part in parts])
        self._own_day = np.concatenate([part.day for part in parts])
        self._notes = drawn.notes

    def longest(self, kind: Ints) -> Longest:
        """Return the aux sets of which the others are prefixes, and of the same kind.

        Parameters
        ----------
        kind : int64 array, shape (U,)
        """
        groups, aux = group_prefixes(self._drawn, kind), self._drawn.aux
        taken = self._drawn.take(groups.scanned)
        unit = np.empty(len(aux), np.int64)
        unit[groups.unit] = np.repeat(np.arange(groups.scanned.size), np.diff(groups.start))
        moved = taken.aux.start[unit] - aux.start[:-1]
        fact = np.arange(aux.item.size) + np.repeat(moved, aux.size)
        return Longest(ReleaseView(self._store, taken), taken.aux, unit, fact)

    @property
    def scale(self) -> Floats:
        """Values that cells may have, ascending, shape (L,); level L stands for "no value"."""
        return self._store.scale

    @property
    def n_items(self) -> int:
        """Items of the release."""
        return self._store.manifest.n_items

    @property
    def n_days(self) -> int:
        """Bins of time of the release; the code of a cell without a day."""
        return self._store.manifest.n_days

    @property
    def first_day(self) -> int:
        """Number of the bin of day code 0; see `sim.release.store.time_bins`."""
        return self._store.manifest.first_day

    @property
    def time_bin(self) -> TimeBin:
        """Width of the release's bins of time."""
        return self._store.manifest.bins

    def in_days(self, bins: Ints) -> Floats:
        """Return differences of day codes in days: codes count bins of time of any width."""
        return self._store.manifest.bins.in_days(bins)

    def within(self, days: float) -> int:
        """Return the greatest difference of day codes that is within a number of days."""
        return self._store.manifest.bins.within(days)

    @property
    def has_repeats(self) -> bool:
        """Whether a record may hold an item in several cells."""
        return self._store.manifest.has_repeats

    @property
    def without_value(self) -> float:
        """Share of the cells of all records that lack a value."""
        return self._store.manifest.missing_values / self._store.manifest.n_cells

    @property
    def without_day(self) -> float:
        """Share of the cells of all records that lack a day."""
        return self._store.manifest.missing_days / self._store.manifest.n_cells

    @property
    def length(self) -> NDArray[np.int32]:
        """Cells of each record, shape (N,)."""
        return self._store.length

    @property
    def lengths(self) -> tuple[NDArray[np.int32], Ints]:
        """The distinct lengths, ascending, and the place of each record's among them."""
        return _lengths(self._store)

    @property
    def notes(self) -> Floats:
        """The notes that `sim.attack.engine.algorithm.Algorithm.annotate` made of each fact."""
        return self._notes

    @functools.cached_property
    def support(self) -> Floats:
        """Records that hold each fact's item, shape (A,); 0 for an item the release lacks."""
        known = self._item >= 0
        count = np.where(known, self._store.support[np.where(known, self._item, 0)], 0)
        count = count.astype(np.float64)
        for part in self._parts:
            count[np.unique(part.fact)] -= 1
        return count

    @functools.cached_property
    def cells(self) -> Floats:
        """Cells of each fact's item, shape (A,): `support`, unless some repeat."""
        known = self._item >= 0
        count = np.where(known, self._store.cells[np.where(known, self._item, 0)], 0)
        return count.astype(np.float64) - np.bincount(self._own, minlength=count.size)

    @functools.cached_property
    def rank(self) -> Ints:
        """Rank of each fact's item by popularity, shape (A,); −1 if the release lacks it."""
        rank = self._store.rank[np.maximum(self._item, 0)]
        return np.where(self._item >= 0, rank, -1)

    @functools.cached_property
    def n_records(self) -> Ints:
        """Records of each aux set's release, shape (U,)."""
        return self._store.manifest.n_records - self._removed.number

    @functools.cached_property
    def n_cells(self) -> Ints:
        """Cells of each aux set's release, shape (U,)."""
        unit = np.repeat(np.arange(self._size.size), self._removed.number)
        own = np.zeros(self._size.size, np.int64)
        np.add.at(own, unit, self._store.length[self._removed.record])
        return self._store.manifest.n_cells - own

    @functools.cached_property
    def cells_by_level(self) -> Floats:
        """Cells of each fact's item by level, shape (A, L + 1); 0 if the release lacks it."""
        counts = (
            census.levels_of_items(self._store).of(np.maximum(self._item, 0)).astype(np.float64)
        )
        np.subtract.at(counts, (self._own, self._own_level), 1)
        counts[self._item < 0] = 0
        return counts

    @functools.cached_property
    def all_cells_by_level(self) -> Floats:
        """Cells of the whole release by level, for each fact, shape (A, L + 1)."""
        by_unit = [self.cells_by_day(unit).sum(axis=1) for unit in range(self._size.size)]
        width = self._store.scale.size + 1
        return np.repeat(np.array(by_unit, np.float64).reshape(-1, width), self._size, axis=0)

    def cells_by_day(self, unit: int) -> Ints:
        """Cells of one aux set's release by level and day, shape (L + 1, n_days + 1)."""
        records = self._removed.take([unit]).record.tolist()
        if not records:
            return census.all_cells(self._store)
        return census.cells_without(self._store, records)

    def close_dates(self, days: float) -> float:
        """Probability that two cells are at most `days` bins apart; 1 if that is negative.

        Computed from all records: leaving one out makes no relevant difference.
        """
        return census.close_dates(self._store, days)

    @property
    def cells_of_days(self) -> Ints:
        """Cells of all records by day, the last without one, shape (n_days + 1,)."""
        cells: Ints = census.all_cells(self._store).sum(axis=0)
        return cells

    def matching_cells(self, facts: Ints, chance: Floats, low: Ints, high: Ints) -> Floats:
        """Sum the chances of the cells of some facts' items, by level, on the days [low, high].

        Parameters
        ----------
        facts : int64 array, shape (B,)
            On items that the release holds, ascending.
        chance : float64 array, shape (B, L + 1)
        low, high : int64 arrays, shape (B,)
            Day codes; that of a cell without a day is `n_days`.

        Returns
        -------
        float64 array, shape (B,)
        """
        found = sorted_cells(self._store).sum_of(self._item[facts], chance, low, high)
        own = np.flatnonzero(np.isin(self._own, facts))
        at, day = np.searchsorted(facts, self._own[own]), self._own_day[own]
        near = (low[at] <= day) & (day <= high[at])
        np.subtract.at(found, at, chance[at, self._own_level[own]] * near)
        return found

    def central_cells(self, reach: Floats) -> Floats:
        """Share of the dated cells of each fact's item from which no other is too far, shape (A,).

        Parameters
        ----------
        reach : float64 array, shape (A,)
            The most bins of time that are not too far; negative: not asked, and 0.
        """
        share, cells = np.zeros(self._item.size), sorted_cells(self._store)
        facts = np.flatnonzero((self._item >= 0) & (reach >= 0))
        first, last, _ = cells.days_of(self._item[facts])
        narrow = (first <= last) & (last - first <= 2 * reach[facts])
        facts, first, last = facts[narrow], first[narrow], last[narrow]
        most = np.floor(reach[facts]).astype(np.int64)
        every = np.ones((facts.size, self._store.scale.size + 1))
        central = self.matching_cells(
            facts, every, np.maximum(last - most, 0), np.minimum(first + most, self.n_days - 1)
        )
        dated = self.matching_cells(facts, every, first, last)
        share[facts] = central / np.maximum(dated, 1.0)
        return share

    def days_of_items(self, facts: Ints) -> tuple[Ints, Ints, Ints]:
        """Return the first and the last day of the items of some facts, and cells without a day.

        Parameters
        ----------
        facts : int64 array, shape (B,)
            On items that the release holds. Of all records: leaving one out may bring the days
            closer together, but not apart.

        Returns
        -------
        first, last, undated : int64 arrays, shape (B,)
        """
        return sorted_cells(self._store).days_of(self._item[facts])

    def removed_cells(self) -> tuple[Ints, Ints, Ints]:
        """Return the cells of the facts' items that the release is without.

        Returns
        -------
        place : int64 array, shape (A, 2)
            Those of each fact's item are [begin, end) of them.
        level, day : int64 arrays
        """
        order = np.argsort(self._own, kind="stable")
        ends = np.cumsum(np.bincount(self._own, minlength=self._item.size))
        place = np.column_stack([np.append(0, ends)[:-1], ends]).astype(np.int64)
        level, day = self._own_level[order], self._own_day[order]
        return place, level.astype(np.int64), day.astype(np.int64)

    def releases(self) -> Ints:
        """Return the release of each aux set: those of the same number are the same, shape (U,)."""
        return np.unique(self._removed.nth(0), return_inverse=True)[1].ravel()

    def items_in_window(self, window: Window, draw: Draw = "cells") -> NDArray[np.int32]:
        """Cells, or items, of each record whose item's rank lies in the window, shape (N,)."""
        return items_in_window(self._store, window, draw=draw)

    def once(self, compute: Callable[[ReleaseView, K], Floats], given: K) -> Floats:
        """Return what a function finds of the records, the same for every batch and target.

        Parameters
        ----------
        compute : callable
            A function of a module that reads nothing but what does not depend on the aux: records'
            lengths and items in windows. It is called where the result is not known yet.
        given : hashable
        """
        known, key = _kept(self._store), (compute, given)
        if key not in known:
            while len(known) >= _MOST_KEPT:
                known.pop(next(iter(known)))
            found = compute(self, given)
            found.flags.writeable = False
            known[key] = found
        return known[key]

    def cells_of_own_items(self) -> tuple[Floats, Ints]:
        """Cells of the items that each record holds, in each release that differs.

        Returns
        -------
        cells : float64 array, shape (G, N)
        group : int64 array, shape (U,)
            Row of `cells` for each aux set.
        """
        whole = census.cells_of_own_items(self._store)
        return self._of_each(
            lambda: whole, lambda records: whole - census.cells_shared_with(self._store, records)
        )

    def inverse_norms(self, squares: census.Squares) -> tuple[Floats, Ints]:
        """1/√Σ of the squares of each record's items, in each release that differs.

        Parameters
        ----------
        squares : callable
            Of the support of each item and the number of records; a function of a module, so that
            what is found for the whole release is kept.

        Returns
        -------
        norms : float64 array, shape (G, N)
            0 where the sum is 0.
        group : int64 array, shape (U,)
            Row of `norms` for each aux set.
        """
        return self._of_each(
            lambda: census.inverse_norms(self._store, squares),
            lambda records: census.inverse_norms_without(self._store, squares, records),
        )

    def _of_each(
        self, whole: Callable[[], Floats], without: Callable[[list[int]], Floats]
    ) -> tuple[Floats, Ints]:
        """Rows of per-record data, and the row of each aux set."""
        # Records have one owner: the first tells the others.
        first, place, group = np.unique(
            self._removed.nth(0), return_index=True, return_inverse=True
        )
        rows = [
            whole() if record < 0 else without(self._removed.take([unit]).record.tolist())
            for record, unit in zip(first.tolist(), place.tolist(), strict=True)
        ]
        if len(rows) == 1:
            return rows[0][np.newaxis], group  # no copy
        return np.array(rows).reshape(len(rows), self._store.manifest.n_records), group


@functools.lru_cache(maxsize=2)
def _kept(store: Store) -> dict[tuple[Any, Any], Floats]:  # noqa: ARG001
    return {}


@functools.lru_cache(maxsize=2)
def _lengths(store: Store) -> tuple[NDArray[np.int32], Ints]:
    lengths, place = np.unique(store.length, return_inverse=True)
    return lengths, place
