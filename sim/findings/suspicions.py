"""What looks wrong about a release by itself: to be judged before any result.

Invariant: counts and columns are stated, never an identifier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from sim.extend.overrides import override
from sim.findings.finding import MIND, SERIOUS, Finding, Kind
from sim.release.shape.column_words import are_swapped
from sim.release.store import accounts
from sim.release.store.long_records import far_above
from sim.release.store.placeholders import WORDS, are_words, lower_case
from sim.release.store.store import Store

_MOST, _SOME = 0.5, 0.01
_SINGLE, _FEWER = 0.9, 20
"""Of swapped columns: the share of items with a single holder, and items for each person."""

FAR_ABOVE = Kind("people_far_above", "a few people hold far more entries", SERIOUS)
SINGLE_ENTRY = Kind("people_of_one_entry", "most people have one entry", SERIOUS)
BLANKS = Kind("blanks_as_entries", "everybody has every item, some without a value", SERIOUS)
ONE_HOLDER = Kind("items_of_one_holder", "most items have a single holder")
SWAPPED = Kind("roles_swapped", "the columns of people and items may be exchanged", SERIOUS)
ONE_VALUE = Kind("one_value", "all values are the same")
MIDNIGHT = Kind("times_all_midnight", "times of day are written, and all are midnight", MIND)
PLACEHOLDERS = Kind("placeholders", "cells that stand for none", SERIOUS, _SOME)

SUSPICIONS: tuple[Kind, ...] = (
    *(FAR_ABOVE, SINGLE_ENTRY, BLANKS, ONE_HOLDER, SWAPPED, ONE_VALUE, MIDNIGHT, PLACEHOLDERS),
)

_ROLES = ("people", "items", "dates", "values")


def suspicions(
    store: Store, columns: Mapping[str, str], notes: Mapping[str, Any]
) -> tuple[Finding, ...]:
    """Return what looks wrong about a release.

    Parameters
    ----------
    columns : mapping of str to str
        The columns of ``people``, ``items``, ``dates`` and ``values``, where they have names.
    notes : mapping of str to object
        Those of the release that count (`sim.release.store.accounts`).
    """
    subjects = {role: subject_of(role, columns) for role in _ROLES}
    return (
        *_of_lengths(store, subjects),
        *_of_items(store, subjects, columns),
        *([MIDNIGHT.found(subjects["dates"])] if accounts.MIDNIGHT in notes else ()),
        *_placeholders(store, notes, subjects),
    )


def subject_of(role: str, columns: Mapping[str, str]) -> str:
    """Return what a finding about a role is about: its column, or the role itself.

    Examples
    --------
    >>> subject_of("people", {"people": "who"}), subject_of("items", {})
    ('column:who', 'items')
    """
    return f"column:{columns[role]}" if role in columns else role


def stored_suspicions(record: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the suspicions that a record holds; whatever is none of ours is passed over."""
    kinds = {kind.name: kind for kind in SUSPICIONS}
    found = record.get("suspicions")
    for one in found if isinstance(found, list) else ():
        kind = kinds.get(str(one.get("kind"))) if isinstance(one, dict) else None
        if kind is not None and isinstance(one.get("numbers"), dict):
            whole = one.get("denominator")
            yield Finding(
                kind.name,
                str(one.get("subject")),
                one["numbers"],
                whole if isinstance(whole, int) else None,
                kind.severity,
                str(one.get("remedy") or ""),
                kind.threshold,
            )


def _of_lengths(store: Store, subjects: Mapping[str, str]) -> Iterator[Finding]:
    manifest, length = store.manifest, store.length
    cells, people = manifest.n_cells, manifest.n_records
    far, following = far_above(length, cells)
    if far.size:
        yield FAR_ABOVE.found(
            subjects["people"],
            of=cells,
            remedy=f"defence=[drop_long] defence.drop_long.max_length={following}",
            count=int(far.sum()),
            people=int(far.size),
            following=following,
        )
    short = int(np.count_nonzero(length == 1))
    # A column of rows, orders or sessions has no rows that a rule could make one.
    made_one = manifest.n_duplicates > _SOME * (cells + manifest.n_duplicates)
    if short > _MOST * people and not made_one:
        yield SINGLE_ENTRY.found(subjects["people"], of=people, count=short)
    blank = manifest.missing_values if manifest.has_values else 0
    if people > 1 and manifest.n_items > 1 and cells == people * manifest.n_items and blank:
        yield BLANKS.found(subjects["values"], of=cells, count=blank)


def _of_items(
    store: Store, subjects: Mapping[str, str], columns: Mapping[str, str]
) -> Iterator[Finding]:
    people, items = store.manifest.n_records, store.manifest.n_items
    single = int(np.count_nonzero(store.support == 1))
    if people > 1 and single > _MOST * items:
        yield ONE_HOLDER.found(subjects["items"], of=items, count=single)
    names = [columns.get(role, role) for role in ("people", "items")]
    exchanged = ""
    if "people" in columns and "items" in columns and not any("+" in name for name in names):
        exchanged = " ".join(map(override, ("data.user", "data.item"), reversed(names)))
    if are_swapped(*names):
        yield SWAPPED.found(subjects["people"], remedy=exchanged, items=names[1])
    elif people > 1 and single > _SINGLE * items and _FEWER * people <= items:
        yield SWAPPED.found(
            subjects["people"], of=items, remedy=exchanged, items=names[1], count=single,
            people=people,
        )  # fmt: skip
    if len(store.manifest.scale) == 1:
        yield ONE_VALUE.found(subjects["values"])


def _placeholders(
    store: Store, notes: Mapping[str, Any], subjects: Mapping[str, str]
) -> Iterator[Finding]:
    """Find what stands for no date, no value, no person and no item, in a few percent or more."""
    cells = store.manifest.n_cells
    dates, values, all_values, rows = (
        int(notes.get(name) or 0)
        for name in (
            *(accounts.PLACEHOLDER_DATES, accounts.PLACEHOLDER_VALUES),
            *(accounts.VALUES, accounts.ROWS),
        )
    )
    found = [
        ("dates", dates, rows, str(notes.get(accounts.WHICH_DATES))),
        ("values", values, all_values, str(notes.get(accounts.WHICH_VALUES))),
    ]
    for role, names, sizes in (
        ("people", store.records, store.length),
        ("items", store.items, store.cells),
    ):
        numbered = pa.types.is_integer(names.type)
        minus = names.to_numpy() == -1 if numbered else are_words(names, ("-1",))
        if (count := int(sizes[minus].sum())) >= _SOME * cells:
            # No setting reads a number as no person: these rows are left out of the file.
            yield PLACEHOLDERS.found(subjects[role], of=cells, count=count, role=role, which="-1")
        stand = are_words(lower_case(names), WORDS)
        which = ",".join(map(str, names.filter(pa.array(stand)).to_pylist()))
        found.append((role, int(sizes[stand].sum()), cells, which))
    for role, count, whole, listed in found:
        if count and count >= _SOME * whole:
            cells_of_none = [plain_cell(one) for one in listed.split(",")]
            yield PLACEHOLDERS.found(
                subjects[role],
                of=whole,
                remedy=override("data.placeholders", cells_of_none),
                count=count,
                role=role,
                which=listed.replace(",", " or "),
            )


def plain_cell(text: str) -> str | int:
    """Return a cell as a list of placeholders has it."""
    return int(text) if text.lstrip("-").isdigit() else text
