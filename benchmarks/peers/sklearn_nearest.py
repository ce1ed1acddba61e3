"""Brute-force neighbours of scikit-learn, on all cores: by cosine, and by Hamming distance."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn import config_context
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from sim.adversary.aux import Aux
from sim.release.store.store import Store


class Cosines(NamedTuple):
    """The two highest cosines of each target, and the record of the highest."""

    best: NDArray[np.float64]
    second: NDArray[np.float64]
    best_record: NDArray[np.int64]


def presence(store: Store) -> Any:
    """A release as a CSR matrix of zeros and ones, records × items."""
    m = store.manifest
    blocks = [store.block(index) for index in range(m.n_blocks)]
    item = np.concatenate([block.record_item for block in blocks]).astype(np.int32)
    start = np.concatenate([[0], np.cumsum(store.length)])
    return sparse.csr_matrix((np.ones(item.size), item, start), (m.n_records, m.n_items))


def by_cosine(store: Store, aux: Aux) -> Mapping[str, Callable[[], Cosines]]:
    """TF-IDF (F06 §4.2): ways to ask for the two records of the highest cosine."""
    idf = np.log2(store.manifest.n_records / store.support)
    shape = (len(aux), store.manifest.n_items)
    held, asked = presence(store), sparse.csr_matrix((idf[aux.item], aux.item, aux.start), shape)
    held.data = idf[held.indices]
    held, asked = _unit(held), _unit(asked)
    cosine = NearestNeighbors(n_neighbors=2, algorithm="brute", metric="cosine").fit(held)
    euclidean = NearestNeighbors(n_neighbors=2, algorithm="brute", metric="euclidean").fit(held)

    def ask(search: Any, cosines: Callable[[Any], Any]) -> Cosines:
        with threadpool_limits(os.cpu_count()):
            far, record = search.kneighbors(asked)
        found = cosines(far)
        return Cosines(found[:, 0], found[:, 1], record[:, 0])

    return {
        "metric=cosine": lambda: ask(cosine, lambda far: 1 - far),
        "metric=euclidean on vectors of length 1": lambda: ask(
            euclidean, lambda far: 1 - far**2 / 2
        ),
    }


def by_hamming(
    store: Store,
) -> Mapping[str, Callable[[NDArray[np.int64]], NDArray[np.float64]]]:
    """Least Hamming distance to another record, in items, of some records: ways to ask for it."""
    held = presence(store)
    search = NearestNeighbors(n_neighbors=2, algorithm="brute", metric="euclidean").fit(held)

    def ask(records: NDArray[np.int64], fused: bool) -> NDArray[np.float64]:
        with threadpool_limits(os.cpu_count()), config_context(enable_cython_pairwise_dist=fused):
            far, _ = search.kneighbors(held[records])
        # Of vectors of 0 and 1 the squared distance counts differences; the nearest is oneself.
        return np.asarray(np.rint(far[:, 1] ** 2))

    return {
        "metric=euclidean": lambda records: ask(records, fused=True),
        "metric=euclidean, enable_cython_pairwise_dist=False": lambda records: ask(
            records, fused=False
        ),
    }


def _unit(rows: Any) -> Any:
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sparse.csr_matrix(sparse.diags(1 / np.maximum(length, 1e-300)) @ rows)
