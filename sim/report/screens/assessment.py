"""The chapters of ``assessment.md``, below the screen: context, what was not tested, repeating."""

from __future__ import annotations

from collections.abc import Iterator

from sim.findings import strongest, verdicts
from sim.findings.assessment import attacking, conclusion_of
from sim.findings.finding import Finding, Severity
from sim.findings.kinds import kinds_of
from sim.findings.of_run import findings_of
from sim.record.run_folder import RunFolder
from sim.report.commands import command_of
from sim.report.screens.of_run import screen_of
from sim.report.sentences import sentences
from sim.report.table import Chapter

CONTEXTS = {
    "public": "The release is meant for the public: anyone may attack it.",
    "recipients": "The release is meant for named recipients.",
    "inside": "The release is meant for use inside the organisation.",
    None: "Who is to receive the release was not stated (audit.context).",
}

_OPEN = {"attacker_left_out", "fewer_facts", "counts_published", "people_sampled"}
_REASONS = {kind.name for kind in (*kinds_of(verdicts), *kinds_of(strongest))}
"""Kinds that leave a verdict open, unless they are no more than a note."""


def _is_open(one: Finding) -> bool:
    return one.kind in _OPEN or (one.kind in _REASONS and one.severity > Severity.NOTE)


def _is_warning(one: Finding) -> bool:
    return one.severity > Severity.NOTE and not _is_open(one)


def assessment_chapters(run: RunFolder) -> list[Chapter]:
    """Return the chapters, those without content left out."""
    return [one for one in _chapters(run) if one.sentences or one.items or one.commands]


def _chapters(run: RunFolder) -> Iterator[Chapter]:
    found = conclusion_of(run)
    yield Chapter("Context", [CONTEXTS[run.config["audit"]["context"]]])
    every = [*findings_of(run)]
    said = set(screen_of(run).minds)
    for title, those in (("Not tested", _is_open), ("To bear in mind", _is_warning)):
        yield Chapter(title, items=[s for s in sentences(filter(those, every)) if s not in said])
    record = run.record if found is None else attacking(found.run).record
    yield Chapter(
        "How to repeat it",
        [f"Seed {record.get('seed')}, release fingerprint {record.get('release_fingerprint')}."],
        commands=[command_of(run.record)],
    )
