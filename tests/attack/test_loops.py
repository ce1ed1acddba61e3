"""The vector loops and the scalar loops make the same bits."""

from __future__ import annotations

import importlib
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import deep, examples

from sim.attack.kernels import scalar_loops, simd
from sim.attack.kernels.entropy_weights import finish_weighing, make_weighing
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.moments import MOMENT_LANES, start_moments
from sim.attack.kernels.partials import PARTIAL
from sim.attack.kernels.postings import start_cursors
from sim.attack.kernels.tiled import tile_end
from sim.attack.kernels.top2 import TOP, start_top
from sim.attack.kernels.types import Postings, Pruning, Tables, Tile

if not simd.works():
    pytest.skip("vectors do not compile here", allow_module_level=True)

vector_loops = importlib.import_module("sim.attack.kernels.vector_loops")
LOOPS = (vector_loops, scalar_loops)

RECORDS = 700
FACTS = 3
_U = np.uint64


@numba.njit
def scan(loops_add, loops_top, postings, item, tables, removed, own, pruning, scores):  # type: ignore[no-untyped-def]
    n, facts = postings.n_records, item.size
    cursors, score = np.empty((3, facts), np.uint64), np.full(RECORDS, -0.0)
    pruning.sums[:] = 0.0
    start_cursors(0, facts, item, postings, removed, cursors)
    start_top(n - (removed >= 0), own, np.zeros((facts, 2)), pruning.top)
    begin, found = 0, np.int64(0)
    while begin < n:
        limit = tile_end(begin, n)
        tile, n_survivors = Tile(score, _U(begin), cursors), _U(0)
        for a in range(facts):
            top = pruning.top[a]
            more, n_survivors = loops_add(
                a, a, limit, postings, tables, tile, pruning, top["threshold"], n_survivors
            )
            found += more
            n_survivors = loops_top(
                n_survivors, pruning.survivors, tile, own[a],
                pruning.top[a + 1]["threshold"] if a + 1 < facts else np.inf, top,
            )  # fmt: skip
        scores[begin:limit] = score[: limit - begin]
        score[:] = -0.0
        begin = limit
    return found


def postings_of(rng: Any, level_type: Any, levels: int, days: bool) -> Postings:
    rows = [np.flatnonzero(rng.random(RECORDS) < share) for share in (0.7, 0.2, 0.03)]
    size = sum(r.size for r in rows)
    return Postings(
        0, RECORDS,
        np.concatenate([[0], np.cumsum([r.size for r in rows])]),
        np.concatenate(rows).astype(np.uint16),
        rng.integers(0, levels, size).astype(level_type),
        rng.integers(0, 40, size).astype(np.uint16) if days else None,
    )  # fmt: skip


def tables_of(rng: Any, levels: int, days: str) -> Tables:
    """Few levels or many, with one weight of days, one for each level, or none."""
    shape = (FACTS, 2, WIDTH) if levels <= 2 * WIDTH else (FACTS, levels)
    add = rng.choice([0.0, 0.25, 1.0, 3.7], shape)
    mul = {"one": rng.random(FACTS), "each": rng.random((FACTS, levels)), "none": None}[days]
    return Tables(add, mul, rng.choice([0.0, 0.5, 1 / 3], 60), rng.integers(0, 20, FACTS))


@pytest.mark.parametrize(
    ("days", "levels", "level_type"),
    [
        *(("one", 6, np.uint8), ("each", 300, np.uint16), ("none", 6, np.uint8)),
        *deep(("one", 300, np.uint16), ("each", 6, np.uint8), ("none", 300, np.uint16)),
    ],
)
@settings(max_examples=examples(20))
@given(seed=st.integers(0, 10_000), removed=st.sampled_from([-1, 0, 5, 699]), own=st.booleans())
def test_adding_and_pruning(
    days: str, levels: int, level_type: Any, seed: int, removed: int, own: bool
) -> None:
    rng = np.random.default_rng(seed)
    postings = postings_of(rng, level_type, levels, days != "none")
    tables = tables_of(rng, levels, days)
    item = rng.permutation(3).astype(np.int32)
    of_target = np.sort(rng.random(FACTS) * 4) if own else np.full(FACTS, np.nan)
    found = []
    for loops in LOOPS:
        pruning = Pruning(
            np.empty(FACTS * 2 * WIDTH), np.zeros(RECORDS + WIDTH, np.uint16), np.zeros(FACTS, TOP)
        )
        scores = np.empty(RECORDS)
        overlapping = scan(
            loops.add_and_prune, loops.update_top2, postings, item, tables, removed, of_target,
            pruning, scores,
        )  # fmt: skip
        found.append((overlapping, scores.tobytes(), pruning.sums.tobytes(), pruning.top.tobytes()))
    assert found[0] == found[1]
    scores = np.frombuffer(found[0][1])
    assert found[0][0] == (~np.signbit(scores)).sum() > 0
    assert removed < 0 or np.signbit(scores[removed])


@numba.njit
def add_all(loops_add, postings, item, tables, score):  # type: ignore[no-untyped-def]
    cursors = np.empty((3, item.size), np.uint64)
    start_cursors(0, item.size, item, postings, -1, cursors)
    for begin in range(0, RECORDS, 100):
        for a in range(item.size):
            tile = Tile(score[begin : begin + 100], _U(begin), cursors)
            loops_add(a, a, _U(begin + 100), postings, tables, tile)


@given(st.integers(0, 10_000), st.sampled_from(["one", "each", "none"]))
def test_adding(seed: int, days: str) -> None:
    rng = np.random.default_rng(seed)
    postings, tables = postings_of(rng, np.uint8, 6, days != "none"), tables_of(rng, 6, days)
    item = rng.permutation(3).astype(np.int32)
    scores = [np.full(RECORDS, -0.0) for _ in LOOPS]
    for loops, score in zip(LOOPS, scores, strict=True):
        add_all(loops.add_fact, postings, item, tables, score)
    assert scores[0].tobytes() == scores[1].tobytes()


@numba.njit
def reduce_all(loops_best, postings, tables, out):  # type: ignore[no-untyped-def]
    n, until = np.int64(0), np.empty(FACTS, np.int64)
    for a in range(FACTS):
        cells = postings.item_start[a], postings.item_start[a + 1]
        n = loops_best(a, cells, postings, tables, n, out)
        until[a] = n
    return until


@settings(max_examples=examples(300))
@given(
    seed=st.integers(0, 10_000),
    levels=st.sampled_from([6, 300]),
    longest=st.sampled_from([1, 2, 3, 9, 40]),
)
def test_the_best_cell_of_each_record(seed: int, levels: int, longest: int) -> None:
    rng = np.random.default_rng(seed)
    runs = [rng.integers(1, longest + 1, rng.integers(0, 12)) for _ in range(FACTS)]
    rows = [np.repeat(np.sort(rng.permutation(50)[: of.size]), of) for of in runs]
    n = sum(row.size for row in rows)
    postings = Postings(
        0, RECORDS,
        np.concatenate([[0], np.cumsum([row.size for row in rows])]),
        np.concatenate(rows).astype(np.uint16),
        rng.integers(0, levels, n).astype(np.uint16 if levels > 255 else np.uint8),
        rng.integers(0, 40, n).astype(np.uint16),
    )  # fmt: skip
    add, mul = rng.choice([0.0, 0.25, 1.0], (2, FACTS, levels))
    days, offset = rng.choice([0.0, 0.5, 1 / 3], 60), rng.integers(0, 20, FACTS)
    tables = Tables(add, mul, days, offset)
    wanted = []
    for a in range(FACTS):
        best: dict[int, tuple[float, int]] = {}
        for k in range(postings.item_start[a], postings.item_start[a + 1]):
            row, level, day = (column[k] for column in postings[3:])
            found = add[a, level] + mul[a, level] * days[offset[a] + day]
            if row not in best or found > best[row][0]:
                best[row] = found, k
        wanted.append([k for _, k in best.values()])
    taken = np.concatenate(wanted).astype(int)
    for loops in LOOPS:
        out = tuple(np.empty(n + WIDTH, column.dtype) for column in postings[3:])
        until = reduce_all(loops.best_of_records, postings, tables, out)
        assert until.tolist() == np.cumsum([len(of) for of in wanted]).tolist()
        for column, given_ in zip(out, postings[3:], strict=True):
            assert column[: taken.size].tolist() == given_[taken].tolist()


@numba.njit
def accumulate(loops_accumulate, score, held, bounds, sums_up, lane_sums, out):  # type: ignore[no-untyped-def]
    start_moments(lane_sums, out[0])
    for begin in range(0, score.size, 64):
        loops_accumulate(
            score[begin : begin + 64], held[begin : begin + 64], 1000 + begin, bounds, sums_up,
            lane_sums, out[0],
        )  # fmt: skip


@given(
    seed=st.integers(0, 10_000),
    n=st.sampled_from([1, 7, 8, 64, 200, 333]),
    values=st.sampled_from([[0.0], [0.0, 1.0, 2.5], [-np.inf, -3.0, -1.0], [np.nan, 0.5]]),
    sums_up=st.booleans(),
)
def test_moments(seed: int, n: int, values: list[float], sums_up: bool) -> None:
    rng = np.random.default_rng(seed)
    score = np.where(rng.random(n) < 0.5, rng.choice(values, n), rng.choice([*values, np.nan], n))
    held = rng.integers(0, 2, n).astype(np.uint32)
    bounds = float(rng.choice([np.nan, 0.0, 1.0])), float(rng.choice([-np.inf, 0.0]))
    found = []
    for loops in LOOPS:
        out, lane_sums = np.zeros(1, PARTIAL), np.empty(MOMENT_LANES)
        with np.errstate(invalid="ignore"):
            accumulate(loops.accumulate_moments, score, held, bounds, sums_up, lane_sums, out)
        found.append((out.tobytes(), lane_sums.tobytes()))
    assert found[0] == found[1]
    assert out["candidates"] == (~np.isnan(score)).sum()


@numba.njit
def weighed(loops_weigh, score, best, sigma, out):  # type: ignore[no-untyped-def]
    weighing = make_weighing(sigma, 100)
    for begin in range(0, score.size, 100):
        part = score[begin : begin + 100]
        loops_weigh(part, part.size, best, 1, weighing)
    finish_weighing(score.size - weighing.nonzero[1], best, 1, weighing, out)
    return weighing.lane_sums


@given(
    seed=st.integers(0, 10_000),
    n=st.sampled_from([1, 7, 100, 333]),
    zeros=st.sampled_from([0.0, 0.5, 1.0]),
    sigma=st.sampled_from([[0.7, 3.0], [0.0, 0.7], [3.0], [1e-4]]),
)
def test_weighing(seed: int, n: int, zeros: float, sigma: list[float]) -> None:
    rng = np.random.default_rng(seed)
    score = np.where(rng.random(n) < zeros, -0.0, rng.random(n) * 9)
    score[1:][rng.random(n - 1) < 0.1] = np.nan
    found = []
    for loops in LOOPS:
        out = np.zeros((len(sigma), 2))
        sums = weighed(loops.weigh_tile, score, 9.0, np.array([sigma, sigma]), out)
        found.append((out.tobytes(), sums[:, 1:].tobytes()))
    assert found[0] == found[1]
    assert out[-1, 0] > 0 or min(sigma) < 0.1  # exponentials of less than −700 are 0
