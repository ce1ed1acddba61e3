"""People with several records: any of them is right, all of them are gone from the absent."""

from __future__ import annotations

import numpy as np
import pytest
from attacking import decide
from drawing import changed
from every_attack import EVERY, mixed
from making import MakeStore, Row, deep, random_rows

from sim.adversary.aux import Drawn, OwnRecords
from sim.adversary.target_cells import own_cells
from sim.attack.algorithms.baselines import RandomGuess
from sim.attack.algorithms.mentions import TfIdf
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.attack.engine.view import ReleaseView
from sim.metrics.decision_arrays import DecisionArrays
from sim.metrics.outcomes import success_at_one
from sim.numeric import exp2, log2
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store

OF_TARGETS = ("correct", "target_score", "rank", "above", "entropy_bits", "entropy_bits_other")

attacks = pytest.mark.parametrize("attack", EVERY, ids=lambda a: a.name)
once_or_more = pytest.mark.parametrize("repeats", [True, *deep(False)], ids=["repeats", "once"])


def release(make_store: MakeStore, repeats: bool, without: frozenset[int] = frozenset()) -> Store:
    rows: list[Row] = random_rows(5, 60, 25, 700, missing=0.1, repeats=repeats)
    left = [row for row in rows if row[0] not in without]
    return make_store(left, block_records=8, repeats=Repeats.ALL)


def with_more(store: Store, drawn: Drawn, absent: bool) -> Drawn:
    """The same facts, about people with up to three records more, after the target's own."""
    n = store.manifest.n_records
    target = np.minimum(np.maximum(drawn.truth.target, 0), n - 5)
    own = [np.array(records_of(t, n)) for t in target.tolist()]
    start = np.cumsum([0, *map(len, own)])
    return changed(
        about(store, drawn, target),
        absent=np.full(len(drawn), absent),
        records=OwnRecords(start, np.concatenate(own)),
    )


def records_of(person: int, n: int) -> list[int]:
    """A person has the same records in every aux set."""
    rng = np.random.default_rng(person)
    more = rng.permutation(np.arange(person + 1, n))[: rng.integers(0, 4)]
    return [person, *sorted(more.tolist())]


def about(store: Store, drawn: Drawn, target: np.ndarray) -> Drawn:
    """The same facts, said to be about other records."""
    cells = own_cells(store, np.repeat(target, drawn.aux.size), drawn.aux.item)
    names = ("own_held", "own_level", "own_day")
    return changed(drawn, target=target, **dict(zip(names, cells, strict=True)))


@attacks
@once_or_more
def test_the_best_of_a_person_s_records_counts(
    make_store: MakeStore, attack: Algorithm, repeats: bool
) -> None:
    store = release(make_store, repeats)
    drawn = with_more(store, mixed(store, attack), absent=False)
    whole = decide(store, drawn, attack)
    own = drawn.truth.records
    assert own is not None
    each: list[Decisions] = []
    for nth in range(drawn.truth.most_records):
        alone = changed(about(store, drawn, own.nth(nth)), records=None)
        each.append(decide(store, alone, attack))
    for name in set(Decisions.__slots__) - set(OF_TARGETS):
        np.testing.assert_array_equal(getattr(whole, name), getattr(each[0], name), name)
    scores = np.array([one.target_score for one in each])
    best = np.fmax.reduce(scores)
    np.testing.assert_array_equal(whole.target_score, best)
    np.testing.assert_array_equal(whole.correct, np.any([one.correct for one in each], axis=0))
    some, good = ~np.isnan(best), (scores == best).sum(axis=0)
    at = np.argmax(scores == best, axis=0)
    ranks, above = (np.array([getattr(o, n) for o in each]) for n in ("rank", "above"))
    units = np.arange(len(drawn))
    np.testing.assert_array_equal(whole.rank, np.where(some, ranks[at, units] - good + 1, 0))
    np.testing.assert_array_equal(whole.above, np.where(some, above[at, units], 0))
    for name in ("entropy_bits", "entropy_bits_other"):
        bits = np.array([getattr(one, name) for one in each])
        chance = np.where(np.isnan(bits), 0.0, exp2(-bits)).sum(axis=0)
        measured = ~np.isnan(getattr(whole, name))
        np.testing.assert_array_equal(measured, ~np.isnan(bits).all(axis=0))
        expected = -log2(np.minimum(chance[measured], 1.0))
        np.testing.assert_allclose(getattr(whole, name)[measured], expected, atol=1e-12)


@attacks
@once_or_more
def test_an_absent_person_has_no_record_left(
    make_store: MakeStore, monkeypatch: pytest.MonkeyPatch, attack: Algorithm, repeats: bool
) -> None:
    """The attack decides as on a release that was made without them."""
    # This one counts all records, the removed ones too.
    monkeypatch.setattr(ReleaseView, "close_dates", lambda *_: 0.5)
    store, compared = release(make_store, repeats), 0
    drawn = with_more(store, mixed(store, attack), absent=True)
    own = drawn.truth.records
    assert own is not None
    for unit in np.flatnonzero(own.number > 1).tolist()[:12]:
        one = drawn.part(unit, unit + 1)
        gone = own.record[own.start[unit] : own.start[unit + 1]]
        less = release(make_store, repeats, frozenset(store.records.to_numpy()[gone].tolist()))
        alike = less.items.equals(store.items) and less.scale.tolist() == store.scale.tolist()
        days = [(m.first_day, m.n_days) for m in (less.manifest, store.manifest)]
        if not alike or days[0] != days[1]:
            continue
        nobody = about(less, changed(one, records=None), np.array([-1]))
        here, there = decide(store, one, attack), decide(less, nobody, attack)
        compared += 1
        for name in ("candidates", "matching", "overlapping"):
            assert getattr(here, name) == getattr(there, name), name
        assert here.rank == 0
        assert not here.correct.any()
        if isinstance(attack, RandomGuess):
            continue  # drawn by the numbers of records
        for name in ("best_score", "second_score", "sigma", "entropy_all_bits", "posterior"):
            one_is, other = getattr(here, name), getattr(there, name)
            np.testing.assert_allclose(one_is, other, rtol=1e-9, atol=1e-12, err_msg=name)
        assert here.ties == there.ties
        if here.best[0] >= 0:
            assert store.records[here.best[0]] == less.records[there.best[0]]
    assert compared > 3


@attacks
def test_a_person_s_result_depends_on_nobody_else_of_the_batch(
    make_store: MakeStore, attack: Algorithm
) -> None:
    store = release(make_store, False)
    drawn = Drawn.concatenate(
        [with_more(store, mixed(store, attack), absent=absent) for absent in (False, True)]
    )
    whole = decide(store, drawn, attack)
    for unit in range(0, len(drawn), 5):
        alone = decide(store, drawn.part(unit, unit + 1), attack)
        for name in Decisions.__slots__:
            part = getattr(whole, name)[unit : unit + 1]
            assert getattr(alone, name).tobytes() == part.tobytes(), (unit, name)


def test_the_view_is_that_of_a_release_without_them(make_store: MakeStore) -> None:
    store = release(make_store, True)
    drawn = with_more(store, mixed(store, TfIdf()), absent=True)
    own, compared = drawn.truth.records, 0
    assert own is not None
    for unit in np.flatnonzero(own.number > 1).tolist():
        gone = own.record[own.start[unit] : own.start[unit + 1]]
        less = release(make_store, True, frozenset(store.records.to_numpy()[gone].tolist()))
        if not less.items.equals(store.items) or less.manifest.n_days != store.manifest.n_days:
            continue
        one = TfIdf().annotated(store, drawn.part(unit, unit + 1))
        nobody = changed(
            one, target=np.array([-1]), absent=np.array([False]), records=None, repeated=None
        )
        here, there = ReleaseView(store, one), ReleaseView(less, nobody)
        compared += 1
        for name in ("support", "cells", "n_records", "n_cells", "cells_by_level"):
            np.testing.assert_array_equal(getattr(here, name), getattr(there, name), name)
        np.testing.assert_array_equal(here.cells_by_day(0), there.cells_by_day(0))
        for ours, theirs in (
            (here.cells_of_own_items(), there.cells_of_own_items()),
            (here.inverse_norms(np.add), there.inverse_norms(np.add)),
        ):
            left = np.delete(ours[0][ours[1][0]], gone)
            np.testing.assert_allclose(left, theirs[0][theirs[1][0]])
    assert compared > 3


def test_a_tie_among_one_s_own_records_is_a_sure_hit() -> None:
    """Hand-worked: of t at the top o are the person's; the rank counts one of them."""
    at_top = [(1, 1, 0, 1.0), (1, 3, 0, 1.0), (2, 3, 0, 2 / 3), (3, 3, 0, 1 / 3), (2, 1, 1, 0.0)]
    rank, ties, above, expected = map(np.array, zip(*at_top, strict=True))
    unused = np.zeros(5)
    rows = DecisionArrays(
        **dict.fromkeys(DecisionArrays.__slots__, unused) | {
            "rank": rank, "ties": ties, "above": above
        }
    )  # fmt: skip
    np.testing.assert_allclose(success_at_one(rows), expected)
