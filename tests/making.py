"""Small releases for tests, made here."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reference import PlainAux, PlainRelease

from sim.adversary.aux import NO_DAY, Drawn
from sim.files.kernel_cache import FOLDER, kernel_folder
from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY, CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY, TimeBin
from sim.release.store.value_bins import AUTO, ValueBins

MakeStore = Callable[..., Store]
Row = tuple[Any, Any, float | None, int | None]

DEEP = os.environ.get("HYPOTHESIS_PROFILE") == "deep"
"""Whether every example is tried, as `make deep` does, and not a quarter."""


def examples(all_of_them: int) -> int:
    """How many of the examples of a test are tried."""
    return all_of_them if DEEP else -(-all_of_them // 4)


def deep(*cases: Any) -> list[Any]:
    """Cases of a test that only `make deep` tries: other cases of it go the same way."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.deep)
        for case in cases
    ]


@dataclass
class RowSource:
    """A source of rows (record, item, value or None, day or None), in chunks of any size."""

    rows: Sequence[Row]
    chunk: int = 1000
    name: str = "rows of a test"
    repeats: Repeats = Repeats.LATEST
    value_bins: ValueBins = AUTO
    time_bin: TimeBin = DAY

    @property
    def size(self) -> int:
        return len(self.rows)

    def fingerprint(self) -> str:
        text = repr((list(self.rows), self.repeats, self.value_bins, self.time_bin))
        return hashlib.sha256(text.encode()).hexdigest()

    def position(self) -> int:
        return len(self.rows)

    def notes(self) -> Mapping[str, str | int]:
        return {}

    def chunks(self) -> Iterator[CellChunk]:
        import pyarrow as pa

        def column(values: list[Any]) -> Any:
            return np.array(values, np.int64) if isinstance(values[0], int) else pa.array(values)

        for begin in range(0, len(self.rows), self.chunk):
            record, item, value, day = zip(*self.rows[begin : begin + self.chunk], strict=True)
            yield CellChunk(
                column(list(record)),
                column(list(item)),
                np.array([np.nan if v is None else v for v in value], np.float64),
                np.array(
                    [NO_TIME if d is None else int(d * SECONDS_PER_DAY) for d in day], np.int64
                ),
            )


def random_rows(
    seed: int,
    records: int = 40,
    items: int = 25,
    cells: int = 300,
    values: bool = True,
    days: bool = True,
    missing: float = 0.0,
    scale: Sequence[float] = (1.0, 2.0, 3.0, 4.0, 5.0),
    repeats: bool = False,
) -> list[Row]:
    """Rows without duplicates, unless `repeats`; popular items have low numbers."""
    rng = np.random.default_rng(seed)
    drawn = [
        (int(rng.integers(1, records + 1)), int(items * rng.random() ** 2) + 1)
        for _ in range(cells)
    ]
    pairs = drawn if repeats else set(drawn)
    return [
        (
            record,
            item,
            scale[rng.integers(len(scale))] if values and rng.random() >= missing else None,
            int(rng.integers(10_000, 10_060)) if days and rng.random() >= missing else None,
        )
        for record, item in sorted(pairs)
    ]


def plain(store: Store) -> PlainRelease:
    """The same release as dense arrays, days counted from the release's first."""
    m = store.manifest
    scale, days = np.append(store.scale, np.nan), np.append(np.arange(m.n_days), np.nan)
    cells: list[tuple[int, int, float, float]] = []
    for index in range(m.n_blocks):
        block = store.block(index)
        record = block.first + np.repeat(np.arange(block.n_records), np.diff(block.record_start))
        value, day = scale[block.record_level], days[block.record_day]
        columns = record, block.record_item, value, day
        cells += zip(*(column.tolist() for column in columns), strict=True)
    return PlainRelease.of(m.n_records, m.n_items, cells)


def plain_aux(drawn: Drawn, unit: int) -> PlainAux:
    """One unit of a batch for the reference implementations."""
    facts = slice(int(drawn.aux.start[unit]), int(drawn.aux.start[unit + 1]))
    day = np.where(drawn.aux.day[facts] == NO_DAY, np.nan, drawn.aux.day[facts])
    return PlainAux(drawn.aux.item[facts].astype(np.int64), drawn.aux.value[facts], day)


def write_sealed(path: Path, fields: Mapping[str, Any]) -> None:
    """Write a manifest as somebody would who knows how its digest is made."""
    kept = {key: value for key, value in fields.items() if key != "identity"}
    text = json.dumps(kept, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps({**kept, "identity": digest}), encoding="utf-8")


def lend_kernels(cache: Path) -> Path:
    """Let processes that have this cache use the kernels that are compiled already."""
    (cache / "standout").mkdir(parents=True, mode=0o700)
    (cache / "standout" / FOLDER).symlink_to(kernel_folder())
    return cache
