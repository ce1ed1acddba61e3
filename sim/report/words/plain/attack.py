"""The first page of a single attack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from sim.assessment.rows import BAYES, estimate_of, unknown_changes
from sim.attack.algorithms.registry import attack_class, attack_title, is_published
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import format_percent, quantity
from sim.record.run_folder import RunFolder
from sim.report.argmax_row import argmax_row
from sim.report.population import population_of
from sim.report.words.assessment import Chapter
from sim.report.words.attack_words import claims_too_little, claims_too_much
from sim.report.words.defences import counts_published, unknown_defences
from sim.report.words.plain.attackers import known
from sim.report.words.plain.audit import OTHER_CRITERIA, OTHERS
from sim.report.words.plain.commands import audit_command
from sim.report.words.plain.data import data_line, rows_read
from sim.report.words.plain.impact import impact
from sim.report.words.plain.page import FOUND, NEXT, PASTE, UNTESTED, FirstPage, page_of
from sim.report.words.plain.shares import brief_count, people_found
from sim.report.words.suspicious import suspicious
from sim.study.labels import level_text

Row = Mapping[Any, Any]

_ABSENT_TOO = ", of all whom it looks for, in the release or not"

_FOUND_MEANS = (
    "Found means that the record that fits best is theirs, however sure the attack is of it. An "
    "audit counts only people whom a sufficiently sure attacker names."
)

_MOST = 6
"""Conditions that are listed; of more, the ones with the most and the fewest people found."""


def attack_page(run: RunFolder) -> FirstPage:
    """Return the first page of an attack."""
    curves = run.tables["curves"]
    listed = [*_conditions(run, curves)]
    return page_of(
        [*_answer(run, curves), *rows_read(run.record)],
        data_line(run.record),
        [
            Chapter(FOUND, items=listed),
            Chapter(UNTESTED, items=[*_untested(run, curves)]),
            Chapter(
                NEXT,
                [
                    "An audit tries several attackers, each with the best use of its facts, and "
                    "gives a verdict if it is given a bound (audit.max_risk). The command starts "
                    "one on the same data."
                ],
                commands=[audit_command(run.record)],
            ),
            Chapter(PASTE, _paragraphs(run, curves), is_quote=True),
        ],
    )


def _answer(run: RunFolder, curves: pd.DataFrame) -> Iterator[str]:
    yield from _most(run, curves)
    yield from suspicious(run.record)
    yield (
        "No bound was given, and one attack alone gives no verdict: this report says how many "
        "people this attack finds."
    )


def _most(run: RunFolder, curves: pd.DataFrame) -> Iterator[str]:
    present = curves[curves["rank1"].notna()]
    if present.empty:
        yield (
            "None of the people attacked is known to be in the release, so there is nobody whom "
            "the attack could rightly find."
        )
        yield from _named_all_the_same(curves)
        return
    most = argmax_row(present, "rank1")
    off = _wrongly_sure(run)
    yield f"{_attack(run)} {_finds(run, most)}."
    if off is not None:
        yield (
            f"If it knows {_known(run, off)}, it is {format_percent(off['claimed'])} sure of its "
            f"best guesses on average, of which {format_percent(off['rank1'])} are right: its "
            "assumptions do not hold here, and somebody may find more people."
        )
    yield from _best_use(run, most)
    yield _FOUND_MEANS
    yield from _named_all_the_same(curves)


def _wrongly_sure(run: RunFolder) -> Row | None:
    """Return the condition in which the Bayes-optimal attacker is most wrongly sure, if any is."""
    if run.config["attack"]["name"] != BAYES:
        return None
    curves = run.tables["curves"]
    rows = row_dicts(curves[curves["rank1"].notna()])
    off = [r for r in rows if claims_too_much(r) or claims_too_little(r)]
    return max(off, key=lambda row: abs(float(row["claimed"] - row["rank1"])), default=None)


def _attack(run: RunFolder) -> str:
    name = str(run.config["attack"]["name"])
    if name == BAYES and unknown_changes(run):
        return "The Bayes-optimal attacker, who does not know how the data were changed,"
    if _wrongly_sure(run) is not None:
        return "The Bayes-optimal attacker, whose assumptions do not hold here,"
    if name == BAYES:
        return "An attacker who makes the best use of the facts"
    kind = "published attack" if is_published(name) else "attack"
    return f"The {kind} {attack_title(name)}"


def _finds(run: RunFolder, row: Row) -> str:
    """Say whom an attack finds in a condition, and from what."""
    return f"finds {_count(row)}, if it knows {_known(run, row)}"


def _count(row: Row) -> str:
    return people_found(estimate_of(row, "rank1"), int(row["n_present"]), which="attacked")


def _known(run: RunFolder, row: Row) -> str:
    return known(run.config, {axis: row[axis] for axis in axis_columns(run.tables["curves"])})


def _best_use(run: RunFolder, row: Row) -> Iterator[str]:
    """Say what the best use of the same facts finds, where its assumptions may hold."""
    if run.bayes is None:
        return
    theirs = run.bayes.tables["curves"]
    axes = list(axis_columns(theirs))
    same = [
        other
        for other in row_dicts(theirs)
        if all(level_text(other[axis]) == level_text(row.get(axis)) for axis in axes)
    ]
    if len(same) != 1 or pd.isna(same[0]["rank1"]):
        return
    (other,) = same
    changed = unknown_defences(run.record)
    if changed:
        yield (
            "What the best use of these facts would find is not known: attackers do not know that "
            f"the release was changed by {changed}."
        )
        return
    if other["rank1_high"] < row["rank1_low"] or claims_too_much(other):
        yield (
            "What the best use of these facts would find is not known: the assumptions of the "
            "attack that computes it do not hold here, as the detailed part says."
        )
        return
    if other["rank1"] < row["rank1"]:
        yield (
            "The attack that should make the best use of the same facts finds "
            f"{_count(other)}. Chance may explain the difference; take the larger number."
        )
        return
    yield f"The best use of the same facts finds {_count(other)}."


def _named_all_the_same(curves: pd.DataFrame) -> Iterator[str]:
    absent = curves[curves["rank1"].isna() & curves["matched_wrong"].notna()]
    if len(absent):
        worst = argmax_row(absent, "matched_wrong")
        found = people_found(estimate_of(worst, "matched_wrong"), int(worst["n_targets"]))
        yield (
            "Looking for people who are not in the release, it names somebody all the same for "
            f"{found}."
        )


def _conditions(run: RunFolder, curves: pd.DataFrame) -> Iterator[str]:
    present = curves[curves["rank1"].notna()].sort_values("rank1", ascending=False, kind="stable")
    rows = row_dicts(present)
    left = len(rows) - _MOST
    some = rows if left <= 0 else [*rows[: _MOST // 2], *rows[-_MOST // 2 :]]
    sure = attack_class(str(run.config["attack"]["name"])).answers_with_set
    for row in some:
        right, wrong = (
            brief_count(estimate_of(row, name), int(row["n_targets"]))
            for name in ("matched_right", "matched_wrong")
        )
        dares = (
            ""
            if sure
            else f" It is sure enough to name a person, and right, for {right}, and wrong for "
            f"{wrong}{'' if row['n_present'] == row['n_targets'] else _ABSENT_TOO}."
        )
        yield f"It knows {_known(run, row)}: its best guess is right for {_count(row)}.{dares}"
    if left > 0:
        yield (
            f"{quantity(left, 'further condition')} between these are in the tables of the "
            "detailed part."
        )


def _untested(run: RunFolder, curves: pd.DataFrame) -> Iterator[str]:
    groups = [population_of(row, run.config) for row in row_dicts(curves)]
    full = [one.n_no_wrong_item for one in groups if one.n_no_wrong_item]
    short = [one.n_all - one.n_eligible - one.n_no_wrong_item for one in groups]
    short = [n for n in short if n]
    if full:
        yield (
            f"People who hold nearly every item, so that too few others are left for wrong facts: "
            f"{_from_to(full)} of {groups[0].n_all:,}{_by_condition(full)}."
        )
    if short:
        yield (
            f"People with too few facts to be attacked: {_from_to(short)} of "
            f"{groups[0].n_all:,}{_by_condition(short)}."
        )
    left = [one.n_eligible - one.n_targets for one in groups if one.is_sampled]
    if left:
        whole = [one.n_eligible for one in groups if one.is_sampled]
        yield (
            f"People outside the random samples that were attacked: {_from_to(left)} of "
            f"{_from_to(whole)} who can be attacked{_by_condition(left)}."
        )
    yield from counts_published(run.record)
    is_bayes = run.config["attack"]["name"] == BAYES
    if _wrongly_sure(run) is not None or (run.bayes is None and not is_bayes):
        yield "What somebody could find who makes the best use of the same facts."
    yield "Other attacks."
    yield OTHERS
    yield OTHER_CRITERIA


def _from_to(counts: list[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{least:,}" if least == most else f"{least:,} to {most:,}"


def _by_condition(counts: list[int]) -> str:
    return ", by what the attacker knows" if min(counts) < max(counts) else ""


def _paragraphs(run: RunFolder, curves: pd.DataFrame) -> list[str]:
    return impact(
        run.record,
        f"One attack was simulated: {_attack(run)[0].lower()}{_attack(run)[1:]}.",
        [
            *_most(run, curves),
            "No bound was given, and one attack alone gives no verdict.",
        ],
        [*_untested(run, curves)],
    )
