"""Aux drawn from the truth, restated for the release that is attacked (NS08 §3; spec §2).

The adversary knows the true data; the publisher may have perturbed cells, or left out items or
records. Facts keep their values and dates; records and items are renumbered as in the release, and
the targets' own cells are looked up there.
"""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sim.adversary.aux import NO_DAY, Drawn
from sim.adversary.matching import match
from sim.adversary.target_cells import own_cells
from sim.release.store.store import Store


def on_release(drawn: Drawn, truth: Store, release: Store) -> Drawn:
    """Restate aux for a release made from the data it was drawn from.

    Parameters
    ----------
    drawn : Drawn
        From `truth`.
    truth : Store
        The data before they were changed.
    release : Store
        The release under attack.

    Returns
    -------
    Drawn
        Items the release does not hold are −1, targets it does not hold too; days count from the
        release's first day; the targets' own cells are those of the release.
    """
    record_of, item_of = _numbers(truth, release)
    aux = drawn.aux
    target = _renumbered(record_of, drawn.truth.target)
    item = _renumbered(item_of, aux.item).astype(np.int32)
    held, level, day = own_cells(release, np.repeat(target, aux.size), item)
    later = release.manifest.first_day - truth.manifest.first_day
    return replace(
        drawn,
        aux=replace(
            aux,
            item=item,
            day=np.where(aux.day == NO_DAY, NO_DAY, aux.day - later).astype(np.int32),
        ),
        truth=replace(
            drawn.truth,
            target=target,
            absent=drawn.truth.absent & (target >= 0),
            own_held=held,
            own_level=level,
            own_day=day,
        ),
    )


@functools.lru_cache(maxsize=4)
def _numbers(
    truth: Store, release: Store
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Numbers in the release of the truth's records and items; None where they are the same."""
    records, items = (
        None if known.equals(ids) else match(ids, known)
        for ids, known in ((truth.records, release.records), (truth.items, release.items))
    )
    return records, items


def _renumbered(
    number_of: NDArray[np.int64] | None, old: NDArray[np.int64] | NDArray[np.int32]
) -> NDArray[np.int64]:
    if number_of is None:
        return old.astype(np.int64)
    return np.where(old >= 0, number_of[old], -1)
