"""Which facts an adversary may have of a released cell, and which cells fit a fact (spec §2, §8).

A fact is the true cell plus the adversary's noise, and a released cell is the true one plus the
publisher's, so a cell fits a fact if both kinds of noise together can turn it into the fact. A fact
has a date if its cell has one, and a value, unless values are missing by chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.publisher import AS_IS, Publisher
from sim.release.store.store import Store

FREE = -1
"""`Tolerance.days` where no dates are known."""

Truths = NDArray[np.bool_]
Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a fact may be from the cell that it is about.

    Hashable, so that what was counted for one grid cell can be taken for another.

    Parameters
    ----------
    levels : tuple of tuple of bool, F rows of L + 1
        Whether a right fact with the f-th known value may be about a cell of each released level.
        The last column stands for cells without a value, of which a fact has none either.
    exact : tuple of int, shape (L + 1,)
        By released level, the fact about a cell of it that has its value, or the nearest.
    days : int
        The most by which a date may be off, in bins; `FREE` if none is known.
    knows_values : bool
    window : Window
        Ranks in the release of the items that facts may be about.
    missing : float
        The probability that a fact lacks the value that its cell has.
    blanks : bool
        Whether a released cell may lack a part that the true one, and so the fact, has.
    """

    levels: tuple[tuple[bool, ...], ...]
    exact: tuple[int, ...]
    days: int
    knows_values: bool
    window: Window
    missing: float = 0.0
    blanks: bool = False

    @classmethod
    def of(cls, knowledge: Knowledge, store: Store, publisher: Publisher = AS_IS) -> Tolerance:
        """Return the tolerance of a grid cell on a release.

        Where values were exchanged, or times made coarser, it is only that of equal released cells.
        They fit the same facts, whatever was done to them, so what is counted is at most too low.

        Examples
        --------
        >>> from types import SimpleNamespace as Fake
        >>> store = Fake(scale=np.array([1.0, 2.0]), manifest=Fake(n_days=9))
        >>> Tolerance.of(Knowledge(1, 1, value_noise=0, date_noise=3), store).levels
        ((True, False, False), (False, True, False), (False, False, True))
        """
        dated = knowledge.date_noise is not None and store.manifest.n_days > 0
        noise = (knowledge.date_noise or 0) + publisher.date_noise
        valued = knowledge.value_noise is not None and store.scale.size > 0
        near, exact = _near(knowledge, store.scale, publisher) if valued else _any(store.scale.size)
        return cls(
            tuple(tuple(row) for row in near.tolist()),
            tuple(exact.tolist()),
            (0 if publisher.times else noise) if dated else FREE,
            valued,
            # What a change of the data does to the ranks is left aside: any item may be known.
            knowledge.popularity if publisher == AS_IS else Window(),
            knowledge.missing,
            publisher.blanks,
        )

    @property
    def drawn(self) -> Truths:
        """Whether each fact may be drawn about a cell of each level, shape (F, L + 1)."""
        return np.array(self.levels, np.bool_)

    @property
    def chances(self) -> NDArray[np.float64]:
        """The probability of each fact about a cell of each level, shape (F, L + 1).

        A value is any of those within its error alike. 0: the cell does not fit the fact.
        """
        near = self.drawn.astype(np.float64)
        chances: NDArray[np.float64] = near / np.maximum(near.sum(axis=0), 1)
        if self.knows_values:
            chances[:-1, :-1] *= 1 - self.missing
            chances[-1, :-1] = self.missing
            if self.blanks:
                chances[:-1, -1] = 1 / max(len(chances) - 1, 1)
        return chances

    @property
    def is_exact(self) -> bool:
        """Whether only one fact may be drawn about a released cell."""
        chances = self.chances
        return self.days in (FREE, 0) and bool(((chances == 0) | (chances == 1)).all())


def _any(n_levels: int) -> tuple[Truths, Places]:
    return np.ones((1, n_levels + 1), np.bool_), np.zeros(n_levels + 1, np.int64)


def _near(
    knowledge: Knowledge, released: NDArray[np.float64], publisher: Publisher
) -> tuple[Truths, Places]:
    """Return whether the adversary may know each value of a cell of each released level, or none.

    And which of these values is nearest to each released level.
    """
    if publisher.swapped:
        return np.eye(released.size + 1, dtype=np.bool_), np.arange(released.size + 1)
    scale = publisher.levels(released)
    known = np.abs(scale[:, None] - scale[None, :]) <= knowledge.reach_of(scale)[None, :]
    if publisher.value_channel:
        columns = np.searchsorted(np.array(publisher.released), released)
        possible = np.array(publisher.value_channel)[:, columns] > 0
    else:
        possible = np.abs(scale[:, None] - released[None, :]) <= publisher.value_reach
    near = np.zeros((scale.size + 1, released.size + 1), np.bool_)
    near[:-1, :-1] = (known[:, :, None] & possible[None, :, :]).any(axis=1)
    near[-1, -1] = True
    away = np.where(near[:-1, :-1], np.abs(scale[:, None] - released[None, :]), np.inf)
    return near, np.append(away.argmin(axis=0), scale.size)
