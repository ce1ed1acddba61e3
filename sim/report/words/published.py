"""See `sim.record.published`."""

from __future__ import annotations

from sim.record.published import reads_published, rule_of_published

__all__ = ["reads_published", "rule_of_published"]
