"""The highest risk by one fact about a record, or by two, whether they were drawn or not.

The highest risk of a person is that of the facts drawn. What whoever knows a single fact finds, or
two, says how much higher it may be by facts that were not drawn: by those, that is, not by three
facts and more together. Of changed data, it is estimated from the released records. A fact about
an item that was dropped says that its person lost an entry (`sim.adversary.lost_cells`), and so
does one of two facts.

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
from sim.adversary.lost_cells import Ints, LostCells, counts_lost
from sim.adversary.publisher import AS_IS, Publisher
from sim.adversary.tolerance import FREE, Tolerance
from sim.metrics.fact_pairs import are_same_item, fact_pairs, share_of_pair
from sim.metrics.single_facts import Floats, share_of_fact, single_facts
from sim.release.store.store import Store

TABLE = "fact_risk"
"""Name of the table, and of the column of ``risk``."""

KINDS = ("item", "value", "date", "pair")
"""Its columns of numbers, from what is known by the most people to what is known by the fewest."""

NOT_LOOKED_AT = (
    *("length_known", "several_records", "entries_left_out", "items_dropped", "times_changed"),
    *("values_drawn", "wrong_facts", "too_many_pairs", "pairs_of_item", "pairs_with_errors"),
)
"""Why no fact is looked at (the first six), or no two facts together."""


@dataclass(frozen=True, slots=True, eq=False)
class FactRisk:
    """What was found for the cells of a grid.

    Parameters
    ----------
    table : DataFrame
        A row per grid cell in which targets are in the release: ``cell``, the highest risk of any
        record by an ``item`` of it, by an item with its ``value``, by one with its ``date`` too,
        and by a ``pair`` of facts, each of a released item or a dropped one (null: not known to
        the adversary, or not looked at);
        ``not_looked_at``: what was not, of `NOT_LOOKED_AT`; empty if all was.
    of_record : float64 array, shape (n_records,)
        The highest over all grid cells, of each record; 0 where nothing was looked at.
    """

    table: pd.DataFrame
    of_record: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Chances:
    """How likely certain facts are to be drawn about each record, float64 arrays of one shape.

    Parameters
    ----------
    one, two : float64 arrays, shape (n_records,)
        One about a released cell, or two.
    lost, beside, two_lost : float64 arrays, shape (n_records,)
        One about any lost cell, one beside one about a released cell, or two; 0 where none can be.
    has_lost : int64 array, shape (n_records,)
        Cells that the record has lost, whoever knows it.
    drawn : bool array, shape (n_records,)
        Whether facts are drawn about the record at all.
    """

    one: Floats
    two: Floats
    lost: Floats
    beside: Floats
    two_lost: Floats
    has_lost: Ints
    drawn: NDArray[np.bool_]


def fact_risk(
    store: Store,
    adversaries: Mapping[int, Sampling],
    seed: int,
    publisher: Publisher | None = None,
    lost: Ints | None = None,
) -> FactRisk:
    """Return the highest risk of any record of a release by one fact about it, or by two.

    Parameters
    ----------
    adversaries : dict of int to Sampling
        By the number of their grid cell.
    publisher : Publisher, optional
        If facts are about the data before these changes.
    lost : int64 array, shape (n_records,), optional
        Cells of dropped items that each record had; none if not given.
    """
    if lost is None:
        lost = np.zeros(store.manifest.n_records, np.int64)
    of_record = np.zeros(store.manifest.n_records)
    rows = []
    for cell, adversary in adversaries.items():
        known = adversary.knowledge
        if not known.present:
            continue
        row: dict[str, object] = {"cell": cell, **dict.fromkeys(KINDS)}
        tolerance = Tolerance.of(known, store, publisher or AS_IS)
        row["not_looked_at"] = _why_not(store, known, tolerance, publisher)
        if not row["not_looked_at"]:
            chances = _chances_of(store, adversary, tolerance, seed, publisher, lost)
            row |= _risks(store, known, tolerance, chances, of_record)
        rows.append(row)
    table = pd.DataFrame(rows, columns=["cell", *KINDS, "not_looked_at"])
    types = {"cell": "int32", **dict.fromkeys(KINDS, "Float64")}
    return FactRisk(table.astype(types), of_record)


def _why_not(
    store: Store, known: Knowledge, tolerance: Tolerance, publisher: Publisher | None
) -> str:
    if known.record_length is not None:
        return "length_known"
    if publisher is None:
        return ""
    if publisher.cut:
        return "several_records"
    if publisher.misses_cells:
        # Who alone was cut down, say, is found by a fact that nobody's released record fits.
        return "entries_left_out"
    if publisher.drops_items:
        lost = publisher.lost
        counted = counts_lost(known, store.manifest.has_repeats)
        if lost is None or (lost.kept < 1 and not counted):
            return "items_dropped"
    totals = publisher.originals
    hang_together = totals is not None and (totals.moves_times or totals.hides_cells)
    if known.date_noise is not None and (hang_together or publisher.unmodelled):
        return "times_changed"
    if publisher.draws_values and tolerance.knows_values:
        # How likely a true value is behind a released one depends on how common both are.
        return "values_drawn"
    return ""


def _chances_of(
    store: Store,
    adversary: Sampling,
    tolerance: Tolerance,
    seed: int,
    publisher: Publisher | None,
    lost: Ints,
) -> _Chances:
    """Return how likely certain facts are, as an adversary knows it."""
    known = adversary.knowledge
    if publisher is None:
        counted = adversary.eligible(store, seed)
    elif publisher.lost is not None and counts_lost(known, store.manifest.has_repeats):
        return _of_lost_cells(store, known, publisher.lost, lost)
    elif publisher.drops_items:
        counted = np.ones(store.manifest.n_records, np.bool_)
    else:
        counted = np.asarray(store.length >= known.size)
    one = share_of_fact(store, tolerance, known.draw, counted)
    none = np.zeros_like(one)
    return _Chances(one, share_of_pair(one), none, none, none, none.astype(np.int64), one > 0)


def _of_lost_cells(store: Store, known: Knowledge, cells: LostCells, lost: Ints) -> _Chances:
    """Return the chances where records lost cells of dropped items."""
    n = np.asarray(store.length, np.int64)

    def chance(visible: int, hidden: int) -> Floats:
        found = cells.placements(n, visible, hidden, known.size)
        return np.where(n >= visible, found, 0.0)

    every = chance(1, 0), chance(2, 0), chance(0, 1), chance(1, 1), chance(0, 2)
    return _Chances(*every, lost, n + lost >= known.size)


def _risks(
    store: Store,
    known: Knowledge,
    tolerance: Tolerance,
    chances: _Chances,
    of_record: Floats,
) -> dict[str, object]:
    """Return the risks of a grid cell; raise those of the records."""
    single = single_facts(store, tolerance, known.draw, chances.one)
    dropped = _shares(chances.lost, chances.has_lost >= 1)
    drawn = chances.drawn
    why_no_pairs = _why_no_pairs(known)
    pairs = None
    if known.n_facts > 1 and not why_no_pairs:
        pairs = fact_pairs(store, tolerance, known.draw, chances.two)
        why_no_pairs = "too_many_pairs"
        if pairs is not None:
            pairs = np.maximum(pairs, _pairs_with_lost(store, known, tolerance, chances))
            why_no_pairs = _no_such_pairs(store, known.draw, tolerance)
    of_each = [np.maximum(one, dropped) for one in (single.item, single.value, single.date)]
    risks = [np.where(drawn, found, 0.0) for found in of_each]
    pair = np.where(drawn, pairs, 0.0) if pairs is not None else np.zeros_like(of_record)
    for found in (*risks, pair):
        np.maximum(of_record, found, out=of_record)
    item, value, date = map(_highest, risks)
    return {
        "item": item,
        "value": value if tolerance.knows_values else None,
        "date": date if tolerance.days != FREE else None,
        "pair": _highest(pair),
        "not_looked_at": why_no_pairs,
    }


def _pairs_with_lost(
    store: Store, known: Knowledge, tolerance: Tolerance, chances: _Chances
) -> Floats:
    """Return the highest risk of each record by two facts of which one, or both, are of lost cells.

    Whatever the value and the date of a lost cell, they say the same of all records.
    """
    found = _shares(chances.two_lost, chances.has_lost >= 2)
    if chances.has_lost.any():
        beside = single_facts(store, tolerance, known.draw, chances.beside).date
        found = np.maximum(found, np.where(chances.has_lost >= 1, beside, 0.0))
    return found


def _shares(chance: Floats, wanted: NDArray[np.bool_]) -> Floats:
    """Return the share of the sum that each of the wanted records has; 0 for the others."""
    if not wanted.any():
        return np.zeros_like(chance)
    whole = float(np.cumsum(chance)[-1])  # one by one, so that all processors find the same
    return np.where(wanted, chance / whole, 0.0)


def _why_no_pairs(known: Knowledge) -> str:
    """Return why two facts together are not looked at; empty: they are, or there is only one."""
    if known.n_facts > 1 and known.correct < known.size:
        return "wrong_facts"
    return ""


def _no_such_pairs(store: Store, draw: Draw, tolerance: Tolerance) -> str:
    """Return which pairs are not looked at where others are; empty: all are."""
    left = []
    if store.manifest.has_repeats and draw == "cells" and not are_same_item(tolerance, draw):
        left.append("pairs_of_item")
    if not tolerance.is_exact:
        left.append("pairs_with_errors")
    return ", ".join(left)


def _highest(risks: Floats) -> float | None:
    return float(risks.max(initial=0.0)) or None
