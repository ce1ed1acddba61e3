"""The words after a command that takes one run folder and some keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from sim.errors import ConfigError
from sim.numeric.text import expected_among

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
                expected = expected_among(key, keys, "some")
                raise ConfigError(f"{command}: {argument}: {expected}; as in {usage}")
            key, value = RUN_KEY, argument
        if key in given:
            what = "a second run folder" if key == RUN_KEY else f"{key} is given twice"
            raise ConfigError(f"{command}: {argument}: {what}; expected {usage}")
        given[key] = value
    return given


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
    >>> check_keys("build", ["data=netflix", "~seed"], ("data=",), "the data", "standout build")
    Traceback (most recent call last):
    sim.errors.ConfigError: build: ~seed: not a key of the data; expected standout build
    """
    for argument in arguments:
        if not argument.lstrip("+~").startswith(beginnings):
            raise ConfigError(f"{command}: {argument}: not a key of {what}; expected {usage}")
