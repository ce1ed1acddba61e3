"""Which postings fit a fact: boxes of days and levels say the same as the tables, cell by cell."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.attack.kernels.fitting import ends_of_runs, read_fitting, room_to_read
from sim.attack.kernels.score_forms import LOG
from sim.attack.kernels.score_spec import Counted
from sim.attack.kernels.types import AllTables, Postings, Tables, read_only

LEVELS, DAYS, CLASSES = 4, 20, 3


@settings(max_examples=examples(200))
@given(
    runs=st.lists(st.integers(0, CLASSES - 1), min_size=1, max_size=5),
    fits=st.lists(st.booleans(), min_size=CLASSES * LEVELS, max_size=CLASSES * LEVELS),
    offset=st.integers(0, 10),
    postings=st.sampled_from([0, 3, 511, 512, 513, 1000, 2600]),
    seed=st.integers(0, 1000),
)
def test_a_long_list_is_read_as_a_short_one(
    runs: list[int], fits: list[bool], offset: int, postings: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.integers(0, DAYS + offset + 1, len(runs) - 1))
    classes = np.repeat(runs, np.diff([0, *cuts, DAYS + offset])).astype(np.uint8)
    right = np.where(fits, rng.random(CLASSES * LEVELS) + 0.1, 0.0)[np.newaxis]
    row = np.sort(rng.choice(3000, postings, replace=False)).astype(np.uint16)
    level = rng.integers(0, LEVELS, postings).astype(np.uint8)
    day = rng.integers(0, DAYS, postings).astype(np.uint16)
    block = read_only(Postings(0, 3000, np.array([0, postings]), row, level, day))
    counted = Counted(right=right, levels=LEVELS, days=DAYS, number=np.zeros(1, np.int64))
    none = np.empty((0, 0))
    smooth = Tables(none, none, np.empty(0), np.array([offset]))
    tables = read_only(AllTables(smooth, np.empty((0, 0, 0)), classes, counted))
    room, rows = (ends_of_runs(tables), room_to_read(postings)), np.zeros(3001, np.int32)
    n = read_fitting(0, (0, postings), LOG, block, tables, (0.0, 0.0), room, rows)
    wanted = row[right[0, classes[offset + day] * LEVELS + level] > 0]
    assert rows[:n].tolist() == wanted.tolist()
