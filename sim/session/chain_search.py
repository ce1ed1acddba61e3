"""The search for the chain of defences that loses least and keeps a bound (spec §11).

Successive halving: all chains are attacked on a small sample. Those whose risk exceeds the bound
for sure are dropped, and the least lossy half of the others is attacked on a sample four times as
large, and so on. What is left is attacked on all records, the least lossy chain first, and then
once more under a new seed. Where it is not known what chains lose, all that may keep the bound are
attacked on all records, and the one with the lowest upper end comes first under the new seed. In
each round every chain is attacked through the same facts about the same people.

Invariant: a chain is offered only if two attacks on all records, under two seeds, kept the bound
with the upper end of the interval; that none keeps it is said only after each chain has exceeded
it, or could not be tested.

Source: Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter
optimization", AISTATS 2016, for the halving.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd

from sim.config.chains import UNCHANGED
from sim.findings.chains import (
    ALL,
    DROPPED,
    FRESH,
    GOES_ON,
    NOT_MADE,
    OFFERED,
    RESERVE,
    TRIALS,
    preference,
)
from sim.findings.finding import kind_name
from sim.findings.verdicts import AS_FOUND, EXCEEDS, NOT_TESTED, WITHIN
from sim.measurements.measurement import Tables
from sim.metrics.risk_estimates import is_above
from sim.session.chain_points import Point, flat

FIRST = 250
"""People attacked in the first round."""

FACTOR = 4
"""How many times as many are attacked in the next one."""

FINALISTS = 2
"""With so many chains left, or fewer, they are no longer halved."""

Attack = Callable[[str, str, int | None], Point]
"""Attacks a chain: given its step, its name, and the number of targets (None: all)."""


@dataclass(frozen=True, slots=True)
class Trial:
    """An attack on one chain, and what followed from it.

    Parameters
    ----------
    step : str
        ``round 1``, ``round 2`` …, ``all records`` or ``new seed``.
    targets : int or None
        People attacked at most; None: all.
    decision : str
        ``goes on``, ``in reserve``, ``offered`` or ``dropped``.
    because : str
        Why it was dropped: ``exceeds``, ``counted_as_found``, ``not tested``, or one of
        `sim.findings.chains.NOT_MADE`; empty: it was not.
    """

    step: str
    targets: int | None
    point: Point
    decision: str
    because: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The result of a search.

    Parameters
    ----------
    trials : list of Trial
        In the order in which they were made.
    offered : Point or None
        The chain that kept the bound twice, by the attack under the new seed.
    """

    trials: list[Trial]
    offered: Point | None


def trials_tables(plan: Plan) -> Tables:
    """Return the table of a search.

    Returns
    -------
    Tables
        ``trials``: a row per attack on a chain, in their order; see `Trial` and
        `sim.session.chain_points.Point`.
    """
    rows = [
        {
            "step": trial.step,
            "targets": trial.targets,
            **dict(flat(trial.point)),
            "decision": trial.decision,
            "because": trial.because,
        }
        for trial in plan.trials
    ]
    return {TRIALS: pd.DataFrame(rows).astype({"targets": "Int64"})}


def sample_sizes(n_records: int) -> list[int]:
    """Return the people attacked in each round before all are.

    Examples
    --------
    >>> sample_sizes(20_000), sample_sizes(100)
    ([250, 1000, 4000], [250])
    """
    sizes = [FIRST]
    while 2 * FACTOR * sizes[-1] <= n_records:
        sizes.append(sizes[-1] * FACTOR)
    return sizes


def search(first: Sequence[Point], n_records: int, attack: Attack) -> Plan:
    """Search for the least lossy chain that keeps the bound.

    Parameters
    ----------
    first : sequence of Point
        Every chain as the first round found it, the release as it is among them.
    n_records : int
        Of the release.
    attack : callable
        See `Attack`.

    Examples
    --------
    A chain whose risk is its utility, and a bound of one half:

    >>> from sim.metrics.risk_estimates import Estimate
    >>> from sim.findings.verdicts import Verdict
    >>> def point(kept):
    ...     verdict = Verdict(WITHIN if kept <= 0.5 else EXCEEDS)
    ...     risk, name = Estimate(kept, kept, kept, kept), f"keeps {kept}"
    ...     return Point(part=name, chain=name, risk=risk, kept=kept, bound=0.5, verdict=verdict)
    >>> known = {each.chain: each for each in map(point, (1.0, 0.6, 0.5, 0.4, 0.1))}
    >>> plan = search([*known.values()], 300, lambda step, chain, targets: known[chain])
    >>> plan.offered.chain, [trial.decision for trial in plan.trials if trial.step == ALL]
    ('keeps 0.5', ['goes on'])
    """
    sizes = sample_sizes(n_records)
    rounds = [(f"round {number}", size) for number, size in enumerate(sizes, 1)]
    trials: list[Trial] = []
    reached: dict[str, int] = {}
    found = list(first)
    for number, (step, size) in enumerate(rounds):
        going = _halved(found, step, size, trials)
        reached |= {point.chain: number for point in found}
        if len(going) <= FINALISTS or number + 1 == len(rounds):
            break
        found = [
            attack(rounds[number + 1][0], point.chain, rounds[number + 1][1]) for point in going
        ]
    last = {trial.point.chain: trial for trial in trials}
    able = by_utility([each.point for each in last.values() if each.decision != DROPPED])
    unknown = []
    for point in able:  # of which this is not known, last
        if not _keeps_in_all(point.chain, rounds[reached[point.chain] + 1 :], attack, trials):
            continue
        if point.loss is None and point.chain != UNCHANGED:
            unknown.append(trials[-1].point)
        elif _keeps(FRESH, point.chain, attack, trials, OFFERED):
            return Plan(trials, trials[-1].point)
    for point in by_utility(unknown):
        if _keeps(FRESH, point.chain, attack, trials, OFFERED):
            return Plan(trials, trials[-1].point)
    return Plan(trials, None)


def _keeps_in_all(
    chain: str, rounds: Sequence[tuple[str, int]], attack: Attack, trials: list[Trial]
) -> bool:
    """Attack a chain on the samples that remain, and then on all records."""
    return not _dropped_on_samples(chain, rounds, attack, trials) and _keeps(
        ALL, chain, attack, trials, GOES_ON
    )


def _dropped_on_samples(
    chain: str, rounds: Sequence[tuple[str, int]], attack: Attack, trials: list[Trial]
) -> bool:
    """Attack a chain on ever larger samples, as far as it takes to rule it out."""
    for step, size in rounds:
        point = attack(step, chain, size)
        why = why_hopeless(point)
        trials.append(Trial(step, size, point, DROPPED if why else GOES_ON, why))
        if why:
            return True
    return False


def _keeps(step: str, chain: str, attack: Attack, trials: list[Trial], decision: str) -> bool:
    """Attack all records of what a chain leaves, and record whether it keeps the bound."""
    point = attack(step, chain, None)
    why = why_not(point)
    trials.append(Trial(step, None, point, DROPPED if why else decision, why))
    return not why


def by_utility(points: Sequence[Point]) -> list[Point]:
    """Sort chains by `sim.findings.chains.preference`; equal ones stay in the order given."""
    return sorted(points, key=_preference)


def _preference(point: Point) -> tuple[bool, float, float, float]:
    risk = None if point.risk is None else point.risk.estimate
    return preference(point.chain, point.loss, point.counted, risk)


def why_not(point: Point) -> str:
    """Return why a chain does not keep the bound, by an attack on all records; empty: it does."""
    found = point.verdict
    if found.verdict == WITHIN:
        return ""
    if found.verdict != EXCEEDS and found.decided_by == "counted" and not _left_none(point):
        return AS_FOUND.name
    return _why_open(point)


def why_hopeless(point: Point) -> str:
    """Return why a chain cannot keep the bound, by an attack on a sample; empty: it may.

    A sample rules a chain out by the lower end of the interval, or by people who cannot be
    attacked; it does not show that a chain keeps the bound.
    """
    if point.risk is None:
        return _why_open(point)
    if point.bound is None:
        return ""
    least = max(point.risk.low, point.found.low if point.found else 0.0)
    if is_above(least, point.bound):
        return EXCEEDS
    return AS_FOUND.name if is_above(point.short, point.bound) else ""


def _why_open(point: Point) -> str:
    return _left_none(point) or (EXCEEDS if point.verdict.verdict == EXCEEDS else NOT_TESTED)


def _left_none(point: Point) -> str:
    """Return why a chain left no release; empty: it left one."""
    kind = kind_name(point.problem)
    return kind if kind in NOT_MADE else ""


def _halved(found: Sequence[Point], step: str, size: int, trials: list[Trial]) -> list[Point]:
    """Record a round; return the least lossy half of the chains that may keep the bound."""
    hopeless = {point.chain: why_hopeless(point) for point in found}
    able = by_utility([point for point in found if not hopeless[point.chain]])
    going = able[: max(-(-len(able) // 2), FINALISTS)]
    chosen = {point.chain for point in going}
    for point in found:
        why = hopeless[point.chain]
        decision = DROPPED if why else GOES_ON if point.chain in chosen else RESERVE
        trials.append(Trial(step, size, point, decision, why))
    return going
