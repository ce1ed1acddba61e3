"""People with far more entries than all others: group passes are found, heavy tails are not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import sim
from sim.release.store.long_records import are_left_out, far_above, long_records

GROUPS = [375, 361, 358, 334, 298, 268, 204, 203, 184, 141]
"""Entries of ten passes that whole groups share."""

MOST = 62
"""Entries of the person who has the most of all others."""

Lengths = NDArray[np.int64]


def usual(seed: int, n: int = 1200) -> Lengths:
    """Entries of people: most have a handful, a few have some dozens, and one has 62."""
    rng = np.random.default_rng(seed)
    some = np.minimum(np.maximum(1, np.round(rng.lognormal(1.3, 0.9, n))), MOST)
    return np.r_[some, MOST].astype(np.int64)


def n_far_above(lengths: Lengths) -> int:
    return int(far_above(lengths, int(lengths.sum()))[0].size)


@pytest.mark.parametrize("seed", range(20))
def test_group_passes_are_found_though_the_next_has_half_as_many(seed: int) -> None:
    lengths = np.r_[usual(seed), GROUPS]
    found, following = far_above(lengths, int(lengths.sum()))
    assert found.tolist() == GROUPS
    assert following == MOST > GROUPS[-1] / 3
    assert n_far_above(usual(seed)) == 0


def test_a_description_names_how_many_there_are(tmp_path: Path) -> None:
    lengths = np.r_[GROUPS, usual(1, 400)]
    rng = np.random.default_rng(2)
    held = [(who, what) for who, n in enumerate(lengths) for what in rng.integers(0, 40, n)]
    frame = pd.DataFrame(held, columns=["who", "what"])
    release = sim.table(frame, user="who", item="what", repeats="cells", cache=str(tmp_path))
    most = int(lengths[len(GROUPS) :].max())
    assert long_records(release.store) == {"people": len(GROUPS), "max_length": most}
    (found,) = (one for one in release.describe().findings if one.kind == "people_far_above")
    assert (found.numbers["count"], found.denominator) == (sum(GROUPS), lengths.sum())
    assert found.remedy.endswith(f"defence.drop_long.max_length={most}")


def test_a_plan_has_no_remark_on_those_whom_it_leaves_out(tmp_path: Path) -> None:
    lengths = np.r_[90, 80, usual(1, 300).clip(max=12)]
    rng = np.random.default_rng(2)
    held = [(who, what) for who, n in enumerate(lengths) for what in rng.integers(0, 40, n)]
    frame = pd.DataFrame(held, columns=["who", "what"])
    release = sim.table(frame, user="who", item="what", repeats="cells", cache=str(tmp_path))
    left_out = {most: are_left_out(release.store, most) for most in (12, 79, 80, None)}
    assert left_out == {12: True, 79: True, 80: False, None: False}
    asked = {"utility": ["cells"], "plan.utility": "cells", "grid.aux": ["2/2"]}
    for most, is_left in ((12, True), (None, False)):
        plan = sim.plan(
            release, max_risk=1.0, defences=[["drop_items"]], attackers=["insider"],
            options={**asked, "plan.max_length": most},
        )  # fmt: skip
        kinds = {one["kind"] for one in plan.record["suspicions"]}
        assert ("people_far_above" in kinds) != is_left


def heavy_tails(n: int, seed: int) -> Iterator[Lengths]:
    rng = np.random.default_rng([n, seed])
    for sigma in (0.5, 1.0, 1.5, 2.0, 2.5):
        yield np.maximum(1, np.round(rng.lognormal(2, sigma, n))).astype(np.int64)
    for exponent in (1.5, 2.0, 2.5, 3.0):
        yield np.minimum(rng.zipf(exponent, n), 10**9)
    for mean in (0.2, 3.0):
        yield 1 + rng.poisson(mean, n)


def test_heavy_tails_are_no_more_suspicious_than_by_a_gap_of_three(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A record three times as long as the next is looked at in any tail; the rest adds nothing."""
    tails = [
        lengths
        for n in (100, 300, 1000, 5000)
        for seed in range(40)
        for lengths in heavy_tails(n, seed)
    ]
    found = [n_far_above(lengths) for lengths in tails]
    monkeypatch.setattr("sim.release.store.long_records._ABOVE", np.inf)
    of_three = [n_far_above(lengths) for lengths in tails]
    assert any(of_three)
    assert sum(map(bool, found)) - sum(map(bool, of_three)) <= len(tails) / 1000


def test_short_records_show_no_tail() -> None:
    """Of people with one entry and some with two, nobody has far more."""
    assert n_far_above(np.r_[[2] * 3, [1] * 57]) == 0
    assert n_far_above(np.r_[[10] * 2, [5] * 98]) == 0
