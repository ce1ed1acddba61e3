"""Machine instructions that Numba has no name for.

Both are the compiler's own, so they are there on every machine: where the processor has none, a
prefetch is left out, and the fused multiplication takes longer and makes the same bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.extending import intrinsic

_READ, _KEEP, _DATA = 0, 3, 1


@intrinsic
def prefetch(typing: Any, array: Any, place: Any) -> Any:  # noqa: ARG001
    """Ask for the cache line of ``array[place]``, which may lie beyond the array's end."""

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


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """a·b + c, rounded once."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate
