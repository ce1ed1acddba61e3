"""The attackers that an audit runs unless told otherwise."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from omegaconf import OmegaConf

from sim.config.folder import conf
from sim.config.schema import AUDIT


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


@functools.cache
def brought() -> frozenset[str]:
    """Return the names of the attackers that Standout brings."""
    return frozenset(path.stem for path in (conf() / "attacker").glob("*.yaml"))
