"""Hypersparse releases: exact lengths and supports, and the same rows however they are made."""

from __future__ import annotations

import functools
import hashlib
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.errors import ConfigError
from sim.release.store.cells import SECONDS_PER_DAY
from sim.release.synthetic import named_source
from sim.release.synthetic.sparse import SparseSource, classes, half_bits, permuted
from sim.release.synthetic.sparse_presets import AMAZON_2023, SPARSE

TINY = SPARSE["amazon2023_1000"]
KNOTS = ((0.0, 1), (0.5, 2), (0.9, 9), (1.0, 300))


def columns(source: SparseSource, lo: int, hi: int, block: int) -> list[np.ndarray]:
    chunks = list(source.records(lo, hi, block))
    return [
        np.concatenate([getattr(chunk, name) for chunk in chunks])
        for name in ("record", "item", "value", "time")
    ]


def test_rows_are_what_they_were() -> None:
    rows = columns(SparseSource(TINY, 1), 0, 2000, 2000)
    digest = hashlib.sha256(b"".join(column.tobytes() for column in rows)).hexdigest()
    assert digest[:16] == "87f773dcba2dbf58"


@functools.cache
def first_rows() -> list[np.ndarray]:
    return columns(SparseSource(TINY, 7), 0, 3300, 4096)


@settings(max_examples=examples(40))
@given(st.integers(0, 3000), st.integers(1, 300), st.integers(1, 50))
def test_rows_do_not_depend_on_how_they_are_cut(lo: int, n: int, block: int) -> None:
    source, whole = SparseSource(TINY, 7), first_rows()
    here = (whole[0] > lo) & (whole[0] <= lo + n)
    for all_rows, part in zip(whole, columns(source, lo, lo + n, block), strict=True):
        assert all_rows[here].tolist() == part.tolist()


def test_lengths_and_supports_are_exact() -> None:
    source = SparseSource(TINY, 1)
    record, item, value, time = columns(source, 0, TINY.records, 4096)
    assert record.size == source.size == TINY.cells
    for column, knots, count in (
        (record, TINY.lengths, TINY.records), (item, TINY.supports, TINY.items),
    ):  # fmt: skip
        found, wanted = np.bincount(column)[1:], classes(knots, count, TINY.cells)
        expected = np.repeat(wanted.size, np.diff(wanted.member))
        assert np.sort(found).tolist() == expected.tolist()
        # Who is first in the order of identifiers says nothing about how many cells they have.
        assert abs(np.corrcoef(np.arange(found.size), found)[0, 1]) < 0.05
    day = time // SECONDS_PER_DAY - TINY.first_day
    assert day.min() >= 0
    assert day.max() < TINY.days
    shares = Counter(value.tolist())
    for level, share in zip(TINY.levels, TINY.shares, strict=True):
        assert shares[level] / value.size == pytest.approx(share, abs=0.005)


@given(st.integers(1, 300), st.integers(1, 100_000))
def test_everyone_has_cells_that_add_up(count: int, cells: int) -> None:
    try:
        found = classes(KNOTS, count, cells)
    except ConfigError:
        assert cells < 4 * count
        return
    number = np.diff(found.member)
    assert int(number.sum()) == count
    assert int((number * found.size).sum()) == cells == int(found.cell[-1])
    assert found.size.min() >= 1
    assert (np.diff(found.size) > 0).all()


@given(st.integers(1, 700), st.integers(0, 2**60))
def test_a_permutation(n: int, key: int) -> None:
    keys, half = np.arange(4, dtype=np.uint64) + np.uint64(key), np.uint64(half_bits(n))
    image = [int(permuted(np.uint64(i), np.uint64(n), half, keys)) for i in range(n)]
    assert sorted(image) == list(range(n))


def test_the_size_of_the_published_data() -> None:
    source = named_source("amazon2023", 1)
    assert (source.size, AMAZON_2023.records, AMAZON_2023.items) == (
        571_540_000, 54_510_000, 48_190_000,
    )  # fmt: skip
    people = classes(AMAZON_2023.lengths, AMAZON_2023.records, AMAZON_2023.cells)
    at = np.searchsorted(people.member, AMAZON_2023.records // 2, side="right") - 1
    assert people.size[at] == 3  # a median of a few ratings


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cells": 10}, "cells = 10: must be one for each record"),
        ({"shares": (0.5, 0.2)}, "one part for each level"),
        ({"items": 0}, "sizes must be 1 or more"),
    ],
)
def test_a_preset_that_contradicts_itself(change: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        replace(TINY, **change)
