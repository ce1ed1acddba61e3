"""The mean and the highest risk of a person, in a sentence for the first screen."""

from __future__ import annotations

from collections.abc import Iterable

from sim.assessment.assessment import Assessment
from sim.assessment.rows import Row
from sim.numeric.text import format_percent
from sim.report.words.plain.attackers import attacker_with_facts


def risk_of_people(found: Assessment) -> str:
    """Return the risks of people under the attacker with the highest mean; empty: none measured."""
    row = _riskiest(found)
    if row is None or row.mean is None or row.highest is None:
        return ""
    return (
        f"On average, the attacker {attacker_with_facts(row)} is "
        f"{format_percent(row.mean.estimate)} sure of the right person, and at most "
        f"{format_percent(row.highest.estimate)} (mean and highest risk of a person, of "
        f"{row.attacked:,} attacked)."
    )


def comes_first(found: Assessment) -> bool:
    """Whether few people are found for such risks: fewer than half of the mean risk.

    So it is where people are told apart only in small groups, such as pairs with equal records.
    """
    row, best = _riskiest(found), found.most_found
    if row is None or row.mean is None or best is None:
        return False
    return best.most_found[0].estimate < 0.5 * row.mean.estimate


def with_risk(found: Assessment, finds: str, more: Iterable[str]) -> list[str]:
    """Return who is found, the risks of people and more sentences, in the order to read them."""
    risk = risk_of_people(found)
    if not risk:
        return [finds, *more]
    return [*((risk, finds) if comes_first(found) else (finds, risk)), *more]


def _riskiest(found: Assessment) -> Row | None:
    measured = [(row.mean.estimate, row) for row in found.rows if row.mean and row.highest]
    return max(measured, key=lambda pair: pair[0], default=(0.0, None))[1]
