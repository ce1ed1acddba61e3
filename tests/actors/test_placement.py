"""Placement: every block in one shard of each row, no scorer idle, none busier than need be."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.placement import place
from sim.attack.engine.block_tree import GROUP_BLOCKS

BLOCKS = st.lists(st.integers(1, 10**9), min_size=1, max_size=24)


@given(blocks=BLOCKS, workers=st.integers(1, 40))
def test_is_a_partition(blocks: list[int], workers: int) -> None:
    placement = place(blocks, workers)
    assert placement.workers == placement.replicas * len(placement.shards) == workers
    assert all(placement.shards)
    # Consecutive, ascending, all of them, each once.
    assert [b for shard in placement.shards for b in shard] == list(range(len(blocks)))
    assert place(blocks, workers) == placement


@given(data=st.data(), blocks=BLOCKS, shards=st.integers(1, 24), replicas=st.integers(1, 5))
def test_as_many_shards_as_asked(
    data: st.DataObject, blocks: list[int], shards: int, replicas: int
) -> None:
    shards = min(shards, len(blocks))
    placement = place(blocks, shards * replicas, shards)
    assert (placement.replicas, len(placement.shards)) == (replicas, shards)
    assert all(placement.shards)
    assert [b for shard in placement.shards for b in shard] == list(range(len(blocks)))


@pytest.mark.parametrize(
    ("blocks", "workers", "shards"),
    [([1, 1], 3, 2), ([1, 1], 2, 3), ([1], 1, 0), ([1], 2, -1), ([1, 1, 1], 4, 3), ([1], 3, 2)],
)
def test_impossible_shards_are_refused(blocks: list[int], workers: int, shards: int) -> None:
    with pytest.raises(ValueError, match=f"{shards} shards of {len(blocks)} blocks"):
        place(blocks, workers, shards)


@given(blocks=BLOCKS, workers=st.integers(1, 40))
def test_the_choice_is_the_finest_of_the_fast(blocks: list[int], workers: int) -> None:
    """No division of the workers makes the busiest scorer's load much less than the one chosen."""

    def load(shards: int) -> float:
        """Cells the busiest scorer reads for each batch of the whole cluster."""
        split = place(blocks, workers, shards).shards
        return max(sum(blocks[b] for b in shard) for shard in split) * shards / workers

    possible = [s for s in range(1, workers + 1) if workers % s == 0 and s <= len(blocks)]
    chosen = len(place(blocks, workers).shards)
    fast = [s for s in possible if load(s) <= 1.05 * min(map(load, possible))]
    assert chosen == max(fast)


@given(size=st.integers(1, 10**8), blocks=st.integers(1, 60), workers=st.integers(1, 60))
def test_equal_blocks_are_shared_evenly(size: int, blocks: int, workers: int) -> None:
    lengths = {len(shard) for shard in place([size] * blocks, workers).shards}
    assert max(lengths) - min(lengths) <= 1


@given(groups=st.integers(20, 60), rest=st.integers(1, GROUP_BLOCKS), parts=st.integers(1, 3))
def test_groups_stay_whole_where_that_is_even(groups: int, rest: int, parts: int) -> None:
    shards = place([7] * (groups * parts * GROUP_BLOCKS - GROUP_BLOCKS + rest), parts, parts).shards
    assert all(shard[0] % GROUP_BLOCKS == 0 for shard in shards)


def test_many_workers_share_groups() -> None:
    """Shards of a few blocks would leave all merging to the aggregator."""
    crowd = place([7] * 15_259, 1600)
    assert (crowd.replicas, len(crowd.shards)) == (10, 160)
    assert all(shard[0] % GROUP_BLOCKS == 0 for shard in crowd.shards)


@given(
    blocks=st.lists(st.integers(1, 10**9), min_size=GROUP_BLOCKS + 1, max_size=300),
    workers=st.integers(1, 40),
)
def test_shards_of_many_blocks_are_whole_groups(blocks: list[int], workers: int) -> None:
    placement = place(blocks, workers)
    assert placement.workers == workers
    assert [b for shard in placement.shards for b in shard] == list(range(len(blocks)))
    assert all(shard[0] % GROUP_BLOCKS == 0 for shard in placement.shards)
