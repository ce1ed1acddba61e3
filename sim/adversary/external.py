"""People of another data set as auxiliary information against this release (NS08 §5, IMDb).

All that the other data set holds of a person is an aux set. Items are the same if their
identifiers are; times are compared in the release's bins of time, which the other data set has too.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux, Candidates, Drawn, FactKind, GroundTruth
from sim.adversary.matching import match
from sim.adversary.sample_items import by_block
from sim.adversary.target_cells import own_cells
from sim.adversary.targets import check_removal
from sim.errors import GridError
from sim.release.store.accounts import BINS, CUT, DROPPED, NO_DATE, NO_VALUE
from sim.release.store.store import Store
from sim.release.store.value_bins import in_bins

Values = Literal["same", "rescaled", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class External:
    """The adversary who holds another data set; see `Adversary`.

    Parameters
    ----------
    other : Store
        The other data set: its records are the people.
    truth : mapping of str to str, optional
        The release's record of each person, by identifiers; see
        `sim.adversary.linkage_table`. With one, only people whose record is in the release are
        attacked. Without one, everyone is attacked and the true records are unknown: every target
        is −1.
    values : {"same", "rescaled", "none"}
        Values are on the release's scale, and are put into its bins where it has some; or its ends
        are those of the release's, and all between in proportion; or they are not used.
    dates : bool
        Whether dates are used.
    min_items : int
        People with fewer items that the release holds are not attacked.
    present : bool
        Whether the targets' records, where known, are in the release.
    """

    other: Store
    truth: Mapping[str, str] | None = None
    values: Values = "same"
    dates: bool = True
    min_items: int = 1
    present: bool = True

    @property
    def knowledge(self) -> None:
        """See `Adversary.knowledge`: another data set is no sample of the record."""
        return

    @property
    def typical_facts(self) -> float:
        """See `Adversary.typical_facts`."""
        return self.other.manifest.n_cells / self.other.manifest.n_records

    @property
    def people(self) -> Any:
        """See `Adversary.people`."""
        return self.other.records

    def eligible(self, store: Store, seed: int) -> NDArray[np.bool_]:  # noqa: ARG002
        """People with enough items the release holds and, given a truth, a record in it."""
        if not self.present:
            if self.truth is None:
                raise GridError(
                    "grid.present=false: no record can be removed if the true records are unknown; "
                    "give adversary.truth, or set 'grid.present=[true]'"
                )
            check_removal(store, self.present)
        matched = _match(self, store)
        enough = matched.known >= self.min_items
        return enough if self.truth is None else enough & (matched.target >= 0)

    def notes(self, store: Store) -> Mapping[str, int]:
        """See `Adversary.notes`."""
        matched = _match(self, store)
        manifest = self.other.manifest
        found = {
            "people": manifest.n_records,
            "their items": manifest.n_items,
            "their items not in the release": int(np.count_nonzero(matched.item < 0)),
            "their facts": manifest.n_cells,
            "their facts on items not in the release": manifest.n_cells - int(matched.known.sum()),
            f"people with fewer than {self.min_items} items of the release": int(
                np.count_nonzero(matched.known < self.min_items)
            ),
            "repeated facts dropped": manifest.n_duplicates,
        }
        for name in (DROPPED, CUT, NO_DATE, NO_VALUE):
            if manifest.notes.get(name):
                found[f"their {name}"] = manifest.notes[name]
        if self.truth is not None:
            found |= {
                "truth entries": len(self.truth),
                "truth entries on people not listed": matched.strangers,
                "truth entries on records not in the release": matched.lost,
                "people without a truth entry": matched.unsaid,
            }
        return found

    def draw(self, store: Store, cell: int, subjects: NDArray[np.int64], seed: int) -> Drawn:  # noqa: ARG002
        """See `Adversary.draw`; nothing is left to chance."""
        matched = _match(self, store)
        size, their_item, level, day = _facts_of(self.other, subjects)
        item = matched.item[their_item]
        target = matched.target[subjects]
        record = np.repeat(target, size)
        own_held, own_level, own_day = own_cells(store, record, item)
        kind = np.where(
            own_held, FactKind.TRUE, np.where(record < 0, FactKind.UNKNOWN, FactKind.MENTION)
        )
        aux = Aux(
            cell=np.full(subjects.size, cell, np.int32),
            start=np.concatenate([[0], np.cumsum(size)]),
            item=item,
            value=self._values_on(store)[level],
            day=self._days(store, day),
        )
        truth = GroundTruth(
            target=target,
            absent=np.full(subjects.size, not self.present),
            kind=kind.astype(np.uint8),
            own_held=own_held,
            own_level=own_level,
            own_day=own_day,
            person=subjects,
        )
        return Drawn(aux, Candidates.every(subjects.size), truth)

    def _values_on(self, store: Store) -> NDArray[np.float64]:
        """Return the other data set's level codes as values on the release's scale."""
        theirs, ours = self.other.scale, store.scale
        bins = store.manifest.notes.get(BINS)
        if self.values == "same" and bins and theirs.size and ours.size:
            theirs = in_bins(theirs, ours, str(bins))
        elif self.values == "none":
            theirs = np.full(theirs.size, np.nan)
        elif self.values == "rescaled" and theirs.size and ours.size:
            width = theirs[-1] - theirs[0]
            share = (theirs - theirs[0]) / width if width else np.full(theirs.size, 0.5)
            theirs = ours[0] + share * (ours[-1] - ours[0])
        return np.append(theirs, np.nan)

    def _days(self, store: Store, code: NDArray[np.int32]) -> NDArray[np.int32]:
        if not self.dates or not store.manifest.has_days:
            return np.full(code.size, NO_DAY, np.int32)
        day = code + (self.other.manifest.first_day - store.manifest.first_day)
        return np.where(code == self.other.manifest.n_days, NO_DAY, day).astype(np.int32)


@dataclass(frozen=True, slots=True)
class _Matched:
    """The part of another data set that is in the release.

    Parameters
    ----------
    item : int32 array, shape (items of the other,)
    known : int64 array, shape (people,)
        Items of each person that the release holds.
    target : int64 array, shape (people,)
    strangers, lost, unsaid : int
        Truth entries on people not listed, on records not in the release; people without one.
    """

    item: NDArray[np.int32]
    known: NDArray[np.int64]
    target: NDArray[np.int64]
    strangers: int
    lost: int
    unsaid: int


@functools.lru_cache(maxsize=4)
def _match(external: External, store: Store) -> _Matched:
    other, truth = external.other, external.truth or {}
    item = match(other.items, store.items).astype(np.int32)
    known = np.empty(other.manifest.n_records, np.int64)
    for index in range(other.manifest.n_blocks):
        block = other.block(index)
        # No record is empty, so every stretch between two starts is a record.
        held = np.add.reduceat((item >= 0)[block.record_item], block.record_start[:-1], dtype=int)
        known[block.first : block.first + block.n_records] = held
    target = np.full(other.manifest.n_records, -1, np.int64)
    person = match(pa.array(list(truth), pa.large_string()), other.records)
    record = match(pa.array(list(truth.values()), pa.large_string()), store.records)
    listed = person >= 0
    target[person[listed]] = record[listed]
    return _Matched(
        item,
        known,
        target,
        strangers=int(np.count_nonzero(~listed)),
        lost=int(np.count_nonzero(record < 0)),
        unsaid=other.manifest.n_records - int(np.count_nonzero(listed)),
    )


def _facts_of(
    other: Store, subjects: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Number of facts of each person; item, level and day codes of all, one after the other."""
    sizes = other.length[subjects].astype(np.int64)
    columns: list[list[NDArray[Any]]] = [[np.empty(0, np.int32)] for _ in range(3)]
    for index, part in by_block(other, subjects):
        block = other.block(index)
        begin = block.record_start[subjects[part] - block.first]
        size = sizes[part]
        at = np.arange(size.sum()) + np.repeat(begin - (np.cumsum(size) - size), size)
        for column, name in zip(columns, ("item", "level", "day"), strict=True):
            column.append(getattr(block, f"record_{name}")[at])
    item, level, day = (np.concatenate(column).astype(np.int32) for column in columns)
    return sizes, item, level, day
