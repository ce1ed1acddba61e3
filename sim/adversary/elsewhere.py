"""People of another site as auxiliary information, simulated from a release alone (NS08 §5, IMDb).

The paper's IMDb data are unavailable; this simulates them from its description. A person has rated
some of the items in their record, and other items too. Some ratings are missing; the rest are
noisy. Dates are uncorrelated with the release, except for people who rate on both sites on the
same day. Most people have no record in the release.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux, Candidates, Drawn, FactKind, GroundTruth
from sim.adversary.fact_draws import seed_of_facts
from sim.adversary.facts import Facts, facts_of
from sim.adversary.knowledge import Knowledge, reach
from sim.adversary.target_cells import own_cells
from sim.adversary.targets import check_removal
from sim.adversary.wrong import cells_of_items, wrong_items
from sim.errors import ConfigError
from sim.numeric.noise import day_shifts, moved_levels
from sim.numeric.random import Purpose, below, unit, words
from sim.release.store.store import Store

Dates = Literal["uncorrelated", "none"]

_HAIR = 1e-9


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """The adversary who knows what people rate on another site; see `Adversary`.

    Parameters
    ----------
    member_fraction : float
        Probability that a person's record is in the release; other records are removed before
        the attack.
    overlap_fraction : float
        Fraction of the items in their record that people have rated on the other site too: a
        uniform sample, rounded up, at least one item.
    extra_items_ratio : float
        Items of the release that they have rated only on the other site, per item rated on both;
        drawn by popularity, with the value and day of one of the item's cells.
    missing : float
        Probability that a fact has no value: a comment only.
    value_noise : float
        Values of held items are off by up to this much, in units of the value.
    dates : {"uncorrelated", "none"}
        The day of a held item is that of any of the item's cells, or not known.
    same_day_fraction : float
        Probability that a person rates on both sites at the same time. NS08 describes both
        extremes and everything between; one half is our choice.
    date_noise : int
        Bins of time (days by default) by which their dates are off, either way; unused with
        ``dates="none"``.
    min_items : int
        People with fewer items rated on both sites are not attacked.
    present : bool
        Whether any record stays in the release.
    fact_draw : int
        Number of the draw of the facts, from 0; the same people are in the release in all of them.

    Raises
    ------
    ConfigError
        A parameter is out of range.

    Notes
    -----
    NS08 §5: many items of the other site are not in the release, and vice versa; some ratings are
    missing, "the user entered only a comment"; some people "meticulously rate movies on both" at
    the same time, others whenever they have time, so that "the dates may not be correlated at
    all"; and less than a tenth of the subscribers were released. Items that the release does not
    hold add nothing to a score, and are left out here.
    """

    member_fraction: float = 0.1
    overlap_fraction: float = 0.2
    value_noise: float = 1.0
    # Without keys: the paper says that there are such facts and people, not how many.
    extra_items_ratio: float = 0.5
    missing: float = 0.2
    dates: Dates = "uncorrelated"
    same_day_fraction: float = 0.5
    date_noise: int = 3
    min_items: int = 1
    present: bool = True
    fact_draw: int = 0

    def __post_init__(self) -> None:
        for key in ("member_fraction", "missing", "same_day_fraction"):
            given = getattr(self, key)
            if not 0 <= given <= 1:
                raise ConfigError(f"adversary.{key}: {given}: expected a share from 0 to 1")
        if not 0 < self.overlap_fraction <= 1:
            raise ConfigError(
                f"adversary.overlap_fraction: {self.overlap_fraction}: "
                "expected a share above 0, up to 1"
            )
        for key in ("extra_items_ratio", "value_noise", "date_noise"):
            given = getattr(self, key)
            if not (math.isfinite(given) and given >= 0):
                raise ConfigError(f"adversary.{key}: {given}: expected 0 or more")
        if self.min_items < 1:
            raise ConfigError(f"adversary.min_items: {self.min_items}: expected 1 or more")
        if self.dates not in ("uncorrelated", "none"):
            raise ConfigError(f"adversary.dates: {self.dates!r}: expected uncorrelated or none")

    @property
    def knowledge(self) -> None:
        """See `Adversary.knowledge`: another site is no sample of the record."""
        return

    @property
    def people(self) -> None:
        """See `Adversary.people`."""
        return

    @property
    def typical_facts(self) -> float:
        """See `Adversary.typical_facts`; of a record of 200 items."""
        return max(200 * self.overlap_fraction * (1 + self.extra_items_ratio), 1.0)

    def eligible(self, store: Store, seed: int) -> NDArray[np.bool_]:  # noqa: ARG002
        """Records of people who have rated enough items on the other site."""
        if self.member_fraction < 1:
            check_removal(store, False)
        check_removal(store, self.present)
        return np.asarray(self._known(store.length.astype(np.int64)) >= self.min_items)

    def notes(self, store: Store) -> Mapping[str, int]:  # noqa: ARG002
        """See `Adversary.notes`; nothing can fail to match."""
        return {}

    def draw(self, store: Store, cell: int, subjects: NDArray[np.int64], seed: int) -> Drawn:
        """See `Adversary.draw`."""
        there = unit(words(seed, Purpose.ELSEWHERE_THERE, subjects)) < self.member_fraction
        seed = seed_of_facts(seed, self.fact_draw)
        held = self._held(store, subjects, seed)
        other = self._others(store, subjects, held, seed)
        whole = Facts.concatenate([held, other])
        # Stable: each person's held items first.
        whole = whole.chosen(np.argsort(whole.whose, kind="stable"))
        record = subjects[whole.whose]
        own_held, own_level, own_day = own_cells(store, record, whole.item)
        aux = Aux(
            cell=np.full(subjects.size, cell, np.int32),
            start=np.searchsorted(whole.whose, np.arange(subjects.size + 1)),
            item=whole.item,
            value=np.append(store.scale, np.nan)[whole.level],
            day=whole.day,
        )
        truth = GroundTruth(
            target=subjects,
            absent=~there | np.full(subjects.size, not self.present),
            kind=np.where(own_held, FactKind.TRUE, FactKind.MENTION).astype(np.uint8),
            own_held=own_held,
            own_level=own_level,
            own_day=own_day,
        )
        return Drawn(aux, Candidates.every(subjects.size), truth)

    def _known(self, length: NDArray[np.int64]) -> NDArray[np.int64]:
        """Number of items, of records of these lengths, that are rated on the other site too."""
        known: NDArray[np.int64] = np.ceil(self.overlap_fraction * length - _HAIR).astype(np.int64)
        return known

    def _held(self, store: Store, subjects: NDArray[np.int64], seed: int) -> Facts:
        """Facts on items that people hold, in random order."""
        cells = facts_of(store, subjects)
        record = subjects[cells.whose]
        key = words(seed, Purpose.ELSEWHERE_ITEM, record, cells.place)
        chosen = np.lexsort((cells.place, key, cells.whose))
        length = np.bincount(cells.whose, minlength=subjects.size)
        nth = np.arange(chosen.size) - np.repeat(np.cumsum(length) - length, length)
        facts = cells.chosen(chosen[nth < np.repeat(self._known(length), length)])
        record = subjects[facts.whose]
        word = words(seed, Purpose.VALUE_NOISE, record, facts.place)
        level = moved_levels(store.scale, reach(self.value_noise), facts.level, word)
        return Facts(
            facts.whose,
            facts.place,
            facts.item,
            self._kept(store, seed, record, facts.place, level),
            self._days(store, seed, record, facts),
        )

    def _others(self, store: Store, subjects: NDArray[np.int64], held: Facts, seed: int) -> Facts:
        """Facts on items that people do not hold."""
        number = np.bincount(held.whose, minlength=subjects.size)
        room = store.manifest.n_items - store.items_held[subjects]
        number = np.minimum(np.rint(self.extra_items_ratio * number), room).astype(np.int64)
        whose = np.repeat(np.arange(subjects.size), number)
        position = np.arange(whose.size) - np.repeat(np.cumsum(number) - number, number)
        cells = wrong_items(store, Knowledge(0, 1), seed, subjects[whose], position)
        # Places beyond the record, so that no draw is shared with what is held.
        place = position + store.length[subjects[whose]]
        level = self._kept(store, seed, subjects[whose], place, cells.level.astype(np.int64))
        day = _day(store, cells.day) if self.dates != "none" else np.full_like(cells.day, NO_DAY)
        return Facts(whose, place, cells.item, level, day)

    def _kept(
        self,
        store: Store,
        seed: int,
        record: NDArray[np.int64],
        place: NDArray[np.int64],
        level: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """Replace some levels by the code of a missing value."""
        chance = unit(words(seed, Purpose.MISSING_VALUE, record, place))
        return np.where(chance < self.missing, store.scale.size, level)

    def _days(
        self, store: Store, seed: int, record: NDArray[np.int64], facts: Facts
    ) -> NDArray[np.int32]:
        """Days on the other site of items that people hold."""
        if self.dates == "none":
            return np.full(facts.item.size, NO_DAY, np.int32)
        word = words(seed, Purpose.ELSEWHERE_DAY, record, facts.place)
        any_day = cells_of_items(store, facts.item, below(word, store.cells[facts.item])).day
        word = words(seed, Purpose.DAY_NOISE, record, facts.place)
        same = facts.day + day_shifts(self.date_noise, word)
        same = np.where(facts.day == store.manifest.n_days, NO_DAY, same)
        punctual = unit(words(seed, Purpose.ELSEWHERE_PUNCTUAL, record)) < self.same_day_fraction
        return np.where(punctual, same, _day(store, any_day)).astype(np.int32)


def _day(store: Store, code: NDArray[np.int32]) -> NDArray[np.int32]:
    """Convert day codes to the days of `Aux`."""
    return np.where(code == store.manifest.n_days, NO_DAY, code).astype(np.int32)
