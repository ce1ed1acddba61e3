"""Recognises the columns of people, items, values and times, by their names and by their cells.

Invariant: a role is clear only where nothing else in the table could have it; else it is asked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.release.shape.column_cells import ColumnCells
from sim.release.shape.column_words import (
    GROUPS,
    LETTERS,
    MEASURES,
    MONEY,
    RATINGS,
    UNSURE,
    WORDS,
    has_word,
    likeliest,
    words_of,
)
from sim.release.shape.table_shape import TableSample, is_of_orders

ROLES = ("user", "item", "value", "date")
NO_COLUMN = "COLUMN"
"""Stands for a role that no column seems to have."""

_DATE_PARTS = ("year", "month", "day", "hour", "minute", "second")
_BARE = ("id", "uid", "userid")
"""Names of people where nothing says of what the identifiers are."""
_ID = ("id", "key", "nr", "no", "code", "num")
_NUMBERS = [[word] for word in ("no", "num", "number", "n", "nb", "anzahl", "total", "avg", "max")]
"""What the names of numbers begin with: no_employees."""
_NO_SCALES = (*MEASURES, *WORDS["user"], *WORDS["item"], *GROUPS, *_ID)
_DAY_NAMES = ("day", "tag", "jour", "dia", "giorno")
_FEW_ROWS = 20
_MOST_DAYS = 10_000
_FEW_PEOPLE, _ROWS_OF_FEW = 10, 50  # a flag or a sex, rather than people
_REPEATED = 5  # with two rows, by which it is told whether a column depends on another
_EXCEPTIONS = 0.1
_PAIRS = 0.95  # of the rows with a value of its own for each person and item


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of a table by role.

    Parameters
    ----------
    columns : mapping of str to str or list of str
        The chosen columns, else the likeliest; `NO_COLUMN` where there is none for a role that must
        have one.
    unclear : mapping of str to tuple of str
        For each role that is to be asked for, the columns that may have it, the likeliest first.
    """

    columns: Mapping[str, Any]
    unclear: Mapping[str, tuple[str, ...]]

    @property
    def clear(self) -> dict[str, Any]:
        """The columns whose roles are clear."""
        return {role: names for role, names in self.columns.items() if role not in self.unclear}


def recognise_roles(sample: TableSample, chosen: Mapping[str, Any]) -> Roles:
    """Return the roles of the columns of a table.

    Parameters
    ----------
    chosen : mapping
        The columns that are chosen already, by role; None for a role that no column has.

    Examples
    --------
    >>> rows = [(f"u{n % 9}", f"{n % 7}", f"{n % 9}", f"{n % 5}") for n in range(60)]
    >>> recognise_roles(TableSample(("userId", "movieId", "sex", "rating"), rows), {})
    Roles(columns={'user': 'userId', 'item': 'movieId', 'value': 'rating'}, unclear={})
    >>> rows = [(f"u{n % 9}", f"{n % 7}", f"{n % 8}") for n in range(60)]
    >>> recognise_roles(TableSample(("userId", "movieId", "placeId"), rows), {}).unclear
    {'item': ('movieId', 'placeId')}
    """
    columns = [one for one in sample.columns.values() if one.name or one.present]
    found = likeliest_roles(columns, chosen)
    unclear = dict[str, tuple[str, ...]]()
    taken = {name for names in chosen.values() for name in _names(names or ())}
    for role, rivals in (("user", _other_people), ("date", _other_times), ("item", _other_items),
                         ("value", _other_values)):  # fmt: skip
        if role in chosen:
            continue
        others = rivals(columns, found, taken)
        if others is None:
            taken.update(_names(found.get(role, ())))
        else:
            able = {one.name for one in columns if can_be(role, one)}
            own = [name for name in _names(found.get(role, ())) if name in able]
            unclear[role] = tuple(dict.fromkeys([*own, *others]))
    return Roles(found, {role: unclear[role] for role in ROLES if role in unclear})


def likeliest_roles(columns: Sequence[ColumnCells], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns that are chosen, and for others what their names and cells suggest.

    Examples
    --------
    >>> names = ("InvoiceNo", "StockCode", "InvoiceDate", "CustomerID")
    >>> likeliest_roles([ColumnCells(name, ()) for name in names], {})
    {'user': 'CustomerID', 'item': 'StockCode', 'date': 'InvoiceDate'}
    >>> likeliest_roles([ColumnCells(name, ()) for name in "dviu"], {})
    {'user': 'u', 'item': 'i', 'value': 'v', 'date': 'd'}
    """
    found = {role: names for role, names in chosen.items() if names is not None}
    free = _without(columns, found)
    for role in ROLES:
        needed = sum(one not in found and one != role for one in ("user", "item"))
        if role in chosen or len(free) <= needed:
            continue
        able = [column for column in free if can_be(role, column)]
        guess = by_name(role, [column.name for column in able])
        if guess is None and role == "date":
            guess = next((one.name for one in able if one.is_time and not one.is_clock), None)
        elif guess is None and role == "value":  # people and items come before it
            known = [one for one in columns if one.name in (found.get("user"), found.get("item"))]
            scales = (one for one in reversed(able) if _is_scale(one))
            guess = next(
                (one.name for one in scales if not any(_depends(one, key) for key in known)), None
            )
        elif role == "item" and guess is not None:
            guess = _finest(guess, able)
        if guess is not None:
            found[role] = guess
            free = _without(columns, found)
    # Else in their order.
    likely = sorted(free, key=lambda one: (not can_be("item", one), -one.likeness_to_ids))
    for role in ("user", "item"):
        if role not in found:
            found[role] = likely.pop(0).name if likely else NO_COLUMN
    return {role: found[role] for role in ROLES if role in found}


def can_be(role: str, column: ColumnCells) -> bool:
    """Whether the cells of a column do not speak against a role; where there are none, they do not.

    A measured number, a time and a column that is mostly empty are no people and no items.
    """
    if role == "value":
        return _can_be_values(column)
    if not column.present:
        return not column.is_mostly_empty
    if role == "date":
        whole = column.is_numeric and not column.has_decimals
        return not column.is_clock and (column.is_time or whole)
    if column.is_time or column.is_measured or column.is_mostly_empty:
        return False
    if len(column.present) >= _FEW_ROWS and not column.repeats:  # it numbers the rows
        return False
    return not has_word(column.name, MEASURES) and words_of(column.name)[:1] not in _NUMBERS


def are_days(column: ColumnCells) -> bool:
    """Whether cells number the days of a table."""
    if not (has_word(column.name, _DAY_NAMES) and column.present and column.counts):
        return False
    return not column.is_time and max(column.figures) < _MOST_DAYS


def by_name(role: str, names: Sequence[str]) -> Any:
    """Return the column whose name fits a role best, or of a date the columns of its parts."""
    by_word = {name.lower(): name for name in names}
    if role == "date" and {*_DATE_PARTS[:3]} <= {*by_word}:
        return [by_word[part] for part in _DATE_PARTS if part in by_word]
    letters = (by_word[letter] for letter in LETTERS[role] if letter in by_word)
    return likeliest(names, WORDS[role]) or next(letters, None)


def not_proposed(columns: Sequence[ColumnCells], found: Mapping[str, Any]) -> ColumnCells | None:
    """Return the column that would be that of the values but for its empty cells, or as money."""
    if "value" in found:
        return None
    free = [one for one in _without(columns, found) if not _can_be_values(one)]
    name = by_name("value", [one.name for one in free])
    scales = (one for one in reversed(free) if one.name == name or (not name and _is_scale(one)))
    return next(scales, None)


Rivals = Iterable[str] | None
"""Columns that may have a role as well, or None where it is clear."""


def _other_people(columns: Sequence[ColumnCells], found: Mapping[str, Any], _: set[str]) -> Rivals:
    """By a word in its name alone: two kinds of people, or none, are to be asked about."""
    able = [one for one in columns if can_be("user", one)]
    of_others = [one for role in ROLES[1:] for one in able if by_name(role, [one.name])]
    named = [one for one in able if by_name("user", [one.name]) == one.name]
    able = [one for one in able if one in named or one not in of_others] or able
    own = next((one for one in columns if one.name == found["user"]), None)
    bare = [one for one in able if one.name.lower() in _BARE]
    if own is None or not (own in named or (own in bare and not named)):
        return [one.name for one in able]
    few = len(own.distinct) < _FEW_PEOPLE and len(own.present) > _ROWS_OF_FEW * len(own.distinct)
    if few or has_word(own.name, UNSURE) or is_of_orders(own.name):
        return [one.name for one in able]
    others = [one for one in named if one is not own and not has_word(one.name, UNSURE)]
    return [one.name for one in others if not _depends(one, own)] or None


def _other_times(columns: Sequence[ColumnCells], found: Mapping[str, Any], _: set[str]) -> Rivals:
    """The one column of dates, or what is named for the parts of one, or for numbers of days."""
    names = found.get("date")
    times = [
        one
        for one in columns
        if one.is_time and not one.is_clock and not one.is_mostly_empty
        and not (one.is_numeric and has_word(one.name, _ID))
    ]  # fmt: skip
    if names is None:  # what is named for a time, and is not written as one
        named = [one for one in columns if by_name("date", [one.name]) and not one.is_clock]
        return [one.name for one in named if not one.is_mostly_empty] or None
    own = next((one for one in columns if one.name == names), None)
    dated = own is None or own in times or are_days(own) or not own.present
    others = [one.name for one in times if one is not own]
    return (others or None) if dated else others


def _other_items(
    columns: Sequence[ColumnCells], found: Mapping[str, Any], taken: set[str]
) -> Rivals:
    """What neither depends on the items, as a genre of a film does, nor on the people."""
    by_its_name = {one.name: one for one in columns}
    own, user = by_its_name.get(str(found["item"])), by_its_name.get(str(found["user"]))
    times = {*_names(found.get("date", ()))}
    able = [
        one for one in columns
        if one.name not in taken | times and one is not user and can_be("item", one)
        and not (user is not None and _depends(user, one))  # a number of visits of one person
    ]  # fmt: skip
    if own is None or own not in able:
        return [one.name for one in able]
    named = [one for one in able if by_name("item", [one.name]) == one.name]
    people_are_clear = user is not None and user.name in taken
    if own not in named and (named or not people_are_clear or not _may_be_only_item(own)):
        return [one.name for one in able if one is not own]
    rivals = [
        one
        for one in able
        if one is not own
        and (
            one in named
            or (one.is_coded and len(one.distinct) > len(own.distinct))
            or (own not in named and _may_be_only_item(one))
        )
        and not is_of_orders(one.name)
        and not (own in named and has_word(one.name, GROUPS))
        and one.name != found.get("value")
        and not _depends(one, own)
        and not (user is not None and _depends(one, user))
    ]
    return [one.name for one in rivals] or None


def _other_values(columns: Sequence[ColumnCells], found: Mapping[str, Any], _: set[str]) -> Rivals:
    """A rating by its name; another number only if it is named for one, one a person and item."""
    by_its_name = {one.name: one for one in columns}
    own = by_its_name.get(str(found.get("value")))
    if own is None:
        return None
    rated = [one for one in columns if has_word(one.name, RATINGS) and _can_be_values(one)]
    if others := [one.name for one in rated if one is not own]:
        return others
    if own in rated or own.name.lower() in LETTERS["value"]:
        return None
    keys = [by_its_name[name] for role in ("user", "item") for name in _names(found[role])
            if name in by_its_name]  # fmt: skip
    pairs = {*zip(*(one.every for one in keys), strict=True)}
    counted = by_name("value", [own.name]) and len(pairs) >= _PAIRS * len(own.raw)
    return None if counted else []


def _finest(guess: str, able: Sequence[ColumnCells]) -> str:
    """Return of several columns named for items that which the others depend on, as on a track."""
    named = [one for one in able if by_name("item", [one.name]) == one.name]
    named.sort(key=lambda one: (one.name != guess, not has_word(one.name, _ID)))
    for one in named:
        others = [other for other in named if other is not one]
        if others and all(_depends(other, one) for other in others):
            return one.name
    return guess


def _depends(column: ColumnCells, on: ColumnCells) -> bool:
    """Whether cells are the same wherever those of another column are, as a sex of a person's."""
    of, rows = defaultdict[str, set[str]](set), Counter[str]()
    for one, cell in zip(on.every, column.every, strict=True):
        if one and cell:
            of[one].add(cell)
            rows[one] += 1
    several = [one for one, n in rows.items() if n > 1]
    differ = sum(len(of[one]) > 1 for one in several)
    return len(several) >= _REPEATED and differ <= _EXCEPTIONS * len(several)


def _may_be_only_item(column: ColumnCells) -> bool:
    named = not column.is_numeric or has_word(column.name, _ID)
    return named and column.likeness_to_ids > 1 and can_be("item", column)


def _can_be_values(column: ColumnCells) -> bool:
    numbers = 2 * column.numbers >= len(column.present) and not column.is_time
    return numbers and not column.is_mostly_empty and likeliest([column.name], MONEY) is None


def _is_scale(column: ColumnCells) -> bool:
    """Whether cells look like values; a 0 or 1 may say whether there was an event at all."""
    named = has_word(column.name, _NO_SCALES)
    return column.looks_like_values and not named and not column.distinct <= {"0", "1"}


def _without(columns: Sequence[ColumnCells], found: Mapping[str, Any]) -> list[ColumnCells]:
    taken = {name for names in found.values() for name in _names(names)}
    return [column for column in columns if column.name not in taken]


def _names(given: Any) -> Sequence[str]:
    return [given] if isinstance(given, str) else given
