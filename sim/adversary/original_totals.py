"""What an attacker knows of the original besides the facts: totals over all people (spec §12)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim.adversary.length_model import LengthModel
from sim.adversary.time_channel import TimeChannel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class OriginalTotals:
    """Totals of an original, of which a release has lost cells or moved times.

    Parameters
    ----------
    scale : float64 array, shape (K,)
        Levels of the original, ascending.
    lengths : LengthModel
    times : TimeChannel
    hidden_share : float64 array, shape (N,)
        Of each record of the release, what the chance that a hidden cell of it is of an item is
        multiplied by; 0 where none is hidden.
    hidden_items : float64 array, shape (I + 1,)
        The other factor of that chance, by item of the release; the last is of any other item.
    item_values, hidden_values : int64 arrays, shape (I + 1, K + 1)
        All cells, and hidden ones, by item, as above, and by level of the original; the last has no
        value.
    """

    scale: Floats
    lengths: LengthModel
    times: TimeChannel
    hidden_share: Floats
    hidden_items: Floats
    item_values: Ints
    hidden_values: Ints

    @property
    def hides_cells(self) -> bool:
        """Whether anybody in the release had more cells."""
        return bool((self.lengths.before > self.lengths.released).any())

    @property
    def moves_times(self) -> bool:
        """Whether a released time may not be the original one."""
        return not self.times.windows.are_exact

    def of_survivors(self) -> OriginalTotals:
        """Return the same for whoever knows facts about cells that are in the release alone."""
        none = np.zeros_like(self.hidden_share)
        return replace(self, lengths=self.lengths.of_survivors(), hidden_share=none)
