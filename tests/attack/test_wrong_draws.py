"""Wrong values among known dates: their chances depend on the day of the record's own cell."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import reference as ref
from attacking import aux_of, decide
from both_scans import compare
from drawing import changed
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from knowing import told
from making import MakeStore, Row, examples, plain, plain_aux
from reference.first import bayes_first
from references import scores_differ_by_a_constant

from sim.adversary.aux import Drawn, OwnCells
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.attack.algorithms.bayes import Bayes
from sim.attack.kernels import near_cells as near_cells_module
from sim.attack.kernels.near_cells import _ROOM, NearCells, near_cells, near_own
from sim.attack.kernels.prefixes import by_target
from sim.attack.kernels.score_spec import WrongDraws
from sim.errors import GridError
from sim.release.store.store import Store

pytestmark = pytest.mark.fast


def crowded(seed: int, records: int, items: int, values: bool, missing: float) -> list[Row]:
    """Cells of items whose dates crowd around a few days, each item's its own."""
    rng = np.random.default_rng(seed)
    middle = rng.integers(0, 60, (items, 3))
    rows: list[Row] = []
    for record in range(records):
        for item in range(items):
            if rng.random() < 0.7:
                near = int(middle[item, rng.integers(3)] + rng.integers(0, 4))
                value = float(rng.integers(1, 4)) if values else None
                rows.append((
                    record, item,
                    None if rng.random() < missing else value,
                    None if rng.random() < missing else near,
                ))  # fmt: skip
    return rows


def drawn_by(store: Store, known: Knowledge, seed: int, cell: int = 0) -> Drawn:
    """What the adversary draws of all who hold enough, every third of whom is left out."""
    able = np.flatnonzero(store.length >= known.size)
    drawn = draw_aux(store, known, cell, able, seed)
    return changed(drawn, absent=np.arange(len(drawn)) % 3 == 1)


def if_any(store: Store, known: Knowledge, seed: int, cell: int = 0) -> Drawn:
    """As `drawn_by`, of a release in which facts can be wrong."""
    assume((store.length >= known.size).any())
    try:
        return drawn_by(store, known, seed, cell)
    except GridError:
        assume(False)
        raise


KNOWN = st.builds(
    lambda size, wrong, first, value_noise, date_noise, missing: Knowledge(
        max(size - wrong, 0), size, value_noise, date_noise, missing=missing,
        first=None if first is None else min(first, size),
    ),
    st.integers(1, 4), st.integers(1, 2), st.sampled_from([None, 1, 2, 3]),
    st.sampled_from([None, 0, 1]), st.sampled_from([0, 2, 9]), st.sampled_from([0.0, 0.0, 0.3]),
)  # fmt: skip
RELEASES = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 1000),
        "records": st.sampled_from([3, 20, 90]),
        "items": st.sampled_from([2, 5]),
        "values": st.booleans(),
        "missing": st.sampled_from([0.0, 0.2]),
    }
)


@settings(max_examples=examples(40))
@given(release=RELEASES, known=KNOWN, block=st.sampled_from([7, 100]))
def test_the_posterior_is_that_of_the_reference(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, block: int
) -> None:
    store = make_store(crowded(**release), block_records=block)
    drawn = if_any(store, known, release["seed"])
    drawn = drawn.take(np.arange(len(drawn))[:20])
    assume(len(drawn))

    def oracle(given_: ref.PlainRelease, aux: ref.PlainAux) -> Any:
        adversary = told(store, known, known.correct)
        if known.first is None:
            return ref.bayes_exact(given_, aux, adversary)
        return bayes_first(given_, aux, adversary, known.size, ref.rank_window(plain(store)))

    scores_differ_by_a_constant(store, drawn, Bayes(knowledge=(known,)), oracle)


def test_a_removed_cell_was_the_only_one_outside(make_store: MakeStore) -> None:
    """Of who is left no cell of the item is outside another's noise: one of the release's is."""
    rows: list[Row] = [
        (0, 0, 1.0, 0), (0, 1, 1.0, 0), (0, 2, 2.0, 0), (1, 0, 2.0, 1), (1, 1, 1.0, 1),
        (1, 2, 2.0, 1), (2, 0, 1.0, 1), (3, 0, 2.0, 1), (3, 1, 2.0, 0),
    ]  # fmt: skip
    known = Knowledge(2, 3, 2, 0, first=1)
    store = make_store(rows)
    found = decide(store, aux_of(store, 0, (0, 2.0, 0), absent=True), Bayes(knowledge=(known,)))
    assert (found.best[0], found.posterior[0]) == (1, 1)


def test_values_that_are_missing_by_chance_and_in_the_data(make_store: MakeStore) -> None:
    """Of two facts without a value one is wrong; three in ten facts lack theirs."""
    rows: list[Row] = [
        (0, 0, 1.0, 5), (0, 1, None, 1), (1, 0, None, 4), (1, 1, 1.5, 2), (2, 0, None, 3),
        (2, 1, 1.5, 0),
    ]  # fmt: skip
    known = Knowledge(1, 2, 0, 0, missing=0.3)
    drawn = aux_of(make_store(rows), 2, (1, None, 0), (0, None, 4))
    assert decide(make_store(rows), drawn, Bayes(knowledge=(known,))).posterior[0] == 0.5


@settings(max_examples=examples(40))
@given(release=RELEASES, known=KNOWN, block=st.sampled_from([7, 100]), absent=st.booleans())
def test_candidates_first_finds_the_same(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, block: int, absent: bool
) -> None:
    """After one fact, two, …, with several noises in one batch."""
    store = make_store(crowded(**release), block_records=block)
    most = dataclasses.replace(known, first=known.size)
    cells = [
        dataclasses.replace(most, first=k, date_noise=noise)
        for noise in (known.date_noise, 5)
        for k in range(1, most.size + 1)
    ]
    drawn = Drawn.concatenate(
        [if_any(store, cell, release["seed"], n) for n, cell in enumerate(cells)]
    )
    if not absent:
        drawn = changed(drawn, absent=np.zeros(len(drawn), np.bool_))
    drawn = drawn.take(by_target(drawn).scanned)
    compare(store, drawn, Bayes(knowledge=tuple(cells)))


def test_the_day_of_the_own_cell_by_hand(make_store: MakeStore) -> None:
    """Dates within 1 of each other; nobody's value is known.

    Five people hold the item on days 0, 0, 1, 5 and 9. If the only fact, "on day 9", is wrong, it
    is one of 2 cells outside the noise of day 0 or 1, and one of 4 outside that of day 5.
    """
    rows: list[Row] = [(r, 0, None, day) for r, day in enumerate([0, 0, 1, 5, 9])]
    store = make_store(rows)
    known = Knowledge(0, 1, None, 1)
    drawn = changed(draw_aux(store, known, 0, np.array([0]), 0), day=np.array([9], np.int32))
    found = decide(store, drawn, Bayes(knowledge=(known,), keep=5))
    assert found.posterior[0] == pytest.approx(2 / 7)
    scores = ref.bayes_exact(
        plain(store), plain_aux(drawn, 0), ref.Adversary(0, store.scale, None, 1)
    )
    assert np.exp(ref.log_distribution(scores)) == pytest.approx(np.array([2, 2, 2, 1, 0]) / 7)


def test_counts_are_made_anew_for_more_noises_than_are_kept(make_store: MakeStore) -> None:
    store = make_store(crowded(1, 40, 4, True, 0.0))
    cells = tuple(Knowledge(1, 2, 0, noise) for noise in range(1, 2 * _ROOM))
    one_by_one = []
    for n, cell in enumerate(cells):
        drawn = drawn_by(store, cell, 3, n)
        one_by_one.append(decide(store, drawn, Bayes(knowledge=cells)).posterior)
    near_cells.cache_clear()
    together = Drawn.concatenate([drawn_by(store, cell, 3, n) for n, cell in enumerate(cells)])
    found = decide(store, together, Bayes(knowledge=cells)).posterior
    assert found.tobytes() == np.concatenate(one_by_one).tobytes()


@settings(max_examples=examples(60))
@given(release=RELEASES, reach=st.sampled_from([0, 2, 9, 100]), apart=st.booleans())
def test_cells_near_each_cell_are_counted_in_any_order(
    make_store: MakeStore, release: dict[str, Any], reach: int, apart: bool
) -> None:
    """Every cell of the release twice, shuffled, against a comparison with each other cell."""
    store = make_store(crowded(**release), block_records=30)
    parts = []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        parts.append((block.record_item, block.record_level, block.record_day))
    cells = np.array([np.concatenate(part).astype(np.int64) for part in zip(*parts, strict=True)])
    no_day, levels = store.manifest.n_days, store.scale.size + 1
    within = np.eye(levels, dtype=np.bool_) if apart else np.ones((levels, levels), np.bool_)
    within[-1], within[:, -1] = True, True  # a missing value never differs
    order = np.random.default_rng(reach).permutation(2 * cells.shape[1]) % cells.shape[1]
    item, level, day = cells[:, order]
    gap = np.abs(day[:, None] - cells[2]) <= reach
    gap |= (day == no_day)[:, None] | (cells[2] == no_day)
    wanted = (gap & within[level][:, cells[1]] & (item[:, None] == cells[0])).sum(axis=1)
    own = OwnCells(np.arange(item.size + 1), level.astype(np.int32), day.astype(np.int32))
    kind = np.zeros(item.size, np.int64)
    draws = WrongDraws(kind=kind, reach=np.array([reach]), within=within[None])
    assert near_own(store, item.astype(np.int32), own, draws).tolist() == wanted.tolist()


@settings(max_examples=examples(60))
@given(
    release=RELEASES,
    reach=st.sampled_from([0, 2, 9, 100]),
    scanned=st.lists(st.integers(0, 3), max_size=4, unique=True),
    a_search=st.sampled_from([0, 1, 1 << 20]),
    some=st.booleans(),
)
def test_postings_near_each_posting(
    make_store: MakeStore,
    release: dict[str, Any],
    reach: int,
    scanned: list[int],
    a_search: int,
    some: bool,
) -> None:
    """Whatever blocks are counted for together, by tables or searches, items new or known."""
    store = make_store(crowded(**release), block_records=10)
    levels, no_day = store.scale.size + 1, store.manifest.n_days
    within = np.eye(levels, dtype=np.bool_)
    within[-1], within[:, -1] = True, True
    items = np.arange(store.manifest.n_items, dtype=np.int32)
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    item = np.concatenate(
        [np.repeat(items, np.subtract(*b.postings_of(items)[::-1])) for b in blocks]
    )
    level = np.concatenate([block.item_level for block in blocks]).astype(np.int64)
    day = np.concatenate([block.item_day for block in blocks]).astype(np.int64)
    gap = (np.abs(day[:, None] - day) <= reach) | (day[:, None] == no_day) | (day == no_day)
    wanted = (gap & within[level][:, level] & (item[:, None] == item)).sum(axis=1)
    near = NearCells(store)
    near.scanned([index for index in scanned if index < len(blocks)])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near_cells_module, "_A_SEARCH", a_search)
        for asked in (items[: 1 + items.size // 2], items) if some else (items,):
            draws = WrongDraws(
                kind=np.zeros(asked.size, np.int64), reach=np.array([reach]), within=within[None]
            )
            found = [near.of(block, asked, draws)[0][: block.item_row.size] for block in blocks]
            counted = np.isin(item, asked)
            assert np.concatenate(found)[counted].tolist() == wanted[counted].tolist()
