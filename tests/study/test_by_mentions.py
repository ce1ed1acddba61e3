"""What attacks on mentions achieve by how much people said, counted again by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from mentioning import SAID, mention_part, mention_rows

from sim.metrics.by_mentions import bin_words
from sim.numeric.intervals import wilson
from sim.papers.aggregate.part import Part

DEPTHS = ("k1", "k5", "k10", "k100")
REASONS = ("not_narrow", "no_one_possible", "misdirected")
FIRSTS = (1, 2, 4, 8, 16, 32, 64)


def counted(part: Part) -> pd.DataFrame:
    """Decisions with the number of what was said in earnest."""
    decisions, aux = part.table("decisions"), part.table("aux")
    said = aux[aux["kind"] != "decoy"].groupby(["cell", "target"]).size()
    keys = list(zip(decisions["cell"], decisions["target"], strict=True))
    return decisions.assign(mentions=[int(said.get(key, 0)) for key in keys])


def found(decided: pd.DataFrame, attack: str, k: int = 1) -> int:
    """How many are k-identified: the list of Set Intersection holds those who fit."""
    on_list = decided["true_rank"] <= k
    if attack == "set_intersection":
        on_list &= decided["true_rank"] <= decided["matching_set"]
    return int(on_list.fillna(False).sum())


@pytest.mark.parametrize("attack", ["scoring", "set_intersection", "tf_idf"])
def test_bins_are_the_targets_of_a_cell(tmp_path: Path, attack: str) -> None:
    part = mention_part(tmp_path / "run", [f"attack={attack}"], decoys=[0, 3])
    bins, facts, curves = part.table("by_mentions"), part.table("facts"), part.table("curves")
    decided = counted(part)
    assert bins.columns[:6].tolist() == ["cell", *curves.columns[1:6]]
    for cell, rows in bins.groupby("cell"):
        curve, here = curves.iloc[cell], decided[decided["cell"] == cell]
        assert rows["n"].sum() == curve["n_targets"]
        assert rows["low"].tolist() == sorted(rows["low"])
        for name in (*DEPTHS, *REASONS):
            assert rows[name] @ rows["n"] / rows["n"].sum() == pytest.approx(curve[name])
        for row in rows.to_dict("records"):
            high = np.inf if pd.isna(row["high"]) else row["high"]
            within = here[here["mentions"].between(row["low"], high)]
            assert len(within) == row["n"] == row["n_present"]
            hits = found(within, attack)
            interval = wilson(hits, len(within))
            assert row["k1"] == hits / len(within)
            assert (row["k1_low"], row["k1_high"]) == (interval.low, interval.high)
            assert row["k1"] + sum(row[r] for r in REASONS) == pytest.approx(1)
            assert row["low"] in FIRSTS
        fact, many = facts.iloc[cell], here[here["mentions"] >= 8]
        assert fact["n_mentions_8"] == len(many) > 10
        assert fact["k1_mentions_8"] == found(many, attack) / len(many)
        among = found(here, attack, 100)
        if among == 0:  # nobody holds the decoys, so nobody fits
            assert (attack, cell) == ("set_intersection", 1)
            assert np.isnan(fact["k10_of_k100"])
            continue
        assert fact["k10_of_k100"] == found(here, attack, 10) / among
        assert fact["k1_of_k100"] == found(here, attack, 1) / among
        assert fact["k1_of_k100_low"] <= fact["k1_of_k100"] <= fact["k1_of_k100_high"]
    assert bins["k1"].nunique() > 3


def test_who_hides_everything_has_a_bin_of_their_own(tmp_path: Path) -> None:
    said = SAID.__class__(precision=1, overdispersion=0, max_length=15, activity_exponent=0)
    attack = ["attack=scoring", "attack.max_length_share=null"]
    part = mention_part(tmp_path / "run", attack, said=said, targets=30, hide_rarest=[1])
    bins, facts = part.table("by_mentions"), part.table("facts")
    assert bins[["low", "high", "n", "k1", "not_narrow"]].values.tolist() == [[0, 0, 30, 0, 1]]
    assert facts["n_mentions_8"].tolist() == [0]
    assert facts["k1_mentions_8"].isna().all()
    assert facts["k1_of_k100"].isna().all()


def test_who_is_left_out_of_the_release_is_in_no_share(tmp_path: Path) -> None:
    lonely = [(1000 + r, 1000 + r * 3 + i, 3.0, None) for r in range(60) for i in range(3)]
    part = mention_part(
        tmp_path / "run",
        said=SAID.__class__(max_length=3, activity_exponent=0),
        min_support=2,
        rows=[*mention_rows(records=60), *lonely],
        targets=None,
    )
    bins, decided = part.table("by_mentions"), part.table("decisions")
    assert bins["n"].sum() == len(decided)
    assert bins["n_present"].sum() == decided["present"].sum() < len(decided) - 20
    curve = part.table("curves").iloc[0]
    assert bins["k1"] @ bins["n_present"] == pytest.approx(curve["k1"] * decided["present"].sum())


def test_names_of_bins() -> None:
    assert [bin_words(1, 1), bin_words(4, 7), bin_words(0, 0), bin_words(64, None)] == [
        *("1", "4–7", "0", "64+")
    ]
