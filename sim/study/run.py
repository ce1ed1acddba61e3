"""Run a study in a folder: draw, attack, decide, record; then write the results.

Whatever the runner, the number of workers, or the interruptions, the same study writes the same
bytes into its result files.
"""

from __future__ import annotations

import errno
import logging
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from tqdm import tqdm

from sim.adversary.aux import AuxBatch
from sim.attack.algorithm import Algorithm
from sim.attack.decisions import Decisions
from sim.errors import StandoutError
from sim.record import parts
from sim.record.ledger import NAME as LEDGER
from sim.record.ledger import Ledger
from sim.release.store import Store
from sim.study.counts import CellCounts
from sim.study.curves import curve_frame
from sim.study.plan import Plan

if TYPE_CHECKING:
    from actors.runner import Runner

log = logging.getLogger(__name__)


def run_study(
    store: Store,
    attack: Algorithm,
    plan: Plan,
    folder: Path,
    runner: Runner,
    header: Mapping[str, Any],
    begin: Callable[[], None],
) -> pd.DataFrame:
    """Run a study, or what is left of it, and write its result files.

    Parameters
    ----------
    store : Store
        The release under attack.
    attack : Algorithm
    plan : Plan
    folder : Path
        Run folder; may hold an interrupted run of the same study.
    runner : Runner
    header : dict
        What the run is, for the ledger: JSON values only.
    begin : callable
        Called once it is known that the folder is free or holds this very run.

    Returns
    -------
    DataFrame
        As ``curves.parquet``.

    Raises
    ------
    GridError
        A fact cannot be made wrong.
    ResumeError
        The folder holds another run.
    StandoutError
        The disk is full.
    """
    try:
        return _run(store, attack, plan, folder, runner, header, begin)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise StandoutError(
                f"{folder}: the disk is full; free some space, then: standout resume {folder}"
            ) from None
        raise


def _run(
    store: Store,
    attack: Algorithm,
    plan: Plan,
    folder: Path,
    runner: Runner,
    header: Mapping[str, Any],
    begin: Callable[[], None],
) -> pd.DataFrame:
    with Ledger(folder / LEDGER, header) as ledger:
        if ledger.finished:
            log.info("%s: already complete", folder)
            return pd.read_parquet(folder / "curves.parquet")
        begin()

        def draw(batch: int) -> AuxBatch:
            return attack.annotate(store, plan.draw(store, batch))

        left = [b for b in range(plan.n_batches) if not _is_done(folder, ledger, b)]
        if len(left) < plan.n_batches:
            log.info(
                "resuming: %d of %d batches are done", plan.n_batches - len(left), plan.n_batches
            )
        with tqdm(total=plan.n_batches, desc="attacking", unit="batch", disable=None) as bar:
            bar.update(plan.n_batches - len(left))
            for batch, aux, decisions in runner.run(
                left, lambda b: attack.annotate(store, plan.draw(store, b))
            ):
                ledger.add(
                    batch, _write_parts(store, folder, batch, len(plan.cells), aux, decisions)
                )
                bar.update()
        curves = _write_results(store, attack, plan, folder)
        ledger.finish({"batches": plan.n_batches, "units": plan.n_units})
    shutil.rmtree(folder / parts.FOLDER)
    return curves


def _is_done(folder: Path, ledger: Ledger, batch: int) -> bool:
    entry = ledger.done.get(batch)
    return entry is not None and all(
        parts.is_whole(folder, kind, batch, entry[kind]) for kind in parts.KINDS
    )


def _write_parts(
    store: Store, folder: Path, batch: int, n_cells: int, aux: AuxBatch, decisions: Decisions
) -> dict[str, Any]:
    tables = {
        "decisions": parts.decision_table(store, aux, decisions),
        "aux": parts.aux_table(store, aux),
    }
    return {
        "units": len(aux),
        **{
            kind: parts.write_part(folder, kind, batch, table, n_cells)
            for kind, table in tables.items()
        },
    }


def _write_results(store: Store, attack: Algorithm, plan: Plan, folder: Path) -> pd.DataFrame:
    n_cells = len(plan.cells)
    described = [{"cell": cell.index, **cell.axes} for cell in plan.cells]
    counts = [CellCounts(cell, attack.phi) for cell in described]
    for rows in parts.write_result(folder, "decisions", plan.n_batches, n_cells):
        if len(rows):
            counts[rows["cell"][0].as_py()].add(rows.to_pandas())
    absent = [0] * n_cells
    for rows in parts.write_result(folder, "aux", plan.n_batches, n_cells):
        if len(rows):
            absent[rows["cell"][0].as_py()] += rows["item"].null_count
    facts = [
        {**cell, "eligible": n / store.manifest.n_records, "absent_items": missing}
        for cell, n, missing in zip(described, plan.eligible, absent, strict=True)
    ]
    curves = curve_frame(facts, [count.row() for count in counts])
    curves.to_csv(folder / "curves.csv", index=False)
    curves.to_parquet(folder / "curves.parquet", index=False)
    return curves
