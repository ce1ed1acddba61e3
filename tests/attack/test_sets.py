"""Attacks whose answer is a set, worked by hand on `worked.FILMS`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import reference
from attacking import aux_of, decide, random_aux
from drawing import changed
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, RowSource, examples, plain, plain_aux, random_rows
from studying import configured
from worked import FILMS, KNOWN_AC, A, B, E, stored

from sim.adversary.aux import Drawn
from sim.adversary.knowledge import Knowledge
from sim.attack.algorithms.sets import Neighbourhood, Scoreboard, SetIntersection
from sim.attack.engine.similarity import Exponential, Presence, Threshold
from sim.attack.kernels.drivers import score_block
from sim.errors import ConfigError
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY
from sim.session.checks import attack_of, cells_of, check_config

pytestmark = pytest.mark.fast

NEAR: dict[str, Any] = {"eps_value": 0.0, "eps_day": 3.0, "delta_value": 0.0, "delta_day": 0.0}
FROM_KNOWLEDGE = dict.fromkeys(("eps_value", "eps_day", "delta_value", "delta_day"))


def test_scoreboard_by_hand(make_store: MakeStore) -> None:
    """Values 0, days ±3. 0: min(1, 1). 3 lacks A; 1 and 2 lack C; 4 lacks both: 1, 0, 0, 0, 0.

    The set {0} is a match: no bits. Mean 0.2, σ² = 0.2 − 0.04, e = 1/0.4.
    """
    store, drawn = stored(make_store, FILMS, 0, *KNOWN_AC)
    found = decide(store, drawn, Scoreboard(similarity=Threshold(0, 3)))
    assert (found.best[0], found.best_score[0], found.second_score[0]) == (0, 1, 0)
    assert (found.matching[0], found.rank[0], found.ties[0], found.candidates[0]) == (1, 1, 1, 5)
    assert found.sigma[0] == pytest.approx(0.4)
    assert found.eccentricity[0] == pytest.approx(2.5)
    assert found.matched[0]
    assert found.correct[0]
    assert (found.entropy_bits[0], found.entropy_all_bits[0]) == (0, 0)


@pytest.mark.parametrize(("alpha", "size"), [(0.0, 2), (1.0, 2), (1.5, 1), (2.0, 0)])
def test_scoreboard_alpha_by_hand(make_store: MakeStore, alpha: float, size: int) -> None:
    """Exponential, A (5 d10), B (3 d12). 0: min(2, 2). 1: A e^(−1/1.5) + e^(−1/30) = 1.48063,
    B 1 + e^(−28/30) = 1.39324, so 1.39324. The rest lack one: 2, 1.39324, 0, 0, 0.

    Above α 0 and 1: {0, 1}, 1 bit; 1.5: {0}; 2: nobody, log2 5 bits.
    """
    store, drawn = stored(make_store, FILMS, 0, (A, 5, 10), (B, 3, 12))
    found = decide(store, drawn, Scoreboard(similarity=Exponential(), alpha=alpha))
    assert found.best_score[0] == 2
    assert found.second_score[0] == pytest.approx(1.39324, abs=1e-5)
    assert found.matching[0] == size
    assert found.matched[0] == (size == 1)
    assert found.best[0] == (0 if size else -1)
    assert found.entropy_bits[0] == pytest.approx(math.log2(size or 5))
    assert found.entropy_all_bits[0] == found.entropy_bits[0]


@pytest.mark.parametrize("attack", [Scoreboard(similarity=Presence()), SetIntersection()])
def test_an_item_that_no_record_holds_excludes_all(make_store: MakeStore, attack) -> None:  # type: ignore[no-untyped-def]
    """All score 0: no likely list, no best guess, five tied, log2 5 bits."""
    store, drawn = stored(make_store, FILMS, 0, (A, None, None), (-1, None, None))
    found = decide(store, drawn, attack)
    assert (found.best[0], found.matching[0], found.ties[0], found.rank[0]) == (-1, 0, 5, 5)
    assert not found.matched[0]
    assert (found.sigma[0], found.eccentricity[0]) == (0, 0)
    assert found.entropy_bits[0] == pytest.approx(math.log2(5))


def test_scoreboard_without_the_target_by_hand(make_store: MakeStore) -> None:
    """Record 0 removed: nobody else holds A and C; four are left, and no rank."""
    store, drawn = stored(make_store, FILMS, 0, *KNOWN_AC, absent=True)
    found = decide(store, drawn, Scoreboard(similarity=Threshold(0, 3)))
    assert (found.candidates[0], found.matching[0], found.best[0]) == (4, 0, -1)
    assert (found.rank[0], found.above[0]) == (0, 0)
    assert math.isnan(found.target_score[0])
    assert math.isnan(found.entropy_bits[0])
    assert found.entropy_all_bits[0] == 2
    assert not found.correct[0]


def test_set_intersection_by_hand(make_store: MakeStore) -> None:
    """A and B: 0 and 1; 1 bit for either. Target 3 is not in the set: rank 5, log2 5 bits."""
    for target, rank, bits in ((0, 2, 1.0), (1, 2, 1.0), (3, 5, math.log2(5))):
        store, drawn = stored(make_store, FILMS, target, (A, None, None), (B, None, None))
        found = decide(store, drawn, SetIntersection())
        assert (found.matching[0], found.ties[0], found.best[0]) == (2, 2, -1)
        assert (found.rank[0], found.above[0]) == (rank, 0 if rank == 2 else 2)
        assert found.entropy_bits[0] == pytest.approx(bits)
        assert found.entropy_all_bits[0] == 1
        assert not found.matched[0]


@pytest.mark.parametrize(
    ("delta_value", "delta_day", "size"), [(0, 0, 1), (0.5, 0.5, 2), (1, 0.5, 4), (1, 1, 5)]
)
def test_neighbourhood_by_hand(
    make_store: MakeStore, delta_value: float, delta_day: float, size: int
) -> None:
    """A (5 d10), C (4 d29), values 0, days ±3. All of it right: record 0 only.

    One of two (δ = 1/2). Values right: 0 both, 3 C; days right: 0 both, 1 A (d11), 2 A, 3 C.
    Both: 0 and 3. Values not looked at (δ_r = 1): 0 to 3. Nothing looked at: 4 too.
    """
    store, drawn = stored(make_store, FILMS, 0, *KNOWN_AC)
    attack = Neighbourhood(**(NEAR | {"delta_value": delta_value, "delta_day": delta_day}))
    found = decide(store, drawn, attack)
    assert (found.matching[0], found.rank[0], found.ties[0]) == (size, size, size)
    assert found.matched[0] == (size == 1)
    assert found.entropy_bits[0] == pytest.approx(math.log2(size))


def test_values_and_days_may_fail_on_different_items(make_store: MakeStore) -> None:
    """Item 0 right by value only, item 1 by day only: one value and one day of two."""
    rows = [(0, 0, 5.0, 90), (0, 1, 1.0, 10), (1, 1, 5.0, 10)]
    store, drawn = stored(make_store, rows, 0, (0, 5, 10), (1, 5, 10))
    found = decide(store, drawn, Neighbourhood(**(NEAR | {"delta_value": 0.5, "delta_day": 0.5})))
    assert found.matching[0] == 2
    assert decide(store, drawn, Neighbourhood(**NEAR)).matching[0] == 0


@pytest.mark.parametrize(("m", "right"), [(3, 1), (6, 5), (8, 6), (10, 3), (10, 7)])
def test_m_of_m_prime_is_reached_exactly(make_store: MakeStore, m: int, right: int) -> None:
    """(1 − δ)·m′ must not ask for one more by rounding: δ = (m′ − m)/m′."""
    rows = [(0, i, 5.0 if i < right else 1.0, None) for i in range(m)]
    rows += [(1, i, 5.0 if i < right - 1 else 1.0, None) for i in range(m)]
    store, drawn = stored(make_store, rows, 0, *((i, 5, None) for i in range(m)))
    delta = (m - right) / m
    found = decide(
        store, drawn, Neighbourhood(**(NEAR | {"delta_value": delta, "delta_day": delta}))
    )
    assert (found.matching[0], found.best[0]) == (1, 0)


def test_missing_parts_pass_where_the_item_is_held(make_store: MakeStore) -> None:
    """E is held by 3 and 4; A and B by 0 and 1. Nothing is known of values or days."""
    store, drawn = stored(make_store, FILMS, 4, (E, None, None))
    assert decide(store, drawn, Neighbourhood(**(NEAR | {"eps_day": 0.0}))).matching[0] == 2
    assert decide(store, drawn, Scoreboard(similarity=Threshold(0, 0))).matching[0] == 2


KNOWLEDGE = st.builds(
    lambda size, wrong, value_noise, date_noise: Knowledge(
        max(size - wrong, 1), size, value_noise, date_noise
    ),
    st.integers(1, 8),
    st.integers(0, 3),
    st.sampled_from([None, 0, 0.1, 1]),
    st.sampled_from([None, 0, 3, 14]),
)


def oracle(store: Store, drawn: Drawn, unit: int, known: Knowledge) -> np.ndarray:
    """At least m values within the cell's noise, and at least m days: counted, not as shares.

    An item's missing part passes where the item is held.
    """
    release, facts = plain(store), plain_aux(drawn, unit)
    values, days = np.zeros(release.n_records, int), np.zeros(release.n_records, int)
    for item, value, day in facts:
        if item < 0:
            continue
        held = release.held[:, item]
        reach = np.inf if known.value_noise is None else known.value_noise + 1e-9
        apart = np.inf if known.date_noise is None else known.date_noise
        values += held & ~(np.abs(release.value[:, item] - value) > reach)
        days += held & ~(np.abs(release.day[:, item] - day) > apart)
    # Aux brought from elsewhere need not have the size that the cell's adversary has.
    needed = -(-len(facts) * known.correct // known.size)
    return (values >= needed) & (days >= needed)


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> list[Store]:
    """Releases of every kind: values or days or both or neither, parts missing, odd scales."""
    made = []
    for seed in range(24):
        rows = random_rows(
            seed,
            records=(1, 3, 8, 12)[seed % 4],
            items=(1, 4, 6)[seed % 3],
            cells=30,
            values=seed % 5 != 0,
            days=seed % 7 != 0,
            missing=0.3 * (seed % 2),
            scale=((1.0, 2.0, 3.0), (4.1, 4.2, 4.3))[seed // 2 % 2],
        )
        folder = tmp_path_factory.mktemp("stores") / "store"
        build_store(RowSource(rows), folder, block_records=(2, 5, 100)[seed // 8])
        made.append(Store(folder))
    return made


@settings(max_examples=examples(500))
@given(
    known=st.lists(KNOWLEDGE, min_size=1, max_size=3),
    which=st.integers(0, 23),
    seed=st.integers(0, 10_000),
)
def test_a_neighbourhood_takes_what_each_cells_adversary_knows(
    stores: list[Store], known: list[Knowledge], which: int, seed: int
) -> None:
    store = stores[which]
    drawn = random_aux(store, seed, 4)
    drawn = changed(drawn, cell=np.arange(4, dtype=np.int32) % len(known))
    attack = Neighbourhood(**FROM_KNOWLEDGE, knowledge=tuple(known))
    found = decide(store, drawn, attack)
    scan = attack.scanned(store, drawn)
    blocks = [store.block(index) for index in range(store.manifest.n_blocks)]
    for unit in range(len(drawn)):
        expected = oracle(store, drawn, unit, known[drawn.aux.cell[unit]])
        scores = np.concatenate([score_block(store, b, drawn, scan, unit) for b in blocks])
        assert scores.tolist() == expected.astype(float).tolist()
        assert found.matching[unit] == expected.sum()


@settings(max_examples=examples(500))
@given(
    which=st.integers(0, 23),
    seed=st.integers(0, 10_000),
    eps_value=st.sampled_from([None, 0.0, 1.0]),
    eps_day=st.sampled_from([None, 0.0, 14.0]),
    delta_value=st.sampled_from([None, 0.0, 0.5]),
    delta_day=st.sampled_from([None, 0.25, 1.0]),
    known=KNOWLEDGE,
)
def test_a_number_overrides_what_the_adversary_knows(
    stores: list[Store],
    which: int,
    seed: int,
    eps_value: float | None,
    eps_day: float | None,
    delta_value: float | None,
    delta_day: float | None,
    known: Knowledge,
) -> None:
    """The reference implementation, given by hand what null stands for."""
    store = stores[which]
    drawn = random_aux(store, seed, 2)
    attack = Neighbourhood(
        eps_value=eps_value, eps_day=eps_day, delta_value=delta_value, delta_day=delta_day,
        knowledge=(known,),
    )  # fmt: skip
    found = decide(store, drawn, attack)
    wrong = 1 - known.correct / known.size
    reach = np.inf if known.value_noise is None else known.value_noise + 1e-9
    apart = np.inf if known.date_noise is None else known.date_noise
    limits = [
        by_cell if given is None else given
        for given, by_cell in (
            (eps_value, reach), (eps_day, apart), (delta_value, wrong), (delta_day, wrong),
        )
    ]  # fmt: skip
    for unit in range(len(drawn)):
        inside = reference.neighbourhood(plain(store), plain_aux(drawn, unit), *limits)
        assert found.matching[unit] == inside.sum()


@settings(max_examples=examples(500))
@given(
    which=st.integers(0, 23),
    seed=st.integers(0, 10_000),
    correct=st.integers(1, 4),
    wrong=st.integers(0, 2),
)
def test_the_target_is_always_among_its_neighbours(
    stores: list[Store], which: int, seed: int, correct: int, wrong: int
) -> None:
    """Facts right up to the noise that the adversary is known to have leave the target in."""
    known = Knowledge(correct, correct + wrong, 1, 3)
    store = stores[which]
    scale = [*store.scale.tolist(), math.nan]
    rng = np.random.default_rng(seed)
    target = int(np.argmax(store.length))
    own = rng.permutation(store.manifest.n_items)[: known.size]
    true = aux_of(store, target, *((int(i), None, None) for i in own))
    facts = [
        (int(item), scale[level] + rng.integers(-1, 2), int(day) + rng.integers(-3, 4))
        if held and place < correct
        else (int(item), 99.0, 10_000)
        for place, (item, held, level, day) in enumerate(
            zip(own, true.truth.own_held, true.truth.own_level, true.truth.own_day, strict=True)
        )
    ]
    drawn = aux_of(store, target, *facts)
    attack = Neighbourhood(**FROM_KNOWLEDGE, knowledge=(known,))
    if own.size == known.size and true.truth.own_held[:correct].all():
        assert decide(store, drawn, attack).target_score[0] == 1


def test_nothing_known_and_nothing_given_is_refused(make_store: MakeStore) -> None:
    store, aux = stored(make_store, FILMS, 4, (E, None, None))
    with pytest.raises(ValueError, match="needs the adversary's knowledge"):
        decide(store, aux, Neighbourhood(**(NEAR | {"eps_day": None})))
    for adversary in (
        ["adversary=mentions", "grid=mentions"],
        ["adversary=external", "grid=people", "adversary.path=x", "adversary.user=a",
         "adversary.item=b"],
    ):  # fmt: skip
        config = configured("attack=neighbourhood", "attack.eps_value=1", *adversary)
        with pytest.raises(ConfigError, match=r"give attack.eps_day, attack.delta_value and"):
            check_config(config)
        numbers = [f"attack.{key}=0" for key in FROM_KNOWLEDGE]
        check_config(configured("attack=neighbourhood", *numbers, *adversary))
    with pytest.raises(ConfigError, match=r"attack.eps_day: -1"):
        check_config(configured("attack=neighbourhood", "attack.eps_day=-1"))


@pytest.mark.parametrize("name", ["ns07_fig2", "ns07_fig3", "ns07_fig4"])
def test_the_figures_of_ns07_take_the_thresholds_of_their_cells(name: str) -> None:
    config = configured(f"experiment={name}")
    cells = cells_of(config, DAY)
    attack = attack_of(config.attack, cells)
    assert isinstance(attack, Neighbourhood)
    assert (attack.eps_value, attack.eps_day, attack.delta_value, attack.delta_day) == (None,) * 4
    assert attack.knowledge == tuple(cell.adversary.knowledge for cell in cells)
    assert config.name == name
