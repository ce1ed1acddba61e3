"""The scan: score a block of records against aux sets, and keep what matters as it goes.

This is the door to two loops that find the same: `sim.attack.kernels.fused` for plain sums of
contributions that are never negative, over all records or all but the target's;
`sim.attack.kernels.dense` for everything else. Which of them is taken depends on
the aux set and the attack alone.
"""

# mypy: disable-error-code="call-arg"
# Numba types a compiled function as if it took no arguments.

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.attack.kernels.dense import scan_dense, score_dense, weigh_dense
from sim.attack.kernels.finish import own_scores
from sim.attack.kernels.fused import own_fused, scan_fused, score_fused, weigh_fused
from sim.attack.kernels.nested import Nest, apart
from sim.attack.kernels.partials import PARTIAL, WEIGHED, Partials
from sim.attack.kernels.scan import Finish, Gains, Scan
from sim.release.store.store import Block, Store

_NONE = np.empty((0, 2, 2))


def target_scores(
    store: Store, drawn: Drawn, scan: Scan, nest: Nest | None = None
) -> NDArray[np.float64]:
    """Each target's own score, from its own cells, with the arithmetic of the scan.

    Parameters
    ----------
    store : Store
    drawn : Drawn
        S units.
    scan : Scan
    nest : Nest, optional
        See `scan_block`.

    Returns
    -------
    float64 array, shape (S,) or (U,)
        NaN where the target is no candidate.
    """
    if is_fused(drawn, scan):
        cuts = nest or apart(drawn)
        out = np.empty(cuts.unit.size, np.float64)
        own_fused(*_facts(drawn), *_smooth(scan.gains), cuts.start, cuts.size, out)
        return out
    _check_apart(drawn, nest)
    out = np.empty(len(drawn), np.float64)
    own_scores(
        *_facts(drawn)[:5], *_gains(scan.gains), *_finishing(scan), store.length,
        *_candidates(drawn), out,
    )  # fmt: skip
    return out


def scan_block(
    store: Store,
    block: Block,
    drawn: Drawn,
    scan: Scan,
    own: NDArray[np.float64],
    nest: Nest | None = None,
    *,
    highest: NDArray[np.float64] | None = None,
    weighs: bool = False,
) -> Partials:
    """Score every candidate of a block against every aux set.

    Contributions are added in the order of the facts, in float64. What is said of the highest
    scores may leave out records that the blocks before have outdone.

    Parameters
    ----------
    store : Store
    block : Block
    drawn : Drawn
        S units.
    scan : Scan
    own : float64 array, shape (S,) or (U,)
        Each target's own score, for its rank.
    nest : Nest, optional
        The U aux sets that are beginnings of these; only where `is_fused`.
    highest : float64 array, shape (S, 2) or (U, 2), optional
        The two highest scores of the blocks before, 0 at first; brought up to date.
    weighs : bool
        Whether to go on to what `weigh_block` does while the scores are at hand: only where the
        block is the whole release.

    Returns
    -------
    PARTIAL or WEIGHED array, shape (S,) or (U,)
    """
    both = np.zeros(own.size, WEIGHED if weighs else PARTIAL)
    out, weighed = (both["partial"], both["weighed"]) if weighs else (both, _NONE)
    out["own"] = own
    if is_fused(drawn, scan):
        cuts = nest or apart(drawn)
        scan_fused(
            *_cells_for(block, scan), *_looked_up(drawn),
            *_slim(scan.gains), cuts.start, cuts.size, own,
            np.zeros((own.size, 2)) if highest is None else highest, out, weighed,
        )  # fmt: skip
        return both
    _check_apart(drawn, nest)
    scan_dense(
        *_cells(block), store.length, *_facts(drawn)[:2], *_gains(scan.gains), _plain(scan),
        *_finishing(scan), scan.listed_above, *_candidates(drawn), own, out, weighed,
    )  # fmt: skip
    return both


def score_block(
    store: Store, block: Block, drawn: Drawn, scan: Scan, unit: int
) -> NDArray[np.float64]:
    """Every record's score for one aux set.

    Parameters
    ----------
    store : Store
    block : Block
    drawn : Drawn
    scan : Scan
    unit : int

    Returns
    -------
    float64 array, shape (n_records,)
        NaN for a record that is no candidate.
    """
    score = np.empty(block.n_records, np.float64)
    if is_fused(drawn, scan):
        score_fused(
            unit, *_cells_for(block, scan), *_looked_up(drawn),
            *_slim(scan.gains), score,
        )  # fmt: skip
        return score
    score_dense(
        unit, *_cells(block), store.length, *_facts(drawn)[:2], *_gains(scan.gains),
        _plain(scan), *_finishing(scan), *_candidates(drawn), score,
    )  # fmt: skip
    return score


def weigh_block(
    store: Store,
    block: Block,
    drawn: Drawn,
    scan: Scan,
    best: NDArray[np.float64],
    sigma: NDArray[np.float64],
    nest: Nest | None = None,
) -> NDArray[np.float64]:
    """Sum exp((s − best)/σ) and (s − best)/σ·exp((s − best)/σ) over the candidates of a block.

    Where the scores are logarithms, exp(s − best) and its σ are meant.

    Parameters
    ----------
    store : Store
    block : Block
    drawn : Drawn
        S units.
    scan : Scan
    best : float64 array, shape (S,) or (U,)
        Highest score in the whole release.
    sigma : float64 array, shape (S, C) or (U, C)
        Several conventions of σ; where it is 0 nothing is summed.
    nest : Nest, optional
        See `scan_block`.

    Returns
    -------
    float64 array, shape (S, C, 2) or (U, C, 2)
    """
    out = np.zeros((*sigma.shape, 2))
    if is_fused(drawn, scan):
        cuts = nest or apart(drawn)
        weigh_fused(
            *_cells_for(block, scan), *_looked_up(drawn),
            *_slim(scan.gains), cuts.start, cuts.size, best, sigma, out,
        )  # fmt: skip
        return out
    _check_apart(drawn, nest)
    weigh_dense(
        *_cells(block), store.length, *_facts(drawn)[:2], *_gains(scan.gains), _plain(scan),
        *_finishing(scan), *_candidates(drawn), best, sigma, out,
    )  # fmt: skip
    return out


def is_fused(drawn: Drawn, scan: Scan) -> bool:
    """Whether one pass over the postings does, and serves beginnings of the aux sets too.

    Parameters
    ----------
    drawn : Drawn
    scan : Scan

    Returns
    -------
    bool
    """
    return bool(
        scan.finish == Finish.SUM
        and scan.is_plain
        and not len(scan.feature)
        and scan.listed_above < 0
        and not scan.base.any()
        and not drawn.candidates.restricted.any()
    )


def _check_apart(drawn: Drawn, nest: Nest | None) -> None:
    if nest is not None and nest.unit.size != len(drawn):
        raise ValueError("scores that may fall say nothing about a beginning of the facts")


def _facts(drawn: Drawn) -> Any:
    aux, truth = drawn.aux, drawn.truth
    return (
        aux.start, aux.item, truth.own_held, truth.own_level, truth.own_day,
        truth.absent, truth.target,
    )  # fmt: skip


def _looked_up(drawn: Drawn) -> Any:
    return drawn.aux.start, drawn.aux.item, drawn.truth.absent, drawn.truth.target


def _smooth(gains: Gains) -> Any:
    return gains.add, gains.mul, gains.day_table, gains.day_offset


def _slim(gains: Gains) -> Any:
    """As `_smooth`, with smaller tables where these will do."""
    return gains.by_level, gains.weight, gains.day_table, gains.day_offset


def _plain(scan: Scan) -> Any:
    """Tables for `add_fact`, where that will do."""
    return _slim(scan.gains) if scan.is_plain else None


def _cells(block: Block) -> Any:
    return (
        block.first, block.n_records,
        block.item_start, block.item_row, block.item_level, block.item_day,
    )  # fmt: skip


def _cells_for(block: Block, scan: Scan) -> Any:
    """As `_cells`, without days where they weigh nothing."""
    day = None if scan.gains.weight is None else block.item_day
    return *_cells(block)[:-1], day


def _gains(gains: Gains) -> Any:
    return (
        gains.add, gains.mul, gains.day_table, gains.day_offset, gains.choice, gains.day_class,
    )  # fmt: skip


def _finishing(scan: Scan) -> Any:
    return (
        scan.counted, scan.must, int(scan.finish), scan.base, scan.feature, scan.group, scan.need,
    )  # fmt: skip


def _candidates(drawn: Drawn) -> Any:
    candidates, truth = drawn.candidates, drawn.truth
    return candidates.shortest, candidates.longest, truth.absent, truth.target
