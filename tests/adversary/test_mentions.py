"""Simulated mentions: what is said, of whom, how often; and what people can do about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, plain
from numpy.typing import NDArray
from scipy.special import betaln
from scipy.stats import binomtest, chisquare

from sim.adversary import mentioned as module
from sim.adversary.aux import ANY_LENGTH, NO_DAY, Drawn, FactKind
from sim.adversary.decoys import decoy_list
from sim.adversary.list_lengths import LONGEST, length_shares, list_bin
from sim.adversary.mentions import Mentions, _shares_held
from sim.errors import ConfigError, GridError
from sim.release.store.store import Store

UNLIKELY = 1e-4


def release(
    make_store: MakeStore, seed: int = 1, records: int = 300, items: int = 200, block: int = 65_536
) -> Store:
    """Records of 5 to 110 items, popular ones more often; all with values and days."""
    rng = np.random.default_rng(seed)
    popular = 1 / np.arange(1, items + 1)
    rows = []
    for record in range(records):
        length = int(rng.integers(5, 110))
        chosen = rng.choice(items, length, replace=False, p=popular / popular.sum())
        rows += [
            (record, item, float(rng.integers(1, 6)), int(rng.integers(100, 200)))
            for item in sorted(chosen.tolist())
        ]
    return make_store(rows, block_records=block)


def drawn_of(store: Store, mentions: Mentions, seed: int = 1) -> Drawn:
    targets = np.flatnonzero(mentions.eligible(store, seed))
    return mentions.draw(store, 3, targets, seed)


def lists(drawn: Drawn) -> list[list[tuple[int, int]]]:
    """(item, kind) of every unit."""
    pairs = list(zip(drawn.aux.item.tolist(), drawn.truth.kind.tolist(), strict=True))
    return [
        pairs[a:b]
        for a, b in zip(drawn.aux.start[:-1].tolist(), drawn.aux.start[1:].tolist(), strict=True)
    ]


@settings(max_examples=examples(25))
@given(
    held=st.sampled_from([0.0, 0.5, 0.82, 1.0]),
    popularity=st.sampled_from([0.0, 0.5, 3.0]),
    value_known=st.sampled_from([0.0, 0.3, 1.0]),
    hide=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
    decoys=st.sampled_from([0, 1, 20]),
    spread=st.sampled_from([0.0, 0.26, 1.0]),
    support=st.sampled_from(["top", 1, 20]),
    present=st.booleans(),
    seed=st.integers(0, 2**64 - 1),
)
def test_mentions_are_what_they_say_they_are(
    make_store: MakeStore, held: float, popularity: float, value_known: float, hide: float,
    decoys: int, spread: float, support: Any, present: bool, seed: int,
) -> None:  # fmt: skip
    store = release(make_store, records=150)
    dense = plain(store)
    mentions = Mentions(
        held,
        popularity,
        value_known,
        31,
        hide,
        decoys,
        support,
        present=present,
        overdispersion=spread,
    )
    drawn = drawn_of(store, mentions, seed)
    assert (drawn.aux.cell == 3).all()
    assert (drawn.aux.day == NO_DAY).all()
    assert (drawn.truth.absent == (not present)).all()
    assert (drawn.candidates.shortest == 0).all()
    assert (drawn.candidates.longest == ANY_LENGTH).all()
    assert drawn.truth.person.size == 0
    assert drawn.aux.start[0] == 0
    assert drawn.aux.start[-1] == drawn.aux.item.size
    target = np.repeat(drawn.truth.target, drawn.aux.size)
    np.testing.assert_array_equal(drawn.truth.own_held, dense.held[target, drawn.aux.item])
    np.testing.assert_array_equal(drawn.truth.own_held, drawn.truth.kind == FactKind.TRUE)
    known = ~np.isnan(drawn.aux.value)
    np.testing.assert_array_equal(
        drawn.aux.value[known], dense.value[target, drawn.aux.item][known]
    )
    assert not known[~drawn.truth.own_held].any()
    if value_known in (0, 1):
        assert known[drawn.truth.own_held].all() if value_known else not known.any()
    for said in lists(drawn):
        assert len({item for item, _ in said}) == len(said)
        kinds = [kind for _, kind in said]
        assert kinds.count(FactKind.DECOY) <= decoys
        if FactKind.DECOY in kinds:  # decoys come after all that is meant
            assert set(kinds[kinds.index(FactKind.DECOY) :]) == {FactKind.DECOY}
        if held in (0, 1):
            assert FactKind.TRUE not in kinds if held == 0 else FactKind.MENTION not in kinds


@settings(max_examples=examples(15))
@given(seed=st.integers(0, 2**32), block=st.integers(20, 150), some=st.integers(2, 5))
def test_a_draw_depends_on_seed_and_target_alone(
    make_store: MakeStore, seed: int, block: int, some: int
) -> None:
    mentions = Mentions(max_length=31, value_known=0.5, hide_rarest=0.2, decoys=3)
    drawn = drawn_of(release(make_store, records=150), mentions, seed)
    whole = dict(zip(drawn.truth.target.tolist(), lists(drawn), strict=True))
    split = release(make_store, records=150, block=block)
    for part in range(some):
        again = mentions.draw(split, 3, drawn.truth.target[part::some], seed)
        assert dict(zip(again.truth.target.tolist(), lists(again), strict=True)) == {
            t: whole[t] for t in drawn.truth.target[part::some].tolist()
        }


def test_82_percent_are_held_whatever_the_length(make_store: MakeStore) -> None:
    store = release(make_store, records=1500)
    right, said = np.zeros(7, int), np.zeros(7, int)
    for seed in range(5):
        drawn = drawn_of(
            store, Mentions(max_length=100, overdispersion=0, activity_exponent=0), seed
        )
        of = list_bin(np.repeat(drawn.aux.size, drawn.aux.size))
        right += np.bincount(of[drawn.truth.own_held], minlength=7)
        said += np.bincount(of, minlength=7)
    for hits, n in zip(right.tolist(), said.tolist(), strict=True):
        assert n > 50
        assert binomtest(hits, n, 0.82).pvalue > UNLIKELY


def successive(weight: NDArray[np.float64], places: int) -> dict[tuple[int, ...], float]:
    """Probability of every order of draws by weight without replacement."""
    orders: dict[tuple[int, ...], float] = {(): 1.0}
    for _ in range(places):
        longer = {}
        for order, p in orders.items():
            left = [i for i in range(weight.size) if i not in order]
            total = weight[left].sum()
            longer |= {(*order, i): p * weight[i] / total for i in left}
        orders = longer
    return orders


@pytest.mark.parametrize(
    ("tries", "share", "own"), [(16, 1.0, [0, 1, 2]), (16, 0.0, [3, 4, 5]), (0, 0.0, [3, 4, 5])]
)
def test_items_are_drawn_by_weight(
    make_store: MakeStore,
    monkeypatch: pytest.MonkeyPatch,
    tries: int,
    share: float,
    own: list[int],
) -> None:
    """Both of what is held and of what is not, the latter by trial and by weighing up alike."""
    if tries == 0:  # never lucky: every item not held comes from weighing up
        monkeypatch.setattr(module, "TRIES", 0)
        monkeypatch.setattr(module, "_other", numba.njit(module._other.py_func))
        monkeypatch.setattr(module, "_mention", numba.njit(module._mention.py_func))
    store = make_store(
        [(1, item, None, None) for item in (0, 1, 2)] + [(2, i, None, None) for i in (3, 4, 5)]
    )
    weight = np.array([1.0, 2.0, 5.0, 1.0, 3.0, 4.0])
    target, two = np.array([0]), np.array([2])
    seen = Counter(
        tuple(module.mentioned(store, target, two, share, weight, seed)[0].tolist())
        for seed in range(3000)
    )
    law = successive(weight[own], 2)
    counts = [seen[tuple(own[i] for i in order)] for order in law]
    assert sum(counts) == 3000
    assert chisquare(counts, np.array(list(law.values())) * 3000).pvalue > UNLIKELY


def test_popular_items_are_mentioned_more(make_store: MakeStore) -> None:
    store = release(make_store, records=1000)
    means = []
    for popularity in (-1.0, 0.0, 0.5, 2.0):
        mentions = Mentions(
            max_length=31, popularity_exponent=popularity, other_popularity_exponent=popularity
        )
        drawn = drawn_of(store, mentions)
        means.append(
            [
                store.support[drawn.aux.item[drawn.truth.own_held == held]].mean()
                for held in (True, False)
            ]
        )
    assert (np.diff(means, axis=0) > 0).all()
    mixed = drawn_of(
        store, Mentions(max_length=31, popularity_exponent=2, other_popularity_exponent=-1)
    )
    held, other = (
        store.support[mixed.aux.item[mixed.truth.own_held == h]].mean() for h in (True, False)
    )
    assert (held, other) == (means[3][0], means[0][1])


@pytest.mark.parametrize("spread", [0.0, 0.26, 0.9, 1.0])
def test_people_differ_in_what_they_hold_of_what_they_say(spread: float) -> None:
    """Beta: of mean 82%, and of so large a part of the variance of all or nothing."""
    share = _shares_held(0.82, spread, np.arange(20_000), 1)
    assert ((share >= 0) & (share <= 1)).all()
    assert share.mean() == pytest.approx(0.82, abs=0.01)
    assert share.var() == pytest.approx(spread * 0.82 * 0.18, rel=0.05)
    assert _shares_held(1, spread, np.arange(9), 1).tolist() == [1.0] * 9


def test_as_many_lists_name_something_not_held_as_in_the_paper() -> None:
    """F06 §4.1: 20% of the people are misdirected and for 31% no one is possible."""
    size, weight = np.arange(1, LONGEST + 1), 1 / Mentions().overdispersion - 1
    a, b = 0.82 * weight, 0.18 * weight
    all_held = np.exp(betaln(a + size, b) - betaln(a, b))
    assert 1 - length_shares() @ all_held == pytest.approx(0.20 + 0.31, abs=0.01)
    assert 1 - length_shares() @ 0.82**size == pytest.approx(0.66, abs=0.01)


def test_a_shorter_list_is_a_prefix_of_a_longer_one(make_store: MakeStore) -> None:
    store = release(make_store)
    weight = store.support**0.5
    targets = np.flatnonzero((store.length > 40) & (store.length < 150))
    long, _ = module.mentioned(store, targets, np.full(targets.size, 30), 0.6, weight, 1)
    short, _ = module.mentioned(store, targets, np.full(targets.size, 8), 0.6, weight, 1)
    np.testing.assert_array_equal(short.reshape(-1, 8), long.reshape(-1, 30)[:, :8])


def test_values_are_told_as_often_as_asked(make_store: MakeStore) -> None:
    store = release(make_store, records=1000)
    drawn = drawn_of(store, Mentions(max_length=31, value_known=0.3))
    told = int(np.count_nonzero(~np.isnan(drawn.aux.value)))
    assert binomtest(told, int(drawn.truth.own_held.sum()), 0.3).pvalue > UNLIKELY
    more = drawn_of(store, Mentions(max_length=31, value_known=0.6))
    assert not np.isnan(more.aux.value[~np.isnan(drawn.aux.value)]).any()


@pytest.mark.parametrize("share", [0.0, 0.1, 0.29, 1 / 3, 0.5, 1.0])
def test_the_rarest_are_hidden(make_store: MakeStore, share: float) -> None:
    """Of those held, the least supported, never more than the share; all else stays in order."""
    store = release(make_store)
    full = drawn_of(store, Mentions(max_length=63))
    less = drawn_of(store, Mentions(max_length=63, hide_rarest=share))
    assert less.truth.target.tolist() == full.truth.target.tolist()
    hidden_any = False
    for before, after in zip(lists(full), lists(less), strict=True):
        gone = [pair for pair in before if pair not in after]
        assert [pair for pair in before if pair in after] == after
        held = [item for item, kind in before if kind == FactKind.TRUE]
        assert len(gone) == int(Fraction(share).limit_denominator(100) * len(held))
        rarest = sorted(held, key=lambda item: -store.rank[item])[: len(gone)]
        assert {item for item, _ in gone} == set(rarest)
        hidden_any |= bool(gone)
    assert hidden_any == (share > 0)


# Supports: x 4, y 3, z 3, w 2, v 1. Record d holds w and v, and mentions one of them.
LADDER = [
    *[("a", i) for i in "xyz"], *[("b", i) for i in "xyz"], *[("c", i) for i in "xyz"],
    ("e", "x"), ("e", "w"), ("d", "w"), ("d", "v"),
]  # fmt: skip


def ladder(make_store: MakeStore) -> Store:
    return make_store([(record, item, 3.0, 5) for record, item in LADDER])


def named(store: Store, items: NDArray[Any]) -> str:
    return "".join(store.items.to_pylist()[i] for i in items.tolist())


@pytest.mark.parametrize(
    ("support", "order"),
    [("top", "xyzwv"), (1, "vwyzx"), (2, "wyzx"), (3, "yzx"), (4, "x"), (5, "")],
)
def test_decoys_are_listed_by_popularity(make_store: MakeStore, support: Any, order: str) -> None:
    """F06 §6.2: by increasing popularity from a threshold, or from the top."""
    store = ladder(make_store)
    assert named(store, decoy_list(store, support)) == order


@pytest.mark.parametrize(
    ("support", "decoys", "added"),
    [
        ("top", 1, "x"),
        ("top", 3, "xyz"),
        ("top", 4, "xyz"),
        (1, 2, "yz"),
        (3, 3, "yzx"),
        (4, 1, "x"),
    ],
)
def test_everyone_takes_the_first_they_neither_hold_nor_mention(
    make_store: MakeStore, support: Any, decoys: int, added: str
) -> None:
    store = ladder(make_store)
    d = store.records.to_pylist().index("d")
    mentions = Mentions(precision=1, max_length=1, decoys=decoys, decoy_support=support)
    seed = next(s for s in range(100) if mentions.eligible(store, s)[d])
    drawn = mentions.draw(store, 0, np.array([d]), seed)
    assert named(store, drawn.aux.item)[0] in "wv"
    assert named(store, drawn.aux.item)[1:] == added
    assert drawn.truth.kind.tolist() == [FactKind.TRUE] + [FactKind.DECOY] * len(added)
    other = replace(
        mentions, precision=0
    )  # mentions one it does not hold: that is no decoy any more
    drawn = other.draw(store, 0, np.array([d]), seed)
    first = named(store, drawn.aux.item)[0]
    assert first in "xyz"
    if support == "top" and decoys == 3:
        assert named(store, drawn.aux.item)[1:] == "xyz".replace(first, "")


def test_hidden_mentions_are_no_decoys(make_store: MakeStore) -> None:
    """They are held, so they would not mislead."""
    store = release(make_store)
    drawn = drawn_of(store, Mentions(max_length=31, hide_rarest=1, decoys=20))
    assert not drawn.truth.own_held.any()
    assert not (drawn.truth.kind == FactKind.TRUE).any()


def test_a_list_of_decoys_that_is_too_short(make_store: MakeStore) -> None:
    store = ladder(make_store)
    mentions = Mentions(precision=1, max_length=1, decoys=2, decoy_support=4)
    with pytest.raises(GridError) as caught:
        drawn_of(store, mentions)
    assert str(caught.value) == (
        "grid.decoys: 2: the release has only 1 item with a support of at least 4; ask for fewer "
        "decoys or lower grid.decoy_support"
    )


def test_only_who_has_a_list_is_a_target(make_store: MakeStore) -> None:
    store = release(make_store)
    mentions = Mentions(max_length=31)
    silent = np.flatnonzero(~mentions.eligible(store, 1))[:1]
    with pytest.raises(GridError, match="no list of mentions"):
        mentions.draw(store, 0, silent, 1)
    assert len(mentions.draw(store, 0, silent[:0], 1)) == 0
    with pytest.raises(GridError, match="leaves no record"):
        Mentions(present=False).eligible(make_store([(1, 1, 1.0, 1)]), 1)


def test_facts_foresees_the_work(make_store: MakeStore) -> None:
    store = release(make_store, records=3000)
    for mentions in (Mentions(max_length=31), Mentions(max_length=31, hide_rarest=0.5, decoys=7)):
        assert drawn_of(store, mentions).aux.size.mean() == pytest.approx(
            mentions.typical_facts, rel=0.1
        )
    assert (mentions.knowledge, mentions.people, mentions.notes(store)) == (None, None, {})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"precision": 1.2}, "adversary.precision: 1.2: expected a share from 0 to 1"),
        ({"value_known": -0.1}, "grid.value_known: -0.1: expected a share from 0 to 1"),
        ({"hide_rarest": float("nan")}, "grid.hide_rarest: nan: expected a share from 0 to 1"),
        (
            {"popularity_exponent": -6},
            "adversary.popularity_exponent: -6: expected a power from -5 to 5",
        ),
        (
            {"popularity_exponent": float("nan")},
            "adversary.popularity_exponent: nan: expected a power",
        ),
        (
            {"other_popularity_exponent": float("inf")},
            "adversary.other_popularity_exponent: inf: expected a power",
        ),
        ({"overdispersion": 1.1}, "adversary.overdispersion: 1.1: expected a share from 0 to 1"),
        ({"activity_exponent": -1}, "adversary.activity_exponent: -1: expected 0 or more"),
        ({"max_length": 0}, "adversary.max_length: 0: expected 1 or more"),
        ({"decoys": -1}, "grid.decoys: -1: expected 0 or more"),
        (
            {"decoy_support": 0},
            "grid.decoy_support: 0: expected a support of 1 or more, or top",
        ),
        ({"decoy_support": "best"}, "grid.decoy_support: 'best': expected a support of 1"),
    ],
)
def test_parameters_that_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Mentions(**given)
    assert str(caught.value).startswith(message)
