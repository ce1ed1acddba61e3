"""Measures the rows of an assessment by the decisions of runs.

Invariant: every number is computed from the decisions of a run, never taken from its tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from sim.axes.fact_draw import FactDrawAxis
from sim.config.schema import AUDIT, BOTH, ORIGINAL
from sim.errors import InputError
from sim.findings.attacker_row import MEAN, Row, WorstCase
from sim.findings.finding import Finding
from sim.findings.strongest import BAYES, why_not_run, why_unsound
from sim.metrics.counts import NO_WRONG_ITEM, RELEASED
from sim.metrics.curves import axis_columns
from sim.metrics.decided_targets import (
    Cells,
    Floats,
    chance_right,
    decided_targets,
    each_draw,
    is_absent,
    is_named,
    is_true,
    likeliest,
    own_posterior,
)
from sim.metrics.phi import PRESENT
from sim.metrics.risk_estimates import (
    Counts,
    Estimate,
    larger_of,
    limited,
    mean_chance,
    risks_of,
    share_of_absent,
    share_of_claims,
    share_of_targets,
    with_rest,
)
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.record.run_record import FILE_FACTS_FOLDER
from sim.study.guard import GUARD, GUARD_PEOPLE
from sim.study.labels import level_text
from sim.study.worst_case import WORST_CASE

_DRAW = FactDrawAxis.name
_AT_LEAST_GUARD = (MEAN, "best_guess")


def rows_of(run: RunFolder, attacker: str, confidence: float) -> list[Row]:
    """Measure one attacker in every grid cell in which targets are in the release, once a run.

    Where it was run with facts of the original and of the file, each row has the `Row.other`.

    Parameters
    ----------
    run : RunFolder
        An attack of this attacker.
    confidence : float
        The posterior from which the Bayes-optimal attacker names a record.
    """
    key = rows_of, attacker, confidence
    if key not in run.worked_out:
        run.worked_out[key] = _with_file_facts(run, attacker, confidence)
    found: list[Row] = run.worked_out[key]
    return found


def _with_file_facts(run: RunFolder, attacker: str, confidence: float) -> list[Row]:
    found = _measured(run, attacker, confidence)
    error = (run.record.get(FILE_FACTS_FOLDER) or {}).get("error")
    if error:
        return [replace(row, facts="original", untested=str(error)) for row in found]
    if run.file_facts is None:
        facts = _facts_alone(run)
        return [replace(row, facts=facts) for row in found] if facts else found
    ours = [replace(row, facts="original") for row in found]
    theirs = [replace(row, facts="file") for row in _measured(run.file_facts, attacker, confidence)]
    # Where fewer people have as many facts in the file, it has fewer: then by their order.
    pairs = {a: b for a, row in enumerate(ours) for b, one in enumerate(theirs) if row.is_like(one)}
    rest = zip(
        [a for a in range(len(ours)) if a not in pairs],
        [b for b in range(len(theirs)) if b not in pairs.values()],
        strict=False,
    )
    pairs |= dict(rest)
    paired = [
        replace(row, other=theirs[pairs[a]]) if a in pairs else row for a, row in enumerate(ours)
    ]
    return [*paired, *(one for b, one in enumerate(theirs) if b not in pairs.values())]


def _facts_alone(run: RunFolder) -> str:
    """Return of what the facts of a changed release are, where others were not asked for."""
    known = (run.config.get("audit") or {}).get("known_facts")
    if run.config.get("aggregate") != AUDIT or not run.record.get("defences"):
        return ""
    return {BOTH: "", ORIGINAL: "original"}.get(str(known), "file")


def _measured(run: RunFolder, attacker: str, confidence: float) -> list[Row]:
    best = run if run.config["attack"]["name"] == BAYES else run.bayes
    found = []
    for cells, twins in _cells(run.tables["curves"]):
        if best is None:
            found.append(_published_row(run, attacker, cells, twins, why_not_run(run)))
        else:
            found.append(_best_row(run, best, attacker, cells, confidence))
    return [row for row in found if row is not None]


def _cells(curves: pd.DataFrame) -> Iterator[tuple[Cells, Cells]]:
    """Yield the cells with targets in the release that differ only in the draw of facts.

    And the same without the targets, if there are any.
    """
    axes = axis_columns(curves)
    here = dict[tuple[str, ...], list[Mapping[Any, Any]]]()
    gone = dict[tuple[str, ...], list[Mapping[Any, Any]]]()
    for row in row_dicts(curves):
        kept = here if row.get(PRESENT, True) else gone
        kept.setdefault(_key(row, axes), []).append(row)
    for key, cells in here.items():
        yield cells, gone.get(key, [])


def _key(row: Mapping[Any, Any], axes: Sequence[str]) -> tuple[str, ...]:
    # As text: an integer level is a float where another level of its own grid is one.
    return tuple(level_text(row[axis]) for axis in axes if axis not in (PRESENT, _DRAW))


def _cells_like(run: RunFolder, cells: Cells, axes: Sequence[str]) -> list[tuple[Cells, Cells]]:
    """Return the cells of a run that have the levels of some of another, and are as many."""
    key = _key(cells[0], axes)
    pairs = _cells(run.tables["curves"])
    return [one for one in pairs if _key(one[0][0], axes) == key and len(one[0]) == len(cells)]


def _best_row(
    run: RunFolder, best: RunFolder, attacker: str, cells: Cells, confidence: float
) -> Row | None:
    """Measure the Bayes-optimal attacker, and compare it with the attack of the run."""
    axes = axis_columns(run.tables["curves"])
    same = _cells_like(best, cells, axes)
    if len(same) != 1:
        raise InputError(
            f"{best.path}: its grid differs from that of {run.path}; run the audit again"
        )
    theirs, twins = same[0]
    here = _those_present(decided_targets(best.decisions, theirs))
    if here[0].empty:
        return None
    n = len(here[0])
    counts = counts_of(theirs[0], n)
    guard = guard_of(best, [int(cell["cell"]) for cell in theirs], here[0]["target"], counts)
    risks = np.stack([own_posterior(*pair) for pair in zip(theirs, here, strict=True)])
    if guard is not None:
        risks = np.maximum(risks, guard[1])
    guarded = {} if guard is None else guard[0]
    worst = worst_case_of(best, int(theirs[0]["cell"]))
    pairs = [(int(a["cell"]), int(b["cell"])) for a, b in zip(cells, theirs, strict=True)]
    problem = why_unsound(run, best, pairs, n)
    named = each_draw(here, lambda rows: is_named(rows, confidence))
    right = named & each_draw(here, lambda rows: is_true(rows, "correct"))
    succeeds = share_of_targets(right, counts)
    guessed = mean_chance(each_draw(here, chance_right), counts)
    published: dict[str, Any] = {}
    if best is not run:
        twins_here = next(pair[1] for pair in _cells_like(run, cells, axes))
        alone = _published_row(run, attacker, cells, twins_here, problem)
        if alone is None:
            raise InputError(f"{run.path}: no target is in the release; run the audit again")
        if alone.named_right is not None:
            guessed = larger_of(guessed, alone.named_right)
        # What the model says of people is no result; what an attack that was run finds is one.
        if problem is not None and alone.succeeds.estimate >= succeeds.estimate:
            return replace(alone, named_right=guessed, **guarded)
        published = {
            "published": alone.attack,
            "published_finds": alone.succeeds,
            "published_wrong": alone.wrong,
            "published_control": alone.control,
            "claims": alone.claims,
        }
    if problem is None:
        known = risks_of(risks, counts, worst.highest)
        guesses = each_draw(here, likeliest)
        known["best_guess"] = risks_of(guesses, counts, worst.highest)[MEAN]
        # If the model holds, nobody is found for a higher risk than that of any fact.
        guessed = limited(guessed, known["highest"].high, counts)
        if guarded:
            known |= {name: larger_of(known[name], guarded["guard"]) for name in _AT_LEAST_GUARD}
        published |= {**known, "highest_draw": float(risks.max())}
    absent = decided_targets(best.decisions, twins)
    claims = each_draw(absent, lambda rows: is_named(rows, confidence)) if absent else None
    return Row(
        attacker=attacker,
        cell=int(cells[0]["cell"]),
        axes=_levels(run, cells),
        attack=BAYES,
        **counts,
        **guarded,
        **published,
        worst_case=worst,
        named_right=guessed,
        succeeds=succeeds,
        wrong=share_of_targets(named & ~right, counts),
        control=None if claims is None else share_of_absent(claims),
        absent=len(absent[0]) if absent else 0,
        problem=problem,
        draws=len(cells),
    )


def _published_row(
    run: RunFolder, attacker: str, cells: Cells, twins: Cells, problem: Finding | None
) -> Row | None:
    """Measure the attack of a run whose Bayes-optimal attacker there is not, or tells nothing."""
    every = decided_targets(run.decisions, cells)
    here = _those_present(every)
    if here[0].empty:
        return None
    # People of another table may be in the release or not, in one and the same cell.
    gone = (
        decided_targets(run.decisions, twins)
        if twins
        else [rows[is_absent(rows)] for rows in every]
    )
    named = each_draw(here, lambda rows: is_true(rows, "matched"))
    right = named & each_draw(here, lambda rows: is_true(rows, "correct"))
    counts = counts_of(cells[0], len(here[0]))
    if counts["attacked"] < len(every[0]) and not twins and not _counts_released(run, cells):
        counts["records"] = counts["eligible"] = int(cells[0]["n_present"])
    control = None
    if len(gone[0]):
        control = share_of_absent(each_draw(gone, lambda rows: is_true(rows, "matched")))
    return Row(
        attacker=attacker,
        cell=int(cells[0]["cell"]),
        axes=_levels(run, cells),
        attack=str(run.config["attack"]["name"]),
        **counts,
        named_right=mean_chance(each_draw(here, chance_right), counts),
        succeeds=share_of_targets(right, counts),
        wrong=share_of_targets(named & ~right, counts),
        control=control,
        absent=len(gone[0]),
        claims=share_of_claims(named, right),
        problem=problem,
        draws=len(cells),
        absent_are_others=not twins and len(gone[0]) > 0,
    )


def _counts_released(run: RunFolder, cells: Cells) -> bool:
    """Whether the curves count the people in the release, none of whom is left out by lot."""
    return RELEASED[0] in cells[0] and run.config["adversary"].get("member_fraction", 1) == 1


def _those_present(found: Sequence[pd.DataFrame]) -> list[pd.DataFrame]:
    return [rows[is_true(rows, "present")] for rows in found]


def _levels(run: RunFolder, cells: Cells) -> dict[str, Any]:
    """Return the levels of cells that differ in the draw of facts, as JSON values."""
    axes = axis_columns(run.tables["curves"])
    levels = {axis: cells[0][axis] for axis in axes if axis != _DRAW}
    return {
        axis: None if pd.isna(one) else one.item() if isinstance(one, np.generic) else one
        for axis, one in levels.items()
    }


def counts_of(cell: Mapping[Any, Any], attacked: int) -> dict[str, Any]:
    """Count the people in the release, of them those who can be, and those who were, attacked.

    And those with enough facts, but too few items that are left for the wrong ones.

    Parameters
    ----------
    cell : Mapping
        A row of ``curves.parquet``.
    """
    records, eligible = RELEASED
    if records in cell:
        counts = {"records": int(cell[records]), "eligible": int(cell[eligible])}
    else:
        whole = round(cell["n_eligible"] / cell["eligible"])
        counts = {"records": whole, "eligible": int(cell["n_eligible"])}
    full = cell.get(NO_WRONG_ITEM[1] if records in cell else NO_WRONG_ITEM[0], 0)
    return {**counts, "attacked": attacked, "no_wrong_item": int(full)}


def worst_case_of(run: RunFolder, cell: int) -> WorstCase:
    """Return the highest risks by any facts, of a grid cell of a run."""
    rows = run.tables[WORST_CASE] if WORST_CASE in run.tables else pd.DataFrame({"cell": []})
    found = row_dicts(rows[rows["cell"] == cell].drop(columns="cell"))
    return WorstCase(**found[0]) if found else WorstCase()


def guard_of(
    best: RunFolder, cells: Sequence[int], targets: pd.Series, counts: Counts
) -> tuple[dict[str, Any], Floats] | None:
    """Return what the guard finds of targets, over the draws of facts; None: it was not tested.

    Returns
    -------
    dict
        The fields of a row that it fills; the interval of its share holds that of every draw.
    float64 array, shape (draws, targets)
        Probability that it gives to each target's own record; 0 of those not looked at.
    """
    if GUARD not in best.tables:
        return None
    every, people = best.tables[GUARD], best.tables[GUARD_PEOPLE]
    rows = every[every["stronger"] & every["cell"].isin(cells)]
    if len(rows) < len(cells):
        return None
    own = [
        people[people["cell"] == cell].set_index("target")["own"].reindex(targets, fill_value=0.0)
        for cell in cells
    ]
    high = float(rows["right_high"].max())
    share = Estimate(
        float(rows["right"].mean()), float(rows["right_low"].min()), high, with_rest(high, counts)
    )
    fields = {"guard": share, "guard_above_model": bool(rows["above_model"].any())}
    return fields, np.stack([one.to_numpy(np.float64) for one in own])
