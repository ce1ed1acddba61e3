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
from sim.findings.bound import is_above
from sim.findings.frontier import Point, flat, preference
from sim.findings.verdicts import EXCEEDS, NOT_TESTED, WITHIN
from sim.measurements.measurement import Tables
from sim.numeric.text import format_percent

TABLE = "trials"
"""Name of the table of attacks."""

FIRST = 250
"""People attacked in the first round."""

FACTOR = 4
"""How many times as many are attacked in the next one."""

FINALISTS = 2
"""With so many chains left, or fewer, they are no longer halved."""


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
    reason : str
        Why it was dropped.
    reason_kind : str
        Which kind of reason that is: `EXCEEDS`, `COUNT_AS_FOUND`, `NOT_TESTED`, or one of
        `sim.findings.frontier.NOT_MADE`; empty: it was not dropped.
    """

    step: str
    targets: int | None
    point: Point
    decision: str
    reason: str = ""
    reason_kind: str = ""


Attack = Callable[[str, str, int | None], Point]
"""Attacks a chain: given its step, its name, and the number of targets (None: all)."""


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


ALL, FRESH = "all records", "new seed"
GOES_ON, RESERVE, OFFERED, DROPPED = "goes on", "in reserve", "offered", "dropped"
COUNT_AS_FOUND = "count as found"
"""People who cannot be attacked, and count as found, alone exceed the bound."""


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

    >>> from sim.findings.attacker_rows import Estimate
    >>> from sim.findings.verdicts import Verdict
    >>> def point(kept):
    ...     verdict = Verdict(WITHIN if kept <= 0.5 else EXCEEDS)
    ...     risk, name = Estimate(kept, kept, kept, kept), f"keeps {kept}"
    ...     words = {"part": name, "chain": name, "in_words": name}
    ...     return Point(**words, risk=risk, kept=kept, bound=0.5, verdict=verdict)
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
        reason, kind = why_hopeless(point)
        trials.append(Trial(step, size, point, DROPPED if kind else GOES_ON, reason, kind))
        if kind:
            return True
    return False


def _keeps(step: str, chain: str, attack: Attack, trials: list[Trial], decision: str) -> bool:
    """Attack all records of what a chain leaves, and record whether it keeps the bound."""
    point = attack(step, chain, None)
    reason, kind = why_not(point)
    trials.append(Trial(step, None, point, DROPPED if kind else decision, reason, kind))
    return not kind


def by_utility(points: Sequence[Point]) -> list[Point]:
    """Sort chains by `sim.findings.frontier.preference`; equal ones stay in the order given."""
    return sorted(points, key=_preference)


def _preference(point: Point) -> tuple[bool, float, float, float]:
    risk = None if point.risk is None else point.risk.estimate
    return preference(point.chain, point.loss, point.counted, risk)


Reason = tuple[str, str]
"""Why a chain is dropped, and the kind of the reason; both empty: it is not."""


def why_not(point: Point) -> Reason:
    """Return why a chain does not keep the bound, by an attack on all records."""
    found = point.verdict
    if found.verdict == WITHIN:
        return "", ""
    kind = point.problem_kind or (EXCEEDS if found.verdict == EXCEEDS else NOT_TESTED)
    if kind == NOT_TESTED and found.decided_by == "counted":
        kind = COUNT_AS_FOUND
    return found.reason or found.verdict, kind


def why_hopeless(point: Point) -> Reason:
    """Return why a chain cannot keep the bound, by an attack on a sample.

    A sample rules a chain out by the lower end of the interval, or by people who cannot be
    attacked; it does not show that a chain keeps the bound.
    """
    if point.risk is None:
        reason = point.problem or point.verdict.reason or NOT_TESTED
        exceeds = point.verdict.verdict == EXCEEDS
        return reason, point.problem_kind or (EXCEEDS if exceeds else NOT_TESTED)
    if point.bound is None:
        return "", ""
    least = max(point.risk.low, point.found.low if point.found else 0.0)
    if is_above(least, point.bound):
        return EXCEEDS, EXCEEDS
    if is_above(point.short, point.bound):
        return (
            f"{format_percent(point.short)} of the people cannot be attacked by some attacker, and "
            "count as found",
            COUNT_AS_FOUND,
        )
    return "", ""


def tables_of(plan: Plan) -> Tables:
    """Return the table of a search.

    Returns
    -------
    Tables
        ``trials``: a row per attack on a chain, in their order; see `Trial` and
        `sim.findings.frontier.Point`.
    """
    rows = [
        {
            "step": trial.step,
            "targets": trial.targets,
            **dict(flat(trial.point)),
            "decision": trial.decision,
            "because": trial.reason,
            "because_kind": trial.reason_kind,
        }
        for trial in plan.trials
    ]
    return {TABLE: pd.DataFrame(rows).astype({"targets": "Int64"})}


def last_trials(trials: pd.DataFrame) -> pd.DataFrame:
    """Return the last row of each chain as it is, in the order in which chains first appear.

    Parameters
    ----------
    trials : DataFrame
        As ``trials.parquet``.

    Examples
    --------
    The risk of a sample is not taken for that of all records, which is unknown:

    >>> rows = [("a", 0.1), ("b", 0.2), ("a", None)]
    >>> last_trials(pd.DataFrame(rows, columns=["chain", "risk"]))["risk"].tolist()
    [nan, 0.2]
    """
    places = pd.Series(range(len(trials)))
    return trials.iloc[places.groupby(trials["chain"].to_numpy(), sort=False).last().to_numpy()]


def _halved(found: Sequence[Point], step: str, size: int, trials: list[Trial]) -> list[Point]:
    """Record a round; return the least lossy half of the chains that may keep the bound."""
    hopeless = {point.chain: why_hopeless(point) for point in found}
    able = by_utility([point for point in found if not hopeless[point.chain][1]])
    going = able[: max(-(-len(able) // 2), FINALISTS)]
    chosen = {point.chain for point in going}
    for point in found:
        reason, kind = hopeless[point.chain]
        decision = DROPPED if kind else GOES_ON if point.chain in chosen else RESERVE
        trials.append(Trial(step, size, point, decision, reason, kind))
    return going
