"""Whether the risk of a run keeps a bound: ``standout check`` and ``sim.check``.

The folder is not trusted: the verdicts are computed anew from its tables, and a run that was
changed or is incomplete is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sim.config.schema import AUDIT, FRONTIER, PLAN
from sim.errors import ConfigError, InputError, StandoutError
from sim.findings.assessment import Assessment, assess, attacking, audit_of, is_audit, is_plan
from sim.findings.audit import open_questions
from sim.findings.check import NOT_ASKED, NOTHING_OFFERED, restrictions
from sim.findings.finding import each_once
from sim.findings.of_run import of_the_data
from sim.findings.release import own_facts
from sim.findings.risk_rows import risk_rows
from sim.numeric.text import expected_among
from sim.record.digests import as_written, check_unchanged
from sim.record.job_folders import jobs_in
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import is_begun, is_complete, plan_of, read_record
from sim.record.sweep_record import check_sweep, is_sweep
from sim.session.check_about import (
    about_data,
    about_plan,
    about_written,
    not_there,
    still_written,
)
from sim.session.check_asked import USAGE, USUAL, Asked
from sim.session.check_attacks import check_attacks
from sim.session.check_data import is_attacked
from sim.session.check_file import of_another_file, of_the_file
from sim.session.checked import Checked, data_of

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
    if is_begun(asked.folder) and is_sweep(asked.folder):
        raise InputError(
            f"{asked.folder}: is the folder of a --multirun and of a run at once; check the "
            "folders of its jobs"
        )
    jobs = [] if is_begun(asked.folder) else jobs_in(asked.folder)
    if not is_begun(asked.folder):
        check_sweep(asked.folder, [job for job in jobs if is_complete(job)])
    for folder in jobs or [asked.folder]:  # a folder without runs is refused as such
        yield _check(replace(asked, folder=folder))


def _refuse_part(run: RunFolder) -> None:
    """Refuse an attack of an audit: it may pass where the audit does not.

    Raises
    ------
    InputError
        It was one of an audit, or of a plan.
    """
    if run.config.get("aggregate") in (AUDIT, PLAN):
        raise InputError(
            f"{run.path}: one attack of an audit, which judges all of its parts and what is known "
            "of single facts; check the folder of the audit"
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
        file = None if asked.file is None else str(asked.file)
        return replace(_checked(asked), compared_with=file)


def _checked(asked: Asked) -> Checked:
    run = open_folder(asked.folder)
    if not (is_audit(run) or is_plan(run)):
        _refuse_of_audits(asked)
        checked = check_attacks(run, asked.max_risk, asked.measure)
        _refuse_part(run)
        return of_the_file(checked.with_findings(*about_data(run)), run, asked)
    audit = audit_of(run)
    if audit is None:
        return _nothing_offered(run, asked)
    found = assess(audit, asked.max_risk, asked.measure)
    if found.bound is None:
        raise ConfigError(f"check: no bound: the audit has none; add max_risk=, as in {USAGE}")
    unknown = [name for name in asked.attackers or () if name not in found.attackers]
    if unknown:
        raise ConfigError(
            f"attackers: {unknown[0]}: not in this audit; "
            f"{expected_among(unknown[0], found.attackers, 'some')}"
        )
    return _judged(run, found, asked)


def _judged(run: RunFolder, found: Assessment, asked: Asked) -> Checked:
    released = attacking(found.run)
    written = plan_of(run.record).get("written")
    is_given = bool(written and asked.file and is_attacked(run.record, asked.file))
    beside = tuple(still_written(run.record, written)) if written and asked.file is None else ()
    every = [*risk_rows(found)]
    names = [*dict.fromkeys(row.attacker for row in every if row.attacker)]
    judged = names if asked.attackers is None else [*asked.attackers]
    rows = tuple(
        row
        for row in every
        if row.criterion in asked.criteria and (not row.attacker or row.attacker in judged)
    )
    left_out = tuple(name for name in names if name not in judged)
    findings = [
        *(about_written(written, is_given=is_given) if written else about_data(released)),
        *beside,
        *restrictions(found, judged, written=bool(written)),
        *(NOT_ASKED.found(f"attacker:{name}") for name in left_out),
        *open_questions(found, every),
        *own_facts(found.run.record),
        *of_the_data(released),
    ]
    checked = Checked(
        asked.folder,
        found.bound or 0.0,
        found.measure,
        rows,
        data_of(released),
        tuple(each_once(findings)),
        left_out,
    )
    # A plan writes what was read, so nobody sees the file that it was read from.
    if not written:
        return of_the_file(checked, released, asked)
    if beside or is_given:
        return checked
    if asked.file is not None:
        return of_another_file(checked, run, asked.file)
    return checked.failed_by(_WRITTEN, not_there(run.record, written))


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


def _nothing_offered(run: RunFolder, asked: Asked) -> Checked:
    """Return the check of a plan that offers no release, by the bound that it was given."""
    bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
    given = {"plan.max_risk": asked.max_risk, "audit.measure": asked.measure}
    own = {"plan.max_risk": bound, "audit.measure": measure}
    new = [f"{key}={one}" for key, one in given.items() if one not in (None, own[key])]
    nothing = NOTHING_OFFERED.found("plan", bound=bound, measure=measure, remedy=" ".join(new))
    findings = (*about_plan(run), nothing)
    return Checked(asked.folder, bound, measure, (), data_of(run), findings)
