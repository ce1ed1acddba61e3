"""The first page of a frontier: what each way of changing the data costs, and whom it protects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.assessment.frontier import TABLE
from sim.assessment.verdicts import EXCEEDS, WITHIN
from sim.config.chains import UNCHANGED
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, in_a_row, quantity
from sim.record.run_folder import RunFolder
from sim.report.words.assessment import MEASURED, Chapter
from sim.report.words.frontier import (
    by_loss,
    chain_words,
    compared_by,
    is_loss_unknown,
    risk_words,
    same_words,
    sample_words,
    utility_words,
)
from sim.report.words.plain.attackers import attacker
from sim.report.words.plain.audit import OTHER_CRITERIA, OTHERS
from sim.report.words.plain.commands import FILE, plan_command
from sim.report.words.plain.data import data_line, rows_read
from sim.report.words.plain.impact import impact
from sim.report.words.plain.page import FOUND, NEXT, PASTE, UNTESTED, FirstPage, page_of

_MOST = 6
"""Ways that are listed, those that lose least first."""

RISK = (
    "The risk of a person is how sure an attacker can rightly be that a record is theirs: the "
    "probability that the best use of the facts gives to the person's own record."
)


def frontier_page(run: RunFolder) -> FirstPage:
    """Return the first page of a frontier."""
    rows = run.tables[TABLE]
    bound = run.config["plan"].get("max_risk")
    return page_of(
        [*_answer(run, rows), RISK, *rows_read(run.record)],
        data_line(run.record),
        [
            Chapter(FOUND, items=[*_ways(rows)]),
            Chapter(UNTESTED, items=[*_untested(run, rows)]),
            Chapter(
                NEXT,
                [
                    "This is a sample, and shows where to look. The command chooses a way to "
                    "change the data, attacks every person before it offers one, and writes the "
                    f"data so changed to a file named in place of {FILE}"
                    + (", with your bound in place of the one here." if bound is None else ".")
                ],
                commands=[plan_command(run.record, bound, [f"plan.write={FILE}"])],
            ),
            Chapter(PASTE, _paragraphs(run, rows), is_quote=True),
        ],
    )


def _answer(run: RunFolder, rows: pd.DataFrame) -> Iterator[str]:
    bound, measure = rows.iloc[0]["bound"], MEASURED[str(rows.iloc[0]["measure"])]
    if pd.notna(bound):
        counts = {kind: int((rows["verdict"] == kind).sum()) for kind in (WITHIN, EXCEEDS)}
        rest = len(rows) - sum(counts.values())
        open_ = f", and for {rest:,} it is not known" if rest else ""
        yield (
            f"Of {quantity(len(rows), 'way')} to publish the data, as they are or changed, "
            f"{counts[WITHIN]:,} {'keeps' if counts[WITHIN] == 1 else 'keep'} the bound that was "
            "given in this sample, "
            f"{format_percent(bound)} for {measure}; {counts[EXCEEDS]:,} "
            f"{'exceeds' if counts[EXCEEDS] == 1 else 'exceed'} it{open_}."
        )
        able = by_loss(rows[rows["verdict"] == WITHIN])
        if len(able):
            best = able.iloc[0].to_dict()
            least = "has the lowest upper end" if is_loss_unknown(best) else "loses least"
            yield f"The one that {least} is {_way(best)}."
    yield from compared_by(run, rows)
    first = rows.iloc[0].to_dict()
    yield f"The data as they are: {_risk(first, measure)}."
    if pd.isna(bound):
        yield (
            "No bound was given (plan.max_risk), so there is no verdict, only what each way "
            "of changing the data protects and costs."
        )
    yield from same_words(run.record)
    yield f"The risks are those of {sample_words(run)}, attacked by {_attackers(run)}."


def _attackers(run: RunFolder) -> str:
    names = [attacker(str(name)) for name in run.config["audit"]["attackers"]]
    return in_a_row(names)


def _risk(row: Mapping[Any, Any], measure: str) -> str:
    if pd.isna(row["risk"]):
        return f"{measure} was not tested"
    return f"{measure} is {risk_words(row)}"


def _way(row: Mapping[Any, Any]) -> str:
    measure = MEASURED[str(row["measure"])]
    return f"{chain_words(row)}: {_risk(row, measure)}{utility_words(row)}"


def _ways(rows: pd.DataFrame) -> Iterator[str]:
    """Yield the ways that no other one betters."""
    good = by_loss(rows[(rows["dominated_by"] == "") & rows["risk"].notna()])
    for row in row_dicts(good[:_MOST]):
        yield f"{_way(row)}."
    left = len(rows) - min(len(good), _MOST)
    if left:
        yield (
            f"{quantity(left, 'other way')} in the table of the detailed part: worse than one of "
            "these in risk and in loss, less useful than all of them, or not tested."
        )


def _untested(run: RunFolder, rows: pd.DataFrame) -> Iterator[str]:
    targets = run.config["targets"]
    if isinstance(targets, int) and targets < int(run.record["release"]["n_records"]):
        n = int(run.record["release"]["n_records"])
        yield f"People outside the sample: at most {targets:,} of {n:,} were attacked."
    missing = rows[rows["risk"].isna()]
    if len(missing):
        chains = ", ".join(
            "the data as they are" if name == UNCHANGED else str(name) for name in missing["chain"]
        )
        yield f"The risk of {chains}; the reasons are in the detailed part."
    yield "Uses of the data other than the one that is compared."
    yield OTHERS
    yield OTHER_CRITERIA


def _paragraphs(run: RunFolder, rows: pd.DataFrame) -> list[str]:
    return impact(
        run.record,
        f"{quantity(len(rows), 'way')} to publish the data were compared.",
        [*_answer(run, rows), RISK],
        [*_untested(run, rows)],
    )
