"""What an audit asks unless told otherwise, and the attackers that come with Standout."""

from __future__ import annotations

import functools
from typing import Any

from omegaconf import OmegaConf

from sim.config.folder import conf


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
def own_attackers() -> frozenset[str]:
    """Return the names of the attackers that Standout brings."""
    return frozenset(path.stem for path in (conf() / "attacker").glob("*.yaml"))
