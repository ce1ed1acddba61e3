"""LLVM operations that Numba does not expose, on one number or on a vector of eight.

They work on every machine: without processor support, a prefetch does nothing, and a fused
multiply-add is slower but returns the same bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

from sim.attack.kernels.lanes import WIDTH, Lanes, broadcast, f64x8

_READ, _KEEP, _DATA = 0, 2, 1
_INT64 = ir.IntType(64)
_MANTISSA = 52


@intrinsic
def prefetch(typing: Any, array: Any, place: Any) -> Any:  # noqa: ARG001
    """Prefetch the cache line of ``array[place]``, which may be beyond the array's end."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        byte = ir.IntType(8).as_pointer()
        at = builder.bitcast(builder.gep(data, [arguments[1]]), byte)
        number = ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        name = "llvm.prefetch.p0"
        function = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        builder.call(function, [at, *(ir.Constant(number, n) for n in (_READ, _KEEP, _DATA))])
        return context.get_dummy_value()

    return types.void(array, place), generate


def _alike(builder: Any, kinds: Any, values: Any) -> list[Any]:
    """Broadcast single numbers to vectors if any operand is a vector."""
    if not any(isinstance(kind, Lanes) for kind in kinds):
        return list(values)
    return [
        value if isinstance(kind, Lanes) else broadcast(builder, value)
        for kind, value in zip(kinds, values, strict=True)
    ]


def _kind_of(*kinds: Any) -> Any:
    return f64x8 if any(isinstance(kind, Lanes) for kind in kinds) else types.float64


def _given(*kinds: Any) -> list[Any]:
    return [kind if isinstance(kind, Lanes) else types.float64 for kind in kinds]


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """a·b + c, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        x, y, z = _alike(builder, signature.args, arguments)
        if x.type == ir.DoubleType():
            return builder.fma(x, y, z)
        kind = ir.FunctionType(x.type, [x.type] * 3)
        name = f"llvm.fma.v{WIDTH}f64"
        function = cgutils.get_or_insert_function(builder.module, kind, name)  # type: ignore[no-untyped-call]
        return builder.call(function, [x, y, z])

    return _kind_of(a, b, c)(*_given(a, b, c)), generate


@intrinsic
def if_more(typing: Any, a: Any, b: Any, then: Any, other: Any) -> Any:  # noqa: ARG001
    """``then if a > b else other``; `other` where a is NaN."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        x, y, yes, no = _alike(builder, signature.args, arguments)
        return builder.select(builder.fcmp_ordered(">", x, y), yes, no)

    return _kind_of(a, b, then, other)(*_given(a, b, then, other)), generate


@intrinsic
def scaled(typing: Any, number: Any, exponent: Any) -> Any:  # noqa: ARG001
    """Add the lowest bits of `exponent` to a number's exponent."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        x, power = _alike(builder, signature.args, arguments)
        whole = _INT64 if x.type == ir.DoubleType() else ir.VectorType(_INT64, WIDTH)
        shift = ir.Constant(whole, _MANTISSA if whole == _INT64 else [_MANTISSA] * WIDTH)
        raised = builder.shl(builder.bitcast(power, whole), shift)
        return builder.bitcast(builder.add(builder.bitcast(x, whole), raised), x.type)

    return _kind_of(number, exponent)(*_given(number, exponent)), generate
