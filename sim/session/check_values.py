"""Checks of single values that Hydra's types cannot make: ranges, names, paths, columns."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from typing import Any

from sim.config.schema import (
    AUDIT,
    FRONTIER,
    PLAN,
    Config,
    ExternalConfig,
    MovieLensConfig,
    PeopleConfig,
    SyntheticConfig,
    TableConfig,
)
from sim.defence.registry import DEFENCES
from sim.errors import ConfigError
from sim.extend.options import MOST, option_of
from sim.numeric.text import expected_among
from sim.papers.aggregate import AGGREGATES
from sim.release.store.repeats import parse_repeats
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import ValueBins
from sim.release.synthetic.named import NAMES
from sim.session.reading import column_choice, table_options

VALUES_OF_OTHERS = ("same", "rescaled", "none")
"""What is made of the values of another data set."""

_LONGEST_NAME = 100
_ADDRESS = re.compile(r"(?:ray://)?[\w.:\[\]-]+:([0-9]{1,5})", re.ASCII)
_PORTS = 1 << 16
_OF_ONE_MACHINE = ("auto", "inline", "local")
_OF_SUITES = (AUDIT, FRONTIER, PLAN)


def check_values(config: Config) -> None:
    """Check every value of a configuration that can be checked by itself.

    Raises
    ------
    ConfigError
        The key, its value, and what was expected.
    """
    check_name(config.name)
    for holder, prefix in _holders(config):
        for field in dataclasses.fields(holder):
            _check_range(holder, field, f"{prefix}{field.name}")
    for key, path in _paths_of(config):
        if path is not None:
            check_path(key, path)
    if config.cluster.address is not None:
        _check_address(config.cluster.kind, config.cluster.address)
    if config.cluster.kind == "inline" and config.cluster.workers not in (None, 1):
        raise ConfigError(
            f"cluster.workers: {config.cluster.workers}: cluster=inline does everything in one "
            "process: choose cluster=local for several, or leave cluster.workers out (from Python, "
            "workers= sets both)"
        )
    if config.aggregate is not None:
        one_of("aggregate", config.aggregate, sorted((*AGGREGATES, *_OF_SUITES)))
    match config.data:
        case SyntheticConfig(preset=preset):
            one_of("data.preset", preset, NAMES)
        case MovieLensConfig(time_bin=time_bin):
            TimeBin.parse(time_bin)
        case TableConfig() as table:
            _check_table(table)
    if isinstance(config.adversary, PeopleConfig):
        _check_people(config.adversary)


def check_name(name: str) -> None:
    """Check the name of a run: it becomes that of a folder.

    Raises
    ------
    ConfigError

    Examples
    --------
    >>> check_name("ns08_fig4")
    >>> check_name("../../evil")
    Traceback (most recent call last):
    sim.errors.ConfigError: name: '../../evil': expected the name of a folder: up to 100 ...
    """
    good = name.strip() == name and name.strip(".") and name.isprintable()
    if not good or len(name) > _LONGEST_NAME or set("/\\") & set(name):
        raise ConfigError(
            f"name: {name!r}: expected the name of a folder: up to {_LONGEST_NAME} characters "
            "without / and \\"
        )


def check_path(key: str, path: str) -> None:
    """Check a path: empty text would be the working directory.

    Raises
    ------
    ConfigError
    """
    if not path.strip():
        raise ConfigError(f"{key}: {path!r}: empty; expected a path")
    if "\0" in path:
        raise ConfigError(f"{key}: {path!r}: expected a path")


def one_of(key: str, given: str, allowed: Sequence[str]) -> str:
    """Check that a name is one of those allowed, and return it.

    Raises
    ------
    ConfigError
    """
    if given not in allowed:
        raise ConfigError(f"{key}: {given!r}: {expected_among(given, allowed)}")
    return given


def _holders(config: Config) -> Iterator[tuple[Any, str]]:
    """Yield what holds the keys that are stated in `sim.config.schema`, and their prefix."""
    yield config, ""
    for name in ("audit", "plan", "data", "adversary", "cluster"):
        yield getattr(config, name), f"{name}."


def _check_range(holder: Any, field: dataclasses.Field[Any], key: str) -> None:
    """Check a number against the range that its class states, or that all numbers have."""
    value = getattr(holder, field.name)
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return
    stated = option_of(type(holder), field, key)
    if stated is not None and stated.type in (int, float):
        stated.checked(value)
    elif abs(value) > MOST:
        raise ConfigError(f"{key}: {value}: too large; expected at most {MOST}")


def _paths_of(config: Config) -> Iterator[tuple[str, Any]]:
    yield "data.cache", config.data.cache
    yield "plan.write", config.plan.write
    for group in ("data", "adversary"):
        for name in ("path", "truth"):
            yield f"{group}.{name}", getattr(getattr(config, group), name, None)
    for name, given in config.defence.items():
        cls = DEFENCES.get(name)
        for key in cls.paths if cls is not None else ():
            yield f"defence.{name}.{key}", getattr(given, key)


def _check_address(kind: str, address: str) -> None:
    if kind in _OF_ONE_MACHINE:
        raise ConfigError(
            f"cluster.address: {address!r}: cluster={kind} has none; leave it out, or choose the "
            "cluster that has one, address"
        )
    port = _ADDRESS.fullmatch(address)
    if address != "auto" and not (port and int(port[1]) < _PORTS):
        raise ConfigError(f"cluster.address={address}: expected host:port, or auto")


def _check_table(table: TableConfig) -> None:
    table_options(table)
    TimeBin.parse(table.time_bin)
    ValueBins.parse(table.value_bins)
    if table.repeats is not None:
        parse_repeats(table.repeats)
    if table.user is not None and table.item is not None:  # otherwise the columns are listed
        column_choice(table)


def _check_people(people: PeopleConfig) -> None:
    column_choice(people)
    if isinstance(people, ExternalConfig):
        one_of("adversary.values", people.values, VALUES_OF_OTHERS)
