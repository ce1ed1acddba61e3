"""Moving eight numbers at a time between memory and lanes.

A *place* is a number's index in an array, which is read and written without looking whether it is
within.
"""

# mypy: disable-error-code="call-arg,no-untyped-call,no-untyped-def"
# Numba's builders are not typed, nor is what Numba compiles.

from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sim.attack.kernels.lanes import (
    ALL,
    DOUBLE,
    INT32,
    INT64,
    MASK,
    NUMBERS,
    PLACES,
    WIDTH,
    each,
    numbers,
    places,
)


def _declared(builder: Any, name: str, back: Any, given: list[Any]) -> Any:
    kind = ir.FunctionType(back, given)
    return cgutils.get_or_insert_function(builder.module, kind, name)


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


def _addresses(builder: Any, base: Any, first: Any, at: Any) -> Any:
    """Where ``base[at - first]`` lies, lane by lane."""
    base = builder.gep(base, [builder.neg(first)])
    found = builder.gep(base, [ir.Constant(INT64, 0)])
    # The builder lets only single places by; the compiler takes eight and gives eight addresses.
    found.indices, found.operands[1] = [at], at
    found.type = ir.VectorType(base.type, WIDTH)
    return found


@intrinsic
def load(typing: Any, array: Any, begin: Any, mask: Any) -> Any:  # noqa: ARG001
    """Take ``array[begin : begin + 8]``: float64 as numbers, unsigned integers as places.

    What the mask leaves out is not read, and 0.
    """
    whole = isinstance(array.dtype, types.Integer)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, width = _data(context, builder, signature.args[0], arguments[0]), array.dtype.bitwidth
        room = ir.VectorType(ir.IntType(width) if whole else DOUBLE, WIDTH)
        name = f"llvm.masked.load.v{WIDTH}{'i' if whole else 'f'}{width}.p0"
        at = builder.bitcast(builder.gep(base, [arguments[1]]), room.as_pointer())
        read = _declared(builder, name, room, [at.type, INT32, MASK, room])
        given = [at, ir.Constant(INT32, width // 8), each(builder, arguments[2])]
        found = builder.call(read, [*given, ir.Constant(room, None)])
        return builder.zext(found, PLACES) if whole and width < 64 else found

    return (places if whole else numbers)(array, begin, types.uint8), generate


@intrinsic
def store(typing: Any, array: Any, begin: Any, lanes: Any) -> Any:  # noqa: ARG001
    """``array[begin : begin + 8] = lanes``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = _data(context, builder, signature.args[0], arguments[0])
        at = builder.bitcast(builder.gep(base, [arguments[1]]), NUMBERS.as_pointer())
        builder.store(arguments[2], at, align=8)
        return context.get_dummy_value()

    return types.void(array, begin, numbers), generate


@intrinsic
def append(typing: Any, array: Any, begin: Any, mask: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Put the lanes of a mask, next to each other, into ``array[begin : begin + 8]``.

    What follows them there is left to chance.
    """
    room, kind = (NUMBERS, "f64") if lanes == numbers else (PLACES, "i64")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, width = _data(context, builder, signature.args[0], arguments[0]), array.dtype.bitwidth
        name = f"llvm.experimental.vector.compress.v{WIDTH}{kind}"
        squeeze = _declared(builder, name, room, [room, MASK, room])
        nothing = ir.Constant(room, ir.Undefined)
        found = builder.call(squeeze, [arguments[3], each(builder, arguments[2]), nothing])
        if width < 64:
            found = builder.trunc(found, ir.VectorType(ir.IntType(width), WIDTH))
        at = builder.bitcast(builder.gep(base, [arguments[1]]), found.type.as_pointer())
        builder.store(found, at, align=width // 8)
        return context.get_dummy_value()

    return types.void(array, begin, types.uint8, lanes), generate


def _gathered(builder: Any, base: Any, first: Any, at: Any, mask: Any) -> Any:
    where = _addresses(builder, base, first, at)
    name = f"llvm.masked.gather.v{WIDTH}f64.v{WIDTH}p0"
    read = _declared(builder, name, NUMBERS, [where.type, INT32, MASK, NUMBERS])
    given = [where, ir.Constant(INT32, 8), each(builder, mask)]
    return builder.call(read, [*given, ir.Constant(NUMBERS, None)])


@intrinsic
def gather(typing: Any, array: Any, first: Any, at: Any, mask: Any) -> Any:  # noqa: ARG001
    """``array[at - first]``; 0 where the mask leaves it out."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = _data(context, builder, signature.args[0], arguments[0])
        return _gathered(builder, base, *arguments[1:])

    return numbers(array, types.uint64, places, types.uint8), generate


@intrinsic
def scatter(typing: Any, array: Any, first: Any, at: Any, mask: Any, lanes: Any) -> Any:  # noqa: ARG001
    """``array[at - first] = lanes`` where the mask has it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = _data(context, builder, signature.args[0], arguments[0])
        where = _addresses(builder, base, arguments[1], arguments[2])
        name, given = f"llvm.masked.scatter.v{WIDTH}f64.v{WIDTH}p0", [NUMBERS, where.type]
        write = _declared(builder, name, ir.VoidType(), [*given, INT32, MASK])
        mask = each(builder, arguments[3])
        builder.call(write, [arguments[4], where, ir.Constant(INT32, 8), mask])
        return context.get_dummy_value()

    return types.void(array, types.uint64, places, types.uint8, numbers), generate


@numba.njit(cache=True, nogil=True, inline="always")
def row_of(table, a):
    """Row a of a table of shape (A, 2, 8): two times eight numbers, and where it is, for `pick`."""
    at, width, all_ = np.uint64(2 * WIDTH) * np.uint64(a), np.uint64(WIDTH), np.uint8(ALL)
    return load(table, at, all_), load(table, at + width, all_), np.uint64(0) - at


@intrinsic
def pick(typing: Any, table: Any, row: Any, at: Any, mask: Any) -> Any:  # noqa: ARG001
    """Numbers of a row (see `row_of`) at places below 16; 0 where the mask leaves it out.

    Some processors look them up without going to memory. The others gather.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        low, high, first = [builder.extract_value(arguments[1], j) for j in range(3)]
        if "+avx512f" in context.codegen().magic_tuple()[2].split(","):
            name = "llvm.x86.avx512.vpermi2var.pd.512"
            look_up = _declared(builder, name, NUMBERS, [NUMBERS, PLACES, NUMBERS])
            found = builder.call(look_up, [low, arguments[2], high])
            return builder.select(each(builder, arguments[3]), found, ir.Constant(NUMBERS, None))
        base = _data(context, builder, signature.args[0], arguments[0])
        return _gathered(builder, base, first, arguments[2], arguments[3])

    return numbers(table, row, places, types.uint8), generate
