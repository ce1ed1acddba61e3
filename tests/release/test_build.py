"""The store is a function of the rows alone: not of chunks, threads, layouts or disk order."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import RowSource, examples, random_rows

from sim.release.readers import netflix
from sim.release.readers.netflix import NetflixSource
from sim.release.store import build
from sim.release.store.build import build_store
from sim.release.store.cells import NO_TIME, SECONDS_PER_DAY, CellChunk
from sim.release.store.store import Store

pytestmark = pytest.mark.fast


class Timed(RowSource):
    """Rows (record, item, value, second): what a source with seconds yields."""

    def chunks(self) -> Any:
        for begin in range(0, len(self.rows), self.chunk):
            record, item, value, second = zip(*self.rows[begin : begin + self.chunk], strict=True)
            yield CellChunk(
                np.array(record, np.int64),
                np.array(item, np.int64),
                np.array([np.nan if v is None else v for v in value]),
                np.array([NO_TIME if s is None else s for s in second], np.int64),
            )


def files_of(folder: Path) -> str:
    return json.dumps(Store(folder).manifest.files, sort_keys=True)


@pytest.mark.parametrize("threads", [0, 1, 2, 4])
@pytest.mark.parametrize("chunk", [1, 37, 1000])
def test_neither_chunks_nor_threads_change_a_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int, chunk: int
) -> None:
    rows = random_rows(5, missing=0.1) * 2  # each cell twice
    build_store(RowSource(rows), tmp_path / "expected", block_records=7)
    monkeypatch.setattr(build, "threads_for", lambda rows: threads)
    monkeypatch.setattr(build, "_ROWS_AT_A_TIME", chunk)
    build_store(RowSource(rows, chunk), tmp_path / "found", block_records=7)
    assert files_of(tmp_path / "found") == files_of(tmp_path / "expected")


@settings(max_examples=examples(25))
@given(
    st.lists(
        st.tuples(
            st.integers(0, 3),
            st.integers(0, 3),
            st.none() | st.sampled_from([1.0, 2.5]),
            st.none() | st.integers(-200_000, 200_000),
        ),
        min_size=1,
        max_size=40,
    ),
    st.sampled_from([0, 5_000_000_000]),
    st.integers(1, 4),
)
def test_seconds_decide_between_rows_of_one_day(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], far: int, block: int
) -> None:
    """Seconds before 1970 and spans of more than 32 bits of seconds included."""
    rows = [*rows, (9, 9, None, far)]
    latest: dict[tuple[int, int], tuple[float | None, int | None]] = {}
    least_first = sorted(rows, key=lambda row: [-np.inf if x is None else x for x in row[:1:-1]])
    for r, i, value, second in least_first:
        latest[r, i] = (value, second)
    folder = tmp_path_factory.mktemp("seconds") / "store"
    m = build_store(Timed(rows), folder, block_records=block)
    store, found = Store(folder), {}
    for index in range(m.n_blocks):
        b = store.block(index)
        for row in range(b.n_records):
            for k in range(b.record_start[row], b.record_start[row + 1]):
                level, day = int(b.record_level[k]), int(b.record_day[k])
                found[
                    store.records[b.first + row].as_py(), store.items[int(b.record_item[k])].as_py()
                ] = (
                    None if level == len(m.scale) else m.scale[level],
                    None if day == m.n_days else m.first_day + day,
                )
    assert found == {
        key: (value, None if second is None else second // SECONDS_PER_DAY)
        for key, (value, second) in latest.items()
    }
    assert m.n_duplicates == len(rows) - len(latest)


NETFLIX = {
    film: "".join(
        f"{1 + (film * 7 + n * n) % 40},{1 + n % 5},200{n % 6}-0{1 + n % 9}-1{n % 10}\n"
        for n in range(film % 23)
    )
    for film in (1, 2, 3, 10, 11, 22, 40)
}


def combined(folder: Path) -> Path:
    texts = [f"{film}:\n{rows}" for film, rows in NETFLIX.items()]
    (folder / "combined_data_1.txt").write_text("".join(texts[:4]))
    (folder / "combined_data_2.txt").write_text("".join(texts[4:]).replace("\n", "\r\n"))
    return folder


def per_film(folder: Path) -> Path:
    for film, rows in NETFLIX.items():
        (folder / f"mv_{film:07d}.txt").write_text(f"{film}:\n{rows}")
    return folder


def odd(folder: Path) -> Path:
    """As nobody published it, so that every row is read slowly."""
    texts = [f" {film}:\n{rows.replace(',', ' ,')}\n" for film, rows in NETFLIX.items()]
    (folder / "combined_data_1.txt").write_text("".join(texts))
    return folder


@pytest.mark.parametrize("layout", [combined, per_film, odd])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("block_bytes", [1, 100, 1 << 20])
def test_all_layouts_make_the_same_store(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    layout: Callable[[Path], Path],
    threads: int,
    block_bytes: int,
) -> None:
    (tmp_path / "text").mkdir()
    (tmp_path / "plain").mkdir()
    build_store(NetflixSource(combined(tmp_path / "plain")), tmp_path / "expected")
    monkeypatch.setattr(netflix, "usable", lambda: threads)
    source = NetflixSource(layout(tmp_path / "text"), block_bytes=block_bytes)
    build_store(source, tmp_path / "found")
    assert files_of(tmp_path / "found") == files_of(tmp_path / "expected")
    found = Store(tmp_path / "found").manifest
    assert found.n_cells + found.n_duplicates == sum(r.count("\n") for r in NETFLIX.values())
