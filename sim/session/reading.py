"""From the configuration of a table to how it is read."""

from __future__ import annotations

import dataclasses
from typing import Any

from sim.config.schema import DataConfig, PeopleConfig, TableConfig
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.table_options import TableOptions

_OPTIONS = {field.name for field in dataclasses.fields(TableOptions)} - {"group"}

_OF_BOTH = ("decimal", "encoding", "empty", "date_unit", "date_format")
"""Options of the data's table that an adversary's tables share; the rest is found out for each."""


def people_options(data: DataConfig) -> TableOptions:
    """Return how the cells of an adversary's tables are written: as those of the data.

    Raises
    ------
    ConfigError
        A value that cannot be one.
    """
    if not isinstance(data, TableConfig):
        return TableOptions()
    return TableOptions(**{key: getattr(data, key) for key in _OF_BOTH})


def table_options(config: TableConfig) -> TableOptions:
    """Return how the cells of a table are written.

    Raises
    ------
    ConfigError
        A value that cannot be one.
    """
    given = {key: value for key, value in vars(config).items() if key in _OPTIONS}
    return TableOptions(**given)


def column_choice(config: TableConfig | PeopleConfig) -> ColumnChoice:
    """Return the columns of a table that are read.

    Raises
    ------
    ConfigError
        What is given cannot name columns.
    """
    given = {key: _names(value) for key, value in vars(config).items()}
    group = "data" if isinstance(config, TableConfig) else "adversary"
    return ColumnChoice(given["user"], given["item"], config.value, given.get("date"), group=group)


def _names(given: Any) -> Any:
    """Names of columns as text, where they look like numbers to Hydra."""
    if isinstance(given, list):
        return [_names(name) for name in given]
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given
