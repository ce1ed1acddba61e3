"""Options: the settings of an attack, measurement or defence, stated once, on its class.

An option is a field of a frozen dataclass. Its name, type and default are the field's; `option`
adds its range, choices and line of help. Every new instance is checked; the configuration, its
schema, the command line's help and the overrides of an instance are derived from the class.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
import sys
import types
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar, Union

from sim.errors import ConfigError
from sim.numeric.text import expected_among, share_meant

ALL = "all"
"""Spelling of None in the configuration where it stands for everything."""

T = TypeVar("T", bound="Options")

MOST = 2**63 - 1
"""The greatest whole number of an option, unless it states a maximum."""

_LARGEST = 1e100
"""The greatest number of an option: its square is a number still."""

_KEY = "standout"
_STATED = "standout.option"


class WholeOrText:
    """Stands for ``int | str``, the type of an option such as a time: 3, or ``2h``."""


_SCALARS: dict[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "text",
    WholeOrText: "a whole number or text",
}
"""The types of options, and their names in messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionMetadata:
    """The properties of an option apart from its name, type and default.

    Parameters
    ----------
    help : str
        One line.
    minimum, above, maximum : float or None
        Bounds of every number; `above` is exclusive.
    null : str
        Meaning of None; appended to the line of help.
    all : bool
        None means everything, and the configuration spells it ``all``.
    distinct, ascending : bool
        For a list: repeated values are an error; or values are sorted and repetitions dropped.
    example : str
        A value and what it means, in messages: ``0.05 for 5%``.
    fixed : bool
        It has no key: see `constant`.
    kinds : tuple of type
        Classes of options, one of which is chosen; its options become options of the whole class.
    """

    help: str = ""
    minimum: float | None = None
    above: float | None = None
    maximum: float | None = None
    null: str = ""
    all: bool = False
    distinct: bool = False
    ascending: bool = False
    example: str = ""
    fixed: bool = False
    kinds: tuple[type[Options], ...] = ()

    @property
    def bounds(self) -> str:
        """The bounds in words that follow "a number"; empty: there are none.

        Examples
        --------
        >>> OptionMetadata(minimum=0, maximum=4).bounds, OptionMetadata(above=0, maximum=1).bounds
        ('from 0 to 4', 'above 0 and up to 1')
        >>> OptionMetadata(minimum=1).bounds, OptionMetadata(maximum=4).bounds
        ('of at least 1', 'of at most 4')
        """
        low, above, high = (
            None if end is None else str(end) if isinstance(end, int) else f"{end:g}"
            for end in (self.minimum, self.above, self.maximum)
        )
        if low is not None and high is not None:
            return f"from {low} to {high}"
        if above is not None:
            return f"above {above}" + (f" and up to {high}" if high is not None else "")
        if low is not None:
            return f"of at least {low}"
        return f"of at most {high}" if high is not None else ""


def option(default: Any, **metadata: Any) -> Any:
    """Declare an option: a dataclass field.

    Parameters
    ----------
    **metadata
        See `OptionMetadata`.

    Examples
    --------
    >>> @dataclass(frozen=True, kw_only=True)
    ... class Some(Options):
    ...     group = "attack"
    ...     rare: int = option(100, help="maximum support of a rare item", minimum=1)
    >>> Some(rare=0)
    Traceback (most recent call last):
    sim.errors.ConfigError: attack.rare: 0: expected a whole number of at least 1
    """
    return dataclasses.field(default=default, metadata={_KEY: OptionMetadata(**metadata)})


def constant(value: Any, **metadata: Any) -> Any:
    """Declare a constant: a checked argument of the class that no configuration can set.

    A run records what differs from the defaults as overrides, so it refuses another value.
    """
    return option(value, fixed=True, **metadata)


@dataclass(frozen=True)
class Options:
    """A class whose fields are options; a subclass is a frozen dataclass.

    A field whose type the configuration cannot hold is not an option; `option` refuses such a type.
    """

    group: ClassVar[str]
    """Prefix of its keys in the configuration: ``attack``, ``defence.drop_items``."""
    kind: ClassVar[str] = ""
    """Its name in the configuration, for classes without `name`."""
    summary: ClassVar[str] = ""
    """One line of description, without a full stop."""

    @classmethod
    def name_of(cls) -> str:
        """Return its name in the configuration: ``name``, or else `kind`."""
        return getattr(cls, "name", "") or cls.kind

    @classmethod
    def described(cls) -> str:
        """Return one line of description: `summary`, or the first line of the docstring."""
        return cls.summary or (cls.__doc__ or "").strip().partition("\n")[0].rstrip(".")

    def __post_init__(self) -> None:
        for each in options_of(type(self)):
            given = getattr(self, each.name)
            kept = each.checked(given)
            if kept is not given:
                object.__setattr__(self, each.name, kept)
        self.check()

    def check(self) -> None:
        """Check options against each other; raise a `ConfigError`."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a class.

    Parameters
    ----------
    key : str
        As in the configuration: ``attack.phi``.
    type : type
        Type of a single value: bool, int, float or str; `WholeOrText`.
    choices : tuple of str
        Allowed values; empty: any.
    nullable, many : bool
        Whether the value, or each value of a tuple, may be None; whether it is a tuple.
    """

    key: str
    name: str
    type: type[Any]
    default: Any
    choices: tuple[str, ...]
    nullable: bool
    many: bool
    metadata: OptionMetadata

    def checked(self, given: Any) -> Any:
        """Check a value and return its normal form.

        Raises
        ------
        ConfigError
            The value is out of range or of the wrong type.
        """
        if self.metadata.kinds:
            if not isinstance(given, Options):
                names = ", ".join(f"{kind.__name__}()" for kind in self.metadata.kinds)
                raise ConfigError(f"{self.key}: {given!r}: expected one of {names}")
            return given
        if not self.many:
            return self._one(given)
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise ConfigError(f"{self.key}: {given!r}: expected a list")
        if not given:
            raise ConfigError(f"{self.key}: empty; expected at least one {self._noun}")
        values = [self._one(value) for value in given]
        if self.metadata.ascending:
            return tuple(sorted(set(values)))
        if self.metadata.distinct and len(set(values)) < len(values):
            raise ConfigError(f"{self.key}: {values}: expected each {self._noun} once")
        return tuple(values)

    @property
    def _noun(self) -> str:
        return "number" if self.type in (int, float) else "value"

    def _one(self, given: Any) -> Any:
        if given is None and self.nullable:
            return None
        if self.choices:
            if given not in self.choices:
                raise self._refused(given)
            return given
        value = _as_type(given, self.type)
        number = isinstance(value, (int, float))
        if value is None or (number and value != value):
            raise self._refused(given)
        f = self.metadata
        below = f.minimum is not None and value < f.minimum
        if below or (f.above is not None and value <= f.above):
            raise self._refused(given)
        if f.maximum is not None and value > f.maximum:
            raise self._refused(given)
        most = _LARGEST if self.type is float else MOST
        if number and f.maximum is None and abs(value) > most:
            raise self._refused(given, "too large; ")
        return value

    def _refused(self, given: Any, why: str = "") -> ConfigError:
        shown = given if isinstance(given, (int, float)) else repr(given)
        return ConfigError(f"{self.key}: {shown}: {why}{self._expected_for(given)}")

    def _expected_for(self, given: Any) -> str:
        if self.choices and isinstance(given, str):
            return f"{expected_among(given, self.choices)}{self._null}"
        return f"expected {self.expected(given)}"

    @property
    def _null(self) -> str:
        return ", or all" if self.metadata.all else ", or null" if self.nullable else ""

    def expected(self, given: Any) -> str:
        """Return what a single value must be, in words; of a percentage, the share that it is."""
        word = f"one of {', '.join(self.choices)}" if self.choices else _SCALARS[self.type]
        example = self.metadata.example
        example = share_meant(given, example) if example.endswith("%") else example
        example = f", such as {example}" if example else ""
        return " ".join(filter(None, [word, self.metadata.bounds])) + example + self._null

    def from_config(self, given: Any) -> Any:
        """Convert a value from its form in the configuration."""
        if self.metadata.all:
            if given == ALL:
                return None
            if given is None:
                raise self._refused(given)
        return tuple(given) if self.many else given

    def to_config(self, value: Any) -> Any:
        """Convert a value to its form in the configuration."""
        if value is None and self.metadata.all:
            return ALL
        return list(value) if self.many else value

    @property
    def config_type(self) -> Any:
        """The type against which Hydra checks the value."""
        if self.metadata.all:
            return Any
        if self.type is WholeOrText:
            return Any
        one: Any = typing.Optional[self.type] if self.nullable else self.type  # noqa: UP045
        return list[one] if self.many else one

    def help_line(self) -> str:
        """Return the line of help, with choices and default."""
        f = self.metadata
        words = [f.help] if f.help else []
        if self.choices:
            words.append(", ".join(self.choices))
        text = ": ".join(words)
        if f.null:
            text = f"{text}; {ALL if f.all else 'null'}: {f.null}"
        facts = [
            f"default: {_shown(self.to_config(self.default))}",
            *([f.bounds.removeprefix("of ")] if f.bounds else []),
        ]
        return f"{text} ({'; '.join(facts)})".strip()


def _as_type(given: Any, kind: type[Any]) -> Any:
    """Return a value as the given type; None if it cannot be."""
    if kind in (bool, str):
        return given if isinstance(given, kind) else None
    if isinstance(given, bool):
        return None
    if kind is WholeOrText and isinstance(given, str):
        return given
    try:
        if kind in (int, WholeOrText):
            return operator.index(given)
        # An integer stays one: it is valid, and looks better in messages.
        return given if isinstance(given, (int, float)) else float(operator.index(given))
    except TypeError:
        return float(given) if hasattr(given, "__float__") and kind is float else None


def _shown(value: Any) -> str:
    from sim.extend.overrides import hydra_value

    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:.4g}"
    return hydra_value(value).replace("'", "")


def options_of(cls: type[Options]) -> tuple[Option, ...]:
    """Return the options of a class, in the order of its fields.

    Raises
    ------
    ConfigError
        `option` declares a field of a type that the configuration cannot hold.
    """
    stated: Any = cls  # mypy considers a class with fields unhashable
    return _options_of(stated)


@functools.cache
def _options_of(cls: Any) -> tuple[Option, ...]:
    found = []
    for field in dataclasses.fields(cls):
        metadata: OptionMetadata | None = field.metadata.get(_KEY)
        key = f"{cls.group}.{field.name}"
        if not field.init or field.default is dataclasses.MISSING:
            continue
        if metadata is not None and metadata.kinds:
            found.append(Option(key, field.name, str, field.default, (), False, False, metadata))
            continue
        made = option_of(cls, field, key)
        if made is None:
            if metadata is not None:
                kind = getattr(field.type, "__name__", field.type)
                raise ConfigError(
                    f"{cls.__module__}.{cls.__name__}: {field.name}: {kind}: expected bool, "
                    "int, float, str, a Literal of texts, one of these or None, or a tuple of them"
                )
            continue
        found.append(made)
    return tuple(found)


def option_of(
    cls: type[Any], field: dataclasses.Field[Any], key: str, many_type: type[Any] = tuple
) -> Option | None:
    """Return a field as an option; None if its type is not an option's.

    Parameters
    ----------
    cls : type
        The dataclass that has the field: of options, or made by `schema_of`.
    many_type : type
        Type of several values: tuple or list.
    """
    stated: Option | None = field.metadata.get(_STATED)
    if stated is not None:
        return stated
    shape = _shape_of(cls, field, many_type)
    if shape is None:
        return None
    metadata = field.metadata.get(_KEY) or OptionMetadata()
    kind, choices, nullable, many = shape
    return Option(key, field.name, kind, field.default, choices, nullable, many, metadata)


def _shape_of(
    cls: type[Any], field: dataclasses.Field[Any], many_type: type[Any]
) -> tuple[type[Any], tuple[str, ...], bool, bool] | None:
    """Return type, choices, nullable and many of a field; None if the type is not an option's."""
    annotation: Any = field.type
    if isinstance(annotation, str):
        stated = next(c for c in cls.__mro__ if field.name in vars(c).get("__annotations__", {}))
        module = sys.modules.get(stated.__module__)
        try:
            annotation = eval(annotation, dict(vars(module)) if module else {})
        except Exception:
            return None
    many = typing.get_origin(annotation) is many_type
    if many:
        inner = typing.get_args(annotation)
        if many_type is tuple and inner[1:] != (Ellipsis,):
            return None
        annotation = inner[0]
    nullable = False
    if typing.get_origin(annotation) in (Union, types.UnionType):
        members = [a for a in typing.get_args(annotation) if a is not types.NoneType]
        nullable = len(members) < len(typing.get_args(annotation))
        if len(members) > 1 and set(members) != {int, str}:
            return None
        annotation = members[0] if len(members) == 1 else WholeOrText
    choices: tuple[str, ...] = ()
    if typing.get_origin(annotation) is Literal:
        choices, annotation = typing.get_args(annotation), str
    known = isinstance(annotation, type) and annotation in _SCALARS
    if not known or not all(isinstance(c, str) for c in choices):
        return None
    return annotation, choices, nullable, many


def settings_of(cls: type[Options]) -> Iterator[tuple[Option, str]]:
    """Yield the keys of a class in the configuration.

    Yields
    ------
    option : Option
        Where one of several kinds is chosen: the choice, then the options of all kinds.
    kinds : str
        The kinds that have this option; empty: it is the class's own.
    """
    for each in options_of(cls):
        kinds = each.metadata.kinds
        if each.metadata.fixed:
            continue
        if len(kinds) > 1:
            yield _choice_of(each), ""
        elif not kinds:
            yield each, ""
        owners: dict[str, list[str]] = {}
        inner: dict[str, Option] = {}
        for kind in kinds:
            for one, _ in settings_of(kind):
                owners.setdefault(one.name, []).append(kind.kind)
                default = getattr(each.default, one.name, one.default)
                inner.setdefault(one.name, dataclasses.replace(one, default=default))
        for name, one in inner.items():
            yield one, ", ".join(owners[name]) if len(kinds) > 1 else ""


def _choice_of(each: Option) -> Option:
    """Return the option that chooses one of several kinds by name."""
    names = tuple(kind.kind for kind in each.metadata.kinds)
    metadata = dataclasses.replace(each.metadata, kinds=())
    return dataclasses.replace(each, default=each.default.kind, choices=names, metadata=metadata)


def schema_of(cls: type[Options], base: type[Any], **fixed: str) -> type[Any]:
    """Return the class against which Hydra checks a configuration, with its defaults.

    Parameters
    ----------
    base : type
        Common base of the group's schemas.
    **fixed
        Keys that name the choice, and their values.
    """
    fields: list[Any] = [(key, str, value) for key, value in fixed.items()]
    for each, _ in settings_of(cls):
        default = each.to_config(each.default)
        stated = {_STATED: each}
        made: Any = (
            dataclasses.field(default_factory=functools.partial(list, default), metadata=stated)
            if isinstance(default, list)
            else dataclasses.field(default=default, metadata=stated)
        )
        fields.append((each.name, each.config_type, made))
    schema = dataclasses.make_dataclass(f"{cls.__name__}Config", fields, bases=(base,))
    schema.__doc__ = f"Options of `{cls.__module__}.{cls.__name__}`."
    return schema


def made_from(cls: type[T], given: Mapping[str, Any]) -> T:
    """Return an instance with the values of a configuration.

    Parameters
    ----------
    given : dict
        Values by key, as in `schema_of`; other keys are ignored.

    Raises
    ------
    ConfigError
        A value is out of range.
    """
    values: dict[str, Any] = {}
    for each in options_of(cls):
        kinds = each.metadata.kinds
        if each.metadata.fixed:
            continue
        if not kinds:
            values[each.name] = each.from_config(given[each.name])
            continue
        chosen = kinds[0]
        if len(kinds) > 1:
            by_name = {kind.kind: kind for kind in kinds}
            if given[each.name] not in by_name:
                raise ConfigError(
                    f"{each.key}: {given[each.name]!r}: {expected_among(given[each.name], by_name)}"
                )
            chosen = by_name[given[each.name]]
        # Those of kinds that are not chosen have no effect, but must not be nonsense.
        made = {kind: made_from(kind, given) for kind in kinds}
        values[each.name] = made[chosen]
    return cls(**values)


def unchosen(cls: type[Options], given: Mapping[str, Any]) -> dict[str, str]:
    """Return the keys that have no effect, as they belong to a kind that is not chosen; and why.

    Parameters
    ----------
    given : dict
        Values by key, as in `schema_of`.
    """
    found = {}
    for each in options_of(cls):
        kinds = each.metadata.kinds
        if len(kinds) < 2:
            continue
        chosen = given[each.name]
        owners: dict[str, list[str]] = {}
        for kind in kinds:
            for one, _ in settings_of(kind):
                owners.setdefault(one.key, []).append(kind.kind)
        for key, names in owners.items():
            if chosen not in names:
                found[key] = (
                    f"only {each.name} {' and '.join(names)} {'has' if len(names) == 1 else 'have'}"
                    f" it, not {chosen}; add {each.key}={names[0]}, or leave {key} out"
                )
    return found


def changed_from_default(made: Options) -> dict[str, Any]:
    """Return the options of an instance that differ from the defaults, in configuration form.

    Raises
    ------
    ConfigError
        It holds a kind that the configuration does not know, or another value than a constant's.
    """
    defaults = {each.name: each.to_config(each.default) for each, _ in settings_of(type(made))}
    given = as_configured(made)
    if changed := given.keys() - defaults.keys():
        name = min(changed)
        raise ConfigError(f"{made.group}.{name}: {given[name]!r}: a constant, which no run changes")
    return {name: value for name, value in given.items() if value != defaults[name]}


def as_configured(made: Options) -> dict[str, Any]:
    """Return all options of an instance in configuration form, and constants that were changed.

    Raises
    ------
    ConfigError
        It holds a kind that the configuration does not know.
    """
    values: dict[str, Any] = {}
    for each in options_of(type(made)):
        value = getattr(made, each.name)
        kinds = each.metadata.kinds
        if each.metadata.fixed:
            values |= {} if value == each.default else {each.name: each.to_config(value)}
            continue
        if not kinds:
            values[each.name] = each.to_config(value)
            continue
        if type(value) not in kinds:
            names = ", ".join(kind.__name__ for kind in kinds)
            raise ConfigError(f"{each.key}: {type(value).__name__}: expected one of {names}")
        if len(kinds) > 1:
            values[each.name] = value.kind
        values |= as_configured(value)
    return values
