"""Texts get the codes that a plain vocabulary gives them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.release.store import text_codes
from sim.release.store.text_codes import TextCodes
from sim.release.store.vocabulary import Vocabulary

WRITTEN = [
    "0",
    "-0",
    "7",
    "-7",
    "007",
    "+7",
    "",
    "-",
    " 7",
    "9" * 18,
    "9" * 19,
    "1e3",
    "\u00e9",
    "z",
]
TEXTS = (
    st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    | st.integers(-(10**19), 10**19).map(str)
    | st.sampled_from(WRITTEN)
)
KINDS = st.sampled_from([pa.string(), pa.large_string()])


def codes(book: Vocabulary, chunks: list[Any]) -> tuple[Any, ...]:
    encoded = [book.encode(chunk).tolist() for chunk in chunks]
    ids, final = book.finish()
    return encoded, ids.type, ids.to_pylist(), final.tolist(), len(book)


def assert_same(chunks: list[Any]) -> None:
    assert codes(TextCodes(), chunks) == codes(Vocabulary(), chunks)


@given(st.lists(st.tuples(st.lists(TEXTS | st.none(), min_size=1, max_size=20), KINDS), max_size=5))
def test_texts(given: list[tuple[list[str | None], Any]]) -> None:
    chunks = [pa.array(chunk, kind) for chunk, kind in given]
    if any(len(chunk) > chunk.null_count for chunk in chunks):
        assert_same(chunks)


@given(st.lists(st.integers(-(10**19), 10**19), min_size=1, max_size=20))
def test_integers_written_as_text(numbers: list[int]) -> None:
    assert_same([pa.array(map(str, numbers))])


def test_a_table_that_grows_many_times() -> None:
    texts = [f"{k:x}" * (k % 3 + 1) for k in np.random.default_rng(1).permutation(20_000)]
    assert_same([pa.array(texts), pa.array(texts[::-1])])


def test_texts_whose_hashes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text begins to be looked for in the same place."""
    monkeypatch.setattr(text_codes, "_encode", text_codes._encode.py_func)
    monkeypatch.setattr(text_codes, "_same", text_codes._same.py_func)
    monkeypatch.setattr(text_codes, "_MIX", np.uint64(0))
    with np.errstate(over="ignore"):  # hashes wrap around
        assert_same([pa.array(["a", "b", "ab", "", "b", "a"]), pa.array(["", "ba", "ab"])])


def test_parts_of_columns() -> None:
    column = pa.array(["x", "a", None, "b", "a"])
    assert TextCodes().encode(column[1:]).tolist() == [0, -1, 1, 0]
    assert TextCodes().encode(column[:0]).tolist() == []
