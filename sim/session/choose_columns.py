"""What to say when the columns of a table are not chosen: the columns, and what might fit."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.config.paths import absolute
from sim.config.schema import TableConfig
from sim.errors import ConfigError, InputError, StandoutError
from sim.extend.overrides import override
from sim.numeric.text import format_percent
from sim.record.run_record import FRAME
from sim.release.readers.other_encodings import OTHERS, with_letters_only
from sim.release.readers.peek import ColumnPeek, guessed_text, peeks_of, table_sample
from sim.release.readers.unreadable_rows import USUAL
from sim.release.shape.column_cells import ColumnCells
from sim.release.shape.column_words import (
    LETTERS,
    MEASURES,
    MONEY,
    WORDS,
    has_word,
    likeliest,
    words_of,
)
from sim.release.shape.table_shape import (
    ZEROS,
    TableSample,
    header_problem,
    ragged_problem,
    shape_problems,
    unclear_problems,
)
from sim.report.text_table import aligned
from sim.session.bad_cells import cells_of_none, listed
from sim.session.check_values import ROWS
from sim.session.reading import column_choice, table_options

_DATE_PARTS = ("year", "month", "day", "hour", "minute", "second")
_SHOWN = 24


def check_shape(config: TableConfig) -> None:
    """Check that the rows of a table, by its chosen columns, may be events of people.

    Raises
    ------
    ConfigError
        A value that cannot be one.
    InputError
        There is no table, or its rows seem to be no events.
    """
    options, choice = table_options(config), column_choice(config)
    sample = table_sample(absolute(config.path), options)
    _check_lines(config, sample)
    roles = _in_table(sample, choice.chosen())
    for problem in shape_problems(sample, roles, config.zeros):
        if config.shape != ROWS or problem.kind == ZEROS:
            raise InputError(f"{config.path}: {problem.line}")


def _in_table(sample: TableSample, roles: Mapping[str, Any]) -> dict[str, Any]:
    """Return the roles whose columns there are."""
    there = sample.columns.keys()
    return {role: names for role, names in roles.items() if there >= {*listed(names)}}


def _check_lines(config: TableConfig, sample: TableSample) -> None:
    """Check the first line of a table, and that the others are as long."""
    for problem in (header_problem(sample), ragged_problem(sample)):
        if problem is not None:
            raise InputError(f"{config.path}: {problem.line}")


def columns_not_chosen(
    config: TableConfig, command: Callable[[list[str]], str] | None = None
) -> StandoutError:
    """Return the error for a table without a column of people or of items.

    Where its rows seem to be no events, it says what they are.

    Parameters
    ----------
    command : callable, optional
        Returns the command that was typed with some overrides of data; None: `sim.table` was
        called, with a path or a data frame.

    Raises
    ------
    InputError
        There is no table, or its first line looks like a row.
    """
    options = table_options(config)
    sample = table_sample(absolute(config.path), options)
    _check_lines(config, sample)
    columns = peeks_of(sample, options)
    in_python = command is None
    group = "" if in_python else "data."
    lacking = [f"{group}{role}" for role in ("user", "item") if getattr(config, role) is None]
    rows = [(f"  {one.name}", *map(_shown, one.samples), *[""] * (3 - len(one.samples)))
            for one in columns if one.name or one.samples]  # fmt: skip
    given = {
        key: value
        for key, value in vars(config).items()
        if value is not None and key not in ("kind", "path", *WORDS)
    }
    defaults = vars(TableConfig()) | {
        "date_unit": "auto", "decimal": ".", "empty": "error", "max_unread": USUAL,
        "placeholders": [], "time_bin": "day", "value_bins": "auto",
    }  # fmt: skip
    found = guesses(config, columns)
    sure = clear_roles(config, columns, found)
    if config.shape != ROWS:
        known = _in_table(sample, {role: found[role] for role in found if role in sure})
        problems = *shape_problems(sample, known, config.zeros), *unclear_problems(sample, known)
        for problem in problems:
            return InputError(f"{config.path}: {problem.line}")
    empty = {one.name for one in columns if one.empty}
    if any(empty.intersection(listed(found[role])) for role in ("user", "item")):
        given["empty"] = "drop" if config.empty == "error" else "drop_blank"
    if config.decimal == "." and any(
        one.has_decimal_commas for one in columns if one.name == found.get("value")
    ):
        given["decimal"] = ","
    if not config.placeholders and (none := cells_of_none(columns, found)):
        given["placeholders"] = none
    if config.date_unit == "auto" and any(
        one.name == found.get("date") and _are_days(one) for one in columns
    ):
        given["date_unit"] = "days"
    unclear = [role for role in ("user", "item") if role not in sure]
    lines = [
        *_guessed(config, {role: found[role] for role in found if role in sure}, group),
        *_not_proposed(config, columns, found, group),
        *_unclear(columns, found, unclear, group),
    ]
    found |= dict.fromkeys(unclear, "COLUMN")
    words = [
        *("data=table", override("data.path", config.path)),
        *(f"data.{role}={as_typed(name)}" for role, name in found.items()),
        *(
            f"data.{key}={as_typed(value)}"
            for key, value in given.items()
            if value != defaults[key]
        ),
    ]
    if command is None:
        lines += _calls(config.path, found, given, defaults)
    else:
        lines.append(f"to go on: {command(words)}")
    return ConfigError(
        f"{' and '.join(lacking)}: not given; expected columns of {config.path}, which are, with "
        "their first values:",
        [*aligned(rows, left=4), *_of_encoding(config, in_python=in_python), *lines],
    )


def _of_encoding(config: TableConfig, *, in_python: bool) -> Iterator[str]:
    """Say as what a text was read that is not UTF-8, and how to name another encoding."""
    text = guessed_text(absolute(config.path), table_options(config))
    if not text:
        return
    likely = with_letters_only(text)
    names = likely or OTHERS[:2]
    keys = [f"encoding={name!r}" if in_python else f"data.encoding={name}" for name in names]
    why = ", by which its words are letters only" if likely else ""
    yield (
        f"read as Windows-1252, as it is not UTF-8: if letters look wrong, set another encoding, "
        f"such as {' or '.join(keys)}{why}"
    )


def _calls(
    path: str,
    found: Mapping[str, object],
    given: Mapping[str, object],
    defaults: Mapping[str, object],
) -> list[str]:
    changed = {key: value for key, value in given.items() if value != defaults[key]}
    data = "df" if Path(path).name == FRAME else repr(path)
    listed = ", ".join(f"{key}={value!r}" for key, value in {**found, **changed}.items())
    opened = f"release = sim.table({data}, {listed})"
    return [f"to go on: {opened}; print(release.describe()), and sim.audit(release)"]


def guesses(config: TableConfig, columns: Sequence[ColumnPeek]) -> dict[str, object]:
    """Return the columns that are chosen, and for others what their names suggest.

    Examples
    --------
    >>> config = TableConfig(user=None, item=None, value=None, date=None)
    >>> names = ("InvoiceNo", "StockCode", "InvoiceDate", "CustomerID")
    >>> guesses(config, [ColumnPeek(name, ()) for name in names])
    {'user': 'CustomerID', 'item': 'StockCode', 'date': 'InvoiceDate'}
    >>> guesses(config, [ColumnPeek(name, ()) for name in "dviu"])
    {'user': 'u', 'item': 'i', 'value': 'v', 'date': 'd'}
    """
    chosen = {role: getattr(config, role) for role in WORDS}
    found = {role: own for role, own in chosen.items() if own}
    free = [column for column in columns if column.name not in _taken(found)]
    for role in ("user", "item", "value", "date"):
        needed = sum(one not in found and one != role for one in ("user", "item"))
        if role in found or len(free) <= needed:
            continue
        able = [column for column in free if _can_be(role, column)]
        guess = _by_name(role, [column.name for column in able])
        if guess is None and role not in ("user", "item"):
            guess = _by_content(role, able)
        if guess is not None:
            found[role] = guess
            free = [column for column in free if column.name not in _taken(found)]
    # Else in their order.
    likely = sorted(free, key=lambda one: (not _can_be("item", one), -one.likeness_to_ids))
    for role in ("user", "item"):
        if role not in found:
            found[role] = likely.pop(0).name if likely else "COLUMN"
    return {role: found[role] for role in WORDS if role in found}


def clear_roles(
    config: TableConfig, columns: Sequence[ColumnPeek], found: Mapping[str, Any]
) -> set[str]:
    """Return the roles whose columns are chosen, or clear by what they are called and hold.

    An item is also clear where no other column can be one; a person never is.

    Examples
    --------
    >>> config = TableConfig(user=None, item=None, value=None, date=None)
    >>> columns = [ColumnPeek("who", ()), ColumnPeek("what", ()), ColumnPeek("n", ("1.5",) * 9)]
    >>> sorted(clear_roles(config, columns, {"user": "who", "item": "what"}))
    ['item', 'user']
    >>> sorted(clear_roles(config, columns, {"user": "n", "item": "what"}))
    ['item']
    """
    by_name = {one.name: one for one in columns}

    def is_clear(role: str) -> bool:
        if getattr(config, role) is not None:
            return True
        if role not in ("user", "item"):
            return True
        column = by_name.get(str(found[role]))
        if column is None or not _can_be(role, column):
            return False
        return _by_name(role, [column.name]) is not None

    sure = {role for role in found if is_clear(role)}
    if "user" not in sure and "user" in found:
        column = by_name.get(str(found["user"]))
        if column is not None and column.name.lower() in _BARE and _can_be("user", column):
            sure.add("user")
    if "user" in sure and "item" not in sure:
        taken = _taken({role: names for role, names in found.items() if role != "item"})
        able = [one for one in columns if one.name not in taken and _may_be_only_item(one)]
        if [one.name for one in able] == [found["item"]]:
            sure.add("item")
    return sure


@functools.lru_cache(maxsize=256)
def _content(name: str, cells: tuple[str, ...]) -> ColumnCells:
    """Return the cells of a column, whose properties are then found once."""
    return ColumnCells(name, cells)


_BARE = ("id", "uid", "userid")
"""Names of people where nothing says of what the identifiers are."""


def _may_be_only_item(column: ColumnPeek) -> bool:
    cells = _content(column.name, column.cells)
    named = not cells.is_numeric or has_word(column.name, ("id", "key", "nr", "no", "code", "num"))
    return named and column.likeness_to_ids > 1 and _can_be("item", column)


def _can_be(role: str, column: ColumnPeek) -> bool:
    """Whether the cells of a column do not speak against a role; where there are none, they do not.

    A measured number, a time and a column that is mostly empty are no people and no items.
    """
    if role == "value":
        return _can_be_values(column)
    cells = _content(column.name, column.cells)
    if not cells.present:
        return not column.is_mostly_empty
    if role == "date":
        whole = cells.is_numeric and not cells.has_decimals
        return not cells.is_clock and (cells.is_time or whole)
    if cells.is_time or cells.is_measured or column.is_mostly_empty:
        return False
    if len(cells.present) >= _FEW_ROWS and not cells.repeats:  # it numbers the rows
        return False
    return not has_word(column.name, MEASURES) and words_of(column.name)[:1] not in _NUMBERS


_FEW_ROWS = 20
_NUMBERS = [[word] for word in ("no", "num", "number", "n", "nb", "anzahl", "total", "avg", "max")]
"""What the names of numbers begin with: no_employees."""


def _are_days(column: ColumnPeek) -> bool:
    """Whether cells number the days of a table."""
    cells = _content(column.name, column.cells)
    named = has_word(column.name, ("day", "tag", "jour", "dia", "giorno"))
    if not (named and cells.present and cells.counts):
        return False
    return not cells.is_time and max(cells.figures) < _MOST_DAYS


_MOST_DAYS = 10_000


def _unclear(
    columns: Sequence[ColumnPeek], found: Mapping[str, Any], unclear: Sequence[str], group: str
) -> list[str]:
    """Say which role is not clear, which columns may have it, and what is to be set."""
    what = {"user": "the people", "item": "the items"}
    taken = _taken({role: names for role, names in found.items() if role not in unclear})
    lines = []
    for role in unclear:
        able = [one.name for one in columns if one.name not in taken and _can_be(role, one)]
        may = (
            f"it may be {' or '.join(map(as_typed, able[:_MANY]))}" if able else "none seems to be"
        )
        lines.append(f"not clear which column names {what[role]} ({group}{role}): {may}")
    return lines


_MANY = 4


def _can_be_values(column: ColumnPeek) -> bool:
    cells = _content(column.name, column.cells)
    numbers = 2 * cells.numbers >= len(cells.present) and not cells.is_time
    return numbers and not column.is_mostly_empty and likeliest([column.name], MONEY) is None


def _taken(found: Mapping[str, Any]) -> set[str]:
    return {name for names in found.values() for name in listed(names)}


def _by_name(role: str, names: Sequence[str]) -> Any:
    by_word = {name.lower(): name for name in names}
    if role == "date" and {*_DATE_PARTS[:3]} <= {*by_word}:
        parts = [part for part in _DATE_PARTS if part in by_word]
        return [by_word[part] for part in _DATE_PARTS[: len(parts)] if part in by_word]
    letters = (by_word[letter] for letter in LETTERS[role] if letter in by_word)
    return likeliest(names, WORDS[role]) or next(letters, None)


def _by_content(role: str, columns: Sequence[ColumnPeek]) -> str | None:
    """The first column of dates, or the last of values: people and items come before these."""
    fits = [
        column.name
        for column in columns
        if (_is_date(column) if role == "date" else _is_scale(column))
    ]
    return None if not fits else fits[0] if role == "date" else fits[-1]


def _is_date(column: ColumnPeek) -> bool:
    cells = _content(column.name, column.cells)
    return cells.is_time and not cells.is_clock


def _is_scale(column: ColumnPeek) -> bool:
    """Whether cells look like values; a 0 or 1 may say whether there was an event at all."""
    return column.looks_like_values and not {*column.cells} <= {"0", "1"}


def _guessed(config: TableConfig, found: Mapping[str, Any], group: str) -> list[str]:
    """Say which columns no word in their names suggests."""
    own = [
        f"{group}{role}={as_typed(name)}"
        for role, name in found.items()
        if getattr(config, role) is None
        and isinstance(name, str)
        and name != "COLUMN"
        and not _by_name(role, [name])
    ]
    if not own:
        return []
    return [f"guessed, by the content or the place of the column, so check it: {', '.join(own)}"]


def _not_proposed(
    config: TableConfig, columns: Sequence[ColumnPeek], found: Mapping[str, Any], group: str
) -> list[str]:
    """Say which column would be that of the values if it were not empty in most rows."""
    if config.value is not None:
        return []
    taken = _taken({role: names for role, names in found.items() if role != "value"})
    free = [one for one in columns if one.name not in taken and not _can_be_values(one)]
    name = _by_name("value", [one.name for one in free]) or _by_content("value", free)
    if name is None or "value" in found:
        return []
    (column,) = (one for one in free if one.name == name)
    gone = column.rows - len(column.cells)
    why, which = "is money by its name, and on no scale", ""
    if column.is_mostly_empty:
        share = format_percent(gone / column.rows)
        why = f"is empty in {gone:,} of the first {column.rows:,} rows ({share})"
        which = ", and most of these have no value"
    return [
        f"not proposed as {group}value: {as_typed(name)}, which {why}. Where values are read, the "
        f"rows of a person for an item become one by default ({group}repeats){which}"
    ]


def _shown(cell: str) -> str:
    """A value as the table shows it: short, on one line."""
    text = repr(cell)[1:-1] if not cell.isprintable() else cell
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def as_typed(names: object) -> str:
    """Names, or another value, as they are typed, without quotes that nothing needs."""
    if isinstance(names, str) and re.fullmatch(r"[A-Za-z_][\w.-]*", names, re.ASCII):
        return names
    if isinstance(names, list) and all(
        re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) for name in names
    ):
        return f"[{','.join(names)}]"
    return override("x", names).removeprefix("x=")
