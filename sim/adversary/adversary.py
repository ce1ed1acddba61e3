"""The protocol of an adversary: its eligible targets, and the aux it draws about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.adversary.knowledge import Knowledge
from sim.release.store.store import Store


class Adversary(Protocol):
    """The adversary of one grid cell. Pure: the same arguments give the same aux.

    It is after *subjects*, numbered from 0: the release's own records, or the people of a list.
    """

    @property
    def knowledge(self) -> Knowledge | None:
        """The parameters, if the aux is a sample of the target's own record; else None."""

    @property
    def typical_facts(self) -> float:
        """Number of facts in a typical aux set, to estimate the work."""

    @property
    def people(self) -> Any:
        """Identifiers of the people (a pyarrow array); None where subjects are records."""

    def eligible(self, store: Store, seed: int) -> NDArray[np.bool_]:
        """Subjects there is enough to know of, shape (number of subjects,).

        Raises
        ------
        GridError
            The release cannot be attacked like this.
        """

    def draw(self, store: Store, cell: int, subjects: NDArray[np.int64], seed: int) -> Drawn:
        """Draw one aux set per subject.

        Parameters
        ----------
        store : Store
            The original data.
        cell : int
            Number of the grid cell, carried along.
        subjects : int64 array, shape (T,)
            Eligible subjects, ascending.

        Returns
        -------
        Drawn
            T units, in the order of the subjects.

        Raises
        ------
        GridError
            A fact cannot be made wrong.
        """

    def notes(self, store: Store) -> Mapping[str, int]:
        """Return what could not be matched with the release, for the report."""
