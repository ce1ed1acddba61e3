"""How alike records are, and who is the longest: the store's kernels against plain loops."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from drawing import changed
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples, plain, random_rows
from reference import Threshold, record_similarity
from studying import an_attack, cells, knowledge_of

from sim.adversary.aux import ANY_LENGTH, Drawn
from sim.adversary.knowledge import reach
from sim.metrics.baselines import longest_ties
from sim.metrics.record_pairs import best_guess_similarity, pair_similarity
from sim.study.inline import InlineRunner

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("blocks", [65_536, 7])
@pytest.mark.parametrize(
    ("values", "days", "missing"), [(1, 1, 0), (1, 1, 0.3), (1, 0, 0), (0, 0, 0)]
)
@pytest.mark.parametrize(("k", "d"), [(0.0, 3), (1.0, None), (None, 14), (None, None)])
def test_pairs_are_as_similar_as_in_the_reference(make_store, blocks, values, days, missing, k, d):
    store = make_store(
        random_rows(3, values=bool(values), days=bool(days), missing=missing), blocks
    )
    release, n = plain(store), store.manifest.n_records
    first, second = np.divmod(np.arange(n * n), n)
    far = [np.inf if noise is None else noise for noise in (k, d)]
    reached, within = (np.full(n * n, noise, np.float64) for noise in far)
    found = pair_similarity(store, first, second, (reached, np.zeros(n * n), within))
    expected = [
        record_similarity(release, a, b, Threshold(*far))
        for a, b in zip(first.tolist(), second.tolist(), strict=True)
    ]
    assert found.tolist() == expected
    assert (np.diag(found.reshape(n, n)) == 1).all()


@dataclass
class Guesses:
    """Of decisions, what is compared."""

    best: Any


def attacked(store, grid):
    attack, targets = an_attack(), np.arange(store.manifest.n_records)

    def draw(cell):
        able = np.flatnonzero(grid[cell].adversary.eligible(store, 1))
        return grid[cell].adversary.draw(store, cell, targets[able], 1)

    return list(InlineRunner(store, attack).run(list(range(len(grid))), draw))


def test_each_best_guess_is_compared_at_the_noise_of_its_cell(make_store):
    store = make_store(random_rows(8, records=60, items=12, cells=300, scale=(1.0, 2.0)))
    grid = cells(aux=["1/1"], date_noise=[14, None], value_noise=[1, None])
    release, wrong = plain(store), 0
    for cell, drawn, decisions in attacked(store, grid):
        known = knowledge_of(grid[cell])
        found = best_guess_similarity(
            store, drawn, decisions, [g.adversary.knowledge for g in grid]
        )
        by_items = best_guess_similarity(store, drawn, decisions, [None] * len(grid))
        value = np.inf if known.value_noise is None else reach(known.value_noise)
        day = np.inf if known.date_noise is None else known.date_noise
        for i, best in enumerate(decisions.best.tolist()):
            target = int(drawn.truth.target[i])
            if best < 0:
                assert np.isnan(found[i])
                continue
            wrong += best != target
            expected = record_similarity(release, target, best, Threshold(value, day))
            assert found[i] == (1.0 if best == target else expected)
            assert by_items[i] == record_similarity(release, target, best, Threshold())
        gone = changed(drawn, absent=np.ones(len(drawn), np.bool_))
        unknown = changed(drawn, target=np.full(len(drawn), -1))
        for other in (gone, unknown):
            assert np.isnan(
                best_guess_similarity(store, other, decisions, [known] * len(grid))
            ).all()
    assert wrong > 5


def test_cells_of_one_batch_are_compared_like_cells_apart(make_store):
    """Pairs that several cells ask for, at one noise or at several, in a release of many blocks."""
    store = make_store(random_rows(8, records=60, items=12, cells=300, scale=(1.0, 2.0)), 7)
    grid = cells(aux=["1/1", "2/2"], date_noise=[3, 14], value_noise=[0])
    known = [g.adversary.knowledge for g in grid]
    found = [(drawn, d.best) for _, drawn, d in attacked(store, grid)]
    apart = [best_guess_similarity(store, drawn, Guesses(best), known) for drawn, best in found]
    together = Drawn.concatenate([drawn for drawn, _ in found])
    best = np.concatenate([best for _, best in found])
    whole = best_guess_similarity(store, together, Guesses(best), known)
    np.testing.assert_array_equal(whole, np.concatenate(apart))
    pairs = set(zip(together.truth.target.tolist(), best.tolist(), strict=True))
    assert len(pairs) < 0.6 * best.size
    nothing = Guesses(np.full(best.size, -1))
    assert np.isnan(best_guess_similarity(store, together, nothing, known)).all()


@settings(max_examples=examples(30))
@given(data=st.data())
def test_the_longest_are_counted_among_the_candidates(make_store, data):
    store = make_store(random_rows(5, records=15, cells=60))
    n = store.manifest.n_records
    grid = cells(aux=["1/1"])
    drawn = grid[0].adversary.draw(store, 0, np.arange(n), 1)
    numbers = st.integers(0, 9)
    low = np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)), np.int32)
    high = low + np.array(data.draw(st.lists(numbers, min_size=n, max_size=n)), np.int32)
    high[: n // 4], low[: n // 4] = ANY_LENGTH, 0
    absent = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    target = np.where(np.arange(n) % 7 == 6, -1, drawn.truth.target)
    drawn = changed(drawn, shortest=low, longest=high, absent=absent, target=target)
    found = longest_ties(store, drawn)
    for i in range(n):
        able = [x for x in range(n) if low[i] <= store.length[x] <= high[i]]
        top = max((store.length[x] for x in able), default=-1)
        ties = [x for x in able if store.length[x] == top]
        expected = len(ties) if target[i] in ties and not absent[i] else 0
        assert found[i] == expected
