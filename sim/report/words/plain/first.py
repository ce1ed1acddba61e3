"""Which runs have a first page in everyday words, and what stands on it."""

from __future__ import annotations

from sim.assessment.assessment import assess, conclusion_of, is_audit, is_plan
from sim.record.run_folder import RunFolder
from sim.report.words.frontier import is_frontier
from sim.report.words.headline import headline_of
from sim.report.words.plain.attack import attack_page
from sim.report.words.plain.audit import audit_page
from sim.report.words.plain.frontier import frontier_page
from sim.report.words.plain.page import FirstPage
from sim.report.words.plain.plan import plan_page


def first_page(run: RunFolder) -> FirstPage | None:
    """Return the first page of an audit, a plan, a frontier or an attack; None: it has none."""
    if is_audit(run):
        return audit_page(assess(run))
    if is_plan(run):
        return plan_page(run, conclusion_of(run))
    if is_frontier(run):
        return frontier_page(run)
    return attack_page(run) if run.kind == "attack" else None


def first_sentences(run: RunFolder) -> list[str]:
    """Return what a report begins with: the answer of its first page, or else its headline."""
    page = first_page(run)
    if page is not None:
        return [*page.answer]
    headline = headline_of(run)
    return [headline.lead, *headline.more]
