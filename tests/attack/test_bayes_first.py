"""The Bayes-optimal attacker who knows the first few of m′ facts (`grid.first`)."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
import reference as ref
from attacking import decide, random_aux
from both_scans import RELEASES, compare, store_of
from calibrating import check_calibration
from drawing import changed
from enumerating import enumerated, settings_of_the_adversary
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from knowing import as_known, told
from making import MakeStore, examples, plain, random_rows
from reference.first import bayes_first
from references import scores_differ_by_a_constant

from sim.adversary.aux import Candidates, Drawn
from sim.adversary.draw import draw_aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.targets import items_in_window
from sim.attack.algorithms.bayes import Bayes
from sim.attack.kernels.drivers import score_block
from sim.attack.kernels.prefixes import by_target
from sim.release.store.store import Store


@given(settings_of_the_adversary(), st.integers(0, 1), st.integers(1, 3))
@settings(max_examples=examples(60))
def test_the_reference_is_the_posterior_of_every_draw(
    setting: tuple[ref.PlainRelease, ref.Adversary, int], low: int, known: int
) -> None:
    """All ways of drawing all m′ triples, summed over those that begin alike."""
    release, adversary, size = setting
    known = min(known, size)
    eligible = ref.rank_window(release, low)
    draws = enumerated(release, adversary, size, eligible)
    assume(draws)
    # Facts that no cell can make wrong are refused by the draw, so those not drawn never are.
    assume(np.isin(np.sum(list(draws.values()), axis=0).round(9), [0.0, 1.0]).all())
    prefixes: dict[Any, Any] = defaultdict(lambda: np.zeros(release.n_records))
    for triples, likelihood in draws.items():
        prefixes[triples[:known]] += likelihood
    for triples, likelihood in list(prefixes.items())[:: max(len(prefixes) // 20, 1)]:
        aux = ref.PlainAux.of(list(triples))
        scores = bayes_first(release, aux, adversary, size, eligible)
        logs = ref.log_distribution(scores)
        assert np.exp(logs) == pytest.approx(likelihood / likelihood.sum(), abs=1e-12)


KNOWN = st.builds(
    lambda size, wrong, first, value_noise, date_noise, window, kind, missing: Knowledge(
        max(size - wrong, 0),
        size,
        value_noise,
        date_noise,
        window,
        kind,
        missing,
        first=min(first, size),
    ),
    st.integers(1, 4),
    st.integers(0, 2),
    st.integers(1, 3),
    st.sampled_from([None, 0, 1]),
    st.sampled_from([None, 3]),
    st.sampled_from([Window(), Window(1)]),
    st.sampled_from(["value", "item"]),
    st.sampled_from([0.0, 0.0, 0.3]),
)


def first_facts(store: Store, known: Knowledge, seed: int) -> Drawn:
    """What an outsider brings: as many facts as are known, and only the parts that can be."""
    aux = random_aux(store, seed, 12, absent=0.3)
    aux = aux.take(np.flatnonzero(aux.aux.size >= known.n_facts)).first_facts(known.n_facts)
    return as_known(aux, known)


@settings(max_examples=examples(150))
@given(release=RELEASES, known=KNOWN, block=st.sampled_from([3, 100]))
def test_matches_the_reference(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, block: int
) -> None:
    store = store_of(make_store, release | {"repeats": False}, block)
    drawn = first_facts(store, known, release["seed"])
    assume(len(drawn))

    def oracle(given_: ref.PlainRelease, aux: ref.PlainAux) -> Any:
        window = ref.rank_window(plain(store), known.popularity.low, known.popularity.high)
        return bayes_first(given_, aux, told(store, known, known.correct), known.size, window)

    if known.wrong == "item":  # what a record lacks, where one holds an item alone
        drawn = changed(drawn, absent=np.zeros(len(drawn), np.bool_))
    attack = Bayes(knowledge=(known,))
    scores_differ_by_a_constant(store, drawn, attack, oracle)


@settings(max_examples=examples(150))
@given(
    release=RELEASES,
    known=KNOWN,
    block=st.sampled_from([3, 100]),
    count=st.sampled_from(["exact", "independent"]),
)
def test_candidates_first_finds_the_same(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, block: int, count: Any
) -> None:
    store = store_of(make_store, release, block)
    drawn = first_facts(store, known, release["seed"])
    compare(store, drawn, Bayes(knowledge=(known,), count=count))


@settings(max_examples=examples(150))
@given(release=RELEASES, known=KNOWN, block=st.sampled_from([3, 100]))
def test_more_and_more_facts_share_their_candidates(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, block: int
) -> None:
    """After one fact, two, …: each aux set goes on from what the one before has left."""
    store = store_of(make_store, release, block)
    most = dataclasses.replace(known, size=4, correct=min(known.correct, 4), first=4)
    whole = first_facts(store, most, release["seed"])
    assume(len(whole))
    cells = tuple(dataclasses.replace(most, first=k) for k in range(1, 5))
    drawn = Drawn.concatenate([whole.first_facts(k, k - 1) for k in range(1, 5)])
    drawn = drawn.take(by_target(drawn).scanned)
    compare(store, drawn, Bayes(knowledge=cells))


@settings(max_examples=examples(60))
@given(release=RELEASES, known=KNOWN, other=st.sampled_from([None, 1, 5]))
def test_what_is_found_of_facts_once_is_that_of_each_aux_set(
    make_store: MakeStore, release: dict[str, Any], known: Knowledge, other: int | None
) -> None:
    """Of aux sets that begin alike, and of those known with other noise, which share nothing."""
    store = store_of(make_store, release, 100)
    most = dataclasses.replace(known, size=4, correct=min(known.correct, 4), first=4)
    whole = first_facts(store, most, release["seed"])
    assume(len(whole))
    kinds = (
        [most] if most.date_noise is None else [most, dataclasses.replace(most, date_noise=other)]
    )
    cells = [dataclasses.replace(kind, first=k) for kind in kinds for k in range(1, 5)]
    drawn = Drawn.concatenate(
        [whole.first_facts(known.n_facts, n) for n, known in enumerate(cells)]
    )
    attack = Bayes(knowledge=tuple(cells))
    together = attack.annotated(store, drawn)
    spec, block = attack.scanned(store, attack.prepared(store, together)), store.block(0)
    for unit in range(len(drawn)):
        alone = attack.annotated(store, drawn.take(np.array([unit])))
        begin, end = drawn.aux.start[unit : unit + 2]
        np.testing.assert_array_equal(together.notes[begin:end], alone.notes)
        own = attack.scanned(store, attack.prepared(store, alone))
        np.testing.assert_array_equal(
            score_block(store, block, together, spec, unit),
            score_block(store, block, alone, own, 0),
        )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("longest", [None, 8])
def test_who_is_no_candidate_is_not_among_those_who_share_more_facts(
    make_store: MakeStore, seed: int, longest: int | None
) -> None:
    """Lists are long enough that the few who fit the first facts are not found again.

    Where the only one of them is the removed record, or one of another length, nobody is left.
    """
    rows = random_rows(seed, records=160, items=12, cells=1100, values=True, days=True)
    store = make_store(rows, block_records=100)
    able = np.flatnonzero(items_in_window(store, Window()) >= 4)
    cells = tuple(Knowledge(n, n, 0, 3) for n in range(1, 5))
    of_cells = [draw_aux(store, known, n, able, seed) for n, known in enumerate(cells)]
    drawn = Drawn.concatenate(of_cells)
    drawn = changed(drawn, absent=np.ones(len(drawn), np.bool_))
    if longest is not None:
        bounds = drawn.candidates
        most = np.full_like(bounds.longest, longest)
        drawn = dataclasses.replace(drawn, candidates=Candidates(bounds.shortest, most))
    drawn = drawn.take(by_target(drawn).scanned)
    attack = Bayes(knowledge=cells)
    compare(store, drawn, attack)
    found = decide(store, attack.annotated(store, drawn), attack)
    assert not (found.best == drawn.truth.target).any()


@pytest.mark.parametrize("wrong", ["value", "item"])
def test_the_first_of_all_facts_are_all_facts(make_store: MakeStore, wrong: Any) -> None:
    """first=4 of 4 leaves nothing open: the same posterior as without."""
    rows = random_rows(5, records=60, items=12, cells=500, values=True, days=True)
    store = make_store(rows, block_records=20)
    known = Knowledge(3, 4, 0, 3, wrong=wrong)
    able = np.flatnonzero(items_in_window(store, Window()) >= 4)
    drawn = draw_aux(store, known, 0, able[:20], 3)
    all_four = Bayes(knowledge=(dataclasses.replace(known, first=4),))
    found, other = decide(store, drawn, Bayes(knowledge=(known,))), decide(store, drawn, all_four)
    assert other.best.tolist() == found.best.tolist()
    assert other.posterior == pytest.approx(found.posterior, rel=1e-9)
    assert other.rank.tolist() == found.rank.tolist()


@pytest.mark.parametrize("wrong", ["value", "item"])
@pytest.mark.parametrize("first", [1, 2, 3])
def test_the_posterior_of_the_first_facts_comes_true(
    make_store: MakeStore, wrong: Any, first: int
) -> None:
    rows = random_rows(11, records=150, items=12, cells=1200, values=True, days=False)
    store = make_store(rows, block_records=64)
    known = Knowledge(2, 4, 0, None, wrong=wrong, first=first)
    lacking = store.manifest.n_items - store.length >= 2
    able = np.flatnonzero((items_in_window(store, Window()) >= 4) & lacking)
    attack = Bayes(knowledge=(known,))
    drawn = Drawn.concatenate([draw_aux(store, known, 0, able, seed) for seed in range(8)])
    check_calibration(decide(store, drawn, attack))
