"""The verdict on a row of an assessment (spec §9.1).

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

from dataclasses import dataclass, replace

from sim.axes.aux import AuxAxis, right_facts_of
from sim.axes.popularity import PopularityAxis
from sim.findings.attacker_rows import Estimate, Row
from sim.findings.bound import is_above
from sim.numeric.text import format_percent, quantity
from sim.study.labels import level_text

WITHIN, EXCEEDS, NOT_TESTED = "within", "exceeds", "not tested"
WORST_FIRST = (EXCEEDS, NOT_TESTED, WITHIN)
NO_BOUND = "not tested against a bound"


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict, and the reason for it.

    Parameters
    ----------
    reason : str
        Empty where the row says it all.
    decided_by : str
        The number that was compared with the bound, as `sim.session.checked.CheckedRow` calls it;
        empty where none was.
    """

    verdict: str
    reason: str = ""
    decided_by: str = ""


def judge(row: Row, measure: str, bound: float | None) -> Verdict:
    """Compare a row with a bound.

    Parameters
    ----------
    measure : str
        One of `sim.findings.attacker_rows.MEASURES`.
    bound : float or None
        The user's; None: none is set.

    Returns
    -------
    Verdict
        `WITHIN`, `EXCEEDS`, `NOT_TESTED` or `NO_BOUND`.
    """
    if bound is None:
        return Verdict(NO_BOUND)
    given: Estimate | None = getattr(row, measure)
    if given is not None and not row.problem and is_above(given.estimate, bound):
        return Verdict(EXCEEDS, decided_by="estimate")
    least = found_for_sure(row)
    if is_above(least, bound):
        found = format_percent(least)
        return Verdict(
            EXCEEDS,
            f"an attack that was run finds at least {found} of the targets, the lower end of the "
            "interval",
            "found",
        )
    if measure == "highest" and row.claims is not None and is_above(row.claims.low, bound):
        # Whoever it claims is at risk by as much as its claims are right, on average.
        right = format_percent(row.claims.low)
        return Verdict(
            EXCEEDS,
            f"an attack that was run is right about at least {right} of the people whom it claims "
            "to have found",
            "claims_right",
        )
    if row.problem or given is None:
        return Verdict(NOT_TESTED, row.problem)
    draw = row.highest_draw
    if measure == "highest" and draw is not None and is_above(draw, bound):
        found = format_percent(draw)
        why = f"a person's risk is {found} in one of {row.draws} draws of facts"
        return Verdict(EXCEEDS, why, "highest_draw")
    if _knows_nothing(row):
        return Verdict(NOT_TESTED, "none of its facts is right, so it shows nothing of the risk")
    if measure == "highest" and not row.is_census:
        return Verdict(
            NOT_TESTED,
            f"a sample of {quantity(row.attacked, 'record')} does not show the highest risk; "
            "targets=all attacks every record",
        )
    if measure == "highest" and row.rare_facts is not None:
        why = row.rare_facts.why_above(bound)
        if why:
            return Verdict(
                NOT_TESTED,
                f"{why}, and not all such facts were drawn: more draws (audit.draws) may show what "
                "they reveal, but only another change of the data can keep the bound",
                "fact_risk",
            )
    if is_above(given.high, bound):
        return Verdict(EXCEEDS, "the upper end of the interval counts", "high")
    guess = max(row.shares, key=lambda one: one.high, default=None)
    if guess is not None and is_above(guess.high, bound):
        return Verdict(
            EXCEEDS,
            "whoever always names the likeliest record can expect to be right about "
            f"{format_percent(guess.estimate)} of the people, and the upper end of the interval, "
            f"{format_percent(guess.high)}, counts",
            "counted",
        )
    if is_above(row.counted(measure) or 0.0, bound):
        return Verdict(NOT_TESTED, _who_count_as_found(row), "counted")
    if row.guard_above_model:
        return Verdict(
            NOT_TESTED,
            "an attack that learns from other people's facts finds more than the model of the "
            "attacker explains, and whoever knows why may find still more",
        )
    if row.untested:
        return Verdict(NOT_TESTED, row.untested)
    return Verdict(WITHIN, facts_looked_at(row) if measure == "highest" else "", "counted")


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


def _who_count_as_found(row: Row) -> str:
    """Say who could not be attacked, and why."""
    short, full = row.too_short, row.no_wrong_item
    records = quantity(row.records, "record")
    if not full:
        return f"{short:,} of {records} have too few facts to be attacked, and count as found"
    hold = "hold nearly every item, so that too few others are left for wrong facts"
    if not short:
        return f"{full:,} of {records} {hold}, and count as found"
    return (
        f"{short:,} of {records} have too few facts to be attacked, and {full:,} {hold}; they "
        "count as found"
    )


def _knows_nothing(row: Row) -> bool:
    """Whether no fact of the attacker is right."""
    level = level_text(row.axes.get(AuxAxis.name))
    return level != level_text(None) and right_facts_of(level) == 0


def facts_looked_at(row: Row) -> str:
    """Return of which facts a verdict on the highest risk is.

    Parameters
    ----------
    row : Row
        A census.
    """
    drawn = "for the facts drawn"
    if row.rare_facts is None:
        return drawn
    known = row.axes.get(PopularityAxis.name)
    within = "" if known is None else PopularityAxis().which_items(level_text(known))
    of = f" about items {within}" if within else ""
    return f"{drawn} and {row.rare_facts.looked_at}{of}"


def found_for_sure(row: Row) -> float:
    """Return the share of the targets that some attack names right, at least."""
    shares = (row.succeeds, row.published_finds, row.named_right, row.guard)
    return max(one.low for one in shares if one is not None)
