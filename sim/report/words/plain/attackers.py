"""Attackers in everyday words: who they are, and what they know."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sim.assessment.names import attacker_words
from sim.assessment.rows import Row
from sim.axes.aux import facts_of
from sim.numeric.text import quantity
from sim.record.run_folder import RunFolder
from sim.report.words.attack_words import knowledge
from sim.study.labels import level_plain

_ELSEWHERE: Mapping[str, str] = {
    "mentions": "which items the person mentions in public, some of them not the person's own (a "
    "list simulated from the data)",
    "mentions_file": "which items the person mentions in public, from a file",
    "elsewhere": "what the person does on another service (simulated from the data)",
    "external": "what another table says about the person",
}


def known(config: Mapping[str, Any], axes: Mapping[Any, Any]) -> str:
    """Return what an attacker knows, as a phrase that follows "knows".

    Parameters
    ----------
    config : dict
        Of the attack, as in ``run.json``.
    axes : Mapping
        The level of every axis of the grid.

    Examples
    --------
    >>> known({}, {"aux": "6/8", "value_noise": 0, "date_noise": 3, "popularity": 0})
    '8 facts about a person, 6 of them right, with exact values and dates within 3 days'
    """
    kind = (config.get("adversary") or {"kind": "aux"})["kind"]
    if kind in _ELSEWHERE:
        return _ELSEWHERE[kind]
    facts = knowledge(axes, [axis for axis in axes if axis == "aux"], words_of=level_plain)
    rest = precision(axes)
    return f"{facts}, with {rest}" if rest else facts


def precision(axes: Mapping[Any, Any]) -> str:
    """Return what facts are like, as a phrase that follows "with"; empty: no axis says it.

    Examples
    --------
    >>> precision({"aux": "6/8", "value_noise": 0, "date_noise": 3, "popularity": 0})
    'exact values and dates within 3 days'
    """
    others = [axis for axis in axes if axis not in ("aux", "present")]
    said = knowledge(axes, others, words_of=level_plain)
    return "" if said == knowledge({}, []) else said


def attacker(name: str) -> str:
    """Return the name of an attacker as a reader sees it.

    Examples
    --------
    >>> attacker("well_informed")
    '“well informed”'
    """
    return f"“{attacker_words(name)}”"


def attack_of(run: RunFolder, name: str) -> RunFolder:
    """Return the part of an audit in which an attacker attacks."""
    return next(part.run for part in run.parts if part.name == name and part.run is not None)


def attacker_with_facts(row: Row) -> str:
    """Name an attacker with the number of its facts, which tells its rows apart."""
    aux = row.axes.get("aux")
    of = f" of the {row.facts}" if row.facts else ""
    return attacker(row.attacker) + (f" with {quantity(facts_of(aux), 'fact')}{of}" if aux else of)
