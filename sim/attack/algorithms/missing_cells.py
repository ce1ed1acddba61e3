"""Likelihoods of facts where each cell is in the release with a known probability (spec §11).

The generative model: a person's record has N cells, of which each is released with probability κ,
whatever becomes of the others. The facts are about m′ of the N cells, drawn without replacement.
Given a released record of n cells, H = N − n are hidden. Of given facts h are about cells that are
released, with likelihoods p, and j = m′ − h about hidden ones. There are H·(H − 1)⋯(H − j + 1) ways
to place these, each hidden cell being of an item, value and day with the probability s of a cell of
the release that is of none of the record's items. In all

    Σ_N P(N | n) · H^(j) / N^(m′) · Π p · Π s,

where x^(k) = x·(x − 1)⋯(x − k + 1), over the N of people who have m′ cells. What is before the
products stands in a table by n and j (`Counted.by_length`); P(N | n) is learnt from the lengths of
all released records (`sim.attack.algorithms.true_lengths`). If all N are as likely before, it is
κ^h·(1 − κ)^j / n^(h), since Σ_g C(n − h + g, g)·(1 − κ)^g = κ^−(n − h + 1): this is taken for
records too long to learn it, and where records were cut. A fact that a record lacks is what a wrong
item is to `sim.attack.algorithms.counted`, whose kernel sums it up. All of this is exact for such
records, except P(N | n) and s, which is estimated from the released cells
(`sim.attack.algorithms.unseen_cells`). A record that lacks the item is never ruled out.

Where the publisher dropped items as well, N is without these. A fact about an item that nobody
holds is then about one of them: as likely whatever N is, and none of the m′ that are placed.

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

import functools
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
from sim.attack.algorithms.true_lengths import LONGEST, TrueLengths, learnt
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
) -> Counted:
    """Return the chances where any of the facts may be about a cell that is not released.

    All but how often facts are hidden: `Counted.weight` is 0, and to be given by the caller.

    Parameters
    ----------
    aux : Aux
        U units, A facts.
    right : float64 array, shape (A, C, L + 1)
        Chance of a right fact, by the class of the day and the level of the record's cell.
    known : sequence of Knowledge
        Of each unit.
    """
    cells, hidden = release.cells, release.notes
    held = np.where((cells > 0)[:, None, None], right, 0.0)
    wrong = noise.wrong * ~noise.by_item
    if wrong.any():
        other = wrong_values(release, aux, noise, hidden)
        held = (1 - wrong)[:, None, None] * held + wrong[:, None, None] * other
    flat = held.reshape(aux.item.size, noise.n_classes * (release.scale.size + 1))
    number = np.array([each.n_facts for each in known], np.int64)
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
        weight=np.zeros((len(known), int(number.max(initial=0)) + 1)),
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


def by_true_length(
    chances: Counted,
    release: ReleaseView,
    aux: Aux,
    known: Sequence[Knowledge],
    publisher: Publisher,
    count: str,
) -> Counted:
    """Complete the chances where each cell is released with probability κ.

    Parameters
    ----------
    aux : Aux
        U units.
    known : sequence of Knowledge
        Of each unit.
    count : {"independent", "exact"}
    """
    nobody = np.isnan(chances.lacking) & publisher.drops_items
    dropped = np.bincount(aux.unit, nobody, minlength=len(aux)).astype(np.int64).tolist()
    drawn = list(zip(known, dropped, strict=True))
    distinct = list(dict.fromkeys(drawn))
    most = int(chances.number.max(initial=0))
    weight = np.zeros((len(distinct), most + 1))
    by_length = np.zeros((len(distinct), LONGEST + 1, most + 1))
    for row, (each, without) in enumerate(distinct):
        window = publisher.window(each.popularity)
        released = np.bincount(release.items_in_window(window, each.draw))
        weight[row, : each.n_facts + 1] = weights_of(each, publisher.kept, count)
        lengths = learnt(released, publisher.kept)
        by_length[row, :, : each.n_facts + 1] = table_of(lengths, each, without, count)
    of = np.array([distinct.index(one) for one in drawn], np.int64)
    return chances._replace(weight=weight[of], by_length=by_length, of_length=of)


@functools.lru_cache(maxsize=64)
def table_of(lengths: TrueLengths, known: Knowledge, dropped: int, count: str) -> Floats:
    """Weight of w = 0 … k facts that a record lacks, by its length, shape (LONGEST + 1, k + 1).

    In every way in which some of these facts are the wrong ones; so many of them are about items
    that the publisher dropped.
    """
    k, wrong = known.n_facts, _wrong(known, count)
    size = k - dropped if dropped else known.size
    placed = lengths.placements(np.arange(LONGEST + 1), size, k - dropped)
    found = np.zeros((LONGEST + 1, k + 1))
    for w in range(dropped, k + 1):
        other = w - dropped
        for hidden in range(other + 1):
            ways = math.comb(other, hidden) * sum(
                math.comb(dropped, x) * wrong[other - hidden + x] for x in range(dropped + 1)
            )
            found[:, w] += ways * placed[:, k - w, hidden]
    return found


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
    """Weight of w = 0 … k facts about items that a record lacks, if all lengths are as likely.

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
    k, wrong = known.n_facts, _wrong(known, count)
    return [
        sum(
            math.comb(w, x) * wrong[x] * _power(kept, k - w) * _power(1 - kept, w - x)
            for x in range(w + 1)
        )
        for w in range(k + 1)
    ]


def _wrong(known: Knowledge, count: str) -> list[float]:
    """Weight of certain x = 0 … k of the facts, and no others, being about wrong items."""
    k, n_wrong, later = known.n_facts, known.size - known.correct, known.size - known.n_facts
    if known.wrong == "value":
        return [1.0] + [0.0] * k
    if count == "independent":
        share = n_wrong / known.size
        return [_power(share, x) * _power(1 - share, k - x) for x in range(k + 1)]
    return [float(math.comb(later, n_wrong - x)) if x <= n_wrong else 0.0 for x in range(k + 1)]


def _power(x: float, n: int) -> float:
    """x^n by multiplication, the same on every machine."""
    product = 1.0
    for _ in range(n):
        product *= x
    return product
