"""The axes of a grid: what their values may be, and how they are written.

Invariant: what gets past `places` can be made into an adversary; two values of an axis differ.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from sim.adversary.knowledge import Window
from sim.errors import ConfigError

AXES = ("aux", "date_noise", "value_noise", "popularity")
"""Axes of a grid that samples the targets' own records, each of which must be given."""

OPTIONAL_AXES: Mapping[str, Any] = {
    "missing": 0,
    "record_length": None,
    "present": True,
    "first": None,
}
"""Axes that follow, and the one value each has where it is not given."""

MENTION_AXES: Mapping[str, Any] = {
    "value_known": 0,
    "hide_rarest": 0,
    "decoys": 0,
    "decoy_support": "top",
    "present": True,
}
"""Axes of a grid of mentions, and the one value each has where it is not given."""


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
    found = re.fullmatch(r"(\d+)/(\d+)", str(text).strip())
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


def places(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Combine the values of axes in every way, the last axis varying fastest.

    Raises
    ------
    ConfigError
        An axis is empty, repeats a value, or has one that cannot be.

    Examples
    --------
    >>> places({"missing": [0, 0.5], "present": [True]})
    [{'missing': 0, 'present': True}, {'missing': 0.5, 'present': True}]
    """
    for axis, values in axes.items():
        _check_axis(axis, values)
    tidy = ([_tidy(value) for value in values] for values in axes.values())
    return [dict(zip(axes, place, strict=True)) for place in itertools.product(*tidy)]


def _tidy(value: Any) -> Any:
    """Show 1.0 as 1."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def written(value: Any) -> str:
    """Write a value as it is written in the configuration.

    Examples
    --------
    >>> written(None), written(True), written(3)
    ('null', 'true', '3')
    """
    return {None: "null", True: "true", False: "false"}[value] if _is_word(value) else str(value)


def _is_word(value: Any) -> bool:
    return value is None or isinstance(value, bool)


def _check_axis(axis: str, values: Sequence[Any]) -> None:
    if not values:
        raise ConfigError(f"grid.{axis}: empty; expected at least one value")
    known = [written(_tidy(value)) for value in values]
    if axis == "aux":
        known = [str(parse_aux(value)) for value in values]
    elif axis == "popularity":
        known = [str(parse_window(value)) for value in values]
    if len(set(known)) < len(known):
        raise ConfigError(f"grid.{axis}: {list(values)} repeats a value; each may stand once")
    for value in values:
        problem = _problem(axis, value)
        if problem:
            raise ConfigError(f"grid.{axis}: {written(value)}: expected {problem}")


def _problem(axis: str, value: Any) -> str | None:
    """What a value of an axis should have been; None if it is good."""
    if axis == "present":
        return None if isinstance(value, bool) else "true or false"
    if axis == "decoy_support":
        good = value == "top" or (_is_number(value) and value >= 1 and value == int(value))
        return None if good else "a support of 1 or more, or top"
    if axis == "decoys":
        good = _is_number(value) and value >= 0 and value == int(value)
        return None if good else "a whole number of at least 0"
    if axis == "date_noise" and _is_number(value) and value != int(value):
        return "whole days"
    if axis == "first":
        good = value is None or (_is_number(value) and value >= 1 and value == int(value))
        return None if good else "a whole number of at least 1, or null for all"
    if axis in ("date_noise", "value_noise"):
        good = value is None or (_is_number(value) and value >= 0)
        return None if good else "0 or more, or null for none"
    if axis == "record_length":
        good = value is None or (_is_number(value) and 0 <= value < 1)
        return None if good else "a share of at least 0 and below 1, or null for not known"
    if axis in ("missing", "value_known", "hide_rarest"):
        good = _is_number(value) and 0 <= value <= 1
        return None if good else "a share from 0 to 1"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
