"""Plans and frontiers for tests: small ones that are run, and folders that are written by hand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from making import random_rows

import sim
from sim.findings.chains import ALL, FRESH, GOES_ON, OFFERED
from sim.findings.finding import Finding
from sim.findings.verdicts import EXCEEDS, WITHIN, Verdict
from sim.metrics.risk_estimates import Estimate
from sim.record.run_folder import RunFolder
from sim.session.chain_points import Point, frontier_tables
from sim.session.chain_search import Plan, Trial, trials_tables
from sim.session.result import Result

NO_EFFECT = "drop_items.min_support=1 jitter_time.date_noise=1"
"""Leaves the release of the last of the chains, and is not tried."""

CHAINS = [
    "drop_items.min_support=3",
    "perturb_values.value_noise=1,2",
    NO_EFFECT,
    "jitter_time.date_noise=1",
]
GIVEN: dict[str, Any] = {"attackers": ["acquaintance"], "options": {"utility": ["ndcg", "cells"]}}
RECORDS, BOUND = 1213, 0.3
A, B, C, D, E = (f"drop_items.min_support={n}" for n in range(2, 7))
"""Chains of trials that are written by hand."""


def release_of(folder: Path) -> sim.Release:
    """Eighty people and twelve items."""
    frame = pd.DataFrame(random_rows(5, 80, 12, 500), columns=["who", "what", "value", "date"])
    frame["date"] //= 40
    return sim.table(
        frame, user="who", item="what", value="value", date="date", date_unit="days",
        cache=str(folder / "cache"),
    )  # fmt: skip


def planned(
    folder: Path, max_risk: float, write: Path | None = None, chains: Sequence[str] = CHAINS
) -> Result:
    """A plan of them."""
    release = release_of(folder.parent)
    return sim.plan(release, max_risk, chains, write=write, folder=folder, **GIVEN)


def part_of(chain: str) -> str:
    """The name of its part."""
    return re.sub(r"\W+", "_", chain)


def point(chain: str, risk: float, counted: float | None = None, **given: Any) -> Point:
    """A chain with a risk that is known exactly."""
    counted = risk if counted is None else counted
    known = {
        "risk": Estimate(risk, risk, risk, risk),
        "found": Estimate(0.0, 0.0, 0.004, 0.004),
        "verdict": Verdict(WITHIN if counted <= BOUND else EXCEEDS),
        "attacker": "insider", "facts": "1/1", "counted_of": "insider, 1 fact",
        "highest": risk, "percentile_99": risk, "people": RECORDS, "items": 9, "cells": 5000,
        "utility": "entries kept", "kept": 1.0,
    }  # fmt: skip
    given = {**known, **given}
    return Point(part=part_of(chain), chain=chain, counted=counted, bound=BOUND, **given)


def run_of(
    folder: Path, trials: Iterable[Trial] = (), points: Iterable[Point] = (), **given: Any
) -> RunFolder:
    """The folder of a plan, or of a frontier if it is given points.

    Of its parts there are those of trials with a risk, in which everybody has enough facts.
    """
    trials, points = [*trials], [*points]
    measure, bound = given.pop("measure", "mean"), given.pop("bound", BOUND)
    tables = (
        frontier_tables(points, bound, measure) if points else trials_tables(Plan(trials, None))
    )
    folder.mkdir(exist_ok=True)
    for name, table in tables.items():
        table.to_parquet(folder / f"{name}.parquet")
    chains = [each.point.chain for each in trials] + [each.chain for each in points]
    config: dict[str, Any] = {
        "aggregate": "frontier" if points else "plan", "parts": {"unchanged": []},
        "data": {"kind": "synthetic"}, "targets": 250, "bayes_targets": "all",
        "audit": {"measure": measure, "max_risk": None},
        "plan": {
            "max_risk": bound, "utility": "cells", "min_length": None,
            "defences": [*dict.fromkeys(one for one in chains if one != "unchanged")],
        },
    }  # fmt: skip
    parts = sorted({each.point.part for each in trials if each.point.risk is not None})
    for name in parts:
        _audit(folder / name)
    release = {"source": "visits", "n_records": RECORDS, "n_items": 9, "n_cells": 5000}
    record = {"config": config, "release": release, "overrides": [], **given}
    record["parts"] = [{"name": one, "folder": one, "status": "complete"} for one in parts]
    return RunFolder(folder, record)


def _audit(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    rows = {"aux": ["1/1"], "records": [RECORDS], "eligible": [RECORDS], "mean": [0.5]}
    pd.DataFrame(rows).to_parquet(folder / "assessment.parquet")
    part = {"name": "insider", "folder": "insider", "status": "complete"}
    record = {"status": "complete", "config": {"parts": {"insider": []}}, "parts": [part]}
    (folder / "run.json").write_text(json.dumps(record), encoding="utf-8")


def offer(chosen: Point, *others: Trial) -> list[Trial]:
    """The trials of a plan that offers a chain."""
    return [
        *others, Trial("round 1", 250, chosen, GOES_ON), Trial(ALL, None, chosen, GOES_ON),
        Trial(FRESH, None, chosen, OFFERED),
    ]  # fmt: skip


def by_kind(findings: Iterable[Finding]) -> Mapping[str, list[Finding]]:
    """Findings, those of a kind together."""
    kinds: dict[str, list[Finding]] = {}
    for one in findings:
        kinds.setdefault(one.kind, []).append(one)
    return kinds
