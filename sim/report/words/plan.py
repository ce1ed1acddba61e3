"""What a plan offers, in chapters that stand before its assessment: the certificate (spec §11).

Invariant: a chain is called within the bound only by the attack under a new seed; where none keeps
the bound, this is the first sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.assessment.assessment import Assessment, attacking, conclusion_of
from sim.assessment.planning import (
    ALL,
    DROPPED,
    FRESH,
    GOES_ON,
    OFFERED,
    RESERVE,
    last_trials,
)
from sim.assessment.planning import TABLE as TRIALS
from sim.assessment.verdicts import EXCEEDS
from sim.config.chains import UNCHANGED
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity, with_interval
from sim.record.run_folder import RunFolder
from sim.record.run_record import plan_of
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable
from sim.report.words.assessment import MEASURED, Chapter
from sim.report.words.defences import counts_published, own_facts, untested_facts
from sim.report.words.few_facts import few_facts_of_plan, leaves_nobody
from sim.report.words.frontier import (
    by_loss,
    chain_words,
    counted_words,
    is_loss_unknown,
    nearest,
    risk_words,
    same_words,
    who,
    why,
)
from sim.report.words.many_items import too_many_items
from sim.report.words.plain.data import only_as_read
from sim.report.words.plain.fewer_facts import not_as_meant
from sim.report.words.reading_losses import as_read, left_out_before
from sim.report.words.utility import loss_words, not_measurable

_PAST = {
    GOES_ON: "went on", RESERVE: "held in reserve", DROPPED: "dropped", OFFERED: "offered"
}  # fmt: skip


def plan_sentences(run: RunFolder) -> Iterator[str]:
    """Yield what to publish, its protection and its cost; or that nothing keeps the bound."""
    trials = run.tables[TRIALS]
    offered = trials[trials["decision"] == OFFERED]
    found = conclusion_of(run) if len(offered) else None
    counts = [] if found is None else [*counts_published(attacking(found.run).record)]
    if len(offered):
        yield from _offer(run, trials, found, _OF_SINGLE if counts else "")
    else:
        yield from _none(run, trials)
    yield _initial(trials, str(run.config["audit"]["measure"]))
    if found is not None:
        yield from not_as_meant(found)
        yield from own_facts(found.run.record)
        yield from untested_facts(attacking(found.run).record)
        yield from counts
        yield from _written(run)


_OF_SINGLE = "If nobody knows how often a person has an item, publish "
"""An offer that no attacker who counts has tested."""


def _offer(
    run: RunFolder, trials: pd.DataFrame, found: Assessment | None, condition: str
) -> Iterator[str]:
    row = trials[trials["decision"] == OFFERED].iloc[0].to_dict()
    bound, measure = _bound(run)
    yield (
        f"{condition or 'Publish '}{chain_words(row)}. {_tried(trials)}. Of those that keep the "
        f"bound of {bound} for {measure} against the attackers that were tried, "
        f"{_why_taken(run, row)}."
    )
    yield from left_of(run, row, found)
    if row["chain"] == UNCHANGED:
        yield from only_as_read(as_read(run.record), alone=True)
    yield from equally_lossy(trials, row)
    yield from same_words(run.record)
    highest = run.config["audit"]["measure"] == "highest"
    each = "" if highest else " It is no bound for each person."
    drawn = " for the facts that were drawn" if highest else ""
    yield (
        "Every record that can be attacked was attacked twice, under two seeds, and both times "
        f"the bound was kept. The second time, {measure} is {risk_words(row)}{drawn}. What is "
        "compared with the bound is the upper end, with those who could not be attacked counted as "
        f"found, the highest of all attackers{OR_BEST_GUESS}: {counted_words(row)}.{each}"
    )
    lossier = _less_lossy(trials, row)
    if lossier:
        yield f"Less lossy, and dropped: {'; '.join(lossier)}."


OR_BEST_GUESS = ", be it of this measure or of the share of people of whom the best guess is right"
"""Says what else is compared with a bound, to follow a number."""


def _why_taken(run: RunFolder, row: Mapping[Any, Any]) -> str:
    """Say why a chain is offered, to follow those that keep the bound."""
    unknown = loss_unknown(run, row)
    if not unknown:
        return "this one loses least"
    return f"the one with the lowest upper end was taken, since what they lose {unknown}"


def loss_unknown(run: RunFolder, row: Mapping[Any, Any]) -> str:
    """Say that the loss of an offer, and so of all that keep the bound, is not known.

    Empty: it is known. To follow what is lost.
    """
    if not is_loss_unknown(row):
        return ""
    reason = not_measurable(run)
    return f"is not known, as {reason}" if reason else "was not measured"


def _tried(trials: pd.DataFrame) -> str:
    """Say how many releases were tried, without those that could not be made."""
    n, tested = how_many_tried(trials), how_many_tested(trials)
    how, first = ("was", "") if n == 1 else ("were", " first")
    which = f", of which {tested:,} could be tested" if tested < n else ""
    gone = how_many_not_applied(trials)
    without = f"; {not_applied_words(gone)}" if gone else ""
    return f"{quantity(n, 'release')} {how} tried{which}, the data as they are{first}{without}"


def how_many_tried(trials: pd.DataFrame) -> int:
    """Count the chains that left a release, which was tried."""
    return len(_made(trials))


def how_many_not_applied(trials: pd.DataFrame) -> int:
    """Count the chains that cannot be applied to the data."""
    return int(trials["chain"].nunique()) - how_many_tried(trials)


def how_many_tested(trials: pd.DataFrame) -> int:
    """Count the chains of which it is known whether the release keeps the bound."""
    return int((~_is_untested(last_trials(trials))).sum())


def left_of(
    run: RunFolder, row: Mapping[Any, Any], found: Assessment | None, cells: str = "cells"
) -> Iterator[str]:
    """Say what an offer leaves of people, items and cells, and of the utility, where known.

    Parameters
    ----------
    found : Assessment or None
        Of the offer, for what its audit measured.
    cells : str
        The word for these.
    """
    release = run.record["release"]
    counts = [
        f"{int(row[name]):,} of {int(release[key]):,} {word}"
        for name, key, word in (
            ("people", "n_records", "people"),
            ("items", "n_items", "items"),
            ("cells", "n_cells", cells),
        )
        if pd.notna(row[name])
    ]
    left = f"It has {', '.join(counts[:-1])} and {counts[-1]}." if counts else ""
    changed = row["chain"] != UNCHANGED
    tables = {} if found is None else found.run.tables
    loss = loss_words(row, str(run.config["plan"]["utility"]), tables) if changed else ""
    # Of the data as they were read, `only_as_read` says it.
    read = left_out_before(as_read(run.record)) if changed else ""
    if left or loss:
        yield " ".join(filter(None, (left, loss, read)))


def equally_lossy(trials: pd.DataFrame, row: Mapping[Any, Any]) -> Iterator[str]:
    """Say which chains lose as much as the one that is offered, and why it was taken first."""
    if pd.isna(row["kept"]):
        return
    last = by_loss(last_trials(trials))
    loss = last.loc[last["chain"] == row["chain"], "loss"].iloc[0]
    # Those that exceed the bound are no alternatives, whatever they lose.
    keeps = (last["loss"] == loss) & (last["decision"] != DROPPED)
    others = last[keeps & (last["chain"] != row["chain"])]
    if others.empty:
        return
    names = [
        f"{one['chain']}{_upper_end(one['counted'], one['targets'])}"
        for one in row_dicts(others[:_MOST_EQUALS])
    ]
    left = len(others) - len(names)
    more = f", and {left:,} more" if left else ""
    yield (
        f"{'Another one loses' if len(others) == 1 else f'{len(others):,} others lose'} as much of "
        f"the utility that is compared: {'; '.join(names)}{more}. Where several lose the same, no "
        "change at all is preferred, as it spares every other use, and then the one whose risk had "
        "the lowest upper end in the attacks before; of equal ones, the one with the lower risk."
    )


def _upper_end(counted: Any, targets: Any) -> str:
    of = "" if pd.isna(targets) else f" of a sample of at most {int(targets):,}"
    return "" if pd.isna(counted) else f" (upper end {format_percent(counted)}{of})"


_MOST_EQUALS = 4
"""Chains that are named."""


def _less_lossy(trials: pd.DataFrame, row: Mapping[Any, Any]) -> list[str]:
    """Return the chains that keep more, each with the reason why it was dropped."""
    if pd.isna(row["kept"]):
        return []
    better = trials[(trials["kept"] > row["kept"]) & (trials["decision"] == DROPPED)]
    return [f"{one['chain']} ({why(one['because'])})" for one in row_dicts(better)]


def _none(run: RunFolder, trials: pd.DataFrame) -> Iterator[str]:
    bound, measure = _bound(run)
    last = last_trials(trials)
    exceed = int((~_is_untested(last)).sum())
    yield (
        f"No release keeps the bound of {bound} for {measure}, so nothing is offered. "
        f"{_tried(trials)}; {exceed:,} {'does' if exceed == 1 else 'do'} not keep the bound."
    )
    yield from untested_chains(trials)
    yield from same_words(run.record)
    yield from leaves_nobody(run)
    few = few_facts_of_plan(run)
    yield from filter(None, [few, too_many_items(run)])
    yield from nearest(last, int(run.record["release"]["n_records"]))
    if not few:
        yield "Other chains can be given in plan.defences."


def could_not_be_tested(trials: pd.DataFrame) -> str:
    """Return of how many chains nothing is known, to follow a sentence; empty if there is none."""
    n, gone = some_untested(trials), how_many_not_applied(trials)
    return f"{_NOT_KNOWN.format(n) if n else ''}{f' {not_applied_words(gone)}.' if gone else ''}"


_NOT_KNOWN = " Of {:,} of them it is not known whether they do: they could not be tested."


_NOT_MADE = "cannot be applied to these data, or leave nobody to attack"


def not_applied_words(n: int) -> str:
    """Say how many chains cannot be applied, beside those that were tried."""
    chains = quantity(n, "further chain of defences", "further chains of defences")
    return f"{chains} {_NOT_MADE}"


def some_untested(trials: pd.DataFrame) -> int:
    """Count the chains that left a release of which the risk is not known."""
    last = last_trials(trials)
    return int((_is_untested(last) & last["chain"].isin(_made(trials))).sum())


def _made(trials: pd.DataFrame) -> set[str]:
    """Return the chains of which a release was made: not those after which nothing is left."""
    return {*trials.loc[~_is_untested(trials) | trials["people"].notna(), "chain"]}


def any_chain_tested(trials: pd.DataFrame) -> bool:
    """Whether it is known of some release that was tried whether it keeps the bound."""
    return how_many_tested(trials) > 0


def _is_untested(chains: pd.DataFrame) -> pd.Series:
    """Of which the risk is not known, nor that it exceeds the bound by what some attack finds."""
    return chains["risk"].isna() & (chains["verdict"] != EXCEEDS)


def untested_chains(trials: pd.DataFrame, named: int | None = None) -> Iterator[str]:
    """Yield how many chains could not be tested, with the reasons; nothing if all were.

    Parameters
    ----------
    named : int or None
        How many chains are named for each reason, which may be dozens; None: all. 0: neither chains
        nor reasons.
    """
    last = last_trials(trials)
    untested, made = _is_untested(last), last["chain"].isin(_made(trials))
    for chains, how in (
        (last[~made], f"which {_NOT_MADE}"),
        (last[untested & made], "which could not be tested"),
    ):
        if len(chains):
            which = f"{len(chains):,} of {quantity(len(last), 'way')} to publish the data, {how}"
            if named == 0:
                yield f"{which}."
                continue
            alike = _by_reason(chains)
            most = len(chains) if named is None else named
            told = (f"{_first(names, most)} ({reason})" for reason, names in alike.items())
            is_short = any(len(names) > most for names in alike.values())
            rest = " The table of attacks names all." if is_short else ""
            yield f"{which}: {'; '.join(told)}.{rest}"


def _first(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def _by_reason(chains: pd.DataFrame) -> Mapping[str, list[str]]:
    """Return the chains of each reason, as many often have the same."""
    alike: dict[str, list[str]] = {}
    for one in row_dicts(chains):
        alike.setdefault(why(one["because"]), []).append(str(one["chain"]))
    return alike


def _bound(run: RunFolder) -> tuple[str, str]:
    return format_percent(run.config["plan"]["max_risk"]), MEASURED[run.config["audit"]["measure"]]


def _initial(trials: pd.DataFrame, measure: str) -> str:
    as_it_is = trials[trials["chain"] == UNCHANGED].iloc[-1].to_dict()
    if pd.isna(as_it_is["risk"]):
        return f"The risk of the release as it is was not tested ({why(as_it_is['because'])})."
    of = "every record" if pd.isna(as_it_is["targets"]) else f"at most {as_it_is['targets']:,}"
    return (
        f"As it is, without a defence, {MEASURED[measure]} is {with_interval(as_it_is, 'risk')} "
        f"({who(as_it_is)}; {of} attacked)."
    )


def _written(run: RunFolder) -> Iterator[str]:
    written = plan_of(run.record).get("written")
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
        [_row(row) for row in row_dicts(trials)],
        "Estimates have 95% intervals. In each round every chain is attacked through the same "
        "facts about the same people. A sample drops a chain whose lower end exceeds the bound; "
        "only an attack on all records shows that a chain keeps it. Counted is what is compared "
        "with the bound then: the upper end, those who could not be attacked counted as "
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
