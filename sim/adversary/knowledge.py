"""The parameters of the adversary's knowledge in one grid cell, without any data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sim.adversary.filters import Filter

Wrong = Literal["value", "item"]


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


@dataclass(frozen=True, slots=True)
class Window:
    """Item ranks [low, high) the aux may come from; `high` None is to the end.

    Ranks go by decreasing support: "not in the top 100" is ``Window(100)``.
    """

    low: int = 0
    high: int | None = None

    def __str__(self) -> str:
        return str(self.low) if self.high is None else f"{self.low}-{self.high}"


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
    date_noise : int or None
        D, in days; 0 is exact, None is no dates at all.
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

    @property
    def n_facts(self) -> int:
        """Facts the adversary has of each target."""
        return self.size if self.first is None else self.first

    @property
    def all_may_be_wrong_items(self) -> bool:
        """Whether all facts may be about items that the target lacks, so that nobody is ruled out.

        Examples
        --------
        >>> [Knowledge(6, 8, wrong="item", first=k).all_may_be_wrong_items for k in (2, 3)]
        [True, False]
        """
        return self.wrong == "item" and self.n_facts <= self.size - self.correct

    @property
    def value_reach(self) -> float | None:
        """The most by which a value may be off; see `reach`."""
        return None if self.value_noise is None else reach(self.value_noise)

    def __str__(self) -> str:
        def shown(noise: float | None) -> str:
            return "null" if noise is None else f"{noise:g}"

        more = f" missing={self.missing:g}" if self.missing else ""
        if self.record_length is not None:
            more += f" record_length={self.record_length:g}"
        if not self.present:
            more += " present=false"
        if self.first is not None:
            more += f" first={self.first}"
        more += "".join(f" {each}" for each in self.filters)
        return (
            f"aux={self.correct}/{self.size} value_noise={shown(self.value_noise)} "
            f"date_noise={shown(self.date_noise)} popularity={self.popularity}{more}"
        )


def unaware(knowledge: Sequence[Knowledge]) -> tuple[Knowledge, ...]:
    """Return the parameters that the adversaries know: all but whether the targets are present.

    Examples
    --------
    >>> unaware([Knowledge(2, 3, present=False)])[0].present
    True
    """
    return tuple(replace(known, present=True) for known in knowledge)
