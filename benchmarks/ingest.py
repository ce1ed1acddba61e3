"""From text to an open store, against pandas reading the same rows.

Ours reads the Netflix layout, checks every row, sorts and writes a store of two orders of the
cells, with the checksums of text and store; pandas reads the same rows as plain columns, item
included, and only holds them. Each round is a process of its own, so that its peak of memory is its
own too.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.export_netflix import export
from benchmarks.ingest_once import PLAIN
from benchmarks.made import MadeRelease
from benchmarks.registry import Scale
from benchmarks.result import Costs, Result
from benchmarks.timing import in_turns
from sim.release.store.cache import open_or_build
from sim.release.store.cells import Source
from sim.release.synthetic import PRESETS, SyntheticSource

_ROOT = Path(__file__).resolve().parents[1]
CONTENDERS = ("ours", "pandas")


@dataclass(frozen=True, slots=True)
class _Size:
    release: Source
    rounds: int


_SIZES: dict[Scale, _Size] = {
    "full": _Size(SyntheticSource(PRESETS["netflix"], seed=1), rounds=3),
    "quick": _Size(MadeRelease(60_000, 5_000, 10_000_000), rounds=2),
    "tiny": _Size(MadeRelease(900, 120, 15_000), rounds=1),
}


class IngestCost(NamedTuple):
    """Time and memory of reading the text once; see `benchmarks.ingest_once`."""

    rows: int
    seconds: float
    peak_bytes: int
    kept_bytes: int


def run(scale: Scale, cache: Path) -> list[Result]:
    """See `benchmarks.registry.Benchmark.run`."""
    size = _SIZES[scale]
    store = open_or_build(size.release, cache)
    with TemporaryDirectory(dir=cache) as folder:
        rows = export(store, Path(folder), plain=Path(folder) / PLAIN)
        found = in_turns(
            {who: partial(_once, who, Path(folder)) for who in CONTENDERS}, size.rounds
        )
    if any(cost.rows != rows for cost in (*found["ours"], *found["pandas"])):
        raise RuntimeError(f"ingest: not all {rows} rows were read by both")
    return _results(rows, found)


def _once(who: str, folder: Path) -> IngestCost:
    command = [sys.executable, "-m", "benchmarks.ingest_once", who, str(folder)]
    done = subprocess.run(command, cwd=_ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return IngestCost(**json.loads(done.stdout))


def _results(rows: int, found: dict[str, list[IngestCost]]) -> list[Result]:
    on = f"{rows:,} ratings; ours reads, checks, sorts, writes and opens a store, pandas.read_csv "

    def costs(field: str, scale: float) -> tuple[Costs, Costs]:
        ours, peer = (tuple(getattr(s, field) * scale for s in found[who]) for who in CONTENDERS)
        return ours, peer

    return [
        Result("ingest/time", on + "only reads", "ns a row", *costs("seconds", 1e9 / rows)),
        Result(
            "ingest/memory", on + "holds all rows; peak", "MiB", *costs("peak_bytes", 2**-20), 1
        ),
        Result(
            "ingest/disk",
            f"{rows:,} ratings; the store, two orders of the cells, against the text",
            "bytes a row",
            *costs("kept_bytes", 1 / rows),
            1,
        ),
    ]
