"""The exact posterior on a release in which a record may hold an item in several cells.

The facts are an ordered draw of cells without replacement (spec, section 8). So the likelihood of a
record sums over all ways to assign the facts to distinct cells of the record: for the facts about
one item, the permanent of the matrix of their likelihoods. Where items are drawn instead, and then
one cell of each, at most one fact is about an item, and it is the mean over the record's cells of
it. Invariant: on a release without repeats
the scores are those of `bayes` and `bayes_exact`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from reference.bayes import (
    Adversary,
    check_parts,
    day_likelihood,
    log_choose,
    same_cell,
    value_likelihood,
)
from reference.tables import Floats, Mask, PlainAux, PlainRelease

Cell = tuple[int, float, float]
"""Item, value, day; NaN where missing."""


def bayes_events(
    release: PlainRelease,
    aux: PlainAux,
    adversary: Adversary,
    eligible: Mask | None = None,
    *,
    exact: bool = True,
) -> Floats:
    """Log posterior of every record, up to a constant, by enumeration.

    Parameters
    ----------
    release : PlainRelease
        N records, M items.
    aux : PlainAux
        m′ triples, in the order drawn.
    eligible : bool array, shape (M,), or None
        The items that the popularity filter leaves; None for all.
    exact : bool
        Exactly m′ − m triples are wrong, as in `bayes_exact`; else each is with probability π, as
        in `bayes`.

    Returns
    -------
    float64 array, shape (N,)
        −∞ where impossible.

    Examples
    --------
    Record 0 was at place 0 on days 1 and 9, record 1 on day 1 alone and elsewhere on day 9.

    >>> cells = [(0, 0, None, 1), (0, 0, None, 9), (1, 0, None, 1), (1, 1, None, 9)]
    >>> release = PlainRelease.of(2, 2, cells)
    >>> adversary = Adversary(correct=1, levels=np.empty(0), value_noise=None)
    >>> np.exp(bayes_events(release, PlainAux.of([(0, None, 9)]), adversary)).tolist()
    [0.5, 0.0]
    """
    check_parts(aux, adversary)
    m = len(aux)
    allowed = np.ones(release.n_items, np.bool_) if eligible is None else eligible
    chosen = m if adversary.wrong == "value" or not exact else adversary.correct
    scores = np.full(release.n_records, -np.inf)
    everything = [cell for record in range(release.n_records) for cell in _cells(release, record)]
    for record in range(release.n_records):
        own = _cells(release, record)
        drawn_from = [item for item, _, _ in own if allowed[item]]
        n_eligible = len(set(drawn_from) if adversary.draw == "items" else drawn_from)
        if n_eligible < m:
            continue
        one = _Record(adversary, allowed, own, everything, exact, m)
        likelihood = one.likelihood(list(aux), (), 0, ())
        if likelihood > 0:
            ways = log_choose(np.array([max(n_eligible, chosen)]), chosen)[0]
            scores[record] = np.log(likelihood) - ways
    return scores


@dataclass(frozen=True, slots=True)
class _Record:
    adversary: Adversary
    allowed: Mask
    own: list[Cell]
    everything: list[Cell]
    exact: bool
    size: int

    def likelihood(
        self, facts: list[Cell], used: tuple[int, ...], wrong: int, drawn: tuple[int, ...]
    ) -> float:
        """Sum over the assignments of the facts that are left.

        Parameters
        ----------
        used : tuple of int
            Places of own cells that facts before are about.
        wrong : int
            Facts before that are wrong.
        drawn : tuple of int
            Wrong items before.
        """
        if not facts:
            return float(not self.exact or wrong == self.size - self.adversary.correct)
        (item, value, day), rest = facts[0], facts[1:]
        places = [k for k, cell in enumerate(self.own) if cell[0] == item]
        if not places:
            chance = self._lacking(item, value, day, drawn)
            return (
                chance and chance * self.likelihood(rest, used, wrong + 1, (*drawn, item))
            )  # fmt: skip
        by_item = self.adversary.draw == "items"
        taken = set(places) if by_item and not set(places).isdisjoint(used) else set(used)
        total = 0.0
        for k in places:
            if k in taken:
                continue
            right, other = self._held(self.own[k], value, day)
            total += right and right * self.likelihood(rest, (*used, k), wrong, drawn)
            total += other and other * self.likelihood(rest, (*used, k), wrong + 1, drawn)
        return total / len(places) if by_item else total

    def _held(self, cell: Cell, value: float, day: float) -> tuple[float, float]:
        """Chance of a right, and of a wrong, triple about an own cell."""
        adversary = self.adversary
        p = float(value_likelihood(adversary, np.array([cell[1]]), value)[0])
        p *= float(day_likelihood(adversary, np.array([cell[2]]), day)[0])
        if not self.exact:
            share = adversary.wrong_share(self.size)
            return (1 - share) * p + share * self._share(cell[0], value, day), 0.0
        if not self.allowed[cell[0]]:
            return 0.0, 0.0
        by_value = adversary.wrong == "value"
        return p, self._wrong_value(cell, value, day) if by_value else 0.0

    def _lacking(self, item: int, value: float, day: float, drawn: tuple[int, ...]) -> float:
        """Chance of a triple about an item that the record lacks."""
        of_item = [cell for cell in self.everything if cell[0] == item]
        if self.adversary.wrong == "value":
            return 0.0
        if not of_item:
            return 1.0
        same = sum(self._is(cell, value, day) for cell in of_item)
        if not self.exact:
            return self.adversary.wrong_share(self.size) * same / len(self.everything)
        if item in drawn:
            return 0.0
        taken = {cell[0] for cell in self.own} | set(drawn)
        return same / max(sum(cell[0] not in taken for cell in self.everything), 1)

    def _share(self, item: int, value: float, day: float) -> float:
        of_item = [cell for cell in self.everything if cell[0] == item]
        return sum(self._is(cell, value, day) for cell in of_item) / len(of_item)

    def _wrong_value(self, own: Cell, value: float, day: float) -> float:
        """Uniform over the item's cells outside the noise, or over all cells that are."""
        of_item = [cell for cell in self.everything if cell[0] == own[0]]
        for cells in (of_item, self.everything):
            outside = [cell for cell in cells if self._is_outside(cell, own)]
            if outside:
                return sum(self._is(cell, value, day) for cell in outside) / len(outside)
        return 0.0

    def _is(self, cell: Cell, value: float, day: float) -> float:
        """Chance that a triple which is made of a cell as it is would be (value, day)."""
        own = np.array([cell[1]]), np.array([cell[2]])
        return float(same_cell(self.adversary, *own, value, day)[0])

    def _is_outside(self, cell: Cell, own: Cell) -> bool:
        d = self.adversary.date_noise
        by_value = abs(cell[1] - own[1]) > self.adversary.value_reach(own[1])
        return by_value or (d is not None and abs(cell[2] - own[2]) > d)


def _cells(release: PlainRelease, record: int) -> list[Cell]:
    return [
        (item, float(layer.value[record, item]), float(layer.day[record, item]))
        for layer in release.layers
        for item in np.flatnonzero(layer.held[record]).tolist()
    ]
