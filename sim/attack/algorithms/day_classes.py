"""Classes of released days by how likely they make each fact, where times were made coarser."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Aux
from sim.adversary.day_law import DayLaw
from sim.attack.engine.decisions import Floats
from sim.attack.engine.view import ReleaseView

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class DayClasses:
    """Classes of days for the facts of a batch; see `sim.attack.algorithms.likelihood.day_classes`.

    Parameters
    ----------
    law : DayLaw
    chance : float64 array, shape (C,)
        Of each class: 0 first; the last is "no day" and has 1.
    table : uint8 or uint16 array, shape (K,)
    offset : int64 array, shape (A,)
    """

    law: DayLaw
    chance: Floats
    table: NDArray[np.uint8] | NDArray[np.uint16]
    offset: Ints


def classes_of(law: DayLaw, release: ReleaseView, aux: Aux, noise: Floats) -> DayClasses:
    """Return the class of every released day for every fact.

    Parameters
    ----------
    noise : float64 array, shape (A,)
        D of each fact; −1 where no days are known.
    """
    known = (noise >= 0) & (aux.day != NO_DAY)
    pairs = np.column_stack([np.where(known, aux.day, 0), np.where(known, noise, -1)])
    distinct, which = np.unique(pairs.astype(np.int64), axis=0, return_inverse=True)
    n_days = release.n_days
    chance = np.zeros((len(distinct), n_days))
    for d in np.unique(distinct[:, 1]).tolist():
        here = np.flatnonzero(distinct[:, 1] == d)
        if d < 0:
            continue
        code, likely = law.fact(distinct[here, 0], d)
        inside = (code >= 0) & (code < n_days)
        row = np.broadcast_to(here[:, None], code.shape)
        chance[row[inside], code[inside]] = likely[inside]
    levels = np.union1d([0.0], chance)
    number = np.searchsorted(levels, chance)
    table = np.column_stack([number, np.full(len(distinct), levels.size)]).ravel()
    small = levels.size < 256
    return DayClasses(
        law,
        np.append(levels, 1.0),
        table.astype(np.uint8) if small else table.astype(np.uint16),
        which.ravel() * (n_days + 1),
    )
