"""Overrides that may be recorded and read again: own keys with plain values only.

Hydra can be asked by an override to make any object, to open files and to read the environment. A
run folder and the parts of a suite may come from anyone, so what they ask for is parsed by Hydra's
own grammar, and what was parsed is held against the keys of `sim.config.schema`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from sim.config.schema import GROUPS, LISTS, NAMES, Choice, Config, choices, package
from sim.errors import ConfigError
from sim.extend.plugins import none_called

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

PART = re.compile(r"\w+")
"""The name of a part of a suite, which is that of its folder too."""

_CHOICE = re.compile(r"[A-Za-z0-9_-]+")
"""A file of ``conf/``: no path could lead elsewhere."""


def own_key(text: str) -> str:
    """Return the key that an override sets, once it is known to be one of ours.

    Parameters
    ----------
    text : str
        As on the command line.

    Raises
    ------
    ConfigError
        It is no override, or its key is not of the configuration, or its value is not plain.

    Examples
    --------
    >>> own_key("+parts.near=['grid.date_noise=[3]']")
    'parts.near'
    >>> own_key("parts={near: ['hydra.run.dir=/tmp']}")
    Traceback (most recent call last):
    sim.errors.ConfigError: parts.near: hydra.run.dir: not a key of the configuration; ...
    """
    return _checked(text, choices())[0]


def own_group(text: str) -> str:
    """Return the group of the key that an override sets; raises as `own_key`.

    Examples
    --------
    >>> own_group("data.seed=3"), own_group("seed=3")
    ('data', 'seed')
    """
    return own_key(text).partition(".")[0]


def keys_of(overrides: Iterable[str]) -> frozenset[str]:
    """Return the keys that overrides set, those of the parts of a suite left aside.

    Raises
    ------
    ConfigError
        See `own_key`.

    Examples
    --------
    >>> sorted(keys_of(["seed=1", "+grid.aux=[2/2]", "parts={a: ['targets=5']}"]))
    ['grid.aux', 'seed']
    """
    return frozenset(
        key
        for text in overrides
        if own_group(text) != "parts"
        for key in _checked(text, choices())[1]
    )


@functools.lru_cache(maxsize=4096)  # of each run of a plan, and whenever its record is read
def _checked(text: str, known: tuple[Choice, ...]) -> tuple[str, tuple[str, ...]]:  # noqa: ARG001
    """Return the key of an override, and all keys that it sets; there may be more choices later."""
    return _parsed(text).key_or_group, tuple(key for key, _ in settings_of(text))


def settings_of(text: str) -> Iterator[tuple[str, Any]]:
    """Yield every key that an override sets, and its value; those of parts as well.

    Parameters
    ----------
    text : str
        As on the command line.

    Yields
    ------
    key : str
        Within parts, as it stands there.
    value : object
        None, a truth, a number, text, or a list of these.

    Raises
    ------
    ConfigError
        See `own_key`.

    Examples
    --------
    >>> list(settings_of("parts={a: ['seed=1'], b: ['seed=2', 'attack=bayes']}"))
    [('seed', 1), ('seed', 2), ('attack', 'bayes')]
    """
    override = _parsed(text)
    named = override.get_key_element()
    key = re.sub(r"(\.\d+)+$", "", override.key_or_group)  # a place in a list
    if override.package is not None:
        raise ConfigError(f"{named}: a package is not taken here; leave out @ and what follows")
    if override.is_sweep_override():
        raise ConfigError(f"{named}: several values; expected one")
    yield from _settings(key, named, override.value())


def each_value(text: str) -> list[str]:
    """Part an override with several values into overrides with one value each.

    Raises
    ------
    ConfigError
        It is no override.

    Examples
    --------
    >>> each_value("defence.drop_items.min_support=2,5")
    ['defence.drop_items.min_support=2', 'defence.drop_items.min_support=5']
    """
    override = _parsed(text)
    if not override.is_sweep_override():
        return [text]
    key = override.get_key_element()
    return [f"{key}={value}" for value in override.sweep_string_iterator()]


def key_to_settle(text: str) -> str | None:
    r"""Return the key of an override whose value is partly filled in, with what stands before it.

    Examples
    --------
    >>> key_to_settle("++data.path=${oc.env:HOME}/a.csv"), key_to_settle("data.path=a.csv")
    ('++data.path', None)
    """
    override = _parsed(text)
    found = not override.is_sweep_override() and _holds_interpolation(override.value())
    return override.get_key_element() if found else None


def interpolates(text: str) -> bool:
    r"""Whether OmegaConf would put something else in the place of a part of a text.

    Examples
    --------
    >>> interpolates("${oc.env:HOME}/ratings.csv"), interpolates(r"costs \${5}")
    (True, False)
    """
    from omegaconf.errors import GrammarParseError
    from omegaconf.grammar.gen.OmegaConfGrammarParser import OmegaConfGrammarParser
    from omegaconf.grammar_parser import parse

    def within(node: Any) -> Iterator[Any]:
        yield node
        for inner in getattr(node, "children", None) or ():
            yield from within(inner)

    if "${" not in text:
        return False
    try:
        nodes = within(parse(text))
    except GrammarParseError:
        return True  # OmegaConf will report the error
    return any(isinstance(node, OmegaConfGrammarParser.InterpolationContext) for node in nodes)


def _holds_interpolation(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_holds_interpolation, value.values()))
    if isinstance(value, list):
        return any(map(_holds_interpolation, value))
    return isinstance(value, str) and interpolates(value)


def _settings(key: str, named: str, value: Any) -> Iterator[tuple[str, Any]]:
    if key == "parts" and isinstance(value, dict):
        for part, overrides in value.items():
            yield from _of_part(str(part), overrides)
        return
    if key.startswith("parts."):
        yield from _of_part(key.removeprefix("parts."), value)
        return
    if key not in _keys(choices()):
        from sim.config.refusals import meant

        raise ConfigError(
            f"{named}: not a key of the configuration{meant(key)}; see standout --help"
        )
    if isinstance(value, dict) and key not in GROUPS:
        for inner, one in value.items():
            yield from _settings(f"{key}.{inner}", f"{named}.{inner}", one)
        return
    plain = _plain(named, value)
    if key in _truths(choices()):
        for one in plain if isinstance(plain, list) else [plain]:
            if isinstance(one, (int, float)) and one not in (0, 1):
                raise ConfigError(f"{named}: {one}: expected true or false")
    if key in GROUPS:
        chosen = plain if isinstance(plain, list) else [plain]
        for choice in chosen:
            if choice is not None and not _CHOICE.fullmatch(str(choice)):
                raise ConfigError(f"{named}: {choice!r}: expected a name; see standout --help")
            if key in LISTS and choice not in (names := _names(key)):
                raise ConfigError(f"{named}: {choice!r}: {none_called(choice, names, 'some')}")
            if key in LISTS and chosen.count(choice) > 1:
                raise ConfigError(
                    f"{named}: {choice}: given twice; each {key} can be applied once, with options "
                    f"under {package(key, str(choice))}"
                )
    yield key, plain


def _names(group: str) -> list[str]:
    """Return the choices of a group that allows several."""
    return [name for of, name, _ in choices() if of == group]


def check_part(name: str, overrides: Any) -> None:
    """Refuse a part of a suite that is not a name with a list of overrides.

    Raises
    ------
    ConfigError

    Examples
    --------
    >>> check_part("a", "seed=1")
    Traceback (most recent call last):
    sim.errors.ConfigError: parts.a: 'seed=1': expected a list of overrides; set "parts={a: \
['seed=1']}"
    """
    if not PART.fullmatch(name):
        raise ConfigError(f"parts.{name}: expected letters, digits and _ in the name of a part")
    listed = isinstance(overrides, list)
    if not listed or not all(isinstance(o, str) and "=" in o for o in overrides):
        raise ConfigError(
            f"parts.{name}: {overrides!r}: expected a list of overrides; "
            f"set \"parts={{{name}: ['seed=1']}}\""
        )


def _of_part(name: str, overrides: Any) -> Iterator[tuple[str, Any]]:
    if not PART.fullmatch(name):
        raise ConfigError(f"parts.{name}: expected letters, digits and _ in the name of a part")
    if overrides is None:  # taken away
        return
    try:
        for override in overrides if isinstance(overrides, list) else [overrides]:
            if not isinstance(override, str):
                raise ConfigError(f"{override!r}: expected an override: seed=1")  # noqa: TRY301
            yield from settings_of(_plain("an override", override))
    except ConfigError as error:
        if not isinstance(overrides, str) or "=" not in overrides:
            check_part(name, overrides)  # raises an error with what was expected
        raise ConfigError(f"parts.{name}: {error}") from None


def _plain(named: str, value: Any) -> Any:
    """A value as OmegaConf gives it back, once it is known that nothing is filled in."""
    from omegaconf import OmegaConf

    if isinstance(value, list):
        return [_plain(named, one) for one in value]
    if isinstance(value, dict):
        raise ConfigError(f"{named}: {value!r}: expected no mapping")
    if not isinstance(value, str) or "${" not in value:
        return value
    if interpolates(value):
        raise ConfigError(f"{named}: {value!r}: is not filled in here; write the value itself")
    return OmegaConf.create({"text": value})["text"]  # without the backslashes before ${


@functools.cache
def _keys(known: tuple[Choice, ...]) -> frozenset[str]:
    """Every key of the configuration, whatever is chosen; a group has the keys of all choices."""
    keys = {"attacker", "experiment"}
    keys |= {package(group, name) for group, name, _ in known}
    return frozenset(keys).union(key for key, _ in _types(known)).difference(NAMES)


@functools.cache
def _truths(known: tuple[Choice, ...]) -> frozenset[str]:
    """The keys that are true or false: OmegaConf would take any whole number for true."""
    types: dict[str, set[Any]] = {}
    for key, kind in _types(known):
        types.setdefault(key, set()).add(kind)
    return frozenset(key for key, kinds in types.items() if kinds <= {bool, "bool", list[bool]})


def _types(known: tuple[Choice, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the keys that hold a value, and the types that their classes give them."""
    nodes: list[tuple[str, Any]] = [(package(group, name), node) for group, name, node in known]
    for field in dataclasses.fields(Config):
        yield field.name, field.type
        if dataclasses.is_dataclass(field.default_factory):
            nodes.append((field.name, field.default_factory))
    for group, node in nodes:
        for field in dataclasses.fields(node):
            yield f"{group}.{field.name}", field.type


@functools.lru_cache(maxsize=1024)
def _parsed(text: str) -> Override:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import HydraException

    try:
        return OverridesParser.create().parse_override(text)
    except (HydraException, RecursionError):
        raise ConfigError(f"{text!r}: not an override; expected KEY=VALUE") from None
