"""The items that a person mentions: some they hold, some they do not, popular ones more often.

Both kinds are drawn one after the other without replacement, each time with probability
proportional to a weight of the item; so a shorter list is a prefix of a longer one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sim.adversary.sample_items import by_block
from sim.numeric.compiled import njit
from sim.numeric.elementary import log1p
from sim.numeric.random import Purpose, philox
from sim.release.store.store import Store

TRIES = 16


@njit
def _unit(record, position, attempt, seed, purpose):  # type: ignore[no-untyped-def]
    word = philox(
        np.uint64(record), np.uint64(position), np.uint64(attempt), np.uint64(0), seed, purpose
    )
    return (word >> np.uint64(11)) * 2.0**-53


@njit
def _race(record, items, weight, seed, purpose):  # type: ignore[no-untyped-def]
    """Order of successive draws by weight: that of exponential times with these rates."""
    time = np.empty(items.size, np.float64)
    for place in range(items.size):
        time[place] = -log1p(-_unit(record, place, 0, seed, purpose)) / weight[items[place]]
    return np.argsort(time)


@njit
def _other(record, position, taken, weight, cumulated, seed, purpose):  # type: ignore[no-untyped-def]
    """Draw one item that is not yet taken, by weight.

    A few are drawn from all items first; then the rest is weighed up. Both ways draw from the
    same distribution, so their mixture does, and the drawing ends.
    """
    for attempt in range(TRIES):
        at = _unit(record, position, attempt, seed, purpose) * cumulated[-1]
        item = min(np.searchsorted(cumulated, at, side="right"), weight.size - 1)
        if not taken[item]:
            return item
    total = 0.0
    for item in range(weight.size):
        if not taken[item]:
            total += weight[item]
    at = _unit(record, position, TRIES, seed, purpose) * total
    last = -1
    for item in range(weight.size):
        if not taken[item]:
            last = item
            at -= weight[item]
            if at < 0:
                break
    return last


@njit
def _mention(  # type: ignore[no-untyped-def]
    rows, first, record_start, record_item, weights, start, share, seed, purposes, out
):
    items, is_held = out
    weight, other_weight, cumulated = weights
    for t in range(rows.size):
        record = first + rows[t]
        own = record_item[record_start[rows[t]] : record_start[rows[t] + 1]]
        order = _race(record, own, weight, seed, purposes[1])
        taken = np.zeros(weight.size, np.bool_)
        taken[own] = True
        n_held = n_other = 0
        for a in range(start[t], start[t + 1]):
            is_held[a] = _unit(record, a - start[t], 0, seed, purposes[0]) < share[t]
            if is_held[a]:
                items[a] = own[order[n_held]]
                n_held += 1
            else:
                items[a] = _other(
                    record, n_other, taken, other_weight, cumulated, seed, purposes[2]
                )
                taken[items[a]] = True
                n_other += 1


def mentioned(
    store: Store,
    targets: NDArray[np.int64],
    sizes: NDArray[np.int64],
    share: float | NDArray[np.float64],
    weight: NDArray[np.float64],
    seed: int,
    other_weight: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Draw what each target mentions.

    Parameters
    ----------
    targets : int64 array, shape (T,)
        Records, ascending.
    sizes : int64 array, shape (T,)
        Mentions of each; a record must hold and lack that many items.
    share : float or float64 array, shape (T,)
        Probability that a mention is of an item the record holds.
    weight : float64 array, shape (n_items,)
        By which the items held are drawn; positive.
    other_weight : float64 array, shape (n_items,), optional
        By which the others are drawn; the same if not given.

    Returns
    -------
    item : int32 array, shape (A,)
        Mentions of all targets, one after the other; no item twice.
    held : bool array, shape (A,)
        Whether the record holds it.
    """
    start = np.concatenate([[0], np.cumsum(sizes)])
    item, held = np.empty(start[-1], np.int32), np.empty(start[-1], np.bool_)
    other = weight if other_weight is None else other_weight
    shares = np.broadcast_to(np.float64(share), targets.shape)
    purposes = np.array(
        [Purpose.MENTION_HELD, Purpose.MENTION_ITEM, Purpose.MENTION_OTHER], np.uint64
    )
    for index, part in by_block(store, targets):
        block = store.block(index)
        facts = slice(int(start[part.start]), int(start[part.stop]))
        _mention(
            targets[part] - block.first, block.first, block.record_start, block.record_item,
            (weight, other, np.cumsum(other)),
            start[part.start : part.stop + 1] - start[part.start],
            shares[part], np.uint64(seed), purposes, (item[facts], held[facts]),
        )  # fmt: skip
    return item, held
