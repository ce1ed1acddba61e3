"""Loads and stores of eight numbers at a time: contiguous, gathered, scattered, compressed.

Indices are not checked against the array's bounds. `_addresses` and `compress_store` use features
of LLVM that llvmlite does not promise; `sim.attack.kernels.simd` tests whether they compile.
"""

# mypy: disable-error-code="call-arg,no-untyped-call,no-untyped-def"
# Neither Numba's builders nor compiled functions are typed.

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sim.attack.kernels.lanes import (
    ALL,
    DOUBLE,
    F64X8,
    I64X8,
    INT32,
    INT64,
    MASK,
    WIDTH,
    f64x8,
    i64x8,
    mask_bits,
)
from sim.numeric.compiled import njit


def _declared(builder: Any, name: str, back: Any, given: list[Any]) -> Any:
    kind = ir.FunctionType(back, given)
    return cgutils.get_or_insert_function(builder.module, kind, name)


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


def _addresses(builder: Any, base: Any, first: Any, at: Any) -> Any:
    """Emit the eight addresses of ``base[at - first]``."""
    base = builder.gep(base, [builder.neg(first)])
    found = builder.gep(base, [ir.Constant(INT64, 0)])
    # llvmlite's builder refuses a vector of indices; LLVM takes one, and returns eight addresses.
    found.indices, found.operands[1] = [at], at
    found.type = ir.VectorType(base.type, WIDTH)
    return found


@intrinsic
def load(typing: Any, array: Any, begin: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return ``array[begin : begin + 8]``: float64 as `f64x8`, unsigned integers as `i64x8`.

    Lanes outside the mask are not read; they are 0.
    """
    whole = isinstance(array.dtype, types.Integer)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, width = _data(context, builder, signature.args[0], arguments[0]), array.dtype.bitwidth
        room = ir.VectorType(ir.IntType(width) if whole else DOUBLE, WIDTH)
        name = f"llvm.masked.load.v{WIDTH}{'i' if whole else 'f'}{width}.p0"
        at = builder.bitcast(builder.gep(base, [arguments[1]]), room.as_pointer())
        read = _declared(builder, name, room, [at.type, INT32, MASK, room])
        given = [at, ir.Constant(INT32, width // 8), mask_bits(builder, arguments[2])]
        found = builder.call(read, [*given, ir.Constant(room, None)])
        return builder.zext(found, I64X8) if whole and width < 64 else found

    return (i64x8 if whole else f64x8)(array, begin, types.uint8), generate


@intrinsic
def store(typing: Any, array: Any, begin: Any, lanes: Any) -> Any:  # noqa: ARG001
    """``array[begin : begin + 8] = lanes``, of integers as many bits as the array takes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, width = _data(context, builder, signature.args[0], arguments[0]), array.dtype.bitwidth
        found = arguments[2]
        if width < 64:
            found = builder.trunc(found, ir.VectorType(ir.IntType(width), WIDTH))
        at = builder.bitcast(builder.gep(base, [arguments[1]]), found.type.as_pointer())
        builder.store(found, at, align=width // 8)
        return context.get_dummy_value()

    return types.void(array, begin, lanes), generate


@intrinsic
def compress(typing: Any, mask: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Return the lanes of a mask, in order and without gaps; what follows them is undefined."""
    room, kind = (F64X8, "f64") if lanes == f64x8 else (I64X8, "i64")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        name = f"llvm.experimental.vector.compress.v{WIDTH}{kind}"
        squeeze = _declared(builder, name, room, [room, MASK, room])
        nothing = ir.Constant(room, ir.Undefined)
        return builder.call(squeeze, [arguments[1], mask_bits(builder, arguments[0]), nothing])

    return lanes(types.uint8, lanes), generate


@njit(inline="always")
def compress_store(array, begin, mask, lanes):
    """Store the lanes of a mask, in order and without gaps, from ``array[begin]`` on.

    All of ``array[begin : begin + 8]`` is written: what follows the lanes is undefined.
    """
    store(array, begin, compress(mask, lanes))


def _gathered(builder: Any, base: Any, first: Any, at: Any, mask: Any) -> Any:
    where = _addresses(builder, base, first, at)
    name = f"llvm.masked.gather.v{WIDTH}f64.v{WIDTH}p0"
    read = _declared(builder, name, F64X8, [where.type, INT32, MASK, F64X8])
    given = [where, ir.Constant(INT32, 8), mask_bits(builder, mask)]
    return builder.call(read, [*given, ir.Constant(F64X8, None)])


@intrinsic
def gather(typing: Any, array: Any, first: Any, at: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return ``array[at - first]``; 0 outside the mask."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = _data(context, builder, signature.args[0], arguments[0])
        return _gathered(builder, base, *arguments[1:])

    return f64x8(array, types.uint64, i64x8, types.uint8), generate


@intrinsic
def scatter(typing: Any, array: Any, first: Any, at: Any, mask: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Set ``array[at - first] = lanes`` for the lanes of the mask, whose addresses must differ."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = _data(context, builder, signature.args[0], arguments[0])
        where = _addresses(builder, base, arguments[1], arguments[2])
        name, given = f"llvm.masked.scatter.v{WIDTH}f64.v{WIDTH}p0", [F64X8, where.type]
        write = _declared(builder, name, ir.VoidType(), [*given, INT32, MASK])
        mask = mask_bits(builder, arguments[3])
        builder.call(write, [arguments[4], where, ir.Constant(INT32, 8), mask])
        return context.get_dummy_value()

    return types.void(array, types.uint64, i64x8, types.uint8, f64x8), generate


@njit(inline="always")
def row_of(table, a):
    """Load row a of a table of shape (A, 2, 8) for `permute_lookup`: two vectors and its offset."""
    at, width, all_ = np.uint64(2 * WIDTH) * np.uint64(a), np.uint64(WIDTH), np.uint8(ALL)
    return load(table, at, all_), load(table, at + width, all_), np.uint64(0) - at


@intrinsic
def permute_lookup(typing: Any, table: Any, row: Any, at: Any, mask: Any) -> Any:  # noqa: ARG001
    """Return the numbers of a row (see `row_of`) at indices below 16; 0 outside the mask.

    With AVX-512 the row stays in two registers and one permutation looks all lanes up; other
    processors gather from memory.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high, first = [builder.extract_value(arguments[1], j) for j in range(3)]
        if "+avx512f" in context.codegen().magic_tuple()[2].split(","):
            name = "llvm.x86.avx512.vpermi2var.pd.512"
            look_up = _declared(builder, name, F64X8, [F64X8, I64X8, F64X8])
            found = builder.call(look_up, [low, arguments[2], high])
            return builder.select(mask_bits(builder, arguments[3]), found, ir.Constant(F64X8, None))
        base = _data(context, builder, signature.args[0], arguments[0])
        return _gathered(builder, base, first, arguments[2], arguments[3])

    return f64x8(table, row, i64x8, types.uint8), generate
