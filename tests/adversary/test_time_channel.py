"""How strongly a record's times hang together, against brute force."""

from __future__ import annotations

import math

import numpy as np

from sim.adversary.time_channel import CONCENTRATIONS, TimedCells, Windows, fit, usual_times


def test_the_concentration_makes_each_time_likeliest_by_the_others() -> None:
    rng = np.random.default_rng(3)
    people, cells, days = 200, 4, 10
    record = np.repeat(np.arange(people), cells)
    home = rng.integers(0, days, people)[record]
    time = np.where(rng.random(record.size) < 0.4, home, rng.integers(0, days, record.size))
    usual = usual_times(np.bincount(time, minlength=days))
    windows = Windows(np.arange(days), np.arange(days) + 1, 0)

    def likelihood(alpha: float) -> float:
        return sum(
            math.log((np.sum(own == t) - 1 + alpha * usual[t]) / (cells - 1 + alpha))
            for own in time.reshape(people, cells)
            for t in own
        )

    found = fit(TimedCells(record, time, time), windows, usual).concentration
    assert found == max(CONCENTRATIONS, key=likelihood)
