"""Run a study in a folder: draw, attack, decide, record; then write the results.

Whatever the runner, the number of workers, or the interruptions, the same study writes the same
bytes into its result files.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from sim.adversary.aux import Drawn
from sim.attack.engine.algorithm import Algorithm
from sim.attack.engine.decisions import Decisions
from sim.errors import ResumeError
from sim.metrics.attack_properties import attack_properties
from sim.metrics.baselines import longest_ties
from sim.metrics.record_pairs import best_guess_similarity
from sim.record import parts
from sim.record.digests import RESULTS, check_results, digests
from sim.record.disk import disk_full_as_error
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import Ledger
from sim.record.tables import ExtraColumns, aux_table, decision_table, top_table
from sim.release.store.store import Store
from sim.study.bar import stage
from sim.study.plan import Plan
from sim.study.results import kinds_of, results_of, write_results
from sim.study.runner import Runner

log = logging.getLogger(__name__)


def run_study(
    store: Store,
    attack: Algorithm,
    plan: Plan,
    folder: Path,
    runner: Runner,
    header: Mapping[str, Any],
    begin: Callable[[], None],
    end: Callable[[], None] = lambda: None,
) -> pd.DataFrame:
    """Run or resume a study, and write its result files.

    Parameters
    ----------
    store : Store
        The release under attack.
    folder : Path
        Run folder; may hold an interrupted run of the same study.
    header : dict
        What the run is, for the ledger: JSON values only.
    begin : callable
        Called once it is known that the folder is free or holds this very run.
    end : callable
        Called once the runner has no more to do. The results are written after that, so that their
        memory is not needed beside that of the workers.

    Returns
    -------
    DataFrame
        As ``curves.parquet``.

    Raises
    ------
    GridError
        A fact cannot be made wrong.
    ResumeError
        The folder holds another run, another process is at work in it, or its results are gone.
    StandoutError
        The disk is full.
    """
    with disk_full_as_error(folder):
        return _run(store, attack, plan, folder, runner, header, (begin, end))


def _run(
    store: Store,
    attack: Algorithm,
    plan: Plan,
    folder: Path,
    runner: Runner,
    header: Mapping[str, Any],
    hooks: tuple[Callable[[], None], Callable[[], None]],
) -> pd.DataFrame:
    begin, end = hooks
    with Ledger(folder / LEDGER, header) as ledger:
        if ledger.finished is not None:
            end()
            curves = _finished(folder, results_of(attack), ledger.finished)
            log.info("attacking: already complete")
            shutil.rmtree(folder / parts.FOLDER, ignore_errors=True)
            return curves
        begin()

        def draw(batch: int) -> Drawn:
            return attack.annotated(store, plan.draw(store, batch))

        kinds = kinds_of(attack)
        left = [b for b in range(plan.n_batches) if not _is_done(folder, ledger, b, kinds)]
        if len(left) < plan.n_batches:
            log.info(
                "resuming: %d of %d batches are done", plan.n_batches - len(left), plan.n_batches
            )
        before = plan.n_batches - len(left)
        with stage("attacking", plan.n_batches, before=before, unit="batch") as attacking:
            for done, (batch, drawn, decisions) in enumerate(runner.run(left, draw), before + 1):
                tables = _tables(store, attack, plan, drawn, decisions)
                ledger.add(batch, _write_parts(folder, batch, plan, len(drawn), tables))
                attacking.reach(done)
        end()
        curves = write_results(store, attack, plan, folder)
        whole = {"batches": plan.n_batches, "units": plan.n_units}
        ledger.finish({**whole, RESULTS: digests(folder, results_of(attack))})
    shutil.rmtree(folder / parts.FOLDER)
    return curves


def _finished(folder: Path, expected: Sequence[str], entry: Mapping[str, Any]) -> pd.DataFrame:
    """Results of a complete run."""
    missing = [name for name in expected if not (folder / name).is_file()]
    if missing:
        raise ResumeError(
            f"{folder}: complete according to its ledger, but {', '.join(missing)} is gone; "
            f"delete {LEDGER} to do the run again"
        )
    check_results(folder, entry)
    return pd.read_parquet(folder / "curves.parquet")


def _is_done(folder: Path, ledger: Ledger, batch: int, kinds: Sequence[str]) -> bool:
    entry = ledger.done.get(batch)
    return entry is not None and all(
        parts.is_whole(folder, kind, batch, entry.get(kind)) for kind in kinds
    )


def _tables(
    store: Store, attack: Algorithm, plan: Plan, drawn: Drawn, decisions: Decisions
) -> dict[str, pa.Table]:
    adversaries = [cell.adversary for cell in plan.cells]
    extra = ExtraColumns(
        best_guess_similarity(store, drawn, decisions, [a.knowledge for a in adversaries]),
        longest_ties(store, attack.prepared(store, drawn)),
        attack_properties(attack, store).entropy,
    )
    tables = {
        "decisions": decision_table(store, drawn, decisions, extra, plan.people),
        "aux": aux_table(store, drawn, plan.people),
    }
    if attack.n_kept:
        tables[parts.TOP] = top_table(store, drawn, decisions, plan.people)
    return tables


def _write_parts(
    folder: Path, batch: int, plan: Plan, units: int, tables: Mapping[str, pa.Table]
) -> dict[str, Any]:
    digests = {
        kind: parts.write_part(folder, kind, batch, table, len(plan.cells))
        for kind, table in tables.items()
    }
    return {"units": units, **digests}
