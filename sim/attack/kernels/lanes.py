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
from numba.core import types
from numba.extending import intrinsic, models, overload, register_model

WIDTH = 8
ALL = 255
"""The mask of all lanes."""

BYTE, INT32, INT64, DOUBLE = ir.IntType(8), ir.IntType(32), ir.IntType(64), ir.DoubleType()
MASK = ir.VectorType(ir.IntType(1), WIDTH)
NUMBERS, PLACES = ir.VectorType(DOUBLE, WIDTH), ir.VectorType(INT64, WIDTH)
_ROOM = {"float64": NUMBERS, "int64": PLACES}


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


def broadcast(builder: Any, number: Any, into: Any = NUMBERS) -> Any:
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
    first = builder.insert_element(nothing, number, ir.Constant(INT32, 0))
    order = ir.Constant(ir.VectorType(INT32, WIDTH), [0] * WIDTH)
    return builder.shuffle_vector(first, nothing, order)


def each(builder: Any, mask: Any) -> Any:
    """Build a mask's bits apart.

    Parameters
    ----------
    builder : llvmlite builder
    mask : LLVM value
        Of eight bits.

    Returns
    -------
    LLVM value
        Of type `MASK`.
    """
    return builder.bitcast(mask, MASK)


def _masked(builder: Any, found: Any, mask: Any) -> Any:
    return builder.and_(builder.bitcast(found, BYTE), mask)


@intrinsic
def spread(typing: Any, number: Any) -> Any:  # noqa: ARG001
    """Put one number into every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return broadcast(builder, arguments[0])

    return numbers(types.float64), generate


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
        bits = builder.bitcast(arguments[1], PLACES)
        signs = builder.lshr(bits, ir.Constant(PLACES, [63] * WIDTH))
        return builder.add(arguments[0], signs)

    return places(places, numbers), generate


@intrinsic
def no_counts(typing: Any) -> Any:  # noqa: ARG001
    """Counts of 0 in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return ir.Constant(PLACES, None)

    return places(), generate


@intrinsic
def counted(typing: Any, counts: Any) -> Any:  # noqa: ARG001
    """Sum of the counts of all lanes."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        total = ir.Constant(INT64, 0)
        for j in range(WIDTH):
            one = builder.extract_element(arguments[0], ir.Constant(INT32, j))
            total = builder.add(total, one)
        return total

    return types.int64(places), generate


@intrinsic
def below(typing: Any, at: Any, limit: Any, mask: Any) -> Any:  # noqa: ARG001
    """Mask of the lanes whose place is below a limit, among those of a mask."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        limits = broadcast(builder, arguments[1], PLACES)
        return _masked(builder, builder.icmp_unsigned("<", arguments[0], limits), arguments[2])

    return types.uint8(places, types.uint64, types.uint8), generate


@intrinsic
def either(typing: Any, mask: Any, a: Any, b: Any) -> Any:  # noqa: ARG001
    """Numbers of a in the lanes of a mask, of b elsewhere."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.select(each(builder, arguments[0]), *arguments[1:])

    return numbers(types.uint8, numbers, numbers), generate


@numba.njit(cache=True, nogil=True, inline="always")
def only(lanes, mask):
    """Numbers of the lanes of a mask, and 0 elsewhere."""
    return either(mask, lanes, spread(0.0))


@intrinsic
def number_of(typing: Any, mask: Any) -> Any:  # noqa: ARG001
    """How many lanes a mask has."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.zext(builder.ctpop(arguments[0]), INT64)

    return types.int64(types.uint8), generate


@intrinsic
def first_of(typing: Any, mask: Any) -> Any:  # noqa: ARG001
    """Lowest lane of a mask that is not empty."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        wide = builder.zext(arguments[0], INT32)
        return builder.zext(builder.cttz(wide, ir.Constant(ir.IntType(1), 1)), INT64)

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
        return builder.extract_element(arguments[0], builder.trunc(arguments[1], INT32))

    return back(lanes, types.int64), generate


@intrinsic
def added_up(typing: Any, lanes: Any) -> Any:  # noqa: ARG001
    """Sum of the lanes, halves first."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        places = [ir.Constant(INT32, j) for j in range(WIDTH)]
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
