"""The weights of facts, right and wrong, about visible and hidden cells (spec §12)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.original_totals import CellsBehind, Drawn, JointCells, OriginalTotals, State
from sim.adversary.time_channel import TimeChannel
from sim.attack.algorithms.counted import share_of_close_values
from sim.attack.algorithms.likelihood import Noise, gaps_to, same_value, value_likelihood
from sim.attack.algorithms.originals import Originals
from sim.attack.algorithms.repeated import leaders
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.posterior import (
    NO_TIME,
    NOT_KNOWN,
    FactTable,
    Placement,
    Posterior,
    TimeTables,
)

Ints = NDArray[np.int64]


class Counting(NamedTuple):
    """How many of a unit's facts are wrong.

    Parameters
    ----------
    size : int
        Cells that the facts were drawn from, at least.
    drawn : tuple of int
        By how many of the facts are wrong, the cells that were drawn.
    weight : tuple of float
        By how many of the facts are wrong: of that.
    known_length : (int, int) or None
    """

    size: int
    drawn: tuple[int, ...]
    weight: tuple[float, ...]
    known_length: tuple[int, int] | None


def posterior_of(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    known: Sequence[Knowledge],
    counting: Sequence[Counting],
) -> tuple[Posterior, Posterior]:
    """State the likelihoods of a batch of U units, of records and of a person without one.

    Parameters
    ----------
    known, counting : sequences of Knowledge and of Counting
        Of each unit.
    """
    totals = noise.publisher.originals
    assert totals is not None
    drawn = [Drawn(each.popularity, each.draw) for each in known]
    distinct = list(dict.fromkeys(drawn))
    group = np.array([distinct.index(one) for one in drawn], np.int64)
    behind = [totals.behind[one] for one in distinct]
    facts, of_absent = _facts(release, aux, noise, totals, (behind, np.repeat(group, aux.size)))
    placement = _placement(behind, group, known, counting, int(aux.size.max(initial=0)))
    times, classes = _time_tables(totals.times), placement.table.shape[-1]
    none = placement._replace(
        strength=np.array([one.strength_of_absent for one in behind]),
        of_item=np.array([_wide(one.lengths.of_item_of_absent, classes, 0) for one in behind]),
    )
    return Posterior(aux.start, facts, placement, times), Posterior(
        aux.start, of_absent, none, times
    )


def _time_tables(times: TimeChannel) -> TimeTables:
    return TimeTables(
        times.windows.low,
        times.windows.high,
        times.usual,
        times.usual_up_to,
        (times.concentration, times.blur, times.hidden, times.saturation),
        times.rounds,
    )


def _placement(
    behind: Sequence[CellsBehind],
    group: Ints,
    known: Sequence[Knowledge],
    counting: Sequence[Counting],
    most: int,
) -> Placement:
    asked = list(zip(group.tolist(), counting, strict=True))
    distinct = list(dict.fromkeys(asked))
    widest = max(len(each.weight) for each in counting)
    classes = max(one.lengths.of_item.shape[1] for one in behind)
    kinds = max(int(one.lengths.kind[-1]) + 1 for one in behind)
    table = np.zeros((len(distinct), kinds, most + 1, widest, classes))
    for row, (g, each) in zip(table, distinct, strict=True):
        for x, (weight, drawn) in enumerate(zip(each.weight, each.drawn, strict=True)):
            if weight > 0:
                found = behind[g].lengths.placements(each.size, drawn, each.known_length)
                n, j, b = found.shape
                row[:n, :j, x, :b] = weight * found
    some = [np.flatnonzero(each.weight) for each in counting]
    records = [one.lengths.of_record for one in behind]
    longest = max(map(len, records))
    return Placement(
        table=table,
        row=np.array([distinct.index(one) for one in asked], np.int64),
        drawn=group,
        least_wrong=np.array([one[0] for one in some], np.int64),
        most_wrong=np.array([one[-1] for one in some], np.int64),
        by_item=np.array([k.wrong == "item" for k in known], np.bool_),
        once=np.array([k.draw == "items" for k in known], np.bool_),
        kind=np.array([one.lengths.kind for one in behind]),
        share=np.array([one.share for one in behind]),
        weight=np.array([one.weight for one in behind]),
        mean_hidden=np.array([one.lengths.mean_hidden[one.lengths.kind] for one in behind]),
        held=np.array([one.held for one in behind]),
        strength=np.array([one.strength for one in behind]),
        of_record=np.array([_wide(one, classes, longest) for one in records]),
        of_item=np.array([_wide(one.lengths.of_item, classes, 0) for one in behind]),
    )


def _wide(table: Floats, classes: int, rows: int) -> Floats:
    """Return a table with ones for more classes, and the same rows again for more of them."""
    wide = np.pad(table, ((0, 0), (0, classes - table.shape[1])), constant_values=1.0)
    return np.repeat(wide, rows, axis=0) if len(wide) == 1 and rows > 1 else wide


def _facts(
    release: ReleaseView,
    aux: Aux,
    noise: Noise,
    totals: OriginalTotals,
    behind: tuple[Sequence[CellsBehind], Ints],
) -> tuple[FactTable, FactTable]:
    """Return the weights of facts for records, and for a person without a record."""
    originals = Originals.of(release.scale, noise.publisher)
    item = np.where(aux.item >= 0, aux.item, len(totals.item_values) - 1)
    kept = totals.kept_values[item]
    common = originals.common_of(_on_scale(kept, totals.scale, originals.scale))
    dated = (noise.days >= 0) & (aux.day != NO_DAY) & (release.n_days > 0)
    says_time = (noise.days >= 0) & (release.n_days > 0)
    reach = np.where(dated, noise.days, np.where(says_time, NO_TIME, NOT_KNOWN))
    time = np.where(dated, aux.day.astype(np.int64) + totals.times.windows.shift, 0)
    right = value_likelihood(totals.scale, aux, noise)
    same, anywhere = _same(release, aux, noise, totals, item)
    times = _close_times(release, noise)
    wrong, close = _wrong(aux, noise, totals, item, (same, anywhere, times))
    near = np.where(dated, times, 1.0)[:, None]
    # A wrong fact about an item that the person lacks is one of its cells.
    of_any, total = totals.item_values[item].sum(axis=1), float(totals.item_values.sum())
    of_wrong_item = same * of_any / max(total, 1.0)
    groups, of = behind
    known = _of_items([one.known for one in groups], of, item)

    def seen(table: Floats) -> Floats:
        return originals.by_release(common, _at_scale(table, totals.scale, originals.scale, kept))

    def unseen(cells: Ints, state: State) -> tuple[Floats, Floats]:
        shares = cells[item] / np.maximum(cells[item].sum(axis=1), 1)[:, None]
        of_wrong = np.cumsum(shares * (wrong - near * close), axis=1)[:, -1]
        of_wrong = np.where(noise.by_item, of_wrong_item, np.where(known, of_wrong, 0.0))
        if says_time.any():
            alike = _at_its_time(aux, noise, totals, item, state)
            shares = np.where(says_time[:, None], alike, shares)
        return np.where(known, np.cumsum(shares * right, axis=1)[:, -1], 0.0), of_wrong

    hidden, hidden_wrong = unseen(totals.hidden_values, State.HIDDEN)
    facts = FactTable(
        item=aux.item.astype(np.int64),
        leader=leaders(aux) if release.has_repeats else np.arange(aux.item.size),
        time=time,
        reach=reach.astype(np.int64),
        right=np.where(known[:, None], seen(right), 0.0),
        wrong=np.where((known & ~noise.by_item)[:, None], seen(wrong), 0.0),
        close=np.where((known & ~noise.by_item)[:, None], seen(close), 0.0),
        hidden=hidden,
        hidden_wrong=hidden_wrong,
        popular=_of_items([one.items for one in groups], of, item),
        odds=_of_items([one.odds for one in groups], of, item),
    )
    hidden, hidden_wrong = unseen(totals.absent_values, State.ABSENT)
    popular = _of_items([one.items_of_absent for one in groups], of, item)
    of_absent = facts._replace(hidden=hidden, hidden_wrong=hidden_wrong, popular=popular)
    return facts, of_absent


def _of_items(tables: Sequence[NDArray[Any]], of: Ints, item: Ints) -> NDArray[Any]:
    """Return the entry of each fact's item in the table of its group, shape (A,)."""
    return np.array(tables)[of, item]


def _on_scale(cells: Ints, given: Floats, scale: Floats) -> Floats:
    """Return counts by the levels of another scale, shape (A, K); none where it lacks one."""
    found = np.zeros((len(cells), scale.size))
    place = np.searchsorted(given, scale)
    some = (place < given.size) & (np.append(given, np.inf)[place] == scale)
    found[:, some] = cells[:, place[some]]
    return found


def _at_scale(table: Floats, given: Floats, scale: Floats, kept: Ints) -> Floats:
    """Return a table by the levels of the original at those of another scale, and for none.

    A released cell has no value where the original had none; or all have lost theirs.
    """
    if not scale.size and given.size:
        mean = np.cumsum(table * kept, axis=1)[:, -1] / np.maximum(kept.sum(axis=1), 1)
        return np.asarray(mean[:, None])
    place = np.minimum(np.searchsorted(given, scale), max(given.size - 1, 0))
    return np.column_stack([table[:, place], table[:, -1]])


def _wrong(
    aux: Aux,
    noise: Noise,
    totals: OriginalTotals,
    item: Ints,
    alike: tuple[Floats, Floats, Floats],
) -> tuple[Floats, Floats]:
    """Chance of a wrong fact by the original level of its cell, and of it the part that is close.

    It is one of the item's cells outside the noise of the own one; where there is none, of all.

    Parameters
    ----------
    alike : tuple of float64 array, shape (A,)
        What `_same` returns, and `_close_times`.

    Returns
    -------
    wrong, close : float64 arrays, shape (A, K + 1)
    """
    zeros = np.zeros((aux.item.size, totals.scale.size + 1))
    if not (noise.wrong > 0).any():
        return zeros, zeros
    limits, which = noise.value_limits(totals.scale)
    gaps = gaps_to(totals.scale, aux.value)
    close = np.where(np.isnan(gaps), True, gaps <= limits[which])
    same, anywhere, close_times = alike
    times = close_times[:, None]
    cells = totals.item_values[item].astype(np.float64)
    outside = 1.0 - times * share_of_close_values(totals.scale, noise, cells)
    everybody = totals.item_values.sum(axis=0).astype(np.float64)
    of_all = np.broadcast_to(everybody, cells.shape)
    elsewhere = 1.0 - times * share_of_close_values(totals.scale, noise, of_all.copy())
    none = outside <= 1e-9
    chance = np.where(none, anywhere[:, None] / np.maximum(elsewhere, 1e-9),
                      same[:, None] / np.maximum(outside, 1e-9))  # fmt: skip
    chance = np.where((noise.wrong > 0)[:, None], chance, 0.0)
    return chance, chance * close


def _same(
    release: ReleaseView, aux: Aux, noise: Noise, totals: OriginalTotals, item: Ints
) -> tuple[Floats, Floats]:
    """Share of the cells of each fact's item that are just this, and of all cells, shape (A,)."""
    of_item = totals.item_values[item].astype(np.float64)
    of_all = np.broadcast_to(totals.item_values.sum(axis=0).astype(np.float64), of_item.shape)
    here, everywhere = of_item, of_all
    timed = (noise.days >= 0) & (release.n_days > 0) & (noise.wrong > 0)
    if timed.any():
        joint, time = _joint(totals), _times(aux, totals)
        at = joint.by_level(item, time, time + 1, [*State])
        outside = (time < 0) | (time >= joint.axes[2])
        of_time = joint.of_any_item[np.where(outside, 0, time)]
        here = np.where(timed[:, None], at, of_item)
        everywhere = np.where(
            (timed & ~outside)[:, None], of_time, np.where(timed[:, None], 0.0, of_all)
        )
    chance = same_value(totals.scale, aux, noise)

    def share(cells: Floats, of: Floats) -> Floats:
        whole = np.maximum(of.sum(axis=1), 1.0)
        return np.asarray(np.cumsum(cells * chance, axis=1)[:, -1] / whole)

    return share(here, of_item), share(everywhere, of_all)


def _joint(totals: OriginalTotals) -> JointCells:
    if totals.joint is None:
        raise RuntimeError("facts have times: totals without times")
    return totals.joint


def _times(aux: Aux, totals: OriginalTotals) -> Ints:
    """Return the time of each fact in the original; the last is that of cells without one."""
    shift, none = totals.times.windows.shift, _joint(totals).axes[2] - 1
    time = aux.day.astype(np.int64) + shift
    return np.where(aux.day == NO_DAY, none, np.where(time < none, time, -1))


def _at_its_time(
    aux: Aux, noise: Noise, totals: OriginalTotals, item: Ints, state: State
) -> Floats:
    """Return how likely hidden cells of each fact's item have a level, at the fact's time.

    Beside the time alone, which the kernel weighs: by the times of all such cells and, of a person
    without a record, of all cells. So what is hidden of items at times is as much as there is.

    Returns
    -------
    float64 array, shape (A, K + 1)
    """
    joint, times = _joint(totals), totals.times
    none = aux.day == NO_DAY
    time, reach = _times(aux, totals), np.where(none, 0, noise.days).astype(np.int64)
    time = np.where(none, time, aux.day.astype(np.int64) + times.windows.shift)
    first, end = (
        time - reach,
        np.where(none, time + 1, np.minimum(time + reach + 1, joint.axes[2] - 1)),
    )
    cells = joint.by_level(item, first, end, [state])
    whole = joint.by_level(item, np.zeros_like(time), np.full_like(time, joint.axes[2]), [state])
    of_time = times.usual
    if state == State.HIDDEN:
        counts = joint.by_time[state]
        of_time = counts[:-1] / max(int(counts.sum()), 1)
    up_to = np.append(0.0, np.cumsum(of_time))
    low, high = (np.clip(t, 0, of_time.size) for t in (first, end))
    usual = np.where(none, 1.0, up_to[np.maximum(low, high)] - up_to[low])
    expected = whole.sum(axis=1) * usual
    return cells / np.where(expected > 0, expected, 1.0)[:, None]


def _close_times(release: ReleaseView, noise: Noise) -> Floats:
    """Probability that a cell's time is within the error of another's, shape (A,)."""
    found = np.ones(noise.days.size)
    for days in np.unique(noise.days[noise.days >= 0]).tolist():
        found[noise.days == days] = release.close_dates(days)
    return found
