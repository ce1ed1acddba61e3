"""Counts, moments and the highest two of complete scores.

Invariant: a score is added in the lane of its index in the block, modulo eight. So results do not
depend on chunk size as long as chunks start at multiples of eight.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.attack.kernels.entropy_weights import halves_first
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.simd import njit

MOMENT_LANES = 6 * WIDTH
"""Lane sums: Σ and Σ² of all scores and of the overlapping, highest and lowest of the latter."""


@njit
def start_moments(lane_sums, o):  # type: ignore[no-untyped-def]
    """Initialise for no scores."""
    lane_sums[: 4 * WIDTH] = 0.0
    lane_sums[4 * WIDTH : 5 * WIDTH] = -np.inf
    lane_sums[5 * WIDTH :] = np.inf
    o["best"] = o["second"] = -np.inf
    o["best_record"] = -1
    o["candidates"] = o["overlapping"] = o["matching"] = o["at_least"] = o["above"] = o["ties"] = 0


@njit
def finish_moments(lane_sums, o):  # type: ignore[no-untyped-def]
    """Write the sums over all scores; `lane_sums` is used up."""
    o["sum"] = halves_first(lane_sums[:WIDTH])
    o["sum_squares"] = halves_first(lane_sums[WIDTH : 2 * WIDTH])
    o["overlapping_sum"] = halves_first(lane_sums[2 * WIDTH : 3 * WIDTH])
    o["overlapping_squares"] = halves_first(lane_sums[3 * WIDTH : 4 * WIDTH])
    o["overlapping_best"] = lane_sums[4 * WIDTH : 5 * WIDTH].max()
    o["overlapping_least"] = lane_sums[5 * WIDTH :].min()
