"""Eight lanes at a time do what NumPy does to eight numbers one by one, to the bit."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from numpy.typing import NDArray

from sim.attack.kernels import lanes as ln
from sim.attack.kernels import memory as mv
from sim.attack.kernels.arithmetic import fma, if_more, scaled

_U = np.uint64
masks = st.integers(0, ln.ALL).map(np.uint8)
numbers = st.lists(
    st.floats(allow_nan=False, width=64) | st.sampled_from([0.0, -0.0, np.inf, np.nan]),
    min_size=ln.WIDTH,
    max_size=ln.WIDTH,
).map(np.array)


def chosen(mask: np.uint8) -> NDArray[np.bool_]:
    return np.unpackbits(np.array([mask], np.uint8), bitorder="little").astype(bool)


def same(a: Any, b: Any) -> None:
    assert np.asarray(a).tobytes() == np.asarray(b).tobytes(), (a, b)


@numba.njit
def reckon(a, b, c, out):  # type: ignore[no-untyped-def]
    x, y = mv.load(a, _U(0), np.uint8(ln.ALL)), mv.load(b, _U(0), np.uint8(ln.ALL))
    z = mv.load(c, _U(0), np.uint8(ln.ALL))
    mv.store(out, _U(0), x + y)
    mv.store(out, _U(8), x - y)
    mv.store(out, _U(16), x * y)
    mv.store(out, _U(24), x + 1.5)
    mv.store(out, _U(32), 1.5 - x)
    mv.store(out, _U(40), if_more(x, y, z, 3.0))
    return ln.hsum(x)


@settings(max_examples=examples(300))
@given(numbers, numbers, numbers)
def test_arithmetic(a: Any, b: Any, c: Any) -> None:
    out = np.empty(48)
    with np.errstate(all="ignore"):
        total = reckon(a, b, c, out)
        four = a[:4] + a[4:]
        two = four[:2] + four[2:]
        whole = two[0] + two[1]
        parts = [a + b, a - b, a * b, a + 1.5, 1.5 - a, np.where(a > b, c, 3.0)]
        wanted = np.concatenate(parts)
    # Which NaN it is, is nobody's business.
    assert np.array_equal(out, wanted, equal_nan=True)
    same(np.signbit(out[~np.isnan(out)]), np.signbit(wanted[~np.isnan(wanted)]))
    assert np.array_equal(total, whole, equal_nan=True)


@numba.njit
def compare(a, b, mask):  # type: ignore[no-untyped-def]
    x, y = mv.load(a, _U(0), np.uint8(ln.ALL)), mv.load(b, _U(0), np.uint8(ln.ALL))
    return (
        ln.eq(x, y, mask), ln.ge(x, y, mask), ln.gt(x, y, mask),
        ln.hsum_i64(ln.add_signs(ln.add_signs(ln.zeros_i64(), x), y)), ln.popcount(mask),
    )  # fmt: skip


@settings(max_examples=examples(300))
@given(numbers, numbers, masks)
def test_comparisons(a: Any, b: Any, mask: np.uint8) -> None:
    equal, at_least, more, signs, count = compare(a, b, mask)
    those = chosen(mask)
    same(chosen(equal), (a == b) & those)
    same(chosen(at_least), (a >= b) & those)
    same(chosen(more), (a > b) & those)
    assert signs == np.signbit(a).sum() + np.signbit(b).sum()
    assert count == those.sum()


@numba.njit
def move(table, at, first, mask, values, out, kept, rows):  # type: ignore[no-untyped-def]
    where = mv.load(at, _U(1), mask)
    mv.store(out, _U(0), mv.gather(table, first, where, mask))
    mv.scatter(table, first, where, mask, mv.load(values, _U(0), mask))
    mv.compress_store(kept, _U(2), mask, mv.load(values, _U(0), np.uint8(ln.ALL)))
    mv.compress_store(rows, _U(2), mask, mv.load(at, _U(1), np.uint8(ln.ALL)))
    return ln.below(where, _U(first + _U(10)), mask)


@pytest.mark.parametrize("kind", [np.uint8, np.uint16, np.uint32])
@settings(max_examples=examples(200))
@given(at=st.permutations(range(20)), mask=masks, values=numbers, first=st.integers(0, 30))
def test_gather_scatter_append(
    kind: Any, at: list[int], mask: np.uint8, values: Any, first: int
) -> None:
    rows = np.array([0, *at[: ln.WIDTH]], kind) + kind(first)
    table, out = np.arange(20) * 1.5, np.empty(8)
    kept, appended = np.zeros(12), np.zeros(12, kind)
    before = table.copy()
    below = move(table, rows, _U(first), mask, values, out, kept, appended)
    those, where = chosen(mask), rows[1:].astype(int) - first
    same(out, np.where(those, before[where], 0.0))
    before[where[those]] = values[those]
    same(table, before)
    same(kept[2 : 2 + those.sum()], values[those])
    same(appended[2 : 2 + those.sum()], rows[1:][those])
    same(chosen(below), (where < 10) & those)


@numba.njit
def look_up(table, a, at, mask, out):  # type: ignore[no-untyped-def]
    places = mv.load(at, _U(0), np.uint8(ln.ALL))
    mv.store(out, _U(0), mv.permute_lookup(table, mv.row_of(table, a), places, mask))


@given(
    table=st.lists(st.floats(), min_size=48, max_size=48),
    a=st.integers(0, 2),
    at=st.lists(st.integers(0, 15), min_size=ln.WIDTH, max_size=ln.WIDTH),
    mask=masks,
)
def test_pick(table: list[float], a: int, at: list[int], mask: np.uint8) -> None:
    """The row may lie in the processor or in memory."""
    rows, out = np.array(table).reshape(3, 2, ln.WIDTH), np.empty(ln.WIDTH)
    look_up(rows, a, np.array(at, np.uint8), mask, out)
    same(out, np.where(chosen(mask), rows[a].ravel()[at], 0.0))


@numba.njit
def pick(array, mask, j):  # type: ignore[no-untyped-def]
    x = mv.load(array, _U(0), np.uint8(ln.ALL))
    return ln.lane(x, j), ln.ctz(mask), ln.clear_lowest(mask)


@settings(max_examples=examples(100))
@given(numbers, st.integers(1, ln.ALL), st.integers(0, 7))
def test_one_lane_and_the_lowest(a: Any, mask: int, j: int) -> None:
    number, first, rest = pick(a, np.uint8(mask), j)
    assert np.array_equal(number, a[j], equal_nan=True)
    assert first == np.flatnonzero(chosen(np.uint8(mask)))[0]
    assert rest == mask & (mask - 1)


@settings(max_examples=examples(200))
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_between(k: int, begin: int, end: int) -> None:
    at = np.arange(k, k + ln.WIDTH)
    same(chosen(ln.between(_U(k), _U(begin), _U(end))), (at >= begin) & (at < end))


@numba.njit
def raised(a, exponents, out):  # type: ignore[no-untyped-def]
    everything = np.uint8(ln.ALL)
    x, k = mv.load(a, _U(0), everything), mv.load(exponents, _U(0), everything)
    mv.store(out, _U(0), scaled(x, k))
    mv.store(out, _U(8), fma(x, k, 1.0))
    for j in range(8):
        out[16 + j] = scaled(a[j], exponents[j])
        out[24 + j] = fma(a[j], exponents[j], 1.0)


@settings(max_examples=examples(100))
@given(
    st.lists(st.floats(0.5, 2.0), min_size=8, max_size=8),
    st.lists(st.integers(-900, 900), min_size=8, max_size=8),
)
def test_eight_as_one(a: list[float], powers: list[int]) -> None:
    out = np.empty(32)
    raised(np.array(a), np.array(powers) + 1.5 * 2.0**52, out)
    same(out[:16], out[16:])
    same(out[:8], np.ldexp(a, powers))


@numba.njit
def arrange(a, b, mask, out):  # type: ignore[no-untyped-def]
    x, y = mv.load(a, _U(0), np.uint8(ln.ALL)), mv.load(b, _U(0), np.uint8(ln.ALL))
    mv.store(out, _U(0), ln.up_one(x))
    mv.store(out, _U(8), ln.up_two(x))
    mv.store(out, _U(16), ln.up_four(x))
    mv.store(out, _U(24), ln.highest(x))
    mv.store(out, _U(32), ln.select(mask, x, y))
    mv.store(out, _U(40), ln.bits_of_either(ln.shift_left(x, 20), y))
    mv.store(out, _U(48), ln.shift_right(x, 3))
    mv.store(out, _U(56), mv.compress(mask, x))
    return ln.same(x, y, mask)


@settings(max_examples=examples(300))
@given(st.integers(0, 10_000), masks, st.sampled_from([np.uint16, np.int64]))
def test_integers(seed: int, mask: np.uint8, into: Any) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 3, (2, ln.WIDTH)).astype(np.uint16) * 1_000
    out, kept = np.empty(64, into), chosen(mask)
    equal = arrange(a, b, mask, out)
    moved, wide = out.reshape(8, 8), a.astype(np.int64)
    for row, n in enumerate((1, 2, 4)):
        same(moved[row, n:], a[:-n].astype(into))
    same(moved[3], np.repeat(a[-1:], ln.WIDTH).astype(into))
    same(moved[4], np.where(kept, a, b).astype(into))
    same(moved[5], (wide << 20 | b).astype(into))
    same(moved[6], (a >> 3).astype(into))
    same(moved[7, : kept.sum()], a[kept].astype(into))
    same(chosen(equal), (a == b) & kept)
