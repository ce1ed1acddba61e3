"""Whether the records that are said to be people's are theirs, by the cells that they hold."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import OwnRecords
from sim.adversary.linkage import Linkage
from sim.adversary.sample_items import by_block
from sim.adversary.target_cells import own_cells
from sim.release.store.store import Store

Ints = NDArray[np.int64]

_MOST_PEOPLE = 1000
"""People whose cells are looked up, evenly spaced among all with a record."""


def shares_kept(original: Store, released: Store, linkage: Linkage) -> tuple[float, float]:
    """Share of people's cells whose items are in their own records, and in other people's.

    Parameters
    ----------
    linkage : Linkage
        Somebody has a record.

    Returns
    -------
    own, others : float
        Of at most a thousand people; the others' records are those of the next of these people.
    """
    people = np.unique(linkage.record[linkage.record >= 0])
    if people.size > _MOST_PEOPLE:
        at = (np.arange(_MOST_PEOPLE) + 0.5) * people.size / _MOST_PEOPLE
        people = people[at.astype(np.int64)]
    whose, item = _items_of(original, people)
    released_item = np.where(item >= 0, linkage.item[item], -1).astype(np.int32)
    records = OwnRecords(*linkage.records_of(people))
    own = _held(released, records, whose, released_item)
    others = _held(released, records, (whose + 1) % people.size, released_item)
    return float(own.mean()), float(others.mean())


def _items_of(
    store: Store, people: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The place of the person, and the item, of each of their cells."""
    whose, items = [], []
    for index, part in by_block(store, people):
        block = store.block(index)
        row = people[part] - block.first
        start, size = block.record_start[row], np.diff(block.record_start)[row]
        at = np.arange(size.sum()) + np.repeat(start - (np.cumsum(size) - size), size)
        items.append(block.record_item[at].astype(np.int64))
        whose.append(np.repeat(np.arange(people.size)[part], size))
    return np.concatenate(whose), np.concatenate(items)


def _held(
    released: Store, records: OwnRecords, whose: NDArray[np.int64], item: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Whether any record of a person holds an item."""
    held = np.zeros(whose.size, np.bool_)
    for nth in range(int(records.number.max(initial=0))):
        held |= own_cells(released, records.nth(nth)[whose], item)[0]
    return held
