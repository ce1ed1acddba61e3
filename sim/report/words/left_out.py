"""What a release cannot have of what was asked, in plain words: one text for terminal and report.

Invariant: whatever ``run.json`` says was left out of the grid is stated with its reason, and so is
what wrong facts are wrong about where the release decided on it, an error of values in % that is of
bins or reaches no other value, a φ without effect, and an attack that allows for smaller errors
than the facts have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sim.adversary.knowledge import reach
from sim.attack.algorithms.registry import ATTACKS, attack_class
from sim.axes.aux import AuxAxis, facts_of
from sim.release.store.accounts import BINS
from sim.study.labels import axis_title, level_text, level_words

LEFT = "Left out: "
"""How the sentence on levels of the grid begins."""


def adapted(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return how the grid of a run was adapted to its release, a sentence each.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> values = {"axes": {"value_noise": 0}, "reason": "the release has no values",
    ...     "instead": {"value_noise": None}}
    >>> adapted({"left_out": [values]})
    ('Left out: exact values (the release has no values; the attacker knows none).',)
    """
    left_out: Sequence[Mapping[str, Any]] = record.get("left_out") or ()
    found = []
    if left_out:
        found.append(f"{LEFT}{', '.join(_pieces(left_out))}.")
    return (
        *found, *_items_alone(record), *_relative(record), *_wrong(record), *_unused(record),
        *_excluded(record),
    )  # fmt: skip


def replaced(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an attacker knows in place of what it is meant to know, with the reason.

    That it knows fewer facts is left out: it is no other knowledge, but less of it.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> shorter = {"axes": {"max_length": 511}, "reason": "too few items",
    ...     "instead": {"max_length": 15}}
    >>> [*replaced({"left_out": [shorter]})]
    ['lists of up to 15 mentions in place of lists of up to 511 mentions (too few items)']
    """
    for one in record.get("left_out") or ():
        for name, given in one["instead"].items():
            meant = one["axes"].get(name)
            if given is not None and meant is not None and not _is_fewer(name, meant, given):
                yield f"{_words(name, given)} in place of {_words(name, meant)} ({one['reason']})"


def _is_fewer(name: str, meant: Any, given: Any) -> bool:
    return name == AuxAxis.name and facts_of(given) < facts_of(meant)


def _pieces(left_out: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Each reason once, with all that it is the reason for."""
    reasons: dict[str, list[Mapping[str, Any]]] = {}
    for one in left_out:
        reasons.setdefault(one["reason"], []).append(one)
    for reason, ones in reasons.items():
        words = [" with ".join(_words(*pair) for pair in one["axes"].items()) for one in ones]
        instead = [
            "the attacker knows none" if pair[1] is None else f"instead: {_words(*pair)}"
            for pair in ones[-1]["instead"].items()
        ]
        other = f"; {instead[0]}" if instead else ""
        yield f"{', '.join(words)} ({reason}{other})"


def _words(name: str, value: Any) -> str:
    if name == "max_length":  # of the adversary's, where the others are axes of the grid
        return "lists of 1 mention" if value == 1 else f"lists of up to {value} mentions"
    return level_words(name, value)


def _items_alone(record: Mapping[str, Any]) -> Iterator[str]:
    """Say so where the release left neither values nor dates to know."""
    gone = {axis for one in record.get("left_out") or () for axis in one["instead"]}
    grid = (record.get("config") or {}).get("grid") or {}
    parts = ("value_noise", "date_noise")
    if gone.intersection(parts) and all(None in grid.get(part, ()) for part in parts):
        yield (
            "Where the attacker knows neither values nor dates, records are scored by the items "
            "that they hold."
        )


def _relative(record: Mapping[str, Any]) -> Iterator[str]:
    """Say what a percentage is of where values are in bins, and where it changes no value."""
    release = record.get("release") or {}
    grid = (record.get("config") or {}).get("grid") or {}
    given = [value for value in grid.get("value_noise") or () if str(value).endswith("%")]
    if not given:
        return
    if (release.get("notes") or {}).get(BINS):
        yield f"Errors of values in % ({', '.join(given)}) are of the lower end of a value's bin."
    scale = np.array(release.get("scale") or (), np.float64)
    for value in given:
        share = reach(float(str(value).rstrip("% ")) / 100)
        if not (np.diff(scale) <= share * np.maximum(abs(scale[1:]), abs(scale[:-1]))).any():
            yield (
                f"Errors of values of {value} change none: no two levels of the release are so "
                "close."
            )


def _wrong(record: Mapping[str, Any]) -> Iterator[str]:
    """Say what wrong facts are wrong about, where the configuration leaves it open."""
    adversary = (record.get("config") or {}).get("adversary") or {}
    kinds = [kind for kind in record.get("wrong_facts") or () if kind is not None]
    if adversary.get("wrong") != "auto" or not kinds:
        return
    items = kinds.count("item")
    if not items:
        yield "Wrong facts have a wrong value or date (adversary.wrong=auto: value)."
        return
    where = (
        ""
        if items == len(kinds)
        else f" in {items} of the {len(kinds)} conditions with wrong facts"
    )
    yield (
        f"Wrong facts are about items that the target does not hold{where}, since a wrong value or "
        "date may not differ from the true one (adversary.wrong=auto: item)."
    )


def _unused(record: Mapping[str, Any]) -> Iterator[str]:
    """Say so where φ was asked for, and the attack's rule has none."""
    name = ((record.get("config") or {}).get("attack") or {}).get("name", "")
    cls = ATTACKS.get(name)
    typed = {str(one).split("=", 1)[0].lstrip("+") for one in record.get("overrides") or ()}
    if cls is not None and not cls.matches_by_phi and "attack.phi" in typed:
        rule = f"it matches by another rule ({cls.rule})"
        yield f"attack.phi has no effect with attack={name}: {rule}."


def _excluded(record: Mapping[str, Any]) -> Iterator[str]:
    """Say so where the records that fit are sought within less than the facts are wrong by."""
    config = record.get("config") or {}
    attack, grid = config.get("attack") or {}, config.get("grid") or {}
    if not attack_class(attack.get("name", "")).answers_with_set:
        return
    for key, axis in _LIMITS.items():
        limit = attack.get(key)
        numbers = [
            one
            for one in grid.get(axis) or ()
            if isinstance(one, (int, float)) and not isinstance(one, bool)
        ]
        if isinstance(limit, (int, float)) and numbers and max(numbers) > limit:
            what, widest = axis_title(axis), max(numbers)
            yield (
                f"The attack may rule out the right record where a fact is off by more than "
                f"{level_text(limit)} (attack.{key}), and the {what} is up to {level_text(widest)}."
            )


_LIMITS = {"eps_value": "value_noise", "eps_day": "date_noise"}
"""The axis whose errors each option of an attack allows for."""
