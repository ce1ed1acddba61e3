"""The results of an attack, in sentences.

Invariant: every percentage names its population (`sim.report.population`) and, where it is
an estimate, has its interval.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_class, attack_title
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.numeric.text import (
    format_number,
    format_percent,
    format_setting,
    format_significant,
    grid_cells,
    in_a_row,
    with_interval,
)
from sim.report.argmax_row import argmax_row, argmin_row
from sim.report.population import Population, population_of
from sim.study.labels import (
    has_effect,
    is_countermeasure,
    is_informative,
    level_phrase,
    mentioned_first,
)

Row = Mapping[Any, Any]


def knowledge(
    cell: Row,
    axes: Sequence[str],
    always: Collection[str] = (),
    words_of: Callable[[str, Any], str] = level_phrase,
) -> str:
    """Format what the attacker knows in a cell as a phrase that follows "with".

    Parameters
    ----------
    cell : Mapping
        A row of ``curves.parquet``.
    always : collection of str
        Axes whose neutral level is mentioned too.
    words_of : callable
        Returns the words of an axis and its level.

    Returns
    -------
    str
        A general phrase where the cell has default levels only.

    Examples
    --------
    >>> knowledge({"aux": "2/2", "date_noise": None, "popularity": 500},
    ...     ["aux", "date_noise", "popularity"])
    '2 of 2 facts right, no dates and items not in the top 500'
    >>> knowledge({"decoys": 0, "decoy_support": 8}, ["decoys", "decoy_support"], ["decoys"])
    'no decoys'
    """
    words = [
        words_of(axis, cell[axis])
        for axis in sorted(axes, key=mentioned_first)
        if (axis in always or is_informative(axis, cell[axis])) and has_effect(axis, cell)
    ]
    words = [word for word in words if word] or ["the facts in the list"]
    return in_a_row(words)


def claims_too_much(row: Row) -> bool:
    """Whether the posterior claimed lies wholly above the share of guesses that are right.

    Parameters
    ----------
    row : Mapping
        ``claimed`` and ``rank1`` with their intervals, and the numbers of targets: those who are
        not in the release are none that a guess is right about, but count in what is claimed, by
        any posterior.

    Returns
    -------
    bool
        False where a number is missing.

    Examples
    --------
    >>> ends = {"claimed_low": 0.98, "rank1_high": 0.93, "n_present": 10, "n_targets": 10}
    >>> claims_too_much(ends), claims_too_much(ends | {"rank1_high": 0.985})
    (True, False)
    >>> claims_too_much(ends | {"n_present": 2})
    False
    """
    absent = row["n_targets"] - row["n_present"]
    most = row["rank1_high"] * row["n_present"] + absent
    return bool(row["claimed_low"] * row["n_targets"] > most)


def claims_too_little(row: Row) -> bool:
    """Whether the share of guesses that are right lies wholly above the posterior claimed.

    Parameters
    ----------
    row : Mapping
        As of `claims_too_much`.

    Examples
    --------
    >>> ends = {"claimed_high": 0.2, "rank1_low": 0.3, "n_present": 9, "n_targets": 10}
    >>> claims_too_little(ends), claims_too_little(ends | {"n_present": 6})
    (True, False)
    """
    return bool(row["rank1_low"] * row["n_present"] / row["n_targets"] > row["claimed_high"])


def attack_sentences(
    curves: pd.DataFrame, config: Mapping[str, Any]
) -> tuple[str, tuple[str, ...]]:
    """Summarise an attack: its best cell, its worst cell, and details.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    config : Mapping
        As in ``run.json``.

    Returns
    -------
    tuple of str and tuple of str
        The leading sentence, and further ones.
    """
    known = curves[curves["rank1"].notna()]
    axes = axis_columns(curves)
    if known.empty:
        return _without_present(curves, axes, config)
    most = argmax_row(known, "rank1")
    tried = [axis for axis in axes if is_countermeasure(axis) and curves[axis].nunique() > 1]
    lead = (
        f"With {knowledge(most, axes, tried)}, the attacker's best guess "
        f"({attack_title(config['attack']['name'])}) identifies "
        f"{with_interval(most, 'rank1')} of {population_of(most, config).present}"
        f"{_protected(known, most, axes, tried)}."
    )
    return lead, tuple(_more(curves, known, axes, config))


def _protected(known: pd.DataFrame, most: Row, axes: Sequence[str], tried: Sequence[str]) -> str:
    """Where the highest rate is without countermeasures, add the highest one with some."""
    if not tried or any(is_informative(axis, most[axis]) for axis in tried):
        return ""
    rows = row_dicts(known)
    protected = [row for row in rows if any(is_informative(axis, row[axis]) for axis in tried)]
    if not protected:
        return ""
    best = max(protected, key=lambda row: float(row["rank1"]))
    return f"; with {knowledge(best, axes, tried)}, {with_interval(best, 'rank1')}"


def _more(
    curves: pd.DataFrame, known: pd.DataFrame, axes: Sequence[str], config: Mapping[str, Any]
) -> Iterator[str]:
    attack = config["attack"]
    most, least = argmax_row(known, "rank1"), argmin_row(known, "rank1")
    population = population_of(most, config)
    if not population.is_whole:
        yield f"Nothing was measured for {population.others}: they cannot be targets here."
    yield from _claimed(known, most, axes)
    by_phi = attack_class(attack["name"]).matches_by_phi
    rule = f" at φ = {format_setting(attack['phi'])}" if by_phi else ""
    yield (
        f"The attack declares a correct match{rule} for {with_interval(most, 'matched_right')} of "
        f"{_attacked(population)} and a wrong one for {with_interval(most, 'matched_wrong')}."
    )
    yield from _of_the_same(most)
    yield from _more_in_number(known, most, axes, config)
    if least["rank1"] < most["rank1"]:
        of = population_of(least, config)
        yield (
            f"The lowest rate is with {knowledge(least, axes)}: the best guess identifies "
            f"{with_interval(least, 'rank1')} of "
            f"{f'the same {of.who}' if of == population else of.present}; the attack declares a "
            f"correct match{rule} for {with_interval(least, 'matched_right')} of {_attacked(of)}."
        )
    yield from _of_others(curves, axes, config)


def _attacked(population: Population) -> str:
    """Name the denominator of declared matches: the targets, in the release or not."""
    if population.n_present == population.n_targets:
        return "these targets"
    return f"all {population.n_targets:,} targets"


def _more_in_number(
    known: pd.DataFrame, most: Row, axes: Sequence[str], config: Mapping[str, Any]
) -> Iterator[str]:
    """Where the highest share is of few people, name the cell that finds the most people."""
    found = known.assign(found=known["rank1"] * known["n_eligible"])
    found = found[found["n_present"] == found["n_targets"]]
    if found.empty or most["n_present"] != most["n_targets"]:
        return
    widest = argmax_row(found, "found")
    if widest["rank1_low"] * widest["n_eligible"] > most["rank1_high"] * most["n_eligible"]:
        of = population_of(widest, config)
        yield (
            f"A larger number of {of.who} is identified with {knowledge(widest, axes)}: "
            f"{with_interval(widest, 'rank1')} of {of.present}."
        )


def _claimed(known: pd.DataFrame, most: Row, axes: Sequence[str]) -> Iterator[str]:
    """The posterior claimed for the best guesses, and whether it is calibrated."""
    if pd.isna(most.get("claimed")):
        return
    yield (
        "On average, the attacker gives these guesses a posterior probability of "
        f"{with_interval(most, 'claimed')}."
    )
    for is_off, how, then in (
        (claims_too_much, "high", ", so its figures are a lower bound on the risk"),
        (claims_too_little, "low", ": people are at a higher risk than it says"),
    ):
        off = [row for row in row_dicts(known) if is_off(row)]
        if off:
            worst = max(off, key=lambda row: abs(float(row["claimed"] - row["rank1"])))
            yield (
                f"In {grid_cells(len(off), len(known))} this probability is too {how} (with "
                f"{knowledge(worst, axes)}: {format_percent(worst['claimed'])} claimed, "
                f"{format_percent(worst['rank1'])} right). The attacker's assumptions do not hold "
                f"there{then}."
            )


def _of_the_same(most: Row) -> Iterator[str]:
    """Further measures of the best cell, where the run has them."""
    if pd.notna(most.get("baseline_longest")):
        yield (
            f"For the same targets, a random guess would be right in "
            f"{format_percent(most['baseline_random'])} of cases, and guessing the longest "
            f"record in {format_percent(most['baseline_longest'])}."
        )
    if pd.notna(most.get("k10")):
        yield (
            f"Their record is among the 10 most likely in {with_interval(most, 'k10')} of cases "
            f"and among the 100 most likely in {with_interval(most, 'k100')}."
        )
    if pd.notna(most.get("bits")):
        mean, prior = (format_number(most[name]) for name in ("bits", "bits_prior"))
        yield f"On average, {mean} of {prior} bits of uncertainty about them remain."


def _of_others(
    curves: pd.DataFrame, axes: Sequence[str], config: Mapping[str, Any]
) -> Iterator[str]:
    """Further measures, each in the cell in which it is highest or lowest."""
    if "mu_1" in curves and curves["mu_1"].notna().any():
        row = argmax_row(curves, "mu_1")
        yield (
            f"With {knowledge(row, axes)}, at most one record matches for "
            f"{with_interval(row, 'mu_1')} of {population_of(row, config).present}."
        )
    absent = curves[curves["rank1"].isna() & curves["matched_wrong"].notna()]
    if len(absent):
        worst = argmax_row(absent, "matched_wrong")
        yield (
            f"Of targets whose record is not in the release, up to "
            f"{with_interval(worst, 'matched_wrong')} are falsely matched (with "
            f"{knowledge(worst, axes)}, of {population_of(worst, config).targets})."
        )
    if "phi_star" in curves and curves["phi_star"].notna().any():
        row = argmin_row(curves, "equal_error")
        yield (
            f"With {knowledge(row, axes)} and φ = {format_significant(row['phi_star'], 3)}, the "
            f"error rate is {format_percent(row['equal_error'])} for present and for absent "
            "targets alike, the lowest of all grid cells."
        )


def _without_present(
    curves: pd.DataFrame, axes: Sequence[str], config: Mapping[str, Any]
) -> tuple[str, tuple[str, ...]]:
    """Summarise a run whose true records are unknown, or whose targets are all absent."""
    row = argmin_row(curves, "no_match")
    ends = {"": "", "_low": "_high", "_high": "_low"}
    matched = {f"matched{end}": 1 - row[f"no_match{other}"] for end, other in ends.items()}
    found, of = with_interval(matched, "matched"), population_of(row, config).targets
    if curves["matched_wrong"].notna().any():
        return (
            f"Of targets whose record is not in the release, up to {found} are falsely matched "
            f"(with {knowledge(row, axes)}, of {of}).",
            ("The right answer for them is no match.",),
        )
    return (
        f"The attack declares a match for {found} of {of}.",
        ("The true records of these people are unknown, so the share that is right is unknown.",),
    )
