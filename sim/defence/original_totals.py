"""Counts what an attacker knows of the original besides the facts: see `OriginalTotals`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.day_law import day_law
from sim.adversary.length_model import LengthModel, People, length_class, likelier, of_records
from sim.adversary.linkage import Linkage, linkage_of
from sim.adversary.original_totals import CellsBehind, Drawn, JointCells, OriginalTotals, State
from sim.adversary.publisher import Publisher
from sim.adversary.targets import items_in_window
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

_MOST_HELD = 0.99
"""Of the cells of all items, as an average may say that a person lacks none."""

STRENGTHS: tuple[float, ...] = tuple(2.0 ** (k / 2) for k in range(-12, 29))
"""Tried weights, in cells, of the items of all hidden cells beside a record's own: 1/64 to 2^14."""

_counted: dict[tuple[str, str, bool], _Counted] = {}
"""What was counted last, by the identities of original and release with its defences."""

_MOST_KEPT = 2
"""Counts that are kept, each with numbers for every record: all attackers of a release ask."""


def original_totals(
    original: Store,
    stages: Sequence[Stage],
    windows: Windows,
    released: Store,
    drawn: Sequence[Drawn] = (Drawn(),),
    *,
    dated: bool = True,
) -> OriginalTotals:
    """Return the totals of an original.

    Parameters
    ----------
    stages : sequence of Stage
        What made the release: each record became one at most.
    windows : Windows
        From `windows_of`.
    drawn : sequence of Drawn
        What facts are drawn from.
    dated : bool
        Whether facts have times.
    """
    done = json.dumps([identity(stage.defence) for stage in stages])
    key = original.manifest.identity, released.manifest.identity + done, dated
    if key not in _counted:
        while len(_counted) >= _MOST_KEPT:
            _counted.pop(next(iter(_counted)))
        _counted[key] = _pass(original, stages, released, together=dated)
    counts = _counted[key]
    behind = {one: _behind(original, released, counts, one) for one in dict.fromkeys(drawn)}
    return OriginalTotals(
        scale=original.scale,
        times=fit(counts.sample, windows, _usual_times(original)),
        item_values=counts.released(counts.values.sum(axis=0), released),
        hidden_values=counts.released(counts.values[State.HIDDEN], released),
        absent_values=counts.released(counts.values[State.ABSENT], released),
        behind=behind,
        joint=counts.joint,
    )


class _Counted(NamedTuple):
    """What a pass over all cells counts, by item of the original.

    Parameters
    ----------
    item : int64 array, shape (J,)
        The released item that stands for each; I where there is none.
    values : int64 array, shape (3, J, K + 1)
        Cells by `State` and level.
    cells, pairs : float64 arrays, shape (3, J, B)
        The same by the class of the length of whose they are, and people who show a cell of the
        item, who do not but had one, and of whom nothing is released and who had one.
    runs : int64 array, shape (n, 4)
        Of some people: who, which released item, its visible cells, and hidden ones.
    sample : TimedCells
    joint : JointCells or None
    """

    item: Ints
    values: Ints
    cells: Floats
    pairs: Floats
    runs: Ints
    sample: TimedCells
    joint: JointCells | None

    def released(self, counts: NDArray[Any], store: Store) -> NDArray[Any]:
        """Add up what was counted of items, by the released items that stand for them."""
        found = np.zeros((store.manifest.n_items + 1, *counts.shape[1:]), counts.dtype)
        np.add.at(found, self.item, counts)
        return found


def _pass(original: Store, stages: Sequence[Stage], released: Store, *, together: bool) -> _Counted:
    """Go through all cells: count them, and keep the times of a sample of records.

    Parameters
    ----------
    together : bool
        Whether to count items, values and times together.
    """
    scale, m, linkage = original.scale, original.manifest, linkage_of(original, released)
    item = np.where(linkage.item >= 0, linkage.item, released.manifest.n_items)
    of_person = length_class(original.length.astype(np.int64))
    shape = 3, m.n_items, int(of_person.max(initial=0)) + 1
    cells, pairs = np.zeros(shape), np.zeros(shape)
    values = np.zeros((3, m.n_items, scale.size + 1), np.int64)
    every, there = max(1, m.n_cells // _SAMPLE), _is_released(original, linkage)
    kept, runs, alike = [], [], list[JointCells]()
    axes = released.manifest.n_items + 1, scale.size + 1, m.n_days + 1
    for given, made in DefendedSource(original, stages).pieces():
        day, is_left = _released_days(given, made)
        gone = ~is_left
        of = of_person[given.record]
        lacking = np.where(there[given.record], State.HIDDEN, State.ABSENT)
        state = np.where(is_left, State.VISIBLE, lacking)
        none = np.isnan(given.value)
        level = np.where(none, scale.size, np.searchsorted(scale, np.where(none, 0.0, given.value)))
        np.add.at(values, (state, given.item, level), 1)
        np.add.at(cells, (state, given.item, of), 1.0)
        if together:
            time = np.where(given.day == NO_DAY, m.n_days, given.day - m.first_day)
            key = np.ravel_multi_index((item[given.item], level, time), axes)
            alike.append(JointCells.of(axes, key, state))
        sampled = given.record % every == 0
        for which, found in (("item", given.item), ("released", item[given.item])):
            key = given.record * (m.n_items + 1) + found
            one, first, place = np.unique(key, return_index=True, return_inverse=True)
            shown = np.bincount(place, is_left, minlength=one.size).astype(np.int64)
            lost = np.bincount(place, gone, minlength=one.size).astype(np.int64)
            if which == "item":
                pair = np.where(shown > 0, State.VISIBLE, lacking[first])
                np.add.at(pairs, (pair, given.item[first], of[first]), 1.0)
            else:
                some = sampled[first] & ((shown > 0) | (lost > 0))
                runs.append(np.column_stack([given.record[first], found[first], shown, lost])[some])
        chosen = sampled & (given.day != NO_DAY) & (gone | (day != NO_DAY))
        code = np.where(gone, -1, day - released.manifest.first_day)
        kept.append((given.record[chosen], given.day[chosen] - m.first_day, code[chosen]))
    columns = [np.concatenate(column) for column in zip(*kept, strict=True)]
    return _Counted(
        item,
        values,
        cells,
        pairs,
        np.concatenate(runs),
        TimedCells(*columns),
        JointCells.merged(alike) if together else None,
    )


def _is_released(original: Store, linkage: Linkage) -> NDArray[np.bool_]:
    """Return whether anything is released of each person."""
    there = np.zeros(original.manifest.n_records, np.bool_)
    there[linkage.record[linkage.record >= 0]] = True
    return there


def _released_days(given: Cells, made: Cells) -> tuple[Ints, NDArray[np.bool_]]:
    """Return the released day of each original cell, and whether it is in the release at all."""
    day, is_left = np.full(len(given), NO_DAY), np.zeros(len(given), np.bool_)
    origin = origins(given, made, parts=1)
    day[origin], is_left[origin] = made.day[made.place >= 0], True
    return day, is_left


def _behind(original: Store, released: Store, counts: _Counted, drawn: Drawn) -> CellsBehind:
    """Return what is known of the cells that facts may be about."""
    linkage = linkage_of(original, released)
    inside = drawn.window.holds(original.rank)
    known = np.zeros(released.manifest.n_items + 1, np.bool_)
    known[counts.item[inside]] = True
    once = drawn.draw == "items"
    repeats = released.manifest.has_repeats and not once
    chosen = np.where(inside[:, None], counts.pairs if once else counts.cells, 0.0)
    by_class = [np.asarray(counts.released(one, released), np.float64) for one in chosen]
    shown, kind = _kinds(released, known[:-1], once=once)
    people, absent = _people(original, linkage, drawn, shown, kind)
    lengths = _lengths(original, released, counts, (kind, absent, people), by_class, plain=repeats)
    of_each = np.append(lengths.mean_hidden[kind], lengths.mean_hidden[-1])
    hidden, of_absent = (by_class[state].sum(axis=1) for state in (State.HIDDEN, State.ABSENT))
    of_absent /= max(float(np.cumsum(of_absent)[-1]), 1.0)
    strength, strength_of_absent = 0.0, 0.0
    if repeats:
        person = counts.runs[:, 0]
        some = _is_released(original, linkage)[person]
        share, strength = np.ones(kind.size), _strength(counts.runs[some], hidden)
        items, strength_of_absent = (
            hidden / max(float(np.cumsum(hidden)[-1]), 1.0),
            _strength(counts.runs[~some], of_absent),
        )
    else:
        share, items = activity(released, hidden, of_each[:-1])
    seen = np.asarray(
        counts.released(counts.cells[State.VISIBLE].sum(axis=1), released), np.float64
    )
    odds = np.asarray(counts.released(counts.cells[State.HIDDEN].sum(axis=1), released), np.float64)
    odds = np.where(known & (seen > 0), odds / np.maximum(seen, 1.0), 0.0)
    share, weight = np.append(share, 1.0), np.append(sums_by_record(released, odds), 0.0)
    every = np.asarray(counts.released(counts.cells.sum(axis=(0, 2)), released), np.float64)
    of_all = every / max(float(np.cumsum(every)[-1]), 1.0)
    held = _held(released, of_all, of_each, share, items, (weight, strength))
    held[-1] = min(of_each[-1] * float(np.cumsum(of_absent * of_all)[-1]), _MOST_HELD)
    return CellsBehind(
        lengths=lengths,
        share=share,
        items=items,
        held=held,
        odds=odds,
        weight=weight,
        strength=strength,
        known=known,
        items_of_absent=of_absent,
        strength_of_absent=strength_of_absent,
    )


def _kinds(released: Store, known: NDArray[np.bool_], *, once: bool) -> tuple[Ints, Ints]:
    """Return the cells that each record shows of what may be known, and the kind of each."""
    shown = np.rint(sums_by_record(released, known.astype(np.float64), once=once)).astype(np.int64)
    return shown, np.asarray(np.unique(shown, return_inverse=True)[1], np.int64).ravel()


def _people(
    original: Store, linkage: Linkage, drawn: Drawn, shown: Ints, kind: Ints
) -> tuple[People, int]:
    """Return how many people of each kind had so many cells, and how many are absent."""
    before = items_in_window(original, drawn.window, draw=drawn.draw).astype(np.int64)
    length = original.length.astype(np.int64)
    n_kinds = int(kind.max(initial=-1)) + 1
    of, left = np.full(before.size, n_kinds), np.zeros(before.size, np.int64)
    some = linkage.record >= 0
    of[linkage.record[some]], left[linkage.record[some]] = kind[some], shown[some]
    hidden = np.maximum(before - left, 0)
    rows, people = np.unique(
        np.column_stack([of, before, hidden, length]), axis=0, return_counts=True
    )
    kinds, befores, hiddens, lengths = (np.ascontiguousarray(column) for column in rows.T)
    found = People(kinds, befores, hiddens, lengths, people)
    return found, int(np.count_nonzero(of == n_kinds))


def _lengths(
    original: Store,
    released: Store,
    counts: _Counted,
    found: tuple[Ints, int, People],
    by_class: Sequence[Floats],
    *,
    plain: bool,
) -> LengthModel:
    """Return what is known of lengths, by whose cells of each item there are.

    Parameters
    ----------
    plain : bool
        Whether items say nothing of lengths.
    """
    kind, absent, people = found
    with_absent = np.append(kind, int(kind.max(initial=-1)) + 1)
    record = linkage_of(original, released).record
    if plain or not people.hidden.any() or (record < 0).any():
        nothing = np.ones((len(by_class[State.HIDDEN]), 1))
        return LengthModel(with_absent, absent, people, np.ones((1, 1)), nothing, nothing)
    visible = np.asarray(counts.released(counts.cells[State.VISIBLE], released), np.float64)[:-1]
    says = log(likelier(visible))
    # What the record's own cell adds for its own class.
    mine = says - log(likelier(np.maximum(visible - 1.0, 0.0)))
    length = original.length.astype(np.int64)[record]
    of, own = length_class(length), np.zeros(kind.size)
    every = np.column_stack([sums_by_record(released, np.ascontiguousarray(one)) for one in says.T])
    for c in np.unique(of).tolist():
        here = sums_by_record(released, np.ascontiguousarray(mine[:, c]))
        own[of == c] = here[of == c]
    of_record = np.vstack([of_records(every, own, length, kind), np.ones(says.shape[1])])
    of_item = [likelier(by_class[state]) for state in (State.HIDDEN, State.ABSENT)]
    return LengthModel(with_absent, absent, people, of_record, *of_item)


def _held(
    released: Store,
    of_all: Floats,
    hidden: Floats,
    share: Floats,
    items: Floats,
    urn: tuple[Floats, float],
) -> Floats:
    """Return the share of all cells that are of items of each record's person, (N + 1,).

    Parameters
    ----------
    hidden : float64 array, shape (N + 1,)
        Hidden cells, on average.
    urn : (float64 array, float)
        `CellsBehind.weight` and `CellsBehind.strength`.
    """
    weight, strength = urn
    if strength:
        share = strength / (weight + strength)
    visible = np.append(sums_by_record(released, of_all, once=True), 0.0)
    shown = np.append(sums_by_record(released, items * of_all, once=True), 0.0)
    unseen = float(np.cumsum(items * of_all)[-1]) - shown
    held = visible + hidden * share * np.maximum(unseen, 0.0)
    return np.asarray(np.minimum(held, _MOST_HELD))


def _strength(runs: Ints, hidden: Floats) -> float:
    """Return the weight of popularity that makes the items of hidden cells likeliest.

    Each hidden cell of a person is of an item in proportion to the item's odds for every visible
    cell, one for every hidden cell before it, and popularity.

    Parameters
    ----------
    runs : int64 array, shape (n, 4)
        See `_Counted`.
    """
    person, item, shown, lost = runs.T
    _, of = np.unique(person, return_inverse=True)
    cells = np.zeros((2, hidden.size))
    np.add.at(cells, (0, item), shown)
    np.add.at(cells, (1, item), lost)
    odds = np.where(cells[0] > 0, cells[1] / np.maximum(cells[0], 1.0), 0.0)
    own, n_lost = odds[item] * shown, np.bincount(of, lost)
    weight, share = np.bincount(of, own), hidden / max(float(np.cumsum(hidden)[-1]), 1.0)
    best = STRENGTHS[-1], -np.inf
    for a in STRENGTHS:
        likely = 0.0
        for q in range(int(lost.max(initial=0))):
            some = lost > q
            likely += float(np.cumsum(log(own[some] + q + a * share[item[some]]))[-1])
        for j in range(int(n_lost.max(initial=0))):
            likely -= float(np.cumsum(log(weight[n_lost > j] + j + a))[-1])
        if likely > best[1]:
            best = a, likely
    return best[0]


def activity(released: Store, hidden: Floats, mean_hidden: Floats) -> tuple[Floats, Floats]:
    """Return how likely a hidden cell of a record is of an item: A_r/ū_r, and B_x (spec §12.1).

    A_r = ū_r/Σ_{x not in r} B_x and B_x = c_x/Σ_{r without x} A_r, in turns.

    Parameters
    ----------
    hidden : float64 array, shape (I + 1,)
        c_x; the last is of all items that the release lacks.
    mean_hidden : float64 array, shape (N,)
        ū_r.

    Returns
    -------
    share : float64 array, shape (N,)
    of_item : float64 array, shape (I + 1,)
    """
    of_item = hidden / max(float(np.cumsum(hidden)[-1]), 1.0)
    if not hidden[:-1].any():  # no record shows an item of which cells are hidden
        return (mean_hidden > 0).astype(np.float64), of_item
    share = np.zeros(mean_hidden.size)
    for _ in range(_ROUNDS):
        room = float(np.cumsum(of_item)[-1]) - sums_by_record(released, of_item, once=True)
        share = np.where(mean_hidden > 0, 1.0 / np.where(room > 0, room, 1.0), 0.0) * (room > 0)
        active = mean_hidden * share
        free = float(np.cumsum(active)[-1]) - np.append(_sums_by_item(released, active), 0.0)
        of_item = np.where((hidden > 0) & (free > 0), hidden / np.where(free > 0, free, 1.0), 0.0)
    return share, of_item


def _rows(store: Store, *, once: bool) -> Iterator[tuple[int, int, Ints, Ints]]:
    """Yield the cells of each block: its first record, how many it has, and each cell's and item.

    Parameters
    ----------
    once : bool
        Whether an item that a record holds several times counts once.
    """
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        row = np.repeat(np.arange(block.n_records), np.diff(block.record_start))
        item = np.asarray(block.record_item, np.int64)
        if once and store.manifest.has_repeats:
            begins = (np.diff(row, prepend=-1) != 0) | (np.diff(item, prepend=-1) != 0)
            row, item = row[begins], item[begins]
        yield block.first, block.n_records, row, item


def sums_by_record(store: Store, of_item: Floats, *, once: bool = False) -> Floats:
    """Add up a number of every item over the items of each record, shape (N,)."""
    sums = [
        np.bincount(row, of_item[item], minlength=n) for _, n, row, item in _rows(store, once=once)
    ]
    return np.concatenate(sums)


def _sums_by_item(store: Store, of_record: Floats) -> Floats:
    """Add up a number of every record over the records that hold each item, shape (I,)."""
    sums = np.zeros(store.manifest.n_items)
    for first, _, row, item in _rows(store, once=True):
        np.add.at(sums, item, of_record[first + row])  # one by one, whatever the blocks
    return sums


def _usual_times(original: Store) -> Floats:
    """Return the share of each time among all cells that have one."""
    m = original.manifest
    counts = np.zeros(m.n_days + 1, np.int64)
    for index in range(m.n_blocks):
        counts += np.bincount(original.block(index).record_day, minlength=counts.size)
    return usual_times(counts[:-1] if m.n_days else counts)


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
