"""The first screen of frontier runs, and the chapters below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.findings.chains import FRONTIER, by_loss
from sim.findings.plan import frontier_findings
from sim.findings.verdicts import NO_BOUND
from sim.record.run_folder import RunFolder
from sim.report.commands import BOUND, again, command_of
from sim.report.screen import Screen
from sim.report.screens.chains import all_chains, best_chains
from sim.report.screens.first_screen import first_screen
from sim.report.sentences import measure_title, sentences
from sim.report.table import NONE, Chapter

_ALL = {
    "chain": "text",
    "risk": "interval",
    "found": "interval",
    "attacker": "text",
    "kept": "share",
    "people": "count",
    "verdict": "text",
    "dominated_by": "text",
}
_NOTE = (
    "A chain dominates another if it has at most the same risk, loses at most as much, and is "
    "better in one of the two, to a tenth of a percent."
)


def frontier_screen(run: RunFolder) -> Screen:
    """Return the first screen: the chains that no other betters, those that lose least first."""
    rows = run.tables[FRONTIER]
    good = rows[(rows["dominated_by"] == "") & rows["risk"].notna()]
    ordered = pd.concat([by_loss(good), by_loss(rows[~rows["chain"].isin(good["chain"])])])
    no_bound = run.config["plan"].get("max_risk") is None
    table = best_chains(ordered, _verdict, str(rows["measure"].iloc[0]), _who(run))
    plan = ["plan", *(["--max-risk", str(BOUND)] if no_bound else [])]
    return first_screen(run, table, commands=again(plan))


def frontier_details(run: RunFolder) -> Iterator[Chapter]:
    """Yield what stands below it: all chains."""
    rows = run.tables[FRONTIER]
    table = all_chains(by_loss(rows), measure_title(str(rows["measure"].iloc[0])), _ALL, _NOTE)
    yield Chapter("Chains of defences", sentences(frontier_findings(run)), table=table)
    yield Chapter("How to repeat it", commands=[command_of(run.record)])


def _who(run: RunFolder) -> str:
    """Return which people are attacked; empty: all with enough facts."""
    n = int(run.record["release"]["n_records"])
    # The risk is that of the Bayes-optimal attacker, where it attacks anybody.
    given = run.config["targets"], run.config["bayes_targets"] or None
    attacked = min((one for one in given if isinstance(one, int)), default=n)
    return "" if attacked >= n else f"a sample of {attacked:,}"


def _verdict(row: Mapping[Any, Any]) -> str:
    return NONE if row["verdict"] == NO_BOUND else str(row["verdict"])
