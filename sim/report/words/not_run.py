"""Which attackers an audit runs unless told otherwise, and this one did not."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from omegaconf import OmegaConf

from sim.assessment.names import attacker_words
from sim.config.folder import conf
from sim.config.schema import AUDIT
from sim.numeric.text import quantity


def not_run(record: Mapping[str, Any]) -> Iterator[str]:
    """Say whom ``audit.attackers`` leaves out of an audit.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> few = ["insider", "well_informed", "acquaintance"]
    >>> config = {"aggregate": "audit", "audit": {"attackers": few}}
    >>> [*not_run({"config": config})]
    ['2 attackers whom an audit runs by default were left out, and not tested (audit.attackers): \
public profile, other service.']
    """
    left = names_not_run(record)
    if left:
        were = "was" if len(left) == 1 else "were"
        yield (
            f"{quantity(len(left), 'attacker')} whom an audit runs by default {were} left out, and "
            f"not tested (audit.attackers): {', '.join(map(attacker_words, left))}."
        )


def names_not_run(record: Mapping[str, Any]) -> list[str]:
    """Return the names of the attackers whom ``audit.attackers`` leaves out of an audit.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    """
    config = record["config"]
    if config.get("aggregate") != AUDIT:
        return []
    return [name for name in usual_audit()["attackers"] if name not in config["audit"]["attackers"]]


@functools.cache
def usual_audit() -> dict[str, Any]:
    """Return the default settings of an audit, by key.

    Examples
    --------
    >>> usual_audit()["confidence"]
    0.5
    """
    written: Any = OmegaConf.load(conf() / "config.yaml")
    found: Any = OmegaConf.to_container(written.audit)
    return dict(found)
