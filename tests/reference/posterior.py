"""Facts about visible and hidden cells, by the formulas of spec §12.1 and §12.2."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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

    `right`, `wrong` and `close` are by the level of a visible cell.
    """

    item: int
    time: int | None
    reach: int
    right: Mapping[int, float]
    wrong: Mapping[int, float]
    close: Mapping[int, float]
    hidden: float = 0.0
    hidden_wrong: float = 0.0
    popular: float = 0.0
    odds: float = 0.0
    undated: bool = False
    """Whether its cell has no time."""

    @property
    def span(self) -> tuple[int, int]:
        """Times [first, end) that it may be about."""
        assert self.time is not None
        return self.time - self.reach, self.time + self.reach + 1


@dataclass(frozen=True)
class Record:
    """Visible cells by item: levels, and windows of times or None; and what is said of hidden."""

    cells: Mapping[int, Sequence[tuple[int, tuple[int, int] | None]]]
    share: float = 0.0
    weight: float = 0.0
    mean_hidden: float = 0.0
    held: float = 0.0
    likelier: Sequence[float] = field(default_factory=lambda: [1.0])


@dataclass(frozen=True)
class Way:
    """What some facts may be about: how likely it is, and what is left for the others."""

    chance: float
    times: Times
    used: frozenset[tuple[int, int]] = frozenset()
    hidden: tuple[int, ...] = ()
    wrong: int = 0


def ways_of(
    record: Record,
    fact: Fact,
    before: Way,
    hidden: tuple[float, float],
    *,
    strength: float,
    by_item: bool,
    once: bool,
    place: bool,
    alone: bool,
) -> Iterator[Way]:
    """Yield what one more fact may be about: a cell, right or wrong, or a hidden one.

    Parameters
    ----------
    alone : bool
        Whether no other fact is about its item, as of an item that the person lacks.
    """
    timed, width = fact.time is not None, 2 * fact.reach + 1
    cells = record.cells.get(fact.item, ())
    n, now = len(cells), before.times
    of_cell = 1 / (n * (1 + fact.odds)) if once and n else 1.0
    for c, (level, window) in enumerate(cells):
        if (fact.item, c) in before.used:
            continue
        near = 1.0
        if timed:
            near = 0.0 if window is None else now.visible(window, *fact.span)
        elif fact.undated:
            near = float(window is None)
        used = before.used | {(fact.item, c)}
        right = fact.right[level] * near / (width if timed else 1) * of_cell
        then = now.placed(window, *fact.span) if place and timed and right else now
        yield replace(before, chance=before.chance * right, times=then, used=used)
        bad = 0.0 if by_item else (fact.wrong[level] - near * fact.close[level]) * of_cell
        yield replace(before, chance=before.chance * max(bad, 0), used=used, wrong=before.wrong + 1)
    chance, gone = 0.0, (*before.hidden, fact.item)
    if once and n:
        chance, gone = fact.odds / (1 + fact.odds), before.hidden
    elif record.mean_hidden > 0 and strength:
        again = before.hidden.count(fact.item) if fact.item >= 0 else 0  # else of any item
        chance = fact.odds * n + again + strength * fact.popular
        chance *= (fact.popular > 0) or (n > 0 and fact.odds > 0)
        chance /= record.weight + len(before.hidden) + strength
    elif record.mean_hidden > 0 and not n:
        chance = record.share * fact.popular
    near = now.hidden(*hidden, *fact.span) / width if timed else 1.0
    right = fact.hidden * chance * near
    then = now.placed(None, *fact.span) if place and timed and right else now
    yield replace(before, chance=before.chance * right, times=then, hidden=gone)
    if not by_item:
        bad = fact.hidden_wrong * chance
        yield replace(before, chance=before.chance * bad, hidden=gone, wrong=before.wrong + 1)
    elif not n and record.held < 1 and alone:
        share = strength / (record.weight + strength) if strength else record.share
        lacks = (1 - min(share * fact.popular, 1)) ** record.mean_hidden
        bad = fact.hidden_wrong * lacks / (1 - record.held)
        yield replace(before, chance=before.chance * bad, wrong=before.wrong + 1)


def likelihood(
    record: Record,
    facts: Sequence[Fact],
    times: Times,
    hidden: tuple[float, float],
    placement: Callable[[int, int], Sequence[float]],
    of_item: Mapping[int, Sequence[float]],
    *,
    strength: float = 0.0,
    by_item: bool = False,
    once: bool = False,
    place: bool = True,
) -> float:
    """Sum over what the facts may be about, and which are wrong, of Π of chances times T(n, j).

    Parameters
    ----------
    hidden : (float, float)
        Concentration and saturation of a hidden cell.
    placement : callable
        By hidden facts and wrong ones: by class of lengths.
    of_item : mapping of int to sequence of float
        How much likelier each class is by a hidden cell of an item.
    place : bool
        Whether each right fact is placed before the next is weighed.
    """
    ways = [Way(1.0, times)]
    for fact in facts:
        ways = [
            after
            for way in ways
            for after in ways_of(
                record,
                fact,
                way,
                hidden,
                strength=strength,
                by_item=by_item,
                once=once,
                place=place,
                alone=fact.item < 0 or [f.item for f in facts].count(fact.item) == 1,
            )
            if after.chance > 0
        ]
    return sum(
        way.chance * t * record.likelier[b] * math.prod(of_item[item][b] for item in way.hidden)
        for way in ways
        for b, t in enumerate(placement(len(way.hidden), way.wrong))
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
            if before >= max(size, k)
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
