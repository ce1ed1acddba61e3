"""Every axis by its name: those of `sim.axes`, and those of plug-ins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sim.axes.axis import REQUIRED, Axis
from sim.axes.words import UnknownWords, Words
from sim.extend.plugins import Registry, foreign_code

AXES: Registry[Axis] = Registry(Axis, "sim.axes", "standout.axes")

GRIDS = ("sweep", "mentions", "people")
"""The grids; each goes with adversaries of its own."""


def axes_of(grid: str | None = None) -> list[Axis]:
    """List the axes of a grid, or of all, in their order.

    Examples
    --------
    >>> [axis.name for axis in axes_of("mentions")][:2]
    ['value_known', 'hide_rarest']
    """
    made = [cls() for cls in AXES.all().values() if grid is None or grid in cls.grids]
    return sorted(made, key=lambda axis: (axis.order, axis.name))


def neutral_values() -> dict[str, Any]:
    """Return the axes of which a value goes without saying, each with that value."""
    return {axis.name: axis.neutral for axis in axes_of() if axis.neutral is not REQUIRED}


def words_of(name: str) -> Words:
    """Return the words of an axis, plain ones where it is not installed.

    Examples
    --------
    >>> words_of("date_noise").words("3"), words_of("loss").words("0.5")
    ('dates ±3 days', 'loss 0.5')
    """
    cls = AXES.get(name)
    return UnknownWords(name) if cls is None else cls()


def without_unused(grid: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Leave out the axes of plug-ins that do nothing, so that installing one changes no result."""
    known = AXES.all()
    return {
        name: values
        for name, values in grid.items()
        if name not in known or not (foreign_code(known[name]) and known[name].is_unused(values))
    }


def unmodelled(grid: Mapping[str, Sequence[Any]]) -> list[str]:
    """Name the axes in use that the attack ``bayes`` has no model of.

    Examples
    --------
    >>> unmodelled({"first": [1, 2], "missing": [0.5]}), unmodelled({"first": [None]})
    (['first'], [])
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
