"""The weights of facts about whole records, where times moved or cells were left out (spec §12)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge, Window
from sim.adversary.original_totals import OriginalTotals
from sim.adversary.publisher import Publisher
from sim.adversary.time_channel import TimeChannel
from sim.attack.algorithms.likelihood import Noise, common_values, gaps_to, value_likelihood
from sim.attack.algorithms.originals import PRIOR_CELLS, Originals
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView
from sim.attack.kernels.whole_records import (
    NO_TIME,
    NOT_KNOWN,
    FactWeights,
    Placements,
    TimeTables,
    WholeRecords,
)

Ints = NDArray[np.int64]


def need_whole_records(known: Knowledge, publisher: Publisher) -> bool:
    """Whether other times of a record say something of the facts."""
    totals = publisher.originals
    if known.date_noise is None:
        return False
    if totals is None:
        return bool(publisher.unmodelled_times)
    return totals.hides_cells or totals.moves_times


def no_whole_model(known: Knowledge) -> str:
    """Return what of the facts the model of whole records leaves out; empty: nothing.

    Examples
    --------
    >>> no_whole_model(Knowledge(1, 1)), no_whole_model(Knowledge(1, 1, draw="items"))
    ('', 'distinct items are drawn first')
    """
    limits = (
        (known.wrong == "item" and known.correct < known.size, "facts may be about wrong items"),
        (known.first is not None and known.correct < known.size, "any of the first facts is wrong"),
        (known.popularity != Window(), "facts are about items of some popularity"),
        (known.draw != "cells", "distinct items are drawn first"),
        (known.record_length is not None, "the length of the record is known"),
    )
    return next((why for holds, why in limits if holds), "")


def whole_records(
    release: ReleaseView, aux: Aux, noise: Noise, known: Sequence[Knowledge]
) -> WholeRecords:
    """State the score of a batch of U units.

    Parameters
    ----------
    known : sequence of Knowledge
        Of each unit.
    """
    totals = noise.publisher.originals
    assert totals is not None
    return WholeRecords(
        aux.start,
        _facts(release, aux, noise, totals, totals.times),
        _placements(totals, known),
        _time_tables(totals.times),
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


def _placements(totals: OriginalTotals, known: Sequence[Knowledge]) -> Placements:
    drawn = [(each.size, each.n_facts) for each in known]
    distinct = list(dict.fromkeys(drawn))
    tables = [totals.lengths.placements(*one) for one in distinct]
    width = max(table.shape[1] for table in tables)
    return Placements(
        number=np.array([k.size - k.correct for k in known], np.int64),
        table=np.array(
            [np.pad(one, ((0, 0), (0, width - one.shape[1]), (0, 0))) for one in tables]
        ),
        row=np.array([distinct.index(one) for one in drawn], np.int64),
        hidden_share=totals.hidden_share,
        of_record=totals.lengths.of_record,
        of_item=totals.lengths.of_item,
    )


def _facts(
    release: ReleaseView, aux: Aux, noise: Noise, totals: OriginalTotals, times: TimeChannel
) -> FactWeights:
    originals = Originals.of(release.scale, noise.publisher)
    common = common_values(release, aux, originals)
    right = value_likelihood(originals.scale, aux, noise)
    dated = (noise.days >= 0) & (aux.day != NO_DAY)
    reach = np.where(dated, noise.days, np.where(noise.days >= 0, NO_TIME, NOT_KNOWN))
    time = np.where(dated, aux.day.astype(np.int64) + times.windows.shift, 0)
    wrong = noise.wrong > 0
    same = same_outside = np.zeros(aux.item.size)
    scale = totals.scale
    item = np.where(aux.item >= 0, aux.item, len(totals.hidden_items) - 1)
    if wrong.any():
        # As a wrong fact is drawn: from the item's cells. These are estimated from the released
        # ones, with some more of the values of all of the item's, and of anybody's times.
        inside = dated & (time >= 0) & (time < times.usual.size)
        of_time = np.where(inside, times.usual[np.where(inside, time, 0)], ~dated)
        usual = _share_of_value(totals.item_values[item], scale, aux) * of_time
        found = release.notes * release.cells + PRIOR_CELLS * usual
        same = np.where(wrong, found / (release.cells + PRIOR_CELLS), 0.0)
        outside = 1.0 - _close_values(release, noise) * _close_times(release, noise)
        same_outside = same / np.maximum(outside, 1e-9)
    values = totals.hidden_values[item]
    of_value = values / np.maximum(values.sum(axis=1), 1)[:, None]
    hidden = np.cumsum(of_value * value_likelihood(scale, aux, noise), axis=1)[:, -1]
    return FactWeights(
        item=aux.item.astype(np.int64),
        time=time,
        reach=reach.astype(np.int64),
        right=originals.by_release(common, right),
        inside=originals.by_release(common, _within(originals.scale, aux, noise)),
        wrong=same_outside,
        hidden=hidden * totals.hidden_items[item],
        hidden_wrong=same * totals.hidden_items[item],
    )


def _within(scale: Floats, aux: Aux, noise: Noise) -> Floats:
    """Whether each true value may be known as the fact's, shape (A, K + 1)."""
    limits, which = noise.value_limits(scale)
    gaps = gaps_to(scale, aux.value)
    return np.where(np.isnan(gaps), True, gaps <= limits[which]).astype(np.float64)


def _close_values(release: ReleaseView, noise: Noise) -> Floats:
    """Probability that a cell's value is within the error of another's, shape (A,)."""
    limits, which = noise.value_limits(release.scale)
    if not release.scale.size:
        return np.ones(which.size)
    cells = release.cells_by_day(0).sum(axis=1)[:-1].astype(np.float64)
    share = cells / max(float(np.cumsum(cells)[-1]), 1.0)
    apart = np.abs(release.scale[:, None] - release.scale[None, :])
    close = [
        float(np.cumsum((share[:, None] * share[None, :] * (apart <= most[:-1, None])).ravel())[-1])
        for most in limits
    ]
    return np.where(np.isfinite(noise.value), np.array(close)[which], 1.0)


def _close_times(release: ReleaseView, noise: Noise) -> Floats:
    """Probability that a cell's time is within the error of another's, shape (A,)."""
    found = np.ones(noise.days.size)
    for days in np.unique(noise.days[noise.days >= 0]).tolist():
        found[noise.days == days] = release.close_dates(days)
    return found


def _share_of_value(cells: Ints, scale: Floats, aux: Aux) -> Floats:
    """Share of some cells that have each fact's very value, shape (A,); 1 where it has none.

    Parameters
    ----------
    cells : int64 array, shape (A, K + 1)
        By level.
    """
    exactly = np.append(scale, np.nan)[None, :] == aux.value[:, None]
    exactly |= np.isnan(aux.value)[:, None]
    same = (cells * exactly).sum(axis=1)
    return np.asarray(same / np.maximum(cells.sum(axis=1), 1))
