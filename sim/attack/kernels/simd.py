"""Decides whether the kernels use vectors of eight or scalar loops.

Both make the same bits. The vectors are up to twice as fast, but rest on parts of LLVM and Numba
that neither promises to keep: a vector of addresses, ``llvm.experimental.vector.compress``, and the
compiler flag ``_nrt``. So they are used only where a trial function compiles, and never with
``STANDOUT_SIMD=0`` in the environment.

Numba's cache on disk goes by a function's file and qualified name, not by what the function calls.
The decorators of this module put the decision into the qualified name, so that a kernel compiled
for one kind of loops is never loaded for the other. Every kernel that calls a loop, directly or
not, must be compiled by one of them.
"""

# mypy: disable-error-code="call-arg, no-untyped-call, var-annotated"
# mypy sees Numba's intrinsics as plain functions, with the typing context as first argument.

from __future__ import annotations

import os
from typing import Any

import llvmlite.binding as llvm  # type: ignore[import-untyped]
import numpy as np

from sim.attack.kernels.lanes import ALL, WIDTH, hsum
from sim.attack.kernels.memory import compress_store, gather, load, permute_lookup, row_of, scatter
from sim.errors import ConfigError
from sim.numeric.compiled import njit as njit_anywhere

_VARIABLE = "STANDOUT_SIMD"
_OLDEST_LLVM = 20
"""The first LLVM that compresses vectors on every processor: an older one ends the process."""

_NO_NRT = {"_nrt": False}


def _trial(rows, table, by_level):  # type: ignore[no-untyped-def]
    """Do once what other versions or processors may not do: gather, double, scatter, compress."""
    row = load(rows, np.uint64(0), np.uint8(ALL))
    found = gather(table, np.uint64(0), row, np.uint8(ALL))
    scatter(table, np.uint64(0), row, np.uint8(ALL), found + found)
    compress_store(rows, np.uint64(0), np.uint8(0b10101010), row)
    return hsum(permute_lookup(by_level, row_of(by_level, 0), row, np.uint8(ALL)))


def works() -> bool:
    """Whether the vector path compiles here, and does what it should."""
    if llvm.llvm_version_info[0] < _OLDEST_LLVM:
        return False
    n, order = 2 * WIDTH, np.array([3, 9, 0, 15, 7, 8, 1, 4])
    rows, table, by_level = order.astype(np.uint16), np.arange(1.0, n + 1), np.arange(float(n))
    wanted = table.copy()
    wanted[order] *= 2
    try:
        trial = njit_anywhere(_trial, **_NO_NRT)
        total = trial(rows, table, by_level.reshape(1, 2, WIDTH))
    except Exception:  # any error of a Numba or llvmlite that lacks a feature
        return False
    kept = rows[: WIDTH // 2].tolist() == order[1::2].tolist()
    return bool(total == by_level[order].sum() and (table == wanted).all() and kept)


def _decide() -> bool:
    wanted = os.environ.get(_VARIABLE, "1")
    if wanted not in ("0", "1"):
        raise ConfigError(
            f"{_VARIABLE}={wanted} in the environment: expected 0 (scalar loops) or 1 (vectors "
            "where they compile); unset it, or set one of these"
        )
    return wanted == "1" and works()


VECTOR = _decide()
"""Whether the kernels are made of `sim.attack.kernels.vector_loops`."""


def _njit(**options: Any) -> Any:
    def decorate(function: Any) -> Any:
        if not VECTOR:
            function.__qualname__ += "_scalar"
        return njit_anywhere(function, **options)

    return decorate


njit: Any = _njit()
"""Compile a kernel."""

njit_inline: Any = _njit(inline="always")
"""Compile a function into every kernel that calls it."""

_NO_COUNTING = _NO_NRT if VECTOR else {}

njit_no_nrt: Any = _njit(**_NO_COUNTING)
"""Compile a kernel without Numba's reference counting (its run time, NRT).

Each count is an atomic addition, and they take longer than the postings of a tile. The kernel must
make no arrays, and no views of arrays that outlive it.
"""

njit_in_place: Any = _njit(forceinline=True, **_NO_COUNTING)
"""As `njit_no_nrt`, for a function called for every record with all tables of a score.

LLVM puts it in the place of the call: to pass the hundred fields of their arrays takes longer.
"""
