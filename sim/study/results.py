"""From the finished batches of a run to its result files.

One cell's rows are held at a time, and of each cell only what the curves over φ need is kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from sim.attack.algorithm import Algorithm
from sim.record import parts
from sim.release.store import Store
from sim.study.counts import CellCounts, measured
from sim.study.curves import curve_frame, with_equal_errors
from sim.study.phi import eccentricities, phi_frame
from sim.study.plan import Plan
from sim.study.reliability import reliability_frame
from sim.study.traits import traits_of

RESULTS = ("curves.parquet", "curves.csv", "decisions.parquet", "aux.parquet", "phi.parquet")
"""The files every finished run has."""

RELIABILITY = "reliability.parquet"
"""Written for attacks that give probabilities."""


def write_results(store: Store, attack: Algorithm, plan: Plan, folder: Path) -> pd.DataFrame:
    """Write a run's result files from its parts.

    Parameters
    ----------
    store : Store
    attack : Algorithm
    plan : Plan
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
    traits = traits_of(attack, store)
    cells = [{"cell": cell.index, **cell.axes} for cell in plan.cells]
    counts = [CellCounts(cell, traits) for cell in cells]
    rows, found, over_phi, reliability = [], [], [], []
    for number, batches in _by_cell(folder, "decisions", plan):
        for batch in batches:
            counts[number].add(batch.to_pandas())
        decided = counts[number].rows()
        counts[number] = CellCounts(cells[number], traits)  # lets go of the rows
        rows.append(measured(decided, traits))
        found.append(eccentricities(decided))
        over_phi.append(phi_frame(number, found[-1], traits.phi))
        kept = reliability_frame(number, decided)
        reliability += [] if kept is None else [kept]
    absent = {
        number: sum(batch["item"].null_count for batch in batches)
        for number, batches in _by_cell(folder, "aux", plan)
    }
    facts = [
        {**cell, "eligible": n / plan.n_subjects, "absent_items": absent.get(number, 0)}
        for number, (cell, n) in enumerate(zip(cells, plan.eligible, strict=True))
    ]
    curves = curve_frame(facts, with_equal_errors(facts, rows, found))
    _write(folder / "phi.parquet", pd.concat(over_phi).to_parquet)
    if reliability:
        _write(folder / RELIABILITY, pd.concat(reliability).to_parquet)
    _write(folder / "curves.csv", curves.to_csv)
    _write(folder / "curves.parquet", curves.to_parquet)
    return curves


def _by_cell(folder: Path, kind: str, plan: Plan) -> Iterator[tuple[int, Iterator[pa.RecordBatch]]]:
    """Write a result file, yielding each cell's number and its rows, batch by batch.

    A plan has targets in every cell, so no cell is without decisions.
    """
    written = parts.write_result(folder, kind, plan.n_batches, len(plan.cells))
    with_rows = ((rows["cell"][0].as_py(), rows) for rows in written if len(rows))
    for number, batches in itertools.groupby(with_rows, itemgetter(0)):
        yield number, map(itemgetter(1), batches)


def _write(path: Path, write: Callable[..., Any]) -> None:
    """Write a file that appears under its name only when it is whole."""
    partial = path.with_suffix(path.suffix + ".partial")
    write(partial, index=False)
    partial.replace(path)
