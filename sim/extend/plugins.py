"""Classes found by listing a package, and those of installed plug-ins.

A class of a package's module counts if it is defined there, is concrete and derives from what is
looked for. One that lacks a method is taken for a base class, unless it has a name of its own: that
is an error. A plug-in is another distribution with an entry point, whose value is the class and
whose name is the class's own. A plug-in that cannot be used is kept with the reason: it stops only
who asks for it.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import inspect
import logging
import pkgutil
import re
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CellType, CodeType
from typing import Any, Generic, TypeGuard, TypeVar

from sim.errors import ConfigError
from sim.extend.options import Options, options_of, settings_of
from sim.numeric.text import expected_among

log = logging.getLogger("standout")

T = TypeVar("T", bound=Options)

_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass
class Registry(Generic[T]):
    """The classes of one sort, by name.

    Parameters
    ----------
    base : type
        What they derive from.
    package : str
        Whose modules are listed.
    entry_point : str
        Group of the plug-ins' entry points.
    """

    base: type[Any]
    package: str
    entry_point: str
    _found: dict[str, type[T]] = field(default_factory=dict)
    _unusable: dict[str, str] = field(default_factory=dict)
    _added: set[str] = field(default_factory=set)
    _listed: bool = False

    def all(self) -> Mapping[str, type[T]]:
        """Every class by name: the package's in order of their modules, then the plug-ins'.

        Raises
        ------
        ConfigError
            A module of the package cannot be used.
        """
        if not self._listed:
            self._found = {cls.name_of(): cls for cls in self._of_package()} | self._found
            self._listed = True
            for point in entry_points(group=self.entry_point):
                self._plug_in(point)
        return self._found

    def get(self, name: str) -> type[T] | None:
        """Return a class by name; None if there is none."""
        return self.all().get(name)

    def why_not(self, name: str) -> str | None:
        """Return why a plug-in of this name cannot be used; None if there is no such plug-in."""
        self.all()
        return self._unusable.get(name)

    def is_installed(self, name: str) -> bool:
        """Whether a name is that of a class of the package or of a plug-in, which commands know."""
        return name in self.all().keys() - self._added

    def not_installed(self, name: str) -> type[T] | None:
        """Return the class of a name that is defined, but neither in the package nor a plug-in.

        None: there is none, or the name is that of one that is, or of a plug-in that is not usable.
        """
        if name in self.all().keys() - self._added or name in self._unusable:
            return None
        found = [cls for cls in _derived(self.base) if name == cls.name_of()]
        return found[-1] if found else None

    def add(self, cls: type[T]) -> None:
        """Register a class for this process that is neither in the package nor in a plug-in.

        Raises
        ------
        ConfigError
            Its name is another's, or it is ill-formed.
        """
        other = self.get(cls.name_of())
        if other is cls:
            return
        if other is not None and (
            cls.name_of() not in self._added or qualified_name(other) != qualified_name(cls)
        ):
            whose = qualified_name(other)
            raise ConfigError(
                f"{qualified_name(cls)}: {cls.name_of()}: is also the name of {whose}; give it "
                "another"
            )
        _check(cls)
        self._added.add(cls.name_of())
        self._found[cls.name_of()] = cls

    def _of_package(self) -> Iterator[type[T]]:
        seen: dict[str, type[T]] = {}
        package = importlib.import_module(self.package)
        for module in pkgutil.iter_modules(package.__path__, f"{self.package}."):
            try:
                held = vars(importlib.import_module(module.name))
            except Exception as error:
                raise ConfigError(f"{module.name}: cannot be imported: {_reason(error)}") from error
            for cls in list(held.values()):
                if not self._is_one(cls):
                    continue
                if f"{cls.__module__}.".startswith(f"{module.name}.") and cls not in seen.values():
                    self._check_whole(cls)
                    if inspect.isabstract(cls):
                        continue
                    _check(cls)
                    if cls.name_of() in seen:
                        other = qualified_name(seen[cls.name_of()])
                        raise ConfigError(
                            f"{qualified_name(cls)}: {cls.name_of()}: is also the name of {other}; "
                            "give it another"
                        )
                    seen[cls.name_of()] = cls
                    yield cls

    def _is_one(self, cls: object) -> TypeGuard[type[T]]:
        return isinstance(cls, type) and issubclass(cls, self.base)

    def _check_whole(self, cls: type[T]) -> None:
        """Refuse a class with a name of its own that lacks a method; without one it is a base."""
        if inspect.isabstract(cls) and {"name", "kind"} & vars(cls).keys():
            raise ConfigError(f"{qualified_name(cls)}: lacks {_missing(cls)}")

    def _plug_in(self, point: EntryPoint) -> None:
        try:
            cls = self._loaded(point)
        except Exception as error:  # whatever another's code raises
            self._unusable[point.name] = reason = f"{_whose(point)}: {_reason(error)}"
            log.warning("a plug-in is left out: %s", reason)
            return
        self._found[point.name] = cls

    def _loaded(self, point: EntryPoint) -> type[T]:
        if point.name in self._found:
            raise ConfigError(
                f"{point.name}: is also the name of {qualified_name(self._found[point.name])}"
            )
        cls = point.load()
        if not self._is_one(cls):
            raise ConfigError(f"expected a class derived from {qualified_name(self.base)}")
        if inspect.isabstract(cls):
            raise ConfigError(f"{qualified_name(cls)}: lacks {_missing(cls)}")
        _check(cls)
        if cls.name_of() != point.name:
            raise ConfigError(f"the name of the class is {cls.name_of()!r}: name both alike")
        return cls


def _derived(base: type[Any]) -> Iterator[type[Any]]:
    """Yield the concrete classes that derive from one, those that were defined last at the end."""
    for cls in base.__subclasses__():
        if not inspect.isabstract(cls):
            yield cls
        yield from _derived(cls)


def named(function: str) -> Any:
    """Import a function written as ``module:function``.

    Examples
    --------
    >>> named("os.path:join").__name__
    'join'
    """
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)


def qualified_name(cls: type[object]) -> str:
    """Return the module and name of a class."""
    return f"{cls.__module__}.{cls.__qualname__}"


def foreign_code(cls: type[object]) -> str | None:
    """SHA-256 of the module of a class that is not of this program; None if it is.

    Of a class that is not as the module's file has it, also of what it holds.

    Examples
    --------
    >>> foreign_code(Options) is None, len(foreign_code(EntryPoint) or "")
    (True, 64)
    """
    if not _is_foreign(cls):
        return None
    source = module_digest(cls.__module__)
    if source is not None and not _is_made(cls):
        return source
    return hashlib.sha256(f"{source} {_typed_digest(cls)}".encode()).hexdigest()


def _is_made(cls: type[object]) -> bool:
    """Whether a class was made by a function, or of text that stands in no file."""
    code = (getattr(value, "__code__", None) for name, value in vars(cls).items()
            if not name.startswith("__"))  # fmt: skip
    return "<locals>" in cls.__qualname__ or any(
        isinstance(one, CodeType) and one.co_filename.startswith("<") for one in code
    )


def _is_foreign(cls: type[object]) -> bool:
    return _package(cls.__module__) != _package(__name__)


def _package(module: str) -> str:
    return module.partition(".")[0]


def _typed_digest(cls: type[object]) -> str:
    """SHA-256 of a class that was typed at a prompt or into a notebook, which has no file.

    Of what the class and its bases of that module hold: of functions, what they do, wherever they
    stand. Functions of the module that these call are not followed.
    """
    digest = hashlib.sha256()
    for base in cls.__mro__:
        if base.__module__ == cls.__module__:
            for name, value in sorted(vars(base).items()):
                if name not in _OF_THE_OBJECT:
                    digest.update(f"{qualified_name(base)}.{name}: {_what_is(value)}\n".encode())
    return digest.hexdigest()


_OF_THE_OBJECT = (
    *("__dict__", "__weakref__", "__doc__", "__abstractmethods__", "_abc_impl"),
    *("__firstlineno__", "__static_attributes__"),
)
"""What is not code: it may be another one where the same class is typed again."""


def _what_is(value: object) -> str:
    """Text that is another one where a function does something else, or a constant is another."""
    for held in ("__func__", "fget", "func"):  # of class methods, properties, cached ones
        value = getattr(value, held, value)
    value = inspect.unwrap(value) if callable(value) else value
    code = getattr(value, "__code__", value)
    if isinstance(code, CodeType):
        usual = getattr(value, "__defaults__", None), getattr(value, "__kwdefaults__", None)
        cells = [_cell(one) for one in getattr(value, "__closure__", None) or ()]
        held = _what_is((code.co_consts, *usual, *cells))
        return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {held}"
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_what_is, value))}]"
    if isinstance(value, (set, frozenset)):  # in another order in every process
        return f"{{{', '.join(sorted(map(_what_is, value)))}}}"
    # The address of an object is another one in every process.
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _cell(cell: CellType) -> object:
    """What a variable of the function around holds; of what can be called, its name."""
    try:
        held = cell.cell_contents
    except ValueError:  # it has no value yet
        return None
    return getattr(held, "__qualname__", held) if callable(held) else held


def module_digest(module: str) -> str | None:
    """SHA-256 (hex) of the source file of a module; None if it has none: typed at a prompt.

    Examples
    --------
    >>> module_digest("__nowhere__") is None, len(module_digest(__name__) or "")
    (True, 64)
    """
    try:
        source = Path(inspect.getfile(sys.modules[module])).read_bytes()
    except (KeyError, OSError, TypeError):
        return None
    return hashlib.sha256(source).hexdigest()


def none_called(name: object, known: Iterable[str], how_many: str = "one") -> str:
    """Return what was expected instead of a name that no class has: see `expected_among`.

    Examples
    --------
    >>> none_called("drop_time", ["drop_times", "shift_time"], "some")
    'none of that name is installed, as a plug-in or otherwise; did you mean drop_times?; expected \
some of drop_times, shift_time'
    """
    expected = expected_among(name, known, how_many)
    return f"none of that name is installed, as a plug-in or otherwise; {expected}"


def foreign_place(error: BaseException, registries: Iterable[Registry[Any]]) -> str | None:
    """Return where the code of a plug-in or of a script failed; None: it is not what failed.

    Theirs is the package, or the script, of every registered class that is not of this program.
    """
    known = (cls for registry in registries for cls in registry.all().values())
    theirs = {_package(cls.__module__) for cls in known if _is_foreign(cls)}
    for frame, line in reversed([*traceback.walk_tb(error.__traceback__)]):
        if _package(str(frame.f_globals.get("__name__"))) in theirs:
            return f"{frame.f_code.co_filename}:{line}: in {frame.f_code.co_name}"
    return None


def _check(cls: type[Options]) -> None:
    """Refuse a class whose options the configuration cannot hold."""
    name = cls.name_of()
    if not _NAME.fullmatch(name):
        raise ConfigError(f"{qualified_name(cls)}: {name!r}: expected a name of a-z, 0-9 and _")
    known = {each.name for each in options_of(cls)}
    for one in dataclasses.fields(cls):
        needed = one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING
        if one.init and needed and one.name not in known:
            raise ConfigError(f"{qualified_name(cls)}: {one.name}: expected a default")
    keys = [each.name for each, _ in settings_of(cls)]
    try:
        cls()
    except ConfigError as error:
        raise ConfigError(f"{qualified_name(cls)}: by default, {error}") from None
    twice = {key for key in keys if keys.count(key) > 1} | ({"name", "kind"} & set(keys))
    if twice:
        raise ConfigError(
            f"{qualified_name(cls)}: {min(twice)}: is another key already; rename the option"
        )


def _missing(cls: type[object]) -> str:
    """Name the abstract methods of a class."""
    return " and ".join(sorted(getattr(cls, "__abstractmethods__", ())))


def _whose(point: EntryPoint) -> str:
    named = f"entry point {point.name} = {point.value}"
    return named if point.dist is None else f"{named} of {point.dist.name}"


def _reason(error: Exception) -> str:
    return str(error) if isinstance(error, ConfigError) else f"{type(error).__name__}: {error}"
