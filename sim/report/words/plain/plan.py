"""The first page of a plan: what to publish, or that nothing keeps the bound."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from sim.assessment.assessment import Assessment
from sim.assessment.few_facts import with_min_length
from sim.assessment.planning import OFFERED, last_trials
from sim.assessment.planning import TABLE as TRIALS
from sim.config.chains import UNCHANGED
from sim.extend.overrides import override
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder
from sim.record.run_record import plan_of
from sim.release.store.accounts import UNREAD
from sim.release.store.repeats import Repeats
from sim.report.words.assessment import MEASURED, Chapter, attacked
from sim.report.words.defences import (
    counts_published,
    own_facts,
    untested_facts,
)
from sim.report.words.few_facts import (
    Shortage,
    asks_too_much,
    few_facts_of_plan,
    leaves_nobody,
    shortage_of_plan,
)
from sim.report.words.frontier import chain_words, counted_words, nearest, risk_words, same_words
from sim.report.words.many_items import many_items_of_plan, too_many_items
from sim.report.words.plain.audit import (
    OTHER_CRITERIA,
    OTHERS,
    all_looked_at,
    by_attacker,
    found_sentences,
    on_highest,
    untested,
    with_at_most,
)
from sim.report.words.plain.commands import (
    MAX_LENGTH,
    MIN_LENGTH,
    another_file,
    audit_command,
    plan_command,
    published_command,
)
from sim.report.words.plain.data import data_line, only_as_read, reading_of_written, rows_read
from sim.report.words.plain.fewer_facts import not_as_meant, tests_of_more, with_fewer_facts
from sim.report.words.plain.frontier import RISK
from sim.report.words.plain.impact import impact
from sim.report.words.plain.once_each import ONCE, of_other_length, once_each
from sim.report.words.plain.page import FOUND, NEXT, PASTE, UNTESTED, FirstPage, page_of
from sim.report.words.plan import (
    OR_BEST_GUESS,
    could_not_be_tested,
    equally_lossy,
    how_many_not_applied,
    how_many_tested,
    how_many_tried,
    left_of,
    loss_unknown,
    not_applied_words,
    some_untested,
    untested_chains,
)
from sim.report.words.plan_commands import offered_chains, plan_commands
from sim.report.words.published import reads_published
from sim.report.words.reading_losses import as_read
from sim.report.words.risk_of_people import best_guess_keeps, highest_risk
from sim.report.words.suspicious import suspicious

_LEAVE_OUT = (
    " A way that could not be tested can be, if the attackers who could not be tried or of whom "
    "there is no model are left out (audit.attackers): of these nothing is known then."
)


_NAMED = 2
"""Chains that are named for each reason why they could not be tested, of what may be dozens."""

_EVENTS = (
    " Of some changes there is no model where people have an item several times, so that they "
    f"could not be tested; the command with {ONCE} takes each item of a person once. "
    "Attackers may then have fewer facts about people; the first page of that plan says who was "
    "not tested."
)


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
            Chapter(UNTESTED, items=[*_untested(run, found)]),
            _next(run, found),
            Chapter(PASTE, _paragraphs(run, trials, found), is_quote=True),
        ],
    )


def _answer(run: RunFolder, trials: pd.DataFrame, found: Assessment | None) -> Iterator[str]:
    bound = format_percent(run.config["plan"]["max_risk"])
    measure = MEASURED[run.config["audit"]["measure"]]
    n = how_many_tried(trials)
    tried = quantity(n, "way")
    offered = trials[trials["decision"] == OFFERED]
    if offered.empty:
        none = f"None of {tried} to publish the data that were tried, as they are or changed, keeps"
        if n == 1:
            none = "The only way to publish the data that was tried does not keep"
        yield (
            f"{none} the bound that was given, {bound} for {measure}, so nothing is offered."
            f"{could_not_be_tested(trials)}"
        )
        yield from leaves_nobody(run)
        yield from filter(None, [few_facts_of_plan(run, plain=True), too_many_items(run)])
        yield from nearest(last_trials(trials), int(run.record["release"]["n_records"]))
        yield from same_words(run.record)
        return
    tested, gone = how_many_tested(trials), how_many_not_applied(trials)
    which = f"{tried} to publish the data that were tried"
    if tested < n:
        which = f"the {tested:,} that could be tested of {tried} to publish the data"
    if gone:
        which = f"{which} ({not_applied_words(gone)})"
    row = offered.iloc[0].to_dict()
    counts = [] if found is None else [*counts_published(attacked(found))]
    limit = "" if found is None else with_at_most(found)
    unaware = " and no knowledge of how often a person has an item" if counts else ""
    keeps = (
        f"Against the attackers that were tried{limit}{unaware}, this keeps the bound that was "
        f"given, {bound} for {measure}"
    )
    unknown = loss_unknown(run, row)
    if unknown:
        yield (
            f"{keeps}: {chain_words(row)}. It is one of {which}. What those that keep the bound "
            f"lose {unknown}, so the one with the lowest upper end was taken."
        )
    else:
        yield f"{keeps}, and loses least of {which}: {chain_words(row)}."
    facts = "" if found is None else all_looked_at(found)
    if facts:
        yield f"It keeps the bound {facts}."
    if counts or (found is not None and next(with_fewer_facts(found), None) is not None):
        yield (
            "However, a check of this release does not pass: the attackers who are named next were "
            "not tested."
        )
    yield from counts
    if found is not None:
        yield from not_as_meant(found)
    yield from suspicious(run.record)
    yield from left_of(run, row, found, "entries")
    if run.config["audit"]["measure"] != "highest":
        highest = "" if found is None else highest_risk(found)
        of_one = f": the highest risk is {highest}" if highest else ""
        yield f"It is no bound for each person{of_one}."
    guess = "" if found is None else best_guess_keeps(found)
    if guess:
        yield guess
    if row["chain"] == UNCHANGED:
        yield from only_as_read(as_read(run.record))
    if found is not None:
        yield from own_facts(found.run.record)
        yield from untested_facts(attacked(found))
    yield from equally_lossy(trials, row)
    yield from same_words(run.record)
    yield (
        "Everybody who can be attacked was attacked twice, with other facts each time. The second "
        f"time, {measure} is {risk_words(row)}. With those who could not be attacked counted as "
        f"found, and the interval at its upper end, {counted_words(row)} is compared with the "
        f"bound: the highest of all attackers{OR_BEST_GUESS}."
    )


def _untested(run: RunFolder, found: Assessment | None, *, alone: bool = False) -> Iterator[str]:
    if found is not None:
        if [*counts_published(attacked(found))]:
            yield "Attackers who know how often a person has an item."
        yield from untested(found, alone=alone, again=True)
        yield from untested_chains(run.tables[TRIALS], 0 if alone else _NAMED)
        return
    yield from untested_chains(run.tables[TRIALS], 0 if alone else _NAMED)
    yield "Other ways of changing the data, and more of the same."
    yield OTHERS
    yield OTHER_CRITERIA


def _next(run: RunFolder, found: Assessment | None) -> Chapter:
    _, *writes = plan_commands(run)
    bound = run.config["plan"]["max_risk"]
    few = None if writes else shortage_of_plan(run)
    if few is not None and few.is_everywhere:
        return _of_few_facts(run, few)
    if not writes:
        skipped = some_untested(run.tables[TRIALS])
        repeated = skipped and run.record["release"].get("n_repeats")
        events = f"{_EVENTS}{of_other_length(run.record)}"
        why = events if repeated else _LEAVE_OUT if skipped else ""
        of_short, longer = _of_most_chains(run, few)
        of_long, shorter = _of_many_items(run)
        return Chapter(
            NEXT,
            [
                "Try other or stronger changes (plan.defences), or attackers who know less, if "
                "those tried know more than anybody can (audit.attackers); or decide on another "
                f"bound (plan.max_risk), and say why.{on_highest(run.config['audit']['measure'])}"
                f"{why}{of_short}{of_long}{_broader_items(run)}"
            ],
            commands=[
                *([plan_command(run.record, bound, once_each(run.record))] if repeated else []),
                *longer,
                *shorter,
            ],
        )
    written = plan_of(run.record).get("written")
    new = another_file(written["path"] if written else run.config["data"].get("path"))
    to_file = [f"plan.write={new}"] if written else []
    writes = [] if written else writes
    of_more, tests = ("", []) if found is None else _of_more_facts(run, found)
    if found is not None and [*counts_published(attacked(found))]:
        then, whose = "the second writes what was attacked here; the third", "that file"
        if written:
            then, whose = "the second", written["path"]
        said = (
            "Whoever may know how often a person has an item was not tested. The first command "
            "looks for a release that has each item once for each person, so that nobody can "
            f"count; {then} tests such an attacker, who knows facts of {whose}. {new} stands "
            f"for a file.{of_other_length(run.record)} {of_more}"
        ).rstrip()
        once = plan_command(run.record, bound, [*once_each(run.record), *to_file])
        return Chapter(NEXT, [said], commands=[once, *writes, _of_counts(run, found), *tests])
    commands = [*tests, *writes]
    before = f"{of_more} " if of_more else ""
    if not written:
        which = "The last command" if len(commands) > len(writes) else "The command"
        said = f"{which} writes what was attacked, to the file named in place of FILE.csv."
    else:
        finds = "what these find, and what else" if of_more else "what"
        said = (
            f"Read {finds} was not tested. If you accept it, publish {written['path']}, which is "
            "what was attacked; whatever is changed in it later was not tested."
        )
    return Chapter(NEXT, [f"{before}{said}"], commands=commands)


def _broader_items(run: RunFolder) -> str:
    """Say that another column may have items which more people share, to follow a sentence."""
    if not (as_read(run.record).get("notes") or {}).get(UNREAD):
        return ""
    return (
        " Items that more people share say less about a person: where another column of the data "
        "has broader ones, such as a kind or a group, data.item can name it."
    )


def _of_more_facts(run: RunFolder, found: Assessment) -> tuple[str, list[str]]:
    """Say that attackers had fewer facts than meant, and return what tests those who have more."""
    bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
    against = [f"audit.measure={measure}", f"audit.max_risk={bound!r}"]
    chains = [each for chain in offered_chains(run) for each in chain.overrides]
    tests = [*tests_of_more(found)]
    if not tests:
        return "", []
    said = " ".join(
        [
            "This release does not pass a check as it is, since attackers had fewer facts than "
            "they are meant to know.",
            *(words for words, _ in tests),
        ]
    )
    return said, [
        audit_command(run.record, [*chains, *more, *against], again=True) for _, more in tests
    ]


def _of_counts(run: RunFolder, found: Assessment) -> str:
    """Return the command that audits what was offered by those who know how often."""
    written = plan_of(run.record).get("written") or {"path": "FILE.csv"}
    single = {**attacked(found)["release"], "scale": []}  # the count takes the place of a value
    reads = reads_published(run.config["data"], single, written["path"], str(Repeats.COUNT))
    bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
    return published_command(run.record, reads, bound, measure)


def _of_few_facts(run: RunFolder, few: Shortage) -> Chapter:
    """Advise each of the two remedies, by the command that tries it.

    To leave people out is not advised where the risk of the others exceeds the bound as well.
    """
    remedy = few.remedy
    bound, fewer = run.config["plan"]["max_risk"], [f"{remedy.facts}/{remedy.facts}"]
    plan = run.config["plan"]
    longer = with_min_length(plan["defences"], remedy.length) or asks_too_much(run)
    asked = [] if plan["min_length"] is None or remedy.facts == 1 else [_asks(remedy.facts)]
    facts = plan_command(run.record, bound, [override("grid.aux", fewer), *asked])
    weaker = "is about attackers who know fewer facts, and says nothing of those who know more"
    said, commands = f"The command {weaker}.", [facts]
    of_long, shorter = _of_many_items(run)
    if shorter:
        said = f"The first command {weaker}."
    highest = "" if few.may_be_enough else on_highest(run.config["audit"]["measure"])
    if longer and few.may_be_enough:
        leaves_out = plan_command(run.record, bound, [_asks(remedy.length)])
        said = (
            "The first command leaves out the people with too few facts, at the end of each "
            f"chain; the second {weaker}."
        )
        commands = [leaves_out, facts]
    return Chapter(
        NEXT,
        [
            f"{said} Or decide on another bound (plan.max_risk). Say why, if you choose weaker "
            f"attackers or another bound.{highest}{of_long}"
        ],
        commands=[*commands, *shorter],
    )


def _of_most_chains(run: RunFolder, found: Shortage | None) -> tuple[str, list[str]]:
    """Say who exceeds the bound after most chains, to follow a sentence, and what leaves them out.

    Empty: after most chains they do not, or every chain leaves them out, or the risk of the others
    exceeds the bound as well.
    """
    if found is None or 2 * found.n_chains <= found.n_tested or not found.n_within:
        return "", []
    length, plan = found.remedy.length, run.config["plan"]
    if not with_min_length(plan["defences"], length):
        return "", []
    more = how_many_tested(run.tables[TRIALS]) - found.n_tested
    others = f" ({more:,} more exceed the bound by what one attack alone finds)" if more else ""
    return (
        f" After {found.n_chains:,} of the {found.n_tested:,} ways of which the risk was "
        f"estimated{others}, people with too few facts alone exceed the bound, as they count as "
        "found. "
        f"The command with {_asks(length)} leaves them out, at the end of each chain.",
        [plan_command(run.record, plan["max_risk"], [_asks(length)])],
    )


def _of_many_items(run: RunFolder) -> tuple[str, list[str]]:
    """Say what leaves out who has nearly every item, to follow a sentence; empty: nothing does."""
    found = many_items_of_plan(run)
    if found is None or found.max_length is None:
        return "", []
    leaves_out = override(MAX_LENGTH, found.max_length)
    return (
        f" The command with {leaves_out} leaves out who has nearly every item, before each chain.",
        [plan_command(run.record, run.config["plan"]["max_risk"], [leaves_out])],
    )


def _asks(length: int) -> str:
    """Return the override by which every chain leaves out shorter records."""
    return override(MIN_LENGTH, length)


def _paragraphs(run: RunFolder, trials: pd.DataFrame, found: Assessment | None) -> list[str]:
    answer = [*_answer(run, trials, found)]
    # Of what is offered: its fingerprint, its counts, and how it was made.
    record = run.record if found is None else {**attacked(found), "seed": run.record["seed"]}
    written = plan_of(run.record).get("written")
    which = f"The file that was written has the SHA-256 {written['sha256']}." if written else ""
    of_reading = reading_of_written(run.record) if written else None
    if of_reading:  # says once what was left out, and that the original data were not tested
        said = {*only_as_read(as_read(run.record))}
        answer = [one for one in answer if one not in said]
    return impact(
        record,
        which,
        [*answer, *([] if found is None else found_sentences(found))],
        [one for one in _untested(run, found, alone=True) if one not in answer],
        of_reading=of_reading,
    )
