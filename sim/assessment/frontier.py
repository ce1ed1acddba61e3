"""Risk against utility: what chains of defences protect, and what they cost (spec §11).

Invariant: every chain is attacked through the same targets and the same facts about them, so chains
are compared pair by pair; a chain whose risk was not measured is on no frontier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pandas as pd

from sim.assessment.assessment import Assessment, assess
from sim.assessment.rows import Estimate
from sim.assessment.verdicts import EXCEEDS, NO_BOUND, NOT_TESTED, WITHIN, Verdict
from sim.config.chains import NOTHING, chains_of
from sim.measurements.measurement import Tables
from sim.record.run_folder import RunFolder

TABLE = "frontier"
"""Name of the table of chains."""

_WORST_FIRST = (EXCEEDS, NOT_TESTED, WITHIN, NO_BOUND)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A chain of defences: its risk and its utility.

    Parameters
    ----------
    part : str
        Name of its part.
    chain : str
        As written, see `sim.config.chains`.
    in_words : str
        What the chain does.
    attacker : str
        Whose risk it is: the attacker with the highest.
    facts : str
        What this attacker knows, as on the axis ``aux``.
    risk : Estimate or None
        The measure that is compared with the bound. None: not tested.
    found : Estimate or None
        The highest share of people that an attack names right, whatever the attack.
    bound : float or None
        The user's.
    verdict : Verdict
        The worst on any attacker.
    utility : str
        The measure of utility; empty: none was measured.
    before, after : float or None
        The measure of utility, of the original data and of what is published. None: not measured.
    kept : float or None
        The share of the utility that is kept, at most 1 where nothing is gained.
    dominated_by : str
        A chain with at most this risk and at least this utility, and less risk or more utility,
        to a tenth of a percent; empty: there is none.
    """

    part: str
    chain: str
    in_words: str
    attacker: str = ""
    facts: str = ""
    risk: Estimate | None = None
    found: Estimate | None = None
    bound: float | None = None
    verdict: Verdict
    utility: str = ""
    before: float | None = None
    after: float | None = None
    kept: float | None = None
    dominated_by: str = ""

    @property
    def is_placed(self) -> bool:
        """Whether both its risk and its utility were measured."""
        return self.risk is not None and self.kept is not None


def frontier_of(run: RunFolder) -> list[Point]:
    """Measure every chain of a frontier, in the order of its parts.

    Raises
    ------
    InputError
        The tables of a part cannot be read.
    """
    settings = run.config["plan"]
    chains = [NOTHING, *chains_of(settings["defences"])]
    written = {chain.name: chain.text for chain in chains}
    points = []
    for part in run.parts:
        chain = written.get(part.name)
        if chain is None:  # of a plan, after its first round
            continue
        if part.run is None:
            points.append(untested(part.name, chain, part.reason))
        else:
            points.append(point_of(assess(part.run), chain, str(settings["utility"])))
    return with_dominated(points)


def untested(part: str, chain: str, reason: str) -> Point:
    """Return a chain that could not be attacked."""
    return Point(part=part, chain=chain, in_words="", verdict=Verdict(NOT_TESTED, reason))


def point_of(found: Assessment, chain: str, utility: str) -> Point:
    """Measure one chain by the assessment of the release that it leaves.

    Parameters
    ----------
    chain : str
        As written.
    utility : str
        The measure of utility.
    """
    place = Point(
        part=found.run.name,
        chain=chain,
        in_words="; ".join(str(one["in_words"]) for one in _defences(found)) or "as it is",
        bound=found.bound,
        verdict=worst(found),
        **_utility(found.run, utility),
    )
    if not found.rows:
        return place
    most = max((row.most_found[0] for row in found.rows), key=lambda one: one.estimate)
    measured = [(getattr(row, found.measure), row) for row in found.rows]
    problem = next((row.problem for given, row in measured if row.problem or given is None), None)
    if problem is not None:
        untested = (
            Verdict(NOT_TESTED, problem) if place.verdict.verdict != EXCEEDS else place.verdict
        )
        return replace(place, found=most, verdict=untested)
    risk, row = max(measured, key=lambda pair: float(pair[0].estimate))
    facts = str(row.axes.get("aux") or "")
    return replace(place, attacker=row.attacker, facts=facts, risk=risk, found=most)


def worst(found: Assessment) -> Verdict:
    """Return the worst verdict on any attacker; one that could not be run is not tested."""
    verdicts = [*found.verdicts]
    verdicts += [
        Verdict(NOT_TESTED, one.reason) for one in found.missing if one.name in found.attackers
    ]
    return min(verdicts, key=lambda one: _WORST_FIRST.index(one.verdict))


def with_dominated(points: Sequence[Point]) -> list[Point]:
    """Name for each chain another one that is at least as good in both respects.

    Examples
    --------
    >>> def point(chain, risk, kept):
    ...     risk = Estimate(risk, risk, risk, risk)
    ...     words = {"part": chain, "chain": chain, "in_words": chain}
    ...     return Point(**words, risk=risk, kept=kept, verdict=Verdict(NO_BOUND))
    >>> points = [point("a", 0.5, 1.0), point("b", 0.5, 0.9), point("c", 0.1, 0.2)]
    >>> [each.dominated_by for each in with_dominated(points)]
    ['', 'a', '']
    """
    placed = [point for point in points if point.is_placed]
    return [replace(point, dominated_by=_better(point, placed)) for point in points]


def _better(point: Point, others: Sequence[Point]) -> str:
    if not point.is_placed:
        return ""
    better = [one for one in others if _dominates(one, point)]
    best = max(better, key=_place, default=None)  # dominated by no other
    return "" if best is None else best.chain


def _dominates(one: Point, other: Point) -> bool:
    mine, theirs = _place(one), _place(other)
    return mine != theirs and all(a >= b for a, b in zip(mine, theirs, strict=True))


def _place(point: Point) -> tuple[float, float]:
    """Utility and safety, the more the better, to a tenth of a percent."""
    assert point.kept is not None
    assert point.risk is not None
    return round(point.kept, 3), -round(point.risk.estimate, 3)


def _defences(found: Assessment) -> Sequence[Mapping[str, Any]]:
    for part in found.run.parts:
        if part.run is not None:
            return part.run.record.get("defences") or ()
    return ()


def _utility(run: RunFolder, wanted: str) -> dict[str, Any]:
    if "utility" not in run.tables:
        return {}
    rows = run.tables["utility"].set_index("measure")
    if wanted not in rows.index:
        return {}
    found = {name: _number(rows.loc[wanted, name]) for name in ("before", "after", "kept")}
    return {"utility": str(rows.loc[wanted, "label"]), **found}


def _number(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)


def tables_of(points: Sequence[Point], bound: float | None, measure: str) -> Tables:
    """Return the table of a frontier.

    Parameters
    ----------
    bound : float or None
        The user's.
    measure : str
        Which risk it is: one of `sim.assessment.rows.MEASURES`.

    Returns
    -------
    Tables
        ``frontier``: a row per chain, in the order of the parts; see `Point`.
    """
    told = {"measure": measure, "bound": bound}
    return {TABLE: pd.DataFrame([{**dict(flat(point)), **told} for point in points])}


def flat(point: Point) -> Iterator[tuple[str, object]]:
    """Yield the columns of a chain in a table."""
    plain = asdict(point)
    for name in ("part", "chain", "in_words", "attacker", "facts"):
        yield name, plain[name]
    for name in ("risk", "found"):
        given = plain[name] or {}
        yield name, given.get("estimate")
        yield f"{name}_low", given.get("low")
        yield f"{name}_high", given.get("high")
    yield "verdict", point.verdict.verdict
    yield "reason", point.verdict.reason
    for name in ("utility", "before", "after", "kept", "dominated_by"):
        yield name, plain[name]
