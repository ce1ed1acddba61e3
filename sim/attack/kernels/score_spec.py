"""Score specifications: the contributions of cells, and the form that turns them into a score.

Every published score is a sum, or the minimum, of contributions of the record's cells of the aux
items, followed by a simple function of the record. An algorithm that states these runs on the
engine.

Invariant: every worker builds these tables itself, and all build the same bytes, whatever their
processors: tables are made by `sim.numeric`, never by NumPy's exponentials and logarithms. Scores
that tie in one block thus tie with those of a block that another machine has scored.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.posterior import Posterior

DAYS_UNIT = float(1 << 20)
"""In totals for `ScoreForm.BOTH`, an agreeing value counts 1 and an agreeing day this much."""

IMPOSSIBLE = -1e300
"""A contribution that rules a record out: finite, so that it can be added up."""

RULED_OUT = IMPOSSIBLE / 2
"""A score that is not above it holds `IMPOSSIBLE`: that of a record that is ruled out."""


class ScoreForm(enum.IntEnum):
    """The score as a function of the total t of a record's contributions."""

    SUM = 0
    """t + base + the record's term."""
    ALL = 1
    """Base where the record holds all required items of the aux, else 0; whatever t is."""
    LOG = 2
    """A logarithm: t + base + the record's term; −inf if ruled out or lacking a required item."""
    LEAST = 3
    """The least contribution where the record holds all required items of the aux, else 0."""
    COSINE = 4
    """t · base · the record's term, which are 1/norm, or 0 where that is 0."""
    BOTH = 5
    """1 where enough values and enough days agree, else 0."""


def _floats() -> NDArray[np.float64]:
    return np.empty(0)


@dataclass(frozen=True)
class Contributions:
    """Contributions of A facts, by the level and the day of the record's cell.

    Smooth (`choice` empty), for all additive similarities of the papers:

        add[a, level] + mul[a, level] · day_table[day_offset[a] + day]

    By class: ``choice[a, day_class[day_offset[a] + day], level]``, the class being 0 outside the
    fact's days, 1 inside, 2 where the cell has no day; or more of them where days are more or less
    likely (`sim.attack.algorithms.likelihood.day_classes`).

    Parameters
    ----------
    day_offset : int64 array, shape (A,)
        Where day code 0 of the release lies in the day table, for each fact.
    add, mul : float64 arrays, shape (A, L + 1)
        By level code; the last is "no value".
    day_table : float64 array, shape (K,)
    choice : float64 array, shape (A, C, L + 1)
    day_class : uint8 or uint16 array, shape (K,)
    """

    day_offset: NDArray[np.int64]
    add: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    mul: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    day_table: NDArray[np.float64] = field(default_factory=_floats)
    choice: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0, 0)))
    day_class: NDArray[np.uint8] | NDArray[np.uint16] = field(
        default_factory=lambda: np.empty(0, np.uint8)
    )

    @cached_property
    def by_level(self) -> NDArray[np.float64]:
        """`add`; of shape (A, 2, 8) if there are at most 16 levels."""
        n_facts, levels = self.add.shape
        if levels > 2 * WIDTH:
            return self.add
        rows = np.zeros((n_facts, 2 * WIDTH))
        rows[:, :levels] = self.add
        return rows.reshape(n_facts, 2, WIDTH)

    @cached_property
    def weight(self) -> NDArray[np.float64] | None:
        """`mul`; of shape (A,) if it is the same at all levels; None if all are 0."""
        if not self.mul.any():
            return None
        first = np.ascontiguousarray(self.mul[:, :1])
        alike = self.mul.shape[1] > 0 and bool((self.mul == first).all())
        return first[:, 0] if alike else self.mul

    @cached_property
    def never_negative(self) -> bool:
        """Whether no smooth contribution is below 0."""
        return all(bool((t >= 0).all()) for t in (self.add, self.mul, self.day_table))


_NO_TABLE = np.empty((0, 0))


class WrongDraws(NamedTuple):
    """What wrong values are drawn from, where that depends on the day of the record's own cell.

    They are drawn from the cells of the item outside the noise of the record's own; where there is
    none, from those of the release.

    Parameters
    ----------
    kind : int64 array, shape (A,)
        Noise that each fact has; −1 where `Counted.wrong` is the chance already, else a number of
        cells: those outside that are the fact. Empty where that is so for all.
    plain : bool array, shape (A,)
        Whether every cell of the item has others outside, none of them is a removed record's, the
        fact has a date, and no cell is one that it may be right about and wrong about.
    gone : int64 array, shape (A, 2)
        Cells [begin, end) of the item that are removed records'.
    gone_level, gone_day : int64 arrays
    reach : int64 array, shape (G,)
        Days within the noise.
    within : bool array, shape (G, L + 1, L + 1)
        Whether values are within the noise of each level's.
    logs : float64 array, shape (2, M)
        ln n for every number of cells that an item may have (`sim.numeric.log_parts`); 0 for 0.
    elsewhere : float64 array, shape (A, C·levels)
        Cells of the release that are the fact, where these are outside, by class of the day and
        level; empty where nothing is drawn from these.
    room : float64 array, shape (H, days·levels)
        Cells of the release outside, by day and level.
    row : int64 array, shape (A,)
        Row of `room` for each fact.
    """

    kind: NDArray[np.int64] = np.empty(0, np.int64)
    plain: NDArray[np.bool_] = np.empty(0, np.bool_)
    gone: NDArray[np.int64] = np.empty((0, 2), np.int64)
    gone_level: NDArray[np.int64] = np.empty(0, np.int64)
    gone_day: NDArray[np.int64] = np.empty(0, np.int64)
    reach: NDArray[np.int64] = np.empty(0, np.int64)
    within: NDArray[np.bool_] = np.empty((0, 0, 0), np.bool_)
    logs: NDArray[np.float64] = np.empty((2, 0))
    elsewhere: NDArray[np.float64] = _NO_TABLE
    room: NDArray[np.float64] = _NO_TABLE
    row: NDArray[np.int64] = np.empty(0, np.int64)


NO_DRAWS = WrongDraws()
"""Of facts whose chances do not depend on the record's own day."""


class Counted(NamedTuple):
    """Chances of A facts, of which a known number in each of U aux sets is wrong.

    The total of a record is then ln of the sum, over all choices of which facts are wrong, of the
    product of their chances (`tests/reference/exact.py`), instead of a sum of contributions.

    Parameters
    ----------
    right, wrong : float64 arrays, shape (A, C·levels)
        Chance that a right, that a wrong fact is this one, where the record holds the item: by
        class of the day (see `Contributions`), then level. The latter see `WrongDraws`.
    levels : int
        L + 1.
    days : int
        Codes of days, "no day" included.
    lacking : float64 array, shape (A,)
        Cells that are this fact, for a record that lacks the item; NaN where every record does, so
        that the fact says nothing but that it is wrong.
    either : bool array, shape (A,)
        Whether the publisher dropped the fact's item, so that it may be right all the same.
    by_item : bool array, shape (A,)
        Whether a wrong fact is one of a wrong item.
    support : float64 array, shape (A,)
        Cells of the item, none of which the next wrong item is drawn from.
    missed : float64 array, shape (A,)
        Chance of a right fact about an item that the record lacks; empty for 0.
    leader : int64 array, shape (A,)
        First fact of the same aux set about the same item; empty where the release has no repeats.
    any_cell : bool array, shape (A,)
        Whether the fact is about any of the record's cells of the item, each as likely, and no
        other fact is about that item; else facts are about different cells. Read where there is a
        `leader`.
    number : int64 array, shape (U,)
        Wrong facts, the most there may be of them.
    weight : float64 array, shape (U, W + 1)
        Ways in which the facts that are not known yet make 0 … W of those that are wrong; empty
        where all are known, so that exactly `number` are.
    right_items : int64 array, shape (U,)
        Facts, of which those that are right are about own items, whose number then depends on how
        many are wrong; 0 where it does not, and empty with `weight`.
    cells : int64 array, shape (U,)
        Cells of the release.
    mass : float64 array, shape (G, N)
        Cells of the items that each record holds, from none of which a wrong item is drawn; empty
        where no items are wrong.
    group : int64 array, shape (U,)
        Row of `mass` for each aux set.
    eligible : float64 array, shape (H, N)
        Items of each record that the adversary may know; empty where no fact is `either`, and all
        `right_items` are 0.
    window : int64 array, shape (U,)
        Row of `eligible` for each aux set.
    draws : WrongDraws
    """

    right: NDArray[np.float64] = _NO_TABLE
    wrong: NDArray[np.float64] = _NO_TABLE
    levels: int = 1
    days: int = 1
    lacking: NDArray[np.float64] = np.empty(0)
    either: NDArray[np.bool_] = np.empty(0, np.bool_)
    by_item: NDArray[np.bool_] = np.empty(0, np.bool_)
    support: NDArray[np.float64] = np.empty(0)
    missed: NDArray[np.float64] = np.empty(0)
    leader: NDArray[np.int64] = np.empty(0, np.int64)
    any_cell: NDArray[np.bool_] = np.empty(0, np.bool_)
    number: NDArray[np.int64] = np.empty(0, np.int64)
    weight: NDArray[np.float64] = _NO_TABLE
    right_items: NDArray[np.int64] = np.empty(0, np.int64)
    cells: NDArray[np.int64] = np.empty(0, np.int64)
    mass: NDArray[np.float64] = _NO_TABLE
    group: NDArray[np.int64] = np.empty(0, np.int64)
    eligible: NDArray[np.float64] = _NO_TABLE
    window: NDArray[np.int64] = np.empty(0, np.int64)
    draws: WrongDraws = NO_DRAWS


NOT_COUNTED = Counted()
"""Score forms that are sums of contributions."""


@dataclass(frozen=True)
class ScoreSpec:
    """The score of a batch of U aux sets, as the scan needs it.

    Parameters
    ----------
    base : float64 array, shape (U,)
    feature : float64 array, shape (G, N)
        Of each record, by group of aux sets: its term; empty where there is none.
    group : int64 array, shape (U,)
        Row of `feature` for each aux set; empty where there is none.
    need : float64 array, shape (U, 2)
        Values and days that must agree, for `ScoreForm.BOTH`; else empty.
    required : bool array, shape (A,)
        Whether a record must hold the fact's item; empty where there is no such fact.
    counted : Counted
        For `ScoreForm.LOG`, instead of `contributions`, of which only the days are then used.
    matching_above : float
        A record is in the matching set if it scores more than this.
    posterior : Posterior or None
        For `ScoreForm.LOG`, what each record's term is computed from, block by block, in place of
        `feature` and of contributions.
    absent : Posterior or None
        The same of a person of whom nothing is released.
    """

    contributions: Contributions
    form: ScoreForm
    base: NDArray[np.float64]
    feature: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 0)))
    group: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    need: NDArray[np.float64] = field(default_factory=lambda: np.empty((0, 2)))
    required: NDArray[np.bool_] = field(default_factory=lambda: np.empty(0, np.bool_))
    counted: Counted = NOT_COUNTED
    matching_above: float = -np.inf
    posterior: Posterior | None = None
    absent: Posterior | None = None

    @cached_property
    def is_plain(self) -> bool:
        """Whether a record's total is a sum of contributions that are never negative.

        And whether it depends on the facts held only through this sum and whether there are any.
        """
        return bool(
            self.form in (ScoreForm.SUM, ScoreForm.COSINE)
            and not len(self.contributions.choice)
            and not len(self.required)
            and not self.counted.number.size
            and self.contributions.never_negative
        )
