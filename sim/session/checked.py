"""What a check of a run against a bound has found: verdicts, and the numbers they rest on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sim.assessment.rows import Estimate, Row
from sim.assessment.verdicts import WITHIN, Verdict, found_for_sure
from sim.numeric.text import format_percent
from sim.record.run_folder import RunFolder

FORMAT = 1
"""Version of the layout of the JSON."""

SINGLING_OUT = "singling_out"


@dataclass(frozen=True, slots=True)
class CheckedRow:
    """The verdict on an attacker, or on an attack in a grid cell.

    Parameters
    ----------
    criterion : str
        ``singling_out``, ``linkability`` or ``inference``.
    who : str
        The attacker, or the attack and the grid cell, in words; empty for a criterion that is not
        tested.
    verdict : {"within", "exceeds", "not tested"}
    reason : str
        Empty where the numbers say it all.
    measure : str
        What ``estimate`` and the ends of its 95% interval are: ``highest``, ``percentile_99``,
        ``mean`` or ``succeeds``.
    estimate, low, high : float or None
        From 0 to 1, of those attacked. None: not measured.
    counted : float or None
        What is compared with the bound: the upper end, with those of ``records`` who could not
        be attacked counted as found; at least that of ``best_guess`` and ``named_right``.
    attacked, eligible, records : int or None
        People attacked; those with enough facts; all people in the release.
    facts : str or None
        Of what the attacker's facts are, the worse of the two: ``original`` or ``file``. None: both
        are the same.
    best_guess : float or None
        The share of those attacked that an attacker can expect to be right about who always names
        the likeliest record, sure or not. None: without a model.
    named_right : float or None
        The share of those attacked of whom the likeliest record is the right one, by any attack
        that was run; 1/t where t records are the likeliest.
    found : float or None
        The share of those attacked whom an attack that was run names right, at least; it exceeds
        the bound where it is above it, whatever the measure.
    claims_right : float or None
        The share of the people whom the published attack claims to have found that it is right
        about, at least; the highest risk exceeds the bound where it is above it.
    highest_draw : float or None
        The risk of a person in any one draw of facts, which the highest risk is also judged by.
    fact_risk : float or None
        The highest risk by one fact about a person, or by two, whether they were drawn or not; the
        highest risk is not within where it is above the bound. None: not looked at.
    decided_by : str or None
        Which of these numbers was compared with the bound, and decided; None: nothing measured did.
    """

    criterion: str
    who: str
    verdict: str
    reason: str
    measure: str
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    counted: float | None = None
    attacked: int | None = None
    eligible: int | None = None
    records: int | None = None
    facts: str | None = None
    best_guess: float | None = None
    named_right: float | None = None
    found: float | None = None
    claims_right: float | None = None
    highest_draw: float | None = None
    fact_risk: float | None = None
    decided_by: str | None = None


def checked_row(
    criterion: str, who: str, row: Row | None, measure: str, verdict: Verdict
) -> CheckedRow:
    """Return a verdict with the numbers of its row; None: nothing was measured."""
    numbers: dict[str, Any] = {}
    if row is not None:
        numbers = {"attacked": row.attacked, "eligible": row.eligible, "records": row.records}
        for name in ("best_guess", "named_right"):
            share: Estimate | None = getattr(row, name)
            numbers[name] = None if share is None else share.estimate
        numbers["facts"] = row.facts or None
        numbers["found"] = found_for_sure(row)
        numbers["claims_right"] = None if row.claims is None else row.claims.low
        numbers["highest_draw"] = row.highest_draw
        rare = row.rare_facts
        numbers["fact_risk"] = None if rare is None or rare.item is None else rare.highest
        given: Estimate | None = getattr(row, measure)
        if given is not None:
            numbers |= {"estimate": given.estimate, "low": given.low, "high": given.high}
            numbers["counted"] = row.counted(measure)
    numbers["decided_by"] = verdict.decided_by or None
    return CheckedRow(criterion, who, verdict.verdict, verdict.reason, measure, **numbers)


@dataclass(frozen=True, slots=True)
class RunData:
    """The data that a run attacked, so that a verdict cannot be taken for one on others.

    Parameters
    ----------
    source : str
        What they were read from, as the report names it.
    fingerprint : str
        Of the release: equal for the same records, items, values and times.
    """

    source: str
    fingerprint: str


def data_of(run: RunFolder) -> RunData:
    """Return the data of a run, by its record."""
    return RunData(str(run.record["release"]["source"]), str(run.record["release_fingerprint"]))


@dataclass(frozen=True, slots=True)
class NotJudged:
    """An attacker who was not asked for, so that nothing depends on what it finds.

    Parameters
    ----------
    who : str
        In words.
    reason : str
        Why it is not judged.
    """

    who: str
    reason: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found of one run.

    Parameters
    ----------
    passed : bool
        Whether all that was asked for is within the bound.
    bound : float
    rows : tuple of CheckedRow
        Empty where a plan offers no release.
    summary : str
        Counts of the verdicts, the worst first; or why there are none.
    verdicts : tuple of str
        What ``standout check`` prints of the rows, after a line on what counts.
    data : RunData
        What was attacked.
    about : tuple of str
        What it prints of the data and of what it vouches for.
    notes : tuple of str
        What the verdicts leave open: attackers who had fewer facts than they are meant to know or
        whose facts are of the original data, a release that is not there, and what reading the data
        left out.
    not_judged : tuple of NotJudged
        Those whom ``attackers=`` leaves out.
    restrictions : tuple of str
        How the run asks less than an audit does by default, as at the end of `summary`.
    compared_with : str or None
        The file that what was attacked was compared with, as it was given; None: none was.
    """

    folder: Path
    passed: bool
    bound: float
    measure: str
    rows: tuple[CheckedRow, ...]
    summary: str
    verdicts: tuple[str, ...]
    data: RunData
    about: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    not_judged: tuple[NotJudged, ...] = ()
    restrictions: tuple[str, ...] = ()
    compared_with: str | None = None

    @property
    def lines(self) -> tuple[str, ...]:
        """What ``standout check`` prints: the verdicts last, where a log is read first."""
        return *dict.fromkeys((*self.about, *self.notes)), *self.verdicts, self.summary


@dataclass(frozen=True, slots=True, repr=False)
class Check:
    """The outcome of `sim.check`: true if every run is within the bound, else false.

    Parameters
    ----------
    runs : tuple of Checked
        The run; or those of the jobs of a sweep, in their order.
    """

    runs: tuple[Checked, ...]

    @property
    def passed(self) -> bool:
        """Whether all that was asked for was tested, and is within the bound."""
        return all(one.passed for one in self.runs)

    def __bool__(self) -> bool:
        return self.passed

    @property
    def exit_code(self) -> int:
        """How ``standout check`` ends: 0 if it passed, else 1."""
        return 0 if self.passed else 1

    @property
    def reasons(self) -> list[str]:
        """Why it did not pass, a line for each run and verdict; empty if it did."""
        return [
            line
            for one in self.runs
            if not one.passed
            for line in (
                *(_reason(row, one.bound) for row in _not_within(one)),
                *([one.summary] * (not one.rows)),
            )
        ]

    def to_dict(self) -> Mapping[str, Any]:
        """Return what ``standout check RUN_FOLDER format=json`` prints, as JSON values."""
        runs = [
            {
                "folder": str(one.folder),
                "data": asdict(one.data),
                "compared_with": one.compared_with,
                "passed": one.passed,
                "bound": one.bound,
                "measure": one.measure,
                "summary": one.summary,
                "notes": list(one.notes),
                "rows": [asdict(row) for row in one.rows],
                "not_judged": [asdict(left) for left in one.not_judged],
                "restrictions": list(one.restrictions),
            }
            for one in self.runs
        ]
        return {"format": FORMAT, "passed": self.passed, "reasons": self.reasons, "runs": runs}

    def to_json(self) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self) -> str:
        return "\n".join(line for one in self.runs for line in one.lines)

    def __repr__(self) -> str:
        return str(self)


def _not_within(one: Checked) -> list[CheckedRow]:
    return [row for row in one.rows if row.verdict != WITHIN]


def _reason(row: CheckedRow, bound: float) -> str:
    who = f"{row.criterion}: {row.who}" if row.who else row.criterion
    why = row.reason
    if not why and row.counted is not None:
        why = (
            f"counted as {format_percent(row.counted)}, the bound is {format_percent(bound)}; "
            f"{row.attacked:,} people attacked"
        )
    return f"{who}: {row.verdict}{f' ({why})' if why else ''}"
