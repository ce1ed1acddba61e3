"""Nearest neighbours against brute force: bit for bit, ties included."""

from __future__ import annotations

import sys
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain, random_rows
from reference import PlainRelease, Threshold, hamming_to_nearest, nearest_neighbour

from sim.errors import ConfigError, GridError
from sim.measurements.neighbours import (
    PRESENCE,
    VALUES,
    VALUES_AND_DATES,
    Hamming,
    Metric,
    Nearest,
    RecordSimilarity,
    block_index,
    merge,
    nearest,
)
from sim.release.readers.movielens import MovieLensSource
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.release.store.value_bins import UNBINNED
from sim.release.synthetic import PRESETS, SyntheticSource

METRICS: list[Metric] = [
    PRESENCE,
    VALUES,
    VALUES_AND_DATES,
    RecordSimilarity(value=0, day=3),
    RecordSimilarity(value=0.5),
    RecordSimilarity(day=0),
    RecordSimilarity(value=100, day=10_000),
    Hamming(),
]


# The package has a function of the same name.
nearest_module = sys.modules["sim.measurements.neighbours.nearest"]


def everyone(store: Store) -> np.ndarray:
    return np.arange(store.manifest.n_records)


def brute_force(release: PlainRelease, metric: Metric) -> tuple[np.ndarray, np.ndarray]:
    """Each record's figure and nearest other record, a whole release at once."""
    length = release.held.sum(axis=1)
    figure, record = np.empty(release.n_records), np.empty(release.n_records, np.int64)
    limits = metric if isinstance(metric, RecordSimilarity) else RecordSimilarity()
    for r in range(release.n_records):
        mine = release.held[r]
        value_gap = np.abs(release.value[:, mine] - release.value[r, mine])
        day_gap = np.abs(release.day[:, mine] - release.day[r, mine])
        both = release.held[:, mine]
        agree = (both & ~(value_gap > limits.value) & ~(day_gap > limits.day)).sum(axis=1)
        union = length + length[r] - both.sum(axis=1)
        score = agree / union if metric != Hamming() else -(union - both.sum(axis=1)) / length[r]
        score[r] = -np.inf
        record[r] = score.argmax()
        figure[r] = abs(score[record[r]])
    return figure, record


def figure(found: Nearest) -> np.ndarray:
    return found.distance if found.metric == Hamming() else found.similarity


def assert_same(one: Nearest, other: Nearest) -> None:
    for name in ("target", "length", "record", "agree", "union"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist(), name


KINDS = st.fixed_dictionaries(
    {
        "seed": st.integers(0, 2**32),
        "records": st.sampled_from([3, 12, 30]),
        "items": st.sampled_from([2, 8, 25]),
        "cells": st.sampled_from([6, 40, 200]),
        "values": st.booleans(),
        "days": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3]),
        "scale": st.sampled_from([(1.0, 2.0, 3.0, 4.0, 5.0), (0.5, 1.0, 1.5, 4.0), (-0.1, 0.9)]),
    }
)


@given(
    kind=KINDS,
    block=st.sampled_from([1, 4, 7, 1000]),
    value=st.sampled_from([0.0, 1.0, 1.5, np.inf]),
    day=st.sampled_from([0.0, 2.5, 14.0, 60.0, np.inf]),
    shortcuts=st.booleans(),
)
@settings(max_examples=examples(50))
def test_it_matches_the_reference_on_every_kind_of_release(
    make_store: MakeStore,
    kind: dict[str, object],
    block: int,
    value: float,
    day: float,
    shortcuts: bool,
) -> None:
    store = make_store(random_rows(**kind), block_records=block)  # type: ignore[arg-type]
    if store.manifest.n_records < 2:
        return
    release = plain(store)
    with pytest.MonkeyPatch.context() as patch:
        if not shortcuts:
            patch.setattr(block_index, "BITMAP_BYTES", 0)
        found = nearest(store, everyone(store), RecordSimilarity(value, day))
        similarity, record = nearest_neighbour(release, Threshold(value, day))
        assert found.similarity.tobytes() == similarity.tobytes()
        assert found.record.tolist() == record.tolist()
        by_distance = nearest(store, everyone(store), Hamming())
    assert by_distance.distance.tobytes() == hamming_to_nearest(release).tobytes()
    assert by_distance.record.tolist() == brute_force(release, Hamming())[1].tolist()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> list[Store]:
    """The same made-up release in one block of ten words, and in blocks of 1 to 3."""
    folder, stores = tmp_path_factory.mktemp("neighbours"), []
    for block in (65_536, 150, 97):
        build_store(
            SyntheticSource(PRESETS["tiny"], seed=3), folder / str(block), block_records=block
        )
        stores.append(Store(folder / str(block)))
    return stores


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_it_is_brute_force_on_many_words_and_blocks(tiny: list[Store], metric: Metric) -> None:
    expected, record = brute_force(plain(tiny[0]), metric)
    for store in tiny:
        found = nearest(store, everyone(store), metric)
        assert figure(found).tobytes() == expected.tobytes()
        assert found.record.tolist() == record.tolist()


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_it_is_brute_force_where_values_and_dates_are_missing(
    make_store: MakeStore, metric: Metric
) -> None:
    rows = random_rows(7, records=400, items=90, cells=9000, missing=0.2)
    store = make_store(rows, block_records=260)
    expected, record = brute_force(plain(store), metric)
    found = nearest(store, everyone(store), metric)
    assert figure(found).tobytes() == expected.tobytes()
    assert found.record.tolist() == record.tolist()


@pytest.mark.parametrize("sets", ["all", "few", "none", "too many to count"])
def test_sets_of_bits_are_only_a_shortcut(
    tiny: list[Store], monkeypatch: pytest.MonkeyPatch, sets: str
) -> None:
    expected = nearest(tiny[1], everyone(tiny[1]), VALUES)
    monkeypatch.setattr(block_index, "WORDS_A_HOLDER", 1 << 40 if sets == "all" else 1)
    if sets in ("few", "none"):
        monkeypatch.setattr(block_index, "BITMAP_BYTES", 2000 if sets == "few" else 0)
    if sets == "too many to count":
        monkeypatch.setattr(nearest_module, "MOST_CLASSES", 0)
    assert_same(nearest(tiny[1], everyone(tiny[1]), VALUES), expected)


def test_the_shortcut_is_taken(tiny: list[Store]) -> None:
    from sim.measurements.neighbours.metric import match_rule

    many = np.full(tiny[0].manifest.n_items, 1000)
    turned = block_index.index_block(tiny[0].block(0), match_rule(PRESENCE, tiny[0]), many)
    popular = np.flatnonzero(np.diff(tiny[0].block(0).item_start) > 100)
    assert (turned.set_of[popular] >= 0).all()
    holders = [sum(int(w).bit_count() for w in turned.sets[s]) for s in turned.set_of[popular]]
    assert holders == np.diff(tiny[0].block(0).item_start)[popular].tolist()


@pytest.mark.parametrize("metric", METRICS, ids=str)
def test_blocks_merge_in_any_order_and_grouping(tiny: list[Store], metric: Metric) -> None:
    store, targets = tiny[2], np.array([599, 0, 96, 97, 0, 300])
    whole = nearest(store, targets, metric)
    parts = [nearest(store, targets, metric, [b]) for b in range(store.manifest.n_blocks)]
    assert_same(reduce(merge, parts), whole)
    assert_same(reduce(merge, parts[::-1]), whole)
    assert_same(merge(merge(parts[3], parts[0]), reduce(merge, [*parts[4:], *parts[1:3]])), whole)
    one_by_one = None
    for block in (4, 0, 6, 5, 1, 3, 2):
        one_by_one = nearest(store, targets, metric, [block], known=one_by_one)
    assert one_by_one is not None
    assert_same(one_by_one, whole)
    assert_same(merge(whole, whole), whole)


def test_targets_are_independent_of_each_other(tiny: list[Store]) -> None:
    whole = nearest(tiny[1], everyone(tiny[1]), VALUES_AND_DATES)
    some = np.random.default_rng(1).permutation(everyone(tiny[1]))[:40]
    found = nearest(tiny[1], some, VALUES_AND_DATES)
    assert found.record.tolist() == whole.record[some].tolist()
    assert found.similarity.tolist() == whole.similarity[some].tolist()
    assert nearest(tiny[1], some[:0], PRESENCE).similarity.size == 0


def test_what_must_agree_more_is_less_alike(tiny: list[Store]) -> None:
    by = [nearest(tiny[0], everyone(tiny[0]), m) for m in (PRESENCE, VALUES, VALUES_AND_DATES)]
    assert (by[0].similarity >= by[1].similarity).all()
    assert (by[1].similarity >= by[2].similarity).all()
    assert by[0].similarity.mean() > by[1].similarity.mean() > by[2].similarity.mean() > 0


@pytest.mark.parametrize("block", [1, 2, 5, 100])
def test_ties_go_to_the_lowest_record(make_store: MakeStore, block: int) -> None:
    same = [(record, item, 3.0, 10_000) for record in range(1, 9) for item in (1, 2)]
    apart = [(9, 3, 3.0, 10_000), (10, 4, 3.0, 10_000)]
    store = make_store([*same, *apart], block_records=block)
    for metric in METRICS:
        found = nearest(store, everyone(store), metric)
        assert found.record.tolist()[:8] == [1, 0, 0, 0, 0, 0, 0, 0]
        # Records 8 and 9 are as far from all: equally unlike, but nearest by distance to each
        # other, for they are the shortest.
        assert found.record.tolist()[8:] == ([9, 8] if metric == Hamming() else [0, 0])
        expected = [0.0] * 8 + [2.0] * 2 if metric == Hamming() else [1.0] * 8 + [0.0] * 2
        assert figure(found).tolist() == expected


def test_equal_ratios_of_different_numbers_tie(make_store: MakeStore) -> None:
    # 1/2 with record 1, 2/4 with record 0, either in another block.
    cells = {0: (1, 2, 3, 4), 1: (1,), 2: (1, 2)}
    rows = [(r, i, None, None) for r, items in cells.items() for i in items]
    for block in (1, 2, 3):
        found = nearest(make_store(rows, block), np.array([2]), PRESENCE)
        assert (found.record[0], found.similarity[0]) == (0, 0.5)
        assert nearest(make_store(rows, block), np.array([2]), Hamming()).record[0] == 1


@pytest.mark.parametrize("metric", [PRESENCE, VALUES])
def test_a_tie_of_the_greatest_possible_length(make_store: MakeStore, metric: Metric) -> None:
    # Sixty-four short records fill a word of the first block; the tie is alone in the next word.
    cells = [(99,)] * 64 + [(1, 2, 3, 4), (1, 2), (1,)] + [(99,)] * 63
    store = make_store([(r, i, 1.0, None) for r, c in enumerate(cells) for i in c], 65)
    assert (store.manifest.n_blocks, store.block(0).n_records) == (2, 65)
    later = nearest(store, np.array([65]), metric, [1])
    assert (later.record[0], later.similarity[0]) == (66, 0.5)
    both = nearest(store, np.array([65]), metric, [0], known=later)
    assert (both.record[0], both.similarity[0]) == (64, 0.5)


def test_records_of_one_item(make_store: MakeStore) -> None:
    rows = [(record, record % 7, 1.0, 10_000 + record) for record in range(200)]
    store = make_store(rows, block_records=130)
    found = nearest(store, everyone(store), PRESENCE)
    assert (found.similarity == 1.0).all()
    assert found.record.tolist() == [r + 7 if r < 7 else r % 7 for r in range(200)]
    assert (nearest(store, everyone(store), RecordSimilarity(day=6)).similarity == 0.0).all()


def test_many_distinct_values(make_store: MakeStore) -> None:
    scale = tuple(float(x) ** 1.5 for x in range(400))
    store = make_store(
        random_rows(5, cells=700, scale=scale), block_records=16, value_bins=UNBINNED
    )
    assert store.block(0).item_level.dtype == np.uint16
    found = nearest(store, everyone(store), RecordSimilarity(value=700.0))
    similarity, record = nearest_neighbour(plain(store), Threshold(700.0))
    assert found.similarity.tobytes() == similarity.tobytes()
    assert found.record.tolist() == record.tolist()


def test_more_agreeing_cells_than_16_bits_count(make_store: MakeStore) -> None:
    n = (1 << 16) + 5
    rows = [(record, item, None, 10_000) for record in (0, 1) for item in range(n)]
    rows += [(2, item, None, 10_000) for item in range(5)]
    store = make_store(rows, chunk=1 << 16)
    found = nearest(store, everyone(store), RecordSimilarity(day=14))
    assert (found.agree.tolist(), found.record.tolist()) == ([n, n, 5], [1, 0, 0])


def test_real_ratings(real_data: Path, tmp_path: Path) -> None:
    build_store(MovieLensSource(real_data / "ml-100k"), tmp_path / "store", block_records=500)
    store = Store(tmp_path / "store")
    release = plain(store)
    for metric in (PRESENCE, VALUES_AND_DATES, Hamming()):
        found = nearest(store, everyone(store), metric)
        expected, record = brute_force(release, metric)
        assert figure(found).tobytes() == expected.tobytes()
        assert found.record.tolist() == record.tolist()


def test_what_cannot_be_asked(make_store: MakeStore) -> None:
    with pytest.raises(ConfigError, match="value is -1"):
        RecordSimilarity(value=-1)
    with pytest.raises(ConfigError, match="day is nan"):
        RecordSimilarity(day=float("nan"))
    with pytest.raises(GridError, match="one record only"):
        nearest(make_store([(1, 1, 1.0, 1)]), np.array([0]), PRESENCE)
    store = make_store([(1, 1, 1.0, 1), (2, 1, 1.0, 1)], block_records=1)
    one = np.array([0])
    for records in (np.array([2]), np.array([-1]), np.array([[0]])):
        with pytest.raises(ValueError, match="must be records"):
            nearest(store, records, PRESENCE)
    with pytest.raises(ValueError, match="has 2"):
        nearest(store, one, PRESENCE, [2])
    with pytest.raises(ValueError, match="do not merge"):
        merge(nearest(store, one, PRESENCE), nearest(store, one, VALUES))
    with pytest.raises(ValueError, match="do not merge"):
        nearest(store, np.array([1]), PRESENCE, known=nearest(store, one, PRESENCE))
    with pytest.raises(ValueError, match="not by Hamming"):
        _ = nearest(store, one, PRESENCE).distance
    alone = nearest(store, one, PRESENCE, [0])
    assert (alone.record[0], alone.similarity[0]) == (-1, -1.0)
    assert nearest(store, one, Hamming(), [0]).distance[0] == np.inf
    assert_same(merge(alone, nearest(store, one, PRESENCE, [1])), nearest(store, one, PRESENCE))
