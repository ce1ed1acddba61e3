"""The strongest attacker beside the published one: what the published attack leaves unseen.

Invariant: two attacks are set side by side only in cells where they know the same of the same
release.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from sim.report.extremes import highest
from sim.report.grids import Cell, Column, Grid, measured, number
from sim.report.headline import knowledge
from sim.report.reproduce import command_of
from sim.report.run_folder import RunFolder
from sim.study.curves import axis_columns

BAYES = "bayes"

_SAME = ("adversary", "perturb")

_ASKED = "strongest=200"
"""As in ``conf/config.yaml``, which an experiment may have set to 0."""


@dataclass(frozen=True, slots=True)
class Beside:
    """What a report says of the strongest attacker.

    Parameters
    ----------
    said : str
    grid : Grid or None
        Both attacks, cell by cell, where both were run.
    command : str
        How to run it, where it was not.
    """

    said: str
    grid: Grid | None = None
    command: str = ""


def strongest_beside(run: RunFolder, others: Iterable[RunFolder] = ()) -> Beside | None:
    """Say what the strongest attacker finds in the cells of a run.

    Parameters
    ----------
    run : RunFolder
    others : iterable of RunFolder
        Runs of the same suite.

    Returns
    -------
    Beside or None
        None where there is nothing to say: no attack, the strongest itself, or an attacker whose
        facts are no sample of the target's own record.
    """
    if run.kind != "attack" or (run.config.get("adversary") or {}).get("kind") != "aux":
        return None
    if run.config["attack"]["name"] == BAYES:
        return None
    candidates = [run.strongest] if run.strongest else []
    candidates += [other for other in others if _comparable(run, other)]
    for other in candidates:
        both = _both(run.tables["curves"], other.tables["curves"])
        if len(both):
            return Beside(_words(both), _grid(both, run.config["attack"]["name"]))
    asked = run.record.get("strongest") or {}
    if asked.get("reason"):
        return Beside(
            "The strongest attacker cannot be run here, so what follows may understate the risk: "
            f"{asked['reason']}"
        )
    understates = (
        "The published attack is a heuristic and understates the risk: an attacker who computes "
        "the exact posterior from the same facts finds at least as many people. "
    )
    if (run.config.get("grid") or {}).get("first", [None]) != [None]:
        return Beside(
            f"{understates}It must know how many of the facts are wrong, so it was not run on the "
            "first few of them. To run it on all of them:",
            command=command_of(run.record, ["grid.first=[null]", _ASKED]),
        )
    return Beside(
        f"{understates}It was not run here. To run it beside the attack:",
        command=command_of(run.record, [_ASKED]),
    )


def _comparable(run: RunFolder, other: RunFolder) -> bool:
    return (
        other.kind == "attack"
        and other.config["attack"]["name"] == BAYES
        and other.record.get("release_fingerprint") == run.record.get("release_fingerprint")
        and all(other.config.get(key) == run.config.get(key) for key in _SAME)
    )


def _both(ours: pd.DataFrame, theirs: pd.DataFrame) -> pd.DataFrame:
    """Put the cells that both runs have side by side."""
    axes = list(axis_columns(ours))
    if axes != list(axis_columns(theirs)):
        return ours.iloc[:0]
    rates = ["n_targets", "rank1", "rank1_low", "rank1_high"]
    more = [*rates, *(["claimed"] if "claimed" in theirs else [])]
    keys = [frame[axes].astype("string").fillna("none") for frame in (ours, theirs)]
    left = keys[0].assign(**{name: ours[name] for name in rates})
    right = keys[1].assign(**{f"best_{name}": theirs[name] for name in more})
    both = left.assign(place=range(len(left))).merge(right, on=axes, how="inner")
    both = both[both["rank1"].notna() & both["best_rank1"].notna()]
    return both.assign(knows=[knowledge(ours.iloc[place], axes) for place in both["place"]])


def _words(both: pd.DataFrame) -> str:
    row = highest(both.assign(gap=both["best_rank1"] - both["rank1"]), "gap")
    ours, best = (
        measured(
            {"x": row[f"{p}rank1"], "x_low": row[f"{p}rank1_low"], "x_high": row[f"{p}rank1_high"]},
            "x",
            share=True,
        ).text
        for p in ("", "best_")
    )
    if row["best_rank1"] <= row["rank1"]:
        return (
            "The strongest attacker with the same facts finds no more here than the attack of "
            "this run."
        )
    return (
        "The published attack understates the risk. An attacker who computes the exact posterior "
        f"from the same facts names {best} of the records with {row['knows']}, "
        f"where the attack of this run names {ours}."
    )


def _grid(both: pd.DataFrame, name: str) -> Grid:
    claimed = "best_claimed" in both
    columns = [
        Column("known to the attacker", numeric=False),
        Column(f"{name}: best guess right"),
        Column("strongest attacker: best guess right"),
        *([Column("posterior claimed")] if claimed else []),
        Column("its targets"),
    ]
    rows = []
    for row in both.to_dict("records"):
        cells = [Cell(row["knows"], row["knows"]), measured(row, "rank1", share=True)]
        cells.append(measured(row, "best_rank1", share=True))
        if claimed:
            cells.append(measured(row, "best_claimed", share=True))
        rows.append([*cells, number(row["best_n_targets"])])
    return Grid(
        "This attack and the strongest one",
        columns,
        rows,
        "The posterior is calibrated: of guesses made with probability p, a share p is right.",
    )
