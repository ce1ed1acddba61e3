"""Everything that a run found, the main result first."""

from __future__ import annotations

from collections.abc import Iterator

from sim.assessment.assessment import assess, attacking, is_audit
from sim.findings.audit import audit_findings
from sim.findings.finding import Finding
from sim.findings.reading import reading_findings
from sim.findings.release import change_findings, own_facts, untested_facts
from sim.record.run_folder import RunFolder


def findings_of(run: RunFolder) -> list[Finding]:
    """Return what a run found; the first finding is its main result."""
    key = findings_of
    if key not in run.worked_out:
        run.worked_out[key] = [*_findings(run)]
    found: list[Finding] = run.worked_out[key]
    return found


def _findings(run: RunFolder) -> Iterator[Finding]:
    if is_audit(run):
        yield from audit_findings(assess(run))
        yield from of_the_data(attacking(run))


def of_the_data(run: RunFolder) -> Iterator[Finding]:
    """Yield what reading the data of a run found, and how they were changed before it."""
    yield from reading_findings(run.record)
    yield from change_findings(run.record)
    yield from own_facts(run.record)
    yield from untested_facts(run.record)
