"""The verdict on a row of an assessment (spec §9.1), and the kinds of reasons for it.

Invariant: the upper end of the interval counts, so a verdict of *within* is never due to a small
sample; what was not measured is never within, nor is an attacker who knows no right fact. Under
every measure a bound also holds for the share that an attacker finds who always names the likeliest
record, and for what this attacker claims on average. The highest risk is that of the facts drawn:
it is not within the bound if a single draw exceeds it, if an attack that was run is right about a
larger share of those whom it claims to have found (the model may be wrong about these alone), or if
so few records fit some fact that another draw could. So the verdict on it is never milder where
facts are drawn more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sim.axes.aux import AuxAxis, right_facts_of
from sim.axes.popularity import PopularityAxis
from sim.findings.attacker_row import Row
from sim.findings.finding import MIND, SERIOUS, Finding, Kind
from sim.metrics.risk_estimates import Estimate, is_above
from sim.study.labels import level_text

WITHIN, EXCEEDS, NOT_TESTED = "within", "exceeds", "not tested"
WORST_FIRST = (EXCEEDS, NOT_TESTED, WITHIN)
NO_BOUND = "not tested against a bound"


FOUND_FOR_SURE = Kind("attack_exceeds", "an attack that was run finds more than the bound for sure")
CLAIMS_RIGHT = Kind("claims_exceed", "an attack is right about more of those whom it claims")
ONE_DRAW = Kind("draw_exceeds", "a person's risk exceeds the bound in one of the draws of facts")
UPPER_END = Kind("upper_end_exceeds", "the upper end of the interval counts")
GUESS = Kind("best_guess_exceeds", "whoever names the likeliest record is right about more")
NO_RIGHT_FACT = Kind("no_right_fact", "none of the facts is right, so it shows nothing", MIND)
SAMPLE = Kind("sample_hides_highest", "a sample hides the highest risk", MIND, remedy="targets=all")
UNSEEN = Kind("facts_not_looked_at", "what single facts reveal was not looked at", MIND)
RARE = Kind("fact_leaves_more", "a fact not drawn leaves more", MIND, remedy="audit.draws=5")
AS_FOUND = Kind("counted_as_found", "people who cannot be attacked count as found", MIND)
GUARD = Kind("guard_above_model", "people are found by what the model leaves out", SERIOUS)
FILE_FACTS = Kind("file_facts_untested", "facts of the file could not be tested", MIND)
BASELINE = Kind("baseline", "a baseline looks at no facts, so it shows nothing of the risk", MIND)
NOT_RUN = Kind("attacker_not_run", "an attacker that could not be tried", MIND)
NO_TARGET = Kind("no_target_released", "an attacker none of whose targets is in the release", MIND)
KEPT_FOR = Kind("kept_for", "for which facts the bound is kept")


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict, and the reason for it.

    Parameters
    ----------
    reason : Finding or None
        Of a kind in `KINDS`, or the problem of the row; None: the row says it all.
    decided_by : str
        The number that was compared with the bound; empty where none was.
    """

    verdict: str
    reason: Finding | None = None
    decided_by: str = ""


def judge(row: Row, measure: str, bound: float | None) -> Verdict:
    """Compare a row with a bound.

    Returns
    -------
    Verdict
        `WITHIN`, `EXCEEDS`, `NOT_TESTED` or `NO_BOUND`.
    """
    if bound is None:
        return Verdict(NO_BOUND)
    given: Estimate | None = getattr(row, measure)
    if given is not None and row.problem is None and is_above(given.estimate, bound):
        return Verdict(EXCEEDS, decided_by="estimate")
    if is_above(row.found_for_sure, bound):
        return Verdict(EXCEEDS, FOUND_FOR_SURE.found(rate=row.found_for_sure), "found")
    of_each = measure == "highest"
    if of_each and row.claims is not None and is_above(row.claims.low, bound):
        # Whoever it claims is at risk by as much as its claims are right, on average.
        return Verdict(EXCEEDS, CLAIMS_RIGHT.found(rate=row.claims.low), "claims_right")
    if row.problem is not None or given is None:
        return Verdict(NOT_TESTED, row.problem)
    draw = row.highest_draw
    if of_each and draw is not None and is_above(draw, bound):
        return Verdict(EXCEEDS, ONE_DRAW.found(risk=draw, draws=row.draws), "highest_draw")
    if _knows_nothing(row):
        return Verdict(NOT_TESTED, NO_RIGHT_FACT.found())
    if of_each and not row.is_census:
        return Verdict(NOT_TESTED, SAMPLE.found(count=row.attacked))
    worst = _worst_case(row, bound) if of_each else None
    if worst is not None:
        return Verdict(NOT_TESTED, worst, "worst_case")
    if is_above(given.high, bound):
        return Verdict(EXCEEDS, UPPER_END.found(high=given.high), "high")
    guess = max(row.shares, key=lambda one: one.high, default=None)
    if guess is not None and is_above(guess.high, bound):
        found = GUESS.found(rate=guess.estimate, high=guess.high)
        return Verdict(EXCEEDS, found, "counted")
    if is_above(row.counted(measure) or 0.0, bound):
        short, full = row.too_short, row.no_wrong_item
        return Verdict(
            NOT_TESTED, AS_FOUND.found(short=short, full=full, of=row.records), "counted"
        )
    if row.guard_above_model:
        return Verdict(NOT_TESTED, guard_finding(row))
    if row.untested:
        return Verdict(NOT_TESTED, FILE_FACTS.found(error=row.untested))
    return Verdict(WITHIN, kept_for(row) if of_each else None, "counted")


def worse_of(row: Row, measure: str, bound: float | None) -> Row:
    """Return the row, or that of the other facts: the one with the worse verdict, or risk."""

    def rank(one: Row) -> tuple[int, float, float]:
        given: Estimate | None = getattr(one, measure)
        verdict, found = judge(one, measure, bound).verdict, one.highest_share.estimate
        counted = one.counted(measure)
        return (
            WORST_FIRST.index(verdict) if bound is not None else 0,
            -(found if counted is None else counted),
            -(found if given is None else given.estimate),
        )

    if row.other is None:
        return row
    worse = min((row, row.other), key=rank)
    return row if worse is row else replace(worse, other=replace(row, other=None))


def guard_finding(row: Row) -> Finding:
    """Return how many the guard finds, more than the model of the attacker explains."""
    assert row.guard is not None
    return GUARD.found(rate=row.guard.estimate, low=row.guard.low, high=row.guard.high)


def kept_for(row: Row) -> Finding:
    """Return of which facts a verdict of *within* on the highest risk is, of a census."""
    worst = row.worst_case
    if worst is None:
        return KEPT_FOR.found()
    axis = PopularityAxis.name
    level = level_text(row.axes.get(axis, "0"))
    known = "" if level in ("0", level_text(None)) else f"{axis}={level}"
    if worst.pair is None:
        return KEPT_FOR.found(looked_at="single", known=known)
    if worst.n_pair == worst.of_pair:
        return KEPT_FOR.found(looked_at="one_or_two", known=known)
    return KEPT_FOR.found(looked_at="single", known=known, pairs=worst.n_pair, of=worst.of_pair)


def _worst_case(row: Row, bound: float) -> Finding | None:
    """Return the fact, of those that most people know first, that leaves more than a bound."""
    worst = row.worst_case
    if worst is None:
        return None
    above: Iterator[Finding] = (
        RARE.found(fact=name, risk=risk) for name, risk in worst.risks if is_above(risk, bound)
    )
    if not worst.is_whole and is_above(1.0, bound):
        return next(above, UNSEEN.found(entries=worst.n_single, of=worst.of_single))
    return next(above, None)


def _knows_nothing(row: Row) -> bool:
    """Whether no fact of the attacker is right."""
    level = level_text(row.axes.get(AuxAxis.name))
    return level != level_text(None) and right_facts_of(level) == 0
