"""What every axis of a grid states: its values, what they do to an adversary, and its words.

Invariant: what `places` lets through can be made into an adversary; two values of an axis differ.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sim.axes.words import Words
from sim.errors import ConfigError
from sim.extend.options import Options
from sim.release.store.manifest import Manifest

REQUIRED = object()
"""In place of `Axis.neutral`: no value of the axis goes without saying."""


class Axis(Options, Words, ABC):
    """An axis of a grid; its instances do not differ."""

    group: ClassVar[str] = "grid"
    grids: ClassVar[tuple[str, ...]] = ("sweep",)
    """The grids that have it: "sweep", "mentions", "people"."""
    order: ClassVar[int] = 75
    """Its place among the axes of a grid; axes with a higher number vary faster."""
    value_type: ClassVar[Any]
    """Type of one value, as Hydra checks it: bool, int, float, str, an Optional, or Any."""
    neutral: ClassVar[Any] = REQUIRED
    """The value that changes nothing, and that reports do not mention."""
    default: ClassVar[tuple[Any, ...]] = ()
    """The values in the configuration; empty: just `neutral`."""
    help: ClassVar[str]
    """A line, without a full stop."""
    example: ClassVar[str]
    """A list of values, as on the command line."""
    column_type: ClassVar[str]
    """Of its column in ``curves.parquet``, in words."""
    meaning: ClassVar[str]
    """Of that column; a line, without a full stop."""
    modelled: ClassVar[bool] = False
    """Whether attack ``bayes`` takes it into account."""
    restricts: ClassVar[bool] = False
    """Whether its values decide which records have enough facts to be a target."""

    @classmethod
    def name_of(cls) -> str:
        """See `Options.name_of`."""
        return getattr(cls, "name", "")

    @classmethod
    def defaults(cls) -> list[Any]:
        """The values in the configuration."""
        return list(cls.default or (cls.neutral,))

    @classmethod
    def is_unused(cls, values: Sequence[Any]) -> bool:
        """Whether values do nothing: they are the neutral one alone."""
        return cls.neutral is not REQUIRED and list(values) == [cls.neutral]

    def check(self) -> None:
        """See `Options.check`: its own default can be read."""
        if self.neutral is REQUIRED and not (self.default and self.modelled):
            raise ConfigError(f"grid.{self.name}: expected a neutral value")
        self.check_values(self.defaults())

    @abstractmethod
    def expected(self, value: Any) -> str | None:
        """Return what a value should have been; None if it is good."""

    def parsed(self, value: Any) -> Any:
        """Read a good value; two that are read alike are the same.

        Raises
        ------
        ConfigError
            It cannot be read.
        """
        return value

    @abstractmethod
    def apply(self, adversary: Any, value: Any) -> Any:
        """Return the adversary of a grid cell with this value; see `sim.adversary.adversary`.

        Axes are applied in their order, each to what the one before returned.

        Raises
        ------
        ConfigError
            The value does not go with those of other axes.
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

    def instead(self, release: Manifest) -> Any:  # noqa: ARG002
        """Return the value of a grid of which no value is left."""
        return self.neutral

    def check_values(self, values: Sequence[Any]) -> None:
        """Refuse values that cannot be read, or that repeat each other.

        Raises
        ------
        ConfigError
        """
        if not values:
            raise ConfigError(f"grid.{self.name}: empty; expected at least one value")
        known = [written(tidy(self.parsed(value))) for value in values]
        if len(set(known)) < len(known):
            raise ConfigError(
                f"grid.{self.name}: {list(values)} repeats a value; each may stand once"
            )
        for value in values:
            problem = self.expected(value)
            if problem:
                raise ConfigError(f"grid.{self.name}: {written(value)}: expected {problem}")


def places(axes: Mapping[Axis, Sequence[Any]]) -> list[dict[Axis, Any]]:
    """Combine the values of axes in every way, the last axis varying fastest.

    Raises
    ------
    ConfigError
        An axis is empty, repeats a value, or has one that cannot be.
    """
    for axis, values in axes.items():
        axis.check_values(values)
    all_tidy = ([tidy(value) for value in values] for values in axes.values())
    return [dict(zip(axes, place, strict=True)) for place in itertools.product(*all_tidy)]


def tidy(value: Any) -> Any:
    """Show 1.0 as 1."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def written(value: Any) -> str:
    """Write a value as it is written in the configuration.

    Examples
    --------
    >>> written(None), written(True), written(3)
    ('null', 'true', '3')
    """
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number of at least so much.

    Examples
    --------
    >>> is_whole(3, 1), is_whole(0, 1), is_whole(2.5, 1), is_whole(True, 1), is_whole(None, 1)
    (True, False, False, False, False)
    """
    return is_number(value) and value >= least and value == int(value)


def is_share(value: Any) -> bool:
    """Whether a value is a share from 0 to 1."""
    return is_number(value) and 0 <= value <= 1
