"""The assessment of an audit in plain words, for a data protection officer (spec §9.1).

Invariant: every share has its denominator; what was not tested is named; no word judges a risk,
only the user's bound does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from sim.assessment.assessment import FACTS_PART, UNICITY_PART, Assessment, attacking
from sim.assessment.names import attacker_words, row_name
from sim.assessment.rows import BAYES, Estimate, Row
from sim.assessment.verdicts import EXCEEDS, NOT_TESTED, WITHIN, Verdict
from sim.attack.algorithms.registry import attack_class, attack_named, attack_title, is_published
from sim.metrics.counts import RELEASED
from sim.numeric.rows import row_dicts
from sim.numeric.text import (
    format_estimate,
    format_number,
    format_percent,
    format_setting,
    in_a_row,
    quantity,
)
from sim.record.run_folder import RunFolder, runs_of
from sim.release.store.accounts import Accounts
from sim.report.html_table import HtmlCell, HtmlColumn, HtmlTable
from sim.report.population import Population, population_of, that_lack
from sim.report.small_groups import FEWEST
from sim.report.words.about import release_line
from sim.report.words.attack_words import knowledge
from sim.report.words.defences import (
    changed_first,
    counts_published,
    has_counts,
    own_facts,
    untested_facts,
)
from sim.report.words.enough_facts import enough_facts, facts_tested, finds_more, some_wrong
from sim.report.words.left_out import LEFT, adapted
from sim.report.words.not_run import not_run
from sim.report.words.plain.data import SYNTHETIC
from sim.report.words.plain.fewer_facts import not_with_all_facts
from sim.report.words.reading_losses import (
    as_read,
    file_holds_more,
    people_not_counted,
    remarks,
)
from sim.report.words.reproduce import command_of
from sim.report.words.risk_of_people import with_risk
from sim.report.words.summary import summary_of
from sim.report.words.utility import utility_kept

CONTEXTS: Mapping[str | None, str] = {
    "public": "The release is meant for the public: anyone may attack it.",
    "recipients": "The release is meant for named recipients.",
    "inside": "The release is meant for use inside the organisation.",
    None: "Who is to receive the release was not stated (audit.context).",
}

MEASURED: Mapping[str, str] = {
    "highest": "the highest risk of a person",
    "percentile_99": "the 99th percentile of the risks of people",
    "mean": "the mean risk of a person",
    "succeeds": "the share of people whom the attacker finds",
}

FACTS = "How many facts until a record is found"
DATA = "Data"
UNTESTED_TITLE, LEFT_OUT = "Not tested", "Adapted to this release"
"""Titles of chapters that other modules know; those of the last two a terminal shows too."""

UNDECIDED = "bound not tested"
"""Of an attacker who was run, but whose risk is not known to keep the bound or to exceed it."""

UNTESTED: Mapping[str, str] = {"linkability": "Linkability", "inference": "Inference"}

_ADVERSARIES: Mapping[str, str] = {
    "mentions": "items that the person mentions in public (a list simulated from the release, as "
    "in F06: mostly popular items, some of them not the person's, without dates)",
    "elsewhere": "what the person does on another service, simulated from the release",
    "mentions_file": "what the person mentions in public, from a file",
    "external": "what another table says about the person",
}


@dataclass(frozen=True, slots=True)
class Chapter:
    """A part of the assessment under one heading.

    Parameters
    ----------
    sentences : sequence of str
        Paragraphs.
    items : sequence of str
        A list below them.
    table : HtmlTable or None
        Below the list.
    commands : sequence of str
        Below the table.
    is_quote : bool
        Whether the paragraphs are to be copied.
    """

    title: str
    sentences: Sequence[str] = ()
    items: Sequence[str] = ()
    table: HtmlTable | None = None
    commands: Sequence[str] = ()
    is_quote: bool = False


def chapters(found: Assessment) -> list[Chapter]:
    """Return the assessment in the order in which it is read."""
    record = found.run.record
    every = [
        Chapter("Result", [*lead_sentences(found)], table=table(found)),
        _facts(found),
        _unicity(found),
        Chapter("Attackers", items=[*_attackers(found)]),
        Chapter(UNTESTED_TITLE, items=[*not_tested(found)]),
        Chapter(DATA, [*data_sentences(attacked(found)), *utility_sentences(found.run)]),
        Chapter(LEFT_OUT, items=[*left_out(found)]),
        Chapter("What the numbers mean", items=[*_definitions(found)]),
        Chapter("May this be shared?", [*_sharing()]),
        Chapter(
            "How to repeat it",
            [*_provenance(attacked(found))],
            commands=[command_of(record), check_command(found)],
        ),
    ]
    return [one for one in every if one.sentences or one.items or one.table]


def lead_sentences(found: Assessment) -> Iterator[str]:
    """Yield the first sentences: whom the attackers find, the verdict, and the context."""
    best = found.most_found
    if best is None:
        yield "No attacker could be run on this release, so nothing was tested."
    else:
        finds = _most_found(found, best) if best.most_found[0].estimate else _nobody(found)
        yield from with_risk(found, finds, enough_facts(found))
    yield from _verdict_sentences(found)
    yield from own_facts(found.run.record)
    yield from untested_facts(attacked(found))
    yield CONTEXTS[found.run.config["audit"]["context"]]


def _most_found(found: Assessment, best: Row) -> str:
    finds, attack = best.most_found
    by = "" if attack == BAYES else f", by {attack_named(attack)},"
    untested = f" The risk of a person was not measured: {best.problem}." if best.problem else ""
    return (
        f"The attacker {attacker_words(best.attacker)}, who knows {knows(found, best)}, names "
        f"the right record{by} for {_at_least(best)}{_with_interval(finds)} of "
        f"{population(found, best)}. {_highest(found, best)}"
        f"{_control_words(best) if finds is best.succeeds else ''}{untested}"
    )


def _nobody(found: Assessment) -> str:
    """Say that no record is named right, of how many, and what that leaves open."""
    each = (
        f"{row_name(row)}, {_with_interval(row.most_found[0])} of {population(found, row)}"
        for row in found.rows
    )
    return (
        f"No attacker that was run names a right record: {'; '.join(each)}. This does not show "
        "that no record can be found: the upper ends of the intervals are not 0, and other facts "
        "or other attackers may find records."
    )


def _highest(found: Assessment, best: Row) -> str:
    if len(found.rows) == 1:
        return "No other attacker was run."
    others = [row_name(row) for row in found.rows_alike(best) if row is not best]
    same = f", and that of {in_a_row(others)} as well" if others else ""
    fixed = " with a fixed number of facts" if finds_more(found) else ""
    return f"This is the highest share of all attackers{fixed}{same}."


def _verdict_sentences(found: Assessment) -> Iterator[str]:
    if found.bound is None:
        yield (
            "No bound was set (audit.max_risk), so the result is not tested against a bound. The "
            "bound is the holder's decision."
        )
        return
    by_verdict: dict[str, list[str]] = {EXCEEDS: [], WITHIN: [], UNDECIDED: [], NOT_TESTED: []}
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        by_verdict[verdict_name(verdict)].append(row_name(row))
    by_verdict[NOT_TESTED] += [
        attacker_words(one.name) for one in found.missing if one.name in found.attackers
    ]
    words = [f"{verdict}: {'; '.join(names)}" for verdict, names in by_verdict.items() if names]
    yield (
        f"The bound that was set is {format_percent(found.bound)} for {MEASURED[found.measure]}, "
        f"and the upper end of the 95% interval counts. Singling out: {'. '.join(words)}. "
        "Linkability and inference: not tested."
    )


def table(found: Assessment) -> HtmlTable:
    """Return the table of the specification: a row per criterion, attacker and number of facts."""
    heads = (
        *("criterion", "attacker", "succeeds", "without the person's record (control)"),
        *("wrong claims", "mean · 99th percentile · highest person", "bound set", "verdict"),
    )
    bound = "none" if found.bound is None else format_percent(found.bound)
    rows = [
        [
            *("singling out", row_name(row)),
            f"{_at_least(row)}{_brief(row.succeeds)} of {_of_all(found, row)}",
            _control(row),
            _brief(row.wrong),
            _risks(row),
            bound,
            verdict_words(verdict, was_run=True),
        ]
        for row, verdict in zip(found.rows, found.verdicts, strict=True)
    ]
    gone = [one for one in found.missing if one.name in found.attackers]
    rows += [
        ["singling out", attacker_words(one.name), *(NOT_TESTED,) * 4, bound, NOT_TESTED]
        for one in gone
    ]
    rows += [[name, "–", *(NOT_TESTED,) * 4, bound, NOT_TESTED] for name in UNTESTED]
    return HtmlTable(
        "Assessment by criterion and attacker",
        [HtmlColumn(head, numeric=False) for head in heads],
        [[HtmlCell(text, text) for text in row] for row in rows],
        "Shares are of the records attacked, with exact 95% intervals. Risks are posterior "
        "probabilities of a person's own record; in brackets, the upper end of the interval of the "
        "mean and the 99th percentile.",
    )


def narrow(found: Assessment) -> HtmlTable:
    """Return the same for a terminal."""
    heads = ("attacker", "verdict", "succeeds", "control", "wrong", "mean", "99th", "highest")
    rows = [
        [
            *(row_name(row), "no bound" if found.bound is None else verdict_name(verdict)),
            f"{'≥ ' if row.problem else ''}{format_percent(row.succeeds.estimate)}",
            *(
                "–" if each is None else format_percent(each.estimate)
                for each in (
                    *(row.control, row.wrong),
                    *(row.mean, row.percentile_99, row.highest),
                )
            ),
        ]
        for row, verdict in zip(found.rows, found.verdicts, strict=True)
    ]
    return HtmlTable(
        "Singling out, by attacker",
        [HtmlColumn(head, numeric=False) for head in heads],
        [[HtmlCell(text, text) for text in row] for row in rows],
    )


def verdict_name(verdict: Verdict) -> str:
    """Name the verdict on an attacker who was run: what is not tested then is the bound.

    Examples
    --------
    >>> verdict_name(Verdict("not tested", "no model")), verdict_name(Verdict("within"))
    ('bound not tested', 'within')
    """
    return UNDECIDED if verdict.verdict == NOT_TESTED else verdict.verdict


def verdict_words(verdict: Verdict, *, was_run: bool) -> str:
    """Format a verdict with its reason.

    Parameters
    ----------
    was_run : bool
        Whether the attacker was.

    Examples
    --------
    >>> verdict_words(Verdict("not tested", "no model"), was_run=True)
    'bound not tested (no model)'
    >>> verdict_words(Verdict("not tested", "no dates"), was_run=False)
    'not tested (no dates)'
    """
    name = verdict_name(verdict) if was_run else verdict.verdict
    return f"{name} ({verdict.reason})" if verdict.reason else name


def knows(found: Assessment, row: Row) -> str:
    """Return what an attacker knows, as a phrase that follows "knows"."""
    part = _part(found.run, row.attacker)
    kind = part.config["adversary"]["kind"]
    return _ADVERSARIES.get(kind) or knowledge(row.axes, list(row.axes))


def population(found: Assessment, row: Row) -> str:
    """Name the records that a share is of; follows "of"."""
    return _population(found, row).present


def _population(found: Assessment, row: Row) -> Population:
    part = _part(found.run, row.attacker)
    curves = part.tables["curves"]
    cell = row_dicts(curves[curves["cell"] == row.cell])[0]
    whole = population_of(cell, part.config)
    if RELEASED[0] not in cell:
        return whole
    return replace(
        whole,
        who="people in the release",
        n_all=row.records,
        n_eligible=row.eligible,
        n_targets=row.attacked,
        n_present=row.attacked,
    )


def not_tested(found: Assessment) -> Iterator[str]:
    """Yield what was not tested, and why."""
    for name in UNTESTED.values():
        yield f"{name} (WP216): not tested."
    for one in found.missing:
        yield f"{attacker_words(one.name)}: not tested: {one.reason}."
    problems: dict[tuple[str, str], None] = {}
    for row in found.rows:
        if row.problem:
            problems[(row_name(row), row.problem)] = None
    for name, problem in problems:
        yield (
            f"{name}: the risk of a person was not measured: {problem}. The attack that was run "
            "shows what is found at least, not what can be found."
        )
    for row in found.rows:
        whole = _population(found, row)
        if not whole.is_whole:
            yield (
                f"{row_name(row)}: {whole.others} were not attacked, as only those "
                f"{whole.which} can be. They count as found where a verdict is given."
            )
        if not row.is_census:
            left = row.eligible - row.attacked
            yield (
                f"{row_name(row)}: {left:,} of {quantity(row.eligible, 'record')} that can be "
                "attacked were not; the others are a uniform sample of them. targets=all attacks "
                "every record."
            )
    yield from not_run(found.run.record)
    yield from not_with_all_facts(found)
    yield from counts_published(attacked(found))
    yield from file_holds_more(attacked(found))
    yield _facts_drawn(found)
    yield "Attackers with more facts, or with other knowledge than listed here, were not tested."


def _facts_drawn(found: Assessment) -> str:
    others = "Other facts about the same person may identify them more, or less"
    if found.draws == 1:
        return (
            f"The facts about each person were drawn once. {others}. With audit.draws=5 they are "
            "drawn five times and a person's risk is the mean; the attacks take five times as long."
        )
    until = ", and once for the facts until a record is found" if found.facts is not None else ""
    return f"The facts about each person were drawn {found.draws} times{until}. {others}."


def attacked(found: Assessment) -> Mapping[str, Any]:
    """Return the record of a run that attacked the release: after its defences, if it has any."""
    return attacking(found.run).record


def utility_sentences(audit: RunFolder) -> Iterator[str]:
    """Yield the utility of the release that an audit attacked."""
    yield from utility_kept(audit.tables, attacking(audit).record)


def data_sentences(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what the data are, and what became of every row that was read."""
    yield release_line(record)
    read = as_read(record)
    rows = Accounts.of(read)
    if str(record["config"]["data"]["kind"]) == "synthetic":
        yield SYNTHETIC
    else:
        yield (
            f"{quantity(rows.rows, 'row')} read: {rows.cells:,} kept, {rows.merged:,} merged with "
            f"or replaced by another row, {rows.dropped:,} dropped for an empty user or item, "
            f"{rows.unreadable:,} dropped as a cell could not be read."
        )
        if people_not_counted(rows):
            yield people_not_counted(rows)
    yield from remarks(read)
    yield from changed_first(record)


def left_out(found: Assessment) -> Iterator[str]:
    """Yield what the release cannot have, part by part."""
    for part in found.run.parts:
        if part.run is None:
            continue
        said = [words for one in runs_of(part.run) for words in adapted(one.record)]
        for words in dict.fromkeys(said):
            name = attacker_words(part.name)
            said_here = words.removeprefix(LEFT)
            yield f"{name}: {words}" if said_here == words else f"{name}: without {said_here}"


def _facts(found: Assessment) -> Chapter:
    title = FACTS
    if found.facts is None:
        reasons = [one.reason for one in found.missing if one.name == FACTS_PART]
        return Chapter(title, [f"Not tested: {reason}." for reason in reasons])
    rows = row_dicts(found.facts)
    n, whole = facts_tested(found)
    tried = [f"{row['facts']}" for row in rows if pd.notna(row["facts"])]
    everyone = "the 1 record" if n == 1 else f"all {n:,} records"
    part = next(one.run for one in found.run.parts if one.name == FACTS_PART and one.run)
    first, wrong = row_dicts(part.tables["curves"])[0], some_wrong(part.tables["curves"])
    able, lack = int(first["n_eligible"]), that_lack(first)
    of = everyone if n == whole else f"a sample of {n:,} of {whole:,} records"
    if n == able < whole:
        of = f"all {n:,} records that have as many facts{lack}, of {whole:,}"
    sentence = (
        f"The Bayes-optimal attacker learns {f'facts{wrong}' if wrong else 'exact facts'} about "
        f"each of {of}; it was tried with "
        f"{in_a_row(tried)} {'fact' if tried == ['1'] else 'facts'}, and no other number. A record "
        "is found from the number of facts on from which its "
        f"posterior is at least {format_percent(found.confidence)} and the highest. Records with "
        "fewer facts are tried with those that they have."
    )
    cells = [
        [
            HtmlCell(_facts_words(row), str(place)),
            HtmlCell(f"{row['n']:,}", str(row["n"])),
            HtmlCell(format_estimate(row, "share", share=True), repr(row["share"])),
            HtmlCell(format_estimate(row, "at_most", share=True), repr(row["at_most"])),
        ]
        for place, row in enumerate(rows)
    ]
    heads = ("found from", "records", "share of the records", "found with this many or fewer")
    columns = [HtmlColumn(head, numeric=place > 0) for place, head in enumerate(heads)]
    return Chapter(title, [sentence], table=HtmlTable("Facts until found", columns, cells))


def _facts_words(row: Mapping[Any, Any]) -> str:
    if pd.isna(row["facts"]):
        return f"not found with up to {quantity(int(row['known']), 'fact')}"
    return quantity(int(row["facts"]), "fact")


def _unicity(found: Assessment) -> Chapter:
    part = next((p.run for p in found.run.parts if p.name == UNICITY_PART and p.run), None)
    if part is None:
        return Chapter("Unicity")
    first, more = summary_of(part)
    without = [_WITHOUT_COUNTS] if has_counts(attacked(found)["release"]) else []
    return Chapter("Unicity", [], [first, *more, *without], _unicity_table(part.tables["facts"]))


_WITHOUT_COUNTS = (
    "How often a person has an item is not part of these points: with it, more records may be "
    "unique."
)


def _unicity_table(facts: pd.DataFrame) -> HtmlTable:
    """Share that is unique and median number of records that match, by points and times."""
    heads = ["points known"]
    columns: dict[str, pd.DataFrame] = {}
    for times, rows in facts[facts["n"] > 0].groupby("times", sort=False):
        columns[str(times)] = rows.set_index("points")
        with_times = "items alone" if times == "none" else f"with the {times}"
        heads += [f"records, {with_times}", with_times]
    points = sorted({int(p) for rows in columns.values() for p in rows.index})
    cells = [
        [
            HtmlCell(str(point), str(point)),
            *(cell for rows in columns.values() for cell in _unicity_cells(rows, point)),
        ]
        for point in points
    ]
    return HtmlTable(
        "Share of records that are the only one to fit random points of theirs",
        [HtmlColumn(head) for head in heads],
        cells,
        "A share is of the records with at least as many different points, whose number stands "
        "before it. In brackets: the median number of records that fit.",
    )


def _unicity_cells(rows: pd.DataFrame, point: int) -> list[HtmlCell]:
    """Return the number of records with so many points, and the share of them that is unique."""
    if point not in rows.index:
        return [HtmlCell("–", "")] * 2
    row: Mapping[Any, Any] = row_dicts(rows.loc[[point]])[0]
    share, median = format_percent(row["unique"]), format_number(row["matches_median"])
    return [
        HtmlCell(format_number(row["n"]), str(row["n"])),
        HtmlCell(f"{share} ({median})", repr(float(row["unique"]))),
    ]


def _attackers(found: Assessment) -> Iterator[str]:
    for row in found.rows:
        finds = row.published_finds
        published = (
            ""
            if finds is None
            else f" On the same targets, {attack_named(row.published)}, by "
            f"its own rule, names {_with_interval(finds)} right."
        )
        yield (
            f"{row_name(row)}: knows {knows(found, row)}. Attacked: {population(found, row)}. It "
            f"names {_at_least(row)}{_with_interval(row.succeeds)} right.{_control_words(row)}"
            f"{published}"
        )


def _definitions(found: Assessment) -> Iterator[str]:
    least = format_percent(found.confidence)
    yield (
        "Singling out (WP216): the Bayes-optimal attacker, who makes the best use of the facts "
        f"under the stated assumptions, names a record if its posterior is at least {least} "
        "(audit.confidence) and no other record's is as high. It succeeds if that is the person's "
        "record."
    )
    yield from dict.fromkeys(_rules(found))
    yield (
        "The reports of the parts state best guesses as well: the record with the highest score, "
        "however low, where t records that share it count as 1/t right. "
        "Their shares may therefore differ from those of the records named here."
    )
    yield (
        "The control is the share of people without a record in the release about whom the same "
        "attacker names somebody all the same. The attacker assumes that the person is there."
    )
    drawn = "" if found.draws == 1 else f", on average over {found.draws} draws of facts"
    yield (
        "The risk of a person is the posterior probability that the attacker gives to their own "
        f"record{drawn}. Its mean and its maximum over people are the average and the maximum risk "
        "of ISO/IEC 27559:2022, section 7.3.2."
    )
    yield (
        "The verdict is within if the upper end of the 95% interval of "
        f"{MEASURED[found.measure]} (audit.measure) is at most the bound, records that could not "
        "be attacked counted as found; exceeds if it is more; and not tested if that was not "
        "measured. The highest risk is not tested either if a fact about a record (an item, "
        "with its value, with its date) that was not drawn leaves more than the bound to whoever "
        "knows it. Two facts together are looked at where the reason of a verdict says so, and "
        "three or more only where they were drawn."
    )
    yield (
        "Intervals are exact, since a verdict counts their upper end: Clopper and Pearson's for "
        "shares, Maurer and Pontil's for means (or, if it is lower, the upper end of a mean is "
        "what it would be if as many people as may have been missed were found for sure, and all "
        "others had the highest risk drawn), order statistics for the percentile. The reports "
        "of the parts have Wilson's, whose ends differ a little. Where every record was attacked, "
        "the highest risk is that of the facts drawn, and its upper end at least the risk by any "
        "single fact; of a sample, its upper end is 100%."
    )
    if found.draws > 1:
        yield (
            f"The {found.draws} draws of facts are about the same people. Together they are no "
            "larger a sample, so the interval of a share spans the exact intervals of all draws; "
            "those of risks are of one number a person, their mean. The upper end of the highest "
            "risk is at least the highest of a single draw, and the verdict on it exceeds if that "
            "is more than the bound."
        )


def _rules(found: Assessment) -> Iterator[str]:
    """Yield the rule by which each published attack names a record."""
    for row in found.rows:
        name = row.published if row.attack == BAYES else row.attack
        if not name:
            continue
        attack = _part(found.run, row.attacker).config["attack"]
        cls = attack_class(name)
        rule = cls.rule
        if cls.matches_by_phi:
            rule = (
                "it alone has the highest score, and its eccentricity, the difference from the "
                "second highest in standard deviations of the scores, is above "
                f"φ = {format_setting(attack['phi'])} (attack.phi)"
            )
        which = ", a published attack," if is_published(name) else ""
        yield (
            f"{attack_title(name)}{which} has scores and no posterior. It names a "
            f"record if this rule holds: {rule}. It succeeds if that is the person's record; no "
            "risk of a person follows from it."
        )


def _at_least(row: Row) -> str:
    """Return what precedes a share that an attack finds and that others may exceed."""
    return "at least " if row.problem else ""


def _control_words(row: Row) -> str:
    """Return the control as a sentence that follows a share of records named right."""
    if row.control is None:
        return ""
    return (
        f" Of {row.absent:,} people whose record is not in the release, it names somebody for "
        f"{_with_interval(row.control)}."
    )


def _of_all(found: Assessment, row: Row) -> str:
    """Return the denominator of a share, and how large a part of all it is."""
    whole = _population(found, row)
    if row.attacked == whole.n_all:
        return f"{row.attacked:,}"
    share = format_percent(row.attacked / whole.n_all)
    return f"{row.attacked:,} ({share} of all {whole.n_all:,} {whole.who})"


def _sharing() -> Iterator[str]:
    yield (
        "This assessment names no person and holds no identifier of one: it has counts, shares and "
        "risks over all records attacked. Counts of records found may be small. The command below "
        "holds the paths of the data. Tables in which report.html groups people by what they are "
        f"like leave out groups of fewer than {FEWEST}. The other files of the run, its tables, "
        "tell of single people and name them as the data do: do not share these."
    )


def _provenance(record: Mapping[str, Any]) -> Iterator[str]:
    version = str((record.get("versions") or {}).get("standout", ""))
    yield (
        f"Standout {version}, seed {record.get('seed')}, release fingerprint "
        f"{record.get('release_fingerprint')}. The first command repeats the audit; the second "
        "computes the verdicts anew from the tables, for any bound; RUN_FOLDER stands for the "
        "folder of this run."
    )


def check_command(found: Assessment) -> str:
    """Return the command that computes the verdicts of a run anew, for its bound or another."""
    bound = "0.09" if found.bound is None else format_setting(found.bound)
    return f"standout check RUN_FOLDER max_risk={bound} measure={found.measure}"


def _control(row: Row) -> str:
    return NOT_TESTED if row.control is None else f"{_brief(row.control)} of {row.absent:,}"


def _risks(row: Row) -> str:
    if row.mean is None or row.percentile_99 is None or row.highest is None:
        return "not measured"
    top = row.highest
    highest = format_percent(top.estimate)
    return " · ".join(
        [
            *(
                f"{format_percent(e.estimate)} [at most {format_percent(e.high)}]"
                for e in _inner(row)
            ),
            highest if row.is_census else f"{highest} [at most {format_percent(top.high)}]",
        ]
    )


def _inner(row: Row) -> Iterator[Estimate]:
    for given in (row.mean, row.percentile_99):
        if given is not None:
            yield given


def _brief(given: Estimate) -> str:
    row = {"x": given.estimate, "x_low": given.low, "x_high": given.high}
    return format_estimate(row, "x", share=True)


def _with_interval(given: Estimate) -> str:
    return _brief(given).replace("[", "[95% interval ")


def _part(run: RunFolder, name: str) -> RunFolder:
    return next(part.run for part in run.parts if part.name == name and part.run is not None)
