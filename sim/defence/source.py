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
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.adversary.linkage import IDENTIFIERS, NEW, Linkage
from sim.adversary.matching import match
from sim.defence.cells import NO_DAY, Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.defence.item_groups import first_of_name, like
from sim.defence.pseudonyms import Pseudonyms, secret_of
from sim.errors import ConfigError, NothingLeftError
from sim.extend.options import as_configured
from sim.extend.plugins import foreign_code, module_digest, qualified_name
from sim.release.store.accounts import BINS, DISTINCT
from sim.release.store.cells import NO_TIME, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.store import Block, Store
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import UNBINNED

LEFT = "left by each defence"
"""Note of a release: what each defence has left, in their order; see `_Left.counts`."""

ADDED = "cells added"
"""Note of a release: how many cells it has that are none of the original's."""

_CELLS_A_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Stage:
    """A defence, and the release that it is applied to.

    Parameters
    ----------
    names : pyarrow array, shape (n_items,), or None
        Names of what the original's items have become, see `Defence.grouped`. None where items are
        still themselves.
    groups : int64 array, shape (n_items,), or None
        The item that stands for each after this defence; None if it leaves items as they are.
    gone : bool array, shape (n_items,), or None
        Items that were dropped before they were put into a group; None where there are no groups.
    ungrouped : int
        Items that this defence leaves without a group.
    """

    defence: Defence
    before: ReleaseStats
    names: Any = None
    groups: NDArray[np.int64] | None = None
    gone: NDArray[np.bool_] | None = None
    ungrouped: int = 0

    @classmethod
    def of(cls, defence: Defence, before: ReleaseStats, last: Stage | None, original: Any) -> Stage:
        """Return a defence with what it makes of items.

        Parameters
        ----------
        last : Stage or None
            The defence before.
        original : pyarrow array
            Identifiers of the original's items.

        Raises
        ------
        ConfigError
            The class breaks its contract.
        """
        named, gone = (None, None) if last is None else (last.names, last.gone)
        names = original if named is None else named
        made = defence.grouped(names, before)
        if made is None:
            return cls(defence, before, named, gone=gone)
        if len(made) != len(original) or made.null_count:
            raise ConfigError(
                f"{qualified_name(type(defence))}: grouped: expected a name for each of "
                f"{len(original)} items"
            )
        dropped = before.support[first_of_name(names)] == 0
        return cls(
            defence, before, like(made, original), first_of_name(made),
            dropped if gone is None else gone | dropped, defence.ungrouped(names, before),
        )  # fmt: skip

    @property
    def parts(self) -> int:
        """Records that each record may have become, after this defence and those before."""
        return self.before.parts * self.defence.parts(self.before)

    def after(self, found: ReleaseStats) -> ReleaseStats:
        """Complete the statistics of what the defence has made."""
        return replace(
            found,
            parts=self.parts,
            has_repeats=self.before.has_repeats or self.groups is not None,
        )

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
        made = replace(made, secret=cells.secret)  # also where a class has made them anew
        if self.groups is not None:
            made = made.with_items(self.groups[made.item])
        parts = self.defence.parts(self.before)
        if parts == 1 or not len(made):
            return made
        part = self.defence.part_of(made, self.before)
        if part.shape != made.record.shape or part.min() < 0 or part.max() >= parts:
            raise ConfigError(
                f"{qualified_name(type(self.defence))}: part_of: expected a part from 0 to "
                f"{parts - 1} of each cell"
            )
        return made.with_parts(part, parts)


_COLUMNS = (
    *((name, np.int64, "whole numbers") for name in ("record", "place", "item", "day")),
    ("value", np.float64, "numbers"),
)
"""Of the cells that a defence returns: name, type, and what it holds."""


def _fault(given: Cells, made: Cells, before: ReleaseStats) -> str | None:
    """Return what is wrong with the cells that a defence returned."""
    if not isinstance(made, Cells):
        return f"expected Cells, not {type(made).__name__}"
    n_items = before.support.size
    columns = (made.record, made.place, made.item, made.value, made.day)
    if len({np.shape(column) for column in columns}) > 1:
        return "expected columns of one length"
    if not len(made):
        return None
    for name, kind, sort in _COLUMNS:
        found = np.asarray(getattr(made, name))
        if not np.can_cast(found.dtype, kind, "safe"):
            return f"{name}: {found.dtype}: expected {sort} ({kind.__name__})"
    if np.isinf(made.value).any():
        return "value: inf: expected finite numbers, or NaN for none"
    if made.item.min() < 0 or made.item.max() >= n_items:
        return f"expected items from 0 to {n_items - 1}"
    if not np.isin(made.record, given.record).all():
        return "expected cells of the records that were given"
    records, items = np.diff(made.record), np.diff(made.item)
    same = records == 0
    if before.has_repeats:
        ordered = ((records > 0) | (same & (items >= 0))).all()
        return None if ordered else "expected cells sorted by record and item"
    if not ((records > 0) | (same & (items > 0))).all():
        return "expected cells sorted by record and item, each item of a record once"
    return None


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
        self._position = self._cells = self._added = 0
        self._values_changed = self._days_changed = 0
        n_items = self._store.manifest.n_items
        self._held = np.zeros(n_items, np.bool_)
        self._left = [_Left(stage.parts, n_items) for stage in self._stages]

    @property
    def parts(self) -> int:
        """Records that each record of the original may have become."""
        return self._stages[-1].parts if self._stages else 1

    @property
    def names(self) -> Any:
        """Names of what the original's items have become; see `Stage`. None: identifiers stay."""
        return self._stages[-1].names if self._stages else None

    @functools.cached_property
    def _secret(self) -> int:
        """See `Cells.secret`."""
        return int(secret_of(self._store)[:16], 16)

    @functools.cached_property
    def pseudonyms(self) -> Pseudonyms:
        """The identifiers of records that were cut."""
        done = [(defence_text(each.defence), each.defence.identity()) for each in self._stages]
        key = json.dumps([secret_of(self._store), done])
        return Pseudonyms(key, self._store.manifest.n_records * self.parts)

    def linkage(self, released: Store) -> Linkage | None:
        """Return the linkage of what was released; None where identifiers tell it.

        Parameters
        ----------
        released : Store
            The store built from this source.
        """
        names, record = self.names, None
        if self.parts == 1 and names is None:
            return None
        if self.parts > 1:
            given = released.records.to_numpy(zero_copy_only=False)
            record = self.pseudonyms.whose(given) // self.parts
        else:
            record = match(released.records, self._store.records)
        item = match(self._store.items if names is None else names, released.items)
        gone = self._stages[-1].gone
        return Linkage(record=record, item=item if gone is None else np.where(gone, -1, item))

    @property
    def name(self) -> str:
        """Description of the source."""
        return ", ".join([self._store.source, *(stage.defence.name for stage in self._stages)])

    @property
    def size(self) -> int:
        """Number of cells of the original release."""
        return self._store.manifest.n_cells

    def position(self) -> int:
        """Number of cells of the original release that have been processed."""
        return self._position

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the original store and, in order, the defences: options and code.

        Where a defence is not of this program, also over what is released: it may depend on more
        than its options and its file, such as a constant that was set, or a module that it imports.
        """
        done = [identity(stage.defence) for stage in self._stages]
        text = json.dumps(["standout-defence-2", self._store.manifest.identity, done, self._made])
        return hashlib.sha256(text.encode()).hexdigest()

    @functools.cached_property
    def _made(self) -> list[str]:
        """SHA-256 (hex) of each array of the released cells; empty if all defences are ours."""
        if all(foreign_code(type(stage.defence)) is None for stage in self._stages):
            return []
        digests = [hashlib.sha256() for _ in range(4)]
        for _, made in DefendedSource(self._store, self._stages).pieces():
            arrays = (made.record, made.item, made.value, made.day)
            for digest, array in zip(digests, arrays, strict=True):
                digest.update(np.ascontiguousarray(array).tobytes())
        named = [] if self.names is None else [json.dumps(self.names.to_pylist())]
        return [*(digest.hexdigest() for digest in digests), *named]

    def notes(self) -> Mapping[str, Any]:
        """Counts of the changes; complete after `chunks`."""
        kept = self._cells - self._added
        before = self._store.manifest.notes
        people = self._left[-1].people if self._left else self._store.manifest.n_records
        found: dict[str, Any] = {
            **{name: before[name] for name in (BINS, DISTINCT) if name in before},
            "fingerprint of the data before the defences": self._store.manifest.fingerprint,
            "defences": ", ".join(defence_text(stage.defence) for stage in self._stages),
            "items dropped": int(np.count_nonzero(~self._held)),
            "cells dropped": self._store.manifest.n_cells - kept,
            ADDED: self._added,
            "records left out": self._store.manifest.n_records - people,
            "values changed": self._values_changed,
            "dates changed": self._days_changed,
        }
        if self.parts > 1 or self.names is not None:
            found[IDENTIFIERS] = NEW
        found[LEFT] = [
            left.counts | ({"ungrouped": stage.ungrouped} if stage.ungrouped else {})
            for stage, left in zip(self._stages, self._left, strict=True)
        ]
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
        store, names = self._store, self.names
        items = store.items if names is None else names
        pseudonyms = self.pseudonyms if self.parts > 1 else None
        for given, made in self.pieces():
            self._count(given, made)
            if len(made):
                yield CellChunk(
                    store.records.take(pa.array(made.record))
                    if pseudonyms is None
                    else pseudonyms.of(made.record),
                    items.take(pa.array(made.item)),
                    made.value,
                    seconds(made.day, self.time_bin),
                )
            self._position += len(given)
        if not self._cells:
            names = ",".join(stage.defence.name for stage in self._stages)
            raise NothingLeftError(f"defence=[{names}]: nothing is left of the release")

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
                    left.count(made, given)
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
            self._secret,
        )

    def _count(self, given: Cells, made: Cells) -> None:
        self._cells += len(made)
        if not len(made):
            return
        old = made.place >= 0
        self._added += int(np.count_nonzero(~old))
        self._held[made.item[~old]] = True
        origin = origins(given, made, self.parts)
        self._held[given.item[origin]] = True
        value, day = made.value[old], made.day[old]
        before = given.value[origin]
        same = (value == before) | (np.isnan(value) & np.isnan(before))
        self._values_changed += int(np.count_nonzero(~same))
        self._days_changed += int(np.count_nonzero(day != given.day[origin]))


def origins(given: Cells, made: Cells, parts: int) -> NDArray[np.int64]:
    """Return the places in `given` of the originals of cells, without those that were added.

    Parameters
    ----------
    parts : int
        Records that each record of the original may have become.
    """
    old = made.place >= 0
    first = np.searchsorted(given.record, made.record[old] // parts)  # of its record
    return first + made.place[old]


def seconds(day: NDArray[np.int64], time_bin: TimeBin) -> NDArray[np.int64]:
    """Where the bins of cells begin."""
    found = np.full(day.size, NO_TIME)
    known = day != NO_DAY
    found[known] = time_bin.start(day[known])
    return found


def release_stats(store: Store, stages: Sequence[Stage]) -> ReleaseStats:
    """Compute the statistics of a release after some defences, in a pass over its cells."""
    support = np.zeros(store.manifest.n_items, np.int64)
    levels: NDArray[np.float64] = np.empty(0)
    parts = stages[-1].parts if stages else 1
    lengths = np.zeros(int(store.length.max(initial=0)) + 1, np.int64)
    first, last = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    for _, made in DefendedSource(store, stages).pieces():
        pairs = made.record // parts * support.size + made.item
        counts = np.bincount(np.unique(made.record, return_counts=True)[1])
        lengths = np.pad(lengths, (0, max(counts.size - lengths.size, 0)))
        lengths[: counts.size] += counts
        support += np.bincount(np.unique(pairs) % support.size, minlength=support.size)
        levels = np.union1d(levels, made.value[~np.isnan(made.value)])
        day = made.day[made.day != NO_DAY]
        first, last = min(first, int(day.min(initial=first))), max(last, int(day.max(initial=last)))
    if not support.any():
        names = ",".join(stage.defence.name for stage in stages)
        raise NothingLeftError(f"defence=[{names}]: nothing is left of the release")
    dated = last >= first
    return ReleaseStats(
        support, levels, first if dated else 0, last - first + 1 if dated else 0,
        store.manifest.has_repeats, store.manifest.bins, parts, lengths,
    )  # fmt: skip


_LENGTHS = 32
"""Classes of the lengths of records, each twice as wide as the one before."""


class _Left:
    """What a defence has left of a release.

    Parameters
    ----------
    parts : int
        Records that each person's may have become.
    """

    def __init__(self, parts: int, n_items: int) -> None:
        self._parts = parts
        self._held = np.zeros(n_items, np.bool_)
        self.people = self._records = self._cells = self._theirs = 0

    def count(self, made: Cells, given: Cells) -> None:
        """Add a piece of whole records, and the original cells that it was made of."""
        self._cells += len(made)
        people = np.unique(made.record // self._parts)
        self._theirs += int(np.count_nonzero(np.isin(given.record, people)))
        self._records += int(np.count_nonzero(np.diff(made.record, prepend=-1)))
        self.people += int(np.count_nonzero(np.diff(made.record // self._parts, prepend=-1)))
        self._held[made.item] = True

    @property
    def counts(self) -> dict[str, int]:
        """People, records, items and cells, and the cells of these people in the original."""
        return {
            "people": self.people,
            "records": self._records,
            "items": int(np.count_nonzero(self._held)),
            "cells": self._cells,
            "theirs": self._theirs,
        }


def defence_text(defence: Defence) -> str:
    """Format a defence: its name and all its options, of paths the names of the files.

    Examples
    --------
    >>> from sim.defence.drop_items import DropItems
    >>> defence_text(DropItems(min_support=5))
    'drop_items(min_support=5)'
    """
    given = as_configured(defence)
    for key in defence.paths:
        given[key] = None if given[key] is None else Path(given[key]).name
    return f"{defence.name}({', '.join(f'{key}={value!r}' for key, value in given.items())})"


def identity(defence: Defence) -> list[str]:
    """Return the identity of a defence for the store's fingerprint: its options and its code."""
    return [defence_text(defence), defence.identity(), *_code(type(defence))]


@functools.cache
def _code(cls: type[Defence]) -> tuple[str, ...]:
    """Return the SHA-256 of the modules that define a class and its bases, its own first."""
    modules = [base.__module__ for base in cls.__mro__ if issubclass(base, Defence)]
    # Typed at a prompt: what is made with it is not found again by another process.
    return tuple(module_digest(each) or uuid.uuid4().hex for each in dict.fromkeys(modules))
