"""The sorts against Python's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.release.store.cells import NO_TIME
from sim.release.store.repeats import take_one
from sim.release.store.sorting import by_item, partition, sorted_rows

CELLS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 4), st.integers(0, 9), st.integers(0, 3)),
    max_size=60,
)
"""Row, item, level, when."""

Cell = tuple[int, int, int, int]


def columns(cells: list[Cell]) -> list[np.ndarray]:
    types = (np.uint16, np.int32, np.uint16, np.uint32)
    return [np.array([c[k] for c in cells], kind) for k, kind in enumerate(types)]


@given(CELLS)
def test_rows_are_sorted_and_stay_in_order_where_they_tie(cells: list[Cell]) -> None:
    row, item, *_ = columns(cells)
    expected = sorted(range(len(cells)), key=lambda i: cells[i][:2])
    assert sorted_rows(row, item, 6, 5).tolist() == expected


@given(CELLS)
def test_only_the_latest_is_taken_and_both_orders_hold_it(cells: list[Cell]) -> None:
    latest: dict[tuple[int, int], tuple[int, int]] = {}
    for r, i, level, when in cells:
        if (r, i) not in latest or (when, level) > latest[r, i][::-1]:
            latest[r, i] = (level, when)
    expected = [(*key, *value) for key, value in sorted(latest.items())]
    row, item, level, when = columns(cells)
    start = np.empty(7, np.int64)
    out = [np.empty_like(x) for x in (item, level, when)]
    order = sorted_rows(row, item, 6, 5)
    n = take_one(order, (row, item, level, when), False, 10, (start, *out))
    out = [x[:n] for x in out]
    rows = np.repeat(np.arange(6), np.diff(start)).tolist()
    assert list(zip(rows, *(x.tolist() for x in out), strict=True)) == expected
    turned = by_item(start, *out, 5)
    found = list(zip(*(x.tolist() for x in turned), strict=True))
    assert found == sorted((i, r, level, when) for r, i, level, when in expected)


@given(
    st.lists(st.tuples(st.integers(0, 8), st.one_of(st.none(), st.integers(-50, 50)))),
    st.integers(1, 9),
    st.sampled_from([1, 5]),
)
def test_rows_are_dealt_in_file_order(
    rows: list[tuple[int, int | None]], block_records: int, unit: int
) -> None:
    record = np.array([r for r, _ in rows], np.int32)
    time = np.array([NO_TIME if t is None else t * unit for _, t in rows], np.int64)
    final = np.array([3, 1, 4, 0, 5, 8, 2, 6, 7], np.int32)
    n_blocks = -(-9 // block_records)
    out = [np.empty(len(rows), kind) for kind in (np.uint16, np.int32, np.uint16, np.uint32)]
    same = np.arange(9, dtype=np.int32)
    start = partition(
        (record, record, record, time), (final, same, same), block_records, n_blocks, -50 * unit,
        unit, tuple(out),
    )  # fmt: skip
    for b in range(n_blocks):
        here = [(r, t) for r, t in rows if final[r] // block_records == b]
        expected = [
            (int(final[r]) % block_records, r, r, 0 if t is None else t + 51) for r, t in here
        ]
        part = slice(start[b], start[b + 1])
        assert list(zip(*(x[part].tolist() for x in out), strict=True)) == expected
    assert start[-1] == len(rows)


@pytest.mark.parametrize("n", [0, 1])
def test_hardly_any_rows(n: int) -> None:
    zeros = np.zeros(n, np.int32)
    assert sorted_rows(zeros, zeros, 1, 1).tolist() == list(range(n))
