"""What in a release looks wrong, or tells who people are: to be judged before any study.

Invariant: counts and columns are stated, never an identifier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.extend.overrides import override
from sim.numeric import log
from sim.numeric.text import format_number, format_percent
from sim.release.shape.column_words import are_swapped
from sim.release.store.accounts import (
    DROPPED,
    EMAILS,
    EPOCH,
    FAR,
    FIRST_UNREADABLE,
    MANY_LEFT_OUT,
    MIDNIGHT,
    NAMES,
    NEGATIVE,
    PHONES,
    PLACEHOLDER_DATES,
    PLACEHOLDER_VALUES,
    ROUNDED,
    ROWS,
    TOTALS,
    TWINS,
    UNREADABLE,
    VALUES,
    WHICH_DATES,
    WHICH_VALUES,
)
from sim.release.store.placeholders import WORDS, are_words, lower_case
from sim.release.store.store import Store

_HEAVY, _SOME = 1 / 3, 0.01  # of all cells, in one record
_FAR_ABOVE = 3  # times as many as the next record has
_ABOVE, _SPACINGS, _TAIL = 2, 12, 40
"""As well: so many times as many, and so many usual spacings, by so many of the records below."""
_FEW, _FEW_OF = 20, 20  # records that are far above the next, at most; of so many people for each
_MOST, _UNSET = 0.5, 0.02
_SINGLE, _FEWER = 0.9, 20
"""Of swapped columns: the share of items with a single holder, and items for each person."""

SWAPPED, ADDRESSES, NUMBERS = "people and items swapped", "e-mail addresses", "phone numbers"
OF_PEOPLE = "names"
IDENTIFYING = (ADDRESSES, NUMBERS, OF_PEOPLE)
"""Identifiers that tell outside the release who people are."""

HEAVY = "one person with far more than others"
SINGLE_CELL = "people with one cell"
BLANKS = "everybody with every item, some without a value"

CHECKS = (
    *(HEAVY, SINGLE_CELL, BLANKS, "items with one holder"),
    SWAPPED,
    *("rows without a person or an item", "rows that could not be read"),
    *IDENTIFYING,
    *("placeholder dates", "placeholder values", "placeholder identifiers"),
    *("one value", "negative values", "values far from all others"),
    *("times all midnight", "dated 1970-01-01"),
    *("identifiers that are nearly another's", "rounded identifiers", "a line of totals"),
)
"""What is looked for; the kinds of suspicions."""


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Something to look at.

    Parameters
    ----------
    kind : str
        Its name, one of `CHECKS`.
    column : str
        What it is about: a column, or ``people``, ``items``, ``dates``, ``values``, ``rows``.
    count : int
        How many there are, of `whole`; both 0 where nothing is counted.
    words : str
        A sentence.
    """

    kind: str
    column: str
    count: int
    whole: int
    words: str


def suspicions(
    store: Store, columns: Mapping[str, str], notes: Mapping[str, Any]
) -> tuple[Suspicion, ...]:
    """Return what looks wrong about a release.

    Parameters
    ----------
    columns : mapping of str to str
        The columns of ``people``, ``items``, ``dates`` and ``values``, where they have names.
    notes : mapping of str to object
        Those of the release that count (`sim.release.store.accounts`).
    """
    return tuple(_found(store, {**{key: key for key in _ROLES}, **columns}, notes))


_ROLES = ("people", "items", "dates", "values")


def _found(
    store: Store, columns: Mapping[str, str], notes: Mapping[str, Any]
) -> Iterator[Suspicion]:
    manifest, length = store.manifest, store.length
    cells, people, items = manifest.n_cells, manifest.n_records, manifest.n_items

    def one(kind: str, role: str, count: int, whole: int, words: str) -> Suspicion:
        return Suspicion(kind, columns[role], count, whole, words)

    far, following = _far_above(length, cells)
    if far.size:
        whole, after = int(far.sum()), f"the next {format_number(following)}"
        leaves_out = f"defence=[drop_long] defence.drop_long.max_length={following}"
        words = (
            f"One person ({_of('people', columns)}) has {_part(whole, cells, 'cells')}, and "
            f"{after}: is it a till, a test, or an identifier for people who are unknown? Leave it "
            f"out then ({leaves_out})."
        )
        if far.size > 1:
            words = (
                f"{far.size} people ({_of('people', columns)}) have {_part(whole, cells, 'cells')}"
                f", and {after}: are they tills, tests, staff, or identifiers for people who are "
                f"unknown? Leave them out then ({leaves_out})."
            )
        yield one(HEAVY, "people", whole, cells, words)
    short = int(np.count_nonzero(length == 1))
    # A column of rows, orders or sessions has no rows that a rule could make one.
    made_one = manifest.n_duplicates > _SOME * (cells + manifest.n_duplicates)
    if short > _MOST * people and not made_one:
        yield one(
            SINGLE_CELL, "people", short, people,
            f"{_part(short, people, 'people')} ({_of('people', columns)}) have a single cell: is "
            "it the number of a row, an order or a session? Or has each person one row, with a "
            "column for each item, of which only one was read?",
        )  # fmt: skip
    blank = manifest.missing_values if manifest.has_values else 0
    if people > 1 and items > 1 and cells == people * items and blank:
        yield one(
            BLANKS, "values", blank, cells,
            f"Everybody has every item, and {_part(blank, cells, 'cells')} "
            f"({_of('values', columns)}) have no value: are these the blanks of a table with a "
            "column for each item? If so, leave their rows out, as each is read as an entry.",
        )  # fmt: skip
    single = int(np.count_nonzero(store.support == 1))
    if people > 1 and single > _MOST * items:
        yield one(
            "items with one holder", "items", single, items,
            f"{_part(single, items, 'items')} ({_of('items', columns)}) have a single holder, and "
            "so identify that person by themselves.",
        )  # fmt: skip
    swapped = (
        "are the columns of people and items swapped? If so, exchange data.user and data.item."
    )
    if are_swapped(columns["people"], columns["items"]):
        yield one(
            SWAPPED, "people", 0, 0,
            f"By their names, column {columns['people']}, which was read as the people, has rather "
            f"items, or column {columns['items']}, which was read as the items, people: {swapped}",
        )  # fmt: skip
    elif people > 1 and single > _SINGLE * items and _FEWER * people <= items:
        yield one(
            SWAPPED, "people", single, items,
            f"There are only {format_number(people)} people ({_of('people', columns)}), and "
            f"{_part(single, items, 'items')} ({_of('items', columns)}) have a single holder: "
            f"{swapped}",
        )  # fmt: skip
    if len(manifest.scale) == 1:
        yield one("one value", "values", 0, 0, "All values are the same, and tell nothing.")
    yield from _of_notes(notes, columns, people, items)
    yield from _placeholders(store, notes, columns)


def _of_notes(
    notes: Mapping[str, Any], columns: Mapping[str, str], people: int, items: int
) -> Iterator[Suspicion]:
    if MIDNIGHT in notes:
        yield Suspicion(
            "times all midnight", columns["dates"], 0, 0,
            f"Times of day are written ({_of('dates', columns)}), but all are midnight: they may "
            "have been lost in an export.",
        )  # fmt: skip
    rows, dropped = (int(notes.get(name) or 0) for name in (ROWS, DROPPED))
    if dropped > MANY_LEFT_OUT * rows:
        yield Suspicion(
            "rows without a person or an item", columns["people"], dropped, rows,
            f"{_part(dropped, rows, 'rows')} have no person ({_of('people', columns)}) or no item "
            f"({_of('items', columns)}), and were dropped: who are they?",
        )  # fmt: skip
    unreadable = int(notes.get(UNREADABLE) or 0)
    if unreadable > MANY_LEFT_OUT * rows:
        yield Suspicion(
            "rows that could not be read", "rows", unreadable, rows,
            f"{_part(unreadable, rows, 'rows')} could not be read and were dropped, the first at "
            f"{notes.get(FIRST_UNREADABLE)}: was a column, a unit of dates or the decimal point "
            "chosen wrongly?",
        )  # fmt: skip
    for kind, name, words in (
        ("negative values", NEGATIVE, "are negative: are they returns, or a code for none?"),
        (
            "values far from all others",
            FAR,
            "are more than 10 times the 99.9% quantile (both without their signs): are they slips, "
            "tests, or a code for none?",
        ),
    ):
        count, values = int(notes.get(name) or 0), int(notes.get(VALUES) or 0)
        if count:
            yield Suspicion(
                kind, columns["values"], count, values,
                f"{_part(count, values, 'values')} ({_of('values', columns)}) {words}",
            )  # fmt: skip
    epoch = int(notes.get(EPOCH) or 0)
    if epoch:
        yield Suspicion(
            "dated 1970-01-01", columns["dates"], epoch, int(notes.get("rows") or 0),
            f"{format_number(epoch)} rows are dated 1970-01-01, which is what a 0 means as a date.",
        )  # fmt: skip
    for role, whole in (("people", people), ("items", items)):
        for what, name in ((ADDRESSES, EMAILS), (NUMBERS, PHONES), (OF_PEOPLE, NAMES)):
            count = int(notes.get(name.format(role)) or 0)
            if count:
                several = " And several people may have the same one." if what == OF_PEOPLE else ""
                yield Suspicion(
                    what, columns[role], count, whole,
                    f"{_part(count, whole, role)} ({_of(role, columns)}) look like {what}: these "
                    "identify people outside this release. Replace them by random "
                    f"identifiers.{several}",
                )  # fmt: skip
        for kind, name, words in (
            (
                "identifiers that are nearly another's",
                TWINS,
                "have the identifier of another but for blanks, quotes, capitals, zeros in front "
                "or a final .0",
            ),
            (
                "rounded identifiers",
                ROUNDED,
                "have a rounded number for an identifier, as spreadsheets write long ones",
            ),
            (
                "a line of totals",
                TOTALS,
                "are called Total, Sum or the like: is it the line below a table? Then delete it "
                "from the file",
            ),
        ):
            count = int(notes.get(name.format(role)) or 0)
            if count:
                yield Suspicion(
                    kind, columns[role], count, whole,
                    f"{_part(count, whole, role)} ({_of(role, columns)}) {words}.",
                )  # fmt: skip


def _placeholders(
    store: Store, notes: Mapping[str, Any], columns: Mapping[str, str]
) -> Iterator[Suspicion]:
    """Find what stands for no date, no value, no person and no item, in a few percent or more."""
    cells, rows = store.manifest.n_cells, int(notes.get(ROWS) or 0)
    held: dict[str, tuple[Any, NDArray[Any]]] = {
        "people": (store.records, store.length),
        "items": (store.items, store.cells),
    }
    dates, values, all_values = (
        int(notes.get(name) or 0) for name in (PLACEHOLDER_DATES, PLACEHOLDER_VALUES, VALUES)
    )
    found = [
        ("dates", dates, rows, str(notes.get(WHICH_DATES))),
        ("values", values, all_values, str(notes.get(WHICH_VALUES))),
    ]
    for role, (names, sizes) in held.items():
        numbered = pa.types.is_integer(names.type)
        minus = names.to_numpy() == -1 if numbered else are_words(names, ("-1",))
        if (count := int(sizes[minus].sum())) >= _UNSET * cells:
            yield Suspicion(
                "placeholder identifiers", columns[role], count, cells,
                f"{_part(count, cells, 'entries')} ({_of(role, columns)}) are -1, which may stand "
                "for none: leave these rows out of the file.",
            )  # fmt: skip
        stand = are_words(lower_case(names), WORDS)
        which = ",".join(map(str, names.filter(pa.array(stand)).to_pylist()))
        found.append((role, int(sizes[stand].sum()), cells, which))
    for role, count, whole, listed in found:
        if not count or count < _UNSET * whole:
            continue
        kind = f"placeholder {role if role in ('dates', 'values') else 'identifiers'}"
        of = {"dates": "rows", "values": "values"}.get(role, "entries")
        missing = override("data.placeholders", [plain_cell(one) for one in listed.split(",")])
        yield Suspicion(
            kind, columns[role], count, whole,
            f"{_part(count, whole, of)} ({_of(role, columns)}) are {listed.replace(',', ' or ')}, "
            f"which may stand for none: {missing} reads them as missing.",
        )  # fmt: skip


def plain_cell(text: str) -> str | int:
    """Return a cell as a list of placeholders has it."""
    return int(text) if text.lstrip("-").isdigit() else text


def quantiles(counts: NDArray[Any]) -> dict[str, float]:
    """Return quantiles by nearest rank, so that each is one of the counts, and the mean.

    Parameters
    ----------
    counts : integer array, shape (n,)

    Examples
    --------
    >>> quantiles(np.array([1, 2, 3, 10]))["50%"], quantiles(np.array([1, 2, 3, 10]))["mean"]
    (2, 4.0)
    """
    ordered = np.sort(counts)
    places = {"min": 0, "5%": 5, "25%": 25, "50%": 50, "75%": 75, "95%": 95, "max": 100}
    found: dict[str, float] = {
        name: int(ordered[max(0, -(-part * ordered.size // 100) - 1)])
        for name, part in places.items()
    }
    return found | {"mean": float(int(ordered.sum(dtype=np.int64)) / ordered.size)}


def long_records(store: Store) -> dict[str, int] | None:
    """Return how many people have far more cells than others, and the most of these; None: nobody.

    Returns
    -------
    dict or None
        Numbers of ``people``, and the ``max_length`` of the others, for ``run.json``.
    """
    far, following = _far_above(store.length, store.manifest.n_cells)
    return {"people": far.size, "max_length": following} if far.size else None


def are_left_out(store: Store, most: int | None) -> bool:
    """Whether all people with far more cells than others have more than a number of them."""
    far, _ = _far_above(store.length, store.manifest.n_cells)
    return most is not None and bool((far > most).all())


def _far_above(length: NDArray[Any], cells: int) -> tuple[NDArray[Any], int]:
    """Return the lengths of the few records that are far longer than all others, and the next.

    Far longer: three times, or twice and more than the tail of the others explains.

    Examples
    --------
    >>> _far_above(np.array([1, 2, 7, 2]), 12)
    (array([7]), 2)
    >>> _far_above(np.array([90, 80, 12, *[5] * 97]), 667)
    (array([90, 80]), 12)
    >>> _far_above(np.array([90, 80, 70, 50, *[20] * 4, *[5] * 92]), 830)
    (array([90, 80, 70, 50]), 20)
    >>> _far_above(np.array([3, 2, 2]), 7)[0].size
    1
    >>> _far_above(np.array([2, 2, 2, 2]), 8)[0].size
    0
    """
    if length.size < 2:
        return length[:0], 0
    few = max(1, min(_FEW, length.size // _FEW_OF))
    least = min(few + _TAIL + 1, length.size)
    longest = np.sort(np.partition(length, -least)[-least:])[::-1]
    most, following = longest[:few], longest[1 : few + 1]
    far = most >= _FAR_ABOVE * following
    far |= (most >= _ABOVE * following) & (_spacings(longest, few) >= _SPACINGS)
    above = far & (most >= _SOME * cells)
    n = int(np.flatnonzero(above).max(initial=-1)) + 1 or int(most[0] >= _HEAVY * cells)
    return most[:n], int(longest[n])


def _spacings(longest: NDArray[Any], few: int) -> NDArray[np.float64]:
    """Return how many times as far above the next each of the first records is as is usual there.

    In a Pareto tail the k-th logarithm of all, from the top, lies above the next by an exponential
    variable of mean 1/(αk), and 1/α is estimated by the records that follow (B. M. Hill, "A simple
    general approach to inference about the tail of a distribution", Annals of Statistics 3(5),
    1975). It is taken to be no less than the relative error of a count, as equal short records
    show no tail.

    Parameters
    ----------
    longest : array
        Lengths, descending.

    Examples
    --------
    >>> _spacings(np.array([64, 32, 16, 8, 4, 2, 1, 1]), 2).round(2).tolist()
    [0.4, 1.0]
    """
    logarithm = log(longest)
    found = np.zeros(few)
    for k in range(1, min(few, longest.size - 2) + 1):
        tail = logarithm[k : k + _TAIL + 1]
        usual = max(float(np.mean(tail[:-1] - tail[-1])), float(longest[k]) ** -0.5)
        found[k - 1] = k * (logarithm[k - 1] - logarithm[k]) / usual
    return found


def _of(role: str, columns: Mapping[str, str]) -> str:
    name = columns[role]
    return f"column {name}" if name != role else f"the {role}"


def _part(count: int, whole: int, of: str) -> str:
    return (
        f"{format_number(count)} of {format_number(whole)} {of} ({format_percent(count / whole)})"
    )
