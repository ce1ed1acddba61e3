"""The Bayes-optimal attacker against an enumeration of all ways of drawing aux."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from worked import RATED, dense

from sim import reference as ref

LEVELS = np.arange(1.0, 6.0)
Triple = tuple[int, float | None, float | None]


def films() -> ref.PlainRelease:
    return dense(RATED, 4)


def exactly(correct: int, **options) -> ref.Adversary:  # type: ignore[no-untyped-def]
    return ref.Adversary(correct, LEVELS, date_noise=None, **options)


def values(*pairs: tuple[int, float]) -> ref.PlainAux:
    return ref.PlainAux.of([(item, value, None) for item, value in pairs])


def test_exact_values_by_hand() -> None:
    """Items 0 and 1 known as 5 and 3: record 0 fits, with C(2, 2) = 1 choice; 1 and 2 do not."""
    scores = ref.bayes(films(), values((0, 5), (1, 3)), exactly(2))
    assert scores.tolist() == [0.0, -np.inf, -np.inf, -np.inf]


def test_a_longer_record_is_less_likely_by_hand() -> None:
    """Item 0 known as 5: records 0 (2 items) and 1 (3): 1/2 and 1/3, so 3/5 and 2/5."""
    logs = ref.log_distribution(ref.bayes(films(), values((0, 5)), exactly(1)))
    assert np.exp(logs) == pytest.approx([0.6, 0.4, 0, 0])


def test_value_noise_by_hand() -> None:
    """Item 0 known as 4 within ±1. From 5 the levels are 4, 5: p = 1/2; from 4 they are 3, 4, 5.

    Record 0: 1/2·1/2 = 1/4; 1: 1/3·1/2 = 1/6; 2: 1/3·1/3 = 1/9. Of 19/36: 9, 6 and 4 nineteenths.
    """
    logs = ref.log_distribution(ref.bayes(films(), values((0, 4)), exactly(1, value_noise=1)))
    assert np.exp(logs) == pytest.approx([9 / 19, 6 / 19, 4 / 19, 0])


def test_wrong_values_by_hand() -> None:
    """Items 0, 1 known as 5, 3, one of the two wrong: π = 1/2; q = 2/3 for each.

    Fits: 1/2·1 + 1/2·2/3 = 5/6; does not: 1/2·2/3 = 1/3. Record 0: (5/6)²; 1: 5/6·1/3 over 3
    choices; 2: 1/3·5/6 over 3.
    """
    scores = ref.bayes(films(), values((0, 5), (1, 3)), exactly(1))
    assert np.exp(scores) == pytest.approx([25 / 36, 5 / 54, 5 / 54, 0])


def test_wrong_items_by_hand() -> None:
    """Items 0, 3 known as 5, 1; π = 1/2; of 9 cells item 0 has 3 (q = 2/3), item 3 one (q = 1).

    Held and fitting: 1/2 + 1/2·q: 5/6 and 1. Held, not fitting: π·q. Lacking: π·share·q.
    Record 0: 5/6 · 1/2·1/9; 1: the same over C(3, 2) = 3; 2: 1/2·2/3 · 1 over 3; 3: too short.
    """
    scores = ref.bayes(films(), values((0, 5), (3, 1)), exactly(1, wrong="item"))
    assert np.exp(scores) == pytest.approx([5 / 108, 5 / 324, 1 / 9, 0])


def test_dates_by_hand() -> None:
    """Days 10 and 12, known as 12 within ±2: p = 1/5 for both; within ±1 the first is impossible.

    A cell without a day leaves p = 1.
    """
    release = ref.PlainRelease.of(3, 1, [(0, 0, None, 10), (1, 0, None, 12), (2, 0, None, None)])
    aux = ref.PlainAux.of([(0, None, 12)])
    for noise, expected in ((2, [0.2, 0.2, 1]), (1, [0, 1 / 3, 1]), (0, [0, 1, 1])):
        adversary = ref.Adversary(1, np.empty(0), date_noise=noise)
        assert np.exp(ref.bayes(release, aux, adversary)) == pytest.approx(expected)


def test_the_popularity_filter_counts_only_what_it_leaves() -> None:
    """Outside the top 1 (item 0 of supports 3, 3, 2, 1): record 0 has 1 item left, 1 and 2 have 2.

    Item 1 known as 3: record 0 1/C(1, 1), record 2 1/C(2, 1). Asked for two, 0 is not eligible.
    """
    release = films()
    left = ref.rank_window(release, 1)
    assert left.tolist() == [False, True, True, True]
    scores = ref.bayes(release, values((1, 3)), exactly(1), left)
    assert np.exp(scores) == pytest.approx([1, 0, 0.5, 0])
    two = ref.bayes(release, values((1, 3), (3, 1)), exactly(2), left)
    assert np.exp(two) == pytest.approx([0, 0, 1, 0])


def test_ranks_break_ties_by_item() -> None:
    assert ref.ranks(films()).tolist() == [0, 1, 2, 3]
    assert ref.rank_window(films(), 1, 3).tolist() == [False, True, True, False]


@pytest.mark.parametrize("attack", [ref.bayes, ref.bayes_exact])
def test_an_item_that_the_release_lacks(attack) -> None:  # type: ignore[no-untyped-def]
    """With wrong values nobody can have been asked about it; with wrong items it is a wrong one."""
    aux = values((0, 5), (-1, 3))
    assert (attack(films(), aux, exactly(1)) == -np.inf).all()
    scores = attack(films(), aux, exactly(1, wrong="item"))
    assert np.isfinite(scores[[0, 1]]).all()
    assert scores[0] > scores[1]


@pytest.mark.parametrize("attack", [ref.bayes, ref.bayes_exact])
def test_what_the_adversary_cannot_know_is_refused(attack) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="knows no days"):
        attack(films(), ref.PlainAux.of([(0, 5, 3)]), exactly(1))
    with pytest.raises(ValueError, match="knows no values"):
        attack(films(), values((0, 5)), ref.Adversary(1, LEVELS, value_noise=None))
    with pytest.raises(ValueError, match="2 correct triples of 1"):
        attack(films(), values((0, 5)), exactly(2))


def test_wrong_values_counted_by_hand() -> None:
    """Items 0, 1 known as 5, 3, exactly one wrong: record 0, which fits both, is impossible.

    Record 1 (5, 4): 0 right, 1 wrong; its wrong cells of item 1 are those that are not 4: 3, 3, so
    w = 1; over C(3, 2) choices: 1/3. Record 2 (4, 3): 1 right, 0 wrong: not 4: 5, 5, w = 1; 1/3.
    """
    scores = ref.bayes_exact(films(), values((0, 5), (1, 3)), exactly(1))
    assert np.exp(scores) == pytest.approx([0, 1 / 3, 1 / 3, 0])


def test_wrong_items_counted_by_hand() -> None:
    """Records {0, 1}, {0, 4}, {1, 2, 3}, {2}: supports 2, 2, 2, 1, 1, 8 cells. Both 2 and 3 wrong.

    Record 0 leaves 8 − 4 cells to draw from: item 2 has 2 of 4, then item 3 one of 2; 1/4.
    Record 1 leaves 8 − 3: 2 of 5, then 1 of 3; 2/15. Record 2 holds both; record 3 is too short.
    """
    rows = [(0, 1), (0, 4), (1, 2, 3), (2,)]
    release = ref.PlainRelease.of(4, 5, [(r, i, 5, None) for r, c in enumerate(rows) for i in c])
    scores = ref.bayes_exact(release, values((2, 5), (3, 5)), exactly(0, wrong="item"))
    assert np.exp(scores) == pytest.approx([1 / 4, 2 / 15, 0, 0])


# The adversary of the spec, section 2, told a second time: as draws, not as likelihoods.


def noisy(release: ref.PlainRelease, adversary: ref.Adversary, r: int, i: int) -> list[tuple]:  # type: ignore[type-arg]
    """All (value, day) that a right triple may carry, equally likely."""
    value, day = release.value[r, i], release.day[r, i]
    levels = [None]
    if adversary.value_noise is not None:
        levels = [x for x in LEVELS.tolist() if abs(x - value) <= adversary.value_noise]
    days = [None]
    if adversary.date_noise is not None:
        days = [day + shift for shift in range(-adversary.date_noise, adversary.date_noise + 1)]
    return list(itertools.product(levels, days))


def known(adversary: ref.Adversary, value: float, day: float) -> tuple[float | None, float | None]:
    return (
        None if adversary.value_noise is None else value,
        None if adversary.date_noise is None else day,
    )


def wrong_cells(
    release: ref.PlainRelease, adversary: ref.Adversary, r: int, i: int
) -> list[tuple[float, float]]:
    """All cells that a wrong value may be drawn from, equally likely."""

    def outside(s: int, j: int) -> bool:
        far_value = adversary.value_noise is not None and (
            abs(release.value[s, j] - release.value[r, i]) > adversary.value_noise
        )
        far_day = adversary.date_noise is not None and (
            abs(release.day[s, j] - release.day[r, i]) > adversary.date_noise
        )
        return bool(far_value or far_day)

    cells = [(int(s), int(j)) for s, j in np.argwhere(release.held)]
    own = [cell for cell in cells if cell[1] == i and outside(*cell)]
    chosen = own or [cell for cell in cells if outside(*cell)]
    return [(release.value[cell], release.day[cell]) for cell in chosen]


def ways_on(
    release: ref.PlainRelease,
    adversary: ref.Adversary,
    r: int,
    items: tuple[int, ...],
    wrong: frozenset[int],
    so_far: tuple[Triple, ...] = (),
) -> Iterator[tuple[tuple[Triple, ...], float]]:
    """Yield every aux that these picks may become, with its probability."""
    position = len(so_far)
    if position == len(items):
        yield so_far, 1.0
        return
    i = items[position]
    if position not in wrong:
        drawn = [(i, *pair) for pair in noisy(release, adversary, r, i)]
    elif adversary.wrong == "value":
        drawn = [(i, *known(adversary, *cell)) for cell in wrong_cells(release, adversary, r, i)]
    else:
        taken = {i for i, _, _ in (so_far[p] for p in range(position) if p in wrong)}
        drawn = [
            (int(j), *known(adversary, release.value[s, j], release.day[s, j]))
            for s, j in np.argwhere(release.held)
            if not release.held[r, j] and int(j) not in taken
        ]
    for triple in drawn:
        for rest, chance in ways_on(release, adversary, r, items, wrong, (*so_far, triple)):
            yield rest, chance / len(drawn)


def enumerated(
    release: ref.PlainRelease, adversary: ref.Adversary, size: int, eligible: np.ndarray
) -> dict[tuple[Triple, ...], np.ndarray]:
    """Pr[aux | r] of every aux, in the order drawn, that the adversary may come to know."""
    found: dict[tuple[Triple, ...], np.ndarray] = defaultdict(lambda: np.zeros(release.n_records))
    wrong_sets = [
        frozenset(w) for w in itertools.combinations(range(size), size - adversary.correct)
    ]
    for r in range(release.n_records):
        picks = list(
            itertools.permutations(np.flatnonzero(release.held[r] & eligible).tolist(), size)
        )
        for items, wrong in itertools.product(picks, wrong_sets):
            for aux, chance in ways_on(release, adversary, r, items, wrong):
                found[aux][r] += chance / len(picks) / len(wrong_sets)
    return found


@st.composite
def settings_of_the_adversary(draw: st.DrawFn) -> tuple[ref.PlainRelease, ref.Adversary, int]:
    n, m = draw(st.integers(2, 4)), draw(st.integers(2, 4))
    cells = [
        (r, i, draw(st.sampled_from([1.0, 2.0, 4.0, 5.0])), draw(st.integers(0, 4)))
        for r in range(n)
        for i in draw(st.sets(st.integers(0, m - 1), min_size=1, max_size=3))
    ]
    size = draw(st.integers(1, 2))
    adversary = ref.Adversary(
        correct=draw(st.integers(0, size)),
        levels=LEVELS,
        value_noise=draw(st.sampled_from([None, 0, 1])),
        date_noise=draw(st.sampled_from([None, 0, 1])),
        wrong=draw(st.sampled_from(["value", "item"])),
    )
    return ref.PlainRelease.of(n, m, cells), adversary, size


@given(settings_of_the_adversary(), st.integers(0, 1))
@settings(max_examples=120, deadline=None)
def test_the_exact_form_is_the_posterior(
    setting: tuple[ref.PlainRelease, ref.Adversary, int], low: int
) -> None:
    release, adversary, size = setting
    eligible = ref.rank_window(release, low)
    auxes = enumerated(release, adversary, size, eligible)
    assume(auxes)
    for triples, likelihood in itertools.islice(auxes.items(), 0, None, max(len(auxes) // 20, 1)):
        aux = ref.PlainAux.of(list(triples))
        logs = ref.log_distribution(ref.bayes_exact(release, aux, adversary, eligible))
        assert np.exp(logs) == pytest.approx(likelihood / likelihood.sum(), abs=1e-12)


@given(settings_of_the_adversary(), st.integers(0, 1))
@settings(max_examples=60, deadline=None)
def test_where_nothing_is_wrong_the_formula_is_the_posterior(
    setting: tuple[ref.PlainRelease, ref.Adversary, int], low: int
) -> None:
    release, other, size = setting
    adversary = ref.Adversary(size, LEVELS, other.value_noise, other.date_noise)
    eligible = ref.rank_window(release, low)
    for triples, likelihood in enumerated(release, adversary, size, eligible).items():
        aux = ref.PlainAux.of(list(triples))
        scores = ref.bayes(release, aux, adversary, eligible)
        assert np.exp(scores) == pytest.approx(likelihood * math.factorial(size), abs=1e-12)
        exact = ref.bayes_exact(release, aux, adversary, eligible)
        assert np.exp(exact) == pytest.approx(np.exp(scores), abs=1e-12)


def test_a_wrong_value_from_elsewhere_is_impossible_for_the_formula() -> None:
    """All cells of item 0 are 5, so a wrong value for it comes from the rest of the release.

    Item 0 known as 2: q_0 = 0, and the formula rules out every record, the true one included. The
    exact form gives record 0: w = 1/2 (of the cells that are not 5: 2, 3) over C(2, 2), record 1
    likewise.
    """
    cells = [(0, 0, 5, None), (0, 1, 2, None), (1, 0, 5, None), (1, 1, 3, None)]
    release = ref.PlainRelease.of(2, 2, cells)
    aux = values((0, 2), (1, 2))
    assert (ref.bayes(release, aux, exactly(1)) == -np.inf).all()
    assert np.exp(ref.bayes_exact(release, aux, exactly(1))) == pytest.approx([0.5, 0])
