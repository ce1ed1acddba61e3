"""An attack and the Bayes-optimal attacker, compared on the targets that both attacked.

Invariant: two attacks are compared only in cells where they have the same knowledge of the same
release, on the same targets; no conclusion is drawn from an attacker whose assumptions do not
hold, nor about an attacker that was not run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sim.assessment.rows import BAYES
from sim.attack.algorithms.registry import is_published
from sim.axes.registry import neutral_values, unmodelled
from sim.errors import InputError
from sim.extend.overrides import override
from sim.metrics.attack_properties import AttackProperties
from sim.metrics.curves import axis_columns
from sim.metrics.shared_targets import on_shared_targets
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.report.html_table import HtmlTable, places_of
from sim.report.words.attack_words import knowledge
from sim.report.words.bayes_words import Verdicts
from sim.report.words.reproduce import command_of
from sim.study.labels import level_text

TARGETS = "auto"
"""Targets of the command that runs it: all, or fewer where all would take long, as by default."""

_SAME = ("seed", "adversary", "defence")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of a run's attack with the Bayes-optimal attacker.

    Parameters
    ----------
    sentences : tuple of str
        Warnings come first.
    brief : str
        The same in one line.
    table : HtmlTable or None
        Both attacks, cell by cell; None where they were not compared.
    narrow : HtmlTable or None
        The same for a terminal, in percent.
    command : str
        Runs the missing attacker; empty where it was run or cannot be.
    """

    sentences: tuple[str, ...]
    brief: str
    table: HtmlTable | None = None
    narrow: HtmlTable | None = None
    command: str = ""


def compare_bayes(run: RunFolder, others: Iterable[RunFolder] = ()) -> Comparison | None:
    """Compare the attack of a run with the Bayes-optimal attacker.

    Parameters
    ----------
    others : iterable of RunFolder
        Runs of the same suite; the one that shares the most targets is used.

    Returns
    -------
    Comparison or None
        None where there is nothing to compare: no attack, the Bayes-optimal attacker itself, no
        target in the release, or an adversary whose facts are not sampled from the target's record.

    Raises
    ------
    InputError
        The decisions of a run cannot be read.
    """
    if run.kind != "attack" or (run.config.get("adversary") or {}).get("kind") != "aux":
        return None
    if run.config["attack"]["name"] == BAYES or run.tables["curves"]["rank1"].isna().all():
        return None
    within = [] if run.bayes is None else [run.bayes]
    candidates = [*within, *(other for other in others if _comparable(run, other))]
    found = [both for both in (_both(run, other) for other in candidates) if both]
    if found:
        most = max(found, key=lambda both: sum(row["n_shared"] for row in both))
        return _compared(most, run)
    return _not_compared(run, bool(candidates))


def _comparable(run: RunFolder, other: RunFolder) -> bool:
    return (
        other.kind == "attack"
        and other.config["attack"]["name"] == BAYES
        # Any other count is an approximation, and a published attack may outperform it.
        and other.config["attack"].get("count", "exact") == "exact"
        and other.record.get("release_fingerprint") == run.record.get("release_fingerprint")
        and all(other.config.get(key) == run.config.get(key) for key in _SAME)
    )


def _both(run: RunFolder, other: RunFolder) -> list[dict[Any, Any]]:
    """Return both attacks' results in the cells and on the targets that both runs share."""
    ours, theirs = run.tables["curves"], other.tables["curves"]
    axes = list(axis_columns(ours))
    readable = all("decisions" in one.tables for one in (run, other))
    if not readable or axes != list(axis_columns(theirs)):
        return []
    # As text: an integer level is a float where another level of its own grid is one.
    keys = [
        frame[axes].apply(lambda levels: levels.map(level_text)).assign(cell=frame["cell"])
        for frame in (ours, theirs)
    ]
    pairs = keys[0].merge(keys[1], on=axes, suffixes=("", "_theirs"))
    properties = AttackProperties(
        n_records=run.record["release"]["n_records"],
        phi=run.config["attack"]["phi"],
        log_scores=True,
    )
    cells = zip(pairs["cell"].tolist(), pairs["cell_theirs"].tolist(), strict=True)
    try:
        both = on_shared_targets(run.path, other.path, cells, properties)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{run.path}: the decisions cannot be compared with those in {other.path} ({error}); "
            "run the study again"
        ) from None
    of = {row["cell"]: row for row in row_dicts(ours)}
    places = dict(zip(ours["cell"], places_of(ours), strict=True))
    return [
        {
            **row,
            "knows": knowledge(of[row["cell"]], axes),
            "places": places[row["cell"]],
            "n_all": of[row["cell"]]["n_present"],
            **{f"all_rank1{end}": of[row["cell"]][f"rank1{end}"] for end in ("", "_low", "_high")},
        }
        for row in row_dicts(both)
    ]


def _compared(both: list[dict[Any, Any]], run: RunFolder) -> Comparison:
    found = Verdicts(both, str(run.config["attack"]["name"]))
    sentences, limit = list(found.sentences()), (run.record.get("bayes") or {}).get("limit")
    if isinstance(limit, int):
        sentences.append(
            f"The Bayes-optimal attacker attacked at most {limit} targets of a grid cell: facts "
            "that may all be about wrong items rule nobody out, and every record has to be scored "
            "(bayes_targets sets another number)."
        )
    return Comparison(tuple(sentences), found.brief(), found.table(), found.narrow())


def _not_compared(run: RunFolder, was_run: bool) -> Comparison:
    """Return the reason why there is no comparison."""
    which = "one published" if is_published(run.config["attack"]["name"]) else "this"
    limits = f"the figures here are for {which} attack, and another may identify more people"
    without_model = unmodelled(run.config.get("grid") or {})
    reason = (run.record.get("bayes") or {}).get("reason")
    if reason:
        why = f"The Bayes-optimal attacker cannot be run here: {reason}"
    elif was_run:
        why = (
            "The Bayes-optimal attacker was run, but the two attacks share no targets in the "
            "release, so they are not compared"
        )
    elif without_model:
        named = " and ".join(f"grid.{axis}" for axis in without_model)
        neutral = [override(f"grid.{axis}", [neutral_values()[axis]]) for axis in without_model]
        return Comparison(
            (
                f"The Bayes-optimal attacker has no model of {named}, so it was not run; "
                f"{limits}. To run both attacks without {named} and compare them:",
            ),
            f"the Bayes-optimal attacker has no model of {named}",
            command=command_of(run.record, [*neutral, f"bayes_targets={TARGETS}"]),
        )
    else:
        return Comparison(
            (
                f"The Bayes-optimal attacker was not run; {limits}. To run both attacks and "
                "compare them:",
            ),
            "the Bayes-optimal attacker was not run",
            command=command_of(run.record, [f"bayes_targets={TARGETS}"]),
        )
    return Comparison((f"{why}; {limits}.",), f"{why[0].lower()}{why[1:]}")
