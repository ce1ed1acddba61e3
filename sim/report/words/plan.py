"""What a plan offers, in chapters that stand before its assessment: the certificate (spec §11).

Invariant: a chain is called within the bound only by the attack under a new seed; where none keeps
the bound, this is the first sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.assessment.planning import ALL, DROPPED, FRESH, GOES_ON, OFFERED, RESERVE
from sim.assessment.planning import TABLE as TRIALS
from sim.config.chains import UNCHANGED
from sim.numeric.text import format_percent, quantity, with_interval
from sim.record.run_folder import RunFolder
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable
from sim.report.words.assessment import MEASURED, Chapter
from sim.report.words.frontier import (
    chain_words,
    nearest,
    risk_words,
    utility_words,
    who,
    why,
)

_PAST = {
    GOES_ON: "went on", RESERVE: "held in reserve", DROPPED: "dropped", OFFERED: "offered"
}  # fmt: skip


def plan_sentences(run: RunFolder) -> Iterator[str]:
    """Yield what to publish, its protection and its cost; or that nothing keeps the bound."""
    trials = run.tables[TRIALS]
    offered = trials[trials["decision"] == OFFERED]
    if len(offered):
        yield from _offer(run, trials, offered.iloc[0].to_dict())
    else:
        yield from _none(run, trials)
    yield _initial(trials, str(run.config["audit"]["measure"]))
    if len(offered):
        yield from _written(run)


def _offer(run: RunFolder, trials: pd.DataFrame, row: Mapping[Any, Any]) -> Iterator[str]:
    bound, measure = _bound(run)
    yield (
        f"Publish {chain_words(row)}. {_tried(trials)}. Of those that keep the bound of {bound} "
        f"for {measure}, this one loses least{utility_words(row)}."
    )
    left = _left(run, row)
    if left:
        yield left
    each = "" if run.config["audit"]["measure"] == "highest" else " It is no bound for each person."
    yield (
        "Every record was attacked twice, under two seeds, and both times the bound was kept. The "
        f"second time, {measure} is {risk_words(row)}.{each}"
    )
    lossier = _less_lossy(trials, row)
    if lossier:
        yield f"Less lossy, and dropped: {'; '.join(lossier)}."


def _tried(trials: pd.DataFrame) -> str:
    n = trials["chain"].nunique()
    return (
        f"{quantity(n, 'release')} {'was' if n == 1 else 'were'} tried, the data as they are first"
    )


def _left(run: RunFolder, row: Mapping[Any, Any]) -> str:
    """Say what is left of the people, items and cells."""
    release = run.record["release"]
    counts = [
        f"{int(row[name]):,} of {int(release[key]):,} {name}"
        for name, key in (("people", "n_records"), ("items", "n_items"), ("cells", "n_cells"))
        if pd.notna(row[name])
    ]
    return f"It has {', '.join(counts[:-1])} and {counts[-1]}." if counts else ""


def _less_lossy(trials: pd.DataFrame, row: Mapping[Any, Any]) -> list[str]:
    """Return the chains that keep more, each with the reason why it was dropped."""
    if pd.isna(row["kept"]):
        return []
    better = trials[(trials["kept"] > row["kept"]) & (trials["decision"] == DROPPED)]
    return [f"{one['chain']} ({why(one['because'])})" for one in better.to_dict("records")]


def _none(run: RunFolder, trials: pd.DataFrame) -> Iterator[str]:
    bound, measure = _bound(run)
    yield (
        f"No release keeps the bound of {bound} for {measure}, so nothing is offered. "
        f"{_tried(trials)}; each exceeds the bound, or could not be tested."
    )
    last = trials.groupby("chain", sort=False).last().reset_index()
    short = float(last["short"].max())
    if short > float(run.config["plan"]["max_risk"]):
        yield (
            f"{format_percent(short)} of the people have too few facts for one of the attackers, "
            "and count as found. Attackers with fewer facts (audit.attackers), or a chain with "
            "drop_records.min_length, would change that."
        )
    yield from nearest(last)
    yield "Other chains can be given in plan.defences."


def _bound(run: RunFolder) -> tuple[str, str]:
    return format_percent(run.config["plan"]["max_risk"]), MEASURED[run.config["audit"]["measure"]]


def _initial(trials: pd.DataFrame, measure: str) -> str:
    as_it_is = trials[trials["chain"] == UNCHANGED].iloc[-1].to_dict()
    if pd.isna(as_it_is["risk"]):
        return f"The risk of the release as it is was not tested ({why(as_it_is['because'])})."
    of = "every record" if pd.isna(as_it_is["targets"]) else f"a sample of {as_it_is['targets']:,}"
    return (
        f"As it is, without a defence, {MEASURED[measure]} is {with_interval(as_it_is, 'risk')} "
        f"({who(as_it_is)}; {of} attacked)."
    )


def _written(run: RunFolder) -> Iterator[str]:
    written = (run.record.get("plan") or {}).get("written")
    if written:
        yield (
            f"The release was written to {written['path']} ({quantity(written['cells'], 'cell')}, "
            f"SHA-256 {written['sha256']}), read back, and found to be what was attacked."
        )
    else:
        yield "It was not written to a file; plan.write=release.csv writes it."


def plan_chapters(run: RunFolder, utility: HtmlTable | None) -> list[Chapter]:
    """Return the chapters about the choice.

    Parameters
    ----------
    utility : HtmlTable or None
        The utility of what is offered, before and after.
    """
    trials = run.tables[TRIALS]
    return [
        Chapter("What to publish", [*plan_sentences(run)]),
        *([Chapter("What it costs", table=utility)] if utility else []),
        Chapter("What was tried", [*_steps(trials)], table=_table(trials)),
    ]


def _steps(trials: pd.DataFrame) -> Iterator[str]:
    for step, rows in trials.groupby("step", sort=False):
        counts = rows["decision"].value_counts(sort=False)
        size = rows["targets"].iloc[0]
        of = "every record" if pd.isna(size) else quantity(int(size), "person", "people")
        seed = " under a new seed" if step == FRESH else ""
        said = ", ".join(f"{n} {_PAST[str(decision)]}" for decision, n in counts.items())
        name = "" if step in (ALL, FRESH) else f"{str(step).capitalize()}: "
        yield f"{name}{quantity(len(rows), 'chain')} attacked through {of}{seed}: {said}."


def _table(trials: pd.DataFrame) -> HtmlTable:
    heads = ("step", "chain of defences", "risk", "counted", "utility kept", "decision")
    words = ("step", "chain of defences", "decision")
    return HtmlTable(
        "Attacks, in their order",
        [HtmlColumn(head, numeric=head not in words) for head in heads],
        [_row(row) for row in trials.to_dict("records")],
        "Estimates have 95% intervals. In each round every chain is attacked through the same "
        "facts about the same people. A sample drops a chain whose lower end exceeds the bound; "
        "only an attack on all records shows that a chain keeps it. Counted is what is compared "
        "with the bound then: the upper end, those with too few facts to be attacked counted as "
        "found.",
    )


def _row(row: Mapping[Any, Any]) -> Sequence[HtmlCell]:
    because = f" ({why(row['because'])})" if row["because"] else ""
    tested = pd.notna(row["risk"])
    return [
        *(HtmlCell(str(row[name]), str(row[name])) for name in ("step", "chain")),
        HtmlCell(with_interval(row, "risk") if tested else "–", repr(row["risk"])),
        *(HtmlCell(_share(row[name]), repr(row[name])) for name in ("counted", "kept")),
        HtmlCell(f"{row['decision']}{because}", str(row["decision"])),
    ]


def _share(value: Any) -> str:
    return "–" if pd.isna(value) else format_percent(value)
