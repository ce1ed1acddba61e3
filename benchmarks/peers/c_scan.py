"""The fused scan in C: compiled when it is needed, called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Aux
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.score_spec import Contributions
from sim.attack.kernels.tiled import TILE
from sim.release.store.store import Block

# No contraction: with it the compiler would fuse multiply and add, and round otherwise than we do.
FLAGS = ("-O3", "-march=native", "-ffp-contract=off", "-std=c11", "-shared", "-fPIC")
FOUND = np.dtype(
    [(name, "<i8") for name in ("overlapping", "best_record", "ties", "at_least", "above")]
    + [(name, "<f8") for name in ("sum", "sum_squares", "best", "second")]
)
"""The C loop's result for one aux set, named as in `sim.attack.kernels.partials.PARTIAL`."""

CScan = Callable[[Block, Aux, Contributions, NDArray[np.float64]], NDArray[Any]]


def compiled(folder: Path) -> CScan | None:
    """Compile the scan into `folder`; None if there is no C compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        return None
    source, library = Path(__file__).with_name("scan.c"), folder / "scan.so"
    subprocess.run([compiler, *FLAGS, str(source), "-o", str(library), "-lm"], check=True)
    return _caller(ctypes.CDLL(str(library)))


def _caller(library: ctypes.CDLL) -> CScan:
    function = library.scan
    number, array = ctypes.c_int64, ctypes.c_void_p
    function.restype = None
    function.argtypes = [
        number, number, array, array, array, array, number, array, array, number,
        array, array, array, array, array, array, array, array, array,
    ]  # fmt: skip

    def scan(
        block: Block, aux: Aux, tables: Contributions, own: NDArray[np.float64]
    ) -> NDArray[Any]:
        if block.item_level.dtype != np.uint8:
            raise ValueError("the C scan reads levels of one byte")
        if (tables.mul != tables.mul[:, :1]).any():
            raise ValueError("the C scan has one weight of days for all levels")
        out, score = np.zeros(len(aux), FOUND), np.empty(TILE)
        cursors = np.empty((int(aux.size.max(initial=1)), 2 + 2 * WIDTH))
        survivors = np.empty(TILE, np.uint16)
        function(
            block.first, block.n_records, block.item_start.ctypes.data,
            block.item_row.ctypes.data, block.item_level.ctypes.data, block.item_day.ctypes.data,
            len(aux), aux.start.ctypes.data, aux.item.ctypes.data, tables.add.shape[1],
            tables.add.ctypes.data, tables.mul.ctypes.data, tables.day_table.ctypes.data,
            tables.day_offset.ctypes.data, own.ctypes.data, cursors.ctypes.data,
            score.ctypes.data, survivors.ctypes.data, out.ctypes.data,
        )  # fmt: skip
        return out

    return scan
