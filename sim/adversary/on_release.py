"""Aux drawn from the truth, restated for the release that is attacked (NS08 §3; spec §2).

The adversary knows the true data; the publisher may have perturbed cells, or left out items or
records. Facts keep their values and dates; records and items are renumbered as in the release, and
the targets' own cells are looked up there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sim.adversary.aux import NO_DAY, Drawn, OwnRecords
from sim.adversary.linkage import linkage_of
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
        release's first day; the targets' own cells are those of the release, of the first of a
        person's records.
    """
    linkage = linkage_of(truth, release)
    aux = drawn.aux
    records = OwnRecords(*linkage.records_of(drawn.truth.target))
    target = records.nth(0)
    item = np.where(aux.item >= 0, linkage.item[aux.item], -1).astype(np.int32)
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
            records=records if linkage.several else None,
        ),
    )
