"""Tables small enough to work by hand, for the plain attacks and for the fast ones alike."""

from __future__ import annotations

from attacking import Fact, aux_of
from making import MakeStore, Row
from reference import PlainAux, PlainRelease

from sim.adversary.aux import Drawn
from sim.release.store.store import Store

A, B, C, D, E, F = range(6)

FILMS: list[Row] = [
    (0, A, 5.0, 10), (0, B, 3.0, 12), (0, C, 4.0, 30),
    (1, A, 4.0, 11), (1, B, 3.0, 40),
    (2, A, 1.0, 10), (2, D, 2.0, 5),
    (3, B, 5.0, 12), (3, C, 4.0, 28), (3, D, 2.0, 5), (3, E, 3.0, 7),
    (4, E, 3.0, 7),
]  # fmt: skip
"""Five records; supports A 3, B 3, C 2, D 2, E 2; lengths 3, 2, 2, 4, 1.

| record | A      | B      | C      | D     | E     |
|--------|--------|--------|--------|-------|-------|
| 0      | 5 d10  | 3 d12  | 4 d30  |       |       |
| 1      | 4 d11  | 3 d40  |        |       |       |
| 2      | 1 d10  |        |        | 2 d5  |       |
| 3      |        | 5 d12  | 4 d28  | 2 d5  | 3 d7  |
| 4      |        |        |        |       | 3 d7  |
"""

KNOWN_AC: list[Fact] = [(A, 5, 10), (C, 4, 29)]
"""What is known of record 0: A exactly, C one day off."""

RATED: list[Row] = [
    (0, 0, 5.0, None), (0, 1, 3.0, None),
    (1, 0, 5.0, None), (1, 1, 4.0, None), (1, 2, 2.0, None),
    (2, 0, 4.0, None), (2, 1, 3.0, None), (2, 3, 1.0, None),
    (3, 2, 2.0, None),
]  # fmt: skip
"""Four records of four items, with values; supports 3, 3, 2, 1; lengths 2, 3, 3, 1.

| record | 0 | 1 | 2 | 3 |
|--------|---|---|---|---|
| 0      | 5 | 3 |   |   |
| 1      | 5 | 4 | 2 |   |
| 2      | 4 | 3 |   | 1 |
| 3      |   |   | 2 |   |
"""


def dense(rows: list[Row], n_items: int) -> PlainRelease:
    """A table for the plain attacks; items may be more than anyone holds."""
    return PlainRelease.of(max(row[0] for row in rows) + 1, n_items, rows)


def only(*items: int) -> PlainAux:
    """Aux of items alone."""
    return PlainAux.of([(item, None, None) for item in items])


def stored(
    make_store: MakeStore, rows: list[Row], target: int, *facts: Fact, absent: bool = False
) -> tuple[Store, Drawn]:
    """A table for the fast attacks, in blocks of two, and an aux set with days as in the table."""
    store = make_store(rows, block_records=2)
    first = store.manifest.first_day
    known = [(i, value, None if day is None else day - first) for i, value, day in facts]
    return store, aux_of(store, target, *known, absent=absent)
