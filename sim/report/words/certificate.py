"""The chapters of a report that say what an audit or a plan found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sim.assessment.assessment import Assessment, is_plan
from sim.record.run_folder import RunFolder
from sim.report.words.assessment import DATA, Chapter, chapters
from sim.report.words.plain.data import written_as_read
from sim.report.words.plan import plan_chapters
from sim.report.words.plan_commands import plan_commands
from sim.report.words.utility import utility_table
from sim.utility.table import UTILITY

_REPEATED = "How to repeat it"
"""Title of the chapter of an audit that is renamed where the audit ends a plan."""


def certificate(run: RunFolder, found: Assessment | None) -> list[Chapter]:
    """Return the chapters of an audit, or those of a plan and of the audit that it ends in.

    Parameters
    ----------
    found : Assessment or None
        From `sim.assessment.assessment.conclusion_of`.
    """
    return [*_of_plan(run, found), *_of_audit(run, found)]


def _of_plan(run: RunFolder, found: Assessment | None) -> Iterator[Chapter]:
    if is_plan(run):
        tables = {} if found is None else found.run.tables
        table = utility_table(tables[UTILITY]) if UTILITY in tables else None
        yield from plan_chapters(run, table)
        yield _repeated(run)


def _of_audit(run: RunFolder, found: Assessment | None) -> Iterator[Chapter]:
    for chapter in () if found is None else chapters(found):
        if is_plan(run) and chapter.title == _REPEATED:
            chapter = replace(chapter, title="How to repeat the last audit of it")
        if chapter.title == DATA:
            first, *rest = chapter.sentences
            chapter = replace(chapter, sentences=[first, *written_as_read(run.record), *rest])
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
