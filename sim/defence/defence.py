"""The base class of defences: options, effect on cells, and what an attacker knows about it.

Invariant: a defence is a pure function of its options, the cells it is given and the statistics of
the release they are from. Records come whole, in pieces of any number, so neither the blocks of a
store nor the size of the pieces changes what is released.
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.extend.options import Options
from sim.numeric.random import words


@dataclass(frozen=True, kw_only=True)
class Defence(Options, ABC):
    """A change that a publisher applies to a release, alone or after others (spec §11)."""

    name: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()
    """Requirements on the release: "values", "days"."""
    purpose: ClassVar[int | None] = None
    """See `sim.numeric.random.Purpose`; derived from the name where it is None."""
    paths: ClassVar[tuple[str, ...]] = ()
    """Options that are paths, relative to where a run was begun."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.group = f"defence.{cls.name_of()}"

    @property
    def does_something(self) -> bool:
        """Whether it changes any release with these options; if not, it is left out."""
        return True

    def no_effect(self, release: ReleaseStats) -> str | None:  # noqa: ARG002
        """Return in words why it changes nothing of a release, and says nothing to attackers.

        Such a defence is skipped. None: it may change something.
        """
        return None

    @abstractmethod
    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """Return the released cells of some whole records.

        Parameters
        ----------
        release : ReleaseStats
            Of the release that the cells are from: after the defences before this one.

        Returns
        -------
        Cells
            Sorted by record and item, each item of a record once; of the same records and items.
        """

    def parts(self, release: ReleaseStats) -> int:  # noqa: ARG002
        """Return how many records each record may become; 1: records stay whole.

        Parts have new identifiers, which tell nothing of whose they are.
        """
        return 1

    def part_of(self, cells: Cells, release: ReleaseStats) -> NDArray[np.int64]:  # noqa: ARG002
        """Return the part of its record that each cell that `apply` returns goes to, shape (n,).

        Asked only where `parts` are more than 1.
        """
        return np.zeros(len(cells), np.int64)

    def grouped(self, names: Any, release: ReleaseStats) -> Any:  # noqa: ARG002
        """Return the names of what items become; those of one name become one item.

        Cells of one record whose items become one are repeats, each kept.

        Parameters
        ----------
        names : pyarrow array, shape (n_items,)
            Of the original's items, as the defences before this one have named them.

        Returns
        -------
        pyarrow array, shape (n_items,), or None
            Of integers or text; equal names in, equal names out. None: items stay what they are.
        """
        return None

    def ungrouped(self, names: Any, release: ReleaseStats) -> int:  # noqa: ARG002
        """Return how many items have no group and keep their names; given what `grouped` is."""
        return 0

    def check_release(self, release: ReleaseStats) -> None:
        """Check that it can be applied to a release; it has what `needs` says.

        Raises
        ------
        GridError
            It cannot.
        """

    def study(self, pieces: Iterator[Cells], release: ReleaseStats) -> Self:  # noqa: ARG002
        """Return the defence with what it must know of all cells before it is applied to any.

        Most need nothing. `pieces` are the cells of the release that `release` describes; the
        pass over them is made if they are iterated over. What is learnt must not depend on the
        size of the pieces.
        """
        return self

    def stats_after(self, release: ReleaseStats) -> ReleaseStats | None:  # noqa: ARG002
        """Return the statistics of what it makes of a release, where they follow from those before.

        None: they are counted, in a pass over the cells, if another defence comes after this one.
        """
        return None

    def disclosed(
        self,
        publisher: Publisher,  # noqa: ARG002
        release: ReleaseStats,  # noqa: ARG002
    ) -> Publisher | None:
        """Return what an attacker knows about how the release was made, including this defence.

        Parameters
        ----------
        publisher : Publisher
            The knowledge about the defences before this one. Returning it unchanged states that
            this defence changes no cell and drops no item.
        release : ReleaseStats
            Statistics of the release before this defence.

        Returns
        -------
        Publisher or None
            None: `Publisher` has no words for it. Then every attacker assumes that it did nothing,
            unless it took the dates or values of some cells, and the report says so.
        """
        return None

    def identity(self) -> str:
        """Return what the release depends on besides options and code, such as a file's digest."""
        return ""

    def draws(self, seed: int, cells: Cells, attempt: int = 0) -> NDArray[np.uint64]:
        """Uniform 64-bit words, one per cell, independent of those of other defences.

        Those of another `attempt` are independent as well. Nobody can draw them without the whole
        original, whatever is known of the seed; see `Cells.secret`.
        """
        return words(seed ^ cells.secret, self._purpose, cells.record, cells.place, attempt)

    def draws_of_records(self, seed: int, cells: Cells) -> NDArray[np.uint64]:
        """Uniform 64-bit words, the same for all cells of a record; otherwise as `draws`."""
        return words(seed ^ cells.secret, self._purpose, cells.record)

    @property
    def _purpose(self) -> int:
        if self.purpose is not None:
            return self.purpose
        # Above those of `Purpose`, which are counted from 1.
        digest = hashlib.sha256(self.name.encode()).digest()
        return int.from_bytes(digest[:8], "little") | 1 << 63
