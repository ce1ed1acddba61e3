"""Whether an attacker of an audit knows facts of the original, of the file, or each in turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim.config.own_overrides import own_key
from sim.config.schema import AUDIT, ORIGINAL, Config, PeopleConfig

_KEY = f"{AUDIT}.known_facts"


def known_facts_of(config: Config) -> str:
    """Return what the facts of a run are of: `ORIGINAL` but for the attackers of an audit."""
    drawn = not isinstance(config.adversary, PeopleConfig)  # else they come from another table
    return config.audit.known_facts if config.aggregate == AUDIT and drawn else ORIGINAL


def knowing_facts(config: Config, known: str) -> Config:
    """Return the configuration of the same run with other facts."""
    return replace(config, audit=replace(config.audit, known_facts=known))


def with_known_facts(overrides: Sequence[str], known: str) -> list[str]:
    """Return the overrides of the same run with other facts.

    Examples
    --------
    >>> with_known_facts(["experiment=audit", "audit.known_facts=both"], "released")
    ['experiment=audit', 'audit.known_facts=released']
    """
    return [*(one for one in overrides if own_key(one) != _KEY), f"{_KEY}={known}"]
