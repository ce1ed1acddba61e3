"""Every experiment on releases that lack something: what they can have of it is run."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from making import MakeStore, random_rows
from studying import configured

from sim.config.schema import ATTACK
from sim.errors import GridError
from sim.release.store.store import Store
from sim.session.checks import attack_of, check_release, measurement_of
from sim.session.fit import fitted
from sim.session.jobs import Job, plan_job
from sim.session.result import Result
from sim.session.session import run_session
from sim.study.plan import make_plan

LARGE = {"records": 60, "items": 130, "cells": 6000}
RELEASES: dict[str, dict[str, Any]] = {
    "whole": {},
    "no values": {"values": False},
    "no dates": {"days": False},
    "neither": {"values": False, "days": False},
    "one level": {"scale": (1.0,)},
    "one level, no dates": {"scale": (1.0,), "days": False},
    "ten days": {"within": 10},
    "a single day": {"within": 1},
    "few items": {"items": 6, "cells": 200},
}
IMPOSSIBLE = {
    "no values": {"ns07_rmse"},
    "neither": {"ns07_rmse"},
    "few items": {"census", "ns07_fig3", "ns07_fig4", "ns08_fig8", "ns08_table_rare"},
}
"""Experiments of which nothing is left."""


def made(make_store: MakeStore, kind: str) -> Store:
    given = LARGE | RELEASES[kind]
    span = given.pop("within", 60)
    rows = random_rows(1, **given)
    return make_store([(r, i, v, None if d is None else 10_000 + d % span) for r, i, v, d in rows])


@functools.cache
def jobs() -> tuple[Job, ...]:
    """Every experiment."""
    names = (["experiment=all"], ["experiment=census"], ["experiment=interpretations"])
    alone = [plan_job(configured(*asked), asked) for asked in names]
    return (*alone[0].parts, *alone[1:])


def single_runs(job: Job) -> Iterator[Job]:
    yield from (run for part in job.parts for run in single_runs(part))
    if not job.parts:
        yield job


def why_not(job: Job, store: Store) -> str | None:
    """Plan a run and draw its first facts; what is said if it cannot be."""
    config = job.config
    try:
        if config.study.kind != ATTACK:
            return measurement_of(config.study).lacks(store.manifest)
        grid = fitted(config, store, store, job.overrides)
        attack = attack_of(config.attack, grid.cells)
        check_release(attack, grid.cells, store.manifest)
        plan = make_plan(store, grid.cells, attack, 2, config.seed)
        assert len(plan.draw(store, 0)) == sum(targets.size for targets in plan.targets)
    except GridError as error:
        return str(error)
    return None


@pytest.mark.parametrize("kind", RELEASES)
def test_an_experiment_runs_if_anything_is_left_of_it(make_store: MakeStore, kind: str) -> None:
    store = made(make_store, kind)
    reasons = {job.config.name: [why_not(run, store) for run in single_runs(job)] for job in jobs()}
    impossible = {name for name, each in reasons.items() if None not in each}
    assert impossible == IMPOSSIBLE.get(kind, set())
    if kind == "whole":
        assert {name for name, each in reasons.items() if set(each) != {None}} == {
            "f06_fig9"  # thresholds that too few items reach
        }


SAID = {
    "whole": [],
    "no values": ["exact values (the release has no values; the attacker knows none)"],
    "no dates": [
        "dates ±3 days, dates ±14 days (the release has no dates; the attacker knows none)"
    ],
    "neither": ["records are scored by the items", "about items that the target does not hold"],
    "one level, no dates": ["about items that the target does not hold"],
    "ten days": ["more than a quarter of the 10 days of the release; instead: dates ±2 days)"],
    "few items": ["(no record has more than "],
}


@pytest.mark.parametrize("kind", SAID)
def test_what_is_left_out_is_said_and_recorded(
    make_store: MakeStore, tmp_path: Path, kind: str
) -> None:
    """On the terminal, in the report and in ``run.json``; the optimal attacker runs as well."""
    typed = ("experiment=ns08_fig5", "cluster=inline", "targets=6", "bayes_targets=2")
    result: Result = run_session(
        configured(*typed), made(make_store, kind), tmp_path, typed, pictures=kind == "neither"
    )
    record, terminal = result.record, " ".join(str(result).split())
    assert bool(record["left_out"]) == ("Left out: " in terminal)
    assert bool(record["left_out"]) == (kind not in ("whole", "one level"))
    for said in SAID[kind]:
        assert said in terminal
        if kind == "neither":
            assert said in (tmp_path / "report.html").read_text(encoding="utf-8")
    kinds = {"item"} if kind in ("neither", "one level, no dates") else {"value"}
    assert set(record["wrong_facts"]) - {None} == kinds
    assert len(record["wrong_facts"]) == len(result.curves)
    assert set(result.aux["kind"]) == {"true", f"wrong_{kinds.pop()}"}
    for axis, values in record["config"]["grid"].items():
        if axis in result.curves and len(values) > 1:
            assert result.curves[axis].nunique(dropna=False) == len(values)
    assert result.bayes is not None
    assert result.bayes.record["left_out"] == record["left_out"]
    assert result.bayes.record["wrong_facts"] == record["wrong_facts"]
