"""The main results of a run, in sentences.

Invariant: every number in a sentence is computed from the run's tables, with its interval where it
is an estimate, and names its population.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from sim.assessment.assessment import assess, is_audit, is_plan
from sim.findings.measurement import conclusion_findings
from sim.record.run_folder import RunFolder, runs_of
from sim.report.sentences import sentences
from sim.report.words.assessment import lead_sentences
from sim.report.words.attack_words import attack_sentences
from sim.report.words.frontier import frontier_sentences, is_frontier
from sim.report.words.plan import plan_sentences
from sim.report.words.summary import summary_of

BAYES = "the Bayes-optimal attacker"


@dataclass(frozen=True, slots=True)
class Headline:
    """The first sentences of a report.

    Parameters
    ----------
    lead : str
        One sentence.
    more : tuple of str
        Further sentences.
    """

    lead: str
    more: tuple[str, ...] = ()


def headline_of(run: RunFolder) -> Headline:
    """Return the main results of a run."""
    if run.kind == "attack":
        return attack_headline(run.tables["curves"], run.config)
    if run.kind == "measurement":
        return Headline(*summary_of(run))
    return _of_suite(run)


def attack_headline(curves: pd.DataFrame, config: Mapping[str, Any]) -> Headline:
    """Return the main results of an attack: its best cell, its worst, and details.

    Parameters
    ----------
    curves : DataFrame
        As ``curves.parquet``.
    config : dict
        As in ``run.json``.

    Examples
    --------
    >>> cell = {"cell": 0, "aux": "6/8", "date_noise": 14, "value_noise": 0, "popularity": 0}
    >>> counts = {"n_targets": 9, "n_present": 9, "n_eligible": 30, "eligible": 0.75}
    >>> ends = {"": 0.97, "_low": 0.95, "_high": 0.98}
    >>> rates = {f"rank1{end}": share for end, share in ends.items()}
    >>> rates |= {f"matched_right{end}": share for end, share in ends.items()}
    >>> curves = pd.DataFrame([cell | rates | counts | {"matched_wrong": 0.0}])
    >>> config = {"attack": {"name": "scoreboard_rh", "phi": 1.5}, "adversary": {"kind": "aux"}}
    >>> found = attack_headline(curves, config)
    >>> found.lead[64:147]
    "the attacker's best guess (Scoreboard-RH) identifies 97.0% [95% interval 95.0%–98.0"
    >>> found.lead[150:]
    'of the 30 records with 8 or more facts (75.0% of all 40; 9 sampled).'
    """
    return Headline(*attack_sentences(curves, config))


def conclusions(run: RunFolder) -> tuple[str, ...]:
    """Return the conclusions that a suite draws from all of its parts; empty if it draws none."""
    return tuple(sentences(conclusion_findings(run)))


def _of_suite(run: RunFolder) -> Headline:
    if is_audit(run):
        first, *more = lead_sentences(assess(run))
        return Headline(first, tuple(more))
    if is_plan(run):
        first, *more = plan_sentences(run)
        return Headline(first, tuple(more))
    if is_frontier(run):
        first, *more = frontier_sentences(run)
        return Headline(first, tuple(more))
    done = sum(1 for part in run.parts if part.run is not None)
    left = len(run.parts) - done
    counted = f"{done} of {len(run.parts)} parts were run" + (
        f"; {left} cannot be run on this release." if left else "."
    )
    concluded = conclusions(run)
    if concluded:
        return Headline(concluded[0], (*concluded[1:], counted))
    attacks = [found for one in runs_of(run) for found in _attacks_of(one)]
    if not attacks:
        return Headline(counted)
    best, name = max(attacks, key=lambda found: float(found[0].tables["curves"]["rank1"].max()))
    lead = attack_headline(best.tables["curves"], best.config).lead
    return Headline(lead, (f"This is the highest share in any part ({name}).", counted))


def _attacks_of(run: RunFolder) -> Iterator[tuple[RunFolder, str]]:
    """Yield a run and its Bayes-optimal companion, with their names, if they have rank-1 rates."""
    within = [] if run.bayes is None else [(run.bayes, f"{run.name}, {BAYES}")]
    for one, name in ((run, run.name), *within):
        if one.kind == "attack" and one.tables["curves"]["rank1"].notna().any():
            yield one, name
