"""nDCG@10 of an item-item recommender that learns from a release.

The recommender scores an item by the sum of its cosines with the items of a person's record
(B. Sarwar et al., "Item-based collaborative filtering recommendation algorithms", WWW 2001;
M. Deshpande and G. Karypis, "Item-based top-N recommendation algorithms", ACM TOIS 22(1), 2004),
over all of these rather than the nearest few. Items that share no record with them are not
recommended.

The gain is binary. Items with the same score have the expected gain over their orders (F. McSherry
and M. Najork, "Computing information retrieval performance measures efficiently in the presence of
tied scores", ECIR 2008), so the numbering of items does not matter. Items of the original that one
released item stands for are such a tie: a group is recommended as its items in a random order.

Libraries do not fit: `CosineRecommender` of implicit cuts ties at the last place as they come, and
ranx and ir_measures break ties by place or identifier, which defences change.
"""

# mypy: disable-error-code="no-untyped-call"
# Numba's decorators and compiled functions have no types.

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sim.extend.options import constant
from sim.numeric import log2
from sim.numeric.compiled import njit
from sim.numeric.random import Purpose, words
from sim.numeric.text import quantity
from sim.release.store.store import Store
from sim.utility.comparison import Comparison
from sim.utility.measure import UtilityMeasure, Value
from sim.utility.rows import Rows

CUTOFF = 10


@dataclass(frozen=True, kw_only=True)
class NDCG(UtilityMeasure):
    """nDCG@10 of an item-item recommender."""

    name: ClassVar[str] = "ndcg"
    label: ClassVar[str] = "nDCG@10 of an item-item recommender"
    use: ClassVar[str] = "recommending to people what they take next"
    counts: ClassVar[str] = "people"
    tested: ClassVar[bool] = True

    # People tested, drawn at random: a standard error of at most 0.012, in seconds.
    test_people: int | None = constant(2000, minimum=1, all=True)

    def measure(self, comparison: Comparison) -> Value:
        """See `UtilityMeasure.measure`.

        Tested are people with tested cells and others in the original; a person who is not released
        gets no recommendation, and counts.
        """
        split = comparison.split
        people, eligible = self._sample(comparison)
        if not people.size:
            return Value(None, note="nobody has both earlier and later cells")
        held = _held_before(comparison.original, split.test, people)
        gains = _gains(comparison, people, held)
        absent = int(np.count_nonzero(comparison.record_of[people] < 0))
        later = int(np.count_nonzero(split.test.length))
        notes = [
            f"a sample of {eligible:,} people" if eligible > people.size else "",
            f"{quantity(later - eligible, 'person', 'people')} with later cells only not tested"
            if later > eligible
            else "",
            f"{quantity(absent, 'person', 'people')} not released" if absent else "",
        ]
        return Value(float(gains.sum() / gains.size), gains.size, "; ".join(filter(None, notes)))

    def _sample(self, comparison: Comparison) -> tuple[NDArray[np.int64], int]:
        """Tested people, ascending, and the number of those whom they are drawn from."""
        split = comparison.split
        eligible = np.flatnonzero((split.test.length > 0) & (split.learnable > 0))
        if self.test_people is None or eligible.size <= self.test_people:
            return eligible, eligible.size
        drawn = np.argsort(words(comparison.seed, Purpose.UTILITY_PERSON, eligible), kind="stable")
        return np.sort(eligible[drawn[: self.test_people]]), eligible.size


def discounts() -> NDArray[np.float64]:
    """Return the weights of ranks 1 to 10: 1/log2(rank + 1).

    Examples
    --------
    >>> discounts()[[0, 2]].tolist()
    [1.0, 0.5]
    """
    return 1 / log2(np.arange(2, CUTOFF + 2))


def _held_before(original: Store, test: Rows, people: NDArray[np.int64]) -> list[NDArray[np.int32]]:
    """Items that people hold in the original in cells that may be learnt from."""
    size = original.manifest.block_records
    held = []
    for person in people.tolist():
        block = original.block(person // size)
        row = person - block.first
        items = block.record_item[block.record_start[row] : block.record_start[row + 1]]
        tested = test.item[test.start[person] : test.start[person + 1]]
        held.append(np.setdiff1d(items, tested).astype(np.int32))
    return held


def _gains(
    comparison: Comparison, people: NDArray[np.int64], held: list[NDArray[np.int32]]
) -> NDArray[np.float64]:
    """nDCG@10 of each person."""
    training, test = comparison.training, comparison.split.test
    record = comparison.record_of[people]
    n_items = comparison.released.manifest.n_items
    by_item = _by_item(training.start, training.item, n_items)
    wanted = np.zeros(n_items, np.bool_)
    for r in record[record >= 0].tolist():
        wanted[training.item[training.start[r] : training.start[r + 1]]] = True
    score = np.zeros((people.size, n_items))
    place = np.full(training.start.size - 1, -1, np.int64)
    place[record[record >= 0]] = np.flatnonzero(record >= 0)
    _score((training.start, training.item), by_item, wanted, place, score)
    start = np.concatenate([[0], np.cumsum([len(each) for each in held])])
    gains = np.empty(people.size)
    _rank(
        score, comparison.linkage.item, (start, np.concatenate(held)), people,
        (test.start, test.item), discounts(), gains,
    )  # fmt: skip
    return gains


@njit
def _by_item(start, item, n_items):  # type: ignore[no-untyped-def]
    """Records that hold each item, once, ascending: where an item's begin, and the records."""
    begin = np.zeros(n_items + 1, np.int64)
    for r in range(start.size - 1):
        for c in range(start[r], start[r + 1]):
            if c == start[r] or item[c] != item[c - 1]:
                begin[item[c] + 1] += 1
    for i in range(n_items):
        begin[i + 1] += begin[i]
    at = begin[:-1].copy()
    record = np.empty(begin[n_items], np.int32)
    for r in range(start.size - 1):
        for c in range(start[r], start[r + 1]):
            if c == start[r] or item[c] != item[c - 1]:
                record[at[item[c]]] = r
                at[item[c]] += 1
    return begin, record


@njit
def _score(rows, by_item, wanted, place, score):  # type: ignore[no-untyped-def]
    """Add up the cosines of all items with those of each tested person, in order of the latter."""
    start, item = rows
    begin, record = by_item
    n_items = begin.size - 1
    norm = np.empty(n_items)
    for i in range(n_items):
        norm[i] = np.sqrt(np.float64(max(begin[i + 1] - begin[i], 1)))
    common, cosine = np.empty(n_items, np.int32), np.empty(n_items)
    for i in range(n_items):
        if not wanted[i]:
            continue
        common[:] = 0
        for k in range(begin[i], begin[i + 1]):
            r = record[k]
            last = np.int32(-1)
            for c in range(start[r], start[r + 1]):
                if item[c] != last:
                    last = item[c]
                    common[last] += 1
        common[i] = 0
        for j in range(n_items):
            cosine[j] = common[j] / (norm[i] * norm[j])
        for k in range(begin[i], begin[i + 1]):
            p = place[record[k]]
            if p >= 0:
                for j in range(n_items):
                    score[p, j] += cosine[j]


@njit
def _rank(score, item_of, held, people, test, discount, gains):  # type: ignore[no-untyped-def]
    """Compute nDCG of each person, in expectation over the orders of items with the same score."""
    held_start, held_item = held
    test_start, test_item = test
    n_items = score.shape[1]
    size = np.zeros(n_items, np.int64)
    for i in range(item_of.size):
        if item_of[i] >= 0:
            size[item_of[i]] += 1
    candidates, relevant = np.empty(n_items, np.int64), np.empty(n_items, np.int64)
    for k in range(people.size):
        candidates[:] = size
        relevant[:] = 0
        for c in range(held_start[k], held_start[k + 1]):
            if item_of[held_item[c]] >= 0:
                candidates[item_of[held_item[c]]] -= 1
        number = 0
        p = people[k]
        for c in range(test_start[p], test_start[p + 1]):
            if c == test_start[p] or test_item[c] != test_item[c - 1]:
                number += 1
                if item_of[test_item[c]] >= 0:
                    relevant[item_of[test_item[c]]] += 1
        gain, ideal, rank, last = 0.0, 0.0, 0, np.inf
        while rank < discount.size:
            best = 0.0
            for j in range(n_items):
                if candidates[j] > 0 and best < score[k, j] < last:
                    best = score[k, j]
            if best == 0.0:
                break
            tied, good = 0, 0
            for j in range(n_items):
                if score[k, j] == best:
                    tied += candidates[j]
                    good += relevant[j]
            weights = 0.0
            for place in range(rank, min(rank + tied, discount.size)):
                weights += discount[place]
            gain += weights * (good / tied)
            rank += tied
            last = best
        for place in range(min(number, discount.size)):
            ideal += discount[place]
        gains[k] = gain / ideal
