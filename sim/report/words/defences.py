"""How the publisher changed a release first, and whether attackers know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.config.own_overrides import own_key
from sim.config.schema import AUDIT, ORIGINAL, RELEASED
from sim.numeric.text import format_number
from sim.record.run_folder import study_of
from sim.release.store.repeats import Repeats


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
    After cut: 2 of 3 people, in 4 records (1 linked to no person); 2 of 2 items; 5 of 9 entries.
    """
    for each in record.get("defences") or ():
        left, read = each.get("left"), record.get("read") or {}
        if not left:
            continue
        people, items, entries = (
            f"{format_number(left[name])} of {format_number(read.get(key))} {words}"
            for name, key, words in _LEFT
        )
        if left["records"] != left["people"]:
            people += f", in {format_number(left['records'])} records"
        if left.get("unlinked"):
            people += f" ({format_number(left['unlinked'])} linked to no person)"
        if left.get("ungrouped"):
            items += f" ({format_number(left['ungrouped'])} without a group keep their identifiers)"
        yield f"After {each['name']}: {people}; {items}; {entries}."


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
    if (config.get("adversary") or {"kind": "aux"})["kind"] in _FROM_THE_DATA:
        yield f"The attackers' facts come from {_FACTS_OF[known_facts(config)]}."
    known = [each["name"] for each in defences if each["known_to_attackers"]]
    if known:
        yield f"Attackers know the method of {' and '.join(known)}, not the draws."
    yield from _unknown_to_attackers(record)


_LEFT = (
    ("people", "n_records", "people"),
    ("items", "n_items", "items"),
    ("cells", "n_cells", "entries"),
)
"""What is left after a defence, what there was before it, and its word."""

_FROM_THE_DATA = ("aux", "mentions", "elsewhere")
"""Adversaries whose facts are drawn from the records."""


_FACTS_OF = {ORIGINAL: "the original data", RELEASED: "what is released"}


def known_facts(config: Mapping[str, Any]) -> str:
    """Return what the facts of an attack are of: `ORIGINAL` or `RELEASED`.

    Examples
    --------
    >>> known_facts({"aggregate": None, "audit": {"known_facts": "released"}})
    'original'
    """
    of_audit = config.get("aggregate") == AUDIT
    released = of_audit and (config.get("audit") or {}).get("known_facts") == RELEASED
    return RELEASED if released else ORIGINAL


def untested_facts(record: Mapping[str, Any]) -> Iterator[str]:
    """Name attackers with other facts who were not tested, where the release lacks entries.

    Parameters
    ----------
    record : dict
        As ``run.json``, of an attack of an audit.

    Examples
    --------
    >>> left = {"people": 3, "records": 3, "items": 2, "cells": 30, "theirs": 60}
    >>> config = {"audit": {"known_facts": "original"}, "adversary": {"kind": "aux"}}
    >>> given = {"config": config, "defences": [{"left": left}]}
    >>> [*untested_facts(given)][0]
    'Whoever knows facts of what is released was not tested (audit.known_facts=original).'
    >>> left["theirs"] = 30  # others are left out as a whole
    >>> [*untested_facts(given)]
    []
    """
    config, defences = record["config"], record.get("defences") or ()
    left = defences[-1].get("left") if defences else None
    drawn = (config.get("adversary") or {"kind": "aux"})["kind"] in _FROM_THE_DATA
    if not (drawn and left and left["cells"] < left.get("theirs", left["cells"])):
        return
    known = config["audit"]["known_facts"]
    for one, other in ((ORIGINAL, RELEASED), (RELEASED, ORIGINAL)):
        if known == one:
            of = _FACTS_OF[other]
            yield f"Whoever knows facts of {of} was not tested (audit.known_facts={known})."
    if known != RELEASED:
        yield "Whoever knows exactly how many entries a person had was not tested."


def own_facts(record: Mapping[str, Any]) -> Iterator[str]:
    """Say that what attackers know was set for this run, and is not what their names stand for.

    Parameters
    ----------
    record : dict
        As ``run.json``, of an audit or a plan.

    Examples
    --------
    >>> [*own_facts({"overrides": ["grid.aux=[1/1]", "seed=3"]})][0].partition(",")[0]
    'What the attackers know was set by grid.aux=[1/1]'
    """
    for one in keys_of_knowledge(record):
        yield (
            f"What the attackers know was set by {one}, in place of what each of them is meant "
            "to know: one who knows more may find more, and was not tested."
        )


def keys_of_knowledge(record: Mapping[str, Any]) -> list[str]:
    """Return the overrides of a run that set what its attackers know.

    Parameters
    ----------
    record : dict
        As ``run.json``, of an audit or a plan.

    Examples
    --------
    >>> keys_of_knowledge({"overrides": ["grid.aux=[1/1]", "adversary.wrong=item", "seed=3"]})
    ['grid.aux=[1/1]', 'adversary.wrong=item']
    """
    given = map(str, record.get("overrides") or ())
    return [one for one in given if own_key(one).startswith(_KNOWLEDGE)]


_KNOWLEDGE = ("grid.", "adversary.")


def counts_published(record: Mapping[str, Any]) -> Iterator[str]:
    """Warn where anyone can count how often a person has an item, and no attacker knows counts.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> [*counts_published({"release": {"n_repeats": 0, "n_cells": 9}})]
    []
    """
    release = record.get("release") or {}
    if release.get("n_repeats"):
        of_what = "published file" if record.get("defences") else "same data"
        yield (
            f"{format_number(release['n_repeats'])} of {format_number(release['n_cells'])} "
            "entries are repetitions, so the release shows how often a person has an item. The "
            "attackers know single entries: one who knows exactly how often may find far more, and "
            f"was not tested. An audit of the {of_what} with data.repeats=count tests one."
        )


def has_counts(release: Mapping[str, Any]) -> bool:
    """Whether a release says how often people have items, and not that all have each once.

    Parameters
    ----------
    release : dict
        As in ``run.json``.

    Examples
    --------
    >>> has_counts({"repeats": "count", "scale": [1.0, 2.0]}), has_counts({"repeats": "latest"})
    (True, False)
    >>> has_counts({"repeats": "count", "scale": []})
    False
    """
    return release.get("repeats") == Repeats.COUNT and release.get("scale") != []


def counts_known(record: Mapping[str, Any], most: int) -> Iterator[str]:
    """Say of how many items attackers know how often, where values are counts, and who knows more.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    most : int
        Facts that an attacker knows at most.

    Examples
    --------
    >>> print(*counts_known({"release": {"repeats": "count"}}, 1))
    Each fact says how often a person has one item, and attackers know at most 1 of these: one who \
knows how often a person has more items than that may find far more, and was not tested.
    """
    if most and has_counts(record.get("release") or {}):
        yield (
            f"Each fact says how often a person has one item, and attackers know at most {most:,} "
            "of these: one who knows how often a person has more items than that may find far "
            "more, and was not tested."
        )


def unknown_defences(record: Mapping[str, Any]) -> str:
    """Name the defences of which attackers do not know what they did; empty if there is none."""
    return " and ".join(
        one["name"] for one in record.get("defences") or () if not one["known_to_attackers"]
    )


def _unknown_to_attackers(record: Mapping[str, Any]) -> Iterator[str]:
    """Warn where attackers do not know what a defence did."""
    names = unknown_defences(record)
    if names:
        one = " and " not in names
        yield (
            f"Attackers do not know that the release was changed by {names}: "
            f"of such data, or after what was changed before, {'it does' if one else 'they do'} "
            "not state what an attacker can know about the change. Every attacker here, the "
            "Bayes-optimal one included, assumes that the release is unchanged in this respect. An "
            "attacker who knows how it was changed may identify more people."
        )
