"""The columns of a table that were not chosen: recognised where they are clear, else asked for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from sim.config.paths import absolute
from sim.config.schema import TableConfig
from sim.errors import ConfigError, InputError
from sim.extend.overrides import override
from sim.numeric.text import format_percent
from sim.record.run_record import FRAME
from sim.release.readers.other_encodings import OTHERS, with_letters_only
from sim.release.readers.peek import guessed_text, table_sample
from sim.release.readers.unreadable_rows import USUAL
from sim.release.shape.roles import (
    NO_COLUMN,
    ROLES,
    Roles,
    are_days,
    not_proposed,
    recognise_roles,
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
from sim.session.reading import column_choice, table_options

_SHOWN = 24
_MANY = 4


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
        if config.shape is None or problem.kind == ZEROS:
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


@dataclass(frozen=True)
class TableReading:
    """How a table would be read whose columns are not all chosen.

    Parameters
    ----------
    chosen : dict
        The columns that were chosen, by role; None for a role that no column has.
    """

    config: TableConfig
    sample: TableSample
    chosen: Mapping[str, Any]
    roles: Roles

    @classmethod
    def of(cls, config: TableConfig) -> TableReading:
        """Recognise the columns.

        Raises
        ------
        InputError
            There is no table, its first line looks like a row, or its rows are no events.
        """
        sample = table_sample(absolute(config.path), table_options(config))
        _check_lines(config, sample)
        typed = {role: getattr(config, role) for role in ROLES}
        given = {role: one for role, one in typed.items() if one is not None}
        return cls._recognised(config, sample, given)

    def with_answer(self, role: str, column: str | None) -> TableReading:
        """Return the same with a column chosen for a role, or none."""
        return self._recognised(self.config, self.sample, {**self.chosen, role: column})

    @classmethod
    def _recognised(
        cls, config: TableConfig, sample: TableSample, given: Mapping[str, Any]
    ) -> TableReading:
        roles = recognise_roles(sample, given)
        if config.shape is None:
            known = _in_table(sample, roles.clear)
            shape = shape_problems(sample, known, config.zeros)
            for problem in (*shape, *unclear_problems(sample, known)):
                raise InputError(f"{config.path}: {problem.line}")
        return cls(config, sample, given, roles)

    @property
    def is_clear(self) -> bool:
        """Whether it can be read so without a question."""
        return not (self.roles.unclear or {"placeholders", "multiline"} & self.settings.keys())

    @cached_property
    def settings(self) -> dict[str, Any]:
        """The keys of ``data`` by which it would be read, but for those that were given."""
        config, found = self.config, self.roles.columns
        columns = self.sample.columns
        settings: dict[str, Any] = {}
        ids = table_options(config).empty_ids()
        named = [name for role in ("user", "item") for name in listed(found[role])]
        cells = [cell for name in named if name in columns for cell in columns[name].raw]
        if not ids.drops and any(ids.problem(cell) is not None for cell in cells):
            settings["empty"] = "drop" if config.empty == "error" else "drop_blank"
        value, date = columns.get(str(found.get("value"))), columns.get(str(found.get("date")))
        if config.decimal == "." and value is not None and value.has_decimal_commas:
            settings["decimal"] = ","
        if not config.placeholders and (none := cells_of_none(columns, found)):
            settings["placeholders"] = none
        if config.date_unit == "auto" and date is not None and are_days(date):
            settings["date_unit"] = "days"
        is_text = self.sample.has_header or config.header is not None
        cells = [cell for row in self.sample.even for cell in row] if is_text else []
        if not config.multiline and any("\n" in cell for cell in cells):
            settings["multiline"] = True
        return settings

    def column_lines(self) -> list[str]:
        """Return a line for each column, with its first values."""
        rows = [
            (f"  {one.name}", *map(_shown, one.samples), *[""] * (3 - len(one.samples)))
            for one in self.sample.columns.values()
            if one.name or one.samples
        ]
        return aligned(rows, left=4)


def columns_not_chosen(
    reading: TableReading, command: Callable[[list[str]], str] | None = None
) -> ConfigError:
    """Return the error for a table whose columns of people or of items are not clear.

    Parameters
    ----------
    command : callable, optional
        Returns the command that was typed with some overrides of data; None: `sim.table` was
        called, with a path or a data frame.
    """
    config, roles = reading.config, reading.roles
    in_python = command is None
    group = "" if in_python else "data."
    lacking = [f"{group}{role}" for role in ("user", "item") if getattr(config, role) is None]
    defaults = vars(TableConfig()) | {
        "date_unit": "auto", "decimal": ".", "empty": "error", "max_unread": USUAL,
        "multiline": False, "placeholders": [], "time_bin": "day", "value_bins": "auto",
    }  # fmt: skip
    given = {
        key: value
        for key, value in vars(config).items()
        if value is not None and key not in ("kind", "path", *ROLES)
    } | reading.settings
    lines = [
        *_not_proposed(reading, group),
        *_unclear(reading, group),
    ]
    found = {
        role: NO_COLUMN if role in ("user", "item") and role in roles.unclear else names
        for role, names in roles.columns.items()
    }
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
        [*reading.column_lines(), *_of_encoding(config, in_python=in_python), *lines],
    )


def with_columns(config: TableConfig) -> TableConfig:
    """Return a table's configuration with its columns, recognised if they are not chosen.

    Raises
    ------
    ConfigError
        They are not clear.
    InputError
        There is no table, or its rows seem to be no events.
    """
    if config.user is not None and config.item is not None:
        return config
    reading = TableReading.of(config)
    if not reading.is_clear:
        raise columns_not_chosen(reading)
    return replace(config, **{**reading.roles.columns, **reading.settings})


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


def _unclear(reading: TableReading, group: str) -> list[str]:
    """Say which role is not clear, which columns may have it, and what is to be set."""
    lines = []
    for role, able in reading.roles.unclear.items():
        may = (
            f"it may be {' or '.join(map(as_typed, able[:_MANY]))}" if able else "none seems to be"
        )
        none = "" if role in ("user", "item") else ", or none: then leave it out"
        lines.append(f"not clear which column has {WHAT[role]} ({group}{role}): {may}{none}")
    return lines


WHAT = {"user": "the people", "item": "the items", "value": "the values", "date": "the times"}


def _not_proposed(reading: TableReading, group: str) -> list[str]:
    """Say which column would be that of the values if it were not empty in most rows, or money."""
    if "value" in reading.chosen:
        return []
    column = not_proposed([*reading.sample.columns.values()], reading.roles.columns)
    if column is None:
        return []
    rows = len(column.raw)
    gone = rows - len(column.present)
    why, which = "is money by its name, and on no scale", ""
    if column.is_mostly_empty:
        why = f"is empty in {gone:,} of the first {rows:,} rows ({format_percent(gone / rows)})"
        which = ", and most of these have no value"
    return [
        f"not proposed as {group}value: {as_typed(column.name)}, which {why}. Where values are "
        f"read, the rows of a person for an item become one by default ({group}repeats){which}"
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
