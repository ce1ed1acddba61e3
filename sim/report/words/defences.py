"""How the publisher changed a release first, and whether attackers know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.numeric.text import format_number
from sim.record.run_folder import study_of


def applied(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the defences of a run in the order in which they were applied, as names and words.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> given = {"name": "jitter_time", "in_words": "dates shifted by up to 3 days"}
    >>> for pair in applied({"defences": [given | {"known_to_attackers": True}]}):
    ...     print(*pair, sep="; ")
    defence 1, jitter_time; dates shifted by up to 3 days; attackers know the method, not the draws
    """
    for place, each in enumerate(record.get("defences") or (), 1):
        knows = (
            "attackers know the method, not the draws"
            if each["known_to_attackers"]
            else "attackers assume that it changed nothing"
        )
        yield f"defence {place}, {each['name']}", f"{each['in_words']}; {knows}"


def left_by_each(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what each defence of a run has left of the data, as sentences.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> left = {"people": 2, "records": 4, "unlinked": 1, "items": 2, "cells": 5}
    >>> before = {"n_records": 3, "n_items": 2, "n_cells": 9}
    >>> for line in left_by_each({"read": before, "defences": [{"name": "cut", "left": left}]}):
    ...     print(line)
    After cut: 2 of 3 people, in 4 records (1 linked to no person); 2 of 2 items; 5 of 9 cells.
    """
    for each in record.get("defences") or ():
        left, read = each.get("left"), record.get("read") or {}
        if not left:
            continue
        people, items, cells = (
            f"{format_number(left[name])} of {format_number(read.get(key))} {name}"
            for name, key in (("people", "n_records"), ("items", "n_items"), ("cells", "n_cells"))
        )
        if left["records"] != left["people"]:
            people += f", in {format_number(left['records'])} records"
        if left.get("unlinked"):
            people += f" ({format_number(left['unlinked'])} linked to no person)"
        if left.get("ungrouped"):
            items += f" ({format_number(left['ungrouped'])} without a group keep their identifiers)"
        yield f"After {each['name']}: {people}; {items}; {cells}."


def changed_first(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield how a release was changed, where facts come from, and what attackers know of it.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> given = {"name": "jitter_time", "in_words": "dates shifted by up to 3 days"}
    >>> config = {"study": {"kind": "attack"}, "adversary": {"kind": "aux"}}
    >>> defences = [given | {"known_to_attackers": True}]
    >>> for sentence in changed_first({"defences": defences, "config": config}):
    ...     print(sentence)
    The release was changed first: dates shifted by up to 3 days.
    The attackers' facts come from the original data.
    Attackers know the method of jitter_time, not the draws.
    """
    defences = record.get("defences") or ()
    if not defences:
        return
    yield f"The release was changed first: {'; '.join(each['in_words'] for each in defences)}."
    yield from left_by_each(record)
    config = record["config"]
    if study_of(config) != "attack":
        return
    if (config.get("adversary") or {"kind": "aux"})["kind"] in _FROM_THE_ORIGINAL:
        yield "The attackers' facts come from the original data."
    known = [each["name"] for each in defences if each["known_to_attackers"]]
    if known:
        yield f"Attackers know the method of {' and '.join(known)}, not the draws."
    yield from _unknown_to_attackers(record)


_FROM_THE_ORIGINAL = ("aux", "mentions", "elsewhere")
"""Adversaries whose facts are drawn from the records of the release."""


def _unknown_to_attackers(record: Mapping[str, Any]) -> Iterator[str]:
    """Warn where attackers do not know what a defence did."""
    names = [x["name"] for x in record.get("defences") or () if not x["known_to_attackers"]]
    if names:
        one = len(names) == 1
        yield (
            f"Attackers do not know that the release was changed by {' and '.join(names)}: "
            f"{'this defence does' if one else 'these defences do'} not state what an attacker can "
            "know about the change. Every attacker here, the Bayes-optimal one included, assumes "
            "that the release is unchanged in this respect. An attacker who knows how it was "
            "changed may identify more people."
        )
