"""The scan: score a block of records against aux sets, and keep what matters as it goes.

Dispatches to one of two equivalent kernels. `sim.attack.kernels.fused` computes plain sums of
contributions that are never negative, over all records or all but the target's;
`sim.attack.kernels.dense` computes everything else. Which of them runs depends on the aux set and
the attack alone. The package's docstring explains them on five postings. Where an attack rules most
records out, `sim.attack.kernels.candidates` finds the same without looking at them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import Drawn
from sim.adversary.target_cells import all_own_cells
from sim.attack.kernels.candidates import scan_candidates
from sim.attack.kernels.dense import scan_dense, score_dense, weigh_dense
from sim.attack.kernels.fused import scan_fused, weigh_fused
from sim.attack.kernels.holders import holders_of
from sim.attack.kernels.near_cells import near_cells, near_own
from sim.attack.kernels.partials import PARTIAL, Partials, kept_type, weighed_type
from sim.attack.kernels.postings import facts_index
from sim.attack.kernels.prefixes import PrefixGroups, ungrouped
from sim.attack.kernels.record_terms import own_terms, with_record_terms
from sim.attack.kernels.repeats import best_cells, best_cells_in_parts
from sim.attack.kernels.score_forms import own_likelihoods, own_scores
from sim.attack.kernels.score_spec import Contributions, ScoreForm, ScoreSpec
from sim.attack.kernels.types import (
    AllTables,
    AuxColumns,
    Form,
    Postings,
    Prefixes,
    RowFilter,
    Tables,
    TargetCells,
    read_only,
)
from sim.release.store.store import Block, Store

_NO_SIGMA = np.empty(0, np.bool_)
_NONE = np.empty((0, 0, 2))
_NO_SCORES = np.empty(0)


def target_scores(
    store: Store, drawn: Drawn, spec: ScoreSpec, groups: PrefixGroups | None = None
) -> NDArray[np.float64]:
    """Each target's own score, of several records the highest.

    Parameters
    ----------
        S units.
    groups : PrefixGroups, optional
        See `scan_block`.

    Returns
    -------
    float64 array, shape (S,) or (U,)
        NaN where the target is no candidate.
    """
    highest: NDArray[np.float64] = np.fmax.reduce(scores_of_own(store, drawn, spec, groups))
    return highest


def scores_of_own(
    store: Store, drawn: Drawn, spec: ScoreSpec, groups: PrefixGroups | None = None
) -> NDArray[np.float64]:
    """The scores of the targets' records, from their own cells, with the arithmetic of the scan.

    Parameters
    ----------
    drawn, spec, groups : see `target_scores`

    Returns
    -------
    float64 array, shape (K, S) or (K, U)
        A row for the first record of each, the second, and so on; NaN where there is none, or it is
        no candidate.
    """
    prefixes, truth = _prefixes(drawn, spec, groups), drawn.truth
    if spec.posterior is not None:
        spec = replace(spec, posterior=None, base=own_terms(store, drawn, spec.posterior))
    out = np.empty((truth.most_records, prefixes.size.size), np.float64)
    for n, scores in enumerate(out):
        target, own = truth.target, truth.own
        if n > 0:
            assert truth.records is not None
            target = truth.records.nth(n)
            own = all_own_cells(store, np.repeat(target, drawn.aux.size), drawn.aux.item)
        present = np.where(truth.absent, -1, target)
        near = own.near
        if not near.size:  # not counted for an attack that asks, nor for another record of theirs
            near = near_own(store, drawn.aux.item, own, spec.counted.draws)
        cells = read_only(TargetCells(present, own.start, own.level, own.day, near))
        facts, tables, of_repeats = _facts(drawn), _all_tables(spec), _NO_SCORES
        if spec.counted.leader.size:
            of_repeats = own_likelihoods(facts, cells, tables)
        own_scores(
            facts, cells, _candidates(store, drawn), tables, _form(spec), prefixes, of_repeats,
            scores,
        )  # fmt: skip
    return out


def scan_block(
    store: Store,
    block: Block,
    drawn: Drawn,
    spec: ScoreSpec,
    own: NDArray[np.float64],
    groups: PrefixGroups | None = None,
    *,
    highest: NDArray[np.float64] | None = None,
    overlapping: NDArray[np.bool_] | None = None,
    full: bool = True,
    keep: int = 0,
) -> Partials:
    """Score every candidate of a block against every aux set.

    Contributions are added in the order of the facts, in float64. The highest scores of a partial
    may leave out records that the blocks before have outdone.

    Parameters
    ----------
        S units.
    own : float64 array, shape (S,) or (U,)
        Each target's own score, for its rank.
    groups : PrefixGroups, optional
        The U aux sets that are prefixes of these; only where `is_fused`.
    highest : float64 array, shape (S, 2) or (U, 2), optional
        The two highest scores of the blocks before, 0 at first; updated.
    overlapping : bool array, shape (C,), optional
        Goes on to what `weigh_block` does while the scores are at hand: only where the block is the
        whole release. Says of each convention of σ whether it is over the candidates that share an
        item with the aux, instead of over all.
    full : bool
        Whether to look at every record. If not, and an aux set rules records out, its partial has
        −1 `overlapping` records.
    keep : int
        Number of records to keep that score highest.

    Returns
    -------
    PARTIAL array, shape (S,) or (U,)
        Of `weighed_type` where scores are weighed, of `kept_type` where any records are kept.
    """
    spec = with_record_terms(store, block, drawn, spec)
    # Arrays of their own, not views of `both`: Numba compiles every layout anew.
    out, weighed = np.zeros(own.size, PARTIAL), _NONE
    if overlapping is not None:
        weighed = np.zeros((own.size, overlapping.size, 2))
    out["own"] = own
    highest_kept = np.full((own.size, keep), -1), np.full((own.size, keep), -np.inf)
    prefixes = _prefixes(drawn, spec, groups)
    own = read_only(own)
    if is_fused(drawn, spec):
        highest = np.zeros((own.size, 2)) if highest is None else highest
        for given, of_part in _fused_parts(store, block, drawn, spec, prefixes):
            scan_fused(
                *given, of_part, own, highest, out, weighed,
                _NO_SIGMA if overlapping is None else overlapping,
            )  # fmt: skip
    else:
        if not full and overlapping is None:
            postings, aux = _indexed(block, drawn)
            holders = holders_of(store).of(block, drawn.aux.item)
            scan_candidates(
                postings, holders, aux, _candidates(store, drawn),
                _all_tables(spec, *_near(store, block, drawn, spec)), _form(spec),
                spec.matching_above, own, out, highest_kept,
            )  # fmt: skip
        if (out["overlapping"] >= 0).any():
            scan_dense(
                *_dense(store, block, drawn, spec), spec.matching_above, own, out, weighed,
                _NO_SIGMA if overlapping is None else overlapping,
            )  # fmt: skip
    if keep:
        for unit in np.flatnonzero(out["overlapping"] >= 0).tolist():
            scores = score_block(store, block, drawn, spec, unit)
            record = np.flatnonzero(scores > -np.inf)
            if record.size > keep:  # far fewer are left to sort
                least = np.partition(scores[record], -keep)[-keep]
                record = record[scores[record] >= least]
            record = record[np.argsort(-scores[record], kind="stable")[:keep]]
            highest_kept[0][unit, : record.size] = record + block.first
            highest_kept[1][unit, : record.size] = scores[record]
        kept = np.empty(own.size, kept_type(keep))
        kept["partial"], (kept["record"], kept["score"]) = out, highest_kept
        return kept
    if overlapping is None:
        return out
    both = np.empty(own.size, weighed_type(overlapping.size))
    both["partial"], both["weighed"] = out, weighed
    return both


def score_block(
    store: Store, block: Block, drawn: Drawn, spec: ScoreSpec, unit: int
) -> NDArray[np.float64]:
    """Every record's score for one aux set.

    Returns
    -------
    float64 array, shape (n_records,)
        NaN for a record that is no candidate.
    """
    spec = with_record_terms(store, block, drawn, spec)
    score = np.empty(block.n_records, np.float64)
    facts = int(drawn.aux.start[unit]), int(drawn.aux.start[unit + 1])
    score_dense(unit, *_dense(store, block, drawn, spec, facts), score)
    return score


def weigh_block(
    store: Store,
    block: Block,
    drawn: Drawn,
    spec: ScoreSpec,
    best: NDArray[np.float64],
    sigma: NDArray[np.float64],
    groups: PrefixGroups | None = None,
) -> NDArray[np.float64]:
    """Sum exp((s − best)/σ) and (s − best)/σ·exp((s − best)/σ) over the candidates of a block.

    Where the scores are logarithms, exp(s − best) and its σ are meant.

    Parameters
    ----------
        S units.
    best : float64 array, shape (S,) or (U,)
        Highest score in the whole release.
    sigma : float64 array, shape (S, C) or (U, C)
        Several conventions of σ; where it is 0 nothing is summed.
    groups : PrefixGroups, optional
        See `scan_block`.

    Returns
    -------
    float64 array, shape (S, C, 2) or (U, C, 2)
    """
    out = np.zeros((*sigma.shape, 2))
    prefixes, (best, sigma) = _prefixes(drawn, spec, groups), read_only((best, sigma))
    if is_fused(drawn, spec):
        for given, of_part in _fused_parts(store, block, drawn, spec, prefixes):
            weigh_fused(*given, of_part, best, sigma, out)
    else:
        weigh_dense(*_dense(store, block, drawn, spec), best, sigma, out)
    return out


def is_fused(drawn: Drawn, spec: ScoreSpec) -> bool:
    """Whether one pass over the postings is enough, and serves prefixes of the aux sets too."""
    return bool(
        spec.form == ScoreForm.SUM
        and spec.is_plain
        and not len(spec.feature)
        and spec.matching_above < 0
        and not spec.base.any()
        and not drawn.apart.any()
    )


def _prefixes(drawn: Drawn, spec: ScoreSpec, groups: PrefixGroups | None) -> Prefixes:
    groups = groups or ungrouped(drawn)
    if not is_fused(drawn, spec) and groups.unit.size != len(drawn):
        raise ValueError("prefixes cannot be used with scores that may decrease")
    return read_only(Prefixes(groups.start, groups.size))


def _facts(drawn: Drawn) -> AuxColumns:
    return read_only(AuxColumns(drawn.aux.start, drawn.aux.item))


def _removed(drawn: Drawn) -> NDArray[np.int64]:
    """Record that is taken out of the release for each aux set; −1 for none."""
    return read_only(drawn.truth.removed)


def _candidates(store: Store, drawn: Drawn) -> RowFilter:
    bounds, removed = drawn.candidates, drawn.truth.all_removed
    return read_only(
        RowFilter(store.length, bounds.shortest, bounds.longest, removed.start, removed.record)
    )


def _compact_tables(given: Contributions) -> Tables:
    return read_only(Tables(given.by_level, given.weight, given.day_table, given.day_offset))


def _all_tables(spec: ScoreSpec, *near: NDArray[Any]) -> AllTables:
    given = spec.contributions
    smooth = Tables(given.add, given.mul, given.day_table, given.day_offset)
    return read_only(AllTables(smooth, given.choice, given.day_class, spec.counted, *near))


def _near(
    store: Store, block: Block, drawn: Drawn, spec: ScoreSpec
) -> tuple[()] | tuple[NDArray[Any], NDArray[np.int64]]:
    """Cells near each posting of a block, where the chances of wrong facts depend on them."""
    draws = spec.counted.draws
    return near_cells(store).of(block, drawn.aux.item, draws) if draws.kind.size else ()


def _form(spec: ScoreSpec) -> Form:
    return read_only(
        Form(int(spec.form), spec.base, spec.feature, spec.group, spec.need, spec.required)
    )


def _indexed(
    block: Block, drawn: Drawn, facts: tuple[int, int] | None = None
) -> tuple[Postings, AuxColumns]:
    """Postings of a block, and facts whose items are places in its index.

    A sparse index has no place for every item, so one is made of the facts' items alone. Only those
    of the facts [begin, end) are looked up, if these are given.
    """
    item, start = drawn.aux.item, block.item_start
    if start is None:
        every = drawn.facts_by_item if facts is None else np.arange(*facts)
        item, start = facts_index(block, item, every)
    postings = Postings(
        block.first, block.n_records, start, block.item_row, block.item_level, block.item_day
    )
    return read_only((postings, AuxColumns(drawn.aux.start, item)))


def _scanned(
    store: Store,
    block: Block,
    drawn: Drawn,
    spec: ScoreSpec,
    facts: tuple[int, int] | None = None,
) -> tuple[Postings, AuxColumns]:
    """Postings to scan, one cell a record, and the facts; days only where they are needed.

    Where items repeat, only those of the facts [begin, end), if these are given.
    """
    postings, aux = _indexed(block, drawn, facts)
    if store.manifest.has_repeats and not spec.counted.number.size:
        postings, aux = read_only(best_cells(postings, aux, _all_tables(spec), facts))
    return _with_days(postings, spec), aux


def _fused_parts(
    store: Store, block: Block, drawn: Drawn, spec: ScoreSpec, prefixes: Prefixes
) -> Iterator[tuple[Any, Prefixes]]:
    """Yield the first arguments of the kernels of `sim.attack.kernels.fused`, and the prefixes.

    Where items repeat, of some aux sets at a time.
    """
    (postings, aux), removed = _indexed(block, drawn), _removed(drawn)
    tables = _compact_tables(spec.contributions)
    every = slice(0, len(drawn)), postings, aux
    repeats = store.manifest.has_repeats
    parts = best_cells_in_parts(postings, aux, _all_tables(spec)) if repeats else [every]
    for sets, to_scan, facts in parts:
        here = slice(sets.start, sets.stop + 1)
        yield (
            (*read_only((_with_days(to_scan, spec), facts)), removed[sets], tables),
            Prefixes(prefixes.start[here], prefixes.size),
        )


def _with_days(postings: Postings, spec: ScoreSpec) -> Postings:
    """Leave the days out where scores do not depend on them."""
    needs_days = not spec.is_plain or spec.contributions.weight is not None
    return postings if needs_days else postings._replace(item_day=None)


def _dense(
    store: Store,
    block: Block,
    drawn: Drawn,
    spec: ScoreSpec,
    facts: tuple[int, int] | None = None,
) -> Any:
    """Return the first arguments of the kernels of `sim.attack.kernels.dense`."""
    if spec.is_plain:
        tables: Tables | AllTables = _compact_tables(spec.contributions)
    else:
        tables = _all_tables(spec, *_near(store, block, drawn, spec))
    return (
        *_scanned(store, block, drawn, spec, facts), _candidates(store, drawn), tables, _form(spec),
    )  # fmt: skip
