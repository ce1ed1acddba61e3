"""The items of a synthetic release: popularity, taste, quality and release day.

Invariant: nothing here depends on the calibrated weights, and an item's place in the arrays says
nothing about it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric import exp, log
from sim.release.synthetic.preset import Preset, quantiles, stream

OLDEST = 4096
"""Items of the catalogue came out at most this many days before the release begins."""


class Items(NamedTuple):
    """The properties of an item, except the weight it is drawn with.

    Parameters
    ----------
    target : float64 array, shape (M,)
        Support wanted.
    log_lift : float64 array, shape (communities + shelves, M)
        Log preference of each community or shelf; −∞ where a shelf lacks the item.
    centre : float32 array, shape (communities, dimensions)
    vector : float32 array, shape (M, dimensions)
        Where communities and items lie in the space of tastes.
    quality : float32 array, shape (M,)
        Mean rating on the latent scale.
    release : int32 array, shape (M,)
        Day an item comes out, counted from the first day; negative in the catalogue.
    """

    target: NDArray[np.float64]
    log_lift: NDArray[np.float64]
    centre: NDArray[np.float32]
    vector: NDArray[np.float32]
    quality: NDArray[np.float32]
    release: NDArray[np.int32]


def make_items(preset: Preset, seed: int, cells: int) -> Items:
    """Draw the items.

    Parameters
    ----------
    cells : int
        Total of all record lengths; the targets are scaled to add up to it.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> round(float(make_items(PRESETS["tiny"], 1, 30_000).target.sum()))
    30000
    """
    rng = stream(preset, seed, "items")
    m, k, d = preset.items, preset.communities, preset.dimensions
    target = rng.permutation(quantiles(preset.supports, m))
    target *= cells / target.sum()
    vector = rng.standard_normal((m, d)).astype(np.float32)
    centre = (rng.standard_normal((k, d)) * preset.lift / np.sqrt(d)).astype(np.float32)
    centre[0] = 0.0  # the mainstream prefers what is popular only
    fame = log(target / target.max())
    taste = np.stack([(vector * c).sum(axis=1, dtype=np.float64) for c in centre])
    taste[0] = (preset.head - 1.0) * fame
    release = _release(preset, target, rng)
    shelf = _shelves(preset, target, release, rng)
    quality = 0.35 * (fame - fame.mean()) / fame.std() + 0.35 * rng.standard_normal(m)
    log_lift = np.concatenate([taste, shelf])
    return Items(target, log_lift, centre, vector, quality.astype(np.float32), release)


def _release(
    preset: Preset, target: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.int32]:
    """Bring items out: the catalogue first, then evenly, but none too late for its support."""
    old = rng.random(preset.items) < preset.catalogue
    before = -1 - rng.integers(0, OLDEST, preset.items)
    latest = (preset.days - 1) * (1.0 - 0.6 * np.sqrt(target / target.max()))
    after = np.floor(rng.random(preset.items) * latest)
    return np.where(old, before, after).astype(np.int32)


def _shelves(
    preset: Preset,
    target: NDArray[np.float64],
    release: NDArray[np.int32],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Fill each shelf with items out by its time, by popularity and appeal; log lifts.

    Drawn without replacement by exponential clocks.
    """
    lift = (preset.shelf_power - 1.0) * log(target / target.max())
    rows = np.full((preset.shelves, preset.items), -np.inf)
    for shelf in range(preset.shelves):
        age = np.floor(shelf * preset.days / preset.shelves) - release
        rate = np.where(age >= 0, target * appeal(preset, age)[0], 0.0)
        clock = rng.exponential(size=preset.items) / np.maximum(rate, 1e-12)
        on = np.argsort(clock, kind="stable")[: preset.shelf_items]
        on = on[rate[on] > 0.0]
        rows[shelf, on] = lift[on]
    return rows


def appeal(preset: Preset, age: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the appeal of an item by its age.

    Parameters
    ----------
    age : float64 array, shape (n,)
        Days since the item came out.

    Returns
    -------
    float64 array, shape (2, n)
        To a record on its first day, and later.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> appeal(PRESETS["tiny"], np.zeros(1)).tolist()
    [[1.0], [1.0]]
    """
    fading = exp(-np.maximum(age, 0.0) / preset.fade)
    floors = np.array([[preset.floor_first], [preset.floor_later]])
    return floors + (1.0 - floors) * fading
