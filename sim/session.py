"""One study from its configuration to its result: what the command line and the API both do."""

from __future__ import annotations

import dataclasses
import json
import logging
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sim.checks import attack_of, check_config, check_release, targets_of
from sim.config import ClusterConfig, Config, PerturbConfig
from sim.people import grid_of
from sim.record.disk import room_in
from sim.record.provenance import code_digest, git_revision, machine, versions
from sim.release.open import cache_of
from sim.release.perturb import open_perturbed
from sim.release.store import Store
from sim.report.draw import draw_run
from sim.result import Result
from sim.study.plan import Plan, make_plan
from sim.study.run import run_study

if TYPE_CHECKING:
    from actors.runner import Runner
    from sim.attack.algorithm import Algorithm

log = logging.getLogger("standout")
diary = logging.getLogger("standout.diary")
"""For the run folder's log alone."""


def run_session(
    config: Config, store: Store, folder: Path, overrides: Sequence[str] = ()
) -> Result:
    """Run a study in a folder, or what is left of it; write results, figures and record.

    Parameters
    ----------
    config : Config
    store : Store
        The release under attack.
    folder : Path
        Run folder; may hold an interrupted run of the same study.
    overrides : sequence of str
        What the user typed, for the record and to resume.

    Returns
    -------
    Result

    Raises
    ------
    StandoutError
        Whatever the user can put right.
    """
    begun = datetime.now(UTC)
    clock = _Clock()
    check_config(config)
    cache = cache_of(config.data)
    truth, store = _published(config.perturb, store, cache)
    cells = grid_of(config, cache)
    attack = attack_of(config.attack, cells)
    check_release(attack, cells, store.manifest)
    plan = make_plan(store, cells, attack, targets_of(config), config.seed, truth)
    _warn_of_few(plan, targets_of(config))
    clock.lap("plan")
    header = _header(config, store)
    record = {
        "status": "running",
        "begun": begun.isoformat(timespec="seconds"),
        "overrides": list(overrides),
        "working_directory": str(Path.cwd()),
        "config": dataclasses.asdict(config),
        **header,
        "git_revision": git_revision(),
        "machine": machine(),
        "release": described(store),
        "adversary_notes": dict(cells[0].adversary.notes(store)),
    }
    diary.info(
        "%s: %s on %s: %d grid cells, %d aux sets in %d batches",
        *(config.name, attack.name, store.manifest.source),
        *(len(plan.cells), plan.n_units, plan.n_batches),
    )
    runner = _runner(config.cluster, store, attack)
    clock.lap("cluster")
    try:
        record["cluster"] = dict(runner.shape())
        run_study(store, attack, plan, folder, runner, header, lambda: _write(folder, record))
    finally:
        runner.close()
    clock.lap("attack")
    with room_in(folder):
        # A run that was complete before keeps the record of how it was made.
        if _status(folder) is None:
            _write(folder, record)
        draw_run(folder)
        clock.lap("figures")
        if _status(folder) != "complete":
            _write(folder, {**record, "status": "complete", "seconds": clock.laps})
    diary.info("complete: %s", clock.laps)
    return Result(folder)


def described(store: Store) -> dict[str, Any]:
    """What a release is, in numbers: its manifest without the list of files.

    Parameters
    ----------
    store : Store

    Returns
    -------
    dict
    """
    manifest = dataclasses.asdict(store.manifest)
    return {key: value for key, value in manifest.items() if key != "files"}


class _Clock:
    """Seconds spent on each stage."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage] = round(now - self._last, 3)
        self._last = now


def _published(config: PerturbConfig, store: Store, cache: Path) -> tuple[Store | None, Store]:
    """What the aux is drawn from, if it is not the release itself, and the release."""
    if not config.value_noise and not config.date_noise:
        return None, store
    noise = (config.value_noise, config.date_noise, config.seed)
    return store, open_perturbed(store, cache, *noise)


def _header(config: Config, store: Store) -> dict[str, Any]:
    """What must be the same for a run to be resumed: all that results depend on."""
    whole = dataclasses.asdict(config)
    asked = {
        key: whole[key] for key in ("name", "targets", "attack", "adversary", "grid", "perturb")
    }
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


def _status(folder: Path) -> str | None:
    """Status in the record of a run; None if there is no record."""
    try:
        record = json.loads((folder / "run.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return str(record["status"])


def _write(folder: Path, record: Mapping[str, Any]) -> None:
    partial = folder / "run.json.partial"
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / "run.json")
