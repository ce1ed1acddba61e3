"""What a run found, in plain words.

Invariant: every number in a sentence is computed from the run's tables, with its interval where it
is an estimate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.report.beside import said
from sim.report.extremes import highest, lowest
from sim.report.grids import percent
from sim.report.labels import level_text, level_words, worth_saying
from sim.report.run_folder import RunFolder, runs_of
from sim.report.told import told_of
from sim.study.curves import axis_columns


@dataclass(frozen=True, slots=True)
class Headline:
    """The first words of a report.

    Parameters
    ----------
    lead : str
        One sentence.
    more : tuple of str
        What belongs to it.
    """

    lead: str
    more: tuple[str, ...] = ()


def headline_of(run: RunFolder) -> Headline:
    """Say what a run found.

    Parameters
    ----------
    run : RunFolder

    Returns
    -------
    Headline
    """
    if run.kind == "attack":
        return attack_headline(run.tables["curves"], run.config)
    if run.kind == "measurement":
        return Headline(*told_of(run))
    return _of_suite(run)


def attack_headline(curves: pd.DataFrame, config: Mapping[str, Any]) -> Headline:
    """Say what an attack found: the most it does, the least, and what goes with it.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    config : dict
        As in ``run.json``.

    Returns
    -------
    Headline

    Examples
    --------
    >>> ends = {"": 0.97, "_low": 0.95, "_high": 0.98}
    >>> cell = {"cell": 0, "aux": "6/8", "date_noise": 14, "value_noise": 0, "popularity": 0}
    >>> rates = {f"rank1{end}": share for end, share in ends.items()}
    >>> rates |= {f"matched_right{end}": share for end, share in ends.items()}
    >>> curves = pd.DataFrame([cell | rates | {"n_targets": 9, "matched_wrong": 0.0}])
    >>> config = {"attack": {"name": "scoreboard_rh", "phi": 1.5}, "adversary": {"kind": "aux"}}
    >>> attack_headline(curves, config).lead[64:]
    "97.0% of records are identified by the attacker's best guess [95% interval 95.0%–98.0%]."
    """
    known = curves[curves["rank1"].notna()]
    if known.empty:
        return _of_unknown(curves)
    axes = axis_columns(curves)
    most = highest(known, "rank1")
    least = lowest(known, "rank1")
    who = _WHO.get(config["adversary"]["kind"], "people whose record is in the release")
    lead = (
        f"With {knowledge(most, axes)}, {share(most, 'rank1')} of {who} are identified by the "
        f"attacker's best guess{_interval(most)}."
    )
    return Headline(lead, tuple(_more(curves, most, least, axes, config)))


def knowledge(cell: Mapping[str, Any], axes: Sequence[str]) -> str:
    """Say what the attacker knows in a cell, in a phrase that follows "with".

    Parameters
    ----------
    cell : Mapping
        A row of ``curves.parquet``.
    axes : sequence of str

    Returns
    -------
    str
        Says so where nothing sets the cell apart.

    Examples
    --------
    >>> knowledge({"aux": "2/2", "date_noise": None, "popularity": 500},
    ...     ["aux", "date_noise", "popularity"])
    '2 of 2 facts right, no dates and items not in the top 500'
    """
    words = [
        _phrase(axis, cell[axis])
        for axis in sorted(axes, key=lambda axis: _ORDER.get(axis, len(_ORDER)))
        if axis != "present" and worth_saying(axis, cell[axis])
    ]
    words = [word for word in words if word] or ["what is known of them"]
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def share(row: Mapping[str, Any], name: str) -> str:
    """Write a share with one decimal place.

    Parameters
    ----------
    row : Mapping
    name : str

    Returns
    -------
    str
    """
    return percent(row[name]).text


_ORDER = {"aux": 0, "value_noise": 1, "date_noise": 2}


def _phrase(axis: str, value: Any) -> str:
    words = level_words(axis, value)
    if axis == "aux":
        return words.replace("items right", "facts right")
    if axis in ("date_noise", "value_noise"):
        return words.replace("±", "within ")
    return "" if words == "all items" else words


def _interval(row: Mapping[str, Any], name: str = "rank1") -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    if low is None or high is None or pd.isna(low) or pd.isna(high):
        return ""
    return f" [95% interval {percent(low).text}–{percent(high).text}]"


def _more(
    curves: pd.DataFrame,
    most: Mapping[str, Any],
    least: Mapping[str, Any],
    axes: Sequence[str],
    config: Mapping[str, Any],
) -> Iterator[str]:
    attack = config["attack"]
    if attack["name"] == "bayes" and pd.notna(most.get("claimed")):
        yield (
            "The attacker knows how sure to be: these guesses were made with a posterior "
            f"probability of {share(most, 'claimed')} on average."
        )
    rule = "" if attack["name"] in _NO_PHI else f" at φ = {attack['phi']:g}"
    yield (
        f"A match is declared{rule}, rightly, for {share(most, 'matched_right')}"
        f"{_interval(most, 'matched_right')} of those attacked, and wrongly for "
        f"{share(most, 'matched_wrong')}{_interval(most, 'matched_wrong')}."
    )
    if least["rank1"] < most["rank1"]:
        yield (
            f"Fewest are identified with {knowledge(least, axes)}: {share(least, 'rank1')}"
            f"{_interval(least)}; a match is declared{rule}, rightly, for "
            f"{share(least, 'matched_right')}{_interval(least, 'matched_right')}."
        )
    yield from _further(curves, most)


def _further(curves: pd.DataFrame, most: Mapping[str, Any]) -> Iterator[str]:
    """What only some runs measure."""
    if pd.notna(most.get("baseline_longest")):
        yield (
            f"A random guess would be right for {percent(most['baseline_random'], digits=2).text}, "
            f"guessing the longest record for {share(most, 'baseline_longest')}."
        )
    if pd.notna(most.get("mu_1")):
        row = highest(curves, "mu_1")
        yield f"At best, {share(row, 'mu_1')} of the targets are fitted by one record at most."
    if pd.notna(most.get("k10")):
        yield (
            f"The right record is among the 10 most likely for {share(most, 'k10')}, among the "
            f"100 most likely for {share(most, 'k100')}."
        )
    if pd.notna(most.get("bits")):
        yield (
            f"{said(round(float(most['bits']), 2), 'bits')} are left to be learnt on average, of "
            f"{said(round(float(most['bits_prior']), 2), 'bits')} at first."
        )
    absent = curves[curves["rank1"].isna() & curves["matched_wrong"].notna()]
    if len(absent):
        worst = highest(absent, "matched_wrong")
        yield (
            f"Of people whose record is not there, up to {share(worst, 'matched_wrong')}"
            f"{_interval(worst, 'matched_wrong')} are still matched with somebody."
        )
    if "phi_star" in curves and curves["phi_star"].notna().any():
        row = lowest(curves, "equal_error")
        yield (
            f"At best, an attacker who sets φ to {level_text(float(row['phi_star']))} errs for "
            f"{share(row, 'equal_error')} of present and of absent people alike."
        )


def _of_unknown(curves: pd.DataFrame) -> Headline:
    """Where nobody knows which record is whose, or all targets are absent."""
    worst = lowest(curves, "no_match")
    matched = percent(1 - worst["no_match"]).text
    if curves["matched_wrong"].notna().any():
        lead = f"Of people whose record is not there, up to {matched} are matched with somebody."
        return Headline(lead, ("The right answer is that there is no match.",))
    return Headline(
        f"A match is declared for {matched} of the people.",
        ("Nobody knows whose records these are, so it is not known how many are right.",),
    )


def conclusions(run: RunFolder) -> tuple[str, ...]:
    """What a suite concludes from all of its parts, in its own words.

    Parameters
    ----------
    run : RunFolder

    Returns
    -------
    tuple of str
        Empty where it leaves that to the reader.
    """
    facts = run.tables["facts"] if "facts" in run.tables else pd.DataFrame()
    return tuple(facts["conclusion"].dropna()) if "conclusion" in facts else ()


def _of_suite(run: RunFolder) -> Headline:
    strongest = sorted(
        (
            (float(found["rank1"].max()), -place, one)
            for place, one in enumerate(runs_of(run))
            if one.kind == "attack" and (found := one.tables["curves"])["rank1"].notna().any()
        ),
        key=lambda entry: entry[:2],
    )
    done = sum(1 for part in run.parts if part.run is not None)
    left = len(run.parts) - done
    counted = f"{done} of {len(run.parts)} parts were run" + (
        f"; {left} cannot be run on this release." if left else "."
    )
    concluded = conclusions(run)
    if concluded:
        return Headline(f"{concluded[-1]}.", (*(f"{said}." for said in concluded[:-1]), counted))
    if not strongest:
        return Headline(counted)
    best = strongest[-1][2]
    lead = attack_headline(best.tables["curves"], best.config).lead
    return Headline(lead, (f"This is the most that any part found ({best.name}).", counted))


_WHO = {"aux": "records", "mentions": "people"}

_NO_PHI = ("bayes", "correlation", "scoreboard", "neighbourhood", "set_intersection")
"""Attacks whose matches are declared by another rule."""
