"""The words after a command that takes one run folder and some keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from sim.config.compose import composed, configured
from sim.config.refusals import meant_among
from sim.config.schema import DataConfig
from sim.errors import ConfigError
from sim.numeric.text import expected_among
from sim.session.check_values import check_path

RUN_KEY = "run"
"""By which the folder is returned; the word alone stands for it."""


def run_and_keys(
    command: str, arguments: Sequence[str], keys: Collection[str], usage: str
) -> dict[str, str]:
    """Return the value of each key that is given, and the run folder.

    Raises
    ------
    ConfigError
        A key is not among these, or is given twice, or there is a second folder.

    Examples
    --------
    >>> run_and_keys("check", [".", "max_risk=0.1"], ["max_risk"], "standout check RUN_FOLDER")
    {'run': '.', 'max_risk': '0.1'}
    """
    given: dict[str, str] = {}
    for argument in arguments:
        key, equals, value = argument.partition("=")
        if not equals or key not in keys:
            if equals and not Path(argument).is_dir():
                expected = expected_among(key, [one for one in keys if one != RUN_KEY], "some")
                raise ConfigError(f"{command}: {argument}: {expected}; as in {usage}")
            key, value = RUN_KEY, argument
        if key in given:
            what = "a second run folder" if key == RUN_KEY else f"{key} is given twice"
            raise ConfigError(f"{command}: {argument}: {what}; expected {usage}")
        given[key] = value
    return given


def data_of_arguments(command: str, arguments: Sequence[str], usage: str) -> DataConfig:
    """Return the configuration of the data that the keys of ``data`` name; a path is a table's.

    Raises
    ------
    ConfigError
        Something else is set, or a key or a value is wrong.

    Examples
    --------
    >>> data_of_arguments("describe", ["data.path=a.csv"], "standout describe FILE").kind
    'table'
    """
    keys = [argument.partition("=") for argument in arguments]
    for key, equals, value in keys:
        if equals and key == "data.path":
            check_path(key, value.strip("'\""))
    check_keys(command, arguments, ("data=", "data."), "the data", usage)
    chosen = any(key == "data" for key, _, _ in keys)
    # The default, synthetic data, has no path.
    table = [] if chosen or not any(key == "data.path" for key, _, _ in keys) else ["data=table"]
    return configured(composed([*table, *arguments])).data


def check_keys(
    command: str, arguments: Sequence[str], beginnings: tuple[str, ...], what: str, usage: str
) -> None:
    """Refuse the first argument that is no key or choice of the configuration that a command takes.

    Parameters
    ----------
    beginnings : tuple of str
        Of those that it takes.
    what : str
        What they are keys of, and what to do with another.

    Raises
    ------
    ConfigError
        There is one.

    Examples
    --------
    >>> check_keys("describe", ["~seed"], ("data=",), "the data", "standout describe")
    Traceback (most recent call last):
    sim.errors.ConfigError: describe: ~seed: not a key of the data; expected standout describe
    """
    for argument in arguments:
        if not argument.lstrip("+~").startswith(beginnings):
            # What a shell has cut off a value at a blank.
            hint = "; a value with a blank needs quotes around it"
            hint *= any("=" in word for word in arguments) and argument.isalnum()
            key, equals, _ = argument.lstrip("+~").partition("=")
            meant = meant_among(key, beginnings) if equals else ""
            raise ConfigError(
                f"{command}: {argument}: not a key of {what}{meant}; expected {usage}{hint}"
            )
