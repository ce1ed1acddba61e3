"""The main results of a measurement, in sentences."""

from __future__ import annotations

from sim.findings.measurement import measurement_findings
from sim.record.run_folder import RunFolder
from sim.report.sentences import sentences


def summary_of(run: RunFolder) -> tuple[str, tuple[str, ...]]:
    """Return the main result of a measurement in a sentence, and further sentences."""
    lead, *more = sentences(measurement_findings(run))
    return lead, tuple(more)
