"""What is wrong about the wrong facts of a grid cell, where that is left open (spec §8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sim.adversary.draw import Sampling
from sim.adversary.knowledge import Knowledge
from sim.attack.engine.census import all_cells
from sim.release.store.store import Store
from sim.study.grid import GridCell


def choose_wrong(cells: Sequence[GridCell], store: Store) -> list[GridCell]:
    """Make wrong facts be of wrong items where a wrong value or date may not differ from the truth.

    Parameters
    ----------
    cells : sequence of GridCell
        Their wrong facts have a wrong value and day.
    store : Store
        The data that facts are drawn from.
    """
    return [
        replace(cell, adversary=cell.adversary.knowing(wrong="item"))
        if isinstance(cell.adversary, Sampling)
        and cell.adversary.knowledge.correct < cell.adversary.knowledge.size
        and not can_differ(store, cell.adversary.knowledge)
        else cell
        for cell in cells
    ]


def can_differ(store: Store, known: Knowledge) -> bool:
    """Whether for every cell of a release some other lies outside the noise thresholds.

    This is what `sim.adversary.wrong.wrong_values` needs, whichever facts are drawn.
    """
    reach, days = known.value_reach, known.date_noise
    if reach is None and days is None:
        return False
    held = all_cells(store) > 0
    far_level = np.zeros((held.shape[0], 1), np.bool_)
    far_day = np.zeros((1, held.shape[1]), np.bool_)
    levels, dates = held[:-1].any(axis=1), held[:, :-1].any(axis=0)
    if reach is not None and levels.any():
        values = store.scale[levels]
        gaps = np.maximum(store.scale - values[0], values[-1] - store.scale)
        far_level[:-1, 0] = gaps > known.reach_of(store.scale)
    if days is not None and dates.any():
        first, last = np.flatnonzero(dates)[[0, -1]]
        day = np.arange(dates.size)
        far_day[0, :-1] = np.maximum(day - first, last - day) > days
    return bool((~held | far_level | far_day).all())


def kinds_of_wrong(cells: Sequence[GridCell]) -> list[str | None]:
    """Return what is wrong about the wrong facts of each grid cell; None where there are none."""
    known = [cell.adversary.knowledge for cell in cells]
    return [None if k is None or k.correct == k.size else k.wrong for k in known]
