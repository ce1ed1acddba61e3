"""The verdicts of a check on the attackers of an audit, and on those that no audit has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sim.assessment.assessment import Assessment
from sim.assessment.names import attacker_words, row_name
from sim.assessment.rows import Estimate, Row
from sim.assessment.verdicts import NOT_TESTED, WITHIN, WORST_FIRST, Verdict
from sim.numeric.text import format_percent, percent_beside
from sim.report.words.assessment import verdict_words
from sim.report.words.plain.fewer_facts import with_fewer_facts
from sim.session.checked import SINGLING_OUT, Checked, CheckedRow, checked_row


def singling_out(
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
            who = f"{attacker_words(name)}, {less.with_how_many}{less.of_most}"
            verdict = Verdict(
                NOT_TESTED, f"{less.why_fewer}, so it was given {given:,}; an audit with "
                f"audit.attackers=[{name}] grid.aux=[{given}/{given}] asks for no more, and with "
                f"grid.aux=[{','.join(less.tests)}] tests those who have {less.by_how_many}, and "
                "counts the others as found"
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
    if not (row.is_census and given.estimate < given.high == rare.highest):
        return ""
    if not rare.riskiest:
        return f" as {rare.why_above(0)}"
    return f" as facts that were not drawn leave as much ({rare.riskiest})"


def _of_best_guess(row: Row | None, measure: str) -> str:
    """Say that whoever always names the likeliest record decides what counts, if so it is."""
    given: Estimate | None = None if row is None else getattr(row, measure)
    if row is None or given is None or row.counted(measure) == given.high_of_all:
        return ""
    right = format_percent(max(row.shares, key=lambda one: one.high_of_all).estimate)
    return f" as whoever always names the likeliest record can expect {right} right"


def _line(
    name: str, row: Row | None, measure: str, verdict: Verdict, bound: float | None = None
) -> str:
    given = getattr(row, measure) if row is not None else None
    counted = 0.0 if row is None else row.counted(measure) or 0.0
    least = "at least " if row is not None and row.problem else ""
    risk = (
        ""
        if given is None
        else f" {least}{format_percent(given.estimate)}, counted as "
        f"{_counted(counted, bound)}{_of_rare_facts(row, measure)}"
        f"{'' if verdict.reason else _of_best_guess(row, measure)},"
    )
    return f"singling_out: {name}:{risk} {verdict_words(verdict, was_run=row is not None)}"


def not_tested(checked: Checked, attacker: str, why: str) -> Checked:
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
