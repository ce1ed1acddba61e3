"""From the finished batches of a run to its result files.

One cell's rows are held at a time, and of each cell only what the curves over φ need is kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from operator import itemgetter
from pathlib import Path

import pandas as pd
import pyarrow as pa

from sim.attack.engine.algorithm import Algorithm
from sim.metrics.attack_properties import attack_properties
from sim.metrics.counts import NO_WRONG_ITEM, RELEASED, CellCounts, measured
from sim.metrics.curves import curve_frame, with_equal_errors
from sim.metrics.decision_arrays import NEEDED
from sim.metrics.phi import eccentricities, phi_frame
from sim.metrics.reliability import reliability_frame
from sim.record import parts
from sim.record.frames import write_tables, write_whole
from sim.release.store.store import Store
from sim.study.plan import Plan

RESULTS = ("curves.parquet", "decisions.parquet", "aux.parquet", "phi.parquet")
"""The files every finished run has."""

RELIABILITY = "reliability.parquet"
"""Written for attacks that give probabilities."""

_ROWS_AT_A_TIME = 1 << 17


def kinds_of(attack: Algorithm) -> tuple[str, ...]:
    """Return the kinds of parts that a run of an attack has."""
    return (*parts.KINDS, *([parts.TOP] if attack.n_kept else []))


def results_of(attack: Algorithm) -> tuple[str, ...]:
    """Return the files that a finished run of an attack has."""
    return (*RESULTS, *([f"{parts.TOP}.parquet"] if attack.n_kept else []))


def write_results(store: Store, attack: Algorithm, plan: Plan, folder: Path) -> pd.DataFrame:
    """Write a run's result files from its parts.

    Parameters
    ----------
    folder : Path
        Run folder, all batches of the plan in its parts.

    Returns
    -------
    DataFrame
        As ``curves.parquet``.

    Raises
    ------
    GridError
        A score is NaN or infinite.
    """
    # Most of the time is taken by compression, which leaves Python to the other thread.
    with ThreadPoolExecutor(1) as beside:
        absent = beside.submit(_write_aux, folder, plan)
        return _write_decisions(store, attack, plan, folder, absent)


def _write_aux(folder: Path, plan: Plan) -> dict[int, int]:
    """Write the aux; return the facts of each cell about items that the release lacks."""
    return {
        number: sum(table["item"].null_count for table in tables)
        for number, tables in _by_cell(folder, "aux", plan)
    }


def _write_decisions(
    store: Store, attack: Algorithm, plan: Plan, folder: Path, absent: Future[dict[int, int]]
) -> pd.DataFrame:
    """See `write_results`: all but the aux, of which ``absent`` is what `_write_aux` returns."""
    properties = attack_properties(attack, store)
    cells = [{"cell": cell.index, **cell.axes} for cell in plan.cells]
    counts = [CellCounts(cell, properties) for cell in cells]
    rows, found, over_phi, reliability = [], [], [], []
    for number, tables in _by_cell(folder, "decisions", plan):
        for piece in _pieces(tables):
            counts[number].add(piece.to_pandas())
        decided = counts[number].rows()
        counts[number] = CellCounts(cells[number], properties)  # lets go of the rows
        rows.append(measured(decided, properties))
        found.append(eccentricities(decided))
        over_phi.append(phi_frame(number, found[-1], properties.phi))
        kept = reliability_frame(number, decided)
        reliability += [] if kept is None else [kept]
    if attack.n_kept:
        for _ in parts.write_result(folder, parts.TOP, plan.n_batches, len(plan.cells)):
            pass  # cell by cell, as the others
    facts = [
        {
            **cell,
            "eligible": n / plan.n_subjects,
            "n_eligible": n,
            "absent_items": absent.result().get(number, 0),
        }
        for number, (cell, n) in enumerate(zip(cells, plan.eligible, strict=True))
    ]
    for cell, known in zip(facts, plan.released or (), strict=plan.released is not None):
        cell |= dict(zip(RELEASED, (known.n_subjects, known.n_eligible), strict=True))
    for number, n in enumerate(plan.no_wrong_item):
        facts[number][NO_WRONG_ITEM[0]] = n
        if plan.released is not None:
            facts[number][NO_WRONG_ITEM[1]] = plan.released[number].n_no_wrong_item
    curves = curve_frame(facts, with_equal_errors(facts, rows, found))
    write_whole(folder / "phi.parquet", pd.concat(over_phi).to_parquet)
    if reliability:
        write_whole(folder / RELIABILITY, pd.concat(reliability).to_parquet)
    write_tables(folder, {"curves": curves})
    return curves


def _by_cell(folder: Path, kind: str, plan: Plan) -> Iterator[tuple[int, Iterator[pa.Table]]]:
    """Write a result file, yielding each cell's number and its rows, some at a time.

    A plan has targets in every cell, so no cell is without decisions.
    """
    written = parts.write_result(folder, kind, plan.n_batches, len(plan.cells))
    with_number = ((rows["cell"][0].as_py(), rows) for rows in written)
    for number, tables in itertools.groupby(with_number, itemgetter(0)):
        yield number, map(itemgetter(1), tables)


def _pieces(tables: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield decisions in pieces large enough for pandas and small enough for memory."""
    for table in tables:
        kept = table.select(["cell", *NEEDED])
        for begin in range(0, len(kept), _ROWS_AT_A_TIME):
            yield kept.slice(begin, _ROWS_AT_A_TIME)
