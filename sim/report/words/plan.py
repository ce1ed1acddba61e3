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
from sim.report.words.frontier import chain_words, utility_words, who

_NEAREST = 3
_PAST = {
    GOES_ON: "went on", RESERVE: "held in reserve", DROPPED: "dropped", OFFERED: "offered"
}  # fmt: skip


def plan_sentences(run: RunFolder) -> Iterator[str]:
    """Yield what to publish, its protection and its cost; or that nothing keeps the bound."""
    trials = run.tables[TRIALS]
    offered = trials[trials["decision"] == OFFERED]
    yield from (
        _offer(run, trials, offered.iloc[0].to_dict()) if len(offered) else _none(run, trials)
    )
    yield _initial(trials, str(run.config["audit"]["measure"]))
    if len(offered):
        yield from _written(run)


def _offer(run: RunFolder, trials: pd.DataFrame, row: Mapping[Any, Any]) -> Iterator[str]:
    bound, measure = _bound(run)
    n_chains = trials["chain"].nunique()
    untried = _less_lossy(trials, row)
    yield (
        f"Publish {chain_words(row)}. Of {quantity(n_chains, 'release')} that were tried, the one "
        f"as it is included, it loses least of those that keep the bound of {bound} for {measure}"
        f"{utility_words(row)}."
    )
    yield (
        f"Attacked under a new seed, with every record as a target, {measure} is "
        f"{with_interval(row, 'risk')} ({who(row)}); the upper end counts. The search attacked "
        "every record under another seed before, with the same verdict."
    )
    if untried:
        yield f"Less lossy, and dropped: {'; '.join(untried)}."


def _less_lossy(trials: pd.DataFrame, row: Mapping[Any, Any]) -> list[str]:
    """Return the chains that keep more, each with the reason why it was dropped."""
    if pd.isna(row["kept"]):
        return []
    better = trials[(trials["kept"] > row["kept"]) & (trials["decision"] == DROPPED)]
    return [f"{one['chain']} ({one['because']})" for one in better.to_dict("records")]


def _none(run: RunFolder, trials: pd.DataFrame) -> Iterator[str]:
    bound, measure = _bound(run)
    n_chains = trials["chain"].nunique()
    yield (
        f"No release keeps the bound: each of {quantity(n_chains, 'release')} that were tried, the "
        f"one as it is included, exceeds {bound} for {measure}, or could not be tested."
    )
    last = trials.groupby("chain", sort=False).last().reset_index()
    tested = last[last["risk"].notna()].sort_values("risk_high")[:_NEAREST]
    if len(tested):
        near = [
            f"{chain_words(one)}: {with_interval(one, 'risk')} ({who(one)}){utility_words(one)}"
            for one in tested.to_dict("records")
        ]
        yield f"The nearest: {'; '.join(near)}. Other chains can be given in plan.defences."


def _bound(run: RunFolder) -> tuple[str, str]:
    return format_percent(run.config["plan"]["max_risk"]), MEASURED[run.config["audit"]["measure"]]


def _initial(trials: pd.DataFrame, measure: str) -> str:
    as_it_is = trials[trials["chain"] == UNCHANGED].iloc[-1].to_dict()
    if pd.isna(as_it_is["risk"]):
        return f"The risk of the release as it is was not tested ({as_it_is['because']})."
    of = "every record" if pd.isna(as_it_is["targets"]) else f"a sample of {as_it_is['targets']:,}"
    return (
        f"As it is, without a defence, {MEASURED[measure]} is {with_interval(as_it_is, 'risk')} "
        f"({who(as_it_is)}; {of})."
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
    heads = ("step", "chain of defences", "risk", "utility kept", "decision")
    return HtmlTable(
        "Attacks, in their order",
        [HtmlColumn(head, numeric=head in ("risk", "utility kept")) for head in heads],
        [_row(row) for row in trials.to_dict("records")],
        "Estimates have 95% intervals. In each round every chain is attacked through the same "
        "facts about the same people. A sample drops a chain whose lower end exceeds the bound; "
        "only an attack on all records shows that a chain keeps it.",
    )


def _row(row: Mapping[Any, Any]) -> Sequence[HtmlCell]:
    because = f" ({row['because']})" if row["because"] else ""
    tested = pd.notna(row["risk"])
    return [
        *(HtmlCell(str(row[name]), str(row[name])) for name in ("step", "chain")),
        HtmlCell(with_interval(row, "risk") if tested else "–", repr(row["risk"])),
        HtmlCell(_share(row["kept"]), repr(row["kept"])),
        HtmlCell(f"{row['decision']}{because}", str(row["decision"])),
    ]


def _share(value: Any) -> str:
    return "–" if pd.isna(value) else format_percent(value)
