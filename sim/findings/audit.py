"""What an audit found, beside the rows of its table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from sim.config.usual_audit import usual_audit
from sim.findings.assessment import FACTS_PART, Assessment
from sim.findings.attacker_row import Row
from sim.findings.finding import MIND, NOTE, SERIOUS, Finding, Kind, Value, each_once, kind_name
from sim.findings.release import replaced_levels
from sim.findings.risk_rows import RiskRow, risk_rows, with_fewer_facts
from sim.findings.verdicts import EXCEEDS, NOT_TESTED, WITHIN, guard_finding
from sim.metrics.counts import RELEASED
from sim.numeric.rows import row_dicts

VERDICT_EXCEEDS = Kind("bound_exceeded", "some attacker exceeds the bound")
VERDICT_UNKNOWN = Kind("bound_not_tested", "nobody exceeds the bound, and some were not tested")
VERDICT_WITHIN = Kind("bound_kept", "every attacker that was tried keeps the bound")
NO_ATTACKER = Kind("nobody_tried", "no attacker could be tried", SERIOUS)
MOST_FOUND = Kind("most_found", "the largest share of people that an attacker finds")
RISK = Kind("risk", "what one attacker achieves: a row of the table")
HIGHEST = Kind("highest_person", "the highest risk of a person, by any attacker")
ENOUGH = Kind("facts_found", "the fewest facts that find half of the people, or the most tried")
CRITERIA_OPEN = Kind("criteria_not_tested", "criteria of WP216 that were not tested")
LEFT_OUT = Kind("attacker_left_out", "an attacker that the run was not asked for", MIND)
FEWER = Kind("fewer_facts", "attackers had fewer facts than they are meant to know", MIND)
SAMPLED = Kind("people_sampled", "a sample of those who can be attacked was")
TOO_SHORT = Kind("too_few_facts", "people with too few facts, who count as found")
TOO_FULL = Kind("nearly_every_item", "people with too few items left for wrong facts")
RARE_FACT = Kind("fact_not_drawn", "a fact that was not drawn leaves a higher risk")
BEST_GUESS = Kind("best_guess", "how often the likeliest record is right, sure or not")
DRAWS = Kind("facts_drawn", "how often facts about each person were drawn")
SURENESS = Kind("confidence", "how sure an attacker must be to name somebody")


def audit_findings(found: Assessment) -> Iterator[Finding]:
    """Yield what an audit found: the verdict, the rows of the table, and what bears on them."""
    rows = [*risk_rows(found)]
    yield verdict_finding(found, rows)
    yield from _most(found)
    yield from facts_enough(found)
    for row in rows:
        yield _risk(row)
    yield from open_questions(found, rows)


def verdict_finding(found: Assessment, rows: list[RiskRow]) -> Finding:
    """Return the verdict on all attackers; without a bound, who finds most."""
    named = [row for row in rows if row.attacker]
    if not found.rows:
        return NO_ATTACKER.found("audit")
    if found.bound is None:
        best = max((row for row in named if row.rate is not None), key=lambda row: row.rate or 0.0)
        return MOST_FOUND.found(
            f"attacker:{best.attacker}", rate=best.rate, low=best.low, high=best.high, n=best.n
        )
    counts = Counter(row.verdict for row in named)
    numbers: dict[str, Value] = {
        "exceed": counts[EXCEEDS],
        "within": counts[WITHIN],
        "open": counts[NOT_TESTED],
        "rows": len(named),
        "bound": found.bound,
        "measure": found.measure,
    }
    if counts[EXCEEDS]:
        kind = VERDICT_EXCEEDS
    else:
        kind = VERDICT_UNKNOWN if counts[NOT_TESTED] else VERDICT_WITHIN
    return kind.with_numbers("audit", numbers)


def _most(found: Assessment) -> Iterator[Finding]:
    measured = [row for row in found.rows if row.highest is not None]
    if measured:
        row = max(measured, key=lambda one: one.highest_of_any)
        worst = (one.worst_case for one in measured if one.worst_case is not None)
        by_others = max((one.found for one in worst), default=0.0)
        yield HIGHEST.found(
            f"attacker:{row.attacker}",
            risk=row.highest_of_any,
            more=by_others if by_others > row.highest_of_any else None,
        )


def facts_enough(found: Assessment) -> Iterator[Finding]:
    """Yield how many facts are enough to find half of the people; nothing where it is not known."""
    if found.facts is None:
        return
    rows = row_dicts(found.facts.dropna(subset="facts"))
    n = int(found.facts["n"].sum())
    curves = found.part(FACTS_PART).tables["curves"]
    first = row_dicts(curves)[0]
    whole = int(first.get(RELEASED[0], found.part(FACTS_PART).record["release"]["n_records"]))
    row = next((row for row in rows if row["at_most"] >= 0.5), rows[-1])
    yield ENOUGH.found(
        "attack:bayes",
        facts=int(row["facts"]),
        rate=float(row["at_most"]),
        low=float(row["at_most_low"]),
        high=float(row["at_most_high"]),
        n=n,
        records=whole,
    )


def _risk(row: RiskRow) -> Finding:
    numbers: dict[str, Value] = {
        name: getattr(row, name)
        for name in (
            *("rate", "low", "high", "is_least", "wrong", "control", "excess", "n", "eligible"),
            *("records", "absent", "mean", "highest", "counted", "measure", "bound", "verdict"),
            "decided_by",
        )
    }
    numbers["reason"] = kind_name(row.reason) or None
    known = {f"known_{key}": value for key, value in row.known.items()}
    subject = f"attacker:{row.attacker}" if row.attacker else f"criterion:{row.criterion}"
    return RISK.with_numbers(subject, {"criterion": row.criterion, **numbers, **known})


def open_questions(found: Assessment, rows: list[RiskRow]) -> Iterator[Finding]:
    """Yield what the table leaves open."""
    for name, reason in found.missing.items():
        yield replace(reason, subject=f"attacker:{name}")
    yield from _reasons(found)
    yield from _fewer(found)
    for one in found.rows:
        yield from _of_row(one)
    for part in found.run.parts:
        if part.run is not None and part.name in found.attackers:
            yield from replaced_levels(part.run.record, part.name)
    for name in usual_audit()["attackers"]:
        if name not in found.attackers:
            yield LEFT_OUT.found(f"attacker:{name}")
    open_criteria = [row.criterion for row in rows if not row.attacker]
    if open_criteria:
        yield CRITERIA_OPEN.found("audit", criteria=", ".join(open_criteria))
    yield DRAWS.found("audit", draws=found.draws)
    yield SURENESS.found("audit", confidence=found.confidence)


def _fewer(found: Assessment) -> Iterator[Finding]:
    fewer = [*with_fewer_facts(found)]
    if fewer:
        tests = dict.fromkeys(aux for one in fewer for aux in one.tests)
        names = dict.fromkeys(one.name for one in fewer)
        yield FEWER.found(
            "audit",
            attackers=len(names),
            given=max(one.given for one in fewer),
            remedy=f"audit.attackers=[{','.join(names)}] grid.aux=[{','.join(tests)}]",
        )


def _reasons(found: Assessment) -> Iterator[Finding]:
    """Yield the reasons of verdicts, each once, with the attackers that it is about.

    And why others may be found than those whom an attack finds, where no model tells; beside a
    verdict that does not rest on it, that is a note.
    """
    whose: list[tuple[Finding, list[str]]] = []
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        guard = guard_finding(row) if row.guard_above_model else None
        problem = row.problem
        if problem is not None and problem != verdict.reason:
            problem = replace(problem, severity=NOTE)
        for reason in each_once(filter(None, (verdict.reason, problem, guard))):
            names = next((names for one, names in whose if one == reason), None)
            if names is None:
                whose.append((reason, names := []))
            names.append(row.attacker)
    for reason, names in whose:
        yield replace(reason, subject=f"attacker:{', '.join(dict.fromkeys(names))}")


def _of_row(row: Row) -> Iterator[Finding]:
    who = f"attacker:{row.attacker}"
    facts = str(row.axes.get("aux") or "")
    if not row.is_census:
        yield SAMPLED.found(who, facts=facts, count=row.attacked, of=row.eligible,
                            remedy="targets=all")  # fmt: skip
    if row.too_short:
        yield TOO_SHORT.found(who, facts=facts, count=row.too_short, of=row.records)
    if row.no_wrong_item:
        yield TOO_FULL.found(who, facts=facts, count=row.no_wrong_item, of=row.records)
    worst = row.worst_case
    if worst is not None and worst.found > row.highest_of_any:
        fact = next(name for name, risk in worst.risks if risk == worst.found)
        yield RARE_FACT.found(who, facts=facts, risk=worst.found, fact=fact)
    guess = row.best_guess
    if guess is not None and guess.estimate > row.most_found[0].estimate:
        yield BEST_GUESS.found(
            who, facts=facts, rate=guess.estimate, high=guess.high, n=row.attacked
        )
