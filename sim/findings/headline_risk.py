"""The one risk that a run comes down to, with its interval and its denominators.

Of an audit it is what its verdict compares with the bound; of an attack, the share of the targets
that the best guess identifies. Where a run has several, it is that with the highest upper end. An
attacker whom no model covers counts by what it finds for sure, the lower end: where it could attack
ten people, the upper end says more of their number than of the risk.

Invariant: what attacks nobody has no risk; the risk of a suite is that of one of its parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sim.attack.algorithms.registry import attack_title
from sim.findings.assessment import assess, audit_of, is_audit, is_plan
from sim.findings.attacker_row import Row, row_name
from sim.findings.attacker_rows import counts_of
from sim.findings.strongest import BAYES, untested_changes
from sim.metrics.curves import axis_columns
from sim.metrics.risk_estimates import Estimate, estimate_of, with_rest
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.study.labels import level_text

BEST_GUESS = "best_guess"
"""The measure of an attack: its best guess is right, ``rank1`` of ``curves.parquet``."""

FINDS = "succeeds"
"""The measure of an attacker whom no model covers."""


@dataclass(frozen=True, slots=True)
class HeadlineRisk:
    """A risk.

    Parameters
    ----------
    part : str
        Names of the parts that lead to it, between slashes; empty: the run itself.
    who : str
        The attacker, or the attack and the grid cell, in words.
    measure : str
        `BEST_GUESS`, or one of `sim.findings.attacker_row.MEASURES`.
    counted : float
        The upper end, with those counted as found who could not be attacked.
    attacked, eligible, records : int
        People attacked; those with enough facts; all people in the release.
    objective : float
        What a sweeper lowers: the upper end that the run's own text states, `high` of an attack
        and `counted` of an audit.
    is_modelled : bool
        Whether the measure is the one asked for; not so of an attacker whom no model covers.
    """

    part: str
    who: str
    measure: str
    estimate: float
    low: float
    high: float
    counted: float
    attacked: int
    eligible: int
    records: int
    objective: float
    is_modelled: bool


def headline_risk(run: RunFolder) -> HeadlineRisk | None:
    """Return the risk that a run comes down to; None: nobody was attacked, or no release offered.

    A frontier has none of its own: it compares several releases.
    """
    return max(_risks(run, ""), key=_rank, default=None)


def _rank(one: HeadlineRisk) -> tuple[float, bool, float]:
    """Return what a risk counts by; of equal ones, that of an attacker whom a model covers."""
    if one.is_modelled:
        return one.objective, True, one.estimate
    return one.low, False, one.estimate


def _risks(run: RunFolder, part: str) -> Iterator[HeadlineRisk]:
    if is_plan(run):
        audit = audit_of(run)
        if audit is not None:
            yield from _risks(audit, _within(part, audit.name))
    elif is_audit(run):
        found = assess(run)
        for row in found.rows:
            given: Estimate | None = getattr(row, found.measure)
            tested = given is not None and row.problem is None
            shown = given if tested and given is not None else row.most_found[0]
            measure = found.measure if tested else FINDS
            yield _risk(part, row_name(row), measure, shown, row, is_modelled=tested)
    elif run.kind == "attack":
        for one, row in attack_rows(run):
            where = part if one is run else _within(part, one.name)
            yield _risk(where, attack_name(row), BEST_GUESS, row.succeeds, row, of_attack=True)
    elif run.kind == "suite" and run.config.get("aggregate") != "frontier":
        for each in run.parts:
            if each.run is not None:
                yield from _risks(each.run, _within(part, each.name))


def _within(part: str, name: str) -> str:
    return f"{part}/{name}" if part else name


def _risk(
    part: str,
    who: str,
    measure: str,
    given: Estimate,
    row: Row,
    *,
    of_attack: bool = False,
    is_modelled: bool = True,
) -> HeadlineRisk:
    counted = given.high_of_all
    if is_modelled and not of_attack:
        counted = row.counted(measure) or counted
    return HeadlineRisk(
        part=part,
        who=who,
        measure=measure,
        estimate=given.estimate,
        low=given.low,
        high=given.high,
        counted=counted,
        attacked=row.attacked,
        eligible=row.eligible,
        records=row.records,
        objective=given.high if of_attack else counted,
        is_modelled=is_modelled,
    )


def attack_name(row: Row) -> str:
    """Name an attack in one grid cell, by all of its axes."""
    levels = ", ".join(f"{axis}={level}" for axis, level in row.axes.items())
    return f"{attack_title(row.attack)}: {levels}"


def attack_rows(run: RunFolder) -> Iterator[tuple[RunFolder, Row]]:
    """Yield the grid cells of an attack and of its Bayes-optimal companion.

    Yields
    ------
    RunFolder
        The run that the cell is of.
    Row
        It ``succeeds`` where the best guess is right; cells without the targets' records, or whose
        true records are unknown, are left out.
    """
    for one in (run, *([run.bayes] if run.bayes is not None else [])):
        curves = one.tables["curves"]
        axes = axis_columns(curves)
        for cell in row_dicts(curves[curves["rank1"].notna()]):
            counts = counts_of(cell, int(cell["n_present"]))
            found = estimate_of(cell, "rank1")
            name = str(one.config["attack"]["name"])
            yield (
                one,
                Row(
                    attacker="",
                    cell=int(cell["cell"]),
                    axes={axis: level_text(cell[axis]) for axis in axes},
                    attack=name,
                    **counts,
                    succeeds=replace(found, high_of_all=with_rest(found.high, counts)),
                    wrong=estimate_of(cell, "matched_wrong"),
                    control=None,
                    absent=0,
                    problem=untested_changes(one) if name == BAYES else None,
                ),
            )
