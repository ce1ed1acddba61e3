"""The score forms: a record's score from its total contributions, whichever loop added them up.

Invariant: the target's own score, computed from its own cells alone, has the same bits as in the
scan of all records.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import math

import numpy as np

from sim.attack.kernels.repeated_facts import (
    assignments,
    chances_if_lacking,
    facts_about,
    likelihood_of_repeats,
    log_of_ways,
    scratch_of,
)
from sim.attack.kernels.repeats import contribution_of
from sim.attack.kernels.score_spec import DAYS_UNIT, RULED_OUT, ScoreForm
from sim.attack.kernels.simd import njit, njit_in_place
from sim.attack.kernels.wrong_chances import (
    are_drawn,
    chance_elsewhere,
    log_ratio,
    no_draws,
    outside,
)

SUM, ALL, LOG = int(ScoreForm.SUM), int(ScoreForm.ALL), int(ScoreForm.LOG)
LEAST, COSINE = int(ScoreForm.LEAST), int(ScoreForm.COSINE)
REQUIRED = 1 << 16
"""In counts of held aux items, a required one counts this much more."""


@njit
def count_of(required, a):  # type: ignore[no-untyped-def]
    """Return the increment of the held-item count for one fact."""
    return 1 + REQUIRED if required.shape[0] > 0 and required[a] else 1


@njit
def required_of(required, start, u):  # type: ignore[no-untyped-def]
    """Count the items of an aux set that a record must hold."""
    count = 0
    if required.shape[0] > 0:
        for a in range(start[u], start[u + 1]):
            count += required[a]
    return count


@njit
def finished(finish, total, whole, base, feature, values, days):  # type: ignore[no-untyped-def]
    """Score of one record; `whole` is whether it holds all that is required. See `ScoreForm`."""
    if finish == SUM:
        return total + base + feature
    if finish == ALL:
        return base if whole else 0.0
    if finish == LOG:
        score = total + base + feature
        return score if whole and score > RULED_OUT else -np.inf
    if finish == LEAST:
        return total if whole else 0.0
    if finish == COSINE:
        return total * (feature * base)
    n_days = math.floor(total / DAYS_UNIT)
    return 1.0 if total - n_days * DAYS_UNIT >= values and n_days >= days else 0.0


@njit_in_place
def likelihood(record, begin, end, code, drawn, counted, u, ways):  # type: ignore[no-untyped-def]
    """Ln of the probability of these facts, with exactly the known number wrong; see `Counted`.

    ``code[a − begin]`` is 0 where the record lacks the item, else 1 + the place of its cell in the
    tables. ``drawn`` is the number of cells outside that cell's noise, of each fact, and the chance
    of a wrong one where there is none (`sim.attack.kernels.wrong_chances`). ``ways[w]`` is the
    probability of the facts so far with w of them wrong: 0 but for those from ``least`` to
    ``most``, so the other terms are left out and the sums keep their bits.
    """
    n_wrong = counted.number[u]
    room = float(counted.cells[u])
    if counted.mass.shape[0] > 0:
        room -= counted.mass[counted.group[u], record]
    ways[0] = 1.0
    for w in range(1, n_wrong + 1):
        ways[w] = 0.0
    least = most = 0
    divisors, (n_outside, elsewhere) = 0.0, drawn
    for a in range(begin, end):
        place = code[a - begin]
        if place > 0:
            p, q = counted.right[a, place - 1], counted.wrong[a, place - 1]
            n = n_outside[a - begin]
            if n == 0:
                q = elsewhere[a - begin]
            elif n > 0 and q > 0.0 and counted.draws.plain[a]:
                divisors += log_ratio(n, np.int64(q), counted.draws.logs)
                q = 1.0
            elif n > 0:
                q /= n
        else:
            p, q, room = chances_if_lacking(a, u, record, room, counted)
        if p == 0.0 and q == 0.0:
            return -np.inf
        most = min(most + 1, n_wrong)
        if p == 0.0:
            for w in range(most, least, -1):
                ways[w] = ways[w - 1] * q
            if least > n_wrong:
                continue
            ways[least] = 0.0
            least += 1
            continue
        for w in range(most, least, -1):
            ways[w] = ways[w] * p + ways[w - 1] * q
        if least <= n_wrong:
            ways[least] *= p
    return log_of_ways(ways, record, counted, u) - divisors


@njit
def own_likelihoods(aux, target, tables):  # type: ignore[no-untyped-def]
    """The targets' likelihoods, where they may hold an item in several cells."""
    total = np.full(aux.start.size - 1, -np.inf)
    for u in range(total.size):
        if target.record[u] >= 0:
            total[u] = _own_likelihood(u, target.record[u], aux, target, tables)
    return total


@njit
def _own_likelihood(u, record, aux, target, tables):  # type: ignore[no-untyped-def]
    begin, end, counted = aux.start[u], aux.start[u + 1], tables.counted
    holds, polynomials = np.zeros(end - begin, np.bool_), np.zeros(2 * (end - begin))
    scratch = scratch_of(begin, end, counted.leader)
    at = 0
    for a in range(begin, end):
        if counted.leader[a] != a:
            continue
        k = facts_about(a, end, counted.leader, scratch[0])
        first, stop = target.start[a], target.start[a + 1]
        if aux.item[a] >= 0 and first < stop:
            cells = target.level, target.day, target.near, first, stop
            assignments(k, cells, tables, scratch, polynomials[at:])
            holds[a - begin] = True
        at += k + 1
    ways = np.empty(counted.number[u] + 1, np.float64)
    return likelihood_of_repeats(record, begin, end, holds, polynomials, counted, u, ways)


@njit
def own_scores(aux, target, candidates, tables, form, prefixes, of_repeats, out):  # type: ignore[no-untyped-def]
    """Each target's own score at each prefix; NaN where it is no candidate.

    Only sums of smooth contributions have prefixes of fewer facts than there are. ``of_repeats`` is
    `own_likelihoods` where items repeat, else empty.
    """
    least, counted, required = form.kind == LEAST, tables.counted, form.required
    for u in range(aux.start.size - 1):
        begin, end, record = aux.start[u], aux.start[u + 1], target.record[u]
        c, end_prefix = prefixes.start[u], prefixes.start[u + 1]
        shortest, longest = candidates.shortest[u], candidates.longest[u]
        if record < 0 or not shortest <= candidates.length[record] <= longest:
            out[c:end_prefix] = np.nan
            continue
        total, held = np.inf if least else 0.0, 0
        n_required = required_of(required, aux.start, u)
        code = np.zeros(end - begin, np.uint32)
        n_outside, elsewhere = no_draws(end - begin)
        for a in range(begin, end + 1):
            if a == end and of_repeats.size > 0:
                total = of_repeats[u]
            elif a == end and counted.number.size > 0:
                ways = np.empty(counted.number[u] + 1, np.float64)
                total = likelihood(
                    record, begin, end, code, (n_outside, elsewhere), counted, u, ways
                )
            while c < end_prefix and prefixes.size[c] == a - begin:
                out[c] = finished(
                    form.kind, total, held // REQUIRED == n_required, form.base[u],
                    form.feature[form.group[u], record] if form.feature.shape[0] else 0.0,
                    form.need[u, 0] if form.need.shape[0] else 0.0,
                    form.need[u, 1] if form.need.shape[0] else 0.0,
                )  # fmt: skip
                c += 1
            if a == end or target.start[a] == target.start[a + 1] or aux.item[a] < 0:
                continue
            held += count_of(required, a)
            k = target.start[a]
            if counted.number.size > 0:
                day_class = tables.day_class[tables.smooth.day_offset[a] + target.day[k]]
                level, day = np.int64(target.level[k]), np.int64(target.day[k])
                near = np.int64(target.near[k])
                place = day_class * counted.levels + level
                code[a - begin] = 1 + place
                if are_drawn(counted):
                    n_outside[a - begin] = outside(a, level, day, near, counted)
                    elsewhere[a - begin] = chance_elsewhere(a, place, level, day, counted)
                continue
            contribution = contribution_of(
                a, np.int64(target.level[k]), np.int64(target.day[k]), tables
            )
            for other in range(k + 1, target.start[a + 1]):
                level, day = np.int64(target.level[other]), np.int64(target.day[other])
                contribution = max(contribution, contribution_of(a, level, day, tables))
            total = min(total, contribution) if least else total + contribution
