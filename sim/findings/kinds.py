"""All kinds of findings: those that the modules of this room define, and those of measurements."""

from __future__ import annotations

from types import ModuleType

from sim.findings import (
    attack,
    audit,
    chains,
    check,
    measurement,
    plan,
    reading,
    release,
    strongest,
    suspicions,
    verdicts,
)
from sim.findings.finding import Kind
from sim.measurements.registry import MEASUREMENTS


def kinds_of(module: ModuleType) -> list[Kind]:
    """Return the kinds that a module names."""
    return [one for one in vars(module).values() if isinstance(one, Kind)]


ALL = [
    *(kind for cls in MEASUREMENTS.all().values() for kind in cls.kinds),
    *(kind for one in (reading, suspicions, release, attack, strongest) for kind in kinds_of(one)),
    *(kind for one in (measurement, audit, verdicts, check, chains) for kind in kinds_of(one)),
    *kinds_of(plan),
]

KINDS: dict[str, Kind] = {one.name: one for one in ALL}
