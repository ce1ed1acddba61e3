"""The first screen of plan runs, and the chapters below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd

from sim.config.chains import UNCHANGED
from sim.findings.assessment import attacking, audit_of
from sim.findings.finding import Finding
from sim.findings.of_run import findings_of
from sim.findings.plan import ONCE, plan_findings
from sim.findings.planning import DROPPED, OFFERED, last_trials
from sim.findings.planning import TABLE as TRIALS
from sim.findings.tried_chains import by_loss, by_nearness
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.record.run_record import plan_of
from sim.report.chapter import Chapter
from sim.report.commands import (
    check_command,
    command_of,
    counts_command,
    once_each,
    plan_again,
    repeat_command,
    write_command,
)
from sim.report.html_table import HtmlTable
from sim.report.screen import Screen, ScreenTable, minds_of
from sim.report.screens.chains import (
    HEADS,
    chain_row,
    heading,
    html_table,
    with_unchanged,
)
from sim.report.screens.change_details import utility_table
from sim.report.screens.data import data_lines
from sim.report.sentences import sentence, sentences

_MOST_NEXT = 2
"""Further plans that are advised."""

_RESERVE = "in reserve"


def plan_screen(run: RunFolder) -> Screen:
    """Return the first screen."""
    first, *found = findings_of(run)
    minds, n_others = minds_of(found)
    trials = run.tables[TRIALS]
    return Screen(
        verdict=sentence(first),
        data=data_lines(run.record),
        heading=heading(run.config["audit"]["measure"], "", trials),
        table=_best(trials),
        more=sentences(one for one in found if one.kind == "file_written"),
        minds=minds,
        n_others=n_others,
        commands=[*_commands(run, found)],
    )


def plan_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below it: all that was tried, what is lost, and who finds whom."""
    from sim.report.screens.audit import audit_details

    audit, found = audit_of(run), sentences(plan_findings(run))
    commands = [command_of(run.record), *filter(None, [write_command(run)])]
    yield Chapter("What was tried", found, table=_table(run.tables[TRIALS]))
    if audit is not None:
        if "utility" in audit.tables and attacking(audit).record.get("defences"):
            yield Chapter("What it costs", table=utility_table(audit.tables["utility"]))
        yield from audit_details(audit)
    yield Chapter("How to repeat it, and to write what is offered", commands=commands)


def _best(trials: pd.DataFrame) -> ScreenTable:
    """Return the best chains: what is offered and what keeps more; or what comes nearest."""
    last = last_trials(trials)
    is_offered = last["decision"] == OFFERED
    if is_offered.any():
        rows = pd.concat([last[is_offered], by_loss(last[~is_offered])])
    else:
        near = by_nearness(last)
        rows = pd.concat([near, last[~last["chain"].isin(near["chain"])]])
    shown = with_unchanged(rows, last[last["chain"] == UNCHANGED])
    return ScreenTable(HEADS, [chain_row(row, _verdict(row)) for row in row_dicts(shown)])


def _verdict(row: dict[Any, Any]) -> str:
    if row["decision"] == DROPPED:
        return str(row["because_kind"])
    return OFFERED if row["decision"] == OFFERED else _RESERVE


def _commands(run: RunFolder, found: Sequence[Finding]) -> Iterator[tuple[str, str]]:
    writes = write_command(run)
    kinds = {one.kind for one in found}
    if writes:
        config = run.config
        yield (
            ("check", check_command(run, config["plan"]["max_risk"], config["audit"]["measure"]))
            if plan_of(run.record).get("written")
            else ("write", writes)
        )
        audit = audit_of(run)
        if "offer_shows_counts" in kinds and audit is not None:
            yield "test", counts_command(run, attacking(audit).record["release"])
    else:
        remedies = dict.fromkeys(one.remedy for one in found if one.remedy)
        for remedy in [*remedies][:_MOST_NEXT]:
            more = once_each(run.record) if remedy == ONCE else [remedy]
            yield "next", plan_again(run, more)
    yield "repeat", repeat_command(run)


def _table(trials: pd.DataFrame) -> HtmlTable:
    dropped = trials["decision"] + ": " + trials["because_kind"]
    shown = trials.assign(decision=trials["decision"].where(trials["decision"] != DROPPED, dropped))
    heads = {"step": "text", "chain": "text", "risk": "interval", "counted": "share"}
    return html_table(
        "Attacks, in their order",
        row_dicts(shown),
        {**heads, "kept": "share", "people": "count", "decision": "text"},
        "In each round every chain is attacked through the same facts about the same people. "
        "Counted is what is compared with the bound: the upper end, those who could not be "
        "attacked counted as found.",
    )
