"""From the axes of a grid to its cells: a pure function."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sim.adversary.adversary import Adversary
from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge, Window, Wrong
from sim.errors import ConfigError

AXES = ("aux", "date_noise", "value_noise", "popularity")


@dataclass(frozen=True, slots=True)
class GridCell:
    """One combination of the axes.

    Parameters
    ----------
    index : int
        Its number in the grid.
    axes : dict of str to object
        Its place on each axis, as the user wrote it.
    adversary : Adversary
    """

    index: int
    axes: Mapping[str, Any]
    adversary: Adversary

    def __str__(self) -> str:
        shown = ("null" if value is None else value for value in self.axes.values())
        pairs = " ".join(f"{axis}={value}" for axis, value in zip(self.axes, shown, strict=True))
        return f"grid cell {self.index} ({pairs})"


def parse_aux(text: str) -> tuple[int, int]:
    """Read "m/m′": m right facts of m′.

    Raises
    ------
    ConfigError

    Examples
    --------
    >>> parse_aux("6/8")
    (6, 8)
    """
    found = re.fullmatch(r"(\d+)/(\d+)", text.strip())
    if found:
        correct, size = int(found[1]), int(found[2])
        if correct <= size and size >= 1:
            return correct, size
    raise ConfigError(f"grid.aux: {text!r}: expected right facts/facts, like 6/8")


def parse_window(given: int | str) -> Window:
    """Read a popularity filter: X for "outside the top X", or ranks "low-high".

    Raises
    ------
    ConfigError

    Examples
    --------
    >>> parse_window(100), parse_window("100-500")
    (Window(low=100, high=None), Window(low=100, high=500))
    """
    found = re.fullmatch(r"(\d+)(?:-(\d+))?", str(given).strip())
    if found and not isinstance(given, bool):
        low, high = int(found[1]), None if found[2] is None else int(found[2])
        if high is None or low < high:
            return Window(low, high)
    raise ConfigError(
        f"grid.popularity: {given!r}: expected X (outside the top X) or a window of ranks like "
        "100-500"
    )


def expand(axes: Mapping[str, Sequence[Any]], wrong: Wrong = "value") -> list[GridCell]:
    """Make the cells of a grid, the last axis varying fastest.

    Parameters
    ----------
    axes : dict of str to sequence
        Values of every axis of `AXES`.
    wrong : {"value", "item"}

    Returns
    -------
    list of GridCell

    Raises
    ------
    ConfigError
        An axis is empty, repeats a value, or has one that cannot be read.

    Examples
    --------
    >>> cells = expand(
    ...     {"aux": ["2/2"], "date_noise": [3, None], "value_noise": [0], "popularity": [0]})
    >>> print(cells[1])
    grid cell 1 (aux=2/2 date_noise=null value_noise=0 popularity=0)
    """
    for axis in AXES:
        _check_axis(axis, axes[axis])
    places = itertools.product(*([_tidy(v) for v in axes[axis]] for axis in AXES))
    return [
        GridCell(
            index,
            dict(zip(AXES, place, strict=True)),
            Sampling(
                Knowledge(
                    *parse_aux(place[0]),
                    date_noise=place[1],
                    value_noise=place[2],
                    popularity=parse_window(place[3]),
                    wrong=wrong,
                )
            ),
        )
        for index, place in enumerate(places)
    ]


def _tidy(value: Any) -> Any:
    """Show 1.0 as 1."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _check_axis(axis: str, values: Sequence[Any]) -> None:
    if not values:
        raise ConfigError(f"grid.{axis}: empty; expected at least one value")
    if len({str(v) for v in values}) < len(values):
        raise ConfigError(f"grid.{axis}: {list(values)} repeats a value; each may stand once")
    if axis in ("date_noise", "value_noise"):
        for value in values:
            if value is not None and not 0 <= value < float("inf"):
                raise ConfigError(f"grid.{axis}: {value}: expected 0 or more, or null for none")
