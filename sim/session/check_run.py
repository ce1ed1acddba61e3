"""Whether the risk of a run keeps a bound: ``standout check`` and ``sim.check``.

The folder is not trusted: the verdicts are computed anew from its tables, and a run that was
changed or is incomplete is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

from sim.assessment.assessment import (
    assess,
    attacking,
    audit_of,
    is_audit,
    is_plan,
)
from sim.assessment.names import attacker_words
from sim.assessment.verdicts import NOT_TESTED, WITHIN, Verdict
from sim.config.schema import AUDIT, FRONTIER, PLAN
from sim.errors import ConfigError, InputError, StandoutError
from sim.numeric.text import (
    expected_among,
    format_percent,
)
from sim.record.digests import as_written, check_unchanged
from sim.record.ledger import NAME as LEDGER
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import NAME as RUN
from sim.record.run_record import is_complete, plan_of, read_record
from sim.record.sweep_record import check_sweep, is_sweep
from sim.report.page.comparison import jobs_in
from sim.report.words.assessment import MEASURED
from sim.report.words.defences import (
    counts_known,
    counts_published,
    own_facts,
    untested_facts,
)
from sim.report.words.not_run import not_run
from sim.report.words.plain.audit import most_facts, most_known
from sim.report.words.plain.data import rows_left_out, written_as_read
from sim.report.words.plain.fewer_facts import not_as_meant, with_fewer_facts
from sim.report.words.reading_losses import as_read, losses
from sim.report.words.suspicious import suspicious
from sim.session.check_about import about_data, about_plan, not_there, still_written
from sim.session.check_asked import USAGE, USUAL, Asked
from sim.session.check_attacks import check_attacks
from sim.session.check_file import of_the_file
from sim.session.check_line import restrictions, verdicts_in_words
from sim.session.check_rows import not_tested, singling_out
from sim.session.checked import (
    SINGLING_OUT,
    Checked,
    CheckedRow,
    NotJudged,
    checked_row,
    data_of,
)

_COUNTING = "one_who_knows_how_often"
"""Stands for an attacker that no audit has, where the release shows how often."""

_NOBODY_COUNTS = (
    "the release shows how often a person has an item, and no attacker of this run knows that; an "
    "audit of the published file with data.repeats=count tests one who does"
)

_WRITTEN = "one_who_sees_the_release"
"""Stands for an attacker that no audit has, where the file that a plan wrote is not there."""


def check_runs(asked: Asked) -> Iterator[Checked]:
    """Yield what is found of a run; of the folder of a ``--multirun``, of every run within.

    Raises
    ------
    ConfigError
        There is no bound, or what is asked for is not in the run.
    InputError
        The folder attacks nobody, is a frontier, is incomplete, was changed, or is that of a
        sweep whose runs are not all there.
    """
    if (asked.folder / RUN).is_file() and is_sweep(asked.folder):
        raise InputError(
            f"{asked.folder}: is the folder of a --multirun and of a run at once; check the "
            "folders of its jobs"
        )
    jobs = [] if (asked.folder / RUN).is_file() else jobs_in(asked.folder)
    if not (asked.folder / RUN).is_file():
        for job in jobs or [asked.folder]:
            _check_above(job, asked.folder)
        check_sweep(asked.folder, [job for job in jobs if is_complete(job)])
    for folder in jobs or [asked.folder]:  # a folder without runs is refused as such
        yield _check(replace(asked, folder=folder))


def _check_above(job: Path, folder: Path) -> None:
    """Check that a run is no part of one whose record is gone: it would be judged by itself.

    Raises
    ------
    InputError
        A folder above it, up to the given one, has the ledger of a run and no record.
    """
    for above in (job, *job.parents):
        if (above / LEDGER).exists() and not (above / RUN).is_file():
            raise InputError(
                f"{above}: has the ledger of a run, but no {RUN}, so it was changed after the run; "
                "run it again in a new folder"
            )
        if above == folder:
            return


def _refuse_part(run: RunFolder) -> None:
    """Refuse an attack of an audit: it may pass where the audit does not.

    Raises
    ------
    InputError
        A folder above it is that of an audit, or of a plan, or it was one of theirs.
    """
    folder = run.path
    within = takewhile(lambda above: (above / RUN).is_file(), folder.resolve().parents)
    for outermost in [*within][-1:]:
        config = read_record(outermost).get("config")
        if isinstance(config, dict) and config.get("aggregate") in (AUDIT, PLAN):
            raise InputError(
                f"{folder}: a part of the audit {outermost}, which judges all of its parts and "
                "what is known of single facts; check that folder"
            )
    if run.config.get("aggregate") in (AUDIT, PLAN):
        raise InputError(
            f"{folder}: one attack of an audit, which judges all of its parts and what is known of "
            "single facts; check the folder of the audit"
        )


def _check(asked: Asked) -> Checked:
    if _is_frontier(asked.folder):
        raise InputError(
            f"{asked.folder}: a frontier is no audit: it attacks samples, to compare chains of "
            "defences; standout experiment=plan looks for one that keeps a bound, and standout "
            "experiment=audit assesses one release"
        )
    check_unchanged(asked.folder)
    with as_written(asked.folder):
        return replace(_checked(asked), compared_with=asked.file)


def _checked(asked: Asked) -> Checked:
    run = open_folder(asked.folder)
    if not (is_audit(run) or is_plan(run)):
        _refuse_of_audits(asked)
        checked = check_attacks(run, asked.max_risk, asked.measure)
        _refuse_part(run)
        return of_the_file(replace(checked, about=about_data(run, asked)), run, asked)
    audit = audit_of(run)
    if audit is None:
        bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
        why, about = _nothing_offered(run, asked), about_plan(run)
        return Checked(asked.folder, False, bound, measure, (), why, (), data_of(run), about)
    found = assess(audit, asked.max_risk, asked.measure)
    if found.bound is None:
        raise ConfigError(f"check: no bound: the audit has none; add max_risk=, as in {USAGE}")
    attackers = asked.attackers
    unknown = [name for name in attackers or () if name not in found.attackers]
    if unknown:
        raise ConfigError(
            f"attackers: {unknown[0]}: not in this audit; "
            f"{expected_among(unknown[0], found.attackers, 'some')}"
        )
    heading = (
        f"bound {format_percent(found.bound)} for {MEASURED[found.measure]}; what counts is the "
        "upper end of the 95% interval, with those who could not be attacked counted as found"
    )
    known_most = most_known(found)
    heading += f"; attackers with {known_most}" if known_most else ""
    asked_for = found.attackers if attackers is None else attackers
    verdicts, rows = dict[str, str](), list[CheckedRow]()
    with_more = dict[str, str]()
    released = attacking(audit)
    counts = [*counts_published(released.record)]
    written = plan_of(run.record).get("written")
    if written and asked.fingerprint and asked.fingerprint.lower() == written["sha256"]:
        asked = replace(asked, written=True, fingerprint=None)
    beside = tuple(still_written(run.record, written)) if written and not asked.written else ()
    lines = [heading]
    for criterion in asked.criteria:
        if criterion == SINGLING_OUT:
            verdicts |= singling_out(found, asked_for, rows, lines)
            fewer = with_fewer_facts(found)
            with_more = {one.name: one.with_how_many for one in fewer}
        else:
            rows.append(checked_row(criterion, "", None, found.measure, Verdict(NOT_TESTED)))
            lines.append(f"{criterion}: {NOT_TESTED}")
            verdicts[criterion] = NOT_TESTED
    # Who counts is no attacker to be left out lightly: everybody can whom the release reaches.
    every = [*found.attackers, *([_COUNTING] if counts and attackers else [])]
    left_out = [name for name in every if name not in {*asked_for, *verdicts}]
    told = verdicts_in_words(verdicts, asked_for, left_out, with_more, advise=not counts)
    less = tuple(restrictions(found, asked_for, written=bool(written)))
    summary = "; ".join([told, *less])
    passed = set(verdicts.values()) == {WITHIN}
    notes = (
        *suspicious(run.record),
        *not_as_meant(found, asked_for),
        *own_facts(found.run.record),
        *not_run(found.run.record),
        *untested_facts(released.record),
        *counts,
        *counts_known(released.record, most_facts(found)),
        *written_as_read(run.record),
        *rows_left_out(run.record),
        *losses(as_read(released.record)),
    )
    checked = Checked(
        asked.folder,
        passed,
        found.bound,
        found.measure,
        tuple(rows),
        summary,
        tuple(lines),
        data_of(released),
        (*about_data(released, asked, written), *beside),
        notes,
        tuple(NotJudged(attacker_words(name), _why_not_judged(name)) for name in left_out),
        less,
    )
    if counts and attackers is None and SINGLING_OUT in asked.criteria:
        checked = not_tested(checked, _COUNTING, _NOBODY_COUNTS)
    # A plan writes what was read, so nobody sees the file that it was read from.
    if not written:
        return of_the_file(checked, released, asked)
    if beside or asked.written:
        return checked
    return not_tested(checked, _WRITTEN, not_there(run.record, written))


def _why_not_judged(name: str) -> str:
    return f"attackers= leaves it out{f'; {_NOBODY_COUNTS}' if name == _COUNTING else ''}"


def _refuse_of_audits(asked: Asked) -> None:
    """Refuse what only an audit can be asked."""
    given = {"attackers": asked.attackers is not None, "criterion": asked.criteria != USUAL}
    for key, is_given in given.items():
        if is_given:
            raise ConfigError(f"{key}: only an audit has it; leave {key} out")


def _is_frontier(folder: Path) -> bool:
    """Whether a folder is a frontier, by a record that may be anything."""
    try:
        return bool(read_record(folder)["config"]["aggregate"] == FRONTIER)
    except (StandoutError, LookupError, TypeError):
        return False  # what it is instead is said later


def _nothing_offered(run: RunFolder, asked: Asked) -> str:
    """Say that a plan offers no release, by the bound that it was given."""
    bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
    others = {"plan.max_risk": asked.max_risk, "audit.measure": asked.measure}
    own = {"plan.max_risk": bound, "audit.measure": measure}
    new = [f"{key}={given}" for key, given in others.items() if given not in (None, own[key])]
    again = f"; what is asked here needs a new plan: experiment=plan {' '.join(new)}" if new else ""
    return (
        f"the plan offers no release: none that it tried keeps its bound, {format_percent(bound)} "
        f"for {MEASURED[measure]}{again}"
    )
