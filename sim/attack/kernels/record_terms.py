"""Posteriors of records as the terms of a block's records, for the other kernels to add up."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.attack.kernels.posterior import Posterior, RecordCells, score_records
from sim.attack.kernels.score_spec import IMPOSSIBLE, ScoreSpec
from sim.attack.kernels.types import read_only
from sim.release.store.store import Block, Store

Floats = NDArray[np.float64]


def with_record_terms(store: Store, block: Block, drawn: Drawn, spec: ScoreSpec) -> ScoreSpec:
    """Return the score with the term of each of a block's records for every unit.

    Parameters
    ----------
    drawn : Drawn
        U units.
    """
    if spec.posterior is None:
        return spec
    terms = _terms(store, block, drawn, spec.posterior)
    # Memory is taken only where it is written to.
    feature = np.zeros((len(drawn), block.first + block.n_records))
    feature[:, block.first :] = terms
    return replace(spec, posterior=None, feature=feature, group=np.arange(len(drawn)))


def own_terms(store: Store, drawn: Drawn, given: Posterior) -> Floats:
    """Return the terms of the targets' own records, with the bits of the scan, shape (U,).

    0 of a target that has no record.
    """
    found, target = np.zeros(len(drawn)), drawn.truth.target
    first = np.array([store.block(index).first for index in range(store.manifest.n_blocks)])
    of = np.searchsorted(first, target, side="right") - 1
    for index in np.unique(of[target >= 0]).tolist():
        block, units = store.block(index), np.flatnonzero((of == index) & (target >= 0))
        terms = _terms(store, block, drawn, given)
        found[units] = terms[units, target[units] - block.first]
    return found


def absent_terms(store: Store, units: int, given: Posterior) -> Floats:
    """Return the log likelihood of a person of whom nothing is released, shape (units,)."""
    none = np.empty(0, np.int64)
    first, start = store.manifest.n_records, np.zeros(2, np.int64)
    block = store.block(0)
    cells: Any = RecordCells(
        first, start, none.astype(block.record_item.dtype), none,
        none.astype(block.record_day.dtype), store.manifest.n_items,
    )  # fmt: skip
    terms, removed = np.empty((units, 1)), np.full(units, -1)
    score_records(read_only(cells), read_only(given), read_only(removed), terms)
    return terms[:, 0]


def _terms(store: Store, block: Block, drawn: Drawn, given: Posterior) -> Floats:
    return _of_block(store, block.first, _Given(block, drawn, given))


class _Given:
    """A block and a batch, as a key of a cache: the same objects, not equal ones."""

    def __init__(self, block: Block, drawn: Drawn, given: Posterior) -> None:
        self.block, self.drawn, self.given = block, drawn, given

    def __hash__(self) -> int:
        return id(self.given)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Given) and self.given is other.given


@functools.lru_cache(maxsize=1)
def _of_block(store: Store, first: int, given: _Given) -> Floats:
    """Score the records of a block, shape (U, n_records); those of the last block are kept.

    They are asked for twice: for the targets' own scores, and for the scan.
    """
    block = given.block
    cells: Any = RecordCells(
        first,
        block.record_start,
        block.record_item,
        block.record_level.astype(np.int64),
        block.record_day,
        store.manifest.n_items,
    )
    terms = np.empty((len(given.drawn), block.n_records))
    removed = given.drawn.truth.removed
    score_records(read_only(cells), read_only(given.given), read_only(removed), terms)
    return np.where(np.isinf(terms), IMPOSSIBLE, terms)
