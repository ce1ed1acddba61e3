"""The people of a synthetic release: number of ratings, first and last day.

Invariant: lengths and first days are the quantiles of the preset, assigned at random, so that they
hold exactly for every seed and the number of rows is known before any row is made.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.numeric import interpolate, normal_quantiles
from sim.release.synthetic.preset import Preset, quantiles, stream

_TENURE = 0.35
"""Correlation of the normal scores of length and of time since joining."""


class People(NamedTuple):
    """One entry per record, in the order of record ids.

    Parameters
    ----------
    length : int64 array, shape (N,)
    join, leave : int32 array, shape (N,)
        First and last day, counted from the first day of the release.
    given_start : int64 array, shape (N + 1,)
        Bounds of each record's part of `given`.
    given : int32 array
        Items that a record must hold, so that no item's support is below the least.
    """

    length: NDArray[np.int64]
    join: NDArray[np.int32]
    leave: NDArray[np.int32]
    given_start: NDArray[np.int64]
    given: NDArray[np.int32]


def make_people(preset: Preset, seed: int) -> People:
    """Plan every record: its length, its days, and the items it must hold.

    Raises
    ------
    ConfigError
        There are too few long records to hold every item `min_support` times.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> int(make_people(PRESETS["tiny"], 1).length.max())
    280
    """
    rng = stream(preset, seed, "people")
    n = preset.records
    rank = rng.permutation(n)
    length = np.rint(quantiles(preset.lengths, n)).astype(np.int64)[rank]
    # longer members have rated more: a Gaussian copula
    chance = rng.standard_normal(n)
    score = _TENURE * normal_quantiles((rank + 0.5) / n) + np.sqrt(1.0 - _TENURE**2) * chance
    late = np.empty(n)
    late[np.argsort(-score, kind="stable")] = np.arange(n) / max(n - 1, 1)
    share, day = (np.array(column, np.float64) for column in zip(*preset.joins, strict=True))
    last = preset.days - 1
    join = np.floor(interpolate(late, share, day) * last)
    stop = np.floor(join + (last - join) * rng.random(n))
    leave = np.where(rng.random(n) < preset.stay, last, stop)
    start, given = _given(preset, length, rng)
    return People(length, join.astype(np.int32), leave.astype(np.int32), start, given)


def _given(
    preset: Preset, length: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Assign every item to `min_support` different records of the longer half."""
    longer = rng.permutation(np.argsort(length, kind="stable")[preset.records // 2 :])
    hands = [h for h in np.array_split(longer, preset.min_support) if len(h)]
    if len(hands) == preset.min_support:
        assigned = [hand[np.arange(preset.items) % len(hand)] for hand in hands]
        holder = np.concatenate(assigned)
        count = np.bincount(holder, minlength=preset.records)
        if (count <= length).all():
            item = np.tile(np.arange(preset.items, dtype=np.int32), preset.min_support)
            start = np.zeros(preset.records + 1, np.int64)
            np.cumsum(count, out=start[1:])
            return start, item[np.argsort(holder, kind="stable")]
    raise ConfigError(
        f"preset {preset.name}: its records are too few or too short for every item to be held "
        f"{preset.min_support} times; lower min_support or items"
    )
