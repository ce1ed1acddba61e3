"""Values move to another level of the scale nearby (NS08 §3).

Noise Z_S on the cells and Z_A on the aux leaves the same difference between the two as Z_S + Z_A
on the aux for values at least k_S + k_A from both ends of the scale. Nearer to an end the two
differ, as no level lies beyond it: on five stars with k_S = k_A = 1, no |Δ| has a probability that
differs by more than 1/6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from sim.adversary.knowledge import reach
from sim.adversary.publisher import Publisher, uniform_channel
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.extend.options import constant, option
from sim.numeric.noise import moved_levels
from sim.numeric.random import Purpose


@dataclass(frozen=True, kw_only=True)
class PerturbValues(Defence):
    """Moves every value to a uniform level of the scale within ±k (NS08 §3)."""

    name: ClassVar[str] = "perturb_values"
    summary: ClassVar[str] = "changes values to a uniformly drawn level nearby (NS08 §3)"
    needs: ClassVar[tuple[str, ...]] = ("values",)
    purpose: ClassVar[int | None] = Purpose.RELEASE_VALUE

    value_noise: float = option(1.0, help="k: maximum change in value units", minimum=0)
    # One seed is as good as another: draws depend on a secret of the original too.
    seed: int = constant(1, minimum=0, maximum=2**64 - 1)

    @property
    def does_something(self) -> bool:
        """See `Defence.does_something`."""
        return self.value_noise > 0

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """See `Defence.apply`."""
        scale = release.scale
        level = np.searchsorted(scale, cells.value)  # NaN sorts last: its code is that of no value
        moved = moved_levels(scale, reach(self.value_noise), level, self.draws(self.seed, cells))
        return cells.with_values(np.append(scale, np.nan)[moved])

    def stats_after(self, release: ReleaseStats) -> ReleaseStats:
        """See `Defence.stats_after`: no level is left, and none is new."""
        return release

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:
        """See `Defence.disclosed`."""
        if publisher.value_noise or publisher.value_channel or publisher.swapped:
            step = uniform_channel(release.scale, self.value_noise)
            return publisher.with_channel(step, release.scale, release.scale)
        scale = tuple(release.scale.tolist())
        return replace(publisher, value_noise=self.value_noise, scale=scale)
