"""The recorded rows of a batch: those of ``decisions.parquet`` and ``aux.parquet``.

Invariant: one row for every aux set, and for every fact, in the batch's order; null means what
``sim/guide/files.md`` says and nothing else.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Drawn, FactKind
from sim.attack.engine.decisions import Decisions
from sim.numeric import log2
from sim.release.store.store import Store


@dataclass(frozen=True, slots=True)
class ExtraColumns:
    """Further columns of U decisions, computed after the attack.

    Parameters
    ----------
    theta_similarity : float64 array, shape (U,)
        See `sim.metrics.record_pairs.best_guess_similarity`.
    longest_ties : int64 array, shape (U,)
        See `sim.metrics.baselines.longest_ties`.
    entropy : bool
        Whether the attack measures the entropy.
    """

    theta_similarity: NDArray[np.float64]
    longest_ties: NDArray[np.int64]
    entropy: bool


def decision_table(
    store: Store,
    drawn: Drawn,
    decisions: Decisions,
    extra: ExtraColumns,
    people: pa.Array | None = None,
) -> pa.Table:
    """Rows of ``decisions.parquet`` for one batch; columns as in ``sim/guide/files.md``.

    Parameters
    ----------
    drawn : Drawn
        U units.
    extra : ExtraColumns
        The columns that the decisions do not have.
    people : pyarrow array, optional
        Identifiers of the people the aux is about; None where these are the release's own records.
    """
    aux, truth = drawn.aux, drawn.truth
    is_candidate = decisions.rank > 0
    known = ~_unknown(drawn)
    bits, bits_other = _bits(store, drawn, decisions, extra.entropy)
    return _typed(
        {
            "cell": aux.cell,
            "target": store.records.take(_masked(truth.target, truth.target < 0)),
            "aux_size": aux.size.astype(np.int32),
            "best": store.records.take(_masked(decisions.best, decisions.best < 0)),
            "best_score": _nullable(decisions.best_score),
            "second_score": _nullable(decisions.second_score),
            "sigma": decisions.sigma,
            "eccentricity": _nullable(decisions.eccentricity),
            "matched": decisions.matched,
            "correct": _where(decisions.correct, known),
            "target_score": _nullable(decisions.target_score),
            "true_rank": _where(decisions.rank, is_candidate),
            "ties": decisions.ties,
            "present": _where(truth.present, known),
            "above": _where(decisions.above, is_candidate),
            "candidates": decisions.candidates,
            "matching_set": decisions.matching,
            "overlapping": _where(decisions.overlapping, decisions.overlapping >= 0),
            "entropy_bits": _nullable(bits),
            "entropy_bits_other": _nullable(bits_other),
            "entropy_all_bits": _nullable(decisions.entropy_all_bits),
            "posterior": _nullable(decisions.posterior),
            "theta_similarity": _nullable(extra.theta_similarity),
            "longest_ties": _where(extra.longest_ties, is_candidate),
            "person": _people(store, people, truth.person, len(drawn)),
        }
    )


def aux_table(store: Store, drawn: Drawn, people: pa.Array | None = None) -> pa.Table:
    """Rows of ``aux.parquet`` for one batch; columns as in ``sim/guide/files.md``.

    Parameters
    ----------
    people : pyarrow array, optional
        As for `decision_table`.
    """
    kinds = pa.array([kind.name.lower() for kind in FactKind])
    aux, truth = drawn.aux, drawn.truth
    target = np.repeat(truth.target, aux.size)
    person = np.repeat(truth.person, aux.size) if truth.person.size else truth.person
    return _typed(
        {
            "cell": np.repeat(aux.cell, aux.size),
            "target": store.records.take(_masked(target, target < 0)),
            "item": store.items.take(_masked(aux.item, aux.item < 0)),
            "value": _nullable(aux.value),
            "day": pa.array(aux.day + store.manifest.first_day, mask=aux.day == NO_DAY).cast(
                "int32"
            ),
            "kind": kinds.take(pa.array(truth.kind)),
            "person": _people(store, people, person, aux.item.size),
        }
    )


def top_table(
    store: Store, drawn: Drawn, decisions: Decisions, people: pa.Array | None = None
) -> pa.Table:
    """Rows of ``top_candidates.parquet`` for one batch; columns as in ``sim/guide/files.md``.

    Parameters
    ----------
    people : pyarrow array, optional
        As for `decision_table`.
    """
    unit, place = np.nonzero(decisions.top >= 0)
    truth, record = drawn.truth, decisions.top[unit, place]
    target = truth.target[unit]
    person = truth.person[unit] if truth.person.size else truth.person
    return _typed(
        {
            "cell": drawn.aux.cell[unit],
            "target": store.records.take(_masked(target, target < 0)),
            "place": (place + 1).astype(np.int32),
            "candidate": store.records.take(pa.array(record)),
            "posterior": decisions.top_posterior[unit, place],
            "person": _people(store, people, person, unit.size),
        }
    )


_IDENTIFIERS = ("target", "best", "item", "person", "candidate")


def _typed(columns: dict[str, Any]) -> pa.Table:
    """Return a table whose identifiers pandas reads as integers, null or not."""
    table = pa.table(columns)
    return table.replace_schema_metadata(_pandas_metadata(table.schema))


@functools.cache
def _pandas_metadata(schema: pa.Schema) -> dict[bytes, bytes]:
    """Metadata that keeps a column of integers with a null from becoming floats: 13 from 13.0."""
    integers = {pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype()}
    empty = {
        field.name: pa.array([], field.type).to_pandas(
            types_mapper=integers.get if field.name in _IDENTIFIERS else None
        )
        for field in schema
    }
    schema = pa.Schema.from_pandas(pd.DataFrame(empty), preserve_index=False)
    return dict(schema.metadata)


def _unknown(drawn: Drawn) -> NDArray[np.bool_]:
    """Return whether the person's record is unknown."""
    unknown = drawn.aux.unit[drawn.truth.kind == FactKind.UNKNOWN]
    return (drawn.truth.target < 0) & np.isin(np.arange(len(drawn)), unknown)


def _bits(
    store: Store, drawn: Drawn, decisions: Decisions, measured: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """H by the σ that is asked for, and by the other; NaN where not measured.

    log2 N where the target is in the release but no candidate.
    """
    excluded = (decisions.rank == 0) & drawn.truth.present & measured
    everyone = log2(store.manifest.n_records)
    both = (decisions.entropy_bits, decisions.entropy_bits_other)
    first, second = (np.where(excluded, everyone, bits) for bits in both)
    return first, second


def _people(
    store: Store, people: pa.Array | None, person: NDArray[np.int64], rows: int
) -> pa.Array:
    """Identifiers of people; null where subjects are records."""
    if people is None:
        return pa.nulls(rows, store.records.type)
    return people.take(pa.array(person))


def _masked(places: NDArray[Any], missing: NDArray[np.bool_]) -> pa.Array:
    """Indices to take from, null where there is none."""
    return pa.array(np.maximum(places, 0), mask=missing)


def _where(values: NDArray[Any], known: NDArray[np.bool_]) -> pa.Array:
    return pa.array(values, mask=~known)


def _nullable(values: NDArray[np.float64]) -> pa.Array:
    return pa.array(values, from_pandas=True)
