"""One scan for many aux sets finds, to the bit, what a scan of each alone would."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from attacking import by_block, decide, of_release, random_aux
from drawing import changed, columns
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, random_rows

from sim.adversary.aux import ANY_LENGTH, Aux, Candidates, Drawn, GroundTruth
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge
from sim.attack.algorithms.scoreboard_rh import ScoreboardRH
from sim.attack.engine.decisions import Decisions, SigmaOver
from sim.attack.engine.similarity import (
    Base2,
    Exponential,
    Presence,
    Similarity,
    Threshold,
    by_item,
)
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.dense import scan_dense
from sim.attack.kernels.drivers import is_fused, scan_block, target_scores, weigh_block
from sim.attack.kernels.fused import scan_fused
from sim.attack.kernels.partials import PARTIAL, total
from sim.attack.kernels.prefixes import by_target, group_prefixes, ungrouped
from sim.attack.kernels.score_spec import ScoreForm, ScoreSpec
from sim.release.store.store import Store

SIMILARITIES: list[Similarity] = [Exponential(), Threshold(1, 14), Presence(), Base2()]


def prefixes_of(aux: Drawn, sizes: list[int], cell: int) -> Drawn:
    """The first facts of every aux set, so many of each."""
    parts = []
    for unit in range(len(aux)):
        one = aux.part(unit, unit + 1)
        n = min(sizes[unit % len(sizes)], int(one.aux.size[0]))
        cut: dict[str, Any] = {
            name: columns(one)[name][:n] for name in (*Aux.PER_FACT, *GroundTruth.PER_FACT)
        }
        cells = np.full(1, cell, np.int32)
        parts.append(changed(one, start=np.array([0, n]), cell=cells, **cut))
    return Drawn.concatenate(parts)


def sweep(store: Store, seed: int, absent: float = 0.3) -> Drawn:
    """Aux sets, beginnings of them, others alike, present and absent, in any order."""
    whole = random_aux(store, seed, 6, absent=absent)
    parts = [whole, whole]
    for cell, sizes in enumerate([[1], [2, 3], [0, 5, 1], [4]], start=1):
        parts.append(prefixes_of(whole, sizes, cell))
    other = changed(whole, day=whole.aux.day + 1)  # another day, and no day overflows
    other = changed(other, day=np.where(whole.aux.day < -1000, whole.aux.day, other.aux.day))
    parts += [other, changed(whole, absent=~whole.truth.absent & (whole.truth.target >= 0))]
    aux = Drawn.concatenate(parts)
    return aux.take(np.random.default_rng(seed).permutation(len(aux)))


@settings(max_examples=examples(20))
@given(
    seed=st.integers(0, 10_000),
    records=st.sampled_from([1, 2, 8, 30]),
    block=st.sampled_from([1, 7, 100]),
    missing=st.sampled_from([0.0, 0.3]),
    similarity=st.sampled_from(SIMILARITIES),
    how=st.sampled_from(["drop", "mean"]),
    entropy=st.booleans(),
)
def test_company_changes_nothing(
    make_store: MakeStore, seed: int, records: int, block: int, missing: float,
    similarity: Similarity, how: Any, entropy: bool,
) -> None:  # fmt: skip
    store = make_store(
        random_rows(seed, records, 8, 3 * records, missing=missing), block_records=block
    )
    aux = sweep(store, seed)
    attack = ScoreboardRH(similarity=similarity, missing=how, entropy=entropy)
    whole, decided = by_block(store, aux, attack), decide(store, aux, attack)
    for unit in range(len(aux)):
        one = aux.part(unit, unit + 1)
        for index, alone in by_block(store, one, attack).items():
            assert alone.tobytes() == whole[index][unit].tobytes()
        found = decide(store, one, attack)
        for name in Decisions.__slots__:
            assert getattr(found, name).tobytes() == getattr(decided, name)[unit].tobytes(), name


@settings(max_examples=examples(40))
@given(
    seed=st.integers(0, 10_000),
    records=st.sampled_from([1, 2, 8, 30]),
    block=st.sampled_from([1, 7, 100]),
    similarity=st.sampled_from(SIMILARITIES),
    levels=st.sampled_from([5, 8, 16, 40]),
)
def test_both_loops_find_the_same(
    make_store: MakeStore, seed: int, records: int, block: int, similarity: Similarity, levels: int
) -> None:
    """A greatest length that rules nobody out is beyond the fused loop."""
    rows = random_rows(seed, records, 8, 3 * records, scale=np.arange(1.0, levels + 1).tolist())
    store = make_store(rows, block_records=block)
    aux = sweep(store, seed)
    longest = np.full(len(aux), ANY_LENGTH - 1, np.int32)
    attack = ScoreboardRH(similarity=similarity)
    spec = attack.scanned(store, aux)
    assert is_fused(aux, spec)
    assert not is_fused(changed(aux, longest=longest), spec)
    dense = by_block(store, changed(aux, longest=longest), attack)
    fused = by_block(store, aux, attack)
    for index in fused:
        for name in fused[index].dtype.names:
            a, b = fused[index][name], dense[index][name]
            if "sum" in name or "squares" in name:
                assert a == pytest.approx(b, rel=1e-12, abs=1e-12), name
            elif name == "overlapping_least":  # may be less than the lowest if not all are equal
                best = dense[index]["overlapping_best"]
                assert ((a >= best) == (b >= best)).all()
                assert (a <= b).all()
            else:
                np.testing.assert_array_equal(a, b, err_msg=name)


@settings(max_examples=examples(40))
@given(
    seed=st.integers(0, 10_000),
    records=st.sampled_from([2, 8, 30]),
    block=st.sampled_from([1, 7]),
    similarity=st.sampled_from(SIMILARITIES),
)
def test_what_other_blocks_have_outdone_does_not_matter(
    make_store: MakeStore, seed: int, records: int, block: int, similarity: Similarity
) -> None:
    """Blocks scanned one after another leave out what cannot be among the highest any more."""
    store = make_store(random_rows(seed, records, 8, 3 * records), block_records=block)
    aux, attack = sweep(store, seed), ScoreboardRH(similarity=similarity)
    blocks = list(range(store.manifest.n_blocks))
    whole = total(by_block(store, aux, attack))
    for order in (blocks, blocks[::-1]):
        found = of_release(store, aux, attack, order)
        for name in PARTIAL.names or ():
            if name == "overlapping_least":  # is asked only whether all are equal
                best = whole["overlapping_best"]
                assert ((found[name] >= best) == (whole[name] >= best)).all()
            else:
                assert found[name].tobytes() == whole[name].tobytes(), name


@pytest.mark.parametrize("similarity", SIMILARITIES, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize(
    "conventions", [("all",), ("nonzero",), ("nonzero", "all")], ids=lambda c: "_".join(c)
)
def test_entropy_at_once_is_that_of_a_second_scan(
    make_store: MakeStore, similarity: Similarity, conventions: tuple[SigmaOver, ...]
) -> None:
    store = make_store(random_rows(3, 60, 25, 700))
    aux = sweep(store, 3)
    attack = ScoreboardRH(similarity=similarity, entropy=True)
    spec, block = attack.scanned(store, aux), store.block(0)
    own = target_scores(store, aux, spec)
    overlapping = np.array([over == "nonzero" for over in conventions])
    both = scan_block(store, block, aux, spec, own, overlapping=overlapping)
    whole = both["partial"].copy()
    sigmas = np.column_stack([attack.sigma_of(whole, over) for over in conventions])
    again = weigh_block(store, block, aux, spec, whole["best"], sigmas)
    assert (sigmas > 0).any()
    assert again.tobytes() == np.ascontiguousarray(both["weighed"]).tobytes()
    assert whole.tobytes() == scan_block(store, block, aux, spec, own).tobytes()


@pytest.mark.parametrize(
    ("kernel", "similarity"), [(scan_fused, Exponential()), (scan_dense, Threshold(1, 14))]
)
def test_entropy_at_once_compiles_no_kernel_anew(
    make_store: MakeStore, kernel: Any, similarity: Similarity
) -> None:
    """Arrays of another layout would be arguments of another type."""
    store = make_store(random_rows(3, 60, 25, 700))
    aux = sweep(store, 3)
    if kernel is scan_dense:
        aux = changed(aux, longest=np.full(len(aux), ANY_LENGTH - 1, np.int32))
    for entropy in (False, True):
        decide(store, aux, ScoreboardRH(similarity=similarity, entropy=entropy))
    names = list(inspect.signature(kernel.py_func).parameters)
    for name in ("out", "weighed"):
        assert len({types[names.index(name)] for types in kernel.signatures}) == 1, name


def test_a_sweep_takes_one_scan_a_target(make_store: MakeStore) -> None:
    store = make_store(random_rows(5, 60, 25, 900))
    targets = np.flatnonzero(store.length >= 8)[:9]
    cells = [Knowledge(m, m, 1, 14) for m in range(1, 9)]
    drawn = [draw_aux(store, known, cell, targets, 7) for cell, known in enumerate(cells)]
    groups = group_prefixes(Drawn.concatenate(drawn))
    assert groups.scanned.size == targets.size
    assert groups.start.tolist() == list(range(0, 8 * targets.size + 1, 8))
    assert groups.size.reshape(-1, 8).tolist() == [list(range(1, 9))] * targets.size
    assert sorted(groups.unit.tolist()) == list(range(8 * targets.size))


def test_targets_that_begin_with_the_same_item_follow_each_other(make_store: MakeStore) -> None:
    store = make_store(random_rows(5, 60, 25, 900))
    targets = np.flatnonzero(store.length >= 4)
    cells = [draw_aux(store, Knowledge(m, m, 1, 14), m - 1, targets, 7) for m in range(1, 5)]
    drawn = Drawn.concatenate(cells)
    groups = by_target(drawn)
    scanned = drawn.take(groups.scanned)
    assert groups.unit.tolist() == groups.scanned.tolist()
    assert sorted(groups.unit.tolist()) == list(range(len(drawn)))
    assert scanned.aux.size.tolist() == [1, 2, 3, 4] * targets.size
    assert (np.diff(scanned.aux.item[scanned.aux.start[:-1]]) >= 0).all()
    assert sorted(scanned.truth.target[::4].tolist()) == targets.tolist()
    assert by_target(drawn.part(0, 0)).unit.tolist() == []


@pytest.mark.parametrize("name", ["item", "value", "day", "own_held", "own_level", "own_day"])
def test_a_single_bit_sets_apart(make_store: MakeStore, name: str) -> None:
    store = make_store(random_rows(5, 60, 25, 900))
    drawn = draw_aux(store, Knowledge(4, 4, 0, 3), 0, np.flatnonzero(store.length >= 8)[:1], 7)
    other = prefixes_of(drawn, [3], 1)
    assert group_prefixes(Drawn.concatenate([drawn, other])).scanned.size == 1
    column = columns(other)[name].copy()
    column[2] = np.nextafter(column[2], 9.0) if name == "value" else column[2] ^ 1
    flipped = changed(other, **{name: column})
    assert group_prefixes(Drawn.concatenate([drawn, flipped])).scanned.size == 2


def test_who_knows_a_length_is_scanned_alone(make_store: MakeStore) -> None:
    store = make_store(random_rows(5, 60, 25, 900))
    aux = sweep(store, 5)
    bounded = np.arange(len(aux)) % 3 == 0
    aux = changed(aux, shortest=np.where(bounded, 2, 0).astype(np.int32))
    groups = group_prefixes(aux)
    alone = np.isin(groups.scanned, np.flatnonzero(bounded))
    assert (np.diff(groups.start)[alone] == 1).all()
    assert alone.sum() == bounded.sum()
    assert not alone[: -bounded.sum()].any()
    decide(store, aux, ScoreboardRH(similarity=Exponential(), entropy=True))


@pytest.mark.parametrize("name", ["target", "absent", "shortest", "longest"])
def test_other_candidates_set_apart(make_store: MakeStore, name: str) -> None:
    store = make_store(random_rows(5, 60, 25, 900))
    drawn = draw_aux(store, Knowledge(4, 4, 0, 3), 0, np.flatnonzero(store.length >= 8)[:1], 7)
    other = changed(drawn, **{name: columns(drawn)[name] ^ 1})
    assert group_prefixes(Drawn.concatenate([drawn, other])).scanned.size == 2


def test_none_and_one(make_store: MakeStore) -> None:
    store = make_store(random_rows(5))
    aux = random_aux(store, 1, 1)
    assert group_prefixes(aux).unit.tolist() == [0]
    assert group_prefixes(aux.part(0, 0)).unit.tolist() == []


@dataclass(frozen=True, kw_only=True)
class Falling(ScoreboardRH):
    """An attack whose scores facts may lower."""

    def scan(self, release: ReleaseView, aux: Aux, candidates: Candidates) -> ScoreSpec:
        return ScoreSpec(
            by_item(release, np.full(aux.item.size, -1.0)), ScoreForm.SUM, np.zeros(len(aux))
        )


def test_scores_that_may_fall_are_not_cut(make_store: MakeStore) -> None:
    store = make_store(random_rows(5))
    falling = Falling()
    aux = sweep(store, 1, absent=0.0)
    groups = group_prefixes(aux)
    few = aux.take(groups.scanned)
    with pytest.raises(ValueError, match="prefixes"):
        target_scores(store, few, falling.scanned(store, few), groups)
    assert target_scores(store, aux, falling.scanned(store, aux), ungrouped(aux)).size == len(aux)
