"""From the axes of a grid to its cells: a pure function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.adversary.adversary import Adversary
from sim.axes.axis import REQUIRED, Axis, combinations, config_text
from sim.axes.registry import axes_of, without_unused
from sim.errors import ConfigError


@dataclass(frozen=True, slots=True)
class GridCell:
    """One combination of the axes.

    Parameters
    ----------
    index : int
        Its number in the grid.
    axes : dict of str to object
        Its place on each axis, as the user wrote it.
    """

    index: int
    axes: Mapping[str, Any]
    adversary: Adversary

    def __str__(self) -> str:
        pairs = " ".join(f"{axis}={config_text(value)}" for axis, value in self.axes.items())
        return f"grid cell {self.index} ({pairs})" if pairs else f"grid cell {self.index}"


def expand(grid: str, axes: Mapping[str, Sequence[Any]], base: Adversary) -> list[GridCell]:
    """Return the cells of a grid, the last axis varying fastest.

    Parameters
    ----------
    grid : str
        One of `sim.axes.registry.GRIDS`.
    axes : dict of str to sequence
        Values of the axes of the grid; one that has a neutral value need not be given.
    base : Adversary
        What all cells have in common; each axis changes it in turn.

    Raises
    ------
    ConfigError
        An axis is unknown, not given, empty, repeats a value, or has one that cannot be read.

    Examples
    --------
    >>> from sim.adversary.draw import Sampling
    >>> from sim.adversary.elsewhere import Elsewhere
    >>> from sim.adversary.knowledge import Knowledge
    >>> cells = expand("sweep", {"aux": ["2/2"], "date_noise": [3, None], "value_noise": [0],
    ...     "popularity": [0]}, Sampling(Knowledge(1, 1)))
    >>> len(cells), cells[1].axes["present"], str(cells[1].adversary.knowledge)
    (2, True, 'aux=2/2 value_noise=0 date_noise=null popularity=0')
    >>> [str(cell) for cell in expand("people", {"present": [False]}, Elsewhere())]
    ['grid cell 0 (present=false)']
    """
    return [
        GridCell(index, {axis.name: value for axis, value in place.items()}, _made(base, place))
        for index, place in enumerate(combinations(_given(grid, axes)))
    ]


def _made(base: Adversary, place: Mapping[Axis, Any]) -> Adversary:
    for axis, value in place.items():
        base = axis.apply(base, value)
    return base


def _given(grid: str, axes: Mapping[str, Sequence[Any]]) -> dict[Axis, Sequence[Any]]:
    """Values of every axis of a grid; no axis is passed over."""
    known = axes_of(grid)
    names = [axis.name for axis in known]
    for name in axes:
        if name not in names:
            raise ConfigError(f"grid.{name}: no such axis; expected {', '.join(names)}")
    whole = {axis.name: axes.get(axis.name, [axis.neutral]) for axis in known}
    for name, values in whole.items():
        if REQUIRED in values:
            raise ConfigError(f"grid.{name}: not given; expected at least one value")
    used = without_unused(whole)
    return {axis: used[axis.name] for axis in known if axis.name in used}
