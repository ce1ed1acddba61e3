"""All kinds of findings."""

from __future__ import annotations

from sim.findings import attack, audit, check, measurement, plan, reading, release
from sim.findings.finding import Kind

_AREAS = (reading, release, attack, measurement, audit, check, plan)

KINDS: dict[str, Kind] = {one.name: one for area in _AREAS for one in area.KINDS}
