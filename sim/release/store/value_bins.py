"""Bins of values: fewer levels than a column of amounts or counts has (spec §8)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from sim.errors import ConfigError, InputError

MAX_LEVELS = 255
"""More distinct values than this are put into bins unless the configuration says otherwise."""

MAX_BINS = 65_534

_NUMBER = re.compile("[0-9]{1,6}")

_EXPECTED = (
    "expected auto, none, log2, quantiles:N (N from 2 on), or a list of edges such as [0,10,100]"
)
_PLAIN: tuple[Literal["auto", "none", "log2"], ...] = ("auto", "none", "log2")


@dataclass(frozen=True, slots=True)
class ValueBins:
    """How values are put into bins; a bin is represented by its lower end.

    Parameters
    ----------
    kind : str
        ``auto``: values stay as they are if at most `MAX_LEVELS` are distinct; see `usual`.
        ``none``: values stay as they are. ``log2``: bins begin at powers of two and at the
        negatives of these, and 0 is a bin of its own. ``quantiles``: bins of about as many rows
        each. ``edges``: bins begin at the edges, and the last has no end.
    number : int
        Of bins, for quantiles.
    edges : tuple of float
        Ascending.
    """

    kind: Literal["auto", "none", "log2", "quantiles", "edges"] = "none"
    number: int = 0
    edges: tuple[float, ...] = ()

    @classmethod
    def parse(cls, given: str | Sequence[float], key: str = "data.value_bins") -> Self:
        """Read the setting of a configuration.

        Raises
        ------
        ConfigError
            It is none of these.

        Examples
        --------
        >>> ValueBins.parse("quantiles:10")
        ValueBins(kind='quantiles', number=10, edges=())
        """
        for plain in _PLAIN:
            if given == plain:
                return cls(plain)
        if isinstance(given, str):
            name, _, number = given.partition(":")
            if name == "quantiles" and _NUMBER.fullmatch(number) and 2 <= int(number) <= MAX_BINS:
                return cls("quantiles", int(number))
            raise ConfigError(f"{key}: {given!r}: {_EXPECTED}")
        try:
            edges = tuple(float(edge) for edge in given)
        except (OverflowError, TypeError, ValueError):
            raise ConfigError(f"{key}: {given!r}: {_EXPECTED}") from None
        if not edges or not all(map(math.isfinite, edges)) or list(edges) != sorted(set(edges)):
            raise ConfigError(f"{key}: {list(edges)}: expected finite numbers, ascending")
        if len(edges) > MAX_BINS:
            raise ConfigError(f"{key}: {len(edges)} edges: expected at most {MAX_BINS}")
        return cls("edges", 0, edges)

    def __str__(self) -> str:
        if self.kind == "quantiles":
            return f"quantiles:{self.number}"
        return str(list(self.edges)) if self.kind == "edges" else self.kind

    @property
    def is_pointwise(self) -> bool:
        """Whether a value's bin depends on the value alone."""
        return self.kind in ("log2", "edges")

    def of(self, values: NDArray[np.float64], source: str = "values") -> NDArray[np.float64]:
        """Replace each value by the lower end of its bin; NaN stays.

        Parameters
        ----------
        values : float64 array, shape (n,)
        source : str
            What the values are from, for the message of an error.

        Raises
        ------
        InputError
            A value lies below the first edge.

        Examples
        --------
        >>> ValueBins("log2").of(np.array([0, 1, 3, 4, -5, np.nan])).tolist()
        [0.0, 1.0, 2.0, 4.0, -8.0, nan]
        >>> ValueBins("edges", edges=(0, 10)).of(np.array([9.5, 10, 400])).tolist()
        [0.0, 10.0, 10.0]
        """
        if self.kind == "log2":
            mantissa, exponent = np.frexp(values)  # 0.5 ≤ |mantissa| < 1, or 0, or NaN
            down = np.where(mantissa > 0, 0.5, np.where(mantissa < -0.5, -1.0, mantissa))
            return np.where(mantissa == 0, 0.0, np.ldexp(down, exponent))
        edges = np.array(self.edges)
        place = np.searchsorted(edges, values, side="right") - 1
        if (place < 0).any():
            raise InputError(
                f"{source}: holds the value {values[place < 0][0]:g}, below the first edge "
                f"{edges[0]:g} of data.value_bins; put an edge before it"
            )
        return np.where(np.isnan(values), np.nan, edges[place])

    def of_distinct(
        self, distinct: NDArray[np.float64], rows: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Replace each distinct value by the lowest of its bin, for quantiles.

        Parameters
        ----------
        distinct : float64 array, shape (L,)
            Ascending.
        rows : int64 array, shape (L,)
            Rows with each.

        Examples
        --------
        >>> halves = ValueBins("quantiles", 2)
        >>> halves.of_distinct(np.array([1.0, 2, 3, 9]), np.array([1, 2, 1, 2])).tolist()
        [1.0, 1.0, 3.0, 3.0]
        """
        before = np.cumsum(rows) - rows
        place = before * self.number // max(int(rows.sum()), 1)
        _, first = np.unique(place, return_index=True)
        return distinct[first][np.searchsorted(first, np.arange(distinct.size), side="right") - 1]


def usual(n_distinct: int, *, in_log2: bool) -> ValueBins:
    """Return the bins of values for which the configuration has none (spec §8).

    Parameters
    ----------
    in_log2 : bool
        Whether they are counts, or sums of whole numbers: most are small, and a few large.

    Examples
    --------
    >>> [str(usual(n, in_log2=False)) for n in (255, 256)], str(usual(256, in_log2=True))
    (['none', 'quantiles:255'], 'log2')
    """
    if n_distinct <= MAX_LEVELS:
        return UNBINNED
    return ValueBins("log2") if in_log2 else ValueBins("quantiles", MAX_LEVELS)


def in_bins(
    values: NDArray[np.float64], scale: NDArray[np.float64], bins: str
) -> NDArray[np.float64]:
    """Put values of another data set into the bins of a release.

    Parameters
    ----------
    values : float64 array, shape (n,)
    scale : float64 array, shape (L,)
        The levels of the release, ascending.
    bins : str
        As `ValueBins` writes them. Those that are not powers of two begin at a level, and values
        below the first are in it.

    Examples
    --------
    >>> values, scale = np.array([-7.0, 2.5, 9]), np.array([1.0, 4])
    >>> in_bins(values, scale, "quantiles:2").tolist(), in_bins(values, scale, "log2").tolist()
    ([1.0, 1.0, 4.0], [-8.0, 2.0, 8.0])
    """
    if bins == "log2":
        return ValueBins("log2").of(values)
    return scale[np.maximum(np.searchsorted(scale, values, side="right") - 1, 0)]


UNBINNED = ValueBins()
"""Values stay as they are."""

AUTO = ValueBins("auto")
"""Values stay as they are if few are distinct."""
