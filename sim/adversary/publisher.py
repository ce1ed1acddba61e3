"""The attacker's knowledge of how a release was made from the truth: everything but the draws.

An attack must not rest on the publisher's method being secret (Kerckhoffs' principle), so the
Bayes-optimal attacker is given the method, its parameters and the scale, never the noise itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.adversary.knowledge import Window, reach
from sim.adversary.original_totals import OriginalTotals
from sim.numeric import matmul

Matrix = tuple[tuple[float, ...], ...]


class TimeStep(NamedTuple):
    """A change of all times.

    Parameters
    ----------
    kind : {"jitter", "coarsen"}
    width : int or str
        Of jitter: D, in bins of the release. Of coarser times: what `TimeBin.parse` reads.
    """

    kind: Literal["jitter", "coarsen"]
    width: int | str


@dataclass(frozen=True, slots=True)
class Publisher:
    """The publisher's changes to the truth before the release (NS08 §3; spec §2, §11).

    Parameters
    ----------
    value_noise : float
        k_S, in value units: each value was moved to a uniform level of the scale within it.
    date_noise : int
        D_S, in bins of time: each day was moved by a uniform whole number in [−D_S, D_S].
    min_support : int
        Items that fewer records held were dropped.
    scale : tuple of float
        Levels of the truth, ascending; empty for those of the release.
    groups_items : bool
        Items of the release stand for groups of the truth's, each cell for one cell of the truth.
    value_channel : tuple of tuple of float, K rows of R
        Probability of each released level, given each level of the truth, where the values were
        changed in another way than by `value_noise` alone, which is then 0; empty if not.
    released : tuple of float
        The R levels of the channel's columns, ascending.
    swapped : float
        Probability that a cell was among those of its item that exchanged their values.
    times : tuple of TimeStep
        Changes of the times in their order, where `date_noise` alone, which is then 0, is not all.
    popular : int
        Number of most popular items that were dropped.
    cut : bool
        Whether records were cut, so that a person has several.
    moves_ranks : bool
        Whether people or cells are missing, so that the order of items by their supports is not
        exactly that of the truth.
    leaves_out : bool
        Whether cells of released items are left out, by whatever rule.
    originals : OriginalTotals or None
        Totals of the original, where times moved or cells were left out; None: neither, or no model
        of whole records.
    unmodelled : str
        Why there is no model of what became of records; empty: there is, or none is needed.
    blanks : bool
        Whether released cells may lack values or dates that those of the truth have, others not.

    Examples
    --------
    >>> Publisher().changes_cells, Publisher(date_noise=90).changes_cells
    (False, True)
    """

    value_noise: float = 0.0
    date_noise: int = 0
    min_support: int = 1
    scale: tuple[float, ...] = ()
    groups_items: bool = False
    value_channel: Matrix = ()
    released: tuple[float, ...] = ()
    swapped: float = 0.0
    times: tuple[TimeStep, ...] = ()
    popular: int = 0
    moves_ranks: bool = False
    leaves_out: bool = False
    cut: bool = False
    blanks: bool = False
    originals: OriginalTotals | None = field(default=None, compare=False)
    unmodelled: str = ""

    def leaving_out(self) -> Publisher:
        """Return what is known where some cells of people in the release are left out as well."""
        return replace(self, leaves_out=True, moves_ranks=True)

    def missing_people(self) -> Publisher:
        """Return what is known where some people's records are left out of the release."""
        return replace(self, moves_ranks=True)

    @property
    def misses_cells(self) -> bool:
        """Whether a person's record may lack cells that are about released items."""
        return self.leaves_out or self.cut

    @property
    def changes_times(self) -> bool:
        """Whether a released time may differ from the true one."""
        return self.date_noise > 0 or bool(self.times)

    @property
    def changes_cells(self) -> bool:
        """Whether a released cell may differ from the true one, or be missing."""
        changed = self.value_noise > 0 or self.date_noise > 0 or self.swapped > 0
        return changed or bool(self.value_channel or self.times) or self.misses_cells

    @property
    def hides_cells_of_items(self) -> bool:
        """Whether the cells of an item in the truth may be others than those of the release's."""
        return self.moves_ranks or self.groups_items

    @property
    def drops_items(self) -> bool:
        """Whether an item that the release lacks may have been held by anybody."""
        return self.min_support > 1 or self.popular > 0

    def window(self, known: Window) -> Window:
        """Return the ranks in the release of the items that have these ranks in the truth.

        Examples
        --------
        >>> Publisher(popular=100).window(Window(50, 300))
        Window(low=0, high=200)
        """
        high = None if known.high is None else max(known.high - self.popular, 0)
        return Window(max(known.low - self.popular, 0), high)

    def drops_from(self, window: Window, n_items: int) -> bool:
        """Whether items of a window may have been dropped.

        The rarest come after all others, and the most popular before.

        Parameters
        ----------
        window : Window
            Ranks in the truth.
        n_items : int
            Items of the release.
        """
        rare = window.high is None or window.high > n_items + self.popular
        return (self.min_support > 1 and rare) or window.low < self.popular

    @property
    def value_reach(self) -> float:
        """The most by which a value may have been moved; see `sim.adversary.knowledge.reach`."""
        return reach(self.value_noise)

    def levels(self, released: NDArray[np.float64]) -> NDArray[np.float64]:
        """Levels that a true value may have, ascending.

        Parameters
        ----------
        released : float64 array, shape (L,)
            Levels of the release.

        Returns
        -------
        float64 array, shape (K,)
        """
        changed = self.value_noise or self.value_channel or self.swapped
        return np.array(self.scale) if self.scale and changed else released

    def with_channel(
        self,
        step: NDArray[np.float64],
        before: NDArray[np.float64],
        released: NDArray[np.float64],
    ) -> Publisher:
        """Add a change of values that depends on nothing but the value.

        Parameters
        ----------
        step : float64 array, shape (R, S)
            Probability of each new level, given each level so far.
        before : float64 array, shape (R,)
            The levels so far that any cell has left.
        released : float64 array, shape (S,)
            The new levels, ascending.

        Examples
        --------
        >>> coarse, two = np.array([[1.0], [1.0]]), np.array([1.0, 2.0])
        >>> Publisher(scale=(1.0, 2.0)).with_channel(coarse, two, two[:1]).value_channel
        ((1.0,), (1.0,))
        """
        levels = np.array(self.released or self.scale)
        if levels.size:  # some may be gone with the cells that had them
            whole_step = np.zeros((levels.size, released.size))
            whole_step[np.searchsorted(levels, before)] = step
            step = whole_step
        so_far = np.array(self.value_channel) if self.value_channel else None
        if self.value_noise:
            so_far = uniform_channel(np.array(self.scale), self.value_noise)
        whole = step if so_far is None else matmul(so_far, step)
        return replace(
            self,
            value_noise=0.0,
            value_channel=tuple(tuple(row) for row in whole.tolist()),
            released=tuple(released.tolist()),
        )

    def with_times(self, step: TimeStep) -> Publisher:
        """Add a change of times.

        Examples
        --------
        >>> Publisher(date_noise=3).with_times(TimeStep("coarsen", "week")).times
        (TimeStep(kind='jitter', width=3), TimeStep(kind='coarsen', width='week'))
        """
        so_far = (TimeStep("jitter", self.date_noise),) if self.date_noise else self.times
        return replace(self, date_noise=0, times=(*so_far, step))

    def of_surviving_cells(self, levels: NDArray[np.float64], *, added: bool) -> Publisher:
        """Return what is left to know of facts about cells that survive: values and times.

        Parameters
        ----------
        levels : float64 array, shape (K,)
            Those that surviving cells had, ascending, of `scale`.
        added : bool
            Whether the release has cells beside these.

        Examples
        --------
        >>> lost = Publisher(leaves_out=True, min_support=3, moves_ranks=True, date_noise=3)
        >>> lost.of_surviving_cells(np.empty(0), added=False) == Publisher(date_noise=3)
        True
        """
        given = np.array(self.scale)
        known, released = np.isin(given, levels), self.released
        channel = self.value_channel
        if self.value_noise and not known.all():
            channel = tuple(map(tuple, uniform_channel(given, self.value_noise).tolist()))
            released = self.scale
        return replace(
            self,
            **_NOTHING_LOST,
            scale=tuple(levels.tolist()),
            value_noise=0.0 if channel else self.value_noise,
            value_channel=tuple(row for row, some in zip(channel, known, strict=False) if some),
            released=released,
            moves_ranks=added and self.moves_ranks,
        )

    def without_values(self) -> Publisher:
        """Return what is left to know where no values are released."""
        return replace(self, value_noise=0.0, value_channel=(), released=(), swapped=0.0)

    def without_times(self) -> Publisher:
        """Return what is left to know where no times are released."""
        return replace(self, date_noise=0, times=())


def uniform_channel(scale: NDArray[np.float64], noise: float) -> NDArray[np.float64]:
    """Probability of each level given each, moved uniformly within a noise, shape (K, K).

    Examples
    --------
    >>> uniform_channel(np.array([1.0, 2.0, 3.0]), 1).tolist()[0]
    [0.5, 0.5, 0.0]
    """
    near = np.abs(scale[:, None] - scale[None, :]) <= reach(noise)
    channel: NDArray[np.float64] = near / near.sum(axis=1, keepdims=True)
    return channel


_NOTHING_LOST: dict[str, Any] = {
    "min_support": 1, "popular": 0, "leaves_out": False,
}  # fmt: skip

AS_IS = Publisher()
"""The publisher of an unchanged release."""
