"""Templates of `sim.findings.plan`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {}
