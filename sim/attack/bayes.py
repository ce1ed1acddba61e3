"""The strongest attacker under the stated knowledge: the posterior of every record (spec §4.1)."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from sim.adversary.aux import NO_DAY, AuxBatch
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.targets import items_in_window
from sim.attack.algorithm import Algorithm, Scored
from sim.attack.decisions import Decisions, Floats, SigmaOver, eccentricity, relative_sigma
from sim.attack.partials import Partials
from sim.attack.scan import IMPOSSIBLE, Finish, Gains, Scan
from sim.attack.similarity import day_table, value_gaps
from sim.attack.weights import supports
from sim.release.store import Store


@dataclass(frozen=True, kw_only=True)
class Bayes(Algorithm):
    """Score = −ln C(|E(r′)|, m′) + Σ_i ln((1−π)·p(value_i|value′_i)·p(day_i|day′_i) + π·q_i).

    A uniform prior over the candidates makes it a posterior: guesses made with probability p are
    right with probability p, as far as facts are wrong independently of one another.

    Parameters
    ----------
    knowledge : tuple of Knowledge
        What the adversary of each grid cell knows, by the cell's number.
    confidence : float
        Match iff the best guess has at least this posterior probability and is alone.
    """

    name: ClassVar[str] = "bayes"
    source: ClassVar[str] = "spec §4.1"

    knowledge: tuple[Knowledge, ...]
    confidence: float = 0.5

    @property
    def n_phases(self) -> int:
        """One: the scores are log probabilities, which need no σ."""
        return 1

    def prepare(self, store: Store, aux: AuxBatch) -> AuxBatch:  # noqa: ARG002
        """See `Algorithm.prepare`; a missing value is no fact about values."""
        return aux

    def annotate(self, store: Store, aux: AuxBatch) -> AuxBatch:
        """Count q_i: the share of the item's cells with exactly this value and day."""
        wrong = self._per_fact(aux, _wrong_share) > 0
        if not wrong.any():
            return aux
        share = np.zeros(aux.item.size)
        own = np.repeat(aux.absent, aux.size) & aux.own_held
        for fact in np.flatnonzero(wrong & (aux.item >= 0)).tolist():
            same, cells = _same_cells(store, aux, fact)
            if own[fact]:  # the target's own cell is not in the release under attack
                level, day = aux.own_level[fact : fact + 1], aux.own_day[fact : fact + 1]
                same -= int(_is_same(store, aux, fact, level, day)[0])
                cells -= 1
            share[fact] = same / cells if cells else 0.0
        return replace(aux, share=share)

    def scan(self, store: Store, aux: AuxBatch) -> Scan:
        """See `Algorithm.scan`."""
        wrong = self._per_fact(aux, _wrong_share)
        by_item = self._per_fact(aux, lambda k: float(k.wrong == "item")) > 0
        support = supports(store, aux)
        removed = aux.absent & (aux.target >= 0)
        gone = np.where(removed, store.length[np.maximum(aux.target, 0)], 0)
        cells = np.repeat(store.manifest.n_cells - gone, aux.size)
        value = self._value_likelihood(store, aux)
        noise = self._per_fact(aux, lambda k: -1 if k.date_noise is None else k.date_noise)
        classes, offset = self._day_classes(store, aux, noise)
        inside = np.where(noise < 0, 1.0, 1.0 / (2 * np.maximum(noise, 0) + 1))
        days = np.column_stack([np.where(noise < 0, 1.0, 0.0), inside, np.ones(noise.size)])
        days[aux.day == NO_DAY] = 1.0
        likely = (1 - wrong)[:, None, None] * days[:, :, None] * value[:, None, :]
        with np.errstate(divide="ignore"):
            gain = np.log(likely + (wrong * aux.share)[:, None, None])
            lacking = np.log(wrong * by_item * support / np.maximum(cells, 1) * aux.share)
        gain = np.where(np.isinf(gain), IMPOSSIBLE, gain)
        # Where a record need not hold the item, what lacking it costs is in the base and is taken
        # back where it holds it.
        must = np.isinf(lacking) & ~(by_item & (support == 0))
        lacking = np.where(np.isinf(lacking), 0.0, lacking)
        base = np.bincount(aux.unit, lacking, minlength=len(aux)).astype(np.float64)
        group, term = self._terms(store, aux)
        return Scan(
            Gains(offset, choice=gain - lacking[:, None, None], day_class=classes),
            Finish.LOG,
            base,
            feature=term,
            group=group,
            must=must,
        )

    def matches(self, decided: Floats, whole: Partials) -> NDArray[np.bool_]:  # noqa: ARG002
        """See `Algorithm.matches`."""
        return np.asarray((whole["ties"] == 1) & (_probability(whole) >= self.confidence))

    def spread(self, whole: Partials, over: SigmaOver) -> Floats:
        """See `Algorithm.spread`; of the probabilities."""
        return relative_sigma(whole, over) * _probability(whole)

    def conclude(self, aux: AuxBatch, scored: Scored, weighed: Floats | None) -> Decisions:  # noqa: ARG002
        """See `Algorithm.conclude`; eccentricity is that of the probabilities."""
        whole, own = scored.whole, scored.own
        top = _probability(whole)
        spread = scored.sigmas[:, 0 if self.sigma == "all" else 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            second = np.where(
                np.isinf(whole["second"]), 0.0, top * np.exp(whole["second"] - whole["best"])
            )
            # Copied, since the last bit of a logarithm may depend on the stride.
            mass = np.log2(whole["exp"].copy())
            target = mass + (whole["best"] - own) / np.log(2)
            itself = mass - whole["exp_scores"] / whole["exp"] / np.log(2)
        everyone = np.log2(np.maximum(whole["candidates"], 1).astype(np.float64))
        possible = whole["exp"] > 0
        bits = np.where(possible & ~np.isinf(own), target, everyone)
        itself = np.where(possible, itself, everyone)
        bits = np.maximum(np.array([bits, bits, itself]), 0.0)
        decided = eccentricity(top, second, spread, whole)
        return self._decisions(aux, scored, decided, spread, own, bits, top)

    def _per_fact(self, aux: AuxBatch, of: Callable[[Knowledge], float]) -> Floats:
        by_cell = np.array([of(k) for k in self.knowledge], np.float64)
        return np.repeat(by_cell[aux.cell], aux.size)

    def _value_likelihood(self, store: Store, aux: AuxBatch) -> Floats:
        """p(value | value′) of every fact, by the cell's level, shape (A, L + 1)."""
        noise = self._per_fact(aux, lambda k: np.inf if k.value_reach is None else k.value_reach)
        gaps = value_gaps(store, aux)
        apart = np.abs(store.scale[:, None] - store.scale[None, :])
        near = {k: (apart <= k).sum(axis=1) for k in np.unique(noise).tolist()}
        count = np.array([np.append(near[k], 1) for k in noise.tolist()]).reshape(gaps.shape)
        on_scale = np.isin(aux.value, store.scale)[:, None]
        within = (gaps <= noise[:, None]) & on_scale
        likely: Floats = np.where(np.isnan(gaps), 1.0, within / np.maximum(count, 1))
        return likely

    def _day_classes(
        self, store: Store, aux: AuxBatch, noise: Floats
    ) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """One table of classes for every noise there is, and each fact's place in it."""
        tables, offset, length = [], np.zeros(aux.item.size, np.int64), 0
        for d in np.unique(noise).tolist():
            table, shift = day_table(store, aux.day, functools.partial(_within, d), 2.0)
            here = noise == d
            offset[here] = shift[here] + length
            tables.append(table.astype(np.uint8))
            length += table.size
        return np.concatenate([np.empty(0, np.uint8), *tables]), offset

    def _terms(self, store: Store, aux: AuxBatch) -> tuple[NDArray[np.int64], Floats]:
        """−ln C(|E(r′)|, m′) of every record, for each window and m′ in the batch."""
        keys = [
            (self.knowledge[cell].popularity, size)
            for cell, size in zip(aux.cell.tolist(), aux.size.tolist(), strict=True)
        ]
        distinct = list(dict.fromkeys(keys))
        group = np.array([distinct.index(key) for key in keys], np.int64)
        if not distinct:
            return group, np.zeros((1, store.manifest.n_records))
        return group, np.array([_term(store, window, size) for window, size in distinct])


def _within(days: float, gap: NDArray[np.int64]) -> Floats:
    return (gap <= days).astype(np.float64)


def _wrong_share(knowledge: Knowledge) -> float:
    """π = (m′ − m)/m′."""
    return (knowledge.size - knowledge.correct) / knowledge.size


def _probability(whole: Partials) -> Floats:
    """Posterior of the best record; 0 where no record is possible."""
    return np.where(whole["exp"] > 0, 1.0 / np.where(whole["exp"] > 0, whole["exp"], 1.0), 0.0)


@functools.lru_cache(maxsize=32)
def _term(store: Store, window: Window, size: int) -> Floats:
    n = items_in_window(store, window).astype(np.float64)
    chosen = np.maximum(n, size)
    log_choose = gammaln(chosen + 1) - gammaln(size + 1.0) - gammaln(chosen - size + 1)
    return np.where(n >= size, -log_choose, IMPOSSIBLE)


def _is_same(
    store: Store, aux: AuxBatch, fact: int, level: NDArray[np.integer], day: NDArray[np.integer]
) -> NDArray[np.bool_]:
    """Whether cells have exactly the fact's value and day; a part it lacks is free."""
    same = np.ones(np.shape(level), np.bool_)
    if not np.isnan(aux.value[fact]):
        same &= np.append(store.scale, np.nan)[level] == aux.value[fact]
    if aux.day[fact] != NO_DAY:
        same &= (day == aux.day[fact]) & (aux.day[fact] < store.manifest.n_days)
    return same


def _same_cells(store: Store, aux: AuxBatch, fact: int) -> tuple[int, int]:
    """Cells of the fact's item with exactly its value and day, and all cells of the item."""
    item, same, cells = int(aux.item[fact]), 0, 0
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        here = slice(int(block.item_start[item]), int(block.item_start[item + 1]))
        found = _is_same(store, aux, fact, block.item_level[here], block.item_day[here])
        same += int(np.count_nonzero(found))
        cells += found.size
    return same, cells
