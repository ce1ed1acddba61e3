"""Everything that a run found, the main result first."""

from __future__ import annotations

from collections.abc import Iterator

from sim.findings.assessment import assess, attacking, audit_of, is_audit, is_plan
from sim.findings.attack import attack_findings
from sim.findings.audit import audit_findings, open_questions
from sim.findings.chains import is_frontier
from sim.findings.finding import Finding, each_once
from sim.findings.measurement import conclusion_findings, measurement_findings
from sim.findings.plan import frontier_findings, plan_findings
from sim.findings.reading import reading_findings
from sim.findings.release import (
    change_findings,
    grid_findings,
    own_facts,
    untested_facts,
    utility_findings,
)
from sim.findings.risk_rows import risk_rows
from sim.record.run_folder import RunFolder, runs_of


def findings_of(run: RunFolder) -> list[Finding]:
    """Return what a run found, each finding once; the first one is its main result."""
    key = findings_of
    if key not in run.worked_out:
        run.worked_out[key] = each_once(_findings(run))
    found: list[Finding] = run.worked_out[key]
    return found


def _findings(run: RunFolder) -> Iterator[Finding]:
    if is_audit(run):
        main, *rest = audit_findings(assess(run))
        yield main
        yield from of_the_data(attacking(run))  # of equally serious ones, what was lost is first
        yield from rest
        yield from own_facts(run.record)
        return
    if is_plan(run):
        yield from plan_findings(run)
        yield from own_facts(run.record)
        audit = audit_of(run)
        if audit is not None:
            found = assess(audit)
            yield from open_questions(found, [*risk_rows(found)])
    elif is_frontier(run):
        yield from frontier_findings(run)
    elif run.kind == "attack":
        yield from attack_findings(run)
        yield from grid_findings(run.record)
    elif run.kind == "measurement":
        yield from measurement_findings(run)
    else:
        yield from conclusion_findings(run)
        for part in run.parts:
            if part.run is not None and part.run.kind == "attack":
                others = [one for one in runs_of(run) if one.within != part.run.within]
                yield from attack_findings(part.run, others)
    yield from of_the_data(run)


def of_the_data(run: RunFolder) -> Iterator[Finding]:
    """Yield what reading the data of a run found, and how they were changed before it."""
    yield from reading_findings(run.record)
    yield from change_findings(run.record)
    yield from utility_findings(run.tables, run.record)
    if "audit" in run.config:
        yield from untested_facts(run.record)
