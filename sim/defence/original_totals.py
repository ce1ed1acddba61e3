"""Counts what an attacker knows of the original besides the facts: see `OriginalTotals`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.day_law import day_law
from sim.adversary.length_model import LengthModel, length_class, likelier, of_records
from sim.adversary.linkage import linkage_of
from sim.adversary.original_totals import OriginalTotals
from sim.adversary.publisher import Publisher
from sim.adversary.time_channel import TimedCells, Windows, fit, usual_times
from sim.defence.cells import NO_DAY, Cells
from sim.defence.source import DefendedSource, Stage, identity, origins
from sim.numeric import log
from sim.release.store.store import Store

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ROUNDS = 30
"""Rounds in which the activity of records and the share of items among hidden cells settle."""

_SAMPLE = 100_000
"""Cells, in whole records, from which the strengths of times are fitted."""

_counted: dict[tuple[str, str], OriginalTotals] = {}
"""What was counted last, by the identities of original and release with its defences."""

_MOST_KEPT = 2
"""Totals that are kept, each with numbers for every record: all attackers of a release ask."""


def original_totals(
    original: Store, stages: Sequence[Stage], windows: Windows, released: Store
) -> OriginalTotals:
    """Return the totals of an original whose cells do not repeat.

    Parameters
    ----------
    stages : sequence of Stage
        What made the release: each record became one at most, and items stayed what they were.
    windows : Windows
        From `windows_of`.
    """
    done = json.dumps([identity(stage.defence) for stage in stages])
    key = original.manifest.identity, released.manifest.identity + done
    if key not in _counted:
        while len(_counted) >= _MOST_KEPT:
            _counted.pop(next(iter(_counted)))
        _counted[key] = _totals(original, stages, windows, released)
    return _counted[key]


def _totals(
    original: Store, stages: Sequence[Stage], windows: Windows, released: Store
) -> OriginalTotals:
    linkage = linkage_of(original, released)
    n, before = released.length.astype(np.int64), original.length.astype(np.int64)[linkage.record]
    item = np.where(linkage.item >= 0, linkage.item, released.manifest.n_items)
    found = _pass(original, stages, released, item)
    hidden: Floats = found.hidden.sum(axis=1)
    absent = np.setdiff1d(np.arange(original.manifest.n_records), linkage.record)
    mean_hidden = np.bincount(n, before - n) / np.maximum(np.bincount(n), 1)
    share, of_item = activity(
        released, hidden, mean_hidden[n], float(original.length[absent].sum()), absent.size
    )
    return OriginalTotals(
        scale=original.scale,
        lengths=_lengths(released, n, before, found),
        times=fit(found.sample, windows, _usual_times(original)),
        hidden_share=share,
        hidden_items=of_item,
        item_values=found.values.sum(axis=0),
        hidden_values=found.values[1],
    )


def _lengths(released: Store, n: Ints, before: Ints, found: _Counted) -> LengthModel:
    """Return what is known of lengths, by whose cells of each item there are."""
    pairs, people = np.unique(np.column_stack([n, before]), axis=0, return_counts=True)
    columns = pairs[:, 0], pairs[:, 1], people
    of_item = likelier(found.hidden)
    if (n == before).all():
        return LengthModel(*columns, np.ones((1, of_item.shape[1])), np.ones_like(of_item))
    visible = found.visible[:-1]
    says = log(likelier(visible))
    # What the record's own cell adds for its own class.
    mine = says - log(likelier(np.maximum(visible - 1.0, 0.0)))
    of, own = length_class(before), np.zeros(n.size)
    every = np.column_stack([sums_by_record(released, np.ascontiguousarray(one)) for one in says.T])
    for c in np.unique(of).tolist():
        here = sums_by_record(released, np.ascontiguousarray(mine[:, c]))
        own[of == c] = here[of == c]
    return LengthModel(*columns, of_records(every, own, before, n), of_item)


class _Counted(NamedTuple):
    """What a pass over all cells counts.

    Parameters
    ----------
    values : int64 array, shape (2, I + 1, K + 1)
        Visible and hidden cells by item and level.
    visible, hidden : float64 arrays, shape (I + 1, B)
        Cells by item and the length class of whose they are.
    sample : TimedCells
    """

    values: Ints
    visible: Floats
    hidden: Floats
    sample: TimedCells


def _pass(original: Store, stages: Sequence[Stage], released: Store, item: Ints) -> _Counted:
    """Go through all cells: count them, and keep the times of a sample of records."""
    scale, m = original.scale, original.manifest
    of_person = length_class(original.length.astype(np.int64))
    by_class = np.zeros((2, released.manifest.n_items + 1, int(of_person.max(initial=0)) + 1))
    values = np.zeros((2, released.manifest.n_items + 1, scale.size + 1), np.int64)
    every = max(1, m.n_cells // _SAMPLE)
    kept = []
    for given, made in DefendedSource(original, stages).pieces():
        day, is_left = _released_days(given, made)
        gone = ~is_left
        is_gone, of = gone.astype(np.int64), item[given.item]
        none = np.isnan(given.value)
        level = np.where(none, scale.size, np.searchsorted(scale, np.where(none, 0.0, given.value)))
        np.add.at(values, (is_gone, of, level), 1)
        np.add.at(by_class, (is_gone, of, of_person[given.record]), 1.0)
        chosen = (given.record % every == 0) & (given.day != NO_DAY)
        chosen &= gone | (day != NO_DAY)
        code = np.where(gone, -1, day - released.manifest.first_day)
        kept.append((given.record[chosen], given.day[chosen] - m.first_day, code[chosen]))
    columns = [np.concatenate(column) for column in zip(*kept, strict=True)]
    return _Counted(values, by_class[0], by_class[1], TimedCells(*columns))


def _released_days(given: Cells, made: Cells) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the released day of each original cell, and whether it is in the release at all."""
    day, is_left = np.full(len(given), NO_DAY), np.zeros(len(given), np.bool_)
    origin = origins(given, made, parts=1)
    day[origin], is_left[origin] = made.day[made.place >= 0], True
    return day, is_left


def activity(
    released: Store, hidden: Floats, mean_hidden: Floats, of_absent: float, absent: int
) -> tuple[Floats, Floats]:
    """Return how likely a hidden cell of a record is of an item: A_r/ū_r, and B_x (spec §12.1).

    A_r = ū_r/Σ_{x not in r} B_x and B_x = c_x/Σ_{r without x} A_r, in turns.

    Parameters
    ----------
    hidden : float64 array, shape (I + 1,)
        c_x; the last is of all items that the release lacks.
    mean_hidden : float64 array, shape (N,)
        ū_r.
    of_absent : float
        Hidden cells of the people who are not in the release, `absent` in number.
    """
    of_item = hidden / max(float(np.cumsum(hidden)[-1]), 1.0)
    if not hidden[:-1].any():  # no record shows an item of which cells are hidden
        return (mean_hidden > 0).astype(np.float64), of_item
    for _ in range(_ROUNDS):
        whole = float(np.cumsum(of_item)[-1])
        room = whole - sums_by_record(released, of_item)
        share = np.where(mean_hidden > 0, 1.0 / np.where(room > 0, room, 1.0), 0.0) * (room > 0)
        active = mean_hidden * share
        everybody = float(np.cumsum(active)[-1]) + (of_absent / whole if absent else 0.0)
        free = everybody - np.append(_sums_by_item(released, active), 0.0)
        of_item = np.where((hidden > 0) & (free > 0), hidden / np.where(free > 0, free, 1.0), 0.0)
    return share, of_item


def sums_by_record(store: Store, of_item: Floats) -> Floats:
    """Add up a number of every item over the items of each record, shape (N,)."""
    sums = []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        row = np.repeat(np.arange(block.n_records), np.diff(block.record_start))
        sums.append(np.bincount(row, of_item[block.record_item], minlength=block.n_records))
    return np.concatenate(sums)


def _sums_by_item(store: Store, of_record: Floats) -> Floats:
    """Add up a number of every record over the records that hold each item, shape (I,)."""
    sums = np.zeros(store.manifest.n_items)
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        row = np.repeat(np.arange(block.n_records), np.diff(block.record_start))
        weight = of_record[block.first + row]
        sums += np.bincount(block.record_item, weight, minlength=sums.size)
    return sums


def _usual_times(original: Store) -> Floats:
    """Return the share of each time among all cells that have one."""
    m = original.manifest
    counts = np.zeros(m.n_days + 1, np.int64)
    for index in range(m.n_blocks):
        counts += np.bincount(original.block(index).record_day, minlength=counts.size)
    return usual_times(counts[:-1])


def windows_of(original: Store, publisher: Publisher, released: Store) -> Windows | None:
    """Return the original times behind each released one; None: not each is as likely."""
    before, after = original.manifest, released.manifest
    shift, code = after.first_day - before.first_day, np.arange(after.n_days)
    low, high = code + shift - publisher.date_noise, code + shift + publisher.date_noise + 1
    if publisher.times:
        law = day_law(publisher.times, after.bins, after.first_day, after.n_days)
        some = law.true > 0
        first, last = some.argmax(axis=1), law.true.shape[1] - some[:, ::-1].argmax(axis=1)
        size = np.where(some.any(axis=1), last - first, 0)
        level = law.true.max(axis=1)
        even = np.abs(law.true - level[:, None]) < 1e-9
        if (np.count_nonzero(even & some, axis=1) != size).any():
            return None
        low = code + shift - law.reach + first
        high = low + size
    return Windows(np.clip(low, 0, before.n_days), np.clip(high, 0, before.n_days), shift)
