"""The plan that takes each item of a person once, and how many entries it asks for.

Invariant: a plan that left short records out still does so, where the data leave enough people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.extend.overrides import override
from sim.numeric.text import quantity
from sim.release.store.people_with import PEOPLE_WITH, PEOPLE_WITHIN
from sim.release.store.repeats import Repeats
from sim.report.words.plain.commands import MAX_LENGTH, MIN_LENGTH

ONCE = override("data.repeats", str(Repeats.LATEST))


def once_each(record: Mapping[str, Any]) -> list[str]:
    """Return the overrides of the plan of a run by which each person has each item once.

    The length that is asked for is the largest, up to that of before, that leaves at least half as
    many people as it did; `plan_command` leaves out one that is not given. Who was left out for too
    many entries has more different items than any other, or else is not left out.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> some = {"entries": [9, 8, 8, 6], "items": [9, 8, 3, 1]}
    >>> record = {"config": {"plan": {"min_length": 4}}, "release": {"people_with": some}}
    >>> once_each(record)
    ['data.repeats=latest', 'plan.min_length=3']
    >>> record["config"]["plan"]["max_length"] = 90
    >>> record["people_within_max_length"] = some | {"max_items": 7}
    >>> once_each(record)
    ['data.repeats=latest', 'plan.max_length=7', 'plan.min_length=3']
    """
    length, most = _length(record), (record.get(PEOPLE_WITHIN) or {}).get("max_items")
    asked = [*([override(MAX_LENGTH, most)] if most else [])]
    return [ONCE, *asked, *([override(MIN_LENGTH, length)] if length else [])]


def of_other_length(record: Mapping[str, Any]) -> str:
    """Say that this plan asks for fewer entries, to follow a sentence; empty where it does not.

    Examples
    --------
    >>> some = {"entries": [9, 8, 8, 6], "items": [9, 8, 3, 1]}
    >>> record = {"config": {"plan": {"min_length": 4}}, "release": {"people_with": some}}
    >>> of_other_length(record)
    ' The command with data.repeats=latest asks for 3 entries of a person in place of 4 \
(plan.min_length), as people have fewer different items than entries.'
    """
    return f"{_of_fewest(record)}{_of_most(record)}"


def _of_most(record: Mapping[str, Any]) -> str:
    """Say what becomes of those who were left out for too many entries."""
    within = record.get(PEOPLE_WITHIN)
    if not within:
        return ""
    given = f"more than {record['config']['plan']['max_length']:,} entries ({MAX_LENGTH})"
    if within["max_items"]:
        return f" Those with {given} have more than {within['max_items']:,} different items."
    return (
        f" Those with {given} are not left out by it, as some have no more different items than "
        "others do: take them out of the data before."
    )


def _of_fewest(record: Mapping[str, Any]) -> str:
    """Say that fewer entries are asked for; empty where they are not."""
    asked, length = _asked(record), _length(record)
    if not asked or length == asked:
        return ""
    asks = "leaves nobody out for having few entries"
    if length is not None:
        asks = f"asks for {quantity(length, 'entry', 'entries')} of a person in place of {asked:,}"
    return (
        f" The command with {ONCE} {asks} ({MIN_LENGTH}), as people have fewer different items "
        "than entries."
    )


def _asked(record: Mapping[str, Any]) -> int | None:
    length = (record["config"].get("plan") or {}).get("min_length")
    return None if length is None else int(length)


def _length(record: Mapping[str, Any]) -> int | None:
    """Return the length to ask for; None: nobody is to be left out for it."""
    asked = _asked(record)
    counts = record.get(PEOPLE_WITHIN) or record["release"].get(PEOPLE_WITH)
    if not asked or not counts:
        return None
    entries, items = counts["entries"], counts["items"]
    before = entries[min(asked, len(entries)) - 1]
    enough = [n for n, people in enumerate(items[:asked], 1) if 2 * people >= before]
    most = max(enough, default=1)
    return most if most > 1 else None
