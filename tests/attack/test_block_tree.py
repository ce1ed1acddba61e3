"""The tree of partials: the same for everyone, and little is left of a run of blocks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.attack.engine import block_tree
from sim.attack.engine.block_tree import GROUP_BLOCKS, groups_of, merged, most_held

pytestmark = pytest.mark.fast


def join(parts: list[str]) -> str:
    return f"({''.join(parts)})"


def leaves(first: int, end: int) -> dict[tuple[int, int], str]:
    return {(b, b + 1): f" {b}" for b in range(first, end)}


def test_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_tree, "GROUP_BLOCKS", 3)
    assert merged(leaves(0, 7), 7, join) == {(0, 7): "((( 0 1 2)( 3 4 5)) 6)"}
    assert merged(leaves(1, 6), 7, join) == {(1, 2): " 1", (2, 3): " 2", (3, 6): "( 3 4 5)"}


@given(n=st.integers(1, 200), workers=st.integers(1, 8), seed=st.integers(0, 99))
def test_who_holds_what_does_not_matter(n: int, workers: int, seed: int) -> None:
    whole = merged(leaves(0, n), n, join)
    assert list(whole) == [(0, n)]
    if n <= GROUP_BLOCKS:  # as if there were no tree
        assert whole[0, n] == (join(list(leaves(0, n).values())) if n > 1 else " 0")
    rng, some = np.random.default_rng(seed), {}
    worker = rng.integers(0, workers, n)
    for w in rng.permutation(workers):
        held = {span: part for span, part in leaves(0, n).items() if worker[span[0]] == w}
        some |= merged(held, n, join)
    assert merged(some, n, join) == whole


@given(n=st.integers(1, 3000), data=st.data())
def test_little_is_left_of_a_run(n: int, data: st.DataObject) -> None:
    first = data.draw(st.integers(0, n - 1))
    end = data.draw(st.integers(first + 1, n))
    left = merged(leaves(first, end), n, join)
    assert sum(b - a for a, b in left) == end - first
    assert len(left) <= 2 * (GROUP_BLOCKS - 1) + 2 * math.log2(max(n / GROUP_BLOCKS, 2))


@given(n=st.integers(1, 3000), shards=st.integers(1, 8))
def test_few_partials_are_held_at_a_time(n: int, shards: int) -> None:
    """By who scores and merges group after group, and by who merges what several have left."""
    groups = groups_of(range(n))
    assert [b for group in groups for b in group] == list(range(n))
    received: dict[tuple[int, int], str] = {}
    for some in np.array_split(np.arange(len(groups)), shards):
        held: dict[tuple[int, int], str] = {}
        for group in some.tolist():
            held |= leaves(groups[group][0], groups[group][-1] + 1)
            assert len(held) <= most_held(n)
            held = merged(held, n, join)
        received |= held
    if len(groups) >= shards:
        assert len(received) <= most_held(n)
    assert merged(received, n, join) == merged(leaves(0, n), n, join)
