"""The first screen of frontier runs, and the chapters below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd

from sim.config.chains import UNCHANGED
from sim.findings.frontier import TABLE
from sim.findings.of_run import findings_of
from sim.findings.plan import frontier_findings
from sim.findings.tried_chains import by_loss
from sim.findings.verdicts import NO_BOUND
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.report.chapter import Chapter
from sim.report.commands import BOUND, command_of, plan_again, repeat_command
from sim.report.html_table import HtmlTable
from sim.report.screen import Screen, ScreenTable, minds_of
from sim.report.screens.chains import (
    HEADS,
    RISKS,
    chain_row,
    heading,
    html_table,
    with_unchanged,
)
from sim.report.screens.data import data_lines
from sim.report.sentences import sentence, sentences


def frontier_screen(run: RunFolder) -> Screen:
    """Return the first screen."""
    first, *found = findings_of(run)
    minds, n_others = minds_of(found)
    rows = run.tables[TABLE]
    bound = run.config["plan"].get("max_risk")
    return Screen(
        verdict=sentence(first),
        data=data_lines(run.record),
        heading=heading(str(rows["measure"].iloc[0]), _who(run), rows),
        table=_best(rows),
        minds=minds,
        n_others=n_others,
        commands=[
            ("next", plan_again(run, bound=BOUND if bound is None else None)),
            ("repeat", repeat_command(run)),
        ],
    )


def frontier_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below it: all chains."""
    found = sentences(frontier_findings(run))
    yield Chapter("Chains of defences", found, table=_table(run.tables[TABLE]))
    yield Chapter("How to repeat it", commands=[command_of(run.record)])


def _who(run: RunFolder) -> str:
    """Return which people are attacked; empty: all with enough facts."""
    n = int(run.record["release"]["n_records"])
    # The risk is that of the Bayes-optimal attacker, where it attacks anybody.
    given = run.config["targets"], run.config["bayes_targets"] or None
    attacked = min((one for one in given if isinstance(one, int)), default=n)
    return "" if attacked >= n else f"a sample of {attacked:,}"


def _best(rows: pd.DataFrame) -> ScreenTable:
    """Return the chains that no other betters, those that lose least first."""
    good = rows[(rows["dominated_by"] == "") & rows["risk"].notna()]
    others = rows[~rows["chain"].isin(good["chain"])]
    shown = with_unchanged(
        pd.concat([by_loss(good), by_loss(others)]), rows[rows["chain"] == UNCHANGED]
    )
    return ScreenTable(HEADS, [chain_row(row, _verdict(row)) for row in row_dicts(shown)])


def _verdict(row: dict[Any, Any]) -> str:
    return "–" if row["verdict"] == NO_BOUND else str(row["verdict"])


def _table(rows: pd.DataFrame) -> HtmlTable:
    heads = {"chain": "text", "risk": "interval", "found": "interval", "attacker": "text"}
    return html_table(
        RISKS[str(rows["measure"].iloc[0])],
        row_dicts(by_loss(rows)),
        {**heads, "kept": "share", "people": "count", "verdict": "text", "dominated_by": "text"},
        "A chain dominates another if it has at most the same risk, loses at most as much, and is "
        "better in one of the two, to a tenth of a percent.",
    )
