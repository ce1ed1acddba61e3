"""The columns of a file that is named without them: recognised, or asked for on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

from sim.cli.arguments import data_of_arguments
from sim.cli.verbs import VERBS, table_at
from sim.config.schema import TableConfig
from sim.errors import ConfigError
from sim.extend.overrides import override
from sim.numeric.text import format_number, visible
from sim.report.commands import line_with
from sim.session.choose_columns import WHAT, TableReading, columns_not_chosen

_STOP = "stopped: no column was chosen"


def columns_of_file(verb: str, file: str, more: Sequence[str]) -> list[str]:
    """Return overrides for the columns of a file that is named without them.

    Parameters
    ----------
    more : sequence of str
        The other words of the command.

    Raises
    ------
    ConfigError
        They are not clear, and there is no terminal to ask on.
    InputError
        There is no table, or its rows seem to be no events.
    """
    keys = [word for word in more if "=" in word and not word.startswith(("-", "hydra."))]
    typed = [word for word in keys if word.lstrip("+").startswith("data.")]
    config = data_of_arguments(verb, [*table_at(file), *typed], f"standout {verb} FILE")
    if not isinstance(config, TableConfig) or (config.user is not None and config.item is not None):
        return []
    reading = TableReading.of(config)
    if reading.roles.unclear and sys.stdin.isatty() and sys.stderr.isatty():
        reading = _asked(reading)
    if not reading.is_clear:
        asked = [f"experiment={verb}", *keys] if verb in VERBS else []
        raise columns_not_chosen(reading, partial(line_with, verb, asked))
    columns = {role: names for role, names in reading.roles.columns.items()
               if getattr(config, role) is None}  # fmt: skip
    return [override(f"data.{key}", value) for key, value in (columns | reading.settings).items()]


def _asked(reading: TableReading) -> TableReading:
    """Ask for each role that is not clear, the people first: an answer may make others clear."""
    rows = format_number(len(reading.sample.even))
    print(f"{reading.config.path}: {rows} rows were looked at", file=sys.stderr)
    print(*map(visible, reading.column_lines()), sep="\n", file=sys.stderr)
    while reading.roles.unclear:
        role = next(iter(reading.roles.unclear))
        must = role in ("user", "item")
        columns = reading.sample.columns
        able = reading.roles.unclear[role] or tuple(columns) * must
        print(f"Which column has {WHAT[role]}?", file=sys.stderr)
        for number, name in enumerate(able, 1):
            of = columns[name]
            print(
                visible(f"  {number}  {name}: {format_number(len(of.distinct))} different in "
                        f"{format_number(len(of.present))} cells"),
                file=sys.stderr,
            )  # fmt: skip
        if not must:
            print("  0  none of these", file=sys.stderr)
        place = _number(0 if not must else 1, len(able))
        answer = able[place - 1] if place else None
        reading = reading.with_answer(role, answer)
    return reading


def _number(least: int, most: int) -> int:
    """Return the number that is typed; an empty line stops."""
    while True:
        sys.stderr.write(f"number from {least} to {most}, or Enter to stop: ")
        sys.stderr.flush()
        line = sys.stdin.readline().strip()
        if not line:
            raise ConfigError(_STOP)
        if line.isdecimal() and least <= int(line) <= most:
            return int(line)
