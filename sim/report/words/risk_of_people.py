"""The mean and the highest risk of a person, in a sentence for the first screen."""

from __future__ import annotations

from collections.abc import Iterable

from sim.assessment.assessment import Assessment
from sim.assessment.rows import MEAN, Row
from sim.numeric.text import format_percent
from sim.report.words.enough_facts import finds_more
from sim.report.words.plain.attackers import attacker_with_facts


def risk_of_people(found: Assessment) -> str:
    """Return the risks of people under the attacker with the highest mean; empty: none measured."""
    row = _riskiest(found)
    if row is None or row.mean is None:
        return ""
    mean, highest = format_percent(row.mean.estimate), format_percent(row.highest_of_any)
    who, whom = f"the attacker {attacker_with_facts(row)}", "sure of the right person"
    said = (
        f"On average and at most, {who} is {mean} {whom}"
        if mean == highest
        else f"On average, {who} is {mean} {whom}, and at most {highest}"
    )
    rare, drawn, others = row.rare_facts, "", ""
    if row.draws > 1:
        drawn = f", by any of the {row.draws} draws of facts"
    if rare is not None and rare.riskiest and rare.highest > row.highest_of_any:
        drawn = drawn or ", by the facts that were drawn"
        others = f" By others, it is up to {format_percent(rare.highest)} ({rare.riskiest})."
    attacked = f"{row.attacked:,} attacked"
    return (
        f"{said} (mean and highest risk of a person, of {attacked}{drawn}).{others}"
        f"{_best_guess(row)}"
    )


def _best_guess(row: Row) -> str:
    """Say how often the likeliest record is the right one, to follow a sentence.

    Empty where no more people are found so than by attackers who name whom they are sure of, or
    where it is as often as the attacker is sure of the right person.
    """
    guess = row.best_guess
    if row.guard is not None and row.guard_above_model:
        found = format_percent(row.guard.estimate)
        return f" An attack that learns from other people finds {found}: more than the model says."
    if guess is None or guess.estimate <= row.most_found[0].estimate:
        return ""
    if row.mean is not None and format_percent(row.mean.estimate) == format_percent(guess.estimate):
        return ""
    return (
        " Whoever always names the likeliest record, sure or not, can expect to be right about "
        f"{format_percent(guess.estimate)} of them."
    )


def best_guess_keeps(found: Assessment) -> str:
    """Say what share of the people a bound on the mean risk keeps from being guessed.

    Empty: of another measure, or not measured.
    """
    guesses = [row.best_guess.estimate for row in found.rows if row.best_guess is not None]
    if found.measure != MEAN or not guesses:
        return ""
    return (
        "Whoever always names the likeliest record, sure or not, can expect to be right about "
        f"{format_percent(max(guesses))} of the people at most, and this share keeps the bound, "
        "too."
    )


def highest_risk(found: Assessment) -> str:
    """Return the highest risk of a person, to follow "is", with what it is of; empty: not measured.

    Whoever knows a fact that was not drawn may find more.
    """
    risks = [row.highest_of_any for row in found.rows if row.highest is not None]
    if not risks:
        return ""
    drawn = "facts" if all(row.is_census for row in found.rows) else "people and facts"
    said = f"{format_percent(max(risks))} for the {drawn} that were drawn"
    rare = [row.rare_facts for row in found.rows if row.highest is not None and row.rare_facts]
    known = [one for one in rare if one.riskiest and one.highest > max(risks)]
    if not known:
        return said
    fact = max(known, key=lambda one: one.highest)
    risk = format_percent(fact.highest)
    return f"{said}, and up to {risk} by others ({fact.riskiest})"


def comes_first(found: Assessment) -> bool:
    """Whether few people are found for such risks: fewer than half of the mean risk.

    So it is where people are told apart only in small groups, such as pairs with equal records.
    """
    row, best = _riskiest(found), found.most_found
    if row is None or row.mean is None or best is None:
        return False
    return best.most_found[0].estimate < 0.5 * row.mean.estimate


def with_risk(found: Assessment, finds: str, more: Iterable[str]) -> list[str]:
    """Return who is found, the risks of people and more sentences, in the order to read them.

    Parameters
    ----------
    more : iterable of str
        How many facts are enough; before whom an attacker with fewer finds, if those find more.
    """
    risk = risk_of_people(found)
    first = [risk] if risk and comes_first(found) else []
    last = [risk] if risk and not first else []
    if finds_more(found):
        return [*first, *more, finds, *last]
    return [*first, finds, *last, *more]


def _riskiest(found: Assessment) -> Row | None:
    measured = [(row.mean.estimate, row) for row in found.rows if row.mean]
    return max(measured, key=lambda pair: pair[0], default=(0.0, None))[1]
