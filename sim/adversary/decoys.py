"""Countermeasures of people who mention items (F06 §6): hide mentions, or add decoys."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import FactKind
from sim.adversary.target_cells import items_of
from sim.errors import GridError
from sim.numeric.text import quantity
from sim.release.store.store import Store

_HAIR = 1e-9


@dataclass(frozen=True, slots=True)
class MentionLists:
    """Mentions of several people, one after the other.

    Parameters
    ----------
    whose : int64 array, shape (A,)
        Place of the person, ascending.
    item : int32 array, shape (A,)
    kind : uint8 array, shape (A,)
        See `FactKind`; `FactKind.TRUE` is what the person holds.
    value_known : bool array, shape (A,)
        Whether the mention carries the value.
    """

    whose: NDArray[np.int64]
    item: NDArray[np.int32]
    kind: NDArray[np.uint8]
    value_known: NDArray[np.bool_]

    def chosen(self, which: NDArray[Any]) -> MentionLists:
        """Return some mentions, by mask or position."""
        return MentionLists(
            self.whose[which], self.item[which], self.kind[which], self.value_known[which]
        )


def without_rarest(store: Store, lists: MentionLists, share: float) -> MentionLists:
    """Remove each person's least supported held mentions (F06 §6.1).

    Parameters
    ----------
    share : float
        Of the held mentions, rounded down; others are never hidden.
    """
    where = np.flatnonzero(lists.kind == FactKind.TRUE)
    if not share or not where.size:
        return lists
    rarest_first = -store.rank[lists.item[where]].astype(np.int64)
    where = where[np.lexsort((rarest_first, lists.whose[where]))]
    count = np.bincount(lists.whose[where])
    nth = np.arange(where.size) - np.repeat(np.cumsum(count) - count, count)
    stays = np.ones(lists.item.size, np.bool_)
    stays[where] = nth >= np.repeat(np.floor(share * count + _HAIR), count)
    return lists.chosen(stays)


def decoy_list(store: Store, support: int | Literal["top"]) -> NDArray[np.int64]:
    """List the decoy items in the order in which everyone uses them (F06 §6.2).

    Parameters
    ----------
    support : int or "top"
        All items of at least this support, by increasing support; or all, by decreasing support.
        Ties go by identifier.
    """
    return _decoy_list(store, support).copy()


@functools.lru_cache(maxsize=16)
def _decoy_list(store: Store, support: int | Literal["top"]) -> NDArray[np.int64]:
    if support == "top":
        return np.argsort(-store.support, kind="stable")
    order = np.argsort(store.support, kind="stable")
    return order[store.support[order] >= support]


def check_decoys(store: Store, decoys: int, support: int | Literal["top"]) -> None:
    """Check that there are enough decoy items.

    Parameters
    ----------
    support : int or "top"
        See `decoy_list`.

    Raises
    ------
    GridError
        The list is shorter than `decoys`.
    """
    able = _decoy_list(store, support).size
    if able < decoys:
        raise GridError(
            f"grid.decoys: {decoys}: the release has only {quantity(able, 'item')} with a support "
            f"of at least {support}; ask for fewer decoys or lower grid.decoy_support"
        )


def with_decoys(
    store: Store,
    targets: NDArray[np.int64],
    lists: MentionLists,
    decoys: int,
    support: int | Literal["top"],
) -> MentionLists:
    """Append to each person's mentions the first decoy items they neither hold nor mention.

    Parameters
    ----------
    targets : int64 array, shape (T,)
        Records of the people.
    decoys : int
        How many; a person who holds or mentions nearly all of the list adds the remaining ones.
    support : int or "top"
        See `decoy_list`.

    Raises
    ------
    GridError
        The list is shorter than `decoys`.
    """
    check_decoys(store, decoys, support)
    listed = _decoy_list(store, support)
    bounds = np.searchsorted(lists.whose, np.arange(targets.size + 1))
    taken = np.zeros(store.manifest.n_items, np.bool_)
    added = []
    for t, record in enumerate(targets.tolist()):
        known = np.concatenate([items_of(store, record), lists.item[bounds[t] : bounds[t + 1]]])
        taken[known] = True
        added.append(_first_free(listed, taken, decoys))
        taken[known] = False
    item = np.concatenate([np.empty(0, np.int64), *added]).astype(np.int32)
    whose = np.concatenate(
        [lists.whose, np.repeat(np.arange(targets.size), [a.size for a in added])]
    )
    whole = MentionLists(
        whose,
        np.concatenate([lists.item, item]),
        np.concatenate([lists.kind, np.full(item.size, FactKind.DECOY, np.uint8)]),
        np.concatenate([lists.value_known, np.zeros(item.size, np.bool_)]),
    )
    return whole.chosen(np.argsort(whose, kind="stable"))


def _first_free(listed: NDArray[np.int64], taken: NDArray[np.bool_], n: int) -> NDArray[np.int64]:
    """First n items of the list that are not taken, looking no further than needed."""
    reach = 4 * n
    while True:
        free = listed[:reach][~taken[listed[:reach]]]
        if free.size >= n or reach >= listed.size:
            return free[:n]
        reach *= 4
