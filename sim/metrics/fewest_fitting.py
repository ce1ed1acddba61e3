"""The fewest records that fit what an adversary may know of a record, whether it was drawn or not.

The highest risk of a person is that of the facts drawn. A fact, or two, that only n records fit
leave a risk of about 1/n to whoever knows them, so they say how much higher the risk may be of
facts that were not drawn: of those, that is, not of three facts and more together.

Invariant: what was not counted has no number, and a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge
from sim.adversary.publisher import AS_IS, Publisher
from sim.adversary.tolerance import FREE, Tolerance
from sim.metrics.fitting_pairs import fitting_pairs
from sim.metrics.fitting_records import NONE, Ints, fitting_records
from sim.release.store.store import Store

TABLE = "fewest_fitting"
"""Name of the table, and of the column of ``risk``."""

COUNTS = ("item", "value", "date", "pair")
"""Its columns of numbers, from what is known by the most people to what is known by the fewest."""


@dataclass(frozen=True, slots=True, eq=False)
class FewestFitting:
    """What was counted for the cells of a grid.

    Parameters
    ----------
    table : DataFrame
        A row per grid cell in which targets are in the release: ``cell``, the fewest records that
        fit an ``item`` of any record, an item with its ``value``, one with its ``date`` too, and a
        ``pair`` of facts (null: not known to the adversary, or not counted); ``not_counted``: why
        something was not, empty if all was.
    of_record : int64 array, shape (n_records,)
        The fewest over all grid cells, of each record; `NONE` where nothing was counted.
    """

    table: pd.DataFrame
    of_record: Ints


def fewest_fitting(
    store: Store,
    adversaries: Mapping[int, Sampling],
    seed: int,
    publisher: Publisher | None = None,
) -> FewestFitting:
    """Count the fewest records of a release that fit a fact, or two, about any of them.

    Parameters
    ----------
    adversaries : dict of int to Sampling
        By the number of their grid cell.
    publisher : Publisher, optional
        If facts are about the data before these changes.
    """
    of_record = np.full(store.manifest.n_records, NONE, np.int64)
    rows = []
    for cell, adversary in adversaries.items():
        known = adversary.knowledge
        if not known.present:
            continue
        row: dict[str, object] = {"cell": cell, **dict.fromkeys(COUNTS)}
        row["not_counted"] = _why_not(known, publisher)
        if not row["not_counted"]:
            counted = (
                adversary.eligible(store, seed)
                if publisher is None
                else _taken_into_account(store, known, publisher)
            )
            row |= _counts(store, known, publisher, counted, of_record)
        rows.append(row)
    table = pd.DataFrame(rows, columns=["cell", *COUNTS, "not_counted"])
    return FewestFitting(
        table.astype({"cell": "int32", **dict.fromkeys(COUNTS, "Int64")}), of_record
    )


def _why_not(known: Knowledge, publisher: Publisher | None) -> str:
    if known.record_length is not None:
        return "the attacker knows the length of a record as well"
    if publisher is not None and publisher.cut is not None:
        return "people have several records in the release"
    return ""


def _taken_into_account(store: Store, known: Knowledge, publisher: Publisher) -> NDArray[np.bool_]:
    """Whether each record of a changed release may be that of a person with so many facts."""
    if publisher.drops_items or publisher.misses_cells:
        return np.ones(store.manifest.n_records, np.bool_)
    return np.asarray(store.length >= known.size)


def _counts(
    store: Store,
    known: Knowledge,
    publisher: Publisher | None,
    counted: NDArray[np.bool_],
    of_record: Ints,
) -> dict[str, object]:
    """Count for a grid cell; lower the counts of the records."""
    tolerance = Tolerance.of(known, store, publisher or AS_IS)
    single = fitting_records(store, tolerance, counted)
    why_no_pairs = _why_no_pairs(known, publisher)
    pairs = None
    if known.n_facts > 1 and not why_no_pairs:
        pairs = fitting_pairs(store, tolerance, counted)
        why_no_pairs = "" if pairs is not None else "two facts together, as there are too many"
    for found in (single.date, pairs):
        if found is not None:
            np.minimum(of_record, found, out=of_record)
    return {
        "item": _least(single.item),
        "value": _least(single.value) if tolerance.knows_values else None,
        "date": _least(single.date) if tolerance.days != FREE else None,
        "pair": None if pairs is None else _least(pairs),
        "not_counted": why_no_pairs,
    }


def _why_no_pairs(known: Knowledge, publisher: Publisher | None) -> str:
    """Return why two facts together are not counted; empty: they are, or there is only one."""
    if known.n_facts < 2:
        return ""
    if known.correct < known.size:
        return "two facts together, as some may be wrong"
    if publisher is not None:
        return "two facts together, as the data were changed"
    return ""


def _least(counts: Ints) -> int | None:
    least = int(counts.min(initial=NONE))
    return None if least == NONE else least
