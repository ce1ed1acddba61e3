"""The draws for a batch of targets: the adversary's knowledge and, separately, the truth.

Invariant: an attack is given `Aux` and `Candidates`. `GroundTruth` is for the engine, which removes
the records of absent targets and counts how the targets fare, and for what is recorded.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

NO_DAY = np.iinfo(np.int32).min
"""Marks a fact without a date in `Aux.day`."""


ANY_LENGTH = np.iinfo(np.int32).max
"""`Candidates.longest` where the adversary knows no length."""


class FactKind(enum.IntEnum):
    """The origin of a fact."""

    TRUE = 0
    WRONG_VALUE = 1
    WRONG_ITEM = 2
    MENTION = 3
    """A genuine mention of an item that the target does not hold."""
    DECOY = 4
    """A misleading mention of an item that the target does not hold."""
    UNKNOWN = 5
    """The person's record is unknown."""


def _no_number() -> NDArray[np.int64]:
    return np.empty(0, np.int64)


def _no_counts() -> NDArray[np.uint32]:
    return np.empty(0, np.uint32)


def _no_notes() -> NDArray[np.float64]:
    return np.empty(0)


def _chosen(column: NDArray[Any], places: Any) -> NDArray[Any]:
    """Places of a column; an optional one that is empty stays so."""
    return column[places] if column.size else column


class _Columns:
    """Arrays with one place for each unit, or for each fact, of a batch."""

    __slots__ = ()
    PER_UNIT: ClassVar[tuple[str, ...]] = ()
    PER_FACT: ClassVar[tuple[str, ...]] = ()

    def chosen(self, units: Any, facts: Any) -> dict[str, NDArray[Any]]:
        """Columns of some units, whose facts are given, by name."""
        return {
            name: _chosen(getattr(self, name), places)
            for names, places in ((self.PER_UNIT, units), (self.PER_FACT, facts))
            for name in names
        }

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> dict[str, NDArray[Any]]:
        """Columns of several batches, one after the other, by name."""
        names = (*cls.PER_UNIT, *cls.PER_FACT)
        return {name: np.concatenate([getattr(p, name) for p in parts]) for name in names}


@dataclass(frozen=True, slots=True)
class Aux(_Columns):
    """The adversary's knowledge: U aux sets of A facts; a unit is one target in one grid cell.

    Parameters
    ----------
    cell : int32 array, shape (U,)
        Grid cell.
    start : int64 array, shape (U + 1,)
        Facts of unit u are [start[u], start[u + 1]).
    item : int32 array, shape (A,)
        Item of each fact; −1 if the release does not hold it.
    value : float64 array, shape (A,)
        NaN where the adversary has none.
    day : int32 array, shape (A,)
        Bins of time since the release's first (days by default), any sign; `NO_DAY` where the
        adversary has none.
    """

    PER_UNIT = ("cell",)
    PER_FACT = ("item", "value", "day")

    cell: NDArray[np.int32]
    start: NDArray[np.int64]
    item: NDArray[np.int32]
    value: NDArray[np.float64]
    day: NDArray[np.int32]

    def __len__(self) -> int:
        return self.cell.size

    @property
    def size(self) -> NDArray[np.int64]:
        """Facts of each unit, shape (U,)."""
        return np.diff(self.start)

    @property
    def unit(self) -> NDArray[np.int64]:
        """Unit of each fact, shape (A,)."""
        return np.repeat(np.arange(len(self)), self.size)


@dataclass(frozen=True, slots=True)
class Candidates(_Columns):
    """The records that may be the target's, as far as the adversary knows.

    Parameters
    ----------
    shortest, longest : int32 arrays, shape (U,)
        Lengths a record may have to be a candidate.
    """

    PER_UNIT = ("shortest", "longest")

    shortest: NDArray[np.int32]
    longest: NDArray[np.int32]

    @classmethod
    def every(cls, units: int) -> Candidates:
        """Return candidates without a restriction."""
        return cls(np.zeros(units, np.int32), np.full(units, ANY_LENGTH, np.int32))

    @property
    def restricted(self) -> NDArray[np.bool_]:
        """Whether the length is known, shape (U,)."""
        return np.asarray((self.shortest > 0) | (self.longest < ANY_LENGTH))


@dataclass(frozen=True, slots=True)
class OwnCells:
    """The cells that the targets hold of the facts' items, where there may be several each.

    Parameters
    ----------
    start : int64 array, shape (A + 1,)
        The cells of fact a are [start[a], start[a + 1]).
    level, day : int32 arrays, shape (C,)
        Codes.
    near : uint32 array, shape (C,)
        The item's cells near each, if an attack asks (`sim.attack.kernels.near_cells`); else empty.
    """

    start: NDArray[np.int64]
    level: NDArray[np.int32]
    day: NDArray[np.int32]
    near: NDArray[np.uint32] = field(default_factory=_no_counts)

    @property
    def fact(self) -> NDArray[np.int64]:
        """Fact of each cell, shape (C,)."""
        return np.repeat(np.arange(self.start.size - 1), np.diff(self.start))

    def take(self, facts: Any) -> OwnCells:
        """Return those of some facts, in the order given."""
        begin, size = self.start[:-1][facts], np.diff(self.start)[facts]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(size)])
        at = np.arange(start[-1]) + np.repeat(begin - start[:-1], size)
        return OwnCells(start, self.level[at], self.day[at], _chosen(self.near, at))

    @staticmethod
    def concatenate(parts: Sequence[OwnCells]) -> OwnCells:
        """Put those of several batches one after the other."""
        sizes = np.concatenate([np.zeros(1, np.int64), *(np.diff(part.start) for part in parts)])
        return OwnCells(
            np.cumsum(sizes),
            np.concatenate([part.level for part in parts]),
            np.concatenate([part.day for part in parts]),
            np.concatenate([part.near for part in parts]),
        )


@dataclass(frozen=True, slots=True)
class OwnRecords:
    """The records of each target, where a person may have several.

    Parameters
    ----------
    start : int64 array, shape (U + 1,)
        Those of target u are [start[u], start[u + 1]), ascending.
    record : int64 array, shape (C,)
    """

    start: NDArray[np.int64]
    record: NDArray[np.int64]

    @property
    def number(self) -> NDArray[np.int64]:
        """Records of each target, shape (U,)."""
        return np.diff(self.start)

    def nth(self, n: int) -> NDArray[np.int64]:
        """The n-th record of each target, counted from 0; −1 for none, shape (U,)."""
        found = np.full(self.start.size - 1, -1, np.int64)
        some = self.number > n
        found[some] = self.record[self.start[:-1][some] + n]
        return found

    def hold(self, record: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether a record given for each target is one of its own, shape (U,).

        Examples
        --------
        >>> own = OwnRecords(np.array([0, 2, 2]), np.array([4, 9]))
        >>> own.hold(np.array([9, 9])).tolist(), own.nth(1).tolist()
        ([True, False], [9, -1])
        """
        unit = np.repeat(np.arange(record.size), self.number)
        found = np.zeros(record.size, np.bool_)
        found[unit[self.record == record[unit]]] = True
        return found

    def of(self, chosen: NDArray[np.bool_]) -> OwnRecords:
        """Return those of some targets, with none for the others."""
        number = np.where(chosen, self.number, 0)
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(number)])
        return OwnRecords(start, self.record[np.repeat(chosen, self.number)])

    def take(self, units: Any) -> OwnRecords:
        """Return those of some targets, in the order given."""
        begin, number = self.start[:-1][units], self.number[units]
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(number)])
        at = np.arange(start[-1]) + np.repeat(begin - start[:-1], number)
        return OwnRecords(start, self.record[at])

    @staticmethod
    def concatenate(parts: Sequence[OwnRecords]) -> OwnRecords:
        """Put those of several batches one after the other."""
        numbers = np.concatenate([np.zeros(1, np.int64), *(part.number for part in parts)])
        return OwnRecords(np.cumsum(numbers), np.concatenate([part.record for part in parts]))


@dataclass(frozen=True, slots=True)
class GroundTruth(_Columns):
    """The true records of the targets, and which facts are right.

    Parameters
    ----------
    target : int64 array, shape (U,)
        Record the aux is about, the first of several; −1 if it is not known or the release does not
        hold it.
    absent : bool array, shape (U,)
        Whether the target's records are removed from the release before the attack.
    kind : uint8 array, shape (A,)
        See `FactKind`.
    own_held : bool array, shape (A,)
        Whether the target holds the item.
    own_level, own_day : int32 arrays, shape (A,)
        Codes of the target's own cell; 0 where it holds none. Of several the one that the fact is
        about, or the first.
    own_near : uint32 array, shape (A,)
        See `OwnCells.near`.
    person : int64 array, shape (U,)
        Place of the person in `sim.adversary.adversary.Adversary.people`; empty where the targets
        are the release's own records.
    repeated : OwnCells, optional
        All of the target's own cells of each fact's item, where the release has repeats.
    records : OwnRecords, optional
        All records of the targets, where a person may have several. A guess at any of them is
        right.
    """

    PER_UNIT = ("target", "absent", "person")
    PER_FACT = ("kind", "own_held", "own_level", "own_day", "own_near")

    target: NDArray[np.int64]
    absent: NDArray[np.bool_]
    kind: NDArray[np.uint8]
    own_held: NDArray[np.bool_]
    own_level: NDArray[np.int32]
    own_day: NDArray[np.int32]
    own_near: NDArray[np.uint32] = field(default_factory=_no_counts)
    person: NDArray[np.int64] = field(default_factory=_no_number)
    repeated: OwnCells | None = None
    records: OwnRecords | None = None

    @property
    def present(self) -> NDArray[np.bool_]:
        """Whether the target's record is in the release under attack, shape (U,)."""
        return np.asarray((self.target >= 0) & ~self.absent)

    @property
    def removed(self) -> NDArray[np.int64]:
        """Record that is removed from the release before the attack; −1 for none, shape (U,).

        Of several the first; see `all_removed`.
        """
        return np.where(self.absent, self.target, -1)

    @property
    def all_removed(self) -> OwnRecords:
        """All records that are removed from the release before the attack."""
        if self.records is not None:
            return self.records.of(self.absent)
        removed = self.removed
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(removed >= 0)])
        return OwnRecords(start, removed[removed >= 0])

    @property
    def most_records(self) -> int:
        """Most records that any target has, at least 1."""
        return 1 if self.records is None else max(1, int(self.records.number.max(initial=0)))

    def is_own(self, record: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether a record given for each target is its own and in the release, shape (U,)."""
        own = record == self.target if self.records is None else self.records.hold(record)
        return np.asarray(own & self.present)

    @property
    def own(self) -> OwnCells:
        """The target's own cells of each fact's item."""
        if self.repeated is not None:
            return self.repeated
        start = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.own_held)])
        held = self.own_held
        near = _chosen(self.own_near, held)
        return OwnCells(start, self.own_level[held], self.own_day[held], near)

    def with_near(self, near: NDArray[np.uint32]) -> GroundTruth:
        """Return the same with the cells near each of `own`."""
        if self.repeated is not None:
            return replace(self, repeated=replace(self.repeated, near=near))
        of_facts = np.zeros(self.own_held.size, np.uint32)
        of_facts[self.own_held] = near
        return replace(self, own_near=of_facts)


@dataclass(frozen=True)
class Drawn:
    """U aux sets with A facts, and the truth about them.

    Parameters
    ----------
    notes : float64 array, shape (A,) or (A, P)
        The attack's own, from `sim.attack.engine.algorithm.Algorithm.annotate`; empty if it
        makes none.
    """

    aux: Aux
    candidates: Candidates
    truth: GroundTruth
    notes: NDArray[np.float64] = field(default_factory=_no_notes)

    def __len__(self) -> int:
        return len(self.aux)

    @functools.cached_property
    def facts_by_item(self) -> NDArray[np.int64]:
        """The facts in the order of their items, in which an index is read soonest."""
        return np.argsort(self.aux.item)

    @property
    def apart(self) -> NDArray[np.bool_]:
        """Whether candidates are other than all records but one at most, shape (U,)."""
        several = self.truth.all_removed.number > 1
        return np.asarray(self.candidates.restricted | several)

    def part(self, begin: int, end: int) -> Drawn:
        """Units [begin, end)."""
        start = self.aux.start
        facts = slice(int(start[begin]), int(start[end]))
        return self._cut(slice(begin, end), facts, start[begin : end + 1] - start[begin])

    def take(self, units: NDArray[np.int64]) -> Drawn:
        """Return some units, in the order given."""
        sizes = self.aux.size[units]
        start = np.concatenate([[0], np.cumsum(sizes)])
        facts = np.arange(start[-1]) + np.repeat(self.aux.start[units] - start[:-1], sizes)
        return self._cut(units, facts, start)

    def first_facts(self, number: int, cell: int | None = None) -> Drawn:
        """Return only the first facts of every aux set.

        Parameters
        ----------
        number : int
            At most the facts of any unit.
        cell : int, optional
            Grid cell of the result; that of each unit if not given.
        """
        facts = (self.aux.start[:-1, None] + np.arange(number)).ravel()
        start = np.arange(len(self) + 1, dtype=np.int64) * number
        cut = self._cut(slice(None), facts, start)
        if cell is None:
            return cut
        return replace(cut, aux=replace(cut.aux, cell=np.full(len(self), cell, np.int32)))

    def _cut(self, units: Any, facts: Any, start: NDArray[np.int64]) -> Drawn:
        return Drawn(
            Aux(start=start, **self.aux.chosen(units, facts)),
            Candidates(**self.candidates.chosen(units, facts)),
            GroundTruth(
                **self.truth.chosen(units, facts),
                repeated=None if self.truth.repeated is None else self.truth.repeated.take(facts),
                records=None if self.truth.records is None else self.truth.records.take(units),
            ),
            _chosen(self.notes, facts),
        )

    @staticmethod
    def concatenate(parts: Sequence[Drawn]) -> Drawn:
        """Concatenate the units of several batches."""
        sizes = np.concatenate([[0], *(part.aux.size for part in parts)])
        repeated: list[Any] = [part.truth.repeated for part in parts]
        records: list[Any] = [part.truth.records for part in parts]
        return Drawn(
            Aux(start=np.cumsum(sizes), **Aux.joined([part.aux for part in parts])),
            Candidates(**Candidates.joined([part.candidates for part in parts])),
            GroundTruth(
                **GroundTruth.joined([part.truth for part in parts]),
                repeated=None if None in repeated else OwnCells.concatenate(repeated),
                records=None if None in records else OwnRecords.concatenate(records),
            ),
            np.concatenate([part.notes for part in parts]),
        )
