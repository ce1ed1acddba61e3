"""The worst case of a run: the highest posterior by any single fact, and by any two (spec §12.1).

The highest risk of a person is that of the facts drawn. The engine scores the facts that were not
drawn as well, for an attacker who knows that all are right. What a fact true of somebody claims of
any record is at least the risk of each person whom it is true of, and without changes of the data
the highest such risk.

Invariant: what was not scored has no number; how much was scored is counted.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sim.adversary.aux import Aux, Candidates, Drawn, GroundTruth
from sim.adversary.chosen_facts import fact_pairs, single_facts
from sim.adversary.knowledge import Knowledge
from sim.adversary.linkage import linkage_of
from sim.adversary.on_release import on_release
from sim.attack.algorithms.bayes import Bayes
from sim.release.store.store import Store
from sim.study.inline import decided
from sim.study.plan import Plan

Ints = NDArray[np.int64]

WORST_CASE = "worst_case"
"""Name of its table."""

FACTS = ("single", "pair")
"""Its columns of risks."""

MOST_SCORED = 100_000
"""Aux sets of a size that are scored at most; where each takes all records, as many as targets."""

_COLUMNS = {
    "cell": "int32",
    **dict.fromkeys(FACTS, "Float64"),
    **{f"{count}_{name}": "int64" for name in FACTS for count in ("n", "of")},
}
_UNITS_AT_A_TIME = 2048
_SURE = 1 - 1e-9


def worst_case(store: Store, attack: Bayes, plan: Plan) -> pd.DataFrame:
    """Score every fact of the people of a run, and every two.

    Parameters
    ----------
    store : Store
        The release under attack.
    attack : Bayes
        As the run has it.

    Returns
    -------
    DataFrame
        A row per grid cell whose targets are all who are eligible: ``cell``, the highest posterior
        by a ``single`` fact and by a ``pair`` (null: none was scored), about how many cells single
        facts were scored and how many pairs (``n_single``, ``n_pair``), and of how many
        (``of_single``, ``of_pair``). None where there is no model, or nobody is in the release.
    """
    found: dict[Knowledge, dict[str, object]] = {}
    rows = []
    for cell, targets, eligible in zip(plan.cells, plan.targets, plan.eligible, strict=True):
        known = cell.adversary.knowledge
        if known is None or not known.present or targets.size < eligible:
            continue
        if attack.untested or known.record_length is not None:
            continue
        # Who has some of as many facts as the attacker of the cell, and knows that they are right.
        known = replace(known, correct=known.size, fact_draw=0)
        if known not in found:
            found[known] = _of_facts(store, attack, plan, known, targets)
        rows.append(found[known] | {"cell": cell.index})
    return pd.DataFrame(rows, columns=[*_COLUMNS]).astype(_COLUMNS)


def _of_facts(
    store: Store, attack: Bayes, plan: Plan, known: Knowledge, targets: Ints
) -> dict[str, object]:
    truth, publisher = plan.truth or store, attack.publisher
    people = np.zeros(truth.manifest.n_records, np.bool_)
    people[targets] = True
    if plan.truth is not None:
        people &= np.diff(linkage_of(truth, store).records_of(np.arange(people.size))[0]) > 0
    firsts = [replace(known, first=n) for n in range(1, min(known.n_facts, 2) + 1)]
    scoring = replace(attack, keep=0).for_study(firsts, publisher)
    most = min(MOST_SCORED, targets.size) if scoring.looks_at_everybody else MOST_SCORED
    moved = publisher.changes_times
    row: dict[str, object] = dict.fromkeys(_COLUMNS, 0) | dict.fromkeys(FACTS)
    for name in FACTS[: len(firsts)]:
        if name == "single":
            chosen = single_facts(truth, known, people, most, every_day=moved)
        else:
            chosen = fact_pairs(truth, known, people, most)
        risk = _highest(store, scoring, truth, chosen.aux) if chosen.listed else None
        row |= {name: risk, f"n_{name}": chosen.listed, f"of_{name}": chosen.every}
        if risk is not None and risk >= _SURE:
            break  # nothing leaves more
    return row


def _highest(store: Store, scoring: Bayes, truth: Store, aux: Aux) -> float:
    """Return the highest posterior that any of the aux sets gives to a record."""
    nothing = np.zeros(aux.item.size, np.int32)
    whole = Drawn(
        aux,
        Candidates.every(len(aux)),
        GroundTruth(
            target=np.full(len(aux), -1),
            absent=np.zeros(len(aux), np.bool_),
            kind=nothing.astype(np.uint8),
            own_held=nothing > 0,
            own_level=nothing,
            own_day=nothing,
        ),
    )
    highest, step = 0.0, min(scoring.max_batch, _UNITS_AT_A_TIME)
    for begin in range(0, len(aux), step):
        drawn = whole.part(begin, min(begin + step, len(aux)))
        if truth is not store:
            drawn = on_release(drawn, truth, store)
        decisions = decided(store, scoring, scoring.annotated(store, drawn))
        highest = max(highest, float(decisions.posterior.max()))
        if highest >= _SURE:
            break
    return highest
