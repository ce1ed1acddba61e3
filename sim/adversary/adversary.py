"""What every adversary can do: say whom it could be after, and draw what it knows of them."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.adversary.knowledge import Knowledge
from sim.release.store import Store


class Adversary(Protocol):
    """The adversary of one grid cell. Pure: the same arguments give the same aux."""

    @property
    def knowledge(self) -> Knowledge | None:
        """The parameters, if the aux is drawn from the target's own record; else None."""

    @property
    def facts(self) -> float:
        """Facts of a typical aux set, to foresee the work."""

    def eligible(self, store: Store) -> NDArray[np.bool_]:
        """Records there is enough to know of, shape (n_records,)."""

    def draw(self, store: Store, cell: int, targets: NDArray[np.int64], seed: int) -> AuxBatch:
        """Draw one aux set per target.

        Parameters
        ----------
        store : Store
        cell : int
            Number of the grid cell, carried along.
        targets : int64 array, shape (T,)
            Eligible records, ascending.
        seed : int

        Returns
        -------
        AuxBatch
            T units, in the order of the targets.

        Raises
        ------
        GridError
            A fact cannot be made wrong.
        """
