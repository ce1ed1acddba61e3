"""The first page of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import pandas as pd

from sim.assessment.assessment import Assessment
from sim.assessment.few_facts import FewFacts, cure
from sim.assessment.rows import BAYES, Row
from sim.assessment.verdicts import EXCEEDS, NOT_TESTED, WITHIN, Verdict, facts_looked_at
from sim.attack.algorithms.registry import attack_named
from sim.axes.aux import AuxAxis, facts_of, right_facts_of
from sim.defence.drop_long import DropLong
from sim.defence.drop_records import DropRecords
from sim.extend.overrides import override
from sim.numeric.text import format_percent, in_a_row, quantity
from sim.record.run_record import long_records
from sim.release.store.accounts import Accounts
from sim.release.store.repeats import Repeats
from sim.report.words.assessment import CONTEXTS, MEASURED, Chapter, attacked, check_command
from sim.report.words.defences import (
    counts_known,
    counts_published,
    has_counts,
    own_facts,
    untested_facts,
)
from sim.report.words.enough_facts import enough_facts, finds_more, found_by_one_dated_fact
from sim.report.words.not_run import not_run
from sim.report.words.plain.attackers import attack_of, attacker, attacker_with_facts, known
from sim.report.words.plain.commands import (
    BOUND,
    FILE,
    MAX_LENGTH,
    OFFER,
    another_file,
    audit_command,
    plan_command,
    publish_command,
)
from sim.report.words.plain.data import data_line, rows_read
from sim.report.words.plain.fewer_facts import not_as_meant, not_with_all_facts, tests_of_more
from sim.report.words.plain.impact import impact
from sim.report.words.plain.page import FOUND, NEXT, PASTE, UNTESTED, FirstPage, page_of
from sim.report.words.plain.shares import brief_count, people_found
from sim.report.words.published import reads_published, rule_of_published
from sim.report.words.reading_losses import as_read, file_holds_more, time_bin_of
from sim.report.words.risk_of_people import comes_first, with_risk
from sim.report.words.suspicious import suspicious

OTHER_CRITERIA = (
    "Whether records of one person in two data sets can be linked (linkability), and what can be "
    "learnt about a person without finding the record (inference)."
)
_DRAWS = 5
"""Draws of facts about each person, after which one more changes the risks little."""

OTHERS = "Attackers who know more than this, or other things."


def audit_page(found: Assessment) -> FirstPage:
    """Return the first page of an audit."""
    record = attacked(found)
    return page_of(
        [*answer(found), *rows_read(record)],
        data_line(record),
        [
            Chapter(FOUND, items=[*by_attacker(found)]),
            Chapter(UNTESTED, items=[*untested(found)]),
            _next(found),
            Chapter(PASTE, _paragraphs(found), is_quote=True),
        ],
    )


def answer(found: Assessment) -> Iterator[str]:
    """Yield the verdict, how many people are found at most, from how few facts, and who may attack.

    Without a bound there is no verdict, and the people found are the answer. Risks that are high
    for the people found come before all.
    """
    finds, verdict = found_sentences(found), verdict_sentence(found)
    place = len(finds) if found.bound is None else int(comes_first(found))
    yield from [*finds[:place], verdict, *finds[place:]]
    yield from suspicious(found.run.record)
    yield from file_holds_more(attacked(found))
    yield from not_as_meant(found)
    yield from own_facts(found.run.record)
    yield from counts_published(attacked(found))
    yield from counts_known(attacked(found), most_facts(found))
    yield CONTEXTS[found.run.config["audit"]["context"]]


def most_known(found: Assessment) -> str:
    """Return how many facts the attackers know at most, to follow "with"; empty: none has any.

    And how many of these are right, if some are always wrong.
    """
    levels = [row.axes["aux"] for row in found.rows if row.axes.get("aux")]
    most = max(levels, key=lambda level: (facts_of(level), right_facts_of(level)), default="")
    return f"at most {AuxAxis().plain(most)}" if most else ""


def most_facts(found: Assessment, attacker: str | None = None) -> int:
    """Return how many facts an attacker knows at most; 0: none knows a fixed number.

    Parameters
    ----------
    attacker : str, optional
        By default, any.
    """
    rows = [row for row in found.rows if attacker in (None, row.attacker)]
    return max((facts_of(row.axes["aux"]) for row in rows if row.axes.get("aux")), default=0)


def with_at_most(found: Assessment) -> str:
    """Return the same to follow the attackers themselves."""
    known_most = most_known(found)
    return f", with {known_most}" if known_most else ""


def all_looked_at(found: Assessment) -> str:
    """Return of which facts verdicts on the highest risk are; empty: on another measure.

    Where they differ, with whose verdicts they are.
    """
    whose: dict[str, list[str]] = {}
    for row in found.rows if found.measure == "highest" else ():
        whose.setdefault(facts_looked_at(row), []).append(attacker_with_facts(row))
    if len(whose) < 2:
        return "".join(whose)
    return ", and ".join(f"{facts} ({in_a_row(names)})" for facts, names in whose.items())


def found_sentences(found: Assessment) -> list[str]:
    """Say whom the attacker finds who finds most, the risks of people, and from how few facts.

    The risks come first where few are found for them. Empty: no attacker could be tried.
    """
    best = found.most_found
    return [] if best is None else with_risk(found, _finds_most(found, best), enough_facts(found))


def verdict_sentence(found: Assessment, *, alone: bool = False) -> str:
    """Return the verdict on all attackers against the user's bound.

    Parameters
    ----------
    alone : bool
        Without a reference to the report.
    """
    if not found.rows:
        return "No attacker could be tried on this release, so nothing is known of the risk."
    if found.bound is None and alone:
        return "No bound was given for the risk, so there is no verdict."
    if found.bound is None:
        return (
            "No bound was given (audit.max_risk), so there is no verdict: this report says how "
            "many people can be found, and what is acceptable is for those who answer for the "
            "data to decide."
        )
    bound = f"the bound that was given, {format_percent(found.bound)} for {MEASURED[found.measure]}"
    by: dict[str, list[str]] = {EXCEEDS: [], NOT_TESTED: [], WITHIN: []}
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        by[verdict.verdict].append(attacker_with_facts(row))
    by[NOT_TESTED] += [attacker(one.name) for one in found.missing if one.name in found.attackers]
    kept = f" It keeps the bound against {in_a_row(by[WITHIN])}." if by[WITHIN] else ""
    open_ = f" It is not known for {in_a_row(by[NOT_TESTED])}." if by[NOT_TESTED] else ""
    if by[EXCEEDS]:
        return f"The risk exceeds {bound}: against {in_a_row(by[EXCEEDS])}.{kept}{open_}"
    if by[NOT_TESTED]:
        return (
            f"It is not known whether the risk keeps {bound}: this run cannot tell for "
            f"{in_a_row(by[NOT_TESTED])}.{_by_facts_not_drawn(found)}{kept}"
        )
    facts = all_looked_at(found)
    tried = f"every attacker that was tried{with_at_most(found)}"
    return f"The risk keeps {bound}, against {tried}{f', {facts}' if facts else ''}."


def _by_facts_not_drawn(found: Assessment) -> str:
    """Say which facts that were not drawn leave the highest risk open, to follow a sentence."""
    whys = {
        row.rare_facts.why_above(found.bound)
        for row, verdict in zip(found.rows, found.verdicts, strict=True)
        if verdict.decided_by == "fact_risk" and row.rare_facts and found.bound is not None
    }
    return f" One reason is that {', and that '.join(sorted(whys))}." if whys else ""


def _finds_most(found: Assessment, row: Row) -> str:
    finds, attack = row.most_found
    if not finds.estimate:
        return _finds_nobody(found)
    by = "" if attack == BAYES else f", by {attack_named(attack)}"
    others = [attacker_with_facts(one) for one in found.rows_alike(row) if one is not row]
    alike = f"; {in_a_row(others)} {'finds' if len(others) == 1 else 'find'} as large a share"
    which = "" if row.attacked == row.records else f", of {row.records:,} in the release"
    if row.absent_are_others:
        which = ", all of them in the release"
    first = "Of the attackers with a fixed number of facts, the" if finds_more(found) else "The"
    return (
        f"{first} most people are found by the attacker {attacker(row.attacker)}, who knows "
        f"{_known(found, row)}: {_least(row)}{people_found(finds, row.attacked, which='attacked')}"
        f"{which}"
        f"{by}{alike if others else ''}.{'' if by else _what_found_means(found)}"
    )


def _what_found_means(found: Assessment) -> str:
    sure = format_percent(found.confidence)
    return f" Found means named right, by an attacker who is at least {sure} sure."


def _finds_nobody(found: Assessment) -> str:
    """Say that nobody is found, of how many people, and what that leaves open."""
    whom = _grouped(
        (people_found(row.most_found[0], row.attacked, which="attacked"), row) for row in found.rows
    )
    most = max(row.most_found[0].high for row in found.rows)
    nobody, all_the_same = "finds anybody", ""
    if EXCEEDS in {verdict.verdict for verdict in found.verdicts}:
        if all(row.most_found[1] == BAYES for row in found.rows):
            sure = format_percent(found.confidence)
            nobody = f"names the right person, and no other, with a confidence of {sure} or more"
        all_the_same = " The bound is exceeded all the same."
    return (
        f"No attacker that was tried {nobody}: {whom}.{all_the_same} This is no promise "
        f"that nobody can be found: the intervals reach up to {format_percent(most)}, and other "
        "facts or other attackers may find people."
    )


def by_attacker(found: Assessment) -> Iterator[str]:
    """Yield what each attacker knows and whom it finds, with the denominators."""
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        finds, attack = row.most_found
        by = "" if attack == BAYES else f", by {attack_named(attack)}"
        bound = (
            ""
            if found.bound is None
            else f" Bound, against this attacker alone: {_verdict(verdict)}."
        )
        whom = f" {_targets(row)}" if row.absent_are_others else _who_mention(found, row)
        yield (
            f"{attacker(row.attacker)} knows {_known(found, row)}.{whom} It finds {_least(row)}"
            f"{people_found(finds, row.attacked, which='attacked')}{by}; it names a wrong "
            f"person for {brief_count(row.errors_of_most_found[0], row.attacked)}."
            f"{_control(row)}{bound}"
        )


def _targets(row: Row) -> str:
    """Say how many of the people whom an attacker knows are in the release."""
    return (
        f"Of the people whom it looks for, {row.attacked:,} are in the release and {row.absent:,} "
        "are not."
    )


def _who_mention(found: Assessment, row: Row) -> str:
    """Say how few people have a list of mentions, to follow a sentence; empty for other facts."""
    if not row.too_short or not _is_of_mentions(found, row):
        return ""
    return (
        f" In the simulation {row.eligible:,} of {row.records:,} people mention anything in "
        "public, and the others cannot be looked for."
    )


def _is_of_mentions(found: Assessment, row: Row) -> bool:
    return str(attack_of(found.run, row.attacker).config["adversary"]["kind"]) == "mentions"


def _control(row: Row) -> str:
    control = row.errors_of_most_found[1]
    if control is None:
        return ""
    if row.absent_are_others:
        who = "the people who are not in the release"
    elif row.absent == row.attacked:
        who = "people who are not in the release (the same people, their records removed)"
    else:
        who = (
            "people who are not in the release (others with as many facts among them, their "
            "records removed if they had one)"
        )
    return (
        f" Looking for {who}, it names somebody all the same for "
        f"{brief_count(control, row.absent)}."
    )


def _verdict(verdict: Verdict) -> str:
    if verdict.verdict == NOT_TESTED:
        return f"not known ({verdict.reason})"
    if verdict.verdict == WITHIN:
        return "kept"
    return f"exceeded ({verdict.reason})" if verdict.reason else "exceeded"


def untested(found: Assessment, *, alone: bool = False, again: bool = False) -> Iterator[str]:
    """Yield what was not tested: attackers, people, other facts, other criteria.

    Parameters
    ----------
    alone : bool
        Briefly, and without references to the rest of the report.
    again : bool
        Whether everybody was attacked again through other facts, as in a plan.
    """
    gone = [attacker(one.name) for one in found.missing if one.name in found.attackers]
    if gone:
        reason = "" if alone else "; the reason is in the detailed part"
        yield f"{in_a_row(gone)}: could not be tried on this release{reason}."
    lower = [attacker_with_facts(row) for row in found.rows if row.problem]
    if lower:
        where = "" if alone else " above are lower limits; the reasons are in the detailed part"
        yield (
            f"What the best use of the same facts would find for {in_a_row(lower)} (the counts"
            f"{where or ' for these are lower limits'})."
        )
    short = _grouped(
        (
            f"{row.too_short:,} of {row.records:,} ({format_percent(row.too_short / row.records)})",
            row,
        )
        for row in found.rows
        if row.too_short and not _is_of_mentions(found, row)
    )
    full = _grouped(
        (
            f"{row.no_wrong_item:,} of {row.records:,} "
            f"({format_percent(row.no_wrong_item / row.records)})",
            row,
        )
        for row in found.rows
        if row.no_wrong_item
    )
    silent = _grouped(
        (f"{row.too_short:,} of {row.records:,}", row)
        for row in found.rows
        if row.too_short and _is_of_mentions(found, row)
    )
    if silent:
        yield (
            f"People who mention nothing in public in the simulation: {silent} (they count as "
            "found where a verdict is given)."
        )
    if short and alone:
        yield (
            "People with too few facts to be attacked, who count as found where a verdict is given."
        )
    elif short:
        yield (
            f"People with too few facts to be attacked: {short} (they count as found where a "
            "verdict is given)."
        )
    if full and alone:
        yield (
            "People who hold nearly every item, so that too few others are left for wrong facts, "
            "who count as found where a verdict is given."
        )
    elif full:
        yield (
            "People who hold nearly every item, so that too few others are left for wrong facts: "
            f"{full} (they count as found where a verdict is given)."
        )
    left = _grouped(
        (f"{row.eligible - row.attacked:,} of {row.eligible:,} who can be attacked", row)
        for row in found.rows
        if not row.is_census
    )
    if left:
        yield f"People outside the random samples that were attacked: {left}."
    yield from not_run(found.run.record)
    yield from untested_facts(attacked(found))
    if again or not alone:  # else said with the reason
        yield from not_with_all_facts(found)
    if alone:  # else said at the top of the page
        yield from not_as_meant(found)
        yield from counts_published(attacked(found))
        if not again:  # a plan writes what was read, and says so
            yield from file_holds_more(attacked(found))
    often = "" if again else ", once per person"
    often = often if found.draws == 1 else f", {found.draws} times per person"
    yield f"Other facts about the same people: those used were drawn at random{often}."
    yield OTHERS
    yield OTHER_CRITERIA


def _grouped(counts: Iterable[tuple[str, Row]]) -> str:
    """List counts, each once, with the attackers that they are about."""
    whose: dict[str, list[str]] = {}
    for words, row in counts:
        whose.setdefault(words, []).append(attacker_with_facts(row))
    return "; ".join(f"{words} for {in_a_row(names)}" for words, names in whose.items())


def _next(found: Assessment) -> Chapter:
    """Return what to do, and how to test who knows more: facts, times, or how often."""
    chapter = _next_by_verdict(found)
    for said, more in [*_tests_of_times(found), *_tests_of_more(found), *_tests_of_counts(found)]:
        command = audit_command(found.run.record, more, again=True)
        chapter = replace(
            chapter,
            sentences=[*chapter.sentences, said],
            commands=[*chapter.commands, command],
        )
    return chapter


def _tests_of_times(found: Assessment) -> Iterator[tuple[str, list[str]]]:
    """Yield how to test those who know times that were rounded down, unless data were changed."""
    release = as_read(attacked(found))
    rows, width = Accounts.of(release), time_bin_of(release)
    narrower = width.narrowest(int(release.get("n_days") or 0))
    if _is_changed(found) or not rows.cut or narrower is None:
        return
    given = f"data.time_bin={narrower}"
    kept = "hours" if str(narrower) == "hour" else f"{narrower.words}s"
    yield (
        f"Of {quantity(rows.rows, 'row')}, {rows.cut:,} have a time that was read by the "
        f"{width.words} only. The command with {given} keeps times as {kept}, and tests attackers "
        "who know them so.",
        [given],
    )


def _tests_of_more(found: Assessment) -> Iterator[tuple[str, list[str]]]:
    """Yield how to test those who know more facts, and those all of whose facts are right."""
    yield from tests_of_more(found)
    whose: dict[tuple[int, int, int], list[Row]] = {}
    for row in found.rows:
        if row.no_wrong_item:
            key = facts_of(row.axes["aux"]), row.no_wrong_item, row.records
            whose.setdefault(key, []).append(row)
    for (facts, full, records), rows in whose.items():
        aux = f"{facts}/{facts}"
        names = dict.fromkeys(row.attacker for row in rows)
        yield (
            f"{full:,} of {quantity(records, 'person', 'people')} hold nearly every item, so that "
            "too few others are left for wrong facts. The command with "
            f"grid.aux=[{aux}] tests {in_a_row([attacker(name) for name in names])} with "
            f"{quantity(facts, 'fact')}, all of them right, on these people as well.",
            [f"audit.attackers=[{','.join(names)}]", override("grid.aux", [aux])],
        )


def _tests_of_counts(found: Assessment) -> Iterator[tuple[str, list[str]]]:
    """Yield how to test those who know how often a person has an item, unless data were changed."""
    if not _is_changed(found) and [*counts_published(attacked(found))]:
        counting = "The last command tests an attacker who knows how often a person has an item"
        left_out = attacked(found).get("defences") or ()
        all_ = ", with nobody left out, as records have fewer entries so" if left_out else ""
        yield f"{counting}{all_}.", ["data.repeats=count"]


def _next_by_verdict(found: Assessment) -> Chapter:
    record = found.run.record
    left_out, more = _left_out(found)
    verdicts = {one.verdict for one in found.verdicts}
    if found.bound is None:
        stands = f", with your bound in place of {BOUND} (standout guide audit helps to choose one)"
        looks, commands = _search(found, more, after=1)
        return Chapter(
            NEXT,
            [
                "Decide on a bound, and compare this run with it; RUN_FOLDER stands for the folder "
                f"of this run{stands}. If it is exceeded, the {looks}.{left_out}{_of_plans(found)}"
            ],
            commands=[check_command(found), *commands],
        )
    if EXCEEDS in verdicts:
        other = (
            f" No data keep a bound of 0, since the upper end of an interval is above 0: {BOUND} "
            "stands in the command for another."
        )
        looks, commands = _search(found, more, after=0)
        return Chapter(
            NEXT,
            [
                f"The data do not keep the bound as they are. The {looks}.{left_out}"
                f"{_of_plans(found)}{'' if found.bound else other}"
            ],
            commands=commands,
        )
    if verdicts == {WITHIN} and not any(one.name in found.attackers for one in found.missing):
        repeat, checks = "", "The command"
        commands = []
        if found.run.config["audit"]["draws"] < _DRAWS:
            repeat = (
                f" The first command repeats the audit with {_DRAWS} draws of facts about each "
                "person;"
            )
            checks = " the second"
            commands = [audit_command(record, [f"audit.draws={_DRAWS}"], again=True)]
        return Chapter(
            NEXT,
            [
                f"Consider what was not tested, above.{repeat or ' '}{checks} checks this run "
                "against its bound, by its exit code. RUN_FOLDER stands for the folder of this run."
            ],
            commands=[*commands, check_command(found)],
        )
    if all(row.is_census for row in found.rows):
        return Chapter(
            NEXT,
            [
                "Everybody who can be attacked was, so more of the same attacks tell nothing more. "
                "What stays open, for the reasons above and in the detailed part, is for those who "
                "answer for the data to judge. The command checks this run against its bound, by "
                "its exit code; RUN_FOLDER stands for the folder of this run."
            ],
            commands=[check_command(found)],
        )
    return Chapter(
        NEXT,
        [
            "Have the rest tested: the command attacks every person. What cannot be tried on "
            "this release stays open, and is for those who answer for the data to judge."
        ],
        commands=[audit_command(record, ["targets=all"], again=True)],
    )


def _search(found: Assessment, more: Sequence[str], *, after: int) -> tuple[str, list[str]]:
    """Say what looks for a change that keeps the bound, to follow "the", and return the commands.

    A plan of all data would test no release of the records that are left after some were dropped.

    Parameters
    ----------
    more : sequence of str
        Further overrides of the plan.
    after : int
        How many commands stand before these.
    """
    record, bound = found.run.record, found.bound or None
    if not attacked(found).get("defences") or _is_changed(found):
        which = f"{_ORDINALS[after]} command" if after else "command"
        file = another_file(found.run.config["data"].get("path"))
        return (
            f"{which} looks for a way to change the data that keeps the bound and loses least, and "
            f"writes the data so changed to a file named in place of {file}",
            [plan_command(record, bound, [*more, f"plan.write={file}"])],
        )
    release = attacked(found)["release"]
    rule = rule_of_published(Repeats(release.get("repeats") or Repeats.LATEST))
    reads = reads_published(found.run.config["data"], release, FILE, str(rule))
    writes, looks = _ORDINALS[after : after + 2]
    return (
        f"{writes} command writes the records that were left, to a file named in place of {FILE}; "
        f"the {looks} looks for a way to change these that keeps the bound and loses least, and "
        f"writes the records so changed to a file named in place of {OFFER}",
        [
            publish_command(record),
            plan_command(record, bound, [*more, f"plan.write={OFFER}"], reads),
        ],
    )


_ORDINALS = ("first", "second", "third")


def _is_changed(found: Assessment) -> bool:
    """Whether records were changed that are left: not by leaving others out."""
    names = {each["name"] for each in attacked(found).get("defences") or ()}
    return bool(names - {DropLong.name, DropRecords.name})


def _left_out(found: Assessment) -> tuple[str, list[str]]:
    """Say whom a plan leaves out, to follow a sentence, and return the overrides."""
    of_few, at_least = _of_few_facts(found)
    of_long, at_most = _of_long_records(found)
    lengths = [int(one.partition("=")[2]) for one in (*at_least, *at_most)]
    if lengths != sorted(lengths):  # nobody would be left
        return of_few, at_least
    return f"{of_few}{of_long}", [*at_least, *at_most]


def _of_long_records(found: Assessment) -> tuple[str, list[str]]:
    """Say that a plan leaves out who has far more entries than others, and return what does so."""
    # Where records were changed, a plan begins with those before.
    record = found.run.record if _is_changed(found) else attacked(found)
    far = long_records(record)
    if far is None:
        return "", []
    people, length = far
    option = override(MAX_LENGTH, length)
    which, they = f"the {people:,} people", "they are staff, tests"
    if people == 1:
        which, they = "the person", "it is a till, a test"
    return (
        f" The command leaves out {which} with more than {length:,} entries ({option}), in case "
        f"{they} or the like; take that out if not.",
        [option],
    )


def _of_few_facts(found: Assessment) -> tuple[str, list[str]]:
    """Say why a plan has to leave people out, to follow a sentence, and return what does so.

    Empty: people with too few facts do not alone exceed the bound.
    """
    bound = found.bound or BOUND
    tried: dict[int, FewFacts] = {}
    for row in found.rows:
        if row.axes.get("aux"):
            facts = facts_of(row.axes["aux"])
            tried[facts] = FewFacts(facts, row.too_short, row.records)
    remedy = cure([*tried.values()], found.measure, bound)
    if remedy is None:
        return "", []
    few = tried[remedy.length]
    option = f"plan.min_length={remedy.length}"
    return (
        f" {few.short:,} of {quantity(few.records, 'person', 'people')} have fewer than the "
        f"{few.facts:,} facts that an attacker uses: they count as found, and alone exceed "
        f"{'the' if found.bound else 'that'} bound while they are in the release, so the command "
        f"leaves them out ({option}).",
        [option],
    )


def _of_plans(found: Assessment) -> str:
    """Say what a plan begins with, and which measure it might keep a bound of."""
    begins = " It begins with the data as they were before the changes that this run attacked."
    return f"{begins if _is_changed(found) else ''}{on_highest(found.measure)}{_unlikely(found)}"


def _unlikely(found: Assessment) -> str:
    """Say that dates are not likely to allow a bound for each person, to follow a sentence.

    Empty where a single fact with its date does not find most people, of whom one is enough.
    """
    share = found_by_one_dated_fact(found)
    if found.measure != "highest" or share is None or share < _MOST_PEOPLE:
        return ""
    return (
        f" A single fact with its date finds {format_percent(share)} of the people attacked, so a "
        "release with such dates is not likely to keep this bound, whatever else is changed; one "
        "without dates may not keep it either."
    )


_MOST_PEOPLE = 0.5
"""Share of people from which on it is not likely that nobody is left who is easy to find."""


def on_highest(measure: str) -> str:
    """Return what a bound on the highest risk means, to follow a sentence; empty for another."""
    if measure != "highest":
        return ""
    return (
        " The bound is one on the highest risk of a person, which one person who is easy to find "
        "exceeds; with audit.measure=mean it is one on the mean risk of a person, and no longer on "
        "that of each."
    )


def _paragraphs(found: Assessment) -> list[str]:
    record = attacked(found)
    best = found.most_found
    counts = _grouped((_attacked_words(row), row) for row in found.rows)
    results = found_sentences(found)
    control = None if best is None else best.errors_of_most_found[1]
    if best is not None and control is not None:
        whom = (
            "other people, whose record is not in the release"
            if best.absent_are_others
            else "the same people after their records were removed from the release"
        )
        results.append(
            f"Looking for {whom}, {attacker_with_facts(best)} names somebody for "
            f"{people_found(control, best.absent)}."
        )
    return impact(
        record,
        f"People attacked, by simulated attacker: {counts}." if counts else "",
        [*results, verdict_sentence(found, alone=True)],
        [*untested(found, alone=True)],
    )


def _attacked_words(row: Row) -> str:
    if row.absent_are_others:
        return f"{row.attacked:,} who are in the release and {row.absent:,} who are not"
    return f"{row.attacked:,} of the {row.records:,} in the release"


def _known(found: Assessment, row: Row) -> str:
    words = known(attack_of(found.run, row.attacker).config, row.axes)
    counts = has_counts(attacked(found)["release"])
    if not counts or pd.isna(row.axes.get("value_noise")):
        return words
    return f"{words} (a value is how often the person has the item)"


def _least(row: Row) -> str:
    return "at least " if row.problem else ""
