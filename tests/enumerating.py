"""The adversary of the spec, section 2, told a second time: as draws, not as likelihoods."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import reference as ref
from hypothesis import strategies as st

LEVELS = np.arange(1.0, 6.0)
Triple = tuple[int, float | None, float | None]


def noisy(release: ref.PlainRelease, adversary: ref.Adversary, r: int, i: int) -> list[tuple]:  # type: ignore[type-arg]
    """All (value, day) that a right triple may carry, equally likely."""
    value, day = release.value[r, i], release.day[r, i]
    levels = [None]
    if adversary.value_noise is not None and not np.isnan(value):
        levels = [x for x in LEVELS.tolist() if abs(x - value) <= adversary.value_noise]
    days = [None]
    if adversary.date_noise is not None and not np.isnan(day):
        days = [day + shift for shift in range(-adversary.date_noise, adversary.date_noise + 1)]
    return list(itertools.product(levels, days))


def known(adversary: ref.Adversary, value: float, day: float) -> tuple[float | None, float | None]:
    return (
        None if adversary.value_noise is None or np.isnan(value) else value,
        None if adversary.date_noise is None or np.isnan(day) else day,
    )


def remembered(adversary: ref.Adversary, triple: Triple) -> list[tuple[Triple, float]]:
    """The triple as it is, or without its value."""
    if triple[1] is None or not adversary.missing:
        return [(triple, 1.0)]
    without = (triple[0], None, triple[2])
    return [(triple, 1 - adversary.missing), (without, adversary.missing)]


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
    for whole in drawn:
        for triple, often in remembered(adversary, whole):
            for rest, chance in ways_on(release, adversary, r, items, wrong, (*so_far, triple)):
                yield rest, chance * often / len(drawn)


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
    none = draw(st.sampled_from([[], [None]]))
    days = st.sampled_from([*range(5), *draw(st.sampled_from([[], [None]]))])
    cells = [
        (r, i, draw(st.sampled_from([1.0, 2.0, 4.0, 5.0, *none])), draw(days))
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
        missing=draw(st.sampled_from([0.0, 0.0, 0.3])),
    )
    return ref.PlainRelease.of(n, m, cells), adversary, size
