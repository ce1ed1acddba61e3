"""Moved to `sim.report.published`."""

from __future__ import annotations

from sim.report.published import columns_published as columns_published
from sim.report.published import reads_published as reads_published
from sim.report.published import rule_of_published as rule_of_published
