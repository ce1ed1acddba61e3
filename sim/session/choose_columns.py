"""What to say when the columns of a table are not chosen: the columns, and what might fit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sim.config.paths import absolute
from sim.config.schema import TableConfig
from sim.errors import ConfigError
from sim.extend.overrides import command_line, override
from sim.numeric.text import format_percent
from sim.record.run_record import FRAME
from sim.release.readers.other_encodings import OTHERS, with_letters_only
from sim.release.readers.peek import ColumnPeek, guessed_text, peek
from sim.release.readers.strict_parser import number
from sim.report.text_table import aligned
from sim.session.column_words import LETTERS, MONEY, WORDS, likeliest
from sim.session.reading import table_options
from sim.session.wide_tables import of_wide_tables

_DATE_PARTS = ("year", "month", "day", "hour", "minute", "second")
_SHOWN = 24


def columns_not_chosen(config: TableConfig, *, in_python: bool = False) -> ConfigError:
    """Return the error for a table without a column of people or of items.

    Parameters
    ----------
    in_python : bool
        Whether `sim.table` was called, with a path or a data frame; not a command.

    Raises
    ------
    InputError
        There is no table.
    """
    columns = peek(absolute(config.path), table_options(config))
    group = "" if in_python else "data."
    lacking = [f"{group}{role}" for role in ("user", "item") if getattr(config, role) is None]
    rows = [(f"  {one.name}", *map(_shown, one.samples), *[""] * (3 - len(one.samples)))
            for one in columns]  # fmt: skip
    given = {
        key: value
        for key, value in vars(config).items()
        if value is not None and key not in ("kind", "path", *WORDS)
    }
    defaults = vars(TableConfig()) | {
        "date_unit": "auto", "decimal": ".", "empty": "error", "unreadable": "error",
        "time_bin": "day", "value_bins": "auto",
    }  # fmt: skip
    found = guesses(config, columns)
    empty = {one.name for one in columns if one.empty}
    if any(empty.intersection(_listed(found[role])) for role in ("user", "item")):
        given["empty"] = "drop" if config.empty == "error" else "drop_blank"
    if config.decimal == "." and any(
        one.has_decimal_commas for one in columns if one.name == found.get("value")
    ):
        given["decimal"] = ","
    if config.unreadable == "error" and _some_unreadable(columns, found, given):
        given["unreadable"] = "drop"
    words = [
        *("data=table", override("data.path", config.path)),
        *(f"data.{role}={as_typed(name)}" for role, name in found.items()),
        *(
            f"data.{key}={as_typed(value)}"
            for key, value in given.items()
            if value != defaults[key]
        ),
    ]
    proposed = of_wide_tables(columns) or [
        *_guessed(config, found, group),
        *_not_proposed(config, columns, found, group),
        *(_calls(config.path, found, given, defaults) if in_python else _commands(words)),
    ]
    return ConfigError(
        f"{' and '.join(lacking)}: not given; expected columns of {config.path}, which are, with "
        "their first values:",
        [*aligned(rows, left=4), *_of_encoding(config, in_python=in_python), *proposed],
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


def _some_unreadable(
    columns: Sequence[ColumnPeek], found: Mapping[str, object], given: Mapping[str, Any]
) -> bool:
    """Whether some of the first rows cannot be read, but most can.

    Where most cannot, another setting is wrong.
    """
    decimal = str(given.get("decimal") or ".")
    for one in columns:
        bad = sum(not _is_number(cell, decimal) for cell in one.cells)
        if one.name == found.get("value") and 0 < 2 * bad < len(one.cells):
            return True
    return any(0 < 2 * one.torn < one.rows for one in columns)


def _is_number(cell: str, decimal: str) -> bool:
    try:
        number(cell, decimal)
    except ValueError:
        return False
    return True


def _commands(words: Sequence[str]) -> list[str]:
    return [
        f"to look at what might fit: {command_line(['standout', 'describe', *words])}",
        f"and then: {command_line(['standout', 'experiment=audit', *words])}",
    ]


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
    return [
        f"to look at what might fit: {opened}; print(release.describe())",
        "and then: sim.audit(release)",
    ]


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
        able = [column for column in free if role != "value" or _can_be_values(column)]
        guess = _by_name(role, [column.name for column in able])
        if guess is None and role not in ("user", "item"):
            guess = _by_content(role, able)
        if guess is not None:
            found[role] = guess
            free = [column for column in free if column.name not in _taken(found)]
    likely = sorted(free, key=lambda column: -column.likeness_to_ids)  # else in their order
    for role in ("user", "item"):
        if role not in found:
            found[role] = likely.pop(0).name if likely else "COLUMN"
    return {role: found[role] for role in WORDS if role in found}


def _can_be_values(column: ColumnPeek) -> bool:
    return not column.is_mostly_empty and likeliest([column.name], MONEY) is None


def _taken(found: Mapping[str, Any]) -> set[str]:
    return {name for names in found.values() for name in _listed(names)}


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
        if (column.looks_like_dates if role == "date" else column.looks_like_values)
    ]
    return None if not fits else fits[0] if role == "date" else fits[-1]


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


def _listed(names: Any) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


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
