"""Templates of `sim.findings.release`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {}
