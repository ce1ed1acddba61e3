"""The scan of plain sums of contributions that are never negative, in one pass over the postings.

Such scores only grow as facts are added. So the scores after the first few facts are, to the last
bit, those of an aux set of these alone: one scan serves every aux set that is a *prefix* of it. And
a record can reach the highest two, or tie the target, only if its score passes the *pruning
threshold*: the lower of the target's score and the second-highest among the records before, in this
block or another. Records that pass are *survivors*; no other score is looked at again.
"""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import numpy as np

from sim.attack.kernels.entropy_weights import finish_weighing, has_spread, make_weighing, sigmas_of
from sim.attack.kernels.lanes import WIDTH
from sim.attack.kernels.loops import add_and_prune, add_fact, update_top2, weigh_tile
from sim.attack.kernels.postings import removed_row, start_cursors
from sim.attack.kernels.simd import njit, njit_inline, njit_no_nrt
from sim.attack.kernels.tiled import TILE, longest_run, sums_of, tile_end
from sim.attack.kernels.top2 import TOP, start_top, update_highest
from sim.attack.kernels.types import Pruning, Tile

_U = np.uint64  # unsigned indices need no check for wrap-around
_ZERO = _U(0)


@njit
def _write(o, top, own, first, n_candidates, removed):  # type: ignore[no-untyped-def]
    """Write the partial of a block; its sums have been written already."""
    overlapping, best, ties = top["overlapping"], top["best"], top["ties"]
    o["candidates"] = o["matching"] = n_candidates
    o["overlapping"], o["above"] = overlapping, top["above"]
    # No score is below 0; and records that score 0 never survive, so they were not counted.
    o["at_least"] = n_candidates if own == 0 else top["at_least"]
    o["best"] = o["second"] = -np.inf
    o["best_record"] = -1
    if n_candidates > 0:
        o["best"], o["ties"] = best, ties
        lowest = 1 if removed == 0 else 0
        o["best_record"] = first + (top["best_row"] if best > 0 else lowest)
    if n_candidates > 1:
        o["second"] = top["second"]
    # Records that do not overlap score 0, and no score is negative.
    o["overlapping_sum"], o["overlapping_squares"] = o["sum"], o["sum_squares"]
    o["overlapping_best"], o["overlapping_least"] = -np.inf, np.inf
    if overlapping > 0:
        o["overlapping_best"], o["overlapping_least"] = best, best if ties >= overlapping else 0.0


@njit_inline
def _first_prefix(size):  # type: ignore[no-untyped-def]
    """Index of the first prefix that has any facts."""
    c = 0
    while c < size.size and size[c] == 0:
        c += 1
    return c


@njit_no_nrt
def _scan_tile(begin_fact, end_fact, limit, postings, tables, tile, size, own, pruning):  # type: ignore[no-untyped-def]
    """Score the records of a tile, up to `limit`; update the highest two at every prefix."""
    survivors = pruning.survivors
    top = pruning.top
    overlapping, n_survivors, c = np.int64(0), _ZERO, _first_prefix(size)
    for a in range(begin_fact, end_fact):
        j = a - begin_fact
        more, n_survivors = add_and_prune(
            a, j, limit, postings, tables, tile, pruning, top[c]["threshold"], n_survivors
        )
        overlapping += more
        while c < size.size and size[c] == j + 1:
            if n_survivors > 0:
                after = top[c + 1]["threshold"] if c + 1 < size.size else np.inf
                n_survivors = update_top2(n_survivors, survivors, tile, own[c], after, top[c])
            top[c]["overlapping"] += overlapping
            c += 1


@njit_no_nrt
def _weigh_tile(begin_fact, end_fact, limit, postings, tables, tile, size, best, weighing):  # type: ignore[no-untyped-def]
    """Score the records of a tile again, and accumulate their weights at every prefix."""
    c = _first_prefix(size)
    for a in range(begin_fact, end_fact):
        j = a - begin_fact
        add_fact(a, j, limit, postings, tables, tile)
        while c < size.size and size[c] == j + 1:
            if has_spread(weighing.sigma, c):
                weigh_tile(tile.score, limit - tile.first, best[c], c, weighing)
            c += 1


@njit
def _weigh(u, postings, aux, tables, removed, size, best, sigma, tile, out):  # type: ignore[no-untyped-def]
    """Compute all scores of aux set u again, and accumulate their weights at every prefix.

    ``tile`` provides scratch memory; its scores are −0.0 before and after.
    """
    begin_fact, end_fact, n = aux.start[u], aux.start[u + 1], postings.n_records
    start_cursors(begin_fact, end_fact, aux.item, postings, removed, tile.cursors)
    weighing = make_weighing(sigma, TILE)
    begin, n_candidates = 0, n - 1 if removed >= 0 else n
    while begin < n:
        limit = tile_end(begin, n)
        here = Tile(tile.score, _U(begin), tile.cursors)
        _weigh_tile(begin_fact, end_fact, _U(limit), postings, tables, here, size, best, weighing)
        tile.score[: limit - begin] = -0.0
        begin = limit
    for c in range(size.size):
        if has_spread(sigma, c):
            zeros = n_candidates - weighing.nonzero[c]
            finish_weighing(zeros, best[c], c, weighing, out[c])


@njit
def scan_fused(postings, aux, removed, tables, prefixes, own, highest, out, weighed, overlapping):  # type: ignore[no-untyped-def]
    """Partials of every prefix of every aux set: ``own``, ``highest`` and ``out`` have a row each.

    ``highest`` are the two highest scores of the blocks before, and are updated. Where the block is
    the whole release and the entropy is wanted, ``weighed`` has a row per prefix as well, with a
    column for each convention of σ in ``overlapping`` (see `sigmas_of`); else it is empty.
    """
    facts, most, n = longest_run(aux.start), longest_run(prefixes.start), postings.n_records
    cursors, score = np.empty((3, facts), np.uint64), np.full(TILE, -0.0)
    sums, total = np.empty(2 * facts * WIDTH), np.empty(2 * WIDTH)
    # Whole vectors are stored, so up to seven entries beyond the survivors may be overwritten.
    survivors, top = np.empty(TILE + WIDTH, np.uint16), np.empty(most, TOP)
    pruning, weighs = Pruning(sums, survivors, top), weighed.shape[0] > 0
    best, sigma = np.empty(most), np.empty((most, overlapping.size))
    for u in range(aux.start.size - 1):
        begin_fact, end_fact = aux.start[u], aux.start[u + 1]
        first_prefix, end_prefix = prefixes.start[u], prefixes.start[u + 1]
        here = slice(first_prefix, end_prefix)
        skipped = removed_row(removed[u], postings.first, n)
        n_candidates = n - 1 if skipped >= 0 else n
        start_cursors(begin_fact, end_fact, aux.item, postings, skipped, cursors)
        sums[: (end_fact - begin_fact) * 2 * WIDTH] = 0.0
        start_top(n_candidates, own[here], highest[here], top)
        begin = 0
        while begin < n:
            limit, tile = tile_end(begin, n), Tile(score, _U(begin), cursors)
            _scan_tile(
                begin_fact, end_fact, limit, postings, tables, tile,
                prefixes.size[here], own[here], pruning,
            )  # fmt: skip
            # Not 0.0: adding a contribution of 0.0 to −0.0 makes it 0.0, so the sign bit says
            # whether a record overlaps, even where its similarity is 0.
            score[: limit - begin] = -0.0
            begin = limit
        for c in range(first_prefix, end_prefix):
            o = top[c - first_prefix]
            out[c]["sum"], out[c]["sum_squares"] = sums_of(prefixes.size[c], sums, total)
            _write(out[c], o, own[c], postings.first, n_candidates, skipped)
            update_highest(o, highest[c])
            if weighs:
                best[c - first_prefix] = out[c]["best"]
                sigmas_of(out[c], False, overlapping, sigma[c - first_prefix])
        if weighs:
            n_prefixes = end_prefix - first_prefix
            _weigh(
                u, postings, aux, tables, skipped, prefixes.size[here], best[:n_prefixes],
                sigma[:n_prefixes], Tile(score, _ZERO, cursors), weighed[here],
            )  # fmt: skip


@njit
def weigh_fused(postings, aux, removed, tables, prefixes, best, sigma, out):  # type: ignore[no-untyped-def]
    """Compute the scores again, and accumulate their weights at every prefix."""
    cursors = np.empty((3, longest_run(aux.start)), np.uint64)
    tile = Tile(np.full(TILE, -0.0), _ZERO, cursors)
    for u in range(aux.start.size - 1):
        here = slice(prefixes.start[u], prefixes.start[u + 1])
        skipped = removed_row(removed[u], postings.first, postings.n_records)
        _weigh(
            u, postings, aux, tables, skipped, prefixes.size[here], best[here], sigma[here], tile,
            out[here],
        )  # fmt: skip
