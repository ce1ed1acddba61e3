"""The chance of a wrong fact where it depends on the day of the record's own cell.

It is the number s of cells that are the fact over the number n of the item's cells outside the
noise of the record's own; see `sim.attack.kernels.score_spec.WrongDraws`. Where the fact cannot be
right, s/n is left out of the product over the facts, and the sum of ln n/s taken off at the end:
then what is left is the same for all records whose cells are of the same classes and levels.

Invariant: every loop does this in the same order, so scores have the same bits whichever ran.
Levels, days and numbers of cells are int64 here, whatever columns they came from: each type would
be compiled anew.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.attack.kernels.simd import njit, njit_in_place, njit_inline

NOT_DRAWN = -1
"""Instead of a number of cells outside: the chance does not depend on it."""


@njit_inline
def are_drawn(counted):  # type: ignore[no-untyped-def]
    """Whether the chance of any fact depends on the record's own day."""
    return counted.draws.kind.shape[0] > 0


@njit_inline
def log_ratio(n, s, logs):  # type: ignore[no-untyped-def]
    """Ln n/s, the same for all n and s of the same ratio, so that equal chances tie."""
    return (logs[0, n] - logs[0, s]) + (logs[1, n] - logs[1, s])


@njit_in_place
def outside(a, level, day, near, counted):  # type: ignore[no-untyped-def]
    """Cells of fact a's item outside the noise of a cell; `NOT_DRAWN` where it does not matter.

    ``near`` is the number of those within, the removed records' included.
    """
    draws = counted.draws
    g = draws.kind[a]
    if g < 0:
        return np.int64(NOT_DRAWN)
    n, no_day = np.int64(counted.support[a]) - near, counted.days - 1
    for c in range(draws.gone[a, 0], draws.gone[a, 1]):
        gap = abs(draws.gone_day[c] - day)
        close = gap <= draws.reach[g] or day == no_day or draws.gone_day[c] == no_day
        n += close and draws.within[g, level, draws.gone_level[c]]
    return n


@njit_in_place
def near_of(a, k, tables):  # type: ignore[no-untyped-def]
    """Cells near posting k of fact a's item; 0 where it does not matter."""
    g = tables.counted.draws.kind[a]
    return np.int64(tables.near[tables.near_start[g] + k]) if g >= 0 else np.int64(0)


@njit_in_place
def near_start(a, tables):  # type: ignore[no-untyped-def]
    """Where the counts of postings for the noise of fact a begin; 0 where they do not matter."""
    kind = tables.counted.draws.kind
    return tables.near_start[kind[a]] if kind.shape[0] > 0 and kind[a] >= 0 else np.int64(0)


@njit_in_place
def chance_elsewhere(a, place, level, day, counted):  # type: ignore[no-untyped-def]
    """Chance of a wrong fact that is drawn from all cells of the release."""
    draws = counted.draws
    if draws.elsewhere.shape[0] == 0:
        return 0.0
    room = draws.room[draws.row[a], day * counted.levels + level]
    return draws.elsewhere[a, place] / room if room > 0 else 0.0


@njit_in_place
def wrong_chance(a, place, level, day, near, counted):  # type: ignore[no-untyped-def]
    """Chance of a wrong fact, the divisor included."""
    q = counted.wrong[a, place]
    if not are_drawn(counted):
        return q
    n = outside(a, level, day, near, counted)
    if n == 0:
        return chance_elsewhere(a, place, level, day, counted)
    return q / n if n > 0 else q


@njit
def no_draws(n):  # type: ignore[no-untyped-def]
    """Memory for the cells outside, and the chance elsewhere, of n facts; see `likelihood`."""
    return np.full(n, NOT_DRAWN), np.zeros(n)
