"""Invented curves, for pictures and tables."""

import itertools

import pytest

from sim.study.curves import PROPORTIONS, curve_frame
from sim.study.intervals import wilson

AXES = {
    "aux": ["2/2", "3/4", "6/8"],
    "date_noise": [3, 14],
    "value_noise": [0],
    "popularity": [0],
}


@pytest.fixture(scope="session")
def make_curves():
    def make(axes=None, n=1000, **facts):
        cells, rows = [], []
        for i, levels in enumerate(itertools.product(*(axes or AXES).values())):
            rank1 = (30 + 7 * i % 70) / 100
            right = rank1 / 2
            shares = dict(zip(PROPORTIONS, (rank1, right, 0.01, 0.99 - right), strict=True))
            row = {"n_targets": n, "sigma_zero": 0, "tied_top": 0}
            for name, share in shares.items():
                interval = wilson(share * n, n)
                row |= {name: share, f"{name}_low": interval.low, f"{name}_high": interval.high}
            rows.append(row | {key: v for key, v in facts.items() if key in row})
            cell = {"cell": i, **dict(zip(axes or AXES, levels, strict=True))}
            cells.append(cell | {key: facts.get(key, 0) for key in ("eligible", "absent_items")})
        return curve_frame(cells, rows)

    return make
