"""The registry of axes: those of `sim.axes`, and those of plug-ins."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sim.axes.axis import REQUIRED, Axis
from sim.axes.words import UnknownWords, Words
from sim.extend.plugins import Registry, foreign_code

AXES: Registry[Axis] = Registry(Axis, "sim.axes", "standout.axes")

GRIDS = ("sweep", "mentions", "people")
"""The grids; each has its own adversaries."""


def axes_of(grid: str | None = None) -> list[Axis]:
    """Return the axes of a grid, or of all grids, in their order.

    Examples
    --------
    >>> [axis.name for axis in axes_of("mentions")][:2]
    ['value_known', 'hide_rarest']
    """
    return in_order(AXES.all().values(), grid)


def in_order(classes: Iterable[type[Axis]], grid: str | None = None) -> list[Axis]:
    """Return the axes of these classes that a grid has, or all, in their order."""
    made = [_made(cls) for cls in classes if grid is None or grid in cls.grids]
    return sorted(made, key=lambda axis: (axis.order, axis.name))


def neutral_values() -> dict[str, Any]:
    """Return the neutral value of every axis that has one."""
    return {axis.name: axis.neutral for axis in axes_of() if axis.neutral is not REQUIRED}


def words_of(name: str) -> Words:
    """Return the words of an axis, default ones where it is not installed.

    Examples
    --------
    >>> words_of("date_noise").words("3"), words_of("loss").words("0.5")
    ('dates ±3 days', 'loss 0.5')
    """
    cls = AXES.get(name)
    return UnknownWords(name) if cls is None else _made(cls)


@functools.cache
def _made(cls: type[Axis]) -> Axis:
    """Return the one instance that is needed of a class, all of whose instances are equal."""
    return cls()


def without_unused(grid: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Remove axes without an effect: of plug-ins, which must change no result, and the like."""
    known = AXES.all()

    def optional(axis: type[Axis]) -> bool:
        return axis.only_if_used or bool(foreign_code(axis))

    return {
        name: values
        for name, values in grid.items()
        if name not in known or not (optional(known[name]) and known[name].is_unused(values))
    }


def unmodelled(grid: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the names of the axes in use that the attack ``bayes`` does not model.

    Examples
    --------
    >>> unmodelled({"first": [1, 2], "missing": [0.5]})
    []
    """
    known = AXES.all()
    return [
        name
        for name, values in grid.items()
        if name in known
        and "sweep" in known[name].grids
        and not known[name].modelled
        and not known[name].is_unused(values)
    ]
