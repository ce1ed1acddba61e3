"""Risk against utility: what each chain of defences protects, and what it costs (spec §11).

Invariant: every chain is attacked through the same targets and the same facts about them, so chains
are compared pair by pair; a chain whose risk was not measured is on no frontier.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from sim.config.chains import chains_tried
from sim.findings.assessment import Assessment, assess, attacking
from sim.findings.attacker_row import Row, row_name
from sim.findings.chains import FRONTIER, NOT_APPLIED, NOT_MADE
from sim.findings.finding import Finding, kind_name
from sim.findings.verdicts import EXCEEDS, FILE_FACTS, NOT_TESTED, Verdict
from sim.measurements.measurement import Tables
from sim.metrics.risk_estimates import Estimate, estimate_columns
from sim.record.run_folder import RunFolder
from sim.utility.cells import CellsKept


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A chain of defences: its risk and its utility.

    Parameters
    ----------
    part : str
        Name of its part.
    chain : str
        As written, see `sim.config.chains`.
    attacker : str
        Whose risk it is: the attacker with the highest.
    facts : str
        What this attacker knows, as on the axis ``aux``.
    facts_of : str
        Of what, see `sim.findings.attacker_row.Row.facts`.
    risk : Estimate or None
        The measure that is compared with the bound. None: not tested.
    counted : float or None
        What is compared with the bound: the upper end of the interval, those counted as found who
        could not be attacked; the highest of all attackers.
    counted_of : str
        The attacker with this number, in words; it need not be the one with the highest risk.
    short : float
        Share of the people who could not be attacked, the highest of all attackers.
    percentile_99, highest : float or None
        Of the risks of people, the highest of all attackers.
    found : Estimate or None
        The highest share of people that an attack names right, whatever the attack, one that always
        names the likeliest record included.
    verdict : Verdict
        The worst on any attacker.
    utility : str
        The measure of utility that chains are compared by, see `compared`; empty: none was taken.
    before, after : float or None
        The measure of utility, of the original data and of what is published. None: not measured.
    kept : float or None
        The share of the utility that is kept; above 1: the measure is higher than before.
    people, items, cells : int or None
        What is left. None: not counted.
    problem : Finding or None
        Why the risk was not tested, of a kind in `NOT_MADE` if no release was made; None: it was.
    dominated_by : str
        A chain with at most this risk and at least this utility, and less risk or more utility,
        to a tenth of a percent; empty: there is none.
    """

    part: str
    chain: str
    attacker: str = ""
    facts: str = ""
    facts_of: str = ""
    risk: Estimate | None = None
    counted: float | None = None
    counted_of: str = ""
    short: float = 0.0
    percentile_99: float | None = None
    highest: float | None = None
    found: Estimate | None = None
    bound: float | None = None
    verdict: Verdict
    utility: str = ""
    before: float | None = None
    after: float | None = None
    kept: float | None = None
    people: int | None = None
    items: int | None = None
    cells: int | None = None
    problem: Finding | None = None
    dominated_by: str = ""

    @property
    def is_placed(self) -> bool:
        """Whether both its risk and its utility were measured."""
        return self.risk is not None and self.kept is not None

    @property
    def loss(self) -> float | None:
        """The share of the utility that is lost; 0 where the measure is higher than before."""
        return None if self.kept is None else max(1.0 - self.kept, 0.0)


def frontier_of(run: RunFolder) -> list[Point]:
    """Measure every chain of a frontier, in the order of its parts.

    Raises
    ------
    InputError
        The tables of a part cannot be read.
    """
    settings = run.config["plan"]
    written = {chain.name: chain.text for chain in chains_tried(settings["defences"])}
    points = []
    for part in run.parts:
        chain = written.get(part.name)
        if chain is None:  # of a plan, after its first round
            continue
        if part.run is None:
            points.append(untested(part.name, chain, part.error, part.problem))
        else:
            points.append(point_of(assess(part.run), chain, str(settings["utility"])))
    return with_dominated(points)


def untested(part: str, chain: str, error: str, kind: str = "") -> Point:
    """Return a chain that could not be attacked; `kind` is the name of one in `NOT_MADE`."""
    problem = NOT_MADE.get(kind, NOT_APPLIED).found(f"chain:{chain}", error=error)
    verdict = Verdict(NOT_TESTED, problem)
    return Point(part=part, chain=chain, verdict=verdict, problem=problem)


def point_of(found: Assessment, chain: str, utility: str) -> Point:
    """Measure one chain by the assessment of the release that it leaves.

    Parameters
    ----------
    chain : str
        As written.
    utility : str
        The measure of utility.
    """
    record = attacking(found.run).record
    place = Point(
        part=found.run.name,
        chain=chain,
        bound=found.bound,
        verdict=found.worst,
        **_utility(found.run, utility),
        **_left(record),
    )
    if not found.rows:
        return place
    shares = (row.highest_share for row in found.rows)
    most = max(shares, key=lambda one: one.estimate)
    measured = [(getattr(row, found.measure), row) for row in found.rows]
    open_rows = (row for given, row in measured if given is None or row.problem or row.untested)
    first = next(open_rows, None)
    if first is not None:
        file_facts = FILE_FACTS.found(error=first.untested) if first.untested else None
        problem = first.problem or file_facts
        if place.verdict.verdict != EXCEEDS:
            place = replace(place, verdict=Verdict(NOT_TESTED, problem))
        return replace(place, found=most, problem=problem)
    risk, row = max(measured, key=lambda pair: float(pair[0].estimate))
    counted = [(row.counted(found.measure) or 0.0, row) for row in found.rows]
    most_counted, of = max(counted, key=lambda pair: pair[0])
    return replace(
        place,
        attacker=row.attacker,
        facts=str(row.axes.get("aux") or ""),
        facts_of=row.facts,
        risk=risk,
        found=most,
        counted=most_counted,
        counted_of=row_name(of),
        short=max(each.untried / each.records for each in found.rows),
        percentile_99=_highest(found.rows, "percentile_99"),
        highest=_highest(found.rows, "highest"),
    )


def _highest(rows: Sequence[Row], measure: str) -> float:
    return max(float(getattr(row, measure).estimate) for row in rows)


def _left(record: Mapping[str, Any]) -> dict[str, Any]:
    """What is left of the people, items and cells of the original."""
    defences = record.get("defences") or ()
    if defences:
        left = defences[-1].get("left") or {}
        return {name: int(left[name]) for name in ("people", "items", "cells") if name in left}
    release = record.get("release") or {}
    of = {"people": "n_records", "items": "n_items", "cells": "n_cells"}
    return {name: int(release[key]) for name, key in of.items() if key in release}


def with_dominated(points: Sequence[Point]) -> list[Point]:
    """Name for each chain another one that is at least as good in both respects.

    Examples
    --------
    >>> def point(chain, risk, kept):
    ...     risk = Estimate(risk, risk, risk, risk)
    ...     return Point(part=chain, chain=chain, risk=risk, kept=kept, verdict=Verdict(NOT_TESTED))
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
    assert point.loss is not None
    assert point.risk is not None
    return -round(point.loss, 3), -round(point.risk.estimate, 3)


def compared(measured: pd.DataFrame, wanted: str) -> str:
    """Return the measure of utility by which chains are compared, of those that were taken.

    It is the one that is wanted, unless nothing of it can be kept: it cannot be measured of the
    original, or is 0 there. Then it is the share of cells kept, which can be measured of any
    release, if that was taken. Empty: the one that is wanted was not taken.

    Parameters
    ----------
    measured : DataFrame
        As ``utility.parquet``.
    wanted : str
        As ``plan.utility``.

    Examples
    --------
    >>> rows = [("ndcg", None), ("rmse_bias", 0.9), ("cells", 1.0)]
    >>> measured = pd.DataFrame(rows, columns=["measure", "before"])
    >>> compared(measured, "ndcg"), compared(measured[:2], "ndcg"), compared(measured, "items")
    ('cells', 'ndcg', '')
    """
    before = measured.set_index("measure")["before"]
    if wanted not in before.index:
        return ""
    of_any = CellsKept.name
    return of_any if of_any in before.index and not _number(before[wanted]) else wanted


def _utility(run: RunFolder, wanted: str) -> dict[str, Any]:
    measured = run.tables.get("utility")
    name = "" if measured is None else compared(measured, wanted)
    if measured is None or not name:
        return {}
    row = measured.set_index("measure").loc[name]
    found = {column: _number(row[column]) for column in ("before", "after", "kept")}
    return {"utility": str(row["label"]), **found}


def _number(value: Any) -> float | None:
    return None if pd.isna(value) else float(value)


def frontier_tables(points: Sequence[Point], bound: float | None, measure: str) -> Tables:
    """Return the table of a frontier.

    Parameters
    ----------
    measure : str
        Which risk it is: one of `sim.findings.attacker_row.MEASURES`.

    Returns
    -------
    Tables
        ``frontier``: a row per chain, in the order of the parts; see `Point`.
    """
    told = {"measure": measure, "bound": bound}
    return {FRONTIER: pd.DataFrame([{**dict(flat(point)), **told} for point in points])}


def flat(point: Point) -> Iterator[tuple[str, object]]:
    """Yield the columns of a chain in a table."""
    for name in ("part", "chain", "attacker", "facts", "facts_of"):
        yield name, getattr(point, name)
    yield from estimate_columns("risk", point.risk)
    yield from estimate_columns("found", point.found)
    for name in ("counted", "counted_of", "short", "percentile_99", "highest"):
        yield name, getattr(point, name)
    yield "verdict", point.verdict.verdict
    yield "reason", kind_name(point.verdict.reason)
    yield "problem", kind_name(point.problem)
    for name in ("utility", "before", "after", "kept", "people", "items", "cells", "dominated_by"):
        yield name, getattr(point, name)
