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


FOUND: dict[str, set[str]] = {
    "whole": {"wrong_facts_of_values"},
    "no values": {"levels_left_out", "wrong_facts_of_values"},
    "no dates": {"levels_left_out", "wrong_facts_of_values"},
    "neither": {"levels_left_out", "items_alone", "wrong_facts_of_items"},
    "one level, no dates": {"levels_left_out", "wrong_facts_of_items"},
    "ten days": {"levels_left_out", "wrong_facts_of_values"},
    "few items": {"levels_left_out", "wrong_facts_of_values"},
}
"""Kinds of findings that say how a grid was adapted to a release."""


@pytest.mark.parametrize("kind", FOUND)
def test_what_is_left_out_is_found_and_recorded(
    make_store: MakeStore, tmp_path: Path, kind: str
) -> None:
    """As findings and in ``run.json``; the optimal attacker runs as well."""
    typed = ("experiment=ns08_fig5", "cluster=inline", "targets=6", "bayes_targets=2")
    run_session(configured(*typed), made(make_store, kind), tmp_path, typed)
    result = Result(tmp_path)
    record = result.record
    assert bool(record["left_out"]) == (kind not in ("whole", "one level"))
    adapted = {"levels_left_out", "items_alone", "wrong_facts_of_items", "wrong_facts_of_values"}
    assert {one.kind for one in result.findings} & adapted == FOUND[kind]
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
