"""The highest risk by one fact about a record, or by two, whether they were drawn or not.

The highest risk of a person is that of the facts drawn. What whoever knows a single fact finds, or
two, says how much higher it may be by facts that were not drawn: by those, that is, not by three
facts and more together. Of changed data, it is estimated from the released records.

Invariant: what was not looked at has no number, and a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Draw, Knowledge
from sim.adversary.publisher import AS_IS, Publisher
from sim.adversary.tolerance import FREE, Tolerance
from sim.metrics.fact_pairs import are_same_item, fact_pairs
from sim.metrics.single_facts import Floats, single_facts
from sim.release.store.store import Store

TABLE = "fact_risk"
"""Name of the table, and of the column of ``risk``."""

KINDS = ("item", "value", "date", "pair")
"""Its columns of numbers, from what is known by the most people to what is known by the fewest."""


@dataclass(frozen=True, slots=True, eq=False)
class FactRisk:
    """What was found for the cells of a grid.

    Parameters
    ----------
    table : DataFrame
        A row per grid cell in which targets are in the release: ``cell``, the highest risk of any
        record by an ``item`` of it, by an item with its ``value``, by one with its ``date`` too,
        and by a ``pair`` of facts (null: not known to the adversary, or not looked at);
        ``not_looked_at``: what was not, and why; empty if all was.
    of_record : float64 array, shape (n_records,)
        The highest over all grid cells, of each record; 0 where nothing was looked at.
    """

    table: pd.DataFrame
    of_record: Floats


def fact_risk(
    store: Store,
    adversaries: Mapping[int, Sampling],
    seed: int,
    publisher: Publisher | None = None,
) -> FactRisk:
    """Return the highest risk of any record of a release by one fact about it, or by two.

    Parameters
    ----------
    adversaries : dict of int to Sampling
        By the number of their grid cell.
    publisher : Publisher, optional
        If facts are about the data before these changes.
    """
    of_record = np.zeros(store.manifest.n_records)
    rows = []
    for cell, adversary in adversaries.items():
        known = adversary.knowledge
        if not known.present:
            continue
        row: dict[str, object] = {"cell": cell, **dict.fromkeys(KINDS)}
        tolerance = Tolerance.of(known, store, publisher or AS_IS)
        row["not_looked_at"] = _why_not(known, tolerance, publisher)
        if not row["not_looked_at"]:
            counted = (
                adversary.eligible(store, seed)
                if publisher is None
                else _taken_into_account(store, known, publisher)
            )
            row |= _risks(store, known, tolerance, counted, of_record)
        rows.append(row)
    table = pd.DataFrame(rows, columns=["cell", *KINDS, "not_looked_at"])
    types = {"cell": "int32", **dict.fromkeys(KINDS, "Float64")}
    return FactRisk(table.astype(types), of_record)


def _why_not(known: Knowledge, tolerance: Tolerance, publisher: Publisher | None) -> str:
    if known.record_length is not None:
        return "the attacker knows the length of a record as well"
    if publisher is not None and publisher.cut is not None:
        return "people have several records in the release"
    lost = None if publisher is None else publisher.lost
    if publisher is not None and publisher.drops_items and (lost is None or lost.kept < 1):
        # Whose record is shorter than all were may be found by the one entry that it lacks.
        return "items were dropped, and attackers know facts about these, too"
    if publisher is not None and publisher.draws_values and tolerance.knows_values:
        # How likely a true value is behind a released one depends on how common both are.
        return "values were changed at random"
    return ""


def _taken_into_account(store: Store, known: Knowledge, publisher: Publisher) -> NDArray[np.bool_]:
    """Whether each record of a changed release may be that of a person with so many facts."""
    if publisher.drops_items or publisher.misses_cells:
        return np.ones(store.manifest.n_records, np.bool_)
    return np.asarray(store.length >= known.size)


def _risks(
    store: Store,
    known: Knowledge,
    tolerance: Tolerance,
    counted: NDArray[np.bool_],
    of_record: Floats,
) -> dict[str, object]:
    """Return the risks of a grid cell; raise those of the records."""
    single = single_facts(store, tolerance, known.draw, counted)
    why_no_pairs = _why_no_pairs(known)
    pairs = None
    if known.n_facts > 1 and not why_no_pairs:
        pairs = fact_pairs(store, tolerance, known.draw, counted)
        why_no_pairs = "two facts together, as there are too many"
        if pairs is not None:
            why_no_pairs = _no_such_pairs(store, known.draw, tolerance)
    for found in (single.item, single.value, single.date, pairs):
        if found is not None:
            np.maximum(of_record, found, out=of_record)
    return {
        "item": _highest(single.item),
        "value": _highest(single.value) if tolerance.knows_values else None,
        "date": _highest(single.date) if tolerance.days != FREE else None,
        "pair": None if pairs is None else _highest(pairs),
        "not_looked_at": why_no_pairs,
    }


def _why_no_pairs(known: Knowledge) -> str:
    """Return why two facts together are not looked at; empty: they are, or there is only one."""
    if known.n_facts > 1 and known.correct < known.size:
        return "two facts together, as some may be wrong"
    return ""


def _no_such_pairs(store: Store, draw: Draw, tolerance: Tolerance) -> str:
    """Return which pairs are not looked at where others are; empty: all are."""
    left = []
    if store.manifest.has_repeats and draw == "cells" and not are_same_item(tolerance, draw):
        left.append("two facts about the same item")
    if not tolerance.is_exact:
        left.append("two facts with errors, nor for somebody who is sure that both have none")
    return " or ".join(left)


def _highest(risks: Floats) -> float | None:
    return float(risks.max(initial=0.0)) or None
