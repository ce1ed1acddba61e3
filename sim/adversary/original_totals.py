"""What an attacker knows of the original besides the facts: totals over all people (spec §12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Draw, Window
from sim.adversary.length_model import LengthModel
from sim.adversary.time_channel import TimeChannel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class Drawn(NamedTuple):
    """What facts are drawn from: the items of some ranks, by cells or each item once."""

    window: Window = Window()
    draw: Draw = "cells"


@dataclass(frozen=True, slots=True, eq=False)
class CellsBehind:
    """The cells behind a release that facts may be about, those that it hides included.

    Where no item repeats, a hidden cell of record r is of item x with probability
    ``share[r] · items[x]``, and not of what the record shows. Where items repeat, it is with
    probability (o·v + q + a·p)/(s + j + a), v being the record's visible cells of the item, j the
    facts about hidden cells so far, q of them about the item.

    Parameters
    ----------
    lengths : LengthModel
    share : float64 array, shape (N + 1,)
        The last is of the people of whom nothing is released, as in what follows.
    items : float64 array, shape (I + 1,)
        p where items repeat; the last is of any item that the release lacks.
    held : float64 array, shape (N + 1,)
        Share of all cells, hidden or not, that are of items of whoever has a record, on average.
    odds : float64 array, shape (I + 1,)
        o, the hidden cells of an item for each visible one.
    weight : float64 array, shape (N + 1,)
        s, the sum of o over a record's visible cells.
    strength : float
        a; 0 where no item repeats.
    known : bool array, shape (I + 1,)
        Whether any of the item's cells may be known.
    """

    lengths: LengthModel
    share: Floats
    items: Floats
    held: Floats
    odds: Floats
    weight: Floats
    strength: float
    known: NDArray[np.bool_]

    def of_survivors(self) -> CellsBehind:
        """See `OriginalTotals.of_survivors`."""
        none, no_odds = np.zeros_like(self.share), np.zeros_like(self.odds)
        lengths = self.lengths.of_survivors()
        return replace(self, lengths=lengths, share=none, odds=no_odds, weight=none)


@dataclass(frozen=True, slots=True, eq=False)
class OriginalTotals:
    """Totals of an original, of which a release has lost cells or people, or moved times.

    Parameters
    ----------
    scale : float64 array, shape (K,)
        Levels of the original, ascending.
    times : TimeChannel
    behind : mapping of Drawn to CellsBehind
        By what facts are drawn from.
    item_values, hidden_values : int64 arrays, shape (I + 1, K + 1)
        All cells, and hidden ones, by item of the release and by level of the original; the last
        item is of all that the release lacks, the last level of cells without a value.
    """

    scale: Floats
    times: TimeChannel
    item_values: Ints
    hidden_values: Ints
    behind: Mapping[Drawn, CellsBehind] = field(default_factory=dict)

    @property
    def hides_cells(self) -> bool:
        """Whether anybody in the release had more cells."""
        return any(one.lengths.hides_cells for one in self.behind.values())

    @property
    def absent(self) -> int:
        """People of whom nothing is released."""
        return max((one.lengths.absent for one in self.behind.values()), default=0)

    @property
    def moves_times(self) -> bool:
        """Whether a released time may not be the original one."""
        return not self.times.windows.are_exact

    @property
    def matters(self) -> bool:
        """Whether the release alone does not say what could be known of everybody."""
        return self.hides_cells or self.moves_times or self.absent > 0

    def of_survivors(self) -> OriginalTotals:
        """Return the same for whoever knows facts about cells that are in the release alone."""
        behind = {drawn: one.of_survivors() for drawn, one in self.behind.items()}
        kept, none = self.item_values - self.hidden_values, np.zeros_like(self.hidden_values)
        return replace(self, item_values=kept, hidden_values=none, behind=behind)
