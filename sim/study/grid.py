"""From the axes of a grid to its cells: a pure function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sim.adversary.adversary import Adversary
from sim.adversary.draw import Sampling
from sim.adversary.elsewhere import Elsewhere
from sim.adversary.knowledge import Knowledge, Wrong
from sim.adversary.mentions import Mentions
from sim.errors import ConfigError
from sim.study.axes import (
    AXES,
    MENTION_AXES,
    OPTIONAL_AXES,
    parse_aux,
    parse_window,
    places,
    written,
)

__all__ = [
    "AXES",
    "MENTION_AXES",
    "OPTIONAL_AXES",
    "GridCell",
    "expand",
    "expand_mentions",
    "expand_people",
    "parse_aux",
    "parse_window",
]


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
        pairs = " ".join(f"{axis}={written(value)}" for axis, value in self.axes.items())
        return f"grid cell {self.index} ({pairs})" if pairs else f"grid cell {self.index}"


def expand(axes: Mapping[str, Sequence[Any]], wrong: Wrong = "value") -> list[GridCell]:
    """Make the cells of a grid, the last axis varying fastest.

    Parameters
    ----------
    axes : dict of str to sequence
        Values of every axis of `AXES`, and of those of `OPTIONAL_AXES` that are varied.

    Raises
    ------
    ConfigError
        An axis is unknown, not given, empty, repeats a value, or has one that cannot be read.

    Examples
    --------
    >>> cells = expand(
    ...     {"aux": ["2/2"], "date_noise": [3, None], "value_noise": [0], "popularity": [0]})
    >>> len(cells), cells[1].axes["present"], str(cells[1].adversary.knowledge)
    (2, True, 'aux=2/2 value_noise=0 date_noise=null popularity=0')
    """
    for axis in AXES:
        if axis not in axes:
            raise ConfigError(f"grid.{axis}: not given; expected at least one value")
    whole = {axis: axes[axis] for axis in AXES} | _given(axes, OPTIONAL_AXES, AXES)
    return [
        GridCell(
            index,
            place,
            Sampling(
                Knowledge(
                    *parse_aux(place["aux"]),
                    date_noise=place["date_noise"],
                    value_noise=place["value_noise"],
                    popularity=parse_window(place["popularity"]),
                    wrong=wrong,
                    missing=place["missing"],
                    record_length=place["record_length"],
                    present=place["present"],
                    first=_first(place),
                )
            ),
        )
        for index, place in enumerate(places(whole))
    ]


def _first(place: Mapping[str, Any]) -> int | None:
    first, (_, size) = place["first"], parse_aux(place["aux"])
    if first is None:
        return None
    if first > size:
        raise ConfigError(f"grid.first: {first}: more facts than grid.aux={place['aux']} has")
    return int(first)


def expand_mentions(axes: Mapping[str, Sequence[Any]], base: Mentions) -> list[GridCell]:
    """Make the cells of a grid of mentions, the last axis varying fastest.

    Parameters
    ----------
    axes : dict of str to sequence
        Values of the axes of `MENTION_AXES` that are varied.
    base : Mentions
        What all cells have in common.

    Raises
    ------
    ConfigError
        An axis is unknown, empty, repeats a value, or has one that cannot be.

    Examples
    --------
    >>> cells = expand_mentions({"decoys": [0, 5], "decoy_support": [8, "top"]}, Mentions())
    >>> print(cells[2])
    grid cell 2 (value_known=0 hide_rarest=0 decoys=5 decoy_support=8 present=true)
    """
    whole = _given(axes, MENTION_AXES)
    return [
        GridCell(index, place, replace(base, **place)) for index, place in enumerate(places(whole))
    ]


def expand_people(axes: Mapping[str, Sequence[Any]], base: Elsewhere) -> list[GridCell]:
    """Make the cells of a grid of people, who differ only in whether their records are there.

    Parameters
    ----------
    axes : dict of str to sequence
        Values of ``present``.
    base : Elsewhere
        What all cells have in common.

    Raises
    ------
    ConfigError
        An axis is unknown, empty, repeats a value, or has one that cannot be.

    Examples
    --------
    >>> [str(cell) for cell in expand_people({"present": [False]}, Elsewhere())]
    ['grid cell 0 (present=false)']
    """
    whole = _given(axes, {"present": True})
    return [
        GridCell(index, place, replace(base, **place)) for index, place in enumerate(places(whole))
    ]


def _given(
    axes: Mapping[str, Sequence[Any]], defaults: Mapping[str, Any], others: tuple[str, ...] = ()
) -> dict[str, Sequence[Any]]:
    """Values of the axes that have defaults; no axis is passed over."""
    known = (*others, *defaults)
    for axis in axes:
        if axis not in known:
            raise ConfigError(f"grid.{axis}: no such axis; expected {', '.join(known)}")
    return {axis: axes.get(axis, [default]) for axis, default in defaults.items()}
