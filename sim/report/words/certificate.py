"""The chapters of a report that say what an audit or a plan found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sim.assessment.assessment import assess, audit_of, is_plan
from sim.record.run_folder import RunFolder
from sim.report.words.assessment import Chapter, chapters
from sim.report.words.plan import plan_chapters
from sim.report.words.plan_commands import plan_commands
from sim.report.words.utility import utility_table
from sim.utility.table import UTILITY

_REPEATED = "How to repeat it"
"""Title of the chapter of an audit that is renamed where the audit ends a plan."""


def certificate(run: RunFolder) -> list[Chapter]:
    """Return the chapters of an audit, or those of a plan and of the audit that it ends in."""
    return [*_of_plan(run), *_of_audit(run)]


def _of_plan(run: RunFolder) -> Iterator[Chapter]:
    if is_plan(run):
        audit = audit_of(run)
        known = audit is not None and UTILITY in audit.tables
        table = utility_table(audit.tables[UTILITY]) if audit is not None and known else None
        yield from plan_chapters(run, table)
        yield _repeated(run)


def _of_audit(run: RunFolder) -> Iterator[Chapter]:
    audit = audit_of(run)
    if audit is None:
        return
    for chapter in chapters(assess(audit)):
        if is_plan(run) and chapter.title == _REPEATED:
            chapter = replace(chapter, title="How to repeat the last audit of it")
        yield chapter


def _repeated(run: RunFolder) -> Chapter:
    search, *writes = plan_commands(run)
    sentence = "This command searches again."
    if writes:
        sentence = (
            "The first command searches again; the second writes what is offered, the same cells "
            "under the same identifiers, to the file named in place of FILE.csv."
        )
    return Chapter("How to repeat the plan", [sentence], commands=[search, *writes])
