"""Templates of `sim.findings.reading`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {}
