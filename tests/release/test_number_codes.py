"""Numbers get the codes that a plain vocabulary gives them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.release.store.number_codes import NumberCodes
from sim.release.store.vocabulary import Vocabulary

INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
FLOATS = st.floats(allow_infinity=False) | st.sampled_from([0.0, -0.0, math.nan, 0.5, 4.0])


def codes(book: Vocabulary, chunks: list[list[Any]], kind: type) -> tuple[Any, ...]:
    encoded = [book.encode(np.array(chunk, kind)).tolist() for chunk in chunks]
    ids, final = book.finish()
    return encoded, repr(ids.to_pylist()), final.tolist(), len(book)


@given(st.lists(st.lists(INTEGERS, max_size=20), max_size=5))
def test_integers(chunks: list[list[int]]) -> None:
    assert codes(NumberCodes(), chunks, np.int64) == codes(Vocabulary(), chunks, np.int64)


@given(st.lists(st.lists(FLOATS, max_size=20), max_size=5))
def test_floats(chunks: list[list[float]]) -> None:
    assert codes(NumberCodes(), chunks, np.float64) == codes(Vocabulary(), chunks, np.float64)


@pytest.mark.parametrize("step", [1, 1 << 20, 1 << 32, 10**15])
def test_a_table_that_grows_many_times(step: int) -> None:
    numbers = np.random.default_rng(step % 97).permutation(20_000) * step
    chunks = [numbers.tolist(), numbers[::-1].tolist()]
    assert codes(NumberCodes(), chunks, np.int64) == codes(Vocabulary(), chunks, np.int64)


def test_columns_of_pyarrow() -> None:
    """As defences have them."""
    assert NumberCodes().encode(pa.array([7, 8, 7])).tolist() == [0, 1, 0]


def test_strided_columns() -> None:
    pairs = np.array([[7, 1], [8, 2], [7, 3]])
    assert NumberCodes().encode(pairs[:, 0]).tolist() == [0, 1, 0]
