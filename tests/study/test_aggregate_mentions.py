"""Several attacks on mentions together: nothing lost, nothing mixed up, nothing overlooked."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mentioning import SAID, mention_part, mention_rows

from sim.errors import GridError
from sim.numeric.intervals import wilson
from sim.papers.aggregate import attacks, by_mentions, decoys, dropped
from sim.papers.aggregate.part import Part
from sim.papers.papers import compare, numbers_for

ATTACKS = {
    "set_intersection": ["attack=set_intersection"],
    "scoring": ["attack=scoring"],
    "scoring_exact": ["attack=scoring_rated", "attack.delta=0"],
    "scoring_all_lengths": ["attack=scoring", "attack.max_length_share=null"],
}


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> list[Part]:
    tmp_path = tmp_path_factory.mktemp("parts")
    return [
        mention_part(tmp_path / name, attack, targets=40, value_known=[int("exact" in name)])
        for name, attack in ATTACKS.items()
    ]


def test_attacks_side_by_side_are_the_curves_of_the_parts(parts: list[Part]) -> None:
    facts = attacks.aggregate(parts)["facts"]
    assert facts["part"].tolist() == list(ATTACKS)
    assert facts["cell"].tolist() == [0, 1, 2, 3]
    assert facts["algorithm"].tolist() == [
        "set_intersection",
        "scoring",
        "scoring_rated",
        "scoring",
    ]
    np.testing.assert_array_equal(facts["value_tolerance"], [np.nan, np.nan, 0, np.nan])
    assert facts["longest_records"].fillna("-").tolist() == ["-", "left out", "left out", "kept"]
    for place, part in enumerate(parts):
        curve, more = part.table("curves").iloc[0], part.table("facts").iloc[0]
        for name in ("k1", "k100_high", "n_targets", "not_candidate", "value_known"):
            assert facts[name].iloc[place] == curve[name]
        assert facts["k1_mentions_8"].iloc[place] == more["k1_mentions_8"]
    assert facts["k1"].nunique() > 1


def test_every_number_of_figure_4_finds_its_row(parts: list[Part]) -> None:
    """But for what no part measures: TF-IDF, fuzzy ratings, and flat weights."""
    facts = attacks.aggregate(parts)["facts"]
    found = compare(facts, numbers_for("f06_fig4"), {"data": "movielens_2006"})
    there = found[found["cell"].notna()]
    cells = there.set_index("id")["cell"].to_dict()
    expected = {f"f06_fig4_set_intersection_k{k}": 0 for k in (1, 5, 10, 100)}
    expected |= {f"f06_fig4_scoring_k{k}": 1 for k in (1, 5, 10, 100)}
    expected |= {f"f06_fig4_scoring_exact_k{k}": 2 for k in (1, 5, 10, 100)}
    expected |= {"f06_scoring_heavy": 3, "f06_nested_k10_of_k100": 1, "f06_nested_k1_of_k100": 1}
    assert cells == expected
    assert there["id"].is_unique
    assert there["verdict"].isin(["reproduced", "not reproduced"]).all()


def test_bins_side_by_side_are_those_of_the_parts(parts: list[Part]) -> None:
    tables = by_mentions.aggregate(parts)
    bins, facts = tables["by_mentions"], tables["facts"]
    for place, part in enumerate(parts):
        own = part.table("by_mentions")
        ours = bins[bins["cell"] == place]
        assert (ours["part"] == part.name).all()
        pd.testing.assert_frame_equal(
            ours[own.columns[1:]].reset_index(drop=True), own[own.columns[1:]]
        )
    assert facts["cell"].tolist() == [0, 1, 2, 3]
    found = compare(facts, numbers_for("f06_fig3_5"), {"data": "movielens_2006"})
    assert found["cell"].tolist() == [0, 0, 1]


def test_bins_need_mentions(parts: list[Part], tmp_path: Path) -> None:
    without = tmp_path / "without"
    shutil.copytree(parts[1].folder, without)
    (without / "by_mentions.parquet").unlink()
    with pytest.raises(
        GridError, match="without: aggregate=by_mentions needs parts about mentions"
    ):
        by_mentions.aggregate([parts[0], Part("without", without, parts[1].record)])


def test_lists_of_decoys_are_told_apart(tmp_path: Path) -> None:
    made = [
        mention_part(tmp_path / f"of_{s}", targets=30, decoys=[0, 5], decoy_support=[s])
        for s in (1, 30, "top")
    ]
    facts = decoys.aggregate(made)["facts"]
    assert facts["decoy_support"].tolist() == ["1", "1", "30", "30", "top", "top"]
    assert facts.loc[facts["decoys"] == 0, "k1"].nunique() == 1  # the same people say the same
    found = compare(facts, numbers_for("f06_fig9"), {"data": "movielens_2006"})
    assert found["cell"].tolist() == [4, 5]


def test_decoys_that_the_release_does_not_have(tmp_path: Path) -> None:
    """Before anything is attacked, so that a suite can leave them out."""
    with pytest.raises(GridError, match=r"only 0 items.*at least 9999.*grid\.decoy_support"):
        mention_part(tmp_path / "run", decoys=[1], decoy_support=[9999])
    assert not (tmp_path / "run").exists()


@pytest.fixture(scope="module")
def thresholds(tmp_path_factory: pytest.TempPathFactory) -> list[Part]:
    lonely = [(1000 + r, 1000 + r * 3 + i, 3.0, None) for r in range(60) for i in range(3)]
    rows = [*mention_rows(records=150), *lonely]
    said = SAID.__class__(max_length=15, activity_exponent=0)
    tmp_path = tmp_path_factory.mktemp("thresholds")
    return [
        mention_part(tmp_path / f"at_{n}", said=said, min_support=n, rows=rows, targets=None)
        for n in (50, 1, 2, 145)
    ]


def test_what_is_dropped_is_counted(thresholds: list[Part]) -> None:
    rows = [*mention_rows(records=150)]
    made = dropped.aggregate(thresholds)["dropped"]
    assert made["min_support"].tolist() == [1, 2, 50, 145]
    support = pd.Series([item for _, item, _, _ in rows]).value_counts()
    support = pd.concat([support, pd.Series(1, range(1000, 1180))])
    for row in made.to_dict("records"):
        gone = support < row["min_support"]
        assert row["items_dropped"] == pytest.approx(gone.mean())
        assert row["cells_dropped"] == pytest.approx(support[gone].sum() / support.sum())
    by_name = {part.name: part for part in thresholds}
    for row in made.to_dict("records"):
        decided = by_name[row["part"]].table("decisions")
        present = decided["present"].astype(bool)
        assert row["n_targets"] == len(decided) == made["n_targets"].iloc[0]
        assert row["n_left_out"] == int((~present).sum())
        for k in (1, 100):
            hits = int((decided["true_rank"] <= k).fillna(False).sum())
            assert row[f"k{k}"] == hits / len(decided)
            assert row[f"k{k}_high"] == wilson(hits, len(decided)).high
    assert made["n_left_out"].iloc[0] == 0
    assert (made["n_left_out"].iloc[1:] > 10).all()
    assert made["records_left_out"].iloc[1] == 60
    assert made["k1"].iloc[0] > made["k1"].iloc[1] > 0


@pytest.mark.parametrize(
    ("k1", "nil", "low"),
    [
        ([0.3, 0.1, 0.0, 0.0], 0.5, 0.5),
        ([0.3, 0.0, 0.1, 0.0], 0.9, 0.9),  # found again: not nil yet
        ([0.3, 0.001, 0.005, 0.0], 0.9, 0.2),  # one in 133 is 0.0075
        ([0.3, 0.1, 0.1, 0.001], np.nan, np.nan),
        ([0.0, 0.0, 0.0, 0.0], 0.0, 0.0),
    ],
)
def test_threshold_from_which_no_one_is_identified(k1: list[float], nil: float, low: float) -> None:
    curve = pd.DataFrame({"items_dropped": [0.0, 0.2, 0.5, 0.9], "k1": k1})
    found = dropped.nil(curve, "items_dropped")
    expected = {"": nil, "_low": low, "_high": nil}
    assert found == pytest.approx(
        {f"items_dropped_k1_nil{end}": value for end, value in expected.items()}, nan_ok=True
    )


def test_facts_of_dropping_are_one_row_a_cell(thresholds: list[Part]) -> None:
    tables = dropped.aggregate(thresholds)
    facts = tables["facts"]
    assert facts["cell"].tolist() == [0]
    for name in ("items_dropped", "cells_dropped"):
        expected = dropped.nil(tables["dropped"], name)
        assert facts[list(expected)].iloc[0].to_dict() == pytest.approx(expected, nan_ok=True)
    found = compare(
        facts, numbers_for("f06_fig6_7"), {"data": "movielens_2006", "algorithm": "scoring"}
    )
    assert len(found) == 2
