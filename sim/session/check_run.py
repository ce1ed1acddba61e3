"""Whether the risk of a run keeps a bound: ``standout check`` and ``sim.check``.

The folder is not trusted: the verdicts are computed anew from its tables, and a run that was
changed or is incomplete is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from sim.assessment.assessment import (
    CRITERIA,
    Assessment,
    assess,
    attacking,
    audit_of,
    is_audit,
    is_plan,
)
from sim.assessment.names import attacker_words, row_name
from sim.assessment.rows import MEASURES, Row
from sim.assessment.verdicts import NOT_TESTED, WITHIN, WORST_FIRST, Verdict
from sim.config.schema import AUDIT, FRONTIER, PLAN
from sim.errors import ConfigError, InputError, StandoutError
from sim.files.digest import sha256
from sim.numeric.text import (
    expected_among,
    format_percent,
    percent_beside,
    quantity,
    share_meant,
)
from sim.record.digests import as_written, check_unchanged
from sim.record.ledger import NAME as LEDGER
from sim.record.run_folder import RunFolder, open_folder
from sim.record.run_record import NAME as RUN
from sim.record.run_record import is_complete, plan_of, read_record
from sim.record.sweep_record import check_sweep, is_sweep
from sim.report.page.comparison import jobs_in
from sim.report.words.assessment import MEASURED, verdict_words
from sim.report.words.defences import (
    counts_known,
    counts_published,
    facts_of_what,
    own_facts,
    share_released,
)
from sim.report.words.not_run import not_run
from sim.report.words.plain.audit import most_facts, most_known
from sim.report.words.plain.data import data_line, rows_left_out, written_as_read
from sim.report.words.plain.fewer_facts import not_as_meant, with_fewer_facts
from sim.report.words.reading_losses import as_read, losses, unread
from sim.report.words.suspicious import suspicious
from sim.session.check_attacks import check_attacks
from sim.session.check_line import restrictions, verdicts_in_words
from sim.session.check_values import one_of
from sim.session.checked import (
    SINGLING_OUT,
    Checked,
    CheckedRow,
    NotJudged,
    checked_row,
    data_of,
)

USAGE = "standout check RUN_FOLDER max_risk=0.09"

_VOUCHED = (
    "unchanged since the run: the tables (parquet, csv), records (json) and assessment.md of its "
    "folder; not checked: report.html and the figures, which standout report RUN_FOLDER makes anew"
)
"""What the digests cover."""

USUAL = (SINGLING_OUT,)
"""The criteria that are checked where none is named."""


_FINGERPRINT = re.compile("[0-9a-fA-F]{64}")

_COUNTING = "one_who_knows_how_often"
"""Stands for an attacker that no audit has, where the release shows how often."""

_NOBODY_COUNTS = (
    "the release shows how often a person has an item, and no attacker of this run knows that; an "
    "audit of the published file with data.repeats=count tests one who does"
)


FILE, AS_READ = RELEASED = ("file", "as_read")
"""What is released: the file as it is, or only what was read of it."""

_UNREAD = "one_who_sees_the_file"
"""Stands for an attacker that no audit has, where a file holds more than what was read."""

_WRITTEN = "one_who_sees_the_release"
"""Stands for an attacker that no audit has, where the file that a plan wrote is not there."""

_NOT_READ = (
    "the file holds more than what was read and attacked, or names people; released=as_read says "
    "that only what was read is released, as standout publish writes it, with new identifiers"
)
_NOT_LOOKED_AT = (
    "the identifiers of people in the file are released as they are: except for what looks like "
    "e-mail addresses, phone numbers and names, whether they tell who somebody is was not looked "
    "at, and neither were the order of the rows, the names of files, and what else a format can "
    "hide beside rows; standout publish writes new identifiers, in a new order, to a new file"
)
_OF_ROWS = (
    "only the rows of the file were judged, not their order, the names of files or the identifiers "
    "of people"
)
_GIVEN_HOLDS_MORE = (
    "data.path names the file that is to be released, and this one holds more than what was read "
    "and attacked, or names people, whatever released=as_read says: audit a file that standout "
    "publish wrote, read as it says (data.repeats=cells, where rows are alike), and name that one"
)
_ONLY_AS_READ = (
    "this holds if what is released is only what was read, with new identifiers and in a new "
    "order, as released=as_read says"
)
_FILE_HAS_MORE = "the file that was read has more, as the notes say"


@dataclass(frozen=True, slots=True)
class Asked:
    """What to check.

    Parameters
    ----------
    max_risk : float or None
        None: the bound of the run.
    measure : str or None
        None: that of the run.
    criteria : sequence of str
        Some of `CRITERIA`.
    attackers : sequence of str or None
        None: all of the run.
    released : str
        One of `RELEASED`.
    fingerprint : str or None
        Of the data that are to be released, which must be those attacked; None: not compared. Of a
        file that a plan wrote, its SHA-256.
    written : bool
        Whether the file that is to be released is the one that the plan wrote, wherever it is now.
    lost : tuple of str or None
        What reading the file that is to be released left out of it; None: no file is given, and
        the one that the run read stands for it.
    """

    folder: Path
    max_risk: float | None = None
    measure: str | None = None
    criteria: Sequence[str] = USUAL
    attackers: Sequence[str] | None = None
    released: str = FILE
    fingerprint: str | None = None
    written: bool = False
    lost: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        for name in self.criteria:
            one_of("criterion", name, CRITERIA)
        if self.measure is not None:
            one_of("measure", self.measure, MEASURES)
        one_of("released", self.released, RELEASED)
        if self.fingerprint is not None and not _FINGERPRINT.fullmatch(self.fingerprint):
            raise ConfigError(f"fingerprint: {self.fingerprint!r}: expected 64 hexadecimal digits")
        if self.max_risk is not None:
            bound_of(self.max_risk)


def bound_of(given: float | str) -> float:
    """Return a bound on the risk, as a number.

    Raises
    ------
    ConfigError
        It cannot be one.

    Examples
    --------
    >>> bound_of("0.09")
    0.09
    >>> bound_of(9)
    Traceback (most recent call last):
    sim.errors.ConfigError: max_risk: 9: expected a number from 0 to 1, such as 0.09 for 9%
    """
    try:
        bound = -1.0 if isinstance(given, bool) else float(given)
    except (TypeError, ValueError):
        bound = -1.0
    if not 0 <= bound <= 1:  # not a number compares as false
        pointed = str(given).replace(",", ".")
        hint = f"; a number has a point: max_risk={pointed}" if pointed != str(given) else ""
        example = share_meant(given, "0.05 for 5%")
        raise ConfigError(
            f"max_risk: {given!r}: expected a number from 0 to 1, such as {example}{hint}"
        )
    return bound


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
        return _checked(asked)


def _checked(asked: Asked) -> Checked:
    run = open_folder(asked.folder)
    if not (is_audit(run) or is_plan(run)):
        _refuse_of_audits(asked)
        checked = check_attacks(run, asked.max_risk, asked.measure)
        _refuse_part(run)
        return _of_the_file(replace(checked, about=_about(run, asked)), run, asked)
    audit = audit_of(run)
    if audit is None:
        bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
        why, about = _nothing_offered(run, asked), _about_plan(run)
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
        "upper end of the 95% interval, with those who have too few facts counted as found"
    )
    known_most, share = most_known(found), share_released(attacking(audit).record)
    heading += f"; attackers with {known_most}" if known_most else ""
    if share < 1:
        heading += f"; facts of the original data, of which {format_percent(share)} are released"
    asked_for = found.attackers if attackers is None else attackers
    verdicts, rows = dict[str, str](), list[CheckedRow]()
    with_more = dict[str, str]()
    released = attacking(audit)
    counts = [*counts_published(released.record)]
    written = plan_of(run.record).get("written")
    if written and asked.fingerprint and asked.fingerprint.lower() == written["sha256"]:
        asked = replace(asked, written=True, fingerprint=None)
    beside = tuple(_beside(run.record, written)) if written and not asked.written else ()
    lines = [heading]
    for criterion in asked.criteria:
        if criterion == SINGLING_OUT:
            verdicts |= _singling_out(found, asked_for, rows, lines)
            fewer = with_fewer_facts(found)
            with_more = {one.name: quantity(one.untested, "fact") for one in fewer}
        else:
            rows.append(checked_row(criterion, "", None, found.measure, Verdict(NOT_TESTED)))
            lines.append(f"{criterion}: {NOT_TESTED}")
            verdicts[criterion] = NOT_TESTED
    # Who counts is no attacker to be left out lightly: everybody can whom the release reaches.
    every = [*found.attackers, *([_COUNTING] if counts and attackers else [])]
    left_out = [name for name in every if name not in {*asked_for, *verdicts}]
    told = verdicts_in_words(verdicts, asked_for, left_out, with_more, advise=not counts)
    less = tuple(restrictions(found, written=bool(written)))
    summary = "; ".join([told, *less])
    passed = set(verdicts.values()) == {WITHIN}
    notes = (
        *suspicious(run.record),
        *not_as_meant(found, asked_for),
        *own_facts(found.run.record),
        *not_run(found.run.record),
        *facts_of_what(released.record, plain=True),
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
        (*_about(released, asked, written), *beside),
        notes,
        tuple(NotJudged(attacker_words(name), _why_not_judged(name)) for name in left_out),
        less,
    )
    if counts and attackers is None and SINGLING_OUT in asked.criteria:
        checked = _not_tested(checked, _COUNTING, _NOBODY_COUNTS)
    # A plan writes what was read, so nobody sees the file that it was read from.
    if not written:
        return _of_the_file(checked, released, asked)
    if beside or asked.written:
        return checked
    return _not_tested(checked, _WRITTEN, _not_there(run.record, written))


def _why_not_judged(name: str) -> str:
    return f"attackers= leaves it out{f'; {_NOBODY_COUNTS}' if name == _COUNTING else ''}"


def _of_the_file(checked: Checked, run: RunFolder, asked: Asked) -> Checked:
    """Let a run not pass whose file holds more than what was read of it, if that is released."""
    is_named, is_as_read = asked.lost is not None, asked.released == AS_READ
    of_file = run.config["data"].get("kind") == "table" and not run.record.get("defences")
    lost = unread(as_read(run.record)) if asked.lost is None else asked.lost
    if is_as_read and not is_named:  # of a file that is named, the file itself is judged
        checked = replace(checked, notes=tuple(dict.fromkeys((*checked.notes, *lost))))
        more = f"; {_FILE_HAS_MORE}" if lost else ""
        return _restricted(checked, f"{_ONLY_AS_READ}{more}") if of_file or lost else checked
    if of_file or is_named:
        checked = _restricted(checked, _OF_ROWS)
        checked = replace(checked, notes=(*checked.notes, _NOT_LOOKED_AT))
    if not lost:
        return checked
    found = _not_tested(checked, _UNREAD, _GIVEN_HOLDS_MORE if is_as_read else _NOT_READ)
    return replace(found, notes=tuple(dict.fromkeys((*found.notes, *lost))))


def _restricted(checked: Checked, less: str) -> Checked:
    """Say on what a verdict rests."""
    return replace(
        checked,
        summary=f"{checked.summary}; {less}",
        restrictions=(*checked.restrictions, less),
    )


def _not_tested(checked: Checked, attacker: str, why: str) -> Checked:
    """Fail a run for an attacker that audits do not have, so that nobody tested it."""
    who, verdict = attacker_words(attacker), Verdict(NOT_TESTED, why)
    row = checked_row(SINGLING_OUT, who, None, checked.measure, verdict)
    return replace(
        checked,
        passed=False,
        rows=(*checked.rows, row),
        summary=f"{NOT_TESTED}: {who}; {checked.summary}",
        verdicts=(*checked.verdicts, _line(who, None, "", verdict)),
    )


def _refuse_of_audits(asked: Asked) -> None:
    """Refuse what only an audit can be asked."""
    given = {"attackers": asked.attackers is not None, "criterion": asked.criteria != USUAL}
    for key, is_given in given.items():
        if is_given:
            raise ConfigError(f"{key}: only an audit has it; leave {key} out")


def _beside(record: Mapping[str, Any], written: Mapping[str, Any]) -> Iterator[str]:
    """Yield that the release that a plan wrote is still what was attacked, if it is still there.

    Raises
    ------
    InputError
        It is another file now.
    """
    path = _path(record, written)
    # The path is that of a record: no device or pipe, which might never end, is read.
    if not path.is_file():
        return
    try:
        digest = sha256(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from None
    if digest != written["sha256"]:
        raise InputError(
            f"{path}: changed since the plan wrote it, so it is not what was attacked; "
            "write it again under another name, by the second command of assessment.md under 'How "
            "to repeat the plan', and name that one"
        )
    yield f"unchanged since the run: {path}, the release that the plan wrote"


def _not_there(record: Mapping[str, Any], written: Mapping[str, Any]) -> str:
    return (
        f"{_path(record, written)}, the release that the plan wrote, is not there, so it cannot be "
        "compared with what was attacked: name where it is now by data.path=FILE"
    )


def _path(record: Mapping[str, Any], written: Mapping[str, Any]) -> Path:
    return Path(record["working_directory"], written["path"])


def _about(
    run: RunFolder, asked: Asked, written: Mapping[str, Any] | None = None
) -> tuple[str, ...]:
    """State what was attacked, by its fingerprint, and what the check vouches for.

    Parameters
    ----------
    written : dict or None
        The file that a plan wrote of it.

    Raises
    ------
    InputError
        It is not the data whose fingerprint is given.
    """
    if written:
        return data_line(run.record), _about_file(asked, written), _VOUCHED
    own, given = data_of(run).fingerprint, (asked.fingerprint or "").lower()
    what = (
        f"what was attacked has the fingerprint {own}, the SHA-256 of its people, items, values "
        "and times as they were read, in whatever format and order of rows"
    )
    if not given:
        how = "not compared with a file: data.path=FILE does, and reads it as the run read its own"
    elif given == own:
        how = "it is that of the data given"
    else:
        raise InputError(
            f"{asked.folder}: attacked other data than those given: the fingerprint of these is "
            f"{given}, that of what was attacked {own}; audit the data that are to be released, "
            "and read both alike (a file that was written with new identifiers has another "
            "fingerprint than what it was made of)"
        )
    return data_line(run.record), f"{what}; {how}", _VOUCHED


def _about_plan(run: RunFolder) -> tuple[str, ...]:
    """State what a plan began with, by its fingerprint, where it offers no release."""
    began = (
        f"what the plan began with has the fingerprint {data_of(run).fingerprint}; as it offers no "
        "release, no file was compared with one"
    )
    return data_line(run.record), began, _VOUCHED


def _about_file(asked: Asked, written: Mapping[str, Any]) -> str:
    """State what a plan wrote, by which the file can be told from every other.

    Raises
    ------
    InputError
        The fingerprint that is given is not the file's.
    """
    if asked.fingerprint:
        raise InputError(
            f"fingerprint: {asked.fingerprint}: not the SHA-256 of the file that the plan wrote, "
            f"which is {written['sha256']} and tells it from every other: name the file itself by "
            "data.path=FILE"
        )
    how = "it is that of the file given" if asked.written else "data.path=FILE compares another one"
    return f"the file that the plan wrote has the SHA-256 {written['sha256']}; {how}"


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


def _singling_out(
    found: Assessment, asked_for: Sequence[str], rows: list[CheckedRow], lines: list[str]
) -> dict[str, str]:
    """Append each row and its line, and return the worst verdict on each attacker."""
    verdicts = dict.fromkeys(asked_for, "")
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        if row.attacker in verdicts:
            rows.append(checked_row(SINGLING_OUT, row_name(row), row, found.measure, verdict))
            lines.append(_line(row_name(row), row, found.measure, verdict, found.bound))
            verdicts[row.attacker] = _worse(verdicts[row.attacker], verdict.verdict)
    for one in found.missing:
        if one.name in verdicts:
            who, verdict = attacker_words(one.name), Verdict(NOT_TESTED, one.reason)
            rows.append(checked_row(SINGLING_OUT, who, None, found.measure, verdict))
            lines.append(_line(who, None, "", verdict))
            verdicts[one.name] = NOT_TESTED
    for less in with_fewer_facts(found):
        name, given = less.name, less.given
        if name in verdicts:
            who = f"{attacker_words(name)}, {quantity(less.untested, 'fact')}{less.of_most}"
            verdict = Verdict(
                NOT_TESTED, f"{less.why_fewer}, so it was given {given:,}; an audit with "
                f"audit.attackers=[{name}] grid.aux=[{given}/{given}] asks for no more, and with "
                f"grid.aux=[{less.aux}] tests those who have {less.untested:,}, and counts the "
                "others as found"
            )  # fmt: skip
            rows.append(checked_row(SINGLING_OUT, who, None, found.measure, verdict))
            lines.append(_line(who, None, "", verdict))
            verdicts[name] = _worse(verdicts[name], NOT_TESTED)
    return {name: verdict or NOT_TESTED for name, verdict in verdicts.items()}


def _worse(one: str, other: str) -> str:
    return min(one or WITHIN, other, key=WORST_FIRST.index)


def _counted(value: float, bound: float | None) -> str:
    return format_percent(value) if bound is None else percent_beside(value, bound)


def _of_rare_facts(row: Row | None, measure: str) -> str:
    """Say that a fact which was not drawn decides what counts, if it does."""
    if row is None or measure != "highest" or row.highest is None or row.rare_facts is None:
        return ""
    rare, given = row.rare_facts, row.highest
    if not (row.is_census and given.estimate < given.high == 1 / rare.fewest):
        return ""
    return f" as {rare.why_fewest}, which was not drawn"


def _line(
    name: str, row: Row | None, measure: str, verdict: Verdict, bound: float | None = None
) -> str:
    given = getattr(row, measure) if row is not None else None
    least = "at least " if row is not None and row.problem else ""
    risk = (
        ""
        if given is None
        else f" {least}{format_percent(given.estimate)}, counted as "
        f"{_counted(given.high_of_all, bound)}{_of_rare_facts(row, measure)},"
    )
    return f"singling_out: {name}:{risk} {verdict_words(verdict, was_run=row is not None)}"
