"""Writes ``summary.json``: what was asked and what was found, for programs.

Invariant: it is a function of the tables and of the record of a run, without times, machines and
processes, so the same study has the same bytes; every share has its interval and its denominator.
``standout guide summary`` describes it, and ``sim/guide/summary.schema.json`` is its schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from sim.attack.algorithms.registry import attack_title
from sim.config.own_overrides import own_key
from sim.config.schema import changes_no_result
from sim.findings.assessment import (
    ESTIMATES,
    Assessment,
    audit_of,
    conclusion_of,
    is_audit,
    is_plan,
)
from sim.findings.attacker_row import row_name
from sim.findings.chains import FRONTIER, TRIALS, is_frontier
from sim.findings.finding import kind_name
from sim.findings.headline_risk import headline_risk
from sim.findings.verdicts import EXCEEDS, NOT_TESTED, Verdict
from sim.measurements.measurement import FACTS
from sim.metrics.curves import axis_columns
from sim.numeric.rows import row_dicts
from sim.record.run_folder import Entry, RunFolder, open_folder
from sim.record.run_record import plan_of
from sim.report.frame_tables import is_about_people
from sim.report.json_files import data_json, plain_json, write_json
from sim.report.screens.of_run import screen_of
from sim.study.labels import level_text

NAME = "summary.json"

FORMAT = 2
"""Version of the layout."""

MOST_RESULTS = 1000
"""Rows in it; the tables of the run have all."""

_ENDS = ("_low", "_high")


def write_summary(folder: Path) -> None:
    """Write the summary of a run whose tables are written into its folder."""
    write_json(folder / NAME, summary_of(open_folder(folder)))


def summary_of(run: RunFolder) -> dict[str, Any]:
    """Return the summary of a run as JSON values.

    Raises
    ------
    InputError
        Its tables cannot be read.
    """
    found = conclusion_of(run) if is_audit(run) or is_plan(run) else None
    risk, record, results = headline_risk(run), run.record, [*_results(run, found)]
    values = {
        "format": FORMAT,
        "kind": kind_of(run),
        "name": run.config["name"],
        "asked": _asked(run),
        "data": data_json(record),
        "verdict": screen_of(run).verdict,
        "risk": None if risk is None else asdict(risk),
        "bound": _bound(run, found),
        "results": results[:MOST_RESULTS],
        "n_results": len(results),
        "parts": [*map(_part, run.parts)],
        **{key: record.get(key) for key in ("seed", "code", "versions")},
        **({"plan": _plan(run)} if is_plan(run) else {}),
    }
    plain: dict[str, Any] = plain_json(values)
    return plain


def kind_of(run: RunFolder) -> str:
    """Return attack, measurement, audit, frontier, plan or suite."""
    whole = {"audit": is_audit, "plan": is_plan, "frontier": is_frontier}
    return next((name for name, holds in whole.items() if holds(run)), run.kind)


def _asked(run: RunFolder) -> dict[str, Any]:
    config = {key: value for key, value in run.config.items() if not changes_no_result(key)}
    config["data"] = {
        key: value for key, value in config["data"].items() if not changes_no_result(f"data.{key}")
    }
    typed = [str(one) for one in run.record.get("overrides") or ()]
    kept = [one for one in typed if not changes_no_result(own_key(one))]
    return {"overrides": kept, "config": config}


def _bound(run: RunFolder, found: Assessment | None) -> dict[str, Any] | None:
    """What the risk is compared with; null where nothing is, and no verdict given."""
    if found is not None:
        bound, measure, verdict = found.bound, found.measure, found.worst
    elif is_plan(run):
        tested = bool(run.tables[TRIALS]["risk"].notna().any())
        bound, measure = run.config["plan"]["max_risk"], run.config["audit"]["measure"]
        verdict = Verdict(EXCEEDS if tested else NOT_TESTED)
    else:
        return None
    return {"max_risk": bound, "measure": measure, **_verdict(verdict)}


def _results(run: RunFolder, found: Assessment | None) -> Iterator[dict[str, Any]]:
    if found is not None:
        yield from _of_audit(found)
    elif run.kind == "attack":
        yield from _of_attack(run)
    elif FRONTIER in run.tables:
        yield from _of_frontier(run)
    elif FACTS in run.tables and not is_about_people(run.tables[FACTS]):
        yield from _of_facts(run.tables[FACTS])


def _of_attack(run: RunFolder) -> Iterator[dict[str, Any]]:
    curves = run.tables["curves"]
    axes = axis_columns(curves)
    measures = [str(name) for name in curves if f"{name}{_ENDS[0]}" in curves]
    people = {"attacked": "n_targets", "present": "n_present", "eligible": "n_eligible"}
    for row in row_dicts(curves):
        yield {
            "name": attack_title(run.config["attack"]["name"]),
            "conditions": {axis: level_text(row[axis]) for axis in axes},
            "people": {
                **{name: row[column] for name, column in people.items()},
                "eligible_share": row["eligible"],
            },
            "measures": {name: _estimate(row, name) for name in measures},
        }


def _of_audit(found: Assessment) -> Iterator[dict[str, Any]]:
    for row, verdict in zip(found.rows, found.verdicts, strict=True):
        given = {name: getattr(row, name) for name in ESTIMATES}
        facts = {"facts": row.facts} if row.facts else {}
        yield {
            "name": row_name(row),
            "conditions": {"attacker": row.attacker, **row.axes, **facts},
            "people": {
                name: getattr(row, name) for name in ("attacked", "eligible", "records", "absent")
            },
            "measures": {name: asdict(one) for name, one in given.items() if one is not None},
            **_verdict(verdict),
        }


def _verdict(given: Verdict) -> dict[str, str | None]:
    return {"verdict": given.verdict, "reason": kind_name(given.reason) or None}


def _of_frontier(run: RunFolder) -> Iterator[dict[str, Any]]:
    for row in row_dicts(run.tables[FRONTIER]):
        facts = {"facts": row["facts_of"]} if row["facts_of"] else {}
        known = {"attacker": row["attacker"], "aux": row["facts"], **facts}
        measures = ("risk", "found", "counted", "before", "after", "kept")
        yield {
            "name": row["chain"],
            "conditions": {**known, "utility": row["utility"]},
            "people": {"records": row["people"]},
            "measures": {name: _estimate(row, name) for name in measures},
            "verdict": row["verdict"],
            "reason": row["reason"] or row["problem"] or None,
        }


def _of_facts(facts: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table of measures: numbers apart from what they are about."""
    numbers = [str(name) for name in facts.select_dtypes("number") if not str(name).endswith(_ENDS)]
    ends = {f"{name}{end}" for name in numbers for end in _ENDS}
    others = [str(name) for name in facts if name not in ends and name not in numbers]
    for row in row_dicts(facts):
        yield {
            "name": "",
            "conditions": {name: row[name] for name in others},
            "measures": {name: _estimate(row, name) for name in numbers},
        }


def _estimate(row: Mapping[Any, Any], name: str) -> dict[str, Any]:
    ends = {end[1:]: row[f"{name}{end}"] for end in _ENDS if f"{name}{end}" in row}
    return {"estimate": row[name], **ends}


def _part(part: Entry) -> dict[str, Any]:
    if part.run is None:
        return {
            "name": part.name,
            "status": "impossible",
            "problem": part.problem,
            "error": part.error,
        }
    return {"name": part.name, "status": "complete", "kind": kind_of(part.run)}


def _plan(run: RunFolder) -> dict[str, Any]:
    audit, trials = audit_of(run), run.tables[TRIALS]
    chains = {} if audit is None else dict(zip(trials["part"], trials["chain"], strict=True))
    written = plan_of(run.record).get("written") or {}
    return {
        "offered": None if audit is None else chains.get(audit.name),
        "written": written.get("path"),
    }
