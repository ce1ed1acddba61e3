"""Likelihoods of facts where each cell is in the release with a known probability (spec §11).

The generative model: a person's record has N cells, of which each is released with probability κ,
whatever becomes of the others. The facts are about m′ of the N cells, drawn without replacement.
Given a released record of n cells, H = N − n are hidden. Of given facts h are about cells that are
released, with likelihoods p, and j = m′ − h about hidden ones. There are H·(H − 1)⋯(H − j + 1) ways
to place these, each hidden cell being of an item, value and day with the probability s of a cell of
the release that is of none of the record's items. In all

    Σ_N P(N | n) · H^(j) / N^(m′) · Π p · Π s,

where x^(k) = x·(x − 1)⋯(x − k + 1), over the N of people who have m′ cells. What is before the
products stands in a table by n and h (`Counted.placed`); P(N | n) is learnt from the lengths of
all released records (`sim.attack.algorithms.true_lengths`). If all N are as likely before, it is
κ^h·(1 − κ)^j / n^(h), since Σ_g C(n − h + g, g)·(1 − κ)^g = κ^−(n − h + 1): this is taken for
records too long to learn it. All of this is exact for such records, except P(N | n) and s, which is
estimated from the released cells (`sim.attack.algorithms.unseen_cells`). A record that lacks the
item is never ruled out.

Exactly m′ − m of the facts are wrong, in any of the ways. Wrong items are among those that the
record lacks, and about no cell of the person's; each is of a value and a day with the probability q
that a true cell of the item has just these: of a share κ of the cells it is counted, and of the
others it is s without noise. A fact that has a released cell to the day, where days of own cells
are known roughly, is thus likely wrong. A wrong value or day is that of a true cell outside the
noise of the own one, as in `sim.attack.algorithms.counted`, be the own one released or hidden; what
a hidden one is like is expected from the cells of its item (`about_hidden`).

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

Of records that were cut down to n cells it is known how many people had L before, of which each was
one of the N with probability κ. Of the j hidden facts, t are about one of the L − n: all in all,
Σ_L P(L)·Σ_t C(j, t)·κ^(h + t)·(1 − κ)^(j − t)·(L − n)^(t) / L^(h + t). Where facts are about
items of a window, only the mean share that is left is known, which is a part of κ for them. The
reference implementation is `tests/reference/missing.py`.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.publisher import Publisher
from sim.attack.algorithms.counted import close_dates, wrong_values
from sim.attack.algorithms.likelihood import Noise, shares
from sim.attack.algorithms.true_lengths import LONGEST, TrueLengths, learnt
from sim.attack.algorithms.unseen_cells import unseen_cells
from sim.attack.engine.decisions import Floats
from sim.attack.engine.spread import PERIODS
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.score_spec import Counted

_CAUTION = 4.0
"""How much more than it seems the distribution over all records counts, beside a record's own."""

_ALMOST_ALL = 1.0 - 1e-9
"""In place of 1 as the share of the cells that are released: nobody is ruled out for certain."""

_NO_HABITS = 1e6
"""Concentration of people whose days are those of everybody."""


class Spread(NamedTuple):
    """How likely a cell of each of A facts' items makes the fact; 0 where the release lacks it.

    Parameters
    ----------
    hidden : float64 array, shape (A,)
        s, of an own cell that is not released.
    wrong : float64 array, shape (A,)
        q, of the true cell that a wrong fact has its value and day from.
    """

    hidden: Floats
    wrong: Floats


def spread(release: ReleaseView, aux: Aux, noise: Noise, exact: Noise) -> Spread:
    """Count how cells of the facts' items are spread.

    Parameters
    ----------
    exact : Noise
        That of cells which are known exactly.
    """
    hidden = unseen_cells(release, aux, noise)
    wanted = noise.wrong > 0
    if not wanted.any():
        return Spread(hidden, np.zeros_like(hidden))
    n = np.repeat(release.n_cells, aux.size)
    # One cell more than there is may be anything.
    left = np.minimum(_left(release, exact.publisher), n / (n + 1.0))
    shown = replace(exact, publisher=replace(exact.publisher, moves_ranks=False))
    seen = shares(release, aux, wanted, shown)
    return Spread(hidden, left * seen + (1.0 - left) * unseen_cells(release, aux, exact))


def _left(release: ReleaseView, publisher: Publisher) -> float:
    """Share of all cells that are released."""
    kept = np.where(release.length == publisher.cap, publisher.cap_kept, 1.0) * publisher.kept
    return float(release.length.sum()) / float(np.cumsum(release.length / kept)[-1])


def with_hidden(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    right: Floats,
    known: Sequence[Knowledge],
    count: str,
) -> Counted:
    """Return the chances where any of the facts may be about a cell that is not released.

    All but how often facts are hidden, which the caller adds; where records were cut, also what
    they are like. What `spread` found is in the notes.

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
    cells, hidden = release.cells, Spread(*release.notes.T).hidden
    wrong, of_hidden = wrong_chances(release, aux, noise)
    by_value = noise.wrong * ~noise.by_item
    most = [k.size - k.correct for k in known]
    if count == "independent":
        most = [n and k.n_facts for n, k in zip(most, known, strict=True)]
    if noise.publisher.cut is not None:  # each fact is wrong by itself
        right = (1 - by_value)[:, None, None] * right + by_value[:, None, None] * wrong
        wrong, most = np.zeros_like(right), [0] * len(most)
    held = (cells > 0)[:, None, None]
    mass, group = release.cells_of_own_items()
    gone = (cells == 0) & noise.publisher.drops_items
    shape = aux.item.size, noise.n_classes * (release.scale.size + 1)
    found = Counted(
        right=np.where(held, right, 0.0).reshape(shape),
        wrong=np.where(held, wrong, 0.0).reshape(shape),
        levels=release.scale.size + 1,
        days=release.n_days + 1,
        lacking=np.where(cells > 0, of_hidden * cells, np.nan),
        hidden=hidden * cells,
        either=gone,
        by_item=np.ones(aux.item.size, np.bool_),
        support=cells,
        number=np.minimum(most, aux.size - np.bincount(aux.unit, gone, minlength=len(aux))).astype(
            np.int64
        ),
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


def wrong_chances(release: ReleaseView, aux: Aux, noise: Noise) -> tuple[Floats, Floats]:
    """Return the chance of a wrong fact of the record's own cell, and where it has none.

    A wrong item is about no cell of the record's own.

    Returns
    -------
    of_cell : float64 array, shape (A, C, L + 1)
        By the class of the cell's day and its level; 0 for wrong items.
    of_none : float64 array, shape (A,)
        Of a hidden cell of the item, but of a wrong item what a cell of it is like.
    """
    wrong = Spread(*release.notes.T).wrong
    of_cell = np.zeros((aux.item.size, noise.n_classes, release.scale.size + 1))
    by_value = (noise.wrong > 0) & ~noise.by_item
    if not by_value.any():
        return of_cell, wrong
    of_cell[by_value] = wrong_values(release, aux, noise, wrong)[by_value]
    return of_cell, np.where(by_value, about_hidden(release, aux, noise, of_cell), wrong)


def about_hidden(release: ReleaseView, aux: Aux, noise: Noise, of_cell: Floats) -> Floats:
    """Expect the chance of a wrong fact about a hidden cell of its item, shape (A,).

    A hidden cell is one of the released cells of the item, or one more of any level of the release,
    which is within the noise of the fact's day as often as two cells of the release are within that
    of each other.
    """
    facts = np.flatnonzero(release.cells > 0)
    far, near = of_cell[facts, 0], of_cell[facts, _class_inside(noise)[facts]]
    cells = release.all_cells_by_level[facts]
    usual = cells / np.maximum(cells.sum(axis=1), 1.0)[:, None]
    close = close_dates(release, noise)[facts]
    mean = (1 - close)[:, None] * far + close[:, None] * near
    new = np.cumsum(usual * mean, axis=1)[:, -1]
    every, end = np.zeros(facts.size, np.int64), np.full(facts.size, release.n_days)
    if noise.coarse is None:
        dated = (noise.days[facts] >= 0) & (aux.day[facts] != NO_DAY)
        reach = np.maximum(noise.days[facts], 0).astype(np.int64) + noise.publisher.date_noise
        day = np.where(dated, aux.day[facts].astype(np.int64), 0)
        low, high = np.maximum(day - reach, 0), np.minimum(day + reach, release.n_days - 1)
        low, high = np.where(dated, low, 0), np.where(dated, high, -1)
        known = release.matching_cells(facts, far, every, end)
        known += release.matching_cells(facts, near - far, low, high)
    else:
        known = release.matching_cells(facts, mean, every, end)
    found = np.zeros(aux.item.size)
    found[facts] = (np.maximum(known, 0.0) + new) / (release.cells[facts] + 1.0)
    return found


def _class_inside(noise: Noise) -> NDArray[np.int64]:
    """Return the class of the days that are most surely within the noise of each fact's, (A,).

    Where times were made coarser, that of cells without a day, which no day is outside of.
    """
    if noise.coarse is not None:
        return np.full(noise.days.size, noise.n_classes - 1)
    reach = np.maximum(np.minimum(noise.days, noise.publisher.date_noise), 0)
    return 1 + 2 * reach.astype(np.int64)


def placed(
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
    nobody = np.bincount(aux.unit, chances.either, minlength=len(aux)).astype(np.int64)
    drawn = list(zip(known, nobody.tolist(), strict=True))
    distinct = list(dict.fromkeys(drawn))
    kept = [min(publisher.kept, _ALMOST_ALL)]
    if publisher.cap:
        kept.append(min(publisher.kept * publisher.cap_kept, _ALMOST_ALL))
    tables = [_weights_of(each, gone, k, count) for each, gone in distinct for k in kept]
    if publisher.cap_lengths:
        for row, (each, gone) in enumerate(distinct):
            if each.popularity == Window():
                tables[row * len(kept) + 1] = _weights_of_cut(each, gone, publisher, count)
    found = chances._replace(
        beyond=_stacked(tables),
        placed=np.zeros((len(tables), 0, 0, 0)),
        placing=np.array([distinct.index(one) * len(kept) for one in drawn], np.int64),
    )
    if publisher.cap:
        return found._replace(cut_down=(release.length == publisher.cap).astype(np.int64))
    of_each = []
    for each, gone in distinct:
        window = publisher.window(each.popularity)
        lengths = learnt(np.bincount(release.items_in_window(window, each.draw)), kept[0])
        of_each.append(table_of(lengths, each, gone, count))
    return found._replace(placed=_stacked(of_each))


def _stacked(tables: Sequence[Floats]) -> Floats:
    """Return tables as one, with 0 where the others are larger."""
    shape = np.max([table.shape for table in tables], axis=0)
    found = np.zeros((len(tables), *shape.tolist()))
    for row, table in zip(found, tables, strict=True):
        row[tuple(slice(n) for n in table.shape)] = table
    return found


@functools.lru_cache(maxsize=64)
def table_of(lengths: TrueLengths, known: Knowledge, gone: int, count: str) -> Floats:
    """`Counted.placed` of one row, shape (LONGEST + 1, k + 1, k + 1).

    Parameters
    ----------
    gone : int
        Facts about items that the publisher dropped, each of which may be wrong or not.
    """
    k = known.n_facts - gone
    placements = lengths.placements(np.arange(LONGEST + 1), k if gone else known.size, k)
    return _by_wrong(placements, _wrong(known, gone, count), by_item=known.wrong == "item")


def _by_wrong(chance: Floats, wrong: Sequence[float], *, by_item: bool) -> Floats:
    """Return by h and x what is given by h and j, where x of the facts are wrong.

    Parameters
    ----------
    chance : float64 array, shape (..., k + 1, k + 1)
    wrong : sequence of float
        Weight of x = 0 … facts being wrong.
    by_item : bool
        Whether these are about no cell of the record's own.
    """
    found, k = np.zeros_like(chance), chance.shape[-1] - 1
    for x, weight in enumerate(wrong):
        for h in range(k + 1 - by_item * x):
            found[..., h, x] = weight * chance[..., h, k - h - by_item * x]
    return found


def _weights_of(known: Knowledge, gone: int, kept: float, count: str) -> Floats:
    """`Counted.beyond` of one row, if all lengths are as likely, shape (k + 1, k + 1).

    Examples
    --------
    One wrong item of two facts, and half of the cells released: of two that a record lacks, either
    may be wrong, and the other one is hidden.

    >>> _weights_of(Knowledge(1, 2, wrong="item"), 0, 0.5, "exact").tolist()
    [[0.0, 0.5, 0.0], [0.0, 0.5, 0.0], [0.0, 0.0, 0.0]]
    >>> _weights_of(Knowledge(1, 1), 0, 0.25, "exact").tolist()
    [[0.75, 0.0], [0.25, 0.0]]
    """
    facts = range(known.n_facts - gone + 1)
    chance = [[_power(kept, h) * _power(1.0 - kept, j) for j in facts] for h in facts]
    wrong = _wrong(known, gone, count)
    return _by_wrong(np.array(chance), wrong, by_item=known.wrong == "item")


def _weights_of_cut(known: Knowledge, gone: int, publisher: Publisher, count: str) -> Floats:
    """`Counted.beyond` of one row for records that were cut down, shape (k + 1, k + 1).

    Examples
    --------
    Of two people with two cells left one had four. A fact is hidden with probability 2/4, or 0.

    >>> two = Publisher(cap=2, cap_kept=0.75, cap_lengths=((2, 1), (4, 1)))
    >>> _weights_of_cut(Knowledge(1, 1), 0, two, "exact").tolist()
    [[0.25, 0.0], [0.75, 0.0]]
    """
    k, n, kept = known.n_facts - gone, float(publisher.cap), publisher.kept
    least = 0 if kept < 1 else k if gone else known.size
    length, people = np.array(publisher.cap_lengths, np.float64).T
    share = np.where(length >= least, people, 0.0) / people.sum()
    chance = np.zeros((k + 1, k + 1))
    for h, j in itertools.product(range(k + 1), repeat=2):
        if h + j > k:
            continue
        for cut in range(j + 1):
            placed = _falling(length - n, cut) / np.maximum(_falling(length, h + cut), 1.0)
            ways = math.comb(j, cut) * _power(kept, h + cut) * _power(1.0 - kept, j - cut)
            chance[h, j] += ways * float(np.cumsum(share * placed)[-1])
        chance[h, j] *= _falling(np.array([n]), h)[0]
    return _by_wrong(chance, _wrong(known, gone, count), by_item=known.wrong == "item")


def _falling(x: Floats, k: int) -> Floats:
    """x·(x − 1)⋯(x − k + 1), 0 where a factor is negative."""
    found = np.ones_like(x)
    for i in range(k):
        found = found * np.maximum(x - i, 0.0)
    return found


def _wrong(known: Knowledge, gone: int, count: str) -> list[float]:
    """Weight of x = 0 … of the facts being wrong, certain ones, and no others.

    Of so many further facts, about items that the publisher dropped, any may be wrong.
    """
    size, n_wrong, later = known.size, known.size - known.correct, known.size - known.n_facts
    k = known.n_facts
    if count == "independent":
        share = n_wrong / size
        of_each = [_power(share, x) * _power(1 - share, k - x) for x in range(k + 1)]
    else:
        of_each = [float(math.comb(later, n_wrong - x)) for x in range(min(n_wrong, k) + 1)]
        of_each += [0.0] * (k + 1 - len(of_each))
    return [
        sum(math.comb(gone, y) * of_each[x + y] for y in range(gone + 1))
        for x in range(k - gone + 1)
    ]


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


def _power(x: float, n: int) -> float:
    """x^n by multiplication, the same on every machine."""
    product = 1.0
    for _ in range(n):
        product *= x
    return product
