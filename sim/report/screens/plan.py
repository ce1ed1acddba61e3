"""The first screen of plan runs, and the chapters below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.findings.assessment import attacking, audit_of
from sim.findings.chains import DROPPED, OFFERED, TRIALS, by_loss, by_nearness, last_trials
from sim.findings.finding import Finding
from sim.findings.of_run import findings_of
from sim.findings.plan import plan_findings
from sim.record.run_folder import RunFolder
from sim.record.run_record import plan_of
from sim.report.commands import (
    again,
    command_of,
    counts_command,
    write_command,
)
from sim.report.screen import Screen
from sim.report.screens.chains import all_chains, best_chains
from sim.report.screens.change_details import utility_table
from sim.report.screens.first_screen import first_screen
from sim.report.sentences import sentences
from sim.report.table import Chapter

_MOST_NEXT = 2
"""Further plans that are advised."""

_RESERVE = "in reserve"
_ALL = {
    "step": "text",
    "chain": "text",
    "risk": "interval",
    "counted": "share",
    "kept": "share",
    "people": "count",
    "decision": "text",
}
_NOTE = (
    "In each round every chain is attacked through the same facts about the same people. At most "
    "is what is compared with the bound: the upper end, those who could not be attacked counted as "
    "found."
)


def plan_screen(run: RunFolder) -> Screen:
    """Return the first screen."""
    found = findings_of(run)[1:]
    ordered = _ordered(last_trials(run.tables[TRIALS]))
    table = best_chains(ordered, _verdict, run.config["audit"]["measure"])
    more = sentences(one for one in found if one.kind == "file_written")
    return first_screen(run, table, more, [*_commands(run, found)])


def plan_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below it: all that was tried, what is lost, and who finds whom."""
    from sim.report.screens.audit import audit_details

    audit, found = audit_of(run), sentences(plan_findings(run))
    trials = run.tables[TRIALS]
    dropped = trials["decision"] + ": " + trials["because"].str.replace("_", " ")
    shown = trials.assign(decision=trials["decision"].where(trials["decision"] != DROPPED, dropped))
    table = all_chains(shown, "Attacks, in their order", _ALL, _NOTE)
    yield Chapter("What was tried", found, table=table)
    if audit is not None:
        if "utility" in audit.tables and attacking(audit).record.get("defences"):
            yield Chapter("What it costs", table=utility_table(audit.tables["utility"]))
        yield from audit_details(audit)
    commands = [command_of(run.record), *filter(None, [write_command(run)])]
    yield Chapter("How to repeat it, and to write what is offered", commands=commands)


def _ordered(last: pd.DataFrame) -> pd.DataFrame:
    """Return the chains in order: what is offered and what keeps more; or what comes nearest."""
    is_offered = last["decision"] == OFFERED
    if is_offered.any():
        return pd.concat([last[is_offered], by_loss(last[~is_offered])])
    near = by_nearness(last)
    return pd.concat([near, last[~last["chain"].isin(near["chain"])]])


def _verdict(row: Mapping[Any, Any]) -> str:
    if row["decision"] == DROPPED:
        return str(row["because"]).replace("_", " ")
    return OFFERED if row["decision"] == OFFERED else _RESERVE


def _commands(run: RunFolder, found: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    writes = write_command(run)
    if not writes:
        remedies = dict.fromkeys(one.remedy for one in found if one.remedy)
        yield from again(*(["plan", one] for one in [*remedies][:_MOST_NEXT]))
        if any(one.kind == "counts_instead" for one in found):
            yield "next", counts_command(run)
        elif not remedies:
            yield "next", "standout guide defences"
    elif plan_of(run.record).get("written"):
        bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
        yield from again(["check", f"max_risk={bound}", f"measure={measure}"])
    else:
        yield from [*again(), ("next", writes)]
