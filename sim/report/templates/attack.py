"""Templates of `sim.findings.attack`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {}
