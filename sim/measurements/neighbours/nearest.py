"""Each record's nearest other record.

Invariant: the result for some blocks is a function of the release and the targets alone, and
results for several sets of blocks merge, in any order and grouping, into that for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.errors import GridError
from sim.measurements.neighbours.agreement import QueryBlock, count_uses, make_counter
from sim.measurements.neighbours.block_index import MOST_CLASSES, index_block
from sim.measurements.neighbours.metric import Hamming, MatchRule, Metric, match_rule
from sim.measurements.neighbours.search import Found, search
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest other record of each target, among the blocks that were searched.

    Parameters
    ----------
    target : int64 array, shape (n,)
    length : int64 array, shape (n,)
        |supp(r)| of the target.
    record : int64 array, shape (n,)
        The nearest, the lowest of several; −1 if no record was compared.
    agree : int64 array, shape (n,)
        Σ_i Sim(r_i, r′_i): items in common whose cells agree; −1 if no record was compared.
    union : int64 array, shape (n,)
        |supp(r) ∪ supp(r′)|; 1 if no record was compared.
    """

    metric: Metric
    target: NDArray[np.int64]
    length: NDArray[np.int64]
    record: NDArray[np.int64]
    agree: NDArray[np.int64]
    union: NDArray[np.int64]

    @property
    def similarity(self) -> NDArray[np.float64]:
        """Sim(r, r′), shape (n,); −1 if no record was compared (NS08, Fig. 1)."""
        return self.agree / self.union

    @property
    def distance(self) -> NDArray[np.float64]:
        """|supp(r) Δ supp(r′)| / |supp(r)|, shape (n,); it may exceed 1 (NS07, Fig. 1).

        Infinite if no record was compared.

        Raises
        ------
        ValueError
            The neighbours are the nearest by another metric.
        """
        if self.metric != Hamming():
            raise ValueError(f"neighbours by {self.metric}, not by Hamming distance")
        return np.where(self.record < 0, np.inf, (self.union - self.agree) / self.length)


def nearest(
    store: Store,
    records: NDArray[np.int64],
    metric: Metric,
    blocks: Iterable[int] | None = None,
    known: Nearest | None = None,
) -> Nearest:
    """Find the most similar other record of each target, exactly (NS08, Fig. 1; NS07, Fig. 1).

    Parameters
    ----------
    records : int64 array, shape (n,)
        Targets, in any order.
    blocks : iterable of int, optional
        Search these blocks of the store only.
    known : Nearest, optional
        The result of other blocks for the same targets: merged with this one, which speeds up the
        search.

    Raises
    ------
    GridError
        The release holds one record only.
    ValueError
        A target or a block is not in the store, or `known` has other targets or another metric.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from sim.release.store.build import build_store
    >>> from sim.release.synthetic import PRESETS, SyntheticSource
    >>> from sim.measurements.neighbours import PRESENCE
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "store"
    ...     _ = build_store(SyntheticSource(PRESETS["tiny"], seed=1), path)
    ...     found = nearest(Store(path), np.arange(3), PRESENCE)
    >>> bool((found.record != found.target).all()), found.similarity.shape
    (True, (3,))
    """
    if store.manifest.n_records < 2:
        raise GridError(f"{store.manifest.source}: one record only; a nearest neighbour needs two")
    result = _begin(store, records, metric, known)
    rule, query_blocks = match_rule(metric, store), list(_query_blocks(store, result.target))
    uses = _uses(store, rule, query_blocks)
    m, longest = store.manifest, int(result.length.max(initial=1))
    agree, common = (make_counter(m.block_records, longest) for _ in range(2))
    found = Found(result.record, result.agree, result.union)
    for number in _blocks(store, blocks):
        index = index_block(store.block(number), rule, uses)
        for queries, rows, slot in query_blocks:
            search(queries, rows, slot, index, rule, agree, common, found)
    return result


def merge(one: Nearest, other: Nearest) -> Nearest:
    """Merge the results of two sets of blocks for the same targets; associative and commutative.

    Raises
    ------
    ValueError
        They have different targets or metrics.

    Examples
    --------
    >>> from sim.measurements.neighbours import PRESENCE
    >>> def part(record, agree, union):
    ...     of = [np.array([x]) for x in (7, 4, record, agree, union)]
    ...     return Nearest(PRESENCE, *of)
    >>> merged = merge(part(3, 1, 4), part(2, 2, 8))
    >>> merged.record.tolist(), merged.similarity.tolist()
    ([2], [0.25])
    """
    _same(one, other)
    if isinstance(one.metric, Hamming):
        gain = (one.union - one.agree) - (other.union - other.agree)
    else:
        gain = other.agree * one.union - one.agree * other.union
    other_wins = (gain > 0) | ((gain == 0) & (other.record < one.record))
    other_wins = np.where(
        (one.record < 0) | (other.record < 0), one.record < other.record, other_wins
    )
    return Nearest(
        one.metric,
        one.target,
        one.length,
        np.where(other_wins, other.record, one.record),
        np.where(other_wins, other.agree, one.agree),
        np.where(other_wins, other.union, one.union),
    )


def _begin(
    store: Store, records: NDArray[np.int64], metric: Metric, known: Nearest | None
) -> Nearest:
    """Return a result to write to: `known`, or none found yet."""
    target = np.array(records, np.int64)
    if target.ndim != 1 or ((target < 0) | (target >= store.manifest.n_records)).any():
        raise ValueError(f"targets must be records of {store!r}, one after the other")
    length = store.length[target].astype(np.int64)
    none = np.full_like(target, -1)
    result = Nearest(metric, target, length, none, none.copy(), np.ones_like(target))
    return result if known is None else merge(result, known)


def _blocks(store: Store, blocks: Iterable[int] | None) -> list[int]:
    wanted = sorted(set(range(store.manifest.n_blocks) if blocks is None else blocks))
    if wanted and not 0 <= wanted[0] <= wanted[-1] < store.manifest.n_blocks:
        raise ValueError(f"blocks {wanted}: {store!r} has {store.manifest.n_blocks}")
    return wanted


def _same(one: Nearest, other: Nearest) -> None:
    if one.metric != other.metric or not np.array_equal(one.target, other.target):
        raise ValueError("neighbours of other targets or by another metric do not merge")


_At = tuple[QueryBlock, NDArray[np.int64], NDArray[np.int64]]


def _query_blocks(store: Store, target: NDArray[np.int64]) -> Iterator[_At]:
    """Yield each block that holds targets, their rows in it, and their places among all targets."""
    order = np.argsort(target, kind="stable")
    index = target[order] // store.manifest.block_records
    for at in np.unique(index):
        block, slot = store.block(int(at)), order[index == at]
        queries = QueryBlock(
            block.first,
            block.record_start,
            block.record_item,
            block.record_level,
            block.record_day,
        )
        yield queries, target[slot] - block.first, slot


def _uses(store: Store, rule: MatchRule, query_blocks: list[_At]) -> NDArray[np.int64]:
    """Count how often the targets ask for each item and range of levels; empty for no bitmaps."""
    classes = store.manifest.n_items * rule.n_ranges
    if classes > MOST_CLASSES:
        return np.empty(0, np.int64)
    uses = np.zeros(classes, np.int64)
    for queries, rows, _ in query_blocks:
        count_uses(queries, rows, rule, uses)
    return uses
