"""The attacker's knowledge of how a release was made from the truth: everything but the draws.

An attack must not rest on the publisher's method being secret (Kerckhoffs' principle), so the
Bayes-optimal attacker is given the method, its parameters and the scale, never the noise itself.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Window, reach


@dataclass(frozen=True, slots=True)
class Publisher:
    """The publisher's changes to the truth before the release (NS08 §3; spec §2).

    Parameters
    ----------
    value_noise : float
        k_S, in value units: each value was moved to a uniform level of the scale within it.
    date_noise : int
        D_S, in bins of time: each day was moved by a uniform whole number in [−D_S, D_S].
    min_support : int
        Items that fewer records held were dropped.
    scale : tuple of float
        Levels of the truth, ascending; empty for those of the release.
    groups_items : bool
        Items of the release stand for groups of the truth's, each cell for one cell of the truth.

    Examples
    --------
    >>> Publisher().changes_cells, Publisher(date_noise=90).changes_cells
    (False, True)
    """

    value_noise: float = 0.0
    date_noise: int = 0
    min_support: int = 1
    scale: tuple[float, ...] = ()
    groups_items: bool = False

    @property
    def changes_cells(self) -> bool:
        """Whether a released cell may differ from the true one."""
        return self.value_noise > 0 or self.date_noise > 0

    @property
    def drops_items(self) -> bool:
        """Whether an item that the release lacks may have been held by anybody."""
        return self.min_support > 1

    def drops_from(self, window: Window, n_items: int) -> bool:
        """Whether items of a window may have been dropped: they are the rarest, after all others.

        Parameters
        ----------
        n_items : int
            Items of the release.
        """
        return self.drops_items and (window.high is None or window.high > n_items)

    @property
    def value_reach(self) -> float:
        """The most by which a value may have been moved; see `sim.adversary.knowledge.reach`."""
        return reach(self.value_noise)

    def levels(self, released: NDArray[np.float64]) -> NDArray[np.float64]:
        """Levels that a true value may have, ascending.

        Parameters
        ----------
        released : float64 array, shape (L,)
            Levels of the release.

        Returns
        -------
        float64 array, shape (K,)
        """
        return np.array(self.scale) if self.scale and self.value_noise else released


AS_IS = Publisher()
"""The publisher of an unchanged release."""
