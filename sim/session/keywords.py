"""Keywords from Python as keys of the configuration: ``phi`` is ``attack.phi``.

Invariant: a keyword sets the key that it names, or the only one whose last part it is, among those
of the choices that were made; options of defences and measures of utility count only where no other
key ends so. Where several end so, or none does, it is refused.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

from sim.config.compose import composed
from sim.errors import ConfigError
from sim.extend.overrides import plain
from sim.numeric.text import did_you_mean

_NOT_MEANT = ("data", "cluster", "hydra")
"""Groups that have parameters of their own."""

_PARAMETERS = ("folder", "options", "workers")
"""Parameters of the functions that take keywords, which are no keys of the configuration."""

_WITH_A_NAME = ("defence", "utility")
"""Groups of which several are chosen, each with its options in a dict."""

_SHORT = 0.4
"""How much of a short word must agree with an option of the attack: ``fi`` with ``phi``."""

P = ParamSpec("P")
R = TypeVar("R")


def with_known_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function of the API refuse an unknown keyword in one line, with the nearest known one.

    For functions whose keywords are all named: parameters, or the keys of a `TypedDict`.

    Raises
    ------
    ConfigError
        On a call: a keyword is unknown.

    Examples
    --------
    >>> @with_known_keywords
    ... def table(data, *, user=None): ...
    >>> table("visits.csv", users="person")
    Traceback (most recent call last):
    sim.errors.ConfigError: table: users: no such keyword; did you mean user?
    """
    parameters = inspect.signature(function).parameters

    @functools.wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        unknown = next((word for word in keywords if word not in known()), None)
        if unknown is not None:
            some = f"expected some of {', '.join(known())}" if known() else "it takes none"
            what = did_you_mean(unknown, known()) or f"; {some}"
            raise ConfigError(f"{function.__name__}: {unknown}: no such keyword{what}")
        return function(*args, **keywords)

    @functools.cache
    def known() -> tuple[str, ...]:
        names = [one.name for one in parameters.values() if one.kind in _NAMED]
        for one in parameters.values():
            if one.kind is one.VAR_KEYWORD:
                (settings,) = get_args(get_type_hints(function)[one.name])
                names += get_type_hints(settings)
        return tuple(names)

    return checked


_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def settings_of_keywords(chosen: Mapping[str, str], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings by key.

    Parameters
    ----------
    chosen : dict of str to str
        The choices that were made, by group: these decide which keys there are.
    given : dict of str to object
        By keyword, numbers and lists of them also as of NumPy (`plain`). One value of an axis of
        the grid stands for a list of it, and of several keys that one keyword may mean, a list is
        that of the grid.

    Raises
    ------
    ConfigError
        A keyword is the end of no key, or of several; or a choice cannot be made.

    Examples
    --------
    >>> settings_of_keywords({"attack": "scoreboard_rh"}, {"phi": 2, "date_noise": 3})
    {'attack.phi': 2, 'grid.date_noise': [3]}
    >>> settings_of_keywords({}, {"fhi": 2})
    Traceback (most recent call last):
    sim.errors.ConfigError: fhi: no such keyword; did you mean phi?
    >>> settings_of_keywords({}, {"fi": 2})
    Traceback (most recent call last):
    sim.errors.ConfigError: fi: no such keyword; did you mean phi?
    """
    if not given:
        return {}
    from omegaconf import OmegaConf

    made: Any = OmegaConf.to_container(
        composed([f"{group}={choice}" for group, choice in chosen.items()])
    )
    keys: dict[str, list[str]] = {}
    for key in _keys_of(made):
        keys.setdefault(key.rpartition(".")[2], []).append(key)
    found = {}
    for word, value in given.items():
        value = plain(value)
        key = _the_key(word, keys, is_list=isinstance(value, list))
        is_axis = key.startswith("grid.") and not isinstance(value, list)
        found[key] = [value] if is_axis else value
    return found


def _keys_of(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in tree.items():
        if not prefix and name in _NOT_MEANT:
            continue
        yield f"{prefix}{name}"
        if isinstance(value, dict):
            yield from _keys_of(value, f"{prefix}{name}.")


def _of_attack(keys: Mapping[str, list[str]]) -> list[str]:
    """The options of the attack, of which a short word may be one in spite of a letter or two."""
    return [word for word, whole in keys.items() if f"attack.{word}" in whole]


def _the_key(word: str, keys: Mapping[str, list[str]], *, is_list: bool) -> str:
    known = keys.get(word, [])
    if word in known:
        return word
    # An option of a defence goes with its name into defence=, so that it never takes a word away.
    known = [key for key in known if key.partition(".")[0] not in _WITH_A_NAME] or known
    if is_list and len(known) > 1:  # each axis of a grid takes a list, and few options do
        known = [key for key in known if key.startswith("grid.")] or known
    if len(known) > 1:
        ways = " or ".join(f"{{{key!r}: …}}" for key in known)
        raise ConfigError(f"{word}: may mean {' or '.join(known)}; set it by options={ways}")
    if not known:
        what = (
            did_you_mean(word, [*keys, *({*_PARAMETERS} - {word})])
            or (did_you_mean(word, _of_attack(keys), _SHORT) if len(word) <= len("phi") else "")
            or "; options={…} takes every key"
        )
        raise ConfigError(f"{word}: no such keyword{what}")
    return known[0]


def as_keywords(text: str) -> str:
    r"""Return what an error says of keys of ``data`` as a caller of `sim.table` has to type it.

    Examples
    --------
    >>> as_keywords("a.csv:3: '2009'; set data.date_unit=year, or data.date_format")
    "a.csv:3: '2009'; set date_unit='year', or date_format"
    >>> as_keywords("set data.max_unread=0.01")
    'set max_unread=0.01'
    >>> as_keywords('set "data.decimal=\',\'", or data.user=[a,b]')
    "set decimal=',', or user=['a','b']"
    >>> as_keywords("data.path: a.csv: no such file; standout describe data.path=b.csv reads it")
    'data: a.csv: no such file; standout describe data.path=b.csv reads it'
    """
    if (command := text.find("standout ")) >= 0:  # what is typed in a shell stays as it is
        return f"{as_keywords(text[:command])}{text[command:]}"
    text = _QUOTED.sub(r"\1=\2", text)
    text = _LISTED.sub(lambda found: f"{found[1]}={_NAME.sub(_in_quotes, found[2])}", text)
    text = _SET.sub(lambda found: f"{found[1]}={_written(found[2])}", text)
    return _KEY.sub(lambda found: _ARGUMENTS.get(found[1], found[1]), text)


def _written(value: str) -> str:
    """Return a value as Python writes it, where 0.01 can only be a share."""
    return _PLAIN.get(value, value if _SHARE.fullmatch(value) else repr(value))


def _in_quotes(name: re.Match[str]) -> str:
    return repr(name[0].strip())


_QUOTED = re.compile(r"\"data\.(\w+)=('[^']*')\"")
_LISTED = re.compile(r"'?data\.(\w+)=(\[[^\]]*\])'?")
_NAME = re.compile(r"[^\[\],]+")
_SET = re.compile(r"\bdata\.(\w+)=([^\s;,)\"']*[^\s;,)\"'.:])")
_SHARE = re.compile(r"0\.\d+")
_PLAIN = {"true": "True", "false": "False"}
_KEY = re.compile(r"\bdata\.(\w+)")
_ARGUMENTS = {"path": "data"}
"""Arguments whose name is not the key's."""
