"""The first page of a plan: what to publish, or that nothing keeps the bound."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.assessment.assessment import Assessment
from sim.assessment.planning import OFFERED
from sim.assessment.planning import TABLE as TRIALS
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder
from sim.report.words.assessment import MEASURED, Chapter, attacked
from sim.report.words.defences import facts_of_what
from sim.report.words.few_facts import few_facts_of_plan
from sim.report.words.frontier import chain_words, nearest, risk_words, utility_words
from sim.report.words.plain.audit import (
    OTHER_CRITERIA,
    OTHERS,
    by_attacker,
    found_sentences,
    untested,
    weakened,
)
from sim.report.words.plain.data import data_line, rows_read
from sim.report.words.plain.frontier import RISK
from sim.report.words.plain.impact import impact
from sim.report.words.plain.page import FOUND, NEXT, PASTE, UNTESTED, FirstPage, page_of
from sim.report.words.plan import equally_lossy, left_of
from sim.report.words.plan_commands import plan_commands


def plan_page(run: RunFolder, found: Assessment | None) -> FirstPage:
    """Return the first page of a plan.

    Parameters
    ----------
    found : Assessment or None
        Of what is offered; None: the plan offers nothing.
    """
    trials = run.tables[TRIALS]
    return page_of(
        [*_answer(run, trials, found), RISK, *rows_read(run.record)],
        data_line(run.record),
        [
            Chapter(FOUND, items=[] if found is None else [*by_attacker(found)]),
            Chapter(UNTESTED, items=[*_untested(found)]),
            _next(run),
            Chapter(PASTE, [_paragraph(run, trials, found)], is_quote=True),
        ],
    )


def _answer(run: RunFolder, trials: pd.DataFrame, found: Assessment | None) -> Iterator[str]:
    bound = format_percent(run.config["plan"]["max_risk"])
    measure = MEASURED[run.config["audit"]["measure"]]
    tried = quantity(trials["chain"].nunique(), "way")
    offered = trials[trials["decision"] == OFFERED]
    if offered.empty:
        yield (
            f"None of {tried} to publish the data that were tried, as they are or changed, keeps "
            f"the bound that was given, {bound} for {measure}, so nothing is offered."
        )
        few = few_facts_of_plan(run, plain=True)
        if few:
            yield few
        yield from nearest(trials.groupby("chain", sort=False).last().reset_index())
        return
    row = offered.iloc[0].to_dict()
    yield (
        f"This keeps the bound that was given, {bound} for {measure}, and loses least of {tried} "
        f"to publish the data that were tried: {chain_words(row)}{utility_words(row)}."
    )
    yield from equally_lossy(trials, row)
    yield from left_of(run, row, "entries")
    if found is not None:
        yield from weakened(found)
        yield from facts_of_what(attacked(found), plain=True)
    each = "" if run.config["audit"]["measure"] == "highest" else " It is no bound for each person."
    yield (
        "Every person who has enough facts was attacked twice, with other facts each time. The "
        f"second time, {measure} is {risk_words(row)}. With those who have too few facts counted "
        f"as found, and the interval at its upper end, {format_percent(row['counted'])} are "
        f"compared with the bound.{each}"
    )


def _untested(found: Assessment | None, *, alone: bool = False) -> Iterator[str]:
    if found is not None:
        yield from untested(found, alone=alone)
        return
    yield "Other ways of changing the data, and more of the same."
    yield OTHERS
    yield OTHER_CRITERIA


def _next(run: RunFolder) -> Chapter:
    _, *writes = plan_commands(run)
    if not writes and few_facts_of_plan(run):
        return Chapter(
            NEXT,
            [
                "Do what the answer says of people with too few facts, as the detailed part writes "
                "it; or decide on another bound (plan.max_risk), and say why."
            ],
        )
    if not writes:
        return Chapter(
            NEXT,
            [
                "Try other or stronger changes (plan.defences), or attackers who know less, if "
                "those tried know more than anybody can (audit.attackers); or decide on another "
                "bound (plan.max_risk), and say why."
            ],
        )
    written = (run.record.get("plan") or {}).get("written")
    if written:
        said = (
            f"Publish {written['path']}, which is what was attacked; no other change of the data "
            "was tested. The command writes the same data again, to the file named in place of "
            "FILE.csv."
        )
    else:
        said = "The command writes what was attacked, to the file named in place of FILE.csv."
    return Chapter(NEXT, [said], commands=writes)


def _paragraph(run: RunFolder, trials: pd.DataFrame, found: Assessment | None) -> str:
    answer = [*_answer(run, trials, found)]
    return impact(
        run.record,
        "",
        [*answer, *([] if found is None else found_sentences(found))],
        [one for one in _untested(found, alone=True) if one not in answer],
    )
