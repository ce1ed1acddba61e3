"""Releases written as tables: what is read again is the same release."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, Row, examples, random_rows

from sim.errors import ConfigError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.table import TableSource
from sim.release.store import export
from sim.release.store.build import build_store
from sim.release.store.export import Columns, write_release
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import UNBINNED


def test_a_worked_table(make_store: MakeStore, tmp_path: Path) -> None:
    rows: list[Row] = [("b", 7, 4.5, 1), ("a", 8, None, None), ("a", 7, 5.0, 0)]
    write_release(make_store(rows), tmp_path / "r.csv", Columns("who", "what", "stars", "day"))
    assert (tmp_path / "r.csv").read_text().splitlines() == [
        '"who","what","stars","day"', '"a",7,5,1970-01-01', '"a",8,,', '"b",7,4.5,1970-01-02',
    ]  # fmt: skip


@settings(max_examples=examples(25))
@given(
    release=st.integers(0, 1000),
    kind=st.sampled_from(["csv", "parquet"]),
    time_bin=st.sampled_from(["day", "week", "month", "hour", "90"]),
    repeats=st.booleans(),
    has=st.tuples(st.booleans(), st.booleans()),
    missing=st.sampled_from([0.0, 0.3]),
    names=st.sampled_from([int, 'user "{}", of 1'.format]),
    blocks=st.integers(1, 40),
    chunk=st.sampled_from([7, 1 << 20]),
)
def test_what_is_read_again_is_the_same_release(
    make_store: MakeStore, tmp_path: Path, release: int, kind: str, time_bin: str, repeats: bool,
    has: tuple[bool, bool], missing: float, names: object, blocks: int, chunk: int,
) -> None:  # fmt: skip
    rng = np.random.default_rng(release)
    rows = [
        (names(r), i, v, None if d is None else d + rng.integers(0, 48) / 48)  # type: ignore[operator]
        for r, i, v, d in random_rows(
            release, values=has[0], days=has[1], missing=missing, repeats=repeats
        )
    ]
    width = TimeBin.parse(time_bin)
    store = make_store(rows, block_records=blocks, time_bin=width, repeats=Repeats.ALL)
    folder = tmp_path / f"made-{len(list(tmp_path.iterdir()))}"
    folder.mkdir()
    path = folder / f"release.{kind}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(export, "_CELLS_AT_A_TIME", chunk)
        write_release(store, path)
    m = store.manifest
    choice = ColumnChoice(
        "user", "item", "value" if m.has_values else None, "time" if m.has_days else None
    )
    read = TableSource(
        path, choice, repeats=Repeats.CELLS, value_bins=UNBINNED,
        time_bin=width if m.has_days else TimeBin.parse("day"),
    )  # fmt: skip
    build_store(read, folder / "store")
    again = Store(folder / "store")
    if m.has_days:
        assert again.manifest.fingerprint == m.fingerprint
    assert again.manifest.n_cells == m.n_cells
    assert again.records.cast(pa.large_string()).equals(store.records.cast(pa.large_string()))


def test_rows_are_in_the_order_of_new_identifiers(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(1), block_records=7)
    n = store.manifest.n_records
    given_ids = np.random.default_rng(1).permutation(n) + 100
    path = tmp_path / "r.parquet"
    write_release(store, path, identifiers=pa.array(given_ids))
    table = pa.parquet.read_table(path).to_pandas()
    assert table["user"].is_monotonic_increasing
    order = dict(zip(given_ids.tolist(), store.records.to_pylist(), strict=True))
    whole = tmp_path / "whole.parquet"
    write_release(store, whole)
    kept = pa.parquet.read_table(whole).to_pandas()
    table["user"] = table["user"].map(order)
    columns = list(table.columns)
    one, other = (t.sort_values(columns).reset_index(drop=True) for t in (table, kept))
    assert one.equals(other)


def test_only_two_kinds_are_written(make_store: MakeStore, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected a name that ends in \.csv or \.parquet"):
        write_release(make_store(random_rows(1)), tmp_path / "r.xlsx")
    assert not list(tmp_path.glob("*.xlsx"))
