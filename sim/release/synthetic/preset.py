"""The preset of a synthetic release: every parameter of the generator.

Invariant: a preset holds targets and habits, no randomness; two equal presets and seeds give the
same rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.numeric import exp, interpolate, log, log1p

Knots = tuple[tuple[float, float], ...]
"""Points (share of the population at or below, value) of a quantile function."""


@dataclass(frozen=True, slots=True)
class Preset:
    """The shape of a release.

    Parameters
    ----------
    name : str
        What it is called in a configuration.
    records, items : int
        N and M.
    lengths, supports : tuple of (share, value)
        Quantile functions of record length and item support; see `quantiles`. Lengths are met
        exactly, supports in expectation.
    min_support : int
        Every item gets at least this many records.
    first_day, days : int
        First day since 1970-01-01, and number of days covered.
    joins : tuple of (share, day)
        Quantile function of the day a record starts, as a part of the span in [0, 1].
    stay : float
        Share of records active until the last day; the others stop at a uniform day.
    one_day : float
        Share of records made on a single day.
    first_batch : float
        Mean share of a record made on its first day, where there is more than one.
    session : float
        Typical number of later ratings on one day.
    catalogue : float
        Share of items that exist before the first day; the others come out during the span.
    fade, floor_first, floor_later : float
        An item's appeal falls from 1 on the day it comes out, with this time constant in days,
        to this floor; people look back further on their first day than later.
    communities, dimensions : int
        Number of taste communities, and dimension of the space they and the items lie in.
    lift : float
        Standard deviation of a community's log preference for an item.
    mainstream, head : float
        Mean share of a record's items chosen by popularity alone, and the power by which that
        choice leans to the most popular items.
    settle : float
        Record length at which the mainstream and the shelf matter half as much as for the
        shortest: who rates little rates what everybody knows.
    shelves, shelf_items, shelf_power : int, int, float
        At each time people are first shown a list of items; there are this many lists in turn,
        of this many items, drawn with probability proportional to popularity to this power.
    shelf_share : float
        Mean share of a first day's items that come from that list.
    levels, shares : tuple of float
        The rating scale and how often each level occurs.

    Raises
    ------
    ConfigError
        Parameters contradict one another.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> PRESETS["netflix"].records
    480189
    """

    name: str
    records: int
    items: int
    lengths: Knots
    supports: Knots
    first_day: int
    days: int
    levels: tuple[float, ...]
    shares: tuple[float, ...]
    joins: Knots
    min_support: int = 3
    stay: float = 0.5
    one_day: float = 0.03
    first_batch: float = 0.4
    session: float = 3.0
    catalogue: float = 0.6
    fade: float = 120.0
    floor_first: float = 0.5
    floor_later: float = 0.2
    communities: int = 64
    dimensions: int = 8
    lift: float = 1.5
    mainstream: float = 0.4
    head: float = 1.1
    settle: float = 200.0
    shelves: int = 24
    shelf_items: int = 120
    shelf_power: float = 0.7
    shelf_share: float = 0.3

    def __post_init__(self) -> None:
        for key in ("lengths", "supports", "joins"):
            shares, values = zip(*getattr(self, key), strict=True)
            rising = list(shares) == sorted(shares) and list(values) == sorted(values)
            if not rising or shares[0] != 0 or shares[-1] != 1:
                raise self._wrong(key, "rising points (share, value) from share 0 to share 1")
        for key, least, most in (
            ("lengths", 1, self.items),
            ("supports", 1, self.records),
            ("joins", 0, 1),
        ):
            knots = getattr(self, key)
            if not least <= knots[0][1] <= knots[-1][1] <= most:
                raise self._wrong(key, f"values from {least} to {most}")
        for key in ("records", "items", "days", "communities", "dimensions"):
            self._check(key, 1, math.inf, whole=True)
        for key in ("min_support", "shelves", "shelf_items"):
            self._check(key, 1, math.inf, whole=True)
        for key in ("stay", "one_day", "catalogue", "floor_first", "floor_later"):
            self._check(key, 0, 1)
        for key in ("session", "fade", "settle"):
            self._check(key, 1e-9, math.inf)
        for key in ("lift", "mainstream", "shelf_share", "head", "shelf_power"):
            self._check(key, 0, 100)
        self._check("first_batch", 0.01, 1)
        if list(self.levels) != sorted(set(self.levels)) or not self.levels:
            raise self._wrong("levels", "different numbers in rising order")
        if len(self.shares) != len(self.levels) or not math.isclose(sum(self.shares), 1.0):
            raise self._wrong("shares", "one part for each level, adding up to 1")

    def _check(self, key: str, least: float, most: float, whole: bool = False) -> None:
        value = getattr(self, key)
        if not least <= value <= most or (whole and value != int(value)):
            kind = "a whole number" if whole else "a number"
            raise self._wrong(key, f"{kind} from {least:g} to {most:g}")

    def _wrong(self, key: str, wanted: str) -> ConfigError:
        return ConfigError(f"preset {self.name}: {key} = {getattr(self, key)}: must be {wanted}")


def quantiles(knots: Knots, count: int) -> NDArray[np.float64]:
    """Read a quantile function at the middles of `count` equal parts.

    Between points, the logarithm of the value is linear in the log odds of the share: heavy
    tails come out as power laws.

    Parameters
    ----------
    knots : tuple of (share, value)
        Rising in both; shares 0 and 1 stand for the least and the greatest of the population.
    count : int
        Size of the population.

    Returns
    -------
    float64 array, shape (count,), rising

    Examples
    --------
    >>> quantiles(((0.0, 1.0), (0.5, 10.0), (1.0, 100.0)), 5).round().tolist()
    [1.0, 4.0, 10.0, 24.0, 100.0]
    """
    shares = (np.arange(count) + 0.5) / count
    x, y = (np.array(column, np.float64) for column in zip(*knots, strict=True))
    x = np.clip(x, shares[0], shares[-1])
    values = exp(interpolate(_log_odds(shares), _log_odds(x), log(y)))
    return np.clip(values, y[0], y[-1])  # exp(log(y)) may differ from y in the last bits


def stream(preset: Preset, seed: int, purpose: str) -> np.random.Generator:
    """Return the counter-based random stream of one purpose.

    Whole numbers and uniform ones are the same everywhere. NumPy makes normal and exponential ones
    from tables; in one of some thousand it takes the C library's log1p or exp, whose last bit may
    differ by machine. The generator only compares such numbers, or rounds them to single precision,
    so that a cell of a release differs between two machines with a probability below one in 10^6.

    Parameters
    ----------
    seed : int
        Not negative.

    Examples
    --------
    >>> from sim.release.synthetic import PRESETS
    >>> tiny = PRESETS["tiny"]
    >>> stream(tiny, 1, "items").random() == stream(tiny, 1, "items").random()
    True
    """
    key = [seed, preset.records, preset.items, *purpose.encode()]
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


def _log_odds(share: NDArray[np.float64]) -> NDArray[np.float64]:
    return log(share) - log1p(-share)
