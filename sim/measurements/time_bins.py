"""Coarser bins of the times of a release, made of its own (`sim.release.store.time_bins`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sim.release.store.manifest import Manifest
from sim.release.store.store import Store
from sim.release.store.time_bins import YEAR, TimeBin

NO_TIMES = "none"
"""One bin for all cells."""

OWN = "bin"
"""The release's own bins."""


def widths(release: Manifest, asked: Sequence[str]) -> list[str]:
    """Return the widths among those asked for that bins of a release can be put together to.

    Parameters
    ----------
    asked : sequence of str
        `OWN`, which is replaced by the name of the bins; ``hour``, ``day``, ``week``, ``month``,
        ``year``; `NO_TIMES`, which is what is left where nothing fits.

    Examples
    --------
    >>> from types import SimpleNamespace as Any
    >>> quarters = Any(has_days=True, time_bin="15", bins=TimeBin.parse(15))
    >>> widths(quarters, ["bin", "hour", "week", "none"])
    ['15', 'hour', 'week', 'none']
    >>> widths(Any(has_days=True, time_bin="week", bins=TimeBin.parse("week")), ["bin", "day"])
    ['week']
    """
    if not release.has_days:
        return [NO_TIMES]
    named = [release.time_bin if name == OWN else name for name in asked]
    fit = [name for name in named if name == NO_TIMES or release.bins.refines(_bins(name))]
    return list(dict.fromkeys(fit)) or [NO_TIMES]


def refines(width: str, other: str) -> bool:
    """Whether every bin of a width lies within one of another."""
    return _bins(width).refines(_bins(other))


def width_words(width: str) -> str:
    """Return what a bin of a width is called; see `TimeBin.words`."""
    return _bins(width).words


def binned(store: Store, width: str) -> NDArray[np.int64]:
    """Return the bin of each day code of a release, from 0, shape (n_days + 1,).

    Parameters
    ----------
    width : str
        Of `widths`. Unless it is `NO_TIMES`, cells without a time have the last bin to themselves.

    Examples
    --------
    >>> from types import SimpleNamespace as Any
    >>> from sim.release.store.time_bins import DAY
    >>> store = Any(manifest=Any(first_day=0, n_days=5, bins=DAY))  # from Thursday, 1 January 1970
    >>> binned(store, "week").tolist(), binned(store, "none").tolist()
    ([0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 0])
    """
    m = store.manifest
    if width == NO_TIMES or not m.n_days:
        return np.zeros(m.n_days + 1, np.int64)
    number = _bins(width).of(m.bins.start(np.arange(m.first_day, m.first_day + m.n_days)))
    number = number - number[0]
    return np.append(number, number[-1] + 1)


def _bins(width: str) -> TimeBin:
    return YEAR if width == str(YEAR) else TimeBin.parse(width, "study.times")
