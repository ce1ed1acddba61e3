"""Likelihoods of facts where each cell is in the release with a known probability (spec §11).

The generative model: a person's record has N cells, of which each is released with probability κ,
whatever becomes of the others; all N are as likely before. The facts are about m′ of the N cells,
drawn without replacement. Given a released record of n cells, H = N − n are hidden, and
P(N | n) ∝ C(N, n)·κ^n·(1 − κ)^H. Of given facts h are about cells that are released, with
likelihoods p, and j = m′ − h about hidden ones. There are H·(H − 1)⋯(H − j + 1) ways to place
these, each hidden cell being of an item, value and day with the probability s of a cell of the
release that is of none of the record's items. In all

    Σ_N P(N | n) · H^(j) / N^(m′) · Π p · Π s = κ^h·(1 − κ)^j / n^(h) · Π p · Π s,

where x^(k) = x·(x − 1)⋯(x − k + 1), since Σ_g C(n − h + g, g)·(1 − κ)^g = κ^−(n − h + 1). So a fact
is about each released cell with probability κ/n, and lacks with probability (1 − κ): what a wrong
item is to `sim.attack.algorithms.counted`, whose kernel sums it up. All of this is exact for such
records (where lengths are concentrated, of short records the attacker is too unsure, and of long
ones too sure), except s, which `sim.attack.algorithms.unseen_cells` estimates from the released
cells. A record that lacks the item is never ruled out.

People have their days: the day of a hidden cell is likely to be near those of the record's released
ones. The release is parted into periods, of which u is the share of all cells. A hidden cell of
a record of n cells, those of the facts before included, is in a period with probability
(o + α·u)/(n + α), where o = n/(1 + α) if any of the n is in it and otherwise 0. That over u is
a factor of s. How many of the n are in it is left out, and α is four times what the release's pairs
of cells say: by its own count, a record of few cells on the right day would outweigh one that has
a cell that fits. This part is an approximation, held to calibration by a test: on lifelike data its
guesses are as often right as they say within 0.08.

Wrong facts: of wrong items exactly m′ − m of those that the record lacks are wrong, in any of the
ways. With ``wrong="value"`` each fact is wrong with probability π whatever the others are, also
where their number is known exactly: a second count would be needed beside that of the hidden ones.
The attacker thus is a little less certain than possible there. The reference implementation is
`sim.reference.missing`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import Publisher
from sim.attack.algorithms.counted import wrong_values
from sim.attack.algorithms.likelihood import Noise
from sim.attack.engine.decisions import Floats
from sim.attack.engine.spread import PERIODS
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import Counted, ScoreSpec
from sim.numeric import log

_CAUTION = 4.0
"""How much more than it seems the distribution over all records counts, beside a record's own."""

_ALMOST_ALL = 1.0 - 1e-9
"""In place of 1 as the share of the cells that are released: nobody is ruled out for certain."""

_NO_HABITS = 1e6
"""Concentration of people whose days are those of everybody."""


def with_hidden(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    right: Floats,
    known: Sequence[Knowledge],
    count: str,
) -> Counted:
    """Return the chances where any of the facts may be about a cell that is not released.

    Parameters
    ----------
    aux : Aux
        U units, A facts.
    right : float64 array, shape (A, C, L + 1)
        Chance of a right fact, by the class of the day and the level of the record's cell.
    known : sequence of Knowledge
        Of each unit.
    count : {"independent", "exact"}
    """
    cells, hidden = release.cells, release.notes
    held = np.where((cells > 0)[:, None, None], right, 0.0)
    wrong = noise.wrong * ~noise.by_item
    if wrong.any():
        other = wrong_values(release, aux, noise, hidden)
        held = (1 - wrong)[:, None, None] * held + wrong[:, None, None] * other
    flat = held.reshape(aux.item.size, noise.n_classes * (release.scale.size + 1))
    number = np.array([each.n_facts for each in known], np.int64)
    weight = np.zeros((len(known), int(number.max(initial=0)) + 1))
    for unit, each in enumerate(known):
        weight[unit, : each.n_facts + 1] = weights_of(each, noise.publisher.kept, count)
    mass, group = release.cells_of_own_items()
    found = Counted(
        right=flat,
        wrong=np.zeros_like(flat),
        levels=release.scale.size + 1,
        days=release.n_days + 1,
        lacking=np.where(cells > 0, hidden * cells, np.nan),
        either=np.zeros(aux.item.size, np.bool_),
        by_item=np.ones(aux.item.size, np.bool_),
        support=cells,
        number=number,
        weight=weight,
        right_items=number,
        cells=release.n_cells,
        mass=mass,
        group=group,
    )
    if noise.publisher.cut is not None:
        return found  # hidden cells are in other records on account of their days
    periods, within, usual, concentration = _habits(release, aux, noise)
    return found._replace(
        periods=periods,
        within=within,
        usual=usual,
        concentration=concentration,
    )


def of_each_length(
    spec: ScoreSpec, release: ReleaseView, known: Sequence[Knowledge], publisher: Publisher
) -> ScoreSpec:
    """Return a score where the share of the cells that are released depends on a record's length.

    Records of `Publisher.cap` cells were cut down, or may have been; of others nothing more than
    usual is missing. κ^h·(1 − κ)^j = κ^k·((1 − κ)/κ)^j: the first factor is a term of each record,
    the second makes up what hidden cells are drawn from. Each is drawn from all cells of other
    people's items, whatever was drawn before, and from one of each item that no record has. Facts
    about wrong items are wrong each by itself, also where their number is known. All records that
    were cut down are taken to have lost the same share, so the attacker claims a little too much.

    Parameters
    ----------
    known : sequence of Knowledge
        Of each unit.
    """
    chances = spec.counted
    wrong = np.array([(k.size - k.correct) / k.size * (k.wrong == "item") for k in known])
    columns = np.column_stack([chances.group, wrong, chances.number])
    _, first, group = np.unique(columns, axis=0, return_index=True, return_inverse=True)
    kept = publisher.kept * np.where(release.length == publisher.cap, publisher.cap_kept, 1.0)
    mass, term = [np.empty((0, kept.size))], [np.empty((0, kept.size))]
    for unit in first.tolist():
        right = np.minimum((1.0 - wrong[unit]) * kept, _ALMOST_ALL)
        room = np.maximum(chances.cells[unit] - chances.mass[chances.group[unit]], 1.0)
        mass.append((chances.cells[unit] - room * (right / (1.0 - right)))[None, :])
        term.append(chances.number[unit] * log(right)[None, :])
    counted = chances._replace(
        weight=np.where(np.arange(chances.weight.shape[1]) <= chances.number[:, None], 1.0, 0.0),
        mass=np.concatenate(mass),
        group=group.ravel(),
        support=np.zeros_like(chances.support),
        lacking=np.where(np.isnan(chances.lacking), 1.0, chances.lacking),
    )
    return replace(spec, counted=counted, feature=np.concatenate(term), group=group.ravel())


def _habits(
    release: ReleaseView, aux: Aux, noise: Noise
) -> tuple[NDArray[np.int32], NDArray[np.int64], Floats, float]:
    """Return what `Counted` has of the days of each record: of days as they were released."""
    dated = (noise.days >= 0) & (aux.day != NO_DAY)
    within, usual = np.zeros((aux.item.size, 2), np.int64), np.ones(aux.item.size)
    if not release.n_days or not dated.any():
        return np.empty((0, 0), np.int32), within, usual, 0.0
    days = -(-release.n_days // PERIODS)
    periods = release.cells_by_period(days)
    moved = noise.publisher.date_noise if noise.coarse is None else noise.coarse.law.reach
    far = noise.days[dated].astype(np.int64) + moved
    last = periods.shape[1] - 2
    within[dated, 0] = np.clip((aux.day[dated] - far) // days, 0, last)
    within[dated, 1] = np.clip((aux.day[dated] + far) // days, 0, last) + 1
    counts = np.diff(periods, axis=1).astype(np.float64)
    share = (counts.sum(axis=0) + 1.0) / (counts.sum() + last + 1.0)
    up_to = np.append(0.0, np.cumsum(share))
    usual = up_to[within[:, 1]] - up_to[within[:, 0]]
    return periods, within, usual, _concentration(counts, share)


def _concentration(counts: Floats, share: Floats) -> float:
    """Return α: four times that of a Dirichlet distribution, by the method of moments.

    There two cells of a record are in the same period with probability (1 + α·Σ share²)/(1 + α).

    Examples
    --------
    Two people who keep to a period each, and two who do not.

    >>> _concentration(np.array([[3.0, 0.0], [0.0, 3.0]]), np.array([0.5, 0.5]))
    0.0
    >>> _concentration(np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([0.5, 0.5]))
    1000000.0
    """
    n = counts.sum(axis=1)
    some = n > 1
    if not some.any():
        return _NO_HABITS
    pairs = (counts[some] * (counts[some] - 1)).sum(axis=1) / (n[some] * (n[some] - 1))
    same = float(np.cumsum(pairs)[-1]) / pairs.size
    by_chance = float(np.cumsum(share * share)[-1])
    if same <= by_chance:
        return _NO_HABITS
    return float(min(_CAUTION * (1.0 - same) / (same - by_chance), _NO_HABITS))


def weights_of(known: Knowledge, kept: float, count: str) -> list[float]:
    """Weight of w = 0 … k facts about items that a record lacks.

    κ^h·(1 − κ)^j, in every way in which some of these facts are the wrong ones.

    Examples
    --------
    One wrong item of two facts, and half of the cells released: a record that lacks one lacks the
    wrong one; of two that it lacks either may be.

    >>> weights_of(Knowledge(1, 2, wrong="item"), 0.5, "exact")
    [0.0, 0.5, 1.0]
    >>> weights_of(Knowledge(2, 2), 0.5, "exact")
    [0.25, 0.25, 0.25]
    """
    k, n_wrong = known.n_facts, known.size - known.correct
    if known.wrong == "value":
        return [_power(kept, k - w) * _power(1 - kept, w) for w in range(k + 1)]
    if count == "independent":
        right = (1 - n_wrong / known.size) * kept
        return [_power(right, k - w) * _power(1 - right, w) for w in range(k + 1)]
    later = known.size - k
    return [
        sum(
            math.comb(w, x) * math.comb(later, n_wrong - x)
            * _power(kept, k - w) * _power(1 - kept, w - x)
            for x in range(min(w, n_wrong) + 1)
        )
        for w in range(k + 1)
    ]  # fmt: skip


def _power(x: float, n: int) -> float:
    """x^n by multiplication, the same on every machine."""
    product = 1.0
    for _ in range(n):
        product *= x
    return product
