"""The innermost loops of the scan, of the kind that `sim.attack.kernels.simd` has decided on."""

from __future__ import annotations

from sim.attack.kernels.simd import VECTOR

if VECTOR:
    from sim.attack.kernels.vector_loops import (
        accumulate_moments,
        add_and_prune,
        add_fact,
        best_of_records,
        update_top2,
        weigh_tile,
    )
else:
    from sim.attack.kernels.scalar_loops import (
        accumulate_moments,
        add_and_prune,
        add_fact,
        best_of_records,
        update_top2,
        weigh_tile,
    )

__all__ = [
    "accumulate_moments",
    "add_and_prune",
    "add_fact",
    "best_of_records",
    "update_top2",
    "weigh_tile",
]
