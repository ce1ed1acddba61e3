"""The first screen of an audit, and the chapters below it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from sim.axes.aux import facts_of
from sim.findings.assessment import Assessment, assess, attacking
from sim.findings.audit import audit_findings
from sim.findings.finding import Finding
from sim.findings.of_run import findings_of
from sim.findings.risk_rows import RiskRow, risk_rows
from sim.findings.verdicts import EXCEEDS, NOT_TESTED
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder
from sim.report.commands import BOUND, again
from sim.report.knowledge import known_words
from sim.report.screen import Screen
from sim.report.screens.first_screen import first_screen
from sim.report.sentences import bound_text, measure_title, sentences
from sim.report.table import NONE, Chapter, Table, whole_percent

_ABOVE = ("kept_for", "highest_person", "facts_found", "criteria_not_tested")
"""Kinds that stand below the verdict."""

_VERDICTS = {NOT_TESTED: "untested"}


def audit_screen(run: RunFolder) -> Screen:
    """Return the first screen of an audit."""
    found = assess(run)
    more = " ".join(sentences(one for one in findings_of(run) if _is_above(one, found)))
    record, commands = attacking(run).record, again(_next(found))
    return first_screen(run, audit_table(found), [more], commands, record)


def _is_above(one: Finding, found: Assessment) -> bool:
    """Whether a finding stands below the verdict, and says more than the table."""
    is_highest = found.measure == "highest" and not one.numbers.get("more")
    in_table = one.kind == "highest_person" and is_highest
    return one.kind in _ABOVE and not in_table


def audit_table(found: Assessment) -> Table:
    """Return a row for each attacker: what it knows, whom it finds, and the verdict."""
    release = attacking(found.run).record["release"]
    has = {"has_values": bool(release.get("scale")), "has_dates": bool(release.get("n_days"))}
    rows = [row for row in risk_rows(found) if row.attacker]
    title = measure_title(found.measure).lower().split()[:2]
    risk = [] if found.measure == "succeeds" else ["\n".join(title)]
    verdict = [] if found.bound is None else [f"bound\n{bound_text(found.bound)}"]
    return Table(
        heads=[
            "attacker",
            "knows",
            "found\n[95%]",
            "named\nwrongly",
            "if\nremoved",
            "tried\non",
            *risk,
            *verdict,
        ],
        rows=[
            [
                row.attacker.replace("_", " "),
                known_words(row.known, **has),
                _found(row),
                whole_percent(row.wrong),
                whole_percent(row.control),
                NONE if row.n is None or not row.records else whole_percent(row.n / row.records),
                *([whole_percent(getattr(row, found.measure))] if risk else []),
                *([_VERDICTS.get(row.verdict, row.verdict)] if verdict else []),
            ]
            for row in rows
        ],
        caption="Who could be found?",
        shares=[row.rate for row in rows],
    )


def _found(row: RiskRow) -> str:
    if row.rate is None or row.low is None or row.high is None:
        return NONE
    low, high = math.floor(100 * row.low), math.ceil(100 * row.high)  # outwards
    return f"{'≥ ' * row.is_least}{whole_percent(row.rate)} [{low},{high}]"


def _next(found: Assessment) -> list[str]:
    if found.bound is None:
        return ["check", f"max_risk={BOUND}"]
    return ["plan" if EXCEEDS in {one.verdict for one in found.verdicts} else "check"]


def audit_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below the first screen of an audit."""
    found = assess(run)
    own = [*audit_findings(found)]
    shown = {one.kind for one in own[:1]} | {*_ABOVE, "risk"}
    yield Chapter("Risks and verdicts", table=risk_table(found))
    yield Chapter("What bears on them", items=sentences(o for o in own if o.kind not in shown))


def _name(row: RiskRow) -> str:
    name = (row.attacker or row.criterion).replace("_", " ")
    aux = row.known.get("aux")
    return f"{name}, {quantity(facts_of(str(aux)), 'fact')}" if aux else name


def risk_table(found: Assessment) -> Table:
    """Return every number of every row."""
    rows = [
        [
            _name(row),
            NONE if row.n is None else f"{row.n:,}",
            *map(format_percent, (row.excess, row.mean, row.highest, row.counted)),
            row.verdict,
        ]
        for row in risk_rows(found)
    ]
    numbers = ("attacked", "excess", "mean risk", "highest", "counts as")
    return Table(["attacker", *numbers, "verdict"], rows, note=_NOTE)


_NOTE = (
    "Excess: what is found beyond the control, as a share of the rest. Counts as: the upper end "
    "that is compared with the bound, people who cannot be attacked counted as found."
)
