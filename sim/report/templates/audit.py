"""Templates of `sim.findings.audit`."""

from __future__ import annotations

TEMPLATES: dict[str, str] = {}
