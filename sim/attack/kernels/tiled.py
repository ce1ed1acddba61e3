"""Tiles: a few thousand records whose scores stay in the processor's nearest cache.

Every fact adds to the scores of a tile before the next tile begins. The postings of an item are
sorted by record, so each fact resumes at its *cursor*, where it stopped in the previous tile.

Invariant: a record's contributions are added in the order of the facts, and the sums of a fact's
contributions in the lane of the posting's index in the block. So no bit depends on the tiles, nor
on what else is computed.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from sim.attack.kernels.entropy_weights import halves_first
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.simd import njit, njit_inline

TILE = 3072
"""Records of a tile: their scores take 24 KiB."""

_FIRST = 192  # records of the first tile, short because no threshold prunes it


@njit_inline
def tile_end(first, n):  # type: ignore[no-untyped-def]
    """Return the end of the tile that begins at record `first` of n."""
    return min(first + min(max(_FIRST, 3 * first), TILE), n)


@njit
def longest_run(start):  # type: ignore[no-untyped-def]
    """Most facts of an aux set, or prefixes of a scan."""
    most = 0
    for u in range(start.size - 1):
        most = max(most, start[u + 1] - start[u])
    return most


@njit
def sums_of(n_facts, sums, total):  # type: ignore[no-untyped-def]
    """Sum of the first facts' contributions, and of the squares of the scores they make.

    ``total`` is scratch memory for sixteen numbers.
    """
    for lane in range(2 * WIDTH):
        total[lane] = 0.0
        for j in range(n_facts):
            total[lane] += sums[j * 2 * WIDTH + lane]
    return halves_first(total[:WIDTH]), halves_first(total[WIDTH:])
