"""Curves: hand-worked rows, batches against the whole, and every way a cell can be wrong."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from deciding import A_SET, PROPERTIES, batches, decided, random_cases
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from reference import success_at_one

from sim.errors import GridError
from sim.metrics.counts import CellCounts
from sim.metrics.curves import MEASURES, axis_columns, curve_frame, curve_row, curves
from sim.metrics.outcomes import OUTCOMES
from sim.numeric.intervals import wilson

pytestmark = pytest.mark.fast

LOGS = dataclasses.replace(PROPERTIES, log_scores=True)


def made_up(n, seed, cell=0, **options):
    """Invent decisions that hang together."""
    return decided(random_cases(seed, n, **options), cell)


def by_hand():
    # Four targets: right and matched; right, not matched; tied with two others; wrong and matched.
    return pd.DataFrame(
        {
            "target": ["a", "b", "c", "d"],
            "best_score": [4.0, 4.0, 2.0, 5.0],
            "second_score": [1.0, 3.5, 2.0, 2.0],
            "sigma": [1.0, 1.0, 0.5, 1.0],
            "eccentricity": [3.0, 0.5, 0.0, 3.0],
            "matched": [True, False, False, True],
            "correct": [True, True, False, False],
            "target_score": [4.0, 4.0, 2.0, 1.0],
            "true_rank": [1, 1, 3, 40],
            "ties": [1, 1, 3, 1],
            "present": True,
            "above": [0, 0, 0, 39],
            "candidates": 100,
            "matching_set": [1, 1, 3, 0],
            "entropy_bits": [0.0, 1.0, 2.0, 5.0],
            "entropy_bits_other": [0.0, 0.5, 1.0, 2.5],
            "entropy_all_bits": 1.0,
            "posterior": np.nan,
            "theta_similarity": [1.0, 1.0, np.nan, 0.6],
            "longest_ties": [0, 2, 0, 0],
            "person": None,
        }
    )


def test_a_row_worked_by_hand():
    row = curve_row(by_hand(), PROPERTIES)
    assert row["n_targets"] == 4
    assert row["rank1"] == pytest.approx((1 + 1 + 1 / 3) / 4)
    assert (row["matched_right"], row["matched_wrong"], row["no_match"]) == (0.25, 0.25, 0.5)
    assert (row["sigma_zero"], row["tied_top"], row["not_candidate"]) == (0, 1, 0)
    interval = wilson(7 / 3, 4)
    assert (row["rank1_low"], row["rank1_high"]) == pytest.approx((interval.low, interval.high))
    assert row["baseline_random"] == pytest.approx(0.01)
    assert row["baseline_longest"] == 0.5 / 4
    assert row["theta_50"] == pytest.approx((1 + 1 + 1 / 3 + 1) / 4)
    assert row["theta_75"] == row["rank1"]
    assert (row["k1"], row["k5"], row["k100"]) == (0.5, 0.75, 0.75)  # the fourth: an empty list
    assert (row["no_one_possible"], row["not_narrow"], row["misdirected"]) == (0.25, 0.25, 0.0)
    assert (row["bits"], row["bits_median"]) == (2.0, 1.5)
    assert row["bits_unresolved"] == 3.5
    assert row["bits_gained"] == pytest.approx(np.log2(12) - 2)
    assert np.isnan(row["mu_1"])
    assert np.isnan(row["claimed"])
    a_set = curve_row(by_hand(), A_SET)
    assert (a_set["mu_1"], a_set["mu_2"], a_set["mu_4"]) == (0.75, 0.75, 1.0)


def test_absent_targets_have_an_outcome_and_no_rank():
    gone = by_hand().assign(present=False, correct=False, longest_ties=None)
    gone[["target_score", "true_rank", "above", "entropy_bits", "entropy_bits_other"]] = np.nan
    gone["theta_similarity"] = np.nan
    row = curve_row(gone, A_SET)
    assert (row["matched_right"], row["matched_wrong"], row["no_match"]) == (0.0, 0.5, 0.5)
    assert row["not_candidate"] == 0
    for name in ("rank1", "k1", "misdirected", "theta_50", "mu_1", "bits", "bits_gained"):
        assert np.isnan(row[name]), name
    for name in ("rank1_low", "baseline_random", "baseline_longest"):
        assert np.isnan(row[name]), name


def test_a_target_that_is_no_candidate_is_not_dropped():
    frame = by_hand()
    frame.loc[0, ["target_score", "true_rank", "above", "longest_ties", "theta_similarity"]] = (
        np.nan
    )
    frame.loc[0, ["correct", "entropy_bits"]] = [False, 9.0]
    row = curve_row(frame, PROPERTIES)
    assert row["not_candidate"] == 1
    assert row["rank1"] == pytest.approx((1 + 1 / 3) / 4)
    assert row["k100"] == 0.5
    assert row["misdirected"] == 0.25
    assert row["bits"] == 17 / 4


def test_without_overlapping_records_all_tie():
    decisions = by_hand().assign(
        best=None, best_score=0.0, second_score=0.0, sigma=0.0, target_score=0.0, true_rank=10,
        ties=10, above=0, candidates=10, matching_set=10, eccentricity=[0.0, 0.0, np.nan, np.nan],
        matched=False, correct=False, theta_similarity=np.nan,
    )  # fmt: skip
    row = curve_row(decisions, PROPERTIES)
    assert row["rank1"] == pytest.approx(0.1)
    assert (row["no_match"], row["sigma_zero"], row["tied_top"]) == (1.0, 4, 4)
    assert (row["not_narrow"], row["k10"]) == (1.0, 1.0)


def test_no_candidate_at_all_is_no_match():
    decisions = by_hand().assign(
        best_score=np.nan, second_score=np.nan, sigma=0.0, target_score=np.nan, true_rank=np.nan,
        ties=0, above=np.nan, candidates=0, matching_set=0, eccentricity=np.nan, matched=False,
        correct=False, theta_similarity=np.nan, longest_ties=np.nan,
    )  # fmt: skip
    row = curve_row(decisions, PROPERTIES)
    assert (row["rank1"], row["no_match"], row["no_one_possible"]) == (0.0, 1.0, 1.0)
    assert row["baseline_random"] == 0.0


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**20), n=st.integers(1, 40), data=st.data())
def test_batches_in_any_order_give_the_same_row_bit_for_bit(seed, n, data):
    decisions = made_up(n, seed)
    decisions["entropy_bits"] *= np.pi  # so that sums depend on the order
    whole = curve_row(decisions, A_SET)
    order = data.draw(st.permutations(range(n)))
    cuts = data.draw(st.lists(st.integers(0, n), max_size=4))
    counts = CellCounts({"cell": 0}, A_SET)
    for batch in batches(decisions, order, cuts):
        counts.add(batch)
    row = counts.row()
    assert row.keys() == whole.keys()
    np.testing.assert_array_equal(list(row.values()), list(whole.values()))


@settings(max_examples=examples(40))
@given(seed=st.integers(0, 2**20), n=st.integers(1, 40), a_set=st.booleans())
def test_shares_add_up_and_lie_in_their_intervals(seed, n, a_set):
    cases = random_cases(seed, n, a_set=a_set)
    row = curve_row(decided(cases), A_SET if a_set else PROPERTIES)
    assert row["matched_right"] + row["matched_wrong"] + row["no_match"] == pytest.approx(1)
    here = [c for c in cases if c.present]
    if here:
        parts = ("k1", "not_narrow", "no_one_possible", "misdirected")
        assert sum(row[name] for name in parts) == pytest.approx(1)
        expected = [success_at_one(c.scores, c.target, c.candidates) for c in here]
        assert row["rank1"] == pytest.approx(np.mean(expected))
        assert row["k1"] <= row["k5"] <= row["k10"] <= row["k100"]
    for name in row:
        if f"{name}_low" in row and not np.isnan(row[f"{name}_low"]):
            assert row[f"{name}_low"] <= row[name] <= row[f"{name}_high"]


CELLS = [
    {"cell": 4, "aux": "2/2", "date_noise": 3, "popularity": 0, "present": True},
    {"cell": 2, "aux": "6/8", "date_noise": None, "popularity": "100-500", "present": False},
]
FACTS = {"eligible": 0.75, "n_eligible": 12, "absent_items": 5}


def test_the_frame_has_the_contracts_columns_types_and_order(tmp_path):
    frames = [pd.concat([made_up(9, 1, cell=2), made_up(5, 2, cell=4)]), made_up(6, 3, cell=2)]
    frames[1]["target"] += 100
    frame = curves([cell | FACTS for cell in CELLS], frames, PROPERTIES)
    axes = ("aux", "date_noise", "popularity", "present")
    assert tuple(frame.columns) == ("cell", *axes, *MEASURES)
    assert len(set(MEASURES)) == len(MEASURES)
    assert frame["cell"].tolist() == [4, 2]
    assert frame["n_targets"].tolist() == [5, 15]
    assert frame["absent_items"].tolist() == [5, 5]
    assert frame["eligible"].tolist() == [0.75, 0.75]
    assert frame["n_eligible"].tolist() == [12, 12]
    assert str(frame["cell"].dtype) == "int32"
    assert str(frame["present"].dtype) == "bool"
    assert str(frame["date_noise"].dtype) == "Int64"
    assert frame["date_noise"].isna().tolist() == [False, True]
    assert frame["popularity"].tolist() == ["0", "100-500"]
    assert axis_columns(frame) == axes
    assert frame["rank1"].iloc[0] == curve_row(made_up(5, 2, cell=4), PROPERTIES)["rank1"]
    frame.to_parquet(tmp_path / "curves.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "curves.parquet"), frame)


def test_every_measure_is_a_column_and_the_other_way_round():
    row = curve_row(made_up(5, 1), PROPERTIES)
    assert set(row) == set(MEASURES) - set(FACTS)


def test_cells_that_differ_only_in_present_share_their_equal_error():
    pairs = [{"cell": i, "aux": "2/2", "present": p} | FACTS for i, p in enumerate((True, False))]
    alone = [{"cell": 2, "aux": "6/8", "present": True} | FACTS]
    frames = [made_up(30, 1, 0, absent=0), made_up(30, 2, 1, absent=1), made_up(9, 3, 2, absent=0)]
    frame = curves(pairs + alone, frames, PROPERTIES)
    assert frame["phi_star"][0] == frame["phi_star"][1]
    assert frame["equal_error"][0] == frame["equal_error"][1]
    assert frame[["phi_star", "equal_error"]].isna().all(axis=1).tolist() == [False, False, True]


def test_an_axis_of_fractions_stays_one():
    rows = [curve_row(made_up(3, 1), PROPERTIES)] * 2
    cells = [{"cell": i, "loss": p, **FACTS} for i, p in enumerate((0.5, None))]
    assert curve_frame(cells, rows)["loss"].isna().tolist() == [False, True]


def test_a_cell_without_targets_is_an_error_that_names_it():
    cells = [cell | FACTS for cell in CELLS]
    with pytest.raises(GridError, match=r"grid cell 2 \(aux=6/8 date_noise=null .*no target"):
        curves(cells, [made_up(4, 1, cell=4)], PROPERTIES)


@pytest.mark.parametrize("column", ["best_score", "target_score", "sigma"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_is_an_error_that_names_the_cell(column, value):
    decisions = by_hand()
    decisions.loc[3, column] = value
    with pytest.raises(GridError, match=rf"^grid cell 0 .*{column} of target d is"):
        curve_row(decisions, PROPERTIES, {"cell": 0, "aux": "2/2"})


@pytest.mark.parametrize("column", ["entropy_bits", "posterior", "theta_similarity"])
def test_an_infinite_measure_is_an_error_too(column):
    with pytest.raises(GridError, match=f"{column} of target a is inf"):
        curve_row(by_hand().assign(**{column: np.inf}), PROPERTIES)


def test_only_logarithms_may_rule_records_out():
    decisions = by_hand().assign(second_score=-np.inf)
    assert curve_row(decisions, LOGS)["n_targets"] == 4
    with pytest.raises(GridError, match="second_score"):
        curve_row(decisions, PROPERTIES)
    with pytest.raises(GridError, match="best_score of target a is inf"):
        curve_row(decisions.assign(best_score=np.inf), LOGS)


@pytest.mark.parametrize("column", ["second_score", "eccentricity"])
def test_a_missing_second_is_an_error_where_there_are_two_scores(column):
    decisions = by_hand()
    decisions.loc[2, column] = np.nan
    with pytest.raises(GridError, match=f"{column} of target c is nan"):
        curve_row(decisions, PROPERTIES)


def test_defects_are_not_taken_for_results():
    decisions = by_hand().assign(cell=0)
    with pytest.raises(ValueError, match="lack ties"):
        curve_row(decisions.drop(columns="ties"), PROPERTIES)
    for changed in (
        {"ties": 0},
        {"ties": 50},
        {"above": 60},
        {"candidates": 30},
        {"present": False},
        {"true_rank": np.nan, "target_score": np.nan, "present": False},
    ):
        with pytest.raises(ValueError, match="contradict"):
            curve_row(decisions.assign(**changed), PROPERTIES)
    with pytest.raises(ValueError, match="another cell"):
        curve_row(decisions, PROPERTIES, {"cell": 9})
    with pytest.raises(ValueError, match="cell 0, which the grid does not have"):
        curves([CELLS[0] | FACTS], [decisions], PROPERTIES)
    with pytest.raises(ValueError, match="expected the keys"):
        curve_frame([CELLS[0]], [curve_row(decisions, PROPERTIES)])


def test_outcomes_come_first():
    counts = ("n_targets", "n_present", "n_eligible", "eligible")
    assert MEASURES[:5] == (*counts, OUTCOMES[0])


def test_where_the_truth_is_unknown_nothing_is_right_or_wrong():
    frame = by_hand().assign(present=None, correct=None, target=None, person=list("abcd"))
    frame[["target_score", "true_rank", "above", "entropy_bits", "longest_ties"]] = np.nan
    frame["theta_similarity"] = np.nan
    row = curve_row(frame, A_SET)
    assert (row["no_match"], row["n_present"]) == (0.5, 0)
    for name in ("rank1", "matched_right", "matched_wrong", "k1", "bits", "theta_50", "mu_1"):
        assert np.isnan(row[name]), name
    half = pd.concat([frame, by_hand().assign(person=list("efgh"))])
    row = curve_row(half, PROPERTIES)
    assert (row["n_targets"], row["n_present"], row["no_match"]) == (8, 4, 0.5)
    assert (row["matched_right"], row["matched_wrong"]) == (0.25, 0.25)
    assert row["rank1"] == curve_row(by_hand(), PROPERTIES)["rank1"]
    cells = [{"cell": i, "aux": "2/2", "present": p} | FACTS for i, p in enumerate((True, False))]
    frames = [frame.assign(cell=i) for i in range(2)]
    assert curves(cells, frames, PROPERTIES)["phi_star"].isna().all()
