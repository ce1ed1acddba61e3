"""What an algorithm asks of the scan: contributions of cells, and how a score is made of them.

Every published score is a sum, or the least, of contributions of the record's cells of the aux
items, finished by a simple function of what the record is. Stating these is all that an algorithm
has to do to run on the engine.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

DAYS_UNIT = float(1 << 20)
"""In totals for `Finish.BOTH`, an agreeing value counts 1 and an agreeing day this much."""

IMPOSSIBLE = -1e300
"""A contribution that rules a record out: finite, so that it can be added up."""


class Finish(enum.IntEnum):
    """How a record's score is made of the total t of its contributions."""

    SUM = 0
    """t + base + the record's term."""
    ALL = 1
    """t + base where the record holds what it must of the aux, else 0."""
    LOG = 2
    """A logarithm: t + base + the record's term; −inf where ruled out or lacking a must."""
    LEAST = 3
    """The least contribution where the record holds what it must of the aux, else 0."""
    COSINE = 4
    """t / (base · the record's norm), 0 where that is 0."""
    BOTH = 5
    """1 where enough values and enough days agree, else 0."""


def _floats() -> NDArray[np.float64]:
    return np.empty(0)


@dataclass(frozen=True, slots=True)
class Gains:
    """Contributions of A facts, by the level and the day of the record's cell.

    Smooth (`choice` empty), held by all additive similarities of the papers:

        add[a, level] + mul[a, level] · day_table[day_offset[a] + day]

    By threshold: ``choice[a, day_class[day_offset[a] + day], level]``, the class being 0 outside
    the fact's days, 1 inside, 2 where the cell has no day.

    Parameters
    ----------
    day_offset : int64 array, shape (A,)
        Where day code 0 of the release lies in the day table, for each fact.
    add, mul : float64 arrays, shape (A, L + 1)
        By level code; the last is "no value".
    day_table : float64 array, shape (K,)
    choice : float64 array, shape (A, 3, L + 1)
    day_class : uint8 array, shape (K,)
    """

    day_offset: NDArray[np.int64]
    add: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    mul: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    day_table: NDArray[np.float64] = field(default_factory=_floats)
    choice: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0, 0)))
    day_class: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, np.uint8))


@dataclass(frozen=True, slots=True)
class Scan:
    """All the scan needs to know about a batch of U aux sets.

    Parameters
    ----------
    gains : Gains
    finish : Finish
    base : float64 array, shape (U,)
    feature : float64 array, shape (G, N)
        Of each record, by group of aux sets: its term, or its norm for `Finish.COSINE`; empty
        where there is none.
    group : int64 array, shape (U,)
        Row of `feature` for each aux set; empty where there is none.
    need : float64 array, shape (U, 2)
        Values and days that must agree, for `Finish.BOTH`; else empty.
    must : bool array, shape (A,)
        Whether a record must hold the fact's item; empty where there is no such fact.
    listed_above : float
        A record is on the likely list if it scores more than this.
    """

    gains: Gains
    finish: Finish
    base: NDArray[np.float64]
    feature: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    group: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    need: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 2)))
    must: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    listed_above: float = -np.inf
