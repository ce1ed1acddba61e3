"""Draw the auxiliary information of a batch of targets in one grid cell (spec §2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import ANY_LENGTH, NO_DAY, Aux, Candidates, Drawn, FactKind, GroundTruth
from sim.adversary.fact_draws import seed_of_facts
from sim.adversary.filters import Filter
from sim.adversary.knowledge import Knowledge
from sim.adversary.sample_items import SampledItems, sample_items
from sim.adversary.targets import check_removal, items_in_window
from sim.adversary.wrong import CodedCells, wrong_items, wrong_values
from sim.errors import GridError
from sim.numeric.noise import day_shifts, moved_levels
from sim.numeric.random import Purpose, unit, words
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY, TimeBin
from sim.release.store.time_spans import TimeSpan


@dataclass(frozen=True, slots=True)
class Sampling:
    """The adversary who knows a sample of the target's own record; see `Adversary`.

    Parameters
    ----------
    time_bin : TimeBin or None
        That of the data, in which `knowledge` has its errors of dates. None: not known yet, and
        errors of dates are minutes or months.
    """

    knowledge: Knowledge
    time_bin: TimeBin | None = DAY

    def knowing(self, **changes: Any) -> Sampling:
        """Return the adversary whose `Knowledge` differs in these parameters.

        Examples
        --------
        >>> str(Sampling(Knowledge(2, 3)).knowing(date_noise=None).knowledge)
        'aux=2/3 value_noise=0 date_noise=null popularity=0'
        """
        return replace(self, knowledge=replace(self.knowledge, **changes))

    def in_bins(self, span: Any) -> int:
        """Return a span of time, as a user writes it, in bins of the data.

        Raises
        ------
        ConfigError
            It is no whole number of bins.

        Examples
        --------
        >>> Sampling(Knowledge(1, 1), TimeBin.parse("hour")).in_bins("2d")
        48
        """
        given = TimeSpan.parse(span)
        if self.time_bin is None:
            return given.minutes or given.months
        return given.whole_bins(self.time_bin, f"grid.date_noise: {span}")

    def knowing_only(self, cells: Filter) -> Sampling:
        """Return the adversary who can know only the cells that a filter keeps as well."""
        return self.knowing(filters=(*self.knowledge.filters, cells))

    @property
    def typical_facts(self) -> float:
        """See `Adversary.typical_facts`."""
        return float(self.knowledge.n_facts)

    @property
    def people(self) -> None:
        """See `Adversary.people`."""
        return

    def eligible(self, store: Store, seed: int) -> NDArray[np.bool_]:  # noqa: ARG002
        """Records with enough cells, or distinct items, in the window, and enough wrong items."""
        check_removal(store, self.knowledge.present)
        able = self._have_facts(store)
        return able & can_be_wrong(store, self.knowledge) if self._wrong_items else able

    def without_wrong(self, store: Store) -> NDArray[np.bool_]:
        """Records with enough facts that hold so many items that too few are left to be wrong."""
        if not self._wrong_items:  # is asked of every grid cell
            return np.zeros(store.manifest.n_records, np.bool_)
        return self._have_facts(store) & ~can_be_wrong(store, self.knowledge)

    def _have_facts(self, store: Store) -> NDArray[np.bool_]:
        known = self.knowledge
        held = items_in_window(store, known.popularity, known.filters, known.draw)
        return np.asarray(held >= known.size)

    @property
    def _wrong_items(self) -> bool:
        return self.knowledge.wrong == "item"

    def draw(self, store: Store, cell: int, subjects: NDArray[np.int64], seed: int) -> Drawn:
        """See `Adversary.draw`."""
        return draw_aux(store, self.knowledge, cell, subjects, seed)

    def notes(self, store: Store) -> Mapping[str, int]:  # noqa: ARG002
        """See `Adversary.notes`; nothing can fail to match."""
        return {}


def why_no_target(store: Store, knowledge: Knowledge) -> tuple[str, str]:
    """Return why no record of a release is eligible, and what to ask for instead."""
    size, n_wrong = knowledge.size, knowledge.size - knowledge.correct
    held = items_in_window(store, knowledge.popularity, knowledge.filters, knowledge.draw)
    most = int(held.max(initial=0))
    if most >= size:
        items = (
            "1 item, which a wrong fact" if n_wrong == 1 else f"{n_wrong} items, which wrong facts"
        )
        return f"no record lacks {items} could be about", "set adversary.wrong=value"
    few = {0: "any such item", 1: "more than 1 such item"}.get(most, f"more than {most} such items")
    return f"no record has {few}", "ask for fewer facts or a wider popularity"


def can_be_wrong(store: Store, knowledge: Knowledge) -> NDArray[np.bool_]:
    """Whether each record lacks as many items as there are wrong facts, shape (n_records,)."""
    lacking = store.manifest.n_items - store.items_held
    return np.asarray(lacking >= knowledge.size - knowledge.correct)


def draw_aux(
    store: Store, knowledge: Knowledge, cell: int, targets: NDArray[np.int64], seed: int
) -> Drawn:
    """Draw one aux set per target.

    Every draw is keyed by (seed, target, position), and the number of the draw of facts, so an aux
    set depends neither on the other targets of the batch nor on the other cells of the grid.

    Parameters
    ----------
    cell : int
        Number of the grid cell, carried along.
    targets : int64 array, shape (T,)
        Eligible records, ascending.

    Returns
    -------
    Drawn
        T units of ``knowledge.n_facts`` facts.

    Raises
    ------
    GridError
        A target is not eligible, or a fact cannot be made wrong.
    """
    check_removal(store, knowledge.present)
    seed = seed_of_facts(seed, knowledge.fact_draw)
    size = knowledge.size
    sampled = sample_items(
        store, targets, knowledge.popularity, size, seed, knowledge.filters, knowledge.draw
    )
    if (sampled.place < 0).any():
        raise GridError(f"{knowledge}: a target has fewer than {size} items in the window")
    wrong = _wrong_positions(targets, size, size - knowledge.correct, seed)
    record = np.repeat(targets, size).reshape(wrong.shape)
    item = sampled.item.copy()
    value = _noisy_values(store, knowledge, seed, record, sampled)
    day = _noisy_days(store, knowledge, seed, record, sampled)
    kind = np.full(wrong.shape, FactKind.TRUE, np.uint8)
    if wrong.any():
        cells, kind[wrong] = _wrong_cells(store, knowledge, seed, record, wrong, sampled)
        item[wrong] = cells.item
        value[wrong] = _known_values(store, knowledge, cells.level)
        day[wrong] = _known_days(store, knowledge, cells.day)
    if knowledge.missing:
        chance = unit(words(seed, Purpose.MISSING_VALUE, record, sampled.place))
        value[chance < knowledge.missing] = np.nan
    held = kind != FactKind.WRONG_ITEM
    aux = Aux(
        cell=np.full(targets.size, cell, np.int32),
        start=np.arange(0, targets.size * size + 1, size, dtype=np.int64),
        item=item.ravel(),
        value=value.ravel(),
        day=day.ravel(),
    )
    truth = GroundTruth(
        target=targets,
        absent=np.full(targets.size, not knowledge.present),
        kind=kind.ravel(),
        own_held=held.ravel(),
        own_level=np.where(held, sampled.level, 0).ravel(),
        own_day=np.where(held, sampled.day, 0).ravel(),
    )
    whole = Drawn(aux, _known_lengths(store, knowledge, seed, targets), truth)
    return whole if knowledge.first is None else whole.first_facts(knowledge.first)


def _wrong_positions(
    targets: NDArray[np.int64], size: int, n_wrong: int, seed: int
) -> NDArray[np.bool_]:
    """A uniform choice of `n_wrong` of the positions of each target, shape (T, size)."""
    keys = words(seed, Purpose.WRONG_POSITION, targets[:, None], np.arange(size))
    wrong = np.zeros(keys.shape, np.bool_)
    first = np.argsort(keys, axis=1, kind="stable")[:, :n_wrong]
    np.put_along_axis(wrong, first, True, axis=1)
    return wrong


def _wrong_cells(
    store: Store,
    knowledge: Knowledge,
    seed: int,
    record: NDArray[np.int64],
    wrong: NDArray[np.bool_],
    sampled: SampledItems,
) -> tuple[CodedCells, FactKind]:
    if knowledge.wrong == "item":
        position = np.broadcast_to(np.arange(knowledge.size), wrong.shape)[wrong]
        return wrong_items(store, knowledge, seed, record[wrong], position), FactKind.WRONG_ITEM
    true = CodedCells(sampled.item[wrong], sampled.level[wrong], sampled.day[wrong])
    cells = wrong_values(store, knowledge, seed, record[wrong], sampled.place[wrong], true)
    return cells, FactKind.WRONG_VALUE


def _known_values(store: Store, knowledge: Knowledge, level: NDArray[Any]) -> NDArray[np.float64]:
    """Values of level codes as the adversary knows them: NaN where missing or not known."""
    if knowledge.value_noise is None:
        return np.full(level.shape, np.nan)
    known: NDArray[np.float64] = np.append(store.scale, np.nan)[level]
    return known


def _known_days(store: Store, knowledge: Knowledge, day: NDArray[np.int32]) -> NDArray[np.int32]:
    if knowledge.date_noise is None:
        return np.full(day.shape, NO_DAY, np.int32)
    return np.where(day == store.manifest.n_days, NO_DAY, day).astype(np.int32)


def _noisy_values(
    store: Store, knowledge: Knowledge, seed: int, record: NDArray[np.int64], sampled: SampledItems
) -> NDArray[np.float64]:
    """True values, each moved to a uniform level of the scale within the noise."""
    if knowledge.value_noise is None or not (knowledge.value_noise or knowledge.value_share):
        return _known_values(store, knowledge, sampled.level)
    reach = knowledge.reach_of(store.scale)
    word = words(seed, Purpose.VALUE_NOISE, record, sampled.place)
    return _known_values(store, knowledge, moved_levels(store.scale, reach, sampled.level, word))


def _noisy_days(
    store: Store, knowledge: Knowledge, seed: int, record: NDArray[np.int64], sampled: SampledItems
) -> NDArray[np.int32]:
    """True days, each moved by a uniform integer within the noise."""
    day = _known_days(store, knowledge, sampled.day)
    if not knowledge.date_noise:
        return day
    shift = day_shifts(knowledge.date_noise, words(seed, Purpose.DAY_NOISE, record, sampled.place))
    return np.where(day == NO_DAY, NO_DAY, day + shift).astype(np.int32)


def _known_lengths(
    store: Store, knowledge: Knowledge, seed: int, targets: NDArray[np.int64]
) -> Candidates:
    """Least and greatest length of a candidate (NS08 Fig. 12; spec §2).

    The adversary has L = |supp(r)|·(1 + p·u), u uniform in [−1, 1], and takes as candidates all
    records whose length could have given it. The target's own always could.
    """
    p = knowledge.record_length
    if p is None:
        return Candidates.every(targets.size)
    length = store.length[targets]
    error = 2.0 * unit(words(seed, Purpose.RECORD_LENGTH, targets)) - 1.0
    noisy = length * (1.0 + p * error)
    # Rounding must not rule out the truth.
    shortest = np.minimum(np.ceil(noisy / (1.0 + p)), length)
    longest = np.clip(np.floor(noisy / (1.0 - p)), length, ANY_LENGTH - 1)
    return Candidates(shortest.astype(np.int32), longest.astype(np.int32))
