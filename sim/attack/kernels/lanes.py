"""Vectors of eight ``float64`` (`f64x8`) or eight ``int64`` (`i64x8`) for Numba.

Invariant: lane j of a result depends on lane j of the operands alone, with the arithmetic of single
numbers. So every machine makes the same bits; a processor with shorter vectors takes more steps.

Mask convention: a *mask* is a ``uint8`` whose bit j says whether lane j takes part. A comparison
takes a mask and returns the lanes of it where the comparison holds.

Numba has no names for these operations; its compiler, LLVM, does. They are an optimisation:
`sim.attack.kernels.simd` says where they are used; `sim.attack.kernels.scalar_loops` does without.
"""

# mypy: disable-error-code="call-arg,no-untyped-call,no-untyped-def"
# Neither Numba's builders nor compiled functions are typed.

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic, models, overload, register_model

from sim.numeric.compiled import njit

WIDTH = 8
ALL = 255
"""The mask of all lanes."""

BYTE, INT32, INT64, DOUBLE = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
MASK = ir.VectorType(ir.IntType(1), WIDTH)
F64X8, I64X8 = ir.VectorType(DOUBLE, WIDTH), ir.VectorType(INT64, WIDTH)
_LLVM_TYPE = {"float64": F64X8, "int64": I64X8}


class Lanes(types.Type):
    """Eight ``float64`` or eight ``int64``."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(name=f"Lanes({kind})")


f64x8 = Lanes("float64")
i64x8 = Lanes("int64")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, _LLVM_TYPE[kind.kind])


def broadcast(builder: Any, number: Any, into: Any = F64X8) -> Any:
    """Emit LLVM code that copies one number into every lane."""
    nothing = ir.Constant(into, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(INT32, 0))
    order = ir.Constant(ir.VectorType(INT32, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, nothing, order)


def mask_bits(builder: Any, mask: Any) -> Any:
    """Emit LLVM code that turns a ``uint8`` mask into a vector of eight bits."""
    return builder.bitcast(mask, MASK)


def _masked(builder: Any, found: Any, mask: Any) -> Any:
    return builder.and_(builder.bitcast(found, BYTE), mask)


@intrinsic
def splat(typing: Any, number: Any) -> Any:  # noqa: ARG001
    """Copy one number into every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return broadcast(builder, arguments[0])

    return f64x8(types.float64), generate


def _compared(sign: str, relation: str) -> Any:
    """Return the intrinsic that compares two vectors lane by lane."""

    @intrinsic
    def compare(typing: Any, a: Any, b: Any, mask: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            found = builder.fcmp_ordered(sign, arguments[0], arguments[1])
            return _masked(builder, found, arguments[2])

        return types.uint8(f64x8, f64x8, types.uint8), generate

    compare.__doc__ = f"Return the lanes of a mask where a is {relation} b; NaN never is."
    return compare


eq = _compared("==", "equal to")
ge = _compared(">=", "at least")
gt = _compared(">", "more than")


@intrinsic
def add_signs(typing: Any, counts: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Add 1 to the counts of the lanes whose sign bit is set, as it is in −0.0."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        bits = builder.bitcast(arguments[1], I64X8)
        signs = builder.lshr(bits, ir.Constant(I64X8, [63] * WIDTH))
        return builder.add(arguments[0], signs)

    return i64x8(i64x8, f64x8), generate


@intrinsic
def zeros_i64(typing: Any) -> Any:  # noqa: ARG001
    """Return 0 in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return ir.Constant(I64X8, None)

    return i64x8(), generate


@intrinsic
def hsum_i64(typing: Any, counts: Any) -> Any:  # noqa: ARG001
    """Sum of all lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        total = ir.Constant(INT64, 0)
        for j in range(WIDTH):
            one = builder.extract_element(arguments[0], ir.Constant(INT32, j))
            total = builder.add(total, one)
        return total

    return types.int64(i64x8), generate


@intrinsic
def below(typing: Any, at: Any, limit: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return the lanes of a mask that are below a limit, as unsigned numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        limits = broadcast(builder, arguments[1], I64X8)
        return _masked(builder, builder.icmp_unsigned("<", arguments[0], limits), arguments[2])

    return types.uint8(i64x8, types.uint64, types.uint8), generate


@intrinsic
def same(typing: Any, a: Any, b: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return the lanes of a mask where two vectors of integers are the same."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return _masked(builder, builder.icmp_unsigned("==", *arguments[:2]), arguments[2])

    return types.uint8(i64x8, i64x8, types.uint8), generate


@intrinsic
def select(typing: Any, mask: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """Return a in the lanes of a mask, b elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.select(mask_bits(builder, arguments[0]), *arguments[1:])

    return a(types.uint8, a, a), generate


def _shuffled(order: Sequence[int], meaning: str) -> Any:
    """Return the intrinsic whose lane j is lane order[j] of its argument."""

    @intrinsic
    def shuffle(typing: Any, lanes: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            by = ir.Constant(ir.VectorType(INT32, WIDTH), list(order))
            return builder.shuffle_vector(arguments[0], arguments[0], by)

        return lanes(lanes), generate

    shuffle.__doc__ = meaning
    return shuffle


def _moved(n: int) -> Any:
    order = [*([0] * n), *range(WIDTH - n)]
    return _shuffled(order, f"Move every lane {n} up; the lowest {n} are of no meaning.")


up_one, up_two, up_four = _moved(1), _moved(2), _moved(4)
highest = _shuffled([WIDTH - 1] * WIDTH, "Copy the highest lane into every lane.")


@intrinsic
def shift_left(typing: Any, lanes: Any, bits: Any) -> Any:  # noqa: ARG001
    """Shift every integer left by as many bits."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.shl(arguments[0], broadcast(builder, arguments[1], I64X8))

    return i64x8(i64x8, types.int64), generate


@intrinsic
def shift_right(typing: Any, lanes: Any, bits: Any) -> Any:  # noqa: ARG001
    """Shift every integer right by as many bits, zeros coming in."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.lshr(arguments[0], broadcast(builder, arguments[1], I64X8))

    return i64x8(i64x8, types.int64), generate


@njit(inline="always")
def mask_or_zero(lanes, mask):
    """Return the lanes of a mask, 0 elsewhere."""
    return select(mask, lanes, splat(0.0))


@intrinsic
def popcount(typing: Any, mask: Any) -> Any:  # noqa: ARG001
    """Count the lanes of a mask."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.zext(builder.ctpop(arguments[0]), INT64)

    return types.int64(types.uint8), generate


@intrinsic
def ctz(typing: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return the lowest lane of a mask, which must not be empty."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        wide = builder.zext(arguments[0], INT32)
        return builder.zext(builder.cttz(wide, ir.Constant(ir.IntType(1), 1)), INT64)

    return types.int64(types.uint8), generate


@njit(inline="always")
def clear_lowest(mask):
    """Return a mask without its lowest lane."""
    return np.uint8(mask & (mask - np.uint8(1)))


@njit(inline="always")
def between(k, begin, end):
    """Return the mask of lanes j with begin ≤ k + j < end."""
    mask, width = np.uint64(ALL), np.uint64(WIDTH)
    if k < begin:
        mask &= mask << min(begin - k, width)
    if k + width > end:
        mask &= np.uint64(ALL) >> min(k + width - end, width)
    return np.uint8(mask)


@intrinsic
def lane(typing: Any, lanes: Any, j: Any) -> Any:  # noqa: ARG001
    """Return lane j as a number."""
    back = types.float64 if lanes == f64x8 else types.int64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.extract_element(arguments[0], builder.trunc(arguments[1], INT32))

    return back(lanes, types.int64), generate


@intrinsic
def hsum(typing: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Sum of all lanes: ((0 + 4) + (2 + 6)) + ((1 + 5) + (3 + 7))."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        indices = [ir.Constant(INT32, j) for j in range(WIDTH)]
        parts = [builder.extract_element(arguments[0], index) for index in indices]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [builder.fadd(parts[j], parts[j + half]) for j in range(half)]
        return parts[0]

    return types.float64(f64x8), generate


def _arithmetic(name: str) -> Any:
    """Return the intrinsic that combines two vectors lane by lane."""

    @intrinsic
    def apply(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return getattr(builder, name)(*arguments)

        return f64x8(f64x8, f64x8), generate

    return apply


@intrinsic
def bits_of_either(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """Return the bits that are set in either of two integers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.or_(*arguments)

    return i64x8(i64x8, i64x8), generate


_add, _subtract, _multiply = _arithmetic("fadd"), _arithmetic("fsub"), _arithmetic("fmul")


def _overload(sign: Any, apply: Any) -> None:
    """Overload an operator for two vectors, or a vector and a number."""

    @overload(sign, inline="always")
    def choose(a, b):
        if a == f64x8 and b == f64x8:
            return lambda a, b: apply(a, b)
        if a == f64x8 and isinstance(b, types.Float):
            return lambda a, b: apply(a, splat(b))
        if isinstance(a, types.Float) and b == f64x8:
            return lambda a, b: apply(splat(a), b)
        return None


_overload(operator.add, _add)
_overload(operator.sub, _subtract)
_overload(operator.mul, _multiply)
