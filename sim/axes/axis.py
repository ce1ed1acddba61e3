"""The base class of axes: the values of an axis, their effect on an adversary, and its words.

Invariant: every combination from `combinations` gives an adversary; the values of an axis differ.
"""

from __future__ import annotations

import itertools
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sim.axes.words import NONE, Words
from sim.errors import ConfigError
from sim.extend.options import Options
from sim.release.store.manifest import Manifest

MOST_CELLS = 100_000
"""The most cells of a grid."""

MOST = 10**15
"""The greatest number on an axis."""

_MOST_DIGITS = 15
_DIGITS = re.compile(r"[0-9]+")
_INFINITE = (math.inf, -math.inf)
"""Not numbers of any axis, which says what it expects instead."""

REQUIRED = object()
"""Value of `Axis.neutral` for an axis without a neutral value."""


class Axis(Options, Words, ABC):
    """An axis of a grid; all instances of a class are equal."""

    group: ClassVar[str] = "grid"
    grids: ClassVar[tuple[str, ...]] = ("sweep",)
    """The grids that have it: "sweep", "mentions", "people"."""
    order: ClassVar[int] = 75
    """Position among the axes of a grid; axes with a higher number vary faster."""
    value_type: ClassVar[Any]
    """Type of one value: bool, int, float, str, one of these or None, or Any."""
    neutral: ClassVar[Any] = REQUIRED
    """The value without an effect, which reports do not mention."""
    default: ClassVar[tuple[Any, ...]] = ()
    """The default values in the configuration; empty: only `neutral`."""
    help: ClassVar[str]
    """One line, without a full stop."""
    example: ClassVar[str]
    """A list of values, as on the command line."""
    column_type: ClassVar[str]
    """Type of its column in ``curves.parquet``, in words."""
    meaning: ClassVar[str]
    """Meaning of that column: one line, without a full stop."""
    modelled: ClassVar[bool] = False
    """Whether attack ``bayes`` models it."""
    only_if_used: ClassVar[bool] = False
    """Whether results have it only where it has an effect, as those of plug-ins."""
    restricts: ClassVar[bool] = False
    """Whether its values decide which records have enough facts to be a target; filters do."""

    @classmethod
    def defaults(cls) -> list[Any]:
        """Return the default values in the configuration."""
        return list(cls.default or (cls.neutral,))

    @classmethod
    def is_unused(cls, values: Sequence[Any]) -> bool:
        """Return whether the neutral value is the only one."""
        return cls.neutral is not REQUIRED and list(values) == [cls.neutral]

    def check(self) -> None:
        """See `Options.check`; its own defaults must be valid."""
        if self.neutral is REQUIRED and not (self.default and self.modelled):
            raise ConfigError(f"grid.{self.name}: expected a neutral value")
        self.check_values(self.defaults())

    def words(self, level: str) -> str:
        """See `Words.words`; null is called "any" where it has no effect."""
        if level == NONE and self.neutral is None:
            return f"any {self.name_in_words}"
        return super().words(level)

    @abstractmethod
    def expected(self, value: Any) -> str | None:
        """Return what was expected in place of an invalid value; None if the value is valid."""

    def parsed(self, value: Any) -> Any:
        """Parse a value; values that parse alike are the same.

        Raises
        ------
        ConfigError
            The value is invalid.
        """
        return value

    @abstractmethod
    def apply(self, adversary: Any, value: Any) -> Any:
        """Return the adversary of a grid cell with this value; see `sim.adversary.adversary`.

        Axes are applied in their order, each to what the one before returned.

        Raises
        ------
        ConfigError
            The value cannot be combined with those of other axes.
        """

    def lacks(self, value: Any, release: Manifest) -> str:  # noqa: ARG002
        """Return why a release cannot have a value; empty if it can.

        Such a value is left out of a grid, and refused where the user asked for it.
        """
        return ""

    def too_wide(self, value: Any, release: Manifest) -> str:  # noqa: ARG002
        """Return why a value that a release can have is no use there; empty if it is.

        Such a value is left out of a grid, unless the user asked for it.
        """
        return ""

    def written(self, value: Any, release: Manifest) -> Any:  # noqa: ARG002
        """Return a value that the release can have in the form that results have it in."""
        return tidy(value)

    def instead(self, release: Manifest) -> Any:  # noqa: ARG002
        """Return the value to use where a release can have none of those in the grid."""
        return self.neutral

    def check_values(self, values: Sequence[Any]) -> None:
        """Check the values of the axis.

        Raises
        ------
        ConfigError
            There is no value, a value is invalid, or two are the same.
        """
        if not values:
            raise ConfigError(f"grid.{self.name}: empty; expected at least one value")
        for value in values:
            if _is_huge(value):
                raise ConfigError(
                    f"grid.{self.name}: {config_text(value)}: too large; expected numbers up to "
                    f"{MOST:,}"
                )
        known = [config_text(tidy(self.parsed(value))) for value in values]
        if len(set(known)) < len(known):
            raise ConfigError(
                f"grid.{self.name}: {list(values)} repeats a value; give each value once"
            )
        for value in values:
            problem = self.expected(value)
            if problem:
                raise ConfigError(f"grid.{self.name}: {config_text(value)}: expected {problem}")


def combinations(axes: Mapping[Axis, Sequence[Any]]) -> list[dict[Axis, Any]]:
    """Return all combinations of the values of axes, the last axis varying fastest.

    Raises
    ------
    ConfigError
        An axis has no value, repeats a value, or has an invalid one.
    """
    _refuse_too_many(axes)
    for axis, values in axes.items():
        axis.check_values(values)
    all_tidy = ([tidy(value) for value in values] for values in axes.values())
    return [dict(zip(axes, place, strict=True)) for place in itertools.product(*all_tidy)]


def _refuse_too_many(axes: Mapping[Axis, Sequence[Any]]) -> None:
    """Refuse a grid of which nobody could wait for the end, before it fills the memory."""
    n_cells = math.prod(len(values) for values in axes.values())
    if n_cells > MOST_CELLS:
        several = [(axis.name, len(values)) for axis, values in axes.items() if len(values) > 1]
        factors = " × ".join(f"{name} {n:,}" for name, n in several)
        raise ConfigError(
            f"grid: {n_cells:,} cells ({factors}): expected at most {MOST_CELLS:,}; give fewer "
            f"values of grid.{max(several, key=lambda one: one[1])[0]}"
        )


def _is_huge(value: Any) -> bool:
    """Whether a value is, or as text contains, a number whose units a float no longer has.

    Examples
    --------
    >>> _is_huge(2**64), _is_huge(f"{10**30}/{10**30}"), _is_huge("6/8"), _is_huge(float("inf"))
    (True, True, False, False)
    """
    if isinstance(value, str):
        return any(len(digits) > _MOST_DIGITS for digits in _DIGITS.findall(value))
    return isinstance(value, (int, float)) and value not in _INFINITE and abs(value) > MOST


def tidy(value: Any) -> Any:
    """Return an integer-valued float as an int, any other value unchanged."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def config_text(value: Any) -> str:
    """Format a value as in the configuration.

    Examples
    --------
    >>> config_text(None), config_text(True), config_text(3)
    ('null', 'true', '3')
    """
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_number(value: Any) -> bool:
    """Return whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: Any, minimum: int) -> bool:
    """Return whether a value is an integer, `minimum` or more.

    Examples
    --------
    >>> is_whole(3, 1), is_whole(0, 1), is_whole(2.5, 1), is_whole(True, 1), is_whole(None, 1)
    (True, False, False, False, False)
    """
    return is_number(value) and value >= minimum and value == int(value)


def is_share(value: Any) -> bool:
    """Return whether a value is a share from 0 to 1."""
    return is_number(value) and 0 <= value <= 1
