"""Eight numbers side by side, for Numba: what the scan does to eight postings at a time.

Invariant: lane j of every result is made of lane j of what was given, by the arithmetic of a
single number, so every machine makes the same bits: a processor that takes fewer at a time takes
more steps. A *mask* is a ``uint8``: bit j says whether lane j counts.

Numba has no name for these; the compiler (LLVM) does, and finds the instructions there are.
"""

# mypy: disable-error-code="call-arg,no-untyped-call,no-untyped-def"
# Numba's builders are not typed, nor is what Numba compiles.

from __future__ import annotations

import operator
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic, models, overload, register_model

WIDTH = 8
ALL = 255
"""The mask of all lanes."""

_BYTE, _INT32, _INT64, _DOUBLE = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
_MASK = ir.VectorType(ir.IntType(1), WIDTH)
_NUMBERS, _PLACES = ir.VectorType(_DOUBLE, WIDTH), ir.VectorType(_INT64, WIDTH)
_ROOM = {"float64": _NUMBERS, "int64": _PLACES}


class Lanes(types.Type):
    """Eight ``float64`` or eight ``int64``."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        super().__init__(name=f"Lanes({kind})")


numbers = Lanes("float64")
places = Lanes("int64")


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Lanes) -> None:
        super().__init__(manager, kind, _ROOM[kind.kind])


def broadcast(builder: Any, number: Any, into: Any = _NUMBERS) -> Any:
    """Build what puts one number into every lane.

    Parameters
    ----------
    builder : llvmlite builder
    number : LLVM value
    into : LLVM vector type

    Returns
    -------
    LLVM value
    """
    nothing = ir.Constant(into, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(_INT32, 0))
    order = ir.Constant(ir.VectorType(_INT32, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, nothing, order)


def _declared(builder: Any, name: str, back: Any, given: list[Any]) -> Any:
    kind = ir.FunctionType(back, given)
    return cgutils.get_or_insert_function(builder.module, kind, name)


def _data(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    return context.make_array(kind)(context, builder, array).data


def _each(builder: Any, mask: Any) -> Any:
    return builder.bitcast(mask, _MASK)


def _masked(builder: Any, found: Any, mask: Any) -> Any:
    return builder.and_(builder.bitcast(found, _BYTE), mask)


def _addresses(builder: Any, base: Any, first: Any, at: Any) -> Any:
    """Where ``base[at - first]`` lies, lane by lane."""
    base = builder.gep(base, [builder.neg(first)])
    found = builder.gep(base, [ir.Constant(_INT64, 0)])
    # The builder lets only single places by; the compiler takes eight and gives eight addresses.
    found.indices, found.operands[1] = [at], at
    found.type = ir.VectorType(base.type, WIDTH)
    return found


@intrinsic
def spread(typing: Any, number: Any) -> Any:  # noqa: ARG001
    """Put one number into every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return broadcast(builder, arguments[0])

    return numbers(types.float64), generate


@intrinsic
def load(typing: Any, array: Any, begin: Any, mask: Any) -> Any:  # noqa: ARG001
    """Take ``array[begin : begin + 8]``: float64 as numbers, unsigned integers as places.

    What the mask leaves out is not read, and 0.
    """
    whole = isinstance(array.dtype, types.Integer)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, width = _data(context, builder, signature.args[0], arguments[0]), array.dtype.bitwidth
        room = ir.VectorType(ir.IntType(width) if whole else _DOUBLE, WIDTH)
        name = f"llvm.masked.load.v{WIDTH}{'i' if whole else 'f'}{width}.p0"
        at = builder.bitcast(builder.gep(base, [arguments[1]]), room.as_pointer())
        read = _declared(builder, name, room, [at.type, _INT32, _MASK, room])
        given = [at, ir.Constant(_INT32, width // 8), _each(builder, arguments[2])]
        found = builder.call(read, [*given, ir.Constant(room, None)])
        return builder.zext(found, _PLACES) if whole and width < 64 else found

    return (places if whole else numbers)(array, begin, types.uint8), generate


@intrinsic
def store(typing: Any, array: Any, begin: Any, lanes: Any) -> Any:  # noqa: ARG001
    """``array[begin : begin + 8] = lanes``."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base = _data(context, builder, signature.args[0], arguments[0])
        at = builder.bitcast(builder.gep(base, [arguments[1]]), _NUMBERS.as_pointer())
        builder.store(arguments[2], at, align=8)
        return context.get_dummy_value()

    return types.void(array, begin, numbers), generate


@intrinsic
def append(typing: Any, array: Any, begin: Any, mask: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Put the lanes of a mask, next to each other, into ``array[begin : begin + 8]``.

    What follows them there is left to chance.
    """
    room, kind = (_NUMBERS, "f64") if lanes == numbers else (_PLACES, "i64")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        base, width = _data(context, builder, signature.args[0], arguments[0]), array.dtype.bitwidth
        name = f"llvm.experimental.vector.compress.v{WIDTH}{kind}"
        squeeze = _declared(builder, name, room, [room, _MASK, room])
        nothing = ir.Constant(room, ir.Undefined)
        found = builder.call(squeeze, [arguments[3], _each(builder, arguments[2]), nothing])
        if width < 64:
            found = builder.trunc(found, ir.VectorType(ir.IntType(width), WIDTH))
        at = builder.bitcast(builder.gep(base, [arguments[1]]), found.type.as_pointer())
        builder.store(found, at, align=width // 8)
        return context.get_dummy_value()

    return types.void(array, begin, types.uint8, lanes), generate


def _gathered(builder: Any, base: Any, first: Any, at: Any, mask: Any) -> Any:
    where = _addresses(builder, base, first, at)
    name = f"llvm.masked.gather.v{WIDTH}f64.v{WIDTH}p0"
    read = _declared(builder, name, _NUMBERS, [where.type, _INT32, _MASK, _NUMBERS])
    given = [where, ir.Constant(_INT32, 8), _each(builder, mask)]
    return builder.call(read, [*given, ir.Constant(_NUMBERS, None)])


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
        name, given = f"llvm.masked.scatter.v{WIDTH}f64.v{WIDTH}p0", [_NUMBERS, where.type]
        write = _declared(builder, name, ir.VoidType(), [*given, _INT32, _MASK])
        mask = _each(builder, arguments[3])
        builder.call(write, [arguments[4], where, ir.Constant(_INT32, 8), mask])
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
            look_up = _declared(builder, name, _NUMBERS, [_NUMBERS, _PLACES, _NUMBERS])
            found = builder.call(look_up, [low, arguments[2], high])
            return builder.select(_each(builder, arguments[3]), found, ir.Constant(_NUMBERS, None))
        base = _data(context, builder, signature.args[0], arguments[0])
        return _gathered(builder, base, first, arguments[2], arguments[3])

    return numbers(table, row, places, types.uint8), generate


def _compared(sign: str, says: str) -> Any:
    """Make a comparison of two numbers that of two times eight."""

    @intrinsic
    def compare(typing: Any, a: Any, b: Any, mask: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            found = builder.fcmp_ordered(sign, arguments[0], arguments[1])
            return _masked(builder, found, arguments[2])

        return types.uint8(numbers, numbers, types.uint8), generate

    compare.__doc__ = f"Mask of the lanes where a is {says} b, among those of a mask."
    return compare


equal = _compared("==", "equal to")
at_least = _compared(">=", "at least")
more = _compared(">", "more than")


@intrinsic
def add_signs(typing: Any, counts: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Add 1 to the counts of the lanes whose sign is set, that of −0.0 as well."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        bits = builder.bitcast(arguments[1], _PLACES)
        signs = builder.lshr(bits, ir.Constant(_PLACES, [63] * WIDTH))
        return builder.add(arguments[0], signs)

    return places(places, numbers), generate


@intrinsic
def no_counts(typing: Any) -> Any:  # noqa: ARG001
    """Counts of 0 in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return ir.Constant(_PLACES, None)

    return places(), generate


@intrinsic
def counted(typing: Any, counts: Any) -> Any:  # noqa: ARG001
    """Sum of the counts of all lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        total = ir.Constant(_INT64, 0)
        for j in range(WIDTH):
            one = builder.extract_element(arguments[0], ir.Constant(_INT32, j))
            total = builder.add(total, one)
        return total

    return types.int64(places), generate


@intrinsic
def below(typing: Any, at: Any, limit: Any, mask: Any) -> Any:  # noqa: ARG001
    """Mask of the lanes whose place is below a limit, among those of a mask."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        limits = broadcast(builder, arguments[1], _PLACES)
        return _masked(builder, builder.icmp_unsigned("<", arguments[0], limits), arguments[2])

    return types.uint8(places, types.uint64, types.uint8), generate


@intrinsic
def either(typing: Any, mask: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """Numbers of a in the lanes of a mask, of b elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.select(_each(builder, arguments[0]), *arguments[1:])

    return numbers(types.uint8, numbers, numbers), generate


@numba.njit(cache=True, nogil=True, inline="always")
def only(lanes, mask):
    """Numbers of the lanes of a mask, and 0 elsewhere."""
    return either(mask, lanes, spread(0.0))


@intrinsic
def number_of(typing: Any, mask: Any) -> Any:  # noqa: ARG001
    """How many lanes a mask has."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.zext(builder.ctpop(arguments[0]), _INT64)

    return types.int64(types.uint8), generate


@intrinsic
def first_of(typing: Any, mask: Any) -> Any:  # noqa: ARG001
    """Lowest lane of a mask that is not empty."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        wide = builder.zext(arguments[0], _INT32)
        return builder.zext(builder.cttz(wide, ir.Constant(ir.IntType(1), 1)), _INT64)

    return types.int64(types.uint8), generate


@numba.njit(cache=True, nogil=True, inline="always")
def rest_of(mask):
    """Mask without its lowest lane."""
    return np.uint8(mask & (mask - np.uint8(1)))


@numba.njit(cache=True, nogil=True, inline="always")
def between(k, begin, end):
    """Mask of the lanes whose places, k to k + 7, are in [begin, end)."""
    mask, width = np.uint64(ALL), np.uint64(WIDTH)
    if k < begin:
        mask &= mask << min(begin - k, width)
    if k + width > end:
        mask &= np.uint64(ALL) >> min(k + width - end, width)
    return np.uint8(mask)


@intrinsic
def lane(typing: Any, lanes: Any, j: Any) -> Any:  # noqa: ARG001
    """Take one lane."""
    back = types.float64 if lanes == numbers else types.int64

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.extract_element(arguments[0], builder.trunc(arguments[1], _INT32))

    return back(lanes, types.int64), generate


@intrinsic
def added_up(typing: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Sum of the lanes, halves first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        places = [ir.Constant(_INT32, j) for j in range(WIDTH)]
        parts = [builder.extract_element(arguments[0], place) for place in places]
        while len(parts) > 1:
            half = len(parts) // 2
            parts = [builder.fadd(parts[j], parts[j + half]) for j in range(half)]
        return parts[0]

    return types.float64(numbers), generate


def _reckoned(name: str) -> Any:
    """Make the arithmetic of two numbers that of two times eight."""

    @intrinsic
    def apply(typing: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return getattr(builder, name)(*arguments)

        return numbers(numbers, numbers), generate

    return apply


_added, _less, _times = _reckoned("fadd"), _reckoned("fsub"), _reckoned("fmul")


def _overload(sign: Any, apply: Any) -> None:
    """Let an operator take lanes, or lanes and a number."""

    @overload(sign, inline="always")
    def choose(a, b):
        if a == numbers and b == numbers:
            return lambda a, b: apply(a, b)
        if a == numbers and isinstance(b, types.Float):
            return lambda a, b: apply(a, spread(b))
        if isinstance(a, types.Float) and b == numbers:
            return lambda a, b: apply(spread(a), b)
        return None


_overload(operator.add, _added)
_overload(operator.sub, _less)
_overload(operator.mul, _times)
