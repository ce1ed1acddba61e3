"""``standout describe data=…``: what was read, in numbers, and what looks suspicious about it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sim.cli.arguments import check_keys
from sim.config.compose import composed, configured
from sim.errors import ConfigError
from sim.extend.overrides import override
from sim.numeric.text import visible
from sim.session.check_values import check_path
from sim.session.description import describe
from sim.session.open_release import open_release

USAGE = "standout describe data=table data.path=FILE data.user=COLUMN data.item=COLUMN"


def describe_command(arguments: Sequence[str]) -> None:
    """Open the release that the arguments name, and print its description.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout describe``: the choice and the keys of ``data``, or a table.

    Raises
    ------
    ConfigError
        Something else is set, or a key or a value is wrong.
    StandoutError
        The data cannot be read.
    """
    if not arguments:
        raise ConfigError(f"describe: expected the data: {USAGE}")
    for argument in arguments:  # before Hydra says that the default, synthetic data, has no path
        key, equals, value = argument.partition("=")
        if equals and key == "data.path":
            check_path(key, value.strip("'\""))
    arguments = [word for given in arguments for word in _table(given)]
    check_keys("describe", arguments, ("data=", "data."), "the data", USAGE)
    config = configured(composed(list(arguments))).data
    print(visible(str(describe(open_release(config), config))))


def _table(argument: str) -> list[str]:
    """Return the keys that a file alone stands for, or the argument."""
    if "=" in argument or not Path(argument).exists():
        return [argument]
    return ["data=table", override("data.path", argument)]
