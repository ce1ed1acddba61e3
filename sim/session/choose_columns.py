"""What to say when the columns of a table are not chosen: the columns, and what might fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sim.config.paths import absolute
from sim.config.schema import TableConfig
from sim.errors import ConfigError
from sim.extend.overrides import command_line, override
from sim.release.readers.peek import ColumnPeek, peek
from sim.report.text_table import aligned
from sim.session.reading import table_options

_WORDS: dict[str, tuple[str, ...]] = {
    "user": (
        *("user", "customer", "client", "person", "patient", "member", "visitor", "subscriber"),
        *("reviewer", "reader", "listener", "buyer", "guest", "traveller", "passenger", "rider"),
        *("student", "employee", "player", "household", "account", "card", "device", "author"),
        *("who", "uid"),
    ),
    "item": (
        *("item", "product", "movie", "film", "book", "isbn", "asin", "track", "song", "artist"),
        *("article", "sku", "stock", "venue", "place", "poi", "location", "station", "diagnosis"),
        *("drug", "page", "url", "query", "merchant", "shop", "store", "category", "what", "where"),
    ),
    "value": ("rating", "stars", "score", "plays", "count", "value"),
    "date": ("timestamp", "datetime", "date", "time", "day", "when", "created"),
}
"""Words in the names of columns, those before others where several fit."""

_DATE_PARTS = ("year", "month", "day", "hour", "minute", "second")
_SHOWN = 24


def columns_not_chosen(config: TableConfig) -> ConfigError:
    """Return the error for a table without a column of people or of items.

    Raises
    ------
    InputError
        There is no table.
    """
    columns = peek(absolute(config.path), table_options(config))
    lacking = [f"data.{role}" for role in ("user", "item") if getattr(config, role) is None]
    rows = [(f"  {one.name}", *map(_shown, one.samples), *[""] * (3 - len(one.samples)))
            for one in columns]  # fmt: skip
    given = {
        key: value
        for key, value in vars(config).items()
        if value is not None and key not in ("kind", "path", *_WORDS)
    }
    defaults = vars(TableConfig()) | {
        "date_unit": "auto", "decimal": ".", "empty": "error", "time_bin": "day",
        "value_bins": "auto",
    }  # fmt: skip
    found = guesses(config, columns)
    empty = {one.name for one in columns if one.empty}
    if any(empty.intersection(_listed(found[role])) for role in ("user", "item")):
        given["empty"] = "drop" if config.empty == "error" else "drop_blank"
    words = [
        *("standout", "data=table", override("data.path", config.path)),
        *(f"data.{role}={_plain(name)}" for role, name in found.items()),
        *(f"data.{key}={_plain(value)}" for key, value in given.items() if value != defaults[key]),
    ]
    return ConfigError(
        f"{' and '.join(lacking)}: not given; expected columns of {config.path}, which are, with "
        "their first values:",
        [*aligned(rows, left=4), f"what might fit: {command_line(words)}"],
    )


def guesses(config: TableConfig, columns: Sequence[ColumnPeek]) -> dict[str, object]:
    """Return the columns that are chosen, and for others what their names suggest.

    Examples
    --------
    >>> config = TableConfig(user=None, item=None, value=None, date=None)
    >>> names = ("InvoiceNo", "StockCode", "InvoiceDate", "CustomerID")
    >>> guesses(config, [ColumnPeek(name, ()) for name in names])
    {'user': 'CustomerID', 'item': 'StockCode', 'date': 'InvoiceDate'}
    """
    found: dict[str, object] = {}
    names = [column.name for column in columns]
    by_word = {name.lower(): name for name in names}
    chosen = [getattr(config, role) for role in _WORDS]
    taken = {name for one in chosen if one for name in ([one] if isinstance(one, str) else one)}
    for (role, words), own in zip(_WORDS.items(), chosen, strict=True):
        free = [name for name in names if name not in taken]
        guess: object = own or _likeliest(free, words)
        if role == "date" and own is None and {*_DATE_PARTS[:3]} <= {*by_word}:
            parts = [part for part in _DATE_PARTS if part in by_word]
            guess = [by_word[part] for part in _DATE_PARTS[: len(parts)] if part in by_word]
        if guess is None and role in ("user", "item"):
            guess = free[0] if free else "COLUMN"
        if guess is not None:
            found[role] = guess
            taken.update([guess] if isinstance(guess, str) else ())
    return found


def _listed(names: Any) -> Sequence[str]:
    return [names] if isinstance(names, str) else names


def _likeliest(names: Sequence[str], words: Sequence[str]) -> str | None:
    """The name with the word that comes first among some."""
    ranked = [
        (min(words.index(word) for word in found), name)
        for name in names
        if (found := [word for word in _words_of(name) if word in words])
    ]
    return min(ranked, key=lambda one: one[0])[1] if ranked else None


def _words_of(name: str) -> list[str]:
    """The words of a name such as user_id, userId or USERID, in small letters."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).lower()
    words = re.findall(r"[a-z]+", apart)
    return words + [word.removesuffix(end) for word in words for end in ("s", "id", "ids", "key")]


def _shown(cell: str) -> str:
    """A value as the table shows it: short, on one line."""
    text = repr(cell)[1:-1] if not cell.isprintable() else cell
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _plain(names: object) -> str:
    """Names, or another value, as they are typed, without quotes that nothing needs."""
    if isinstance(names, str) and re.fullmatch(r"[A-Za-z_][\w.-]*", names):
        return names
    if isinstance(names, list) and all(re.fullmatch(r"[A-Za-z_]\w*", name) for name in names):
        return f"[{','.join(names)}]"
    return override("x", names).removeprefix("x=")
