"""The templates of all kinds."""

from __future__ import annotations

from sim.report.templates import attack, audit, check, measurement, plan, reading, release, verdicts

_AREAS = (reading, release, attack, measurement, audit, verdicts, check, plan)

TEMPLATES: dict[str, str] = {kind: text for area in _AREAS for kind, text in area.TEMPLATES.items()}
