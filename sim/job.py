"""One job of the command line: open the release, run the study, record it, show the curve."""

from __future__ import annotations

import dataclasses
import json
import logging
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.checks import attack_of, cells_of, check_config, check_release, targets_of
from sim.config import ClusterConfig, Config
from sim.record.provenance import code_digest, git_revision, machine, versions
from sim.release.open import open_release
from sim.release.store import Store
from sim.study.plan import Plan, make_plan
from sim.study.run import run_study

if TYPE_CHECKING:
    import pandas as pd

    from actors.runner import Runner
    from sim.attack.algorithm import Algorithm

log = logging.getLogger("standout")


def run_job(config: Config, folder: Path, overrides: list[str]) -> None:
    """Do what a configuration says.

    Parameters
    ----------
    config : Config
    folder : Path
        Run folder.
    overrides : list of str
        What the user typed, for the record and to resume.

    Raises
    ------
    StandoutError
        Whatever the user can put right.
    """
    begun = datetime.now(UTC)
    clock = _Clock()
    check_config(config)
    store = open_release(config.data)
    clock.lap("release")
    cells, attack = cells_of(config), attack_of(config.attack)
    check_release(cells, store.manifest)
    plan = make_plan(store, cells, attack, targets_of(config), config.seed)
    _warn_of_few(plan, targets_of(config))
    header = _header(config, store)
    record = {
        "status": "running",
        "begun": begun.isoformat(timespec="seconds"),
        "overrides": overrides,
        "working_directory": str(Path.cwd()),
        "config": dataclasses.asdict(config),
        **header,
        "git_revision": git_revision(),
        "machine": machine(),
        "release": _described(store),
    }
    runner = _runner(config.cluster, store, attack)
    clock.lap("cluster")
    try:
        record["cluster"] = dict(runner.shape())
        curves = run_study(
            store, attack, plan, folder, runner, header, lambda: _write(folder, record)
        )
    finally:
        runner.close()
    clock.lap("attack")
    figure = _draw(config, store, curves, folder)
    clock.lap("figures")
    _write(folder, {**record, "status": "complete", "seconds": clock.laps})
    _show(config, store, curves, figure, folder)


class _Clock:
    """Seconds spent on each stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage] = round(now - self._last, 3)
        self._last = now


def _header(config: Config, store: Store) -> dict[str, Any]:
    """What must be the same for a run to be resumed: all that results depend on."""
    whole = dataclasses.asdict(config)
    asked = {key: whole[key] for key in ("name", "targets", "attack", "adversary", "grid")}
    return {
        "seed": config.seed,
        "asked": asked,
        "release_fingerprint": store.manifest.fingerprint,
        "code": code_digest(),
        "versions": versions(),
    }


def _warn_of_few(plan: Plan, asked: int | None) -> None:
    for cell, targets in zip(plan.cells, plan.targets, strict=True):
        if asked is not None and targets.size < asked:
            log.warning("%s: only %d records are eligible; all are attacked", cell, targets.size)


def _described(store: Store) -> dict[str, Any]:
    manifest = dataclasses.asdict(store.manifest)
    return {key: value for key, value in manifest.items() if key != "files"}


def _runner(config: ClusterConfig, store: Store, attack: Algorithm) -> Runner:
    if config.kind == "inline":
        from actors.inline import InlineRunner

        return InlineRunner(store, attack)
    from actors.coordinator import Coordinator

    return Coordinator(
        store,
        attack,
        kind=config.kind,
        address=config.address,
        workers=config.workers,
        shards=config.shards,
        patience=config.patience,
    )


def _write(folder: Path, record: Mapping[str, Any]) -> None:
    partial = folder / "run.json.partial"
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / "run.json")


def _draw(config: Config, store: Store, curves: pd.DataFrame, folder: Path) -> Path:
    from sim.report.figures import figure_best_guess
    from sim.report.papers import EXPERIMENTS, numbers_for
    from sim.report.style import save

    figure = figure_best_guess(
        curves,
        config.attack.phi,
        baseline=1 / store.manifest.n_records,
        numbers=numbers_for(config.name) if config.name in EXPERIMENTS else (),
    )
    png, _ = save(figure, folder / "figures", config.name)
    return png


def _show(config: Config, store: Store, curves: pd.DataFrame, figure: Path, folder: Path) -> None:
    from sim.report.table import curve_table

    print(f"{config.name} on {store.manifest.source}: {store}\n")
    print(curve_table(curves))
    print(f"\nfigure   {figure}\nresults  {folder}")
