"""The assessment of a finished audit, computed anew from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from sim.axes.aux import facts_of
from sim.config.schema import AUDIT, PLAN
from sim.errors import MissingResultError
from sim.findings.attacker_row import Row, row_name
from sim.findings.attacker_rows import rows_of
from sim.findings.finding import Finding, kind_name
from sim.findings.strongest import BAYES, untested_changes
from sim.findings.verdicts import (
    NO_BOUND,
    NO_TARGET,
    NOT_RUN,
    NOT_TESTED,
    WORST_FIRST,
    Verdict,
    judge,
    worse_of,
)
from sim.measurements.measurement import Tables
from sim.metrics.facts_until_found import TABLE, facts_until_found
from sim.metrics.risk_estimates import estimate_columns
from sim.numeric.rows import row_dicts
from sim.record.run_folder import RunFolder
from sim.record.run_record import plan_of

CRITERIA = ("singling_out", "linkability", "inference")
"""The criteria of WP216; only the first is tested."""

ROWS = "assessment"
"""Name of the table of rows."""

FACTS_PART = "facts_until_found"

ESTIMATES = (
    *("succeeds", "wrong", "control", "mean", "percentile_99", "highest", "best_guess"),
    *("named_right", "published_finds"),
)
"""Estimates of a row, each with its interval, in the order of columns."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """What an audit found.

    Parameters
    ----------
    run : RunFolder
        The audit.
    attackers : sequence of str
        By name, in their order; those that could not be run included.
    missing : mapping of str to Finding
        Why an attacker could not be run, or tells nothing.
    measure : str
        What is compared with the bound: one of `sim.findings.attacker_row.MEASURES`.
    facts : DataFrame or None
        See `sim.metrics.facts_until_found`; None: not tested.
    """

    run: RunFolder
    attackers: Sequence[str]
    rows: Sequence[Row]
    missing: Mapping[str, Finding]
    bound: float | None
    measure: str
    confidence: float
    facts: pd.DataFrame | None

    def part(self, name: str) -> RunFolder:
        """Return the run of a part that was run."""
        return next(one.run for one in self.run.parts if one.name == name and one.run is not None)

    @property
    def draws(self) -> int:
        """Times that facts about each person were drawn."""
        return max((row.draws for row in self.rows), default=1)

    @property
    def verdicts(self) -> list[Verdict]:
        """One for each row."""
        return [judge(row, self.measure, self.bound) for row in self.rows]

    @property
    def worst(self) -> Verdict:
        """The worst verdict on any attacker; one that could not be run is not tested."""
        missing = (Verdict(NOT_TESTED, reason) for reason in self.missing.values())
        order = (*WORST_FIRST, NO_BOUND)
        return min([*self.verdicts, *missing], key=lambda one: order.index(one.verdict))


def is_audit(run: RunFolder) -> bool:
    """Whether a run is an audit."""
    return run.kind == "suite" and run.config.get("aggregate") == AUDIT


def is_plan(run: RunFolder) -> bool:
    """Whether a run is a search for the defences to publish with."""
    return run.kind == "suite" and run.config.get("aggregate") == PLAN


def audit_of(run: RunFolder) -> RunFolder | None:
    """Return the audit that a run ends in: itself, or that of the release that a plan offers.

    None: it has none, as the plan offers nothing.
    """
    if not is_plan(run):
        return run
    offered = plan_of(run.record).get("offered")
    return next((part.run for part in run.parts if offered and part.name == offered), None)


def attacking(audit: RunFolder) -> RunFolder:
    """Return a run of an audit that attacked the release; the audit itself if there is none."""
    runs = (part.run for part in audit.parts if part.run is not None)
    return next((run for run in runs if run.kind == "attack"), audit)


def assess(run: RunFolder, bound: float | None = None, measure: str | None = None) -> Assessment:
    """Assess an audit by its tables; what is open is assessed once.

    Parameters
    ----------
    run : RunFolder
        An audit, its parts finished.
    bound, measure : optional
        In place of those of its configuration.
    """
    if not is_audit(run):
        raise MissingResultError(f"{run.path}: not an audit; run standout experiment=audit")
    key = assess, bound, measure
    if key not in run.worked_out:
        run.worked_out[key] = _assessed(run, bound, measure)
    found: Assessment = run.worked_out[key]
    return found


def _assessed(run: RunFolder, bound: float | None, measure: str | None) -> Assessment:
    settings = run.config["audit"]
    confidence = float(settings["confidence"])
    attackers = [str(name) for name in settings["attackers"]]
    bound = settings["max_risk"] if bound is None else bound
    measure = str(settings["measure"] if measure is None else measure)
    rows, missing, facts = list[Row](), dict[str, Finding](), None
    for part in run.parts:
        if part.name in attackers and part.run is None:
            missing[part.name] = NOT_RUN.found(error=part.error)
        elif part.name in attackers and part.run is not None:
            found = rows_of(part.run, part.name, confidence)
            if not found:
                missing[part.name] = NO_TARGET.found()
            rows += [worse_of(row, measure, bound) for row in found]
        elif part.name == FACTS_PART and part.run is not None:
            facts = _facts_until_found(part.run, confidence)
    return Assessment(run, attackers, rows, missing, bound, measure, confidence, facts)


def _facts_until_found(run: RunFolder, confidence: float) -> pd.DataFrame | None:
    """Return the facts from which people are found; None: the model does not hold, or none ran."""
    if untested_changes(run) is not None or run.config["attack"]["name"] != BAYES:
        return None
    sizes = {int(row["cell"]): facts_of(row["aux"]) for row in row_dicts(run.tables["curves"])}
    return facts_until_found(run.decisions, sizes, confidence)


def conclusion_of(run: RunFolder) -> Assessment | None:
    """Return the assessment that an audit or a plan ends in; None: the plan offers nothing."""
    audit = audit_of(run)
    return None if audit is None else assess(audit)


def tables_of(assessment: Assessment) -> Tables:
    """Return the tables of an assessment.

    Returns
    -------
    Tables
        ``assessment``: a row per attacker and grid cell, estimates with their intervals and the
        verdict. ``facts_until_found``: see `sim.metrics.facts_until_found`.
    """
    rows = [
        {"name": row_name(row), **dict(_columns(row))}
        | {"bound": assessment.bound, "measure": assessment.measure}
        | {"verdict": found.verdict, "reason": kind_name(found.reason)}
        for row, found in zip(assessment.rows, assessment.verdicts, strict=True)
    ]
    numbers = [f"{name}{end}" for name in ESTIMATES for end in ("", "_low", "_high")]
    # Where no row has a number, the column is one of numbers all the same.
    tables = {ROWS: pd.DataFrame(rows).astype(dict.fromkeys(numbers, "float64"))} if rows else {}
    if any(row.no_wrong_item for row in assessment.rows):
        tables[ROWS]["no_wrong_item"] = [row.no_wrong_item for row in assessment.rows]
    if any(row.guard for row in assessment.rows):
        guards = pd.DataFrame(
            [dict(estimate_columns("guard", row.guard)) for row in assessment.rows]
        )
        tables[ROWS] = tables[ROWS].join(guards.astype(float))
        tables[ROWS]["guard_above_model"] = [row.guard_above_model for row in assessment.rows]
    return tables if assessment.facts is None else {**tables, TABLE: assessment.facts}


def _columns(row: Row) -> Iterator[tuple[str, object]]:
    for name in ("attacker", "cell", "attack", "records", "eligible", "attacked", "absent"):
        yield name, getattr(row, name)
    yield "facts", row.facts
    yield "draws", row.draws
    yield "aux", str(row.axes.get("aux") or "")
    for name in ESTIMATES:
        yield from estimate_columns(name, getattr(row, name))
    yield "published", row.published
    yield "problem", kind_name(row.problem)
