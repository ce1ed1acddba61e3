"""The guard's features of one candidate, and the loss of its conditional logit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import NamedTuple


class Cell(NamedTuple):
    """A released cell, or a fact; None where there is no value or time."""

    item: int
    value: float | None = None
    time: int | None = None


class Expected(NamedTuple):
    """An offset for each item, the mean time of all cells without it, and what remains of times."""

    offset: Mapping[int, float]
    mean: float
    spread: float


def expected_times(records: Sequence[Sequence[Cell]], rounds: int, prior: float) -> Expected:
    """Fit a mean time for each record and an offset for each item, in turns."""
    timed = [[(c.item, c.time) for c in record if c.time is not None] for record in records]
    every = [(r, item, time) for r, cells in enumerate(timed) for item, time in cells]
    offset: dict[int, float] = {}
    for _ in range(rounds):
        last = offset
        centre = [
            sum(time - last.get(item, 0.0) for item, time in cells) / max(len(cells), 1)
            for cells in timed
        ]
        left = [(item, time - centre[r]) for r, item, time in every]
        offset = {
            x: sum(e for item, e in left if item == x)
            / (sum(item == x for item, _ in left) + prior)
            for x in {item for item, _ in left}
        }
    rest = [(e - last.get(item, 0.0)) ** 2 for item, e in left]
    whole = [time - last.get(item, 0.0) for _, item, time in every]
    return Expected(last, mean(whole), max(math.sqrt(mean(rest)), 0.5))


def guard_features(
    cells: Sequence[Cell], facts: Sequence[tuple[Cell, int]], reach: int, expected: Expected
) -> list[float]:
    """Return the features of a record, in the order of `sim.metrics.guard_features.COLUMNS`.

    Parameters
    ----------
    facts : sequence of (Cell, int)
        Each with the number of cells of its item that the release lacks.
    reach : int
        At least 1.
    """
    points = sorted({round(reach * j / 30) for j in range(-30, 31)})
    timed = [cell.time for cell in cells if cell.time is not None]
    n = len(timed)
    visible, values, hidden, orders = ([[0.0] * size] for size in (20, 2, 7, 3))
    for fact, popularity in facts:
        d = fact.time
        own = [cell for cell in cells if cell.item == fact.item]
        best = min(own, key=lambda cell: _distance(fact, cell)) if own else None
        if d is not None:
            whole = [
                cell.time - expected.offset.get(cell.item, 0.0)
                for cell in cells
                if cell.time is not None and cell is not best
            ]
            centre = mean(whole) if whole else expected.mean
            off = d - expected.offset.get(fact.item, 0.0) - centre
            off = min(abs(off) / expected.spread, 4.0)
            orders.append([off, off * off, math.log1p(off)])
        if best is None:
            row = [1.0, math.log(popularity + 0.5), *[0.0] * 5]
            if d is not None:
                near = [sum(abs(t - d) <= w for t in timed) for w in (0, 1, 3, 7, 30)]
                row[2:] = [math.log((k + 0.5) / (n + 0.5)) for k in near]
            hidden.append(row)
            continue
        if best.value is not None and fact.value is not None:
            off = abs(best.value - fact.value)
            values.append([off, off * off])
        if d is None or best.time is None:
            continue
        t = best.time
        others = list(timed)
        others.remove(t)

        def within(time: int, width: int, others: Sequence[int] = others) -> int:
            return sum(abs(other - time) <= width for other in others)

        o = within(d, reach)
        k = [within(t + point, reach) for point in points]
        far = min(abs(d - t) / reach, 2.0)
        row = [far, far * far]
        row += [math.log((within(d, w * reach // 30) + 0.5) / (n + 0.5)) for w in (1, 3, 7, 15, 30)]
        row += [math.log((o + 0.5) / (count + 0.5)) for count in (max(k), mean(k))]
        for h in (2, 5, 10):
            sides = within(d - h, reach), within(d + h, reach)
            row += [math.log((o + 0.5) / (count + 0.5)) for count in (max(sides), mean(sides))]
        row += [mean(count > o for count in k), (o - max(k)) / math.sqrt(n)]
        row += [1 - o / max(n - 1, 1), math.log1p(abs(median(timed) - d))]
        row += [math.log1p(min(abs(other - d) for other in others)) if others else 0.0]
        visible.append(row)
    summed = [
        sum(column)
        for rows in (visible, values, hidden, orders)
        for column in zip(*rows, strict=True)
    ]
    return [-math.log(len(cells)), *summed]


def _distance(fact: Cell, cell: Cell) -> float:
    if fact.time is not None:
        return math.inf if cell.time is None else abs(fact.time - cell.time)
    if fact.value is None or cell.value is None:
        return 0.0
    return abs(fact.value - cell.value)


def conditional_logit_loss(
    choices: Sequence[tuple[Sequence[Sequence[float]], int]],
    weight: Sequence[float],
    ridge: float,
) -> float:
    """Return the mean of −ln of the right candidates' probabilities, and the ridge.

    Parameters
    ----------
    choices : sequence
        The features of each choice's candidates, and the place of the right one.

    Examples
    --------
    >>> conditional_logit_loss([([[0.0], [1.0]], 1)], [0.0], 1.0) == math.log(2)
    True
    """
    total = 0.0
    for candidates, right in choices:
        scores = [math.fsum(w * x for w, x in zip(weight, row, strict=True)) for row in candidates]
        total += math.log(math.fsum(math.exp(score) for score in scores)) - scores[right]
    return total / len(choices) + ridge / 2 * math.fsum(w * w for w in weight)
