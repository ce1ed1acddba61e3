"""From the configuration of a table to how it is read."""

from __future__ import annotations

import dataclasses
from typing import Any

from sim.config.schema import MentionsFileConfig, PeopleConfig, TableConfig
from sim.errors import ConfigError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.table_options import TableOptions

_OPTIONS = {field.name for field in dataclasses.fields(TableOptions)} - {"group"}


def table_options(config: TableConfig | PeopleConfig) -> TableOptions:
    """Return how the cells of a table are written.

    Raises
    ------
    ConfigError
        A value that cannot be one.
    """
    given = {key: value for key, value in vars(config).items() if key in _OPTIONS}
    return TableOptions(**given, group=_group(config))


def column_choice(config: TableConfig | PeopleConfig) -> ColumnChoice:
    """Return the columns of a table that are read.

    Raises
    ------
    ConfigError
        What is given cannot name columns.
    """
    given = {key: _names(value) for key, value in vars(config).items()}
    group = _group(config)
    if not isinstance(config, MentionsFileConfig):
        user, date = given["user"], given.get("date")
        return ColumnChoice(user, given["item"], config.value, date, group=group)
    try:
        return ColumnChoice(given["person"], given["item"], config.value, group=group)
    except ConfigError as error:
        raise ConfigError(str(error).replace("adversary.user", "adversary.person", 1)) from None


def _names(given: Any) -> Any:
    """Names of columns as text, where they look like numbers to Hydra."""
    if isinstance(given, list):
        return [_names(name) for name in given]
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


def _group(config: TableConfig | PeopleConfig) -> str:
    return "data" if isinstance(config, TableConfig) else "adversary"
