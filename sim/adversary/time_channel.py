"""What a record's times say about each other (spec §12.2).

A publisher who moves times, or leaves cells out, leaves the record's other times, and those of a
record hang together: many are of the same day. Behind each released time lies a *window* of
original ones. The record's own distribution w of original times is found by expectation
maximisation from its windows: it begins as the distribution of all records, and each round gives
every cell's window one unit of mass in proportion to w. A cell's time is then as likely as w
without the cell's own part, and that of a hidden cell as w with another weight of the distribution
of all.

How strong each part is follows from the original: `fit` takes what makes its own times likeliest.
The attacker is taken to know these numbers, as every aggregate (Kerckhoffs).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.numeric import log
from sim.numeric.compiled import njit
from sim.numeric.elementary import log as log_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FACTORS = (1.0, 3.0, 10.0, 30.0)
"""Tried multiples of the concentration."""

ROUNDS = (10, 30, 60, 100, 200, 400)
"""Tried numbers of rounds."""

BLURS = (0.0, 0.02, 0.05, 0.1, 0.2)
"""Tried shares of each window that go by all records' times, whatever the record's own."""

CONCENTRATIONS: tuple[float, ...] = tuple(2.0 ** (k / 4) for k in range(-20, 57))
"""Tried weights, in cells, of the distribution of all records: 1/32 to 16,384."""

SATURATIONS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1e9)
"""Tried numbers of cells at a time from which more of them speak for it hardly more."""

_NOBODY = 0.1
"""Cells that every time has more than it has, so that none is impossible."""


_WORK = 60_000
"""Cells and times, of whole records, that strengths are tried on: some seconds."""


class Windows(NamedTuple):
    """The original times that may lie behind each released one.

    Parameters
    ----------
    low, high : int64 arrays, shape (n_days,)
        Codes [low, high) of the original by code of the release, each as likely where nothing else
        is known. Empty where no original time can have been released so.
    shift : int
        Code in the original of the release's first time.
    """

    low: Ints
    high: Ints
    shift: int

    @property
    def are_exact(self) -> bool:
        """Whether every released time is the original one."""
        return bool((self.high - self.low <= 1).all())


@dataclass(frozen=True, slots=True, eq=False)
class TimeChannel:
    """The windows of a release, and how strongly a record's times hang together.

    Parameters
    ----------
    windows : Windows
    usual : float64 array, shape (T,)
        Share of all original cells at each time; positive.
    concentration : float
        Weight in cells of `usual` beside a record's own windows.
    rounds : int
        1 where the windows are exact.
    blur : float
        Share of each window that goes by `usual`.
    hidden : float
        Weight in cells of `usual` for a cell that was left out.
    saturation : float
        For such a cell c cells at a time weigh c·(1 + s)/(c + s): people who did as much on each of
        few days are told from those who did most on one.
    """

    windows: Windows
    usual: Floats
    concentration: float
    rounds: int
    blur: float
    hidden: float
    saturation: float

    @property
    def usual_up_to(self) -> Floats:
        """Sums of `usual` before each time, shape (T + 1,)."""
        return np.concatenate([np.zeros(1), np.cumsum(self.usual)])


class TimedCells(NamedTuple):
    """Dated original cells of some records.

    Parameters
    ----------
    record : int64 array, shape (n,)
        Ascending.
    time : int64 array, shape (n,)
        Code of the original.
    released : int64 array, shape (n,)
        Code of the release; −1: the cell was left out.
    """

    record: Ints
    time: Ints
    released: Ints


def usual_times(counts: Ints) -> Floats:
    """Return the share of each time, from the cells at each, shape (T,)."""
    weight = counts + _NOBODY
    return np.asarray(weight / np.cumsum(weight)[-1])


def fit(cells: TimedCells, windows: Windows, usual: Floats) -> TimeChannel:
    """Return the channel whose strengths make the times of some records likeliest.

    Parameters
    ----------
    cells : TimedCells
        Of a sample of the original's records.
    usual : float64 array, shape (T,)
        See `usual_times`.
    """
    visible = cells.released >= 0
    alpha, _ = _likeliest(*_of_others(cells.record, cells.time), usual)
    hidden, saturation = _of_hidden(cells, visible, usual)
    shown = TimedCells(*(column[visible] for column in cells))
    # A cell whose window lacks its time was moved by a defence that states no channel.
    low, high = windows.low[shown.released], windows.high[shown.released]
    known = (low <= shown.time) & (shown.time < high)
    if windows.are_exact or not known.any():
        return TimeChannel(windows, usual, alpha, 1, 0.0, hidden, saturation)
    time, low, high = shown.time[known], low[known], high[known]
    start = np.flatnonzero(np.diff(shown.record[known], prepend=-1, append=-1))
    chosen = _sample(np.diff(start) + np.maximum.reduceat(high, start[:-1])
                     - np.minimum.reduceat(low, start[:-1]))  # fmt: skip
    means = np.zeros((len(FACTORS), len(BLURS), len(ROUNDS)))
    _try_strengths(
        (chosen, start), (time, low, high),
        (usual, np.concatenate([np.zeros(1), np.cumsum(usual)])),
        (alpha * np.array(FACTORS), np.array(BLURS), np.array(ROUNDS)), means,
    )  # fmt: skip
    best = np.unravel_index(int(means.argmax()), means.shape)
    factor, blur, rounds = FACTORS[best[0]], BLURS[best[1]], ROUNDS[best[2]]
    return TimeChannel(windows, usual, alpha * factor, rounds, blur, hidden, saturation)


def _sample(work: Ints) -> Ints:
    """Return records, evenly spread, whose work together is at most `_WORK`, at least one."""
    every = max(1, -(-int(work.sum()) // _WORK))
    return np.arange(0, work.size, every)


def _of_others(record: Ints, time: Ints) -> tuple[Floats, Floats, Floats, Ints]:
    """Return cells by record and time: how many, how many others are there, how many in all."""
    width = int(time.max(initial=0)) + 1
    pairs, count = np.unique(record * width + time, return_counts=True)
    _, of, size = np.unique(pairs // width, return_inverse=True, return_counts=True)
    others = np.bincount(of, count, minlength=size.size).astype(np.float64)[of] - 1.0
    return count.astype(np.float64), count - 1.0, others, pairs % width


def _of_hidden(cells: TimedCells, visible: NDArray[np.bool_], usual: Floats) -> tuple[float, float]:
    """Return the concentration and the saturation that make hidden times likeliest."""
    width = usual.size
    key = cells.record * width + cells.time
    hidden, count = np.unique(key[~visible], return_counts=True)
    days, shown = np.unique(key[visible], return_counts=True)
    place = np.minimum(np.searchsorted(days, hidden), max(days.size - 1, 0))
    first = np.searchsorted(days, hidden // width * width)
    end = np.searchsorted(days, (hidden // width + 1) * width)
    best = CONCENTRATIONS[-1], SATURATIONS[-1], -np.inf
    for saturation in SATURATIONS if days.size else ():
        weight = shown * (1.0 + saturation) / (shown + saturation)
        up_to = np.concatenate([np.zeros(1), np.cumsum(weight)])
        there = np.where(days[place] == hidden, weight[place], 0.0)
        found, likely = _likeliest(
            count.astype(np.float64), there, up_to[end] - up_to[first], hidden % width, usual
        )
        if likely > best[2]:
            best = found, saturation, likely
    return best[0], best[1]


def _likeliest(
    count: Floats, there: Floats, whole: Floats, time: Ints, usual: Floats
) -> tuple[float, float]:
    """Return the α that maximises Σ count·ln((there + α·usual)/(whole + α)), and the maximum."""
    some = whole > 0
    if not some.any():
        return CONCENTRATIONS[-1], -np.inf
    count, there, whole, share = count[some], there[some], whole[some], usual[time[some]]
    sums: list[float] = []
    for a in CONCENTRATIONS:
        each: Floats = count * (log(there + a * share) - log(whole + a))
        sums.append(float(np.cumsum(each)[-1]))
    return CONCENTRATIONS[int(np.argmax(sums))], max(sums)


@njit(error_model="numpy")
def sharpen(windows, n_windows, usual, span, strengths, rounds, w, scratch):  # type: ignore[no-untyped-def]
    """Give each window its cells' mass in proportion to w, some rounds; w becomes the mean.

    Parameters
    ----------
    windows : (low, high, cells), arrays of shape (≥ n_windows,)
        Windows [low, high), and how many cells of the record each is of.
    usual : (float64 array, float64 array)
        `TimeChannel.usual`, and its sums before each time.
    span : (int, int)
        Times that hold all windows; w is written there.
    strengths : (float, float)
        Concentration and blur.
    w : float64 array, shape (T,)
        In and out.
    scratch : float64 array, shape (3, T + 1)
        Its first row has the sums of w before each time of the span, in the end.
    """
    (low, high, cells), (usual, usual_up_to), (prior, blur) = windows, usual, strengths
    begin, end = span
    up_to, own, common = scratch[0], scratch[1], scratch[2]
    n = 0.0
    for c in range(n_windows):
        n += cells[c]
    for _ in range(rounds):
        _sum_up(w, begin, end, up_to)
        own[begin : end + 1] = 0.0
        common[begin : end + 1] = 0.0
        for c in range(n_windows):
            if cells[c] <= 0 or high[c] <= low[c]:
                continue
            mass, share = up_to[high[c]] - up_to[low[c]], blur
            if mass > 1e-300:
                step = (1.0 - blur) * cells[c] / mass
                own[low[c]] += step
                own[high[c]] -= step
            else:
                share = 1.0
            if share > 0.0:
                step = share * cells[c] / (usual_up_to[high[c]] - usual_up_to[low[c]])
                common[low[c]] += step
                common[high[c]] -= step
        of_own, of_all = 0.0, prior
        for t in range(begin, end):
            of_own += own[t]
            of_all += common[t]
            w[t] = (w[t] * max(of_own, 0.0) + usual[t] * max(of_all, prior)) / (n + prior)
    _sum_up(w, begin, end, up_to)


@njit(error_model="numpy", inline="always")
def _sum_up(w, begin, end, up_to):  # type: ignore[no-untyped-def]
    up_to[begin] = 0.0
    for t in range(begin, end):
        up_to[t + 1] = up_to[t] + w[t]


@njit(error_model="numpy")
def chance_of_visible(first, end, low, high, n, up_to, usual_up_to, prior, blur):  # type: ignore[no-untyped-def]
    """Probability that the time of a cell with a window [low, high) is in [first, end).

    By w without the cell's own part, which is never less than what all records give.

    Parameters
    ----------
    n : float
        Dated cells of the record.
    up_to : float64 array
        See `sharpen`.
    """
    first, end = max(first, low), min(end, high)
    if first >= end:
        return 0.0
    if high - low == 1:
        return 1.0
    part, whole = up_to[end] - up_to[first], up_to[high] - up_to[low]
    usual_part = usual_up_to[end] - usual_up_to[first]
    usual_whole = usual_up_to[high] - usual_up_to[low]
    mine = usual_part / usual_whole
    if whole > 1e-300:
        mine = (1.0 - blur) * part / whole + blur * mine
    within = max((n + prior) * part - mine, prior * usual_part)
    outside = max((n + prior) * (whole - part) - (1.0 - mine), prior * (usual_whole - usual_part))
    return (1.0 - blur) * within / (within + outside) + blur * usual_part / usual_whole


@njit(error_model="numpy")
def sum_up_weights(n, span, w, usual, prior, saturation, weights_up_to):  # type: ignore[no-untyped-def]
    """Sum up what the record's cells at each time weigh for one that was left out.

    Parameters
    ----------
    n : float
        Dated cells of the record.
    weights_up_to : float64 array, shape (T + 1,)
        Written to, in the span.
    """
    weights_up_to[span[0]] = 0.0
    for t in range(span[0], span[1]):
        cells = max((n + prior) * w[t] - prior * usual[t], 0.0)
        weights_up_to[t + 1] = weights_up_to[t] + cells * (1.0 + saturation) / (cells + saturation)


@njit(error_model="numpy")
def chance_of_hidden(first, end, span, weights_up_to, usual_up_to, hidden):  # type: ignore[no-untyped-def]
    """Probability that the time of a cell that was left out is in [first, end)."""
    first, end = max(first, 0), min(end, usual_up_to.size - 1)
    if first >= end:
        return 0.0
    usual_part, own, whole = usual_up_to[end] - usual_up_to[first], 0.0, 0.0
    low, high = max(first, span[0]), min(end, span[1])
    if span[0] < span[1]:
        whole = weights_up_to[span[1]] - weights_up_to[span[0]]
    if low < high:
        own = weights_up_to[high] - weights_up_to[low]
    return (own + hidden * usual_part) / (whole + hidden)


@njit(error_model="numpy")
def _try_strengths(records, cells, usual, tried, means):  # type: ignore[no-untyped-def]
    """Add up the mean log chance of each record's true times, by prior, blur and rounds.

    Parameters
    ----------
    records : (chosen, start)
        Which records, and where the cells of each begin.
    cells : (time, low, high)
    usual : (float64 array, float64 array)
        As in `sharpen`.
    tried : (priors, blurs, rounds)
    """
    (chosen, start), (time, low, high), (priors, blurs, rounds) = records, cells, tried
    w, scratch = np.empty(usual[0].size), np.empty((3, usual[0].size + 1))
    ones = np.ones(time.size)
    for r in chosen:
        a, b = start[r], start[r + 1]
        span, windows = (low[a:b].min(), high[a:b].max()), (low[a:b], high[a:b], ones)
        for p in range(priors.size):
            for e in range(blurs.size):
                w[:] = usual[0]
                done, strengths = 0, (priors[p], blurs[e])
                for k in range(rounds.size):
                    sharpen(windows, b - a, usual, span, strengths, rounds[k] - done, w, scratch)
                    done = rounds[k]
                    total = 0.0
                    for c in range(a, b):
                        chance = chance_of_visible(
                            time[c], time[c] + 1, low[c], high[c], float(b - a), scratch[0],
                            usual[1], priors[p], blurs[e],
                        )  # fmt: skip
                        total += log_of(chance)
                    means[p, e, k] += total / (b - a)
