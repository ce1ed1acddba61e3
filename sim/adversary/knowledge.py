"""The parameters of the adversary's knowledge in one grid cell, without any data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sim.adversary.filters import Filter

Wrong = Literal["value", "item"]
Draw = Literal["cells", "items"]


def reach(value_noise: float) -> float:
    """The most by which a value may be off: a hair above k, since 4.2 − 4.1 > 0.1 in binary.

    Parameters
    ----------
    value_noise : float
        k, in value units.

    Examples
    --------
    >>> 4.2 - 4.1 > 0.1, 4.2 - 4.1 <= reach(0.1)
    (True, True)
    """
    return value_noise * (1 + 1e-9)


def reach_of(
    values: NDArray[np.float64], absolute: float | NDArray[np.float64],
    share: float | NDArray[np.float64],
) -> NDArray[np.float64]:  # fmt: skip
    """Return the most by which true values may be off: an absolute part, and a share of each.

    A missing value has no share. Arguments broadcast.
    """
    return absolute + share * np.abs(np.nan_to_num(values, nan=0.0))


@dataclass(frozen=True, slots=True)
class Window:
    """Item ranks [low, high) the aux may come from; `high` None is to the end.

    Ranks go by decreasing support: "not in the top 100" is ``Window(100)``.
    """

    low: int = 0
    high: int | None = None

    def __str__(self) -> str:
        return str(self.low) if self.high is None else f"{self.low}-{self.high}"

    def holds(self, rank: NDArray[Any]) -> NDArray[np.bool_]:
        """Return whether each rank lies in it."""
        return (rank >= self.low) & (rank < (np.inf if self.high is None else self.high))


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Auxiliary information of one grid cell (spec §2).

    Parameters
    ----------
    correct : int
        m, the facts that are right up to noise.
    size : int
        m′, all facts.
    value_noise : float or None
        k, in value units; 0 is exact, None is no values at all.
    value_share : float
        s, a share of the true value, by which a known value may be off as well: by k + s·|value|.
    date_noise : int or None
        D, in bins of time of the data (days by default); 0 is exact, None is no dates at all.
    popularity : Window
        Ranks of the items the adversary may know.
    wrong : {"value", "item"}
        What is wrong about a wrong fact.
    missing : float
        Probability that a fact, right or wrong, carries no value.
    record_length : float or None
        p, as a fraction: |supp(r)| is known within ±p (NS08 Fig. 12); None is not known.
    present : bool
        Whether the target's record is in the release; if not, it is removed before the attack.
    first : int or None
        Number of the m′ facts that are known, the first ones; None: all. So the adversary of one
        cell learns what another knew, and more.
    filters : tuple of Filter
        Which cells of a record may be known at all; see `sim.adversary.filters`.
    draw : {"cells", "items"}
        Facts are about cells of the record, drawn without replacement; or about items of the
        record, drawn so, and one of the cells of each (spec §8). The same without repeats.
    fact_draw : int
        Number of the draw of facts, from 0; each is independent of the others.

    Examples
    --------
    >>> str(Knowledge(6, 8, 0, 14))
    'aux=6/8 value_noise=0 date_noise=14 popularity=0'
    >>> str(Knowledge(2, 2, present=False, record_length=0.5))
    'aux=2/2 value_noise=0 date_noise=3 popularity=0 record_length=0.5 present=false'
    """

    correct: int
    size: int
    value_noise: float | None = 0
    date_noise: int | None = 3
    popularity: Window = Window()
    wrong: Wrong = "value"
    missing: float = 0.0
    record_length: float | None = None
    present: bool = True
    first: int | None = None
    filters: tuple[Filter, ...] = ()
    draw: Draw = "cells"
    value_share: float = 0.0
    fact_draw: int = 0

    @property
    def n_facts(self) -> int:
        """Facts the adversary has of each target."""
        return self.size if self.first is None else self.first

    @property
    def all_may_be_wrong_items(self) -> bool:
        """Whether all facts may be about items that the target lacks, which rules no record out.

        Examples
        --------
        >>> [Knowledge(6, 8, wrong="item", first=k).all_may_be_wrong_items for k in (2, 3)]
        [True, False]
        """
        return self.wrong == "item" and self.n_facts <= self.size - self.correct

    @property
    def value_reach(self) -> float | None:
        """Largest error of a value, without the part of `value_share`; see `reach`."""
        return None if self.value_noise is None else reach(self.value_noise)

    def reach_of(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the most by which values may be off, if these are the true ones.

        Parameters
        ----------
        values : float64 array, shape (n,)

        Returns
        -------
        float64 array, shape (n,)
            Infinity where no values are known.

        Examples
        --------
        >>> Knowledge(1, 1, 0, value_share=0.1).reach_of(np.array([0.0, 50.0])).round(6).tolist()
        [0.0, 5.0]
        """
        return reach_of(values, np.inf if self.value_reach is None else self.value_reach,
                        reach(self.value_share))  # fmt: skip

    def __str__(self) -> str:
        def shown(noise: float | None) -> str:
            return "null" if noise is None else f"{noise:g}"

        value = shown(self.value_noise)
        if self.value_share:
            value = f"{100 * self.value_share:g}%"
        more = f" missing={self.missing:g}" if self.missing else ""
        if self.record_length is not None:
            more += f" record_length={self.record_length:g}"
        if not self.present:
            more += " present=false"
        if self.first is not None:
            more += f" first={self.first}"
        more += "".join(f" {each}" for each in self.filters)
        if self.draw != "cells":
            more += f" draw={self.draw}"
        if self.fact_draw:
            more += f" fact_draw={self.fact_draw}"
        return (
            f"aux={self.correct}/{self.size} value_noise={value} "
            f"date_noise={shown(self.date_noise)} popularity={self.popularity}{more}"
        )


def unaware(knowledge: Sequence[Knowledge]) -> tuple[Knowledge, ...]:
    """Return the parameters that the adversaries know, in which draws of facts are alike.

    They do not know whether the targets are present.

    Examples
    --------
    >>> unaware([Knowledge(2, 3, present=False)])[0].present
    True
    """
    return tuple(replace(known, present=True, fact_draw=0) for known in knowledge)
