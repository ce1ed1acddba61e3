"""What makes this machine compute as an older one does."""

from __future__ import annotations

import hashlib
import math

import numpy as np


def as_an_older_machine() -> dict[str, str]:
    """Environment in which NumPy, the C library and BLAS use the least that they are built for."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(found),
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA",
        "OPENBLAS_CORETYPE": "Nehalem",
    }


def digests_of_the_machine() -> dict[str, str]:
    """Digests of what functions return that differ between machines."""
    x = np.random.default_rng(1).uniform(0.1, 5, 10_000)
    found = {
        "numpy": np.concatenate([np.exp(x), np.exp2(x), np.log(x), np.log2(x)]),
        "libm": np.array([math.exp(v) for v in x] + [math.log(v) for v in x]),
        "blas": x.reshape(100, 100) @ x.reshape(100, 100),
    }
    return {name: hashlib.sha256(values.tobytes()).hexdigest() for name, values in found.items()}
