"""Counts of people that can be published: as pandas counts them, and none of few."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from scipy.stats import spearmanr

from sim.release.store.people_counts import FEWEST, MOST, ROUNDED_TO, count_people
from sim.release.store.store import Store
from sim.session.release import table

pytestmark = pytest.mark.fast


def opened(path: Path, rows: list[tuple[int, int, int | None]], block: int | None = None) -> Store:
    frame = pd.DataFrame(rows, columns=["who", "what", "day"])
    days = pd.to_timedelta(frame["day"].astype("Int64"), unit="D")
    frame["when"] = (pd.Timestamp("2021-01-20") + days).dt.strftime("%Y-%m-%d")
    return table(frame, user="who", item="what", date="when", cache=str(path)).store


def plain_counts(rows: list[tuple[int, int, int | None]], period: str) -> dict[Any, int]:
    """The people of each item and period, without those that are not shown."""
    people = defaultdict(set)
    for who, what, day in rows:
        if period == "none":
            people[str(what)].add(who)
        elif day is not None:
            at = pd.Timestamp("2021-01-20") + pd.Timedelta(day, "D")
            first = at.replace(day=1) if period == "month" else at - pd.Timedelta(at.weekday(), "D")
            people[str(what), first.strftime("%Y-%m-%d")].add(who)
    everybody = len({who for who, *_ in rows})
    return {
        key: ROUNDED_TO * int(len(some) / ROUNDED_TO + 0.5)
        for key, some in people.items()
        if FEWEST <= len(some) <= MOST * everybody
    }


@settings(max_examples=examples(25))
@given(seed=st.integers(0, 2**32), period=st.sampled_from(["month", "week", "none"]))
def test_as_pandas_counts_them(
    tmp_path_factory: pytest.TempPathFactory, seed: int, period: str
) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(100, 900))
    rows = [
        (int(who), int(what), None if rng.random() < 0.05 else int(day))
        for who, what, day in zip(
            rng.integers(60, size=n), rng.integers(8, size=n) ** 2 // 9, rng.integers(60, size=n),
            strict=True,
        )
    ]  # fmt: skip
    made = count_people(opened(tmp_path_factory.mktemp("store"), rows), period)
    found = made.table
    keys = found["item"].astype(str)
    if period != "none":
        keys = pd.Series([*zip(keys, found["period"], strict=True)], dtype=object)
    assert dict(zip(keys, found["people"].tolist(), strict=True)) == plain_counts(rows, period)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_rank_correlation_is_spearman_s(tmp_path: Path, seed: int) -> None:
    """Items that are not shown tie."""
    rng = np.random.default_rng(seed)
    who, what = rng.integers(40, size=150), rng.integers(16, size=150) ** 2 // 12
    rows = [(int(a), int(b), None) for a, b in zip(who, what, strict=True)]
    shown = {int(item): n for item, n in plain_counts(rows, "none").items()}
    true = pd.DataFrame(rows, columns=["who", "what", "day"]).groupby("what")["who"].nunique()
    expected = spearmanr(true, [shown.get(item, 0) for item in true.index]).statistic
    assert 0 < len(shown) < len(true) - 1
    assert count_people(opened(tmp_path, rows), "none").rank == round(expected, 2)


def test_by_hand(tmp_path: Path) -> None:
    """12 people of one item in January, 9 in February; all of the other item: too many."""
    rows = [(who, 1, 0) for who in range(12)] + [(who, 1, 0) for who in range(12)]
    rows += [(who, 1, 20) for who in range(9)] + [(who, 2, 3) for who in range(20)]
    found = count_people(opened(tmp_path, rows))
    assert found.table.to_dict("records") == [{"item": 1, "period": "2021-01-01", "people": 10}]
    assert (found.kept, found.rank) == (round(12 / 41, 2), 1.0)
