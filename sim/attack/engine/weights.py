"""How much an item tells about who holds it: weights from supports in the release under attack."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import AuxBatch
from sim.numeric import log
from sim.release.store.store import Store

WeightForm = Literal["log", "log1p", "none"]


def supports(store: Store, aux: AuxBatch) -> NDArray[np.float64]:
    """Support of each fact's item, without the target's own cells where its record is removed.

    Parameters
    ----------
    store : Store
    aux : AuxBatch

    Returns
    -------
    float64 array, shape (A,)
        0 for an item the release does not hold.
    """
    known = aux.item >= 0
    count = np.where(known, store.support[np.where(known, aux.item, 0)], 0)
    gone = np.repeat(aux.absent, aux.size) & aux.own_held
    return (count - gone).astype(np.float64)


def records(store: Store, aux: AuxBatch) -> NDArray[np.int64]:
    """N for each fact: the records of the release, less the target's where it is removed.

    Parameters
    ----------
    store : Store
    aux : AuxBatch

    Returns
    -------
    int64 array, shape (A,)
    """
    gone = aux.absent & (aux.target >= 0)
    return np.repeat(store.manifest.n_records - gone.astype(np.int64), aux.size)


def cells_left(store: Store, aux: AuxBatch) -> NDArray[np.int64]:
    """Cells of the release, less the target's where its record is removed.

    Parameters
    ----------
    store : Store
    aux : AuxBatch

    Returns
    -------
    int64 array, shape (U,)
    """
    removed = aux.absent & (aux.target >= 0)
    gone = np.where(removed, store.length[np.maximum(aux.target, 0)], 0)
    return store.manifest.n_cells - gone.astype(np.int64)


def rarity(support: NDArray[np.float64], form: WeightForm) -> NDArray[np.float64]:
    """1/ln|supp(i)|: rarer items weigh more (NS08 §4; spec §4).

    Parameters
    ----------
    support : float64 array, shape (A,)
    form : {"log", "log1p", "none"}
        1/ln(max(support, 2)), or 1/ln(support + 1), or 1 for every item.

    Returns
    -------
    float64 array, shape (A,)
        0 for an item nobody holds.

    Examples
    --------
    >>> rarity(np.array([1.0, 100.0, 0.0]), "log").round(4).tolist()
    [1.4427, 0.2171, 0.0]
    """
    if form == "none":
        return np.where(support > 0, 1.0, 0.0)
    n = np.maximum(support, 1.0)
    return np.where(support > 0, 1.0 / log(np.maximum(n, 2.0) if form == "log" else n + 1.0), 0.0)
