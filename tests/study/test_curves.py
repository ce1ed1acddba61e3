"""Curves: hand-worked rows, batches against the whole, and every way a cell can be wrong."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import GridError
from sim.study.curves import (
    MEASURES,
    PROPORTIONS,
    CellCounts,
    axis_columns,
    curve_frame,
    curve_row,
    curves,
)
from sim.study.intervals import wilson


def made_up(n: int, seed: int, cell: int = 0) -> pd.DataFrame:
    """Invent decisions that hang together: ties, σ = 0 and single candidates included."""
    rng = np.random.default_rng(seed)
    sigma = np.where(rng.random(n) < 0.1, 0.0, rng.random(n) + 0.1)
    ties = np.where(rng.random(n) < 0.6, 1, rng.integers(1, 9, n))
    second = np.where(ties > 1, 3.0, 3.0 - rng.random(n) * 2)
    alone = (sigma == 0) & (ties == 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        eccentricity = np.where(sigma > 0, (3.0 - second) / sigma, np.nan)
    rank = ties + np.where(rng.random(n) < 0.7, 0, rng.integers(1, 50, n))
    matched = np.nan_to_num(eccentricity, nan=0.0) > 1.5
    return pd.DataFrame(
        {
            "cell": np.int32(cell),
            "target": np.arange(n),
            "best_score": 3.0,
            "second_score": pd.array(np.where(alone, np.nan, second), dtype="Float64"),
            "sigma": sigma,
            "eccentricity": eccentricity,
            "matched": matched,
            "correct": (rank == ties) & (ties == 1),
            "target_score": 3.0,
            "rank": rank,
            "ties": ties,
        }
    )


def test_a_row_worked_by_hand():
    # Four targets: right and matched; right, not matched; tied with two others; wrong and matched.
    decisions = pd.DataFrame(
        {
            "target": ["a", "b", "c", "d"],
            "best_score": [4.0, 4.0, 2.0, 5.0],
            "second_score": [1.0, 3.5, 2.0, 2.0],
            "sigma": [1.0, 1.0, 0.5, 1.0],
            "eccentricity": [3.0, 0.5, 0.0, 3.0],
            "matched": [True, False, False, True],
            "correct": [True, True, False, False],
            "target_score": [4.0, 4.0, 2.0, 1.0],
            "rank": [1, 1, 3, 40],
            "ties": [1, 1, 3, 1],
        }
    )
    row = curve_row(decisions, phi=1.5)
    assert row["n_targets"] == 4
    assert row["rank1"] == pytest.approx((1 + 1 + 1 / 3) / 4)
    assert (row["matched_right"], row["matched_wrong"], row["no_match"]) == (0.25, 0.25, 0.5)
    assert (row["sigma_zero"], row["tied_top"]) == (0, 1)
    interval = wilson(7 / 3, 4)
    assert (row["rank1_low"], row["rank1_high"]) == pytest.approx((interval.low, interval.high))
    # Another φ needs no other decisions.
    assert curve_row(decisions, phi=0.25)["matched_right"] == 0.5
    assert curve_row(decisions, phi=3.0)["no_match"] == 1.0
    # No φ: the decisions' own rule.
    own = curve_row(decisions.assign(matched=[False, True, False, False]), phi=None)
    assert own["matched_right"] == 0.25


def test_nobody_shares_anything_is_a_tie_of_all():
    decisions = pd.DataFrame(
        {
            "target": [1, 2],
            "best": pd.array([None, None], dtype="Int64"),
            "best_score": 0.0,
            "second_score": 0.0,
            "sigma": 0.0,
            "eccentricity": [0.0, np.nan],
            "matched": False,
            "correct": False,
            "target_score": 0.0,
            "rank": 10,
            "ties": 10,
        }
    )
    row = curve_row(decisions, phi=-1.0)
    assert row["rank1"] == pytest.approx(0.1)
    assert (row["no_match"], row["sigma_zero"], row["tied_top"]) == (1.0, 2, 2)


@settings(deadline=None)
@given(seed=st.integers(0, 2**20), n=st.integers(1, 60), data=st.data())
def test_batches_in_any_order_give_the_same_row_bit_for_bit(seed, n, data):
    decisions = made_up(n, seed)
    whole = curve_row(decisions, phi=1.5)
    order = data.draw(st.permutations(range(n)))
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=4)))
    counts = CellCounts({"cell": 0}, phi=1.5)
    for rows in np.split(np.array(order, dtype=np.int64), cuts):
        counts.add(decisions.iloc[rows])
    assert counts.row() == whole


@settings(deadline=None)
@given(seed=st.integers(0, 2**20), n=st.integers(1, 60))
def test_the_outcomes_at_phi_are_all_there_is(seed, n):
    decisions = made_up(n, seed)
    row = curve_row(decisions, phi=1.5)
    assert row["matched_right"] + row["matched_wrong"] + row["no_match"] == pytest.approx(1)
    assert row["matched_right"] <= row["rank1"] + 1e-12
    expected = np.where(decisions["rank"] == decisions["ties"], 1 / decisions["ties"], 0.0)
    assert row["rank1"] == pytest.approx(expected.mean())
    assert row == curve_row(decisions, phi=None)
    for name in PROPORTIONS:
        assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]


CELLS = [
    {"cell": 4, "aux": "2/2", "date_noise": 3, "popularity": 0},
    {"cell": 2, "aux": "6/8", "date_noise": None, "popularity": "100-500"},
]
FACTS = {"eligible": 0.75, "absent_items": 5}


def test_the_frame_has_the_contracts_columns_types_and_order(tmp_path):
    batches = [pd.concat([made_up(9, 1, cell=2), made_up(5, 2, cell=4)]), made_up(6, 3, cell=2)]
    frame = curves([cell | FACTS for cell in CELLS], batches, phi=1.5)
    assert tuple(frame.columns) == ("cell", "aux", "date_noise", "popularity", *MEASURES)
    assert frame["cell"].tolist() == [4, 2]
    assert frame["n_targets"].tolist() == [5, 15]
    assert frame["absent_items"].tolist() == [5, 5]
    assert frame["eligible"].tolist() == [0.75, 0.75]
    assert str(frame["cell"].dtype) == "int32"
    assert str(frame["date_noise"].dtype) == "Int64"
    assert frame["date_noise"].isna().tolist() == [False, True]
    assert frame["popularity"].tolist() == ["0", "100-500"]
    assert axis_columns(frame) == ("aux", "date_noise", "popularity")
    assert frame["rank1"].iloc[0] == curve_row(made_up(5, 2, cell=4), phi=1.5)["rank1"]
    frame.to_parquet(tmp_path / "curves.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "curves.parquet"), frame)


def test_an_axis_of_fractions_stays_one():
    rows = [curve_row(made_up(3, 1), phi=1.5)] * 2
    cells = [{"cell": i, "loss": p, **FACTS} for i, p in enumerate((0.5, None))]
    assert curve_frame(cells, rows)["loss"].isna().tolist() == [False, True]


def test_a_cell_without_targets_is_an_error_that_names_it():
    cells = [cell | FACTS for cell in CELLS]
    with pytest.raises(GridError, match=r"grid cell 2 \(aux=6/8 date_noise=null .*no target"):
        curves(cells, [made_up(4, 1, cell=4)], phi=1.5)


@pytest.mark.parametrize("column", ["best_score", "target_score", "sigma"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_is_an_error_that_names_the_cell(column, value):
    decisions = made_up(5, 1)
    decisions.loc[3, column] = value
    with pytest.raises(GridError, match=rf"^grid cell 0 .*{column} of target 3 is"):
        curve_row(decisions, phi=1.5, cell={"cell": 0, "aux": "2/2"})


@pytest.mark.parametrize("column", ["second_score", "eccentricity"])
def test_a_missing_second_is_an_error_where_there_are_two_scores(column):
    decisions = made_up(5, 1).assign(sigma=1.0, eccentricity=1.0, second_score=2.0)
    assert curve_row(decisions, phi=1.5)["n_targets"] == 5
    decisions.loc[2, column] = np.nan
    with pytest.raises(GridError, match=f"grid cell 0: {column} of target 2 is nan"):
        curve_row(decisions, phi=1.5)


def test_defects_are_not_taken_for_results():
    decisions = made_up(5, 1)
    with pytest.raises(ValueError, match="lack ties"):
        curve_row(decisions.drop(columns="ties"), phi=1.5)
    with pytest.raises(ValueError, match="contradict"):
        curve_row(decisions.assign(rank=0), phi=1.5)
    with pytest.raises(ValueError, match="another cell"):
        curve_row(decisions, phi=1.5, cell={"cell": 9})
    with pytest.raises(ValueError, match="cell 0, which the grid does not have"):
        curves([CELLS[0] | FACTS], [decisions], phi=1.5)
    with pytest.raises(ValueError, match="expected the keys"):
        curve_frame([CELLS[0]], [curve_row(decisions, phi=1.5)])
