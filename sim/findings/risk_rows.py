"""The rows of an assessment as data: a criterion and an attacker each.

Invariant: a share has its interval and its denominator; what was not measured is null, and its
verdict is *not tested*.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sim.axes.aux import facts_of, with_facts
from sim.findings.assessment import CRITERIA, Assessment, attacking
from sim.findings.attacker_row import Row
from sim.findings.finding import Finding
from sim.findings.verdicts import NOT_TESTED, Verdict
from sim.metrics.risk_estimates import Estimate

SINGLING_OUT = CRITERIA[0]

COUNTING = "one_who_counts"
"""Stands for an attacker that no audit has: one who knows how often, where a release shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskRow:
    """What one attacker achieves, and the verdict on it.

    Parameters
    ----------
    criterion : str
        One of `sim.findings.assessment.CRITERIA`.
    attacker : str
        Name of the attacker; empty for a criterion that was not tested.
    known : Mapping
        ``kind`` of adversary, the level of each axis of the grid, and ``facts``: of what they are
        (``original`` or ``file``) where the release lacks some.
    rate, low, high : float or None
        Share of the people attacked that is named right, with its exact 95% interval.
    is_least : bool
        Whether a better use of the same facts may find more.
    wrong : float or None
        Share that is named wrongly.
    control : float or None
        Share of people who are not in the release for whom somebody is named all the same.
    excess : float or None
        (rate - control) / (1 - control); None where the control is 1 or was not measured.
    n, eligible, records : int or None
        People attacked; those who can be; all in the release.
    absent : int or None
        Denominator of the control.
    mean, percentile_99, highest : float or None
        Of the risk of a person, the posterior of their own record.
    counted : float or None
        What is compared with the bound: an upper end, people who cannot be attacked counted as
        found.
    measure : str
        What the bound is on.
    bound : float or None
    verdict : str
    reason : Finding or None
        None: the row says it all.
    decided_by : str
        Which number decided it; empty: none did.
    """

    criterion: str
    attacker: str = ""
    known: Mapping[str, Any]
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    is_least: bool = False
    wrong: float | None = None
    control: float | None = None
    excess: float | None = None
    n: int | None = None
    eligible: int | None = None
    records: int | None = None
    absent: int | None = None
    mean: float | None = None
    percentile_99: float | None = None
    highest: float | None = None
    counted: float | None = None
    measure: str
    bound: float | None
    verdict: str
    reason: Finding | None = None
    decided_by: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as ``assessment.json`` holds it."""
        reason = None if self.reason is None else self.reason.as_json()
        return {**{name: getattr(self, name) for name in self.__slots__}, "reason": reason}


def risk_rows(found: Assessment) -> Iterator[RiskRow]:
    """Yield the rows of an assessment.

    Attackers that were run; those that were not, or not with as many facts as they are meant to
    know; whoever counts repetitions, where there are some; the other criteria.
    """
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        yield _measured(found, row, verdict)
    for name, reason in found.missing.items():
        yield untested(found, SINGLING_OUT, name, {}, reason)
    for less in with_fewer_facts(found):
        yield untested(found, SINGLING_OUT, less.name, {"kind": "aux", "aux": less.tests[-1]})
    if attacking(found.run).record["release"].get("n_repeats"):
        yield untested(found, SINGLING_OUT, COUNTING, {"kind": "counts"})
    for criterion in CRITERIA[1:]:
        yield untested(found, criterion, "", {})


def untested(
    found: Assessment,
    criterion: str,
    attacker: str,
    known: Mapping[str, Any],
    reason: Finding | None = None,
) -> RiskRow:
    """Return the row of what was not tested."""
    return RiskRow(
        criterion=criterion,
        attacker=attacker,
        known=known,
        measure=found.measure,
        bound=found.bound,
        verdict=NOT_TESTED,
        reason=reason,
    )


def _measured(found: Assessment, row: Row, verdict: Verdict) -> RiskRow:
    finds = row.most_found[0]
    wrong, control = row.errors_of_most_found
    return RiskRow(
        criterion=SINGLING_OUT,
        attacker=row.attacker,
        known=_known(found, row),
        rate=finds.estimate,
        low=finds.low,
        high=finds.high,
        is_least=row.problem is not None,
        wrong=wrong.estimate,
        control=None if control is None else control.estimate,
        excess=_excess(finds, control),
        n=row.attacked,
        eligible=row.eligible,
        records=row.records,
        absent=row.absent if control is not None else None,
        mean=None if row.mean is None else row.mean.estimate,
        percentile_99=None if row.percentile_99 is None else row.percentile_99.estimate,
        highest=None if row.highest is None else row.highest_of_any,
        counted=row.counted(found.measure) if row.problem is None else None,
        measure=found.measure,
        bound=found.bound,
        verdict=verdict.verdict,
        reason=verdict.reason,
        decided_by=verdict.decided_by,
    )


def _known(found: Assessment, row: Row) -> dict[str, Any]:
    run = found.part(row.attacker)
    kind = (run.config.get("adversary") or {"kind": "aux"})["kind"]
    return {"kind": kind, **row.axes, **({"facts": row.facts} if row.facts else {})}


def _excess(finds: Estimate, control: Estimate | None) -> float | None:
    if control is None or control.estimate == 1:
        return None
    return (finds.estimate - control.estimate) / (1 - control.estimate)


@dataclass(frozen=True, slots=True)
class FewerFacts:
    """An attacker who was given fewer facts than is meant, though some people have more.

    Parameters
    ----------
    name : str
        Of the attacker.
    given : int
        The number of facts.
    tests : tuple of str
        The values of ``grid.aux`` that test whoever has more, ascending: the last one has as many
        facts as are meant, or the most that anybody has.
    """

    name: str
    given: int
    tests: tuple[str, ...]


def with_fewer_facts(found: Assessment) -> Iterator[FewerFacts]:
    """Yield the attackers who know less than is meant, unless they know all that anybody does."""
    attacks = [
        (part.name, run)
        for part in found.run.parts
        if part.name in found.attackers and part.run is not None
        for run in (part.run.file_facts, part.run)  # fewer people have as many facts in the file
        if run is not None
    ]
    named = set[str]()
    for name, run in attacks:
        gone = [
            (facts_of(one["axes"]["aux"]), str(one["axes"]["aux"]), one)
            for one in run.record.get("left_out") or ()
            if [*one["axes"]] == ["aux"] and one.get("most") is not None
        ]
        if not gone or name in named:
            continue
        given = max(map(facts_of, run.config["grid"]["aux"]))
        meant, aux, one = max(gone, key=lambda each: each[0])
        most = min(one["most"], meant)
        if given < most:  # else they know all that anybody does, or only more of them are right
            named.add(name)
            last = one.get("test") or with_facts(aux, most)
            yield FewerFacts(name, given, (*(one.get("between") or ()), last))
