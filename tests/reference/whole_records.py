"""Facts about whole records, by the formulas of spec §12.1 and §12.2, one sum at a time."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Times:
    """A record's windows [low, high), and w after the rounds on them."""

    windows: tuple[tuple[int, int], ...]
    usual: Floats
    prior: float
    blur: float
    rounds: int
    w: Floats

    @classmethod
    def of(
        cls,
        windows: Sequence[tuple[int, int]],
        usual: Floats,
        strengths: tuple[float, float, int],
    ) -> Times:
        """Begin with what all records have, and go through the rounds."""
        prior, blur, rounds = strengths
        return cls(tuple(windows), usual, prior, blur, rounds, usual).settled()

    def settled(self) -> Times:
        """w(t) ← (Σ_c q_c(t) + α·g(t))/(n + α), so many times."""
        w = self.w
        for _ in range(self.rounds):
            mass = sum((self.share(one, w) for one in self.windows), np.zeros(w.size))
            w = (mass + self.prior * self.usual) / (len(self.windows) + self.prior)
        return replace(self, w=w)

    def share(self, window: tuple[int, int], w: Floats) -> Floats:
        """q_c: the cell's mass in proportion to w, a part by what all records have."""
        inside = np.zeros(w.size)
        inside[window[0] : window[1]] = 1
        own, common = inside * w, inside * self.usual
        share: Floats = (1 - self.blur) * own / own.sum() + self.blur * common / common.sum()
        return share

    def visible(self, window: tuple[int, int], first: int, end: int) -> float:
        """Chance that a cell's time is in [first, end), by w without the cell's own part."""
        if window[1] - window[0] == 1:
            return float(first <= window[0] < end)
        inside = np.zeros(self.w.size)
        inside[window[0] : window[1]] = 1
        wanted = np.zeros(self.w.size)
        wanted[max(first, 0) : max(end, 0)] = 1
        n, share = len(self.windows), self.share(window, self.w)

        def others(here: Floats) -> float:
            mass = ((n + self.prior) * self.w - share) @ here
            return max(float(mass), float(self.prior * (self.usual @ here)))

        within, outside = others(inside * wanted), others(inside * (1 - wanted))
        if not (inside * wanted).any():
            return 0.0
        common = float(self.usual @ (inside * wanted) / (self.usual @ inside))
        return (1 - self.blur) * within / (within + outside) + self.blur * common

    def hidden(self, concentration: float, saturation: float, first: int, end: int) -> float:
        """Chance that a hidden cell's time is in [first, end): c cells weigh c·(1 + s)/(c + s)."""
        wanted = np.zeros(self.w.size)
        wanted[max(first, 0) : max(end, 0)] = 1
        n = len(self.windows)
        cells = np.maximum((n + self.prior) * self.w - self.prior * self.usual, 0)
        weight = cells * (1 + saturation) / (cells + saturation)
        common = concentration * float(self.usual @ wanted)
        return (float(weight @ wanted) + common) / (float(weight.sum()) + concentration)

    def placed(self, window: tuple[int, int] | None, low: int, high: int) -> Times:
        """Narrow a cell's window to [low, high), or add a hidden cell with it, and settle."""
        low, high = max(low, 0), min(high, self.w.size)
        if window is None:
            if high <= low:
                return self
            return replace(self, windows=(*self.windows, (low, high))).settled()
        new = max(low, window[0]), min(high, window[1])
        if new == window:
            return self
        windows = list(self.windows)
        windows[windows.index(window)] = new
        return replace(self, windows=tuple(windows)).settled()


@dataclass(frozen=True)
class Fact:
    """A fact: its item, its time and how far that may be off (None: not known), and chances.

    `right` and `inside` are by the level of a visible cell.
    """

    item: int
    time: int | None
    reach: int
    right: Mapping[int, float]
    inside: Mapping[int, float]
    wrong: float = 0.0
    hidden: float = 0.0
    hidden_wrong: float = 0.0


@dataclass(frozen=True)
class Record:
    """Visible cells by item: level, and window of the time or None; and what is said of hidden."""

    cells: Mapping[int, tuple[int, tuple[int, int] | None]]
    hidden_share: float = 0.0
    likelier: Sequence[float] = field(default_factory=lambda: [1.0])


def likelihood(
    record: Record,
    facts: Sequence[Fact],
    n_wrong: int,
    times: Times,
    hidden: tuple[float, float],
    placements: Sequence[Sequence[float]],
    of_item: Mapping[int, Sequence[float]],
    *,
    place: bool = True,
) -> float:
    """Σ over which facts are wrong of Π of their chances, times T(n, j).

    Parameters
    ----------
    hidden : (float, float)
        Concentration and saturation of a hidden cell.
    placements : sequence of sequence of float
        Of the record's n: by j, by class of lengths.
    of_item : mapping of int to sequence of float
        How much likelier each class is by a hidden cell of an item.
    place : bool
        Whether each right fact is placed before the next is weighed.
    """
    total = 0.0
    for wrong in itertools.combinations(range(len(facts)), n_wrong):
        chance, now = 1.0, times
        for a, fact in enumerate(facts):
            cell = record.cells.get(fact.item)
            span = (
                (0, 0)
                if fact.time is None
                else (fact.time - fact.reach, fact.time + fact.reach + 1)
            )
            width = max(span[1] - span[0], 1)
            if cell is None:
                near = 1.0 if fact.time is None else now.hidden(*hidden, *span) / width
                right, bad = (
                    fact.hidden * record.hidden_share * near,
                    fact.hidden_wrong * record.hidden_share,
                )
                window = None
            else:
                level, window = cell
                near = 1.0
                if fact.time is not None:
                    near = 0.0 if window is None else now.visible(window, *span)
                right = fact.right[level] * near / width
                bad = fact.wrong * (1 - fact.inside[level] * near)
            chance *= bad if a in wrong else right
            if chance == 0:
                break
            if a not in wrong and place and fact.time is not None:
                now = now.placed(window, *span)
        total += chance
    gone = [fact.item for fact in facts if fact.item not in record.cells]
    classes = placements[len(gone)]
    return total * sum(
        classes[b] * record.likelier[b] * math.prod(of_item[item][b] for item in gone)
        for b in range(len(classes))
    )


def placements(people: Sequence[tuple[int, int]], n: int, size: int, k: int) -> list[float]:
    """T(n, j) = Σ_N P(N | n)·(N − n)_j/(N)_k over all who show n cells, for j = 0 … k.

    Parameters
    ----------
    people : sequence of (int, int)
        Cells that each shows, and had.
    """
    alike = [before for shown, before in people if shown == n]
    return [
        sum(
            math.perm(before - n, j) / math.perm(before, k)
            for before in alike
            if before >= max(size, k) and n >= k - j
        )
        / max(len(alike), 1)
        for j in range(k + 1)
    ]


def activity(
    shows: Sequence[set[int]], mean_hidden: Sequence[float], hidden: Sequence[float], rounds: int
) -> tuple[list[float], list[float]]:
    """A_r/ū_r and B_x: A_r = ū_r/Σ_{x not in r} B_x and B_x = c_x/Σ_{r without x} A_r, in turns."""
    of_item = [c / max(sum(hidden), 1) for c in hidden]
    share = [0.0] * len(shows)
    for _ in range(rounds):
        for r, items in enumerate(shows):
            room = sum(b for x, b in enumerate(of_item) if x not in items)
            share[r] = 1 / room if room > 0 and mean_hidden[r] > 0 else 0.0
        free = [
            sum(
                u * s
                for u, s, items in zip(mean_hidden, share, shows, strict=True)
                if x not in items
            )
            for x in range(len(hidden))
        ]
        of_item = [c / f if c and f > 0 else 0.0 for c, f in zip(hidden, free, strict=True)]
    return share, of_item
