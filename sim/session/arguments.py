"""Refuses arguments of the API that have a type which their annotations do not allow, in one line.

Whatever an annotation does not say in plain types, such as what is a data frame, is left to the
function itself.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, Union, get_args, get_origin, get_type_hints

from sim.errors import ConfigError

P = ParamSpec("P")
R = TypeVar("R")

_WORDS: Mapping[Any, str] = {
    str: "text",
    Path: "a path",
    int: "a whole number",
    float: "a number",
    types.NoneType: "None",
    Mapping: "a dict",
    Sequence: "a list",
}

_OF_CLASSES: Mapping[str, str] = {
    "Release": "what sim.table, sim.movielens, sim.netflix or sim.synthetic returns",
    "Result": "a result",
}
"""By name: their modules use this one."""

_EXAMPLES: Mapping[str, str] = {
    "options": 'options={"attack.phi": 2}',
    "grid": 'grid={"aux": ["2/2"]}',
    "folder": 'folder="outputs/run"',
    "attackers": 'attackers=["insider"]',
    "max_risk": "max_risk=0.05 for 5%",
    "release": "sim.table(path, user=…, item=…) opens a table",
}

_COLUMNS = ("user", "item", "value", "date")
"""Arguments that name columns."""

_LONGEST = 60
"""Characters of a value that are shown."""


def with_checked_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function refuse arguments that are missing, too many, or of another type.

    Raises
    ------
    ConfigError
        On a call: it names the argument, and what was expected.

    Examples
    --------
    >>> @with_checked_arguments
    ... def load(folder: str | Path): ...
    >>> load(None)
    Traceback (most recent call last):
    sim.errors.ConfigError: folder: None: expected a path; as in folder="outputs/run"
    >>> load()
    Traceback (most recent call last):
    sim.errors.ConfigError: load: missing a required argument: 'folder'
    """
    signature = inspect.signature(function)

    @functools.cache
    def hints() -> dict[str, Any]:
        return get_type_hints(function)

    @functools.wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        try:
            given = signature.bind(*args, **keywords).arguments
        except TypeError as error:
            name = function.__qualname__.removesuffix(".__init__")
            raise ConfigError(f"{name}: {error}") from None
        for argument, value, hint in _each(signature, given, hints()):
            if not _fits(value, hint):
                raise _wrong(argument, value, hint)
        return function(*args, **keywords)

    return checked


def _each(
    signature: inspect.Signature, given: Mapping[str, Any], hints: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    """Yield each argument by itself, with its annotation."""
    for name, value in given.items():
        hint = hints.get(name, Any)
        match signature.parameters[name].kind:
            case inspect.Parameter.VAR_POSITIONAL:
                yield from ((name, one, hint) for one in value)
            case inspect.Parameter.VAR_KEYWORD:
                inner = get_type_hints(get_args(hint)[0]) if get_args(hint) else {}
                yield from ((word, one, inner.get(word, Any)) for word, one in value.items())
            case _:
                yield name, value, hint


def _kinds(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _fits(value: Any, hint: Any) -> bool:
    return any(_fits_one(value, kind) for kind in _kinds(hint))


def _fits_one(value: Any, kind: Any) -> bool:
    base, inner = get_origin(kind) or kind, get_args(kind)
    if base is Mapping:
        key, held = inner
        return isinstance(value, Mapping) and all(
            _fits(name, key) and _fits(one, held) for name, one in value.items()
        )
    if base is Sequence:  # whatever can be made a list: an array, a range
        return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))
    if base in (int, float):
        return isinstance(value, Integral if base is int else Real)
    if base is Any or getattr(base, "_is_protocol", False) or not isinstance(base, type):
        return True
    return isinstance(value, base)


def _wrong(name: str, value: Any, hint: Any) -> ConfigError:
    kinds = _kinds(hint)
    if str in kinds and Path in kinds:  # a path may be given as text
        kinds = tuple(kind for kind in kinds if kind is not str)
    words = dict.fromkeys(map(_words, kinds))
    shown = repr(value)
    if len(shown) > _LONGEST:
        shown = f"of type {type(value).__name__}"
    example = f"; as in {_EXAMPLES[name]}" if name in _EXAMPLES else ""
    listed = _listed(value, kinds)
    if listed is not None and len(repr(listed)) <= _LONGEST:
        example = f"; as in {name}={listed!r}"
    if name in _COLUMNS and isinstance(value, Integral):
        example = f"; a column whose name is a number is named as text: {name}='{value}'"
    if isinstance(value, type):
        shown, example = value.__name__, f"; an instance of the class is {value.__name__}()"
    return ConfigError(f"{name}: {shown}: expected {' or '.join(words)}{example}")


def _listed(value: Any, kinds: Iterable[Any]) -> Any:
    """Return a single value as the list, or the dict of lists, that it may have been meant as."""
    for kind in kinds:
        if get_origin(kind) is Sequence and isinstance(value, str):
            return [part.strip() for part in value.split(",")]
        if isinstance(value, Mapping) and _words(kind) == "a dict of lists":
            lists = get_args(kind)[1]
            return {
                key: one if one is None or _fits(one, lists) else [one]
                for key, one in value.items()
            }
    return None


def _words(kind: Any) -> str:
    base = get_origin(kind) or kind
    if base is Mapping and get_origin(get_args(kind)[1]) is Sequence:
        return "a dict of lists"
    name = getattr(base, "__name__", str(base))
    return _WORDS.get(base) or _OF_CLASSES.get(name) or f"an instance of {name}"
