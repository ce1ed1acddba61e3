"""A release after its defences, as a source of cells for a store: one pass, a piece at a time.

Invariant: what is released depends on the original, the defences and their order alone. Cells are
handed on with the numbers they have in the original release, so a draw for a cell is the same
whatever was dropped before it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError, GridError
from sim.extend.options import as_configured
from sim.extend.plugins import module_digest, qualified_name
from sim.release.store.accounts import BINS, DISTINCT
from sim.release.store.cells import NO_TIME, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.store import Block, Store
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import UNBINNED

_CELLS_A_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Stage:
    """A defence, and the release that it is applied to."""

    defence: Defence
    before: ReleaseStats

    def apply(self, cells: Cells) -> Cells:
        """Apply the defence, and hold what it returns to its contract.

        Raises
        ------
        ConfigError
            The class breaks it.
        """
        made = self.defence.apply(cells, self.before)
        fault = _fault(cells, made, self.before)
        if fault:
            raise ConfigError(f"{qualified_name(type(self.defence))}: apply: {fault}")
        return made


def _fault(given: Cells, made: Cells, before: ReleaseStats) -> str | None:
    """Return what is wrong with the cells that a defence returned."""
    n_items = before.support.size
    columns = (made.record, made.place, made.item, made.value, made.day)
    if len({np.shape(column) for column in columns}) > 1:
        return "expected columns of one length"
    if not len(made):
        return None
    if made.item.min() < 0 or made.item.max() >= n_items:
        return f"expected items from 0 to {n_items - 1}"
    if not np.isin(made.record, given.record).all():
        return "expected cells of the records that were given"
    steps = np.diff(made.record * n_items + made.item)
    if before.has_repeats:
        return None if (steps >= 0).all() else "expected cells sorted by record and item"
    if not (steps > 0).all():
        return "expected cells sorted by record and item, each item of a record once"
    return None


class _Left:
    """Counts of the people, items and cells that a defence leaves."""

    def __init__(self, n_items: int) -> None:
        self.people = self.cells = 0
        self.held = np.zeros(n_items, np.bool_)

    def add(self, cells: Cells) -> None:
        self.people += int(np.count_nonzero(np.diff(cells.record, prepend=-1)))
        self.cells += len(cells)
        self.held[cells.item] = True

    def counts(self) -> tuple[int, int, int]:
        return self.people, int(np.count_nonzero(self.held)), self.cells


def _removed(before: tuple[int, int, int], after: tuple[int, int, int]) -> str:
    """Format what a defence removed; a defence that adds removes a negative number.

    Examples
    --------
    >>> _removed((10, 4, 40), (9, 4, 30))
    '1 of 10 people, 0 of 4 items, 10 of 40 cells'
    """
    kinds = zip(("people", "items", "cells"), before, after, strict=True)
    return ", ".join(f"{old - new:,} of {old:,} {kind}" for kind, old, new in kinds)


class DefendedSource:
    """The cells of a store as defences release them.

    Parameters
    ----------
    store : Store
        The original release.
    stages : sequence of Stage
        In the order in which they are applied.
    """

    repeats = Repeats.CELLS
    value_bins = UNBINNED

    def __init__(self, store: Store, stages: Sequence[Stage]) -> None:
        self._store, self._stages = store, tuple(stages)
        self.time_bin = store.manifest.bins
        self._start()

    def _start(self) -> None:
        self._position = self._cells = self._records = self._added = 0
        self._values_changed = self._days_changed = 0
        self._held = np.zeros(self._store.manifest.n_items, np.bool_)
        self._left = [_Left(self._store.manifest.n_items) for _ in self._stages]

    @property
    def name(self) -> str:
        """Description of the source."""
        done = (stage.defence.in_words() for stage in self._stages)
        return ", ".join([self._store.manifest.source, *done])

    @property
    def size(self) -> int:
        """Number of cells of the original release."""
        return self._store.manifest.n_cells

    def position(self) -> int:
        """Number of cells of the original release that have been processed."""
        return self._position

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the original store and, in order, the defences: options and code."""
        done = [identity(stage.defence) for stage in self._stages]
        text = json.dumps(["standout-defence-1", self._store.manifest.identity, done])
        return hashlib.sha256(text.encode()).hexdigest()

    def notes(self) -> Mapping[str, str | int]:
        """Counts of the changes; complete after `chunks`."""
        kept = self._cells - self._added
        before = self._store.manifest.notes
        found: dict[str, str | int] = {
            **{name: before[name] for name in (BINS, DISTINCT) if name in before},
            "fingerprint of the data before the defences": self._store.manifest.fingerprint,
            "defences": ", ".join(defence_text(stage.defence) for stage in self._stages),
            "items dropped": int(np.count_nonzero(~self._held)),
            "cells dropped": self._store.manifest.n_cells - kept,
            "cells added": self._added,
            "records left out": self._store.manifest.n_records - self._records,
            "values changed": self._values_changed,
            "dates changed": self._days_changed,
        }
        manifest = self._store.manifest
        there = manifest.n_records, manifest.n_items, manifest.n_cells
        for number, (stage, left) in enumerate(zip(self._stages, self._left, strict=True), 1):
            after = left.counts()
            found[f"removed by defence {number}, {stage.defence.name}"] = _removed(there, after)
            there = after
        return found

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all cells that are released, by record and item.

        Raises
        ------
        ConfigError
            A defence breaks its contract.
        GridError
            Nothing is left of the release.
        """
        self._start()
        store = self._store
        for given, made in self.pieces():
            self._count(given, made)
            if len(made):
                yield CellChunk(
                    store.records.take(pa.array(made.record)),
                    store.items.take(pa.array(made.item)),
                    made.value,
                    _seconds(made.day, self.time_bin),
                )
            self._position += len(given)
        if not self._cells:
            names = ",".join(stage.defence.name for stage in self._stages)
            raise GridError(f"defence=[{names}]: nothing is left of the release")

    def pieces(self) -> Iterator[tuple[Cells, Cells]]:
        """Yield pieces of whole records: the original cells, and the released ones."""
        stages = self._studied()
        for index in range(self._store.manifest.n_blocks):
            block = self._store.block(index)
            bounds = block.record_start
            first = 0
            while first < bounds.size - 1:
                full = np.searchsorted(bounds, bounds[first] + _CELLS_A_CHUNK, side="right")
                last = max(int(full) - 1, first + 1)
                given = made = self._original(block, first, last)
                for stage, left in zip(stages, self._left, strict=True):
                    made = stage.apply(made) if len(made) else made
                    left.add(made)
                yield given, made
                first = last

    def _studied(self) -> list[Stage]:
        """The stages, once each defence has seen the release that it is applied to."""
        stages: list[Stage] = []
        for stage in self._stages:
            so_far = DefendedSource(self._store, stages)
            pieces = (made for _, made in so_far.pieces())
            stages.append(replace(stage, defence=stage.defence.study(pieces, stage.before)))
        return stages

    def _original(self, block: Block, first: int, last: int) -> Cells:
        """The cells of the rows [first, last) of a block."""
        store, start = self._store, block.record_start
        begin, end = int(start[first]), int(start[last])
        lengths = np.diff(start[first : last + 1])
        code = block.record_day[begin:end].astype(np.int64)
        known = code < store.manifest.n_days
        return Cells(
            np.repeat(np.arange(block.first + first, block.first + last), lengths),
            np.arange(begin, end) - np.repeat(start[first:last], lengths),
            block.record_item[begin:end].astype(np.int64),
            np.append(store.scale, np.nan)[block.record_level[begin:end].astype(np.int64)],
            np.where(known, store.manifest.first_day + code, NO_DAY),
        )

    def _count(self, given: Cells, made: Cells) -> None:
        self._cells += len(made)
        if not len(made):
            return
        self._records += int(np.count_nonzero(np.diff(made.record, prepend=-1)))
        self._held[made.item] = True
        old = made.place >= 0
        self._added += int(np.count_nonzero(~old))
        first = np.searchsorted(given.record, made.record[old])  # of each cell's record
        origin = first + made.place[old]
        value, day = made.value[old], made.day[old]
        before = given.value[origin]
        same = (value == before) | (np.isnan(value) & np.isnan(before))
        self._values_changed += int(np.count_nonzero(~same))
        self._days_changed += int(np.count_nonzero(day != given.day[origin]))


def _seconds(day: NDArray[np.int64], time_bin: TimeBin) -> NDArray[np.int64]:
    """Where the bins of cells begin."""
    seconds = np.full(day.size, NO_TIME)
    known = day != NO_DAY
    seconds[known] = time_bin.start(day[known])
    return seconds


def release_stats(store: Store, stages: Sequence[Stage]) -> ReleaseStats:
    """Compute the statistics of a release after some defences, in a pass over its cells."""
    support = np.zeros(store.manifest.n_items, np.int64)
    levels: NDArray[np.float64] = np.empty(0)
    lengths = np.zeros(int(store.length.max(initial=0)) + 1, np.int64)
    first, last = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    for _, made in DefendedSource(store, stages).pieces():
        pairs = made.record * support.size + made.item
        counts = np.bincount(np.unique(made.record, return_counts=True)[1])
        lengths = np.pad(lengths, (0, max(counts.size - lengths.size, 0)))
        lengths[: counts.size] += counts
        support += np.bincount(np.unique(pairs) % support.size, minlength=support.size)
        levels = np.union1d(levels, made.value[~np.isnan(made.value)])
        day = made.day[made.day != NO_DAY]
        first, last = min(first, int(day.min(initial=first))), max(last, int(day.max(initial=last)))
    if not support.any():
        names = ",".join(stage.defence.name for stage in stages)
        raise GridError(f"defence=[{names}]: nothing is left of the release")
    dated = last >= first
    return ReleaseStats(
        support, levels, first if dated else 0, last - first + 1 if dated else 0,
        store.manifest.has_repeats, store.manifest.bins, lengths,
    )  # fmt: skip


def defence_text(defence: Defence) -> str:
    """Format a defence: its name and all its options.

    Examples
    --------
    >>> from sim.defence.drop_items import DropItems
    >>> defence_text(DropItems(min_support=5))
    'drop_items(min_support=5)'
    """
    given = (f"{key}={value!r}" for key, value in as_configured(defence).items())
    return f"{defence.name}({', '.join(given)})"


def identity(defence: Defence) -> list[str]:
    """Return the identity of a defence for the store's fingerprint: its options and its code."""
    return [defence_text(defence), *_code(type(defence))]


@functools.cache
def _code(cls: type[Defence]) -> tuple[str, ...]:
    """Return the SHA-256 of the modules that define a class and its bases, its own first."""
    modules = [base.__module__ for base in cls.__mro__ if issubclass(base, Defence)]
    # Typed at a prompt: what is made with it is not found again by another process.
    return tuple(module_digest(each) or uuid.uuid4().hex for each in dict.fromkeys(modules))
