"""Templates of `sim.findings.measurement`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {}
