"""Wrong facts: which cells may be drawn, and that each is as likely as the next (spec §2)."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, deep, examples, plain, random_rows
from reference import PlainRelease
from scipy.stats import chi2

from sim.adversary import item_cells
from sim.adversary import wrong as module
from sim.adversary.aux import NO_DAY, Drawn, FactKind
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.errors import GridError
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

UNLIKELY = 1e-4
Known = tuple[float | None, int | None]
"""Value and day as the adversary has them."""


def known(value: float, day: float, knowledge: Knowledge) -> Known:
    blind, dateless = knowledge.value_noise is None, knowledge.date_noise is None
    return (
        None if blind or math.isnan(value) else value,
        None if dateless or math.isnan(day) else int(day),
    )


def qualifying(release: PlainRelease, knowledge: Knowledge, record: int, item: int) -> list[Known]:
    """The cells a wrong value is drawn from, by the words of the spec; one entry per cell."""
    value, day = release.value[record, item], release.day[record, item]
    k, d = knowledge.value_noise, knowledge.date_noise

    def among(cells: Iterable[tuple[int, int]]) -> list[Known]:
        found = []
        for r, i in cells:
            v, t = release.value[r, i], release.day[r, i]
            # A comparison with a missing part is false.
            if (k is not None and abs(v - value) > k) or (d is not None and abs(t - day) > d):
                found.append(known(v, t, knowledge))
        return found

    cells = [(int(r), int(i)) for r, i in zip(*np.nonzero(release.held), strict=True)]
    return among(c for c in cells if c[1] == item) or among(cells)


def wrong_facts(drawn: Drawn) -> Iterable[tuple[int, int, Known]]:
    """(target, item, what is known) of every wrong fact."""
    target = np.repeat(drawn.truth.target, drawn.aux.size)
    for a in np.flatnonzero(drawn.truth.kind != FactKind.TRUE).tolist():
        value = None if np.isnan(drawn.aux.value[a]) else float(drawn.aux.value[a])
        day = None if drawn.aux.day[a] == NO_DAY else int(drawn.aux.day[a])
        yield int(target[a]), int(drawn.aux.item[a]), (value, day)


def unlike(seen: Counter[Known], cells: list[Known]) -> tuple[float, int]:
    """χ² of what was seen against uniform draws of `cells`, and its degrees of freedom."""
    expected = Counter(cells)
    assert seen.keys() <= expected.keys()
    scale = seen.total() / len(cells)
    return sum((seen[c] - n * scale) ** 2 / (n * scale) for c, n in expected.items()), (
        len(expected) - 1
    )


@pytest.fixture(params=[8, *deep(1), 0], ids=lambda tries: f"tries={tries}")
def tries(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """With 0 every fact is chosen among the counted cells; the distribution must not change."""
    monkeypatch.setattr(module, "TRIES", request.param)
    return int(request.param)


@settings(max_examples=examples(30))
@given(
    seed=st.integers(0, 10_000),
    records=st.integers(1, 12),
    items=st.integers(1, 8),
    values=st.booleans(),
    days=st.booleans(),
    missing=st.sampled_from([0.0, 0.4]),
    scale=st.sampled_from([(1.0, 2.0, 3.0, 4.0, 5.0), (2.0,), (0.5, 4.0, 4.5)]),
    k=st.sampled_from([0, 1, 3, None]),
    d=st.sampled_from([0, 14, 40, None]),
    block=st.integers(1, 12),
)
def test_wrong_values_lie_outside_the_thresholds(
    make_store: MakeStore, tries: int, seed: int, records: int, items: int, values: bool,
    days: bool, missing: float, scale: tuple[float, ...], k: float | None, d: int | None,
    block: int,
) -> None:  # fmt: skip
    """Of the item's own cells if one qualifies, else of the release's; an error if none does."""
    rows = random_rows(seed, records, items, 40, values, days, missing, scale)
    store = make_store(rows, block_records=block)
    knowledge, release = Knowledge(0, 1, k, d), plain(store)
    targets = np.arange(store.manifest.n_records)
    first = draw_aux(store, Knowledge(1, 1), 0, targets, seed).aux.item.tolist()
    allowed = [qualifying(release, knowledge, t, i) for t, i in enumerate(first)]
    if all(allowed):
        drawn = draw_aux(store, knowledge, 0, targets, seed)
        assert drawn.aux.item.tolist() == first
        for target, _, what in wrong_facts(drawn):
            assert what in allowed[target]
    else:
        with pytest.raises(GridError, match="differs enough"):
            draw_aux(store, knowledge, 0, targets, seed)


@pytest.mark.parametrize("k", [0, 1])
@pytest.mark.parametrize("repeats", [False, True])
def test_cells_that_are_read_at_once_give_the_same_draws(
    make_store: MakeStore, tries: int, k: int, repeats: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of cells up to which an item's are read, and with any kind of index."""
    rows = random_rows(4, 60, 40, 300, missing=0.1, repeats=repeats)
    rule = Repeats.ALL if repeats else Repeats.LATEST
    knowledge, found = Knowledge(1, 3, k, 3), []
    for few, dense_at_most in itertools.product((0, 1, 5, 256), (1 << 20, -1)):
        monkeypatch.setattr(item_cells, "FEW", few)
        store = make_store(rows, block_records=7, repeats=rule, dense_at_most=dense_at_most)
        targets = np.flatnonzero(store.length >= 3)
        aux = draw_aux(store, knowledge, 0, targets, 1).aux
        found.append((aux.item.tolist(), aux.value.tobytes(), aux.day.tolist()))
    support = store.cells[np.array(found[0][0])]
    assert (support == 1).any()
    assert (support > 5).any()
    assert all(one == found[0] for one in found)


# Item 1 has a qualifying cell for each of its records, item 2 only for some, item 3 for none;
# item 4 lacks some values and days.
SMALL: list[Row] = [
    (1, 1, 1.0, 100), (2, 1, 1.0, 100), (3, 1, 3.0, 150), (4, 1, 5.0, 200), (5, 1, 5.0, 200),
    (1, 2, 2.0, 120), (2, 2, 2.0, 121), (3, 2, 2.0, 119), (6, 2, 4.0, 118),
    (2, 3, 3.0, 130), (5, 3, 3.0, 130), (6, 3, 3.0, 131),
    (1, 4, None, 90), (4, 4, 2.0, None), (5, 4, 3.0, 300), (6, 4, None, 95),
]  # fmt: skip


@pytest.mark.parametrize(("k", "d"), [(0, 3), (1, 14), (1, None), (None, 14), (0, None)])
def test_wrong_values_are_uniform(
    make_store: MakeStore, tries: int, k: float | None, d: int | None
) -> None:
    """Over the very cells that qualify, each counted once, for every fact that can be wrong."""
    store = make_store(SMALL, block_records=2)
    knowledge, release = Knowledge(0, 2, k, d), plain(store)
    allowed = {
        (t, i): qualifying(release, knowledge, t, i)
        for t, i in zip(*(axis.tolist() for axis in np.nonzero(release.held)), strict=True)
    }
    # Records all of whose cells can be made wrong.
    targets = np.setdiff1d(
        np.flatnonzero(store.length >= 2), [t for (t, _), c in allowed.items() if not c]
    )
    seen: defaultdict[tuple[int, int], Counter[Known]] = defaultdict(Counter)
    for seed in range(500):
        for target, item, what in wrong_facts(draw_aux(store, knowledge, 0, targets, seed)):
            seen[target, item][what] += 1
    assert len(seen) == release.held[targets].sum() > 0
    parts = [unlike(counts, allowed[fact]) for fact, counts in seen.items()]
    statistic, freedom = (sum(column) for column in zip(*parts, strict=True))
    assert freedom >= 2
    assert chi2.sf(statistic, freedom) > UNLIKELY


@pytest.mark.parametrize(
    ("rows", "knowledge"),
    [
        ([(1, 1, 3.0, 5), (2, 1, 3.0, 5), (1, 2, 3.0, 8)], Knowledge(0, 1, 0, 3)),
        ([(1, 1, 3.0, 5), (2, 2, 4.0, 5)], Knowledge(0, 1, 1, None)),
        ([(1, 1, None, 5), (2, 1, 4.0, 5)], Knowledge(0, 1, 0, None)),
        ([(1, 1, 3.0, None), (2, 1, 3.0, 5)], Knowledge(0, 1, 0, 0)),
        ([(1, 1, None, None), (2, 1, None, None)], Knowledge(0, 1, 0, 0)),
        ([(1, 1, 3.0, 5), (2, 1, 4.0, 90)], Knowledge(0, 1, None, None)),
    ],
)
def test_where_nothing_differs_enough_it_says_so(
    make_store: MakeStore, tries: int, rows: list[Row], knowledge: Knowledge
) -> None:
    with pytest.raises(GridError, match="no cell of the release differs enough"):
        draw_aux(make_store(rows), knowledge, 0, np.array([0]), 1)


@settings(max_examples=examples(30))
@given(
    seed=st.integers(0, 10_000),
    records=st.integers(2, 15),
    items=st.integers(2, 12),
    block=st.integers(1, 15),
    size=st.integers(1, 4),
    right=st.integers(0, 3),
)
def test_wrong_items_are_new_to_the_target(
    make_store: MakeStore, tries: int, seed: int, records: int, items: int, block: int,
    size: int, right: int,
) -> None:  # fmt: skip
    """Each is an item the target lacks, with one of its cells, and no item comes twice."""
    store = make_store(random_rows(seed, records, items, 50), block_records=block)
    release = plain(store)
    knowledge = Knowledge(min(right, size), size, 0, 3, wrong="item")
    for target in np.flatnonzero(store.length >= size).tolist():
        lacking = store.manifest.n_items - int(store.length[target])
        if lacking < knowledge.size - knowledge.correct:
            with pytest.raises(GridError, match="holds every item"):
                draw_aux(store, knowledge, 0, np.array([target]), seed)
            continue
        drawn = draw_aux(store, knowledge, 0, np.array([target]), seed)
        assert len(set(drawn.aux.item.tolist())) == size
        for _, item, (value, day) in wrong_facts(drawn):
            assert not release.held[target, item]
            cells = zip(release.value[:, item], release.day[:, item], strict=True)
            assert (value, day) in set(cells)


def test_wrong_items_go_by_popularity(make_store: MakeStore, tries: int) -> None:
    """A uniform cell of the release whose item is not known yet, fact after fact."""
    store = make_store(SMALL, block_records=4)
    release = plain(store)
    knowledge = Knowledge(0, 2, 0, 0, wrong="item")
    target = np.array([2])  # the third record: it holds items 1 and 2
    first: Counter[object] = Counter()
    orders: Counter[object] = Counter()
    for seed in range(1_500):
        facts = list(wrong_facts(draw_aux(store, knowledge, 0, target, seed)))
        first[facts[0][1:]] += 1
        orders[tuple(item for _, item, _ in facts)] += 1
    cells = [
        (item, known(release.value[r, item], release.day[r, item], knowledge))
        for item in (2, 3)
        for r in np.flatnonzero(release.held[:, item]).tolist()
    ]
    assert chi2.sf(*unlike(first, cells)) > UNLIKELY
    # Support 3 against 4 for the first; the second is what is left.
    assert orders.keys() == {(2, 3), (3, 2)}
    assert chi2.sf(*unlike(orders, [(2, 3)] * 3 + [(3, 2)] * 4)) > UNLIKELY


def test_later_wrong_items_go_by_popularity_too(make_store: MakeStore, tries: int) -> None:
    """Of supports 1, 2, 3, 4: a pair (i, j) has probability s_i/10 · s_j/(10 − s_i)."""
    rows = [(9, 0, 1.0, 0)] + [(r, i, 1.0, 0) for i in range(1, 5) for r in range(i)]
    store = make_store(rows)
    target = np.array([store.manifest.n_records - 1])
    knowledge = Knowledge(0, 1, None, None, wrong="item")
    assert plain(store).held[target].sum() == 1
    items: Counter[object] = Counter()
    for seed in range(1_200):
        items[draw_aux(store, knowledge, 0, target, seed).aux.item[0]] += 1
    expected = [item for item in range(1, 5) for _ in range(item)]
    assert chi2.sf(*unlike(items, expected)) > UNLIKELY
    both = [(9, 0, 1.0, 0), (9, 5, 1.0, 0), *rows[1:]]
    store = make_store(both)
    knowledge = Knowledge(0, 2, None, None, wrong="item")
    pairs: Counter[object] = Counter()
    for seed in range(1_200):
        pairs[tuple(draw_aux(store, knowledge, 0, target, seed).aux.item.tolist())] += 1
    # In 2520ths, the least common multiple of what stands below the line.
    likely = {
        (i, j): 2520 * i * j // (10 * (10 - i)) for i, j in itertools.permutations(range(1, 5), 2)
    }
    assert sum(likely.values()) == 2520
    assert chi2.sf(*unlike(pairs, [p for p, n in likely.items() for _ in range(n)])) > UNLIKELY


def test_a_wrong_value_is_drawn_alike_whatever_else_is_wrong(make_store: MakeStore) -> None:
    """A fact that is wrong in two cells of the grid is wrong in the same way."""
    store: Store = make_store(random_rows(4, cells=400))
    targets = np.flatnonzero(store.length >= 4)
    one = draw_aux(store, Knowledge(1, 4, 0, 3), 0, targets, 5)
    two = draw_aux(store, Knowledge(0, 4, 0, 3), 1, targets, 5)
    both = one.truth.kind == FactKind.WRONG_VALUE
    assert 0 < both.sum() < both.size
    for name in ("item", "value", "day"):
        np.testing.assert_array_equal(getattr(one.aux, name)[both], getattr(two.aux, name)[both])
