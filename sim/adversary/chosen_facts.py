"""All single facts by which people may be known, and all pairs; other attackers draw some.

A single fact is listed with every error that memory allows. An error of a date matters only by the
cells that the fact still fits, so the days on which one begins to fit or ceases to are enough;
where times were changed, every day is listed. Two facts are listed without error.

Invariant: an item's single facts are all listed or none, the items with the fewest cells first; a
person's pairs are all those among the facts that the fewest cells fit, of as many facts as the
budget allows. A fact that several people share is listed once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.knowledge import Knowledge
from sim.adversary.targets import items_in_window
from sim.release.store.store import Store

MAX_LISTED = 1 << 21
"""Most facts that are listed before equal ones become one."""

_FACT = ["item", "level", "day"]

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


class ChosenFacts(NamedTuple):
    """Aux sets of one size, and how many of all they are.

    Parameters
    ----------
    aux : Aux
        Of grid cell 0 if of one fact, of 1 if of two; in the numbers of the data.
    listed, every : int
        Cells whose single facts are listed, or pairs of a person's cells; and how many there are.
    """

    aux: Aux
    listed: int
    every: int


def single_facts(
    store: Store, known: Knowledge, people: Truths, most: int, *, every_day: bool
) -> ChosenFacts:
    """List the single facts that people may be known by, with every error.

    Parameters
    ----------
    known : Knowledge
        Who knows the facts.
    people : bool array, shape (n_records,)
    most : int
        Facts that are listed at most.
    every_day : bool
        Whether to list every day that a date may be known as.
    """
    items = _items(store, known)
    size = store.cells[items].astype(np.int64)
    errors, shifts = _errors(store, known), _shifts(known, every_day=every_day)
    n_levels = 1 if known.value_noise is None else store.scale.size + 1
    n_days = 1 if known.date_noise is None else store.manifest.n_days + 1
    distinct = np.minimum(size, n_levels * n_days)
    fit = _that_fit(
        distinct, MAX_LISTED // (len(shifts) * int(errors.groupby("true").size().max()))
    )
    parts = _cells(store, known, people, items[:fit])
    cells = pd.concat([part[_FACT].drop_duplicates() for part in parts]).drop_duplicates()
    facts = cells.rename(columns={"level": "true"}).merge(errors).merge(shifts, how="cross")
    facts["day"] += facts["shift"].where(facts["day"] != NO_DAY, 0)
    facts = facts[_FACT].drop_duplicates()
    place = np.full(store.manifest.n_items, fit)
    place[items[:fit]] = np.arange(fit)
    facts = facts.assign(place=place[facts["item"]]).sort_values(["place", "level", "day"])
    fit = _that_fit(np.bincount(facts["place"], minlength=fit)[:fit], most)
    facts = facts[facts["place"] < fit]
    return ChosenFacts(_aux(store, facts, 1), int(size[:fit].sum()), int(size.sum()))


def fact_pairs(store: Store, known: Knowledge, people: Truths, most: int) -> ChosenFacts:
    """List the pairs of facts without error that people may be known by.

    Parameters
    ----------
    known, people : see `single_facts`
    most : int
        Pairs that are listed at most.
    """
    items = _items(store, known)
    fit = _that_fit(store.cells[items].astype(np.int64), MAX_LISTED)
    cells = pd.concat(_cells(store, known, people, items[:fit]))
    cells["fact"] = cells.groupby(_FACT).ngroup()
    cells["fitting"] = cells.groupby("fact")["person"].transform("size")
    cells = cells.sort_values(["person", "fitting", "fact"], ignore_index=True)
    nth = cells.groupby("person").cumcount().to_numpy()
    # The second of each person's facts with the first, the third with both, and so on.
    number = np.bincount(nth, nth).astype(np.int64)
    later = np.flatnonzero(nth < _that_fit(number, MAX_LISTED))
    later = later[np.argsort(nth[later], kind="stable")]
    before = nth[later]
    first = np.arange(before.sum()) - np.repeat(np.cumsum(before) - later, before)
    pairs = np.column_stack([first, np.repeat(later, before)])
    if known.draw == "items":
        item = cells["item"].to_numpy()[pairs]
        pairs = pairs[item[:, 0] != item[:, 1]]
    fact = np.sort(cells["fact"].to_numpy()[pairs], axis=1)
    pairs = pairs[~pd.DataFrame(fact).duplicated().to_numpy()]
    of_nth = np.bincount(nth[pairs[:, 1]], minlength=number.size)
    depth = min(_that_fit(of_nth, most), int(before.max(initial=-1)) + 1)
    held = items_in_window(store, known.popularity)[people].astype(np.int64)
    every = int((held * (held - 1) // 2).sum())
    aux = _aux(store, cells.loc[pairs[: int(of_nth[:depth].sum())].ravel()], 2)
    return ChosenFacts(aux, int(number[:depth].sum()), every)


def _that_fit(sizes: Ints, most: int) -> int:
    """Return how many of the first parts have so much together at most."""
    return int(np.searchsorted(np.cumsum(sizes), most, side="right"))


def _items(store: Store, known: Knowledge) -> Ints:
    """Return the items that facts may be about, those with the fewest cells first."""
    items = np.flatnonzero(known.popularity.holds(store.rank) & (store.cells > 0))
    return items[np.argsort(store.cells[items], kind="stable")]


def _errors(store: Store, known: Knowledge) -> pd.DataFrame:
    """Return each ``level`` that a cell of a ``true`` one may be known to have, and no level."""
    scale, reach = store.scale, known.reach_of(store.scale)
    near = np.zeros((scale.size + 1, scale.size + 1), np.bool_)
    if known.value_noise is not None:
        near[:-1, :-1] = np.abs(scale[:, None] - scale[None, :]) <= reach[:, None]
    near[-1, -1] = True
    return pd.DataFrame(np.argwhere(near), columns=["true", "level"])


def _shifts(known: Knowledge, *, every_day: bool) -> pd.DataFrame:
    """Return what is added to the days of cells, for all days on which facts may begin to fit."""
    noise = known.date_noise or 0
    shift = np.array([-noise, noise + 1])
    if every_day or noise == 0:
        shift = np.arange(-noise, noise + 1)
    return pd.DataFrame({"shift": shift})


def _cells(store: Store, known: Knowledge, people: Truths, items: Ints) -> Iterator[pd.DataFrame]:
    """Yield the cells of people that are about some items, by person, as exact facts are."""
    asked = np.zeros(store.manifest.n_items, np.bool_)
    asked[items] = True
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        size = np.diff(block.record_start)
        person = block.first + np.repeat(np.arange(block.n_records), size)
        at = np.flatnonzero(people[person] & asked[block.record_item])
        columns = block.record_item[at], block.record_level[at], block.record_day[at]
        cells = np.array([person[at], *columns], np.int64)
        if known.value_noise is None:
            cells[2] = store.scale.size
        cells[3, (cells[3] == store.manifest.n_days) | (known.date_noise is None)] = NO_DAY
        yield pd.DataFrame(cells.T, columns=["person", *_FACT])


def _aux(store: Store, facts: pd.DataFrame, size: int) -> Aux:
    """Return facts as aux sets of a size, in their order."""
    n = len(facts) // size
    return Aux(
        cell=np.full(n, size - 1, np.int32),
        start=np.arange(n + 1, dtype=np.int64) * size,
        item=facts["item"].to_numpy(np.int32),
        value=np.append(store.scale, np.nan)[facts["level"]],
        day=facts["day"].to_numpy(np.int32),
    )
