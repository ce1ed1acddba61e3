"""Invented curves, for pictures and tables."""

import itertools

import numpy as np
import pandas as pd
import pytest

from sim.metrics.curves import MEASURES, curve_frame
from sim.metrics.identification import DEPTHS, REASONS
from sim.metrics.neighbourhoods import SIZES
from sim.metrics.outcomes import OUTCOMES
from sim.numeric.columns import share

N_RECORDS = 20_000

AXES = {
    "aux": ["2/2", "3/4", "6/8"],
    "date_noise": [3, 14],
    "value_noise": [0],
    "popularity": [0],
}


def mean(name, value):
    return {name: value, f"{name}_low": value - 0.3, f"{name}_high": value + 0.4}


def measures_of(i, n, present, kinds):
    """Invent one row that hangs together."""
    rank1 = (30 + 7 * i % 70) / 100
    right = rank1 / 2 if present else 0.0
    shares = dict(zip(OUTCOMES, (rank1, right, 0.01, 0.99 - right), strict=True))
    if present:
        shares |= {f"k{k}": min(rank1 * (1 + 0.1 * j), 1.0) for j, k in enumerate(DEPTHS)}
        left = (1 - rank1) / 6
        shares |= dict(zip(REASONS, (3 * left, left, 2 * left), strict=True))
        shares["baseline_longest"] = 0.02
        if "set" in kinds:
            shares |= {f"mu_{s}": rank1 + (1 - rank1) * j / 10 for j, s in enumerate(SIZES)}
    row = dict.fromkeys(MEASURES, np.nan)
    row |= {
        "n_targets": n,
        "n_present": n if present else 0,
        "sigma_zero": 0,
        "tied_top": 0,
        "not_candidate": 0,
    }
    for name, value in shares.items():
        row |= share(name, value * n, n)
    if not present:
        row |= dict.fromkeys(("rank1", "rank1_low", "rank1_high"), np.nan)
        return row
    row["baseline_random"] = 1 / 943
    if "entropy" in kinds:
        row |= mean("bits", 2 + i)
        row |= {"bits_median": 1.5 + i, "bits_prior": 9.9}
    if "claimed" in kinds:
        row |= mean("claimed", rank1)
    return row


@pytest.fixture(scope="session")
def make_curves():
    def make(axes=None, n=1000, kinds=(), **facts):
        axes = axes or AXES
        cells, rows = [], []
        for i, levels in enumerate(itertools.product(*axes.values())):
            place = dict(zip(axes, levels, strict=True))
            row = measures_of(i, n, place.get("present", True), kinds)
            rows.append(row | {key: v for key, v in facts.items() if key in row})
            cell = {"cell": i, **place}
            eligible = facts.get("eligible", 1.0)
            among = {"eligible": eligible, "n_eligible": round(N_RECORDS * eligible)}
            cells.append(cell | among | {"absent_items": facts.get("absent_items", 0)})
        return curve_frame(cells, rows)

    return make


@pytest.fixture(scope="session")
def make_phi():
    def make(curves, phi=1.5):
        phis = np.unique(np.append(np.arange(201) / 20, phi))
        frames = []
        for row in curves.to_dict("records"):
            matched = np.exp(-phis * (0.4 + 0.1 * row["cell"]))
            right = matched * (0.9 if row.get("present", True) else 0.0)
            columns = {"matched_right": right, "matched_wrong": matched - right}
            cell = np.full(phis.size, row["cell"], np.int32)
            frames.append(
                pd.DataFrame({"cell": cell, "phi": phis, **columns, "no_match": 1 - matched})
            )
        return pd.concat(frames, ignore_index=True)

    return make


@pytest.fixture(scope="session")
def make_reliability():
    def make(curves):
        frames = []
        for number in curves["cell"]:
            rows = [
                {"low": b / 10, "high": (b + 1) / 10, "n": 7 * b, "claimed": (b + 0.5) / 10}
                | share("right", 7 * b * (b + 0.5) / 10, 7 * b)
                for b in range(10)
            ]
            frame = pd.DataFrame(rows)
            frame.loc[frame["n"] == 0, "claimed"] = np.nan
            frame.insert(0, "cell", np.full(10, number, np.int32))
            frames.append(frame)
        return pd.concat(frames, ignore_index=True)

    return make
