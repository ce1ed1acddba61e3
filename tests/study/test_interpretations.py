"""Interpretations of the entropy, made of decisions, held to sums over all records."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import reference
from making import MakeStore, plain, random_rows
from studying import an_attack, plan_of, study
from studying import cells as cells_of_grid

from sim.papers.aggregate.interpretations import aggregate
from sim.papers.aggregate.part import Part
from sim.papers.interpretation_conclusions import conclude
from sim.papers.interpretations import INTERPRETATIONS, expected_right, right_at
from sim.release.store.store import Store

ENTROPY = ("attack.entropy=true", "attack.both_sigmas=true")
ATTACKS = {
    "exponential": ENTROPY,
    "steps_3": (*ENTROPY, "attack.similarity=steps"),
    "threshold_3": (*ENTROPY, "attack.similarity=threshold"),
    "nonzero": (*ENTROPY, "attack.sigma=nonzero"),
}
TWINS: dict[str, reference.Similarity] = {
    "exponential": reference.Exponential(),
    "steps_3": reference.Steps(0, 3),
    "threshold_3": reference.Threshold(0, 3),
    "nonzero": reference.Exponential(),
}


@pytest.fixture
def store(make_store: MakeStore) -> Store:
    rows = random_rows(7, records=45, items=16, cells=400, scale=(1.0, 2.0))
    return make_store(rows, block_records=20)


def part_of(store: Store, name: str, folder: Path, **axes: list[Any]) -> Part:
    """A part of the suite, as a run leaves it."""
    grid = cells_of_grid(**({"aux": ["2/2", "6/8"], "date_noise": [3], "value_noise": [0]} | axes))
    attack = an_attack(*ATTACKS[name])
    study(store, plan_of(store, grid, None, 1), folder / name, attack=attack)
    sigma = "nonzero" if name == "nonzero" else "all"
    release = {"source": "rows of a test", "n_records": store.manifest.n_records}
    chosen = {"name": attack.name, "phi": 1.5, "sigma": sigma}
    record = {"config": {"attack": chosen}, "release": release}
    return Part(name, folder / name, json.loads(json.dumps(record)))


def scores_of(store: Store, part: Part, decision: dict[str, Any]) -> tuple[Any, Any, int]:
    """Scores of all records, which share an item with the aux, and the target's number."""
    release, m = plain(store), store.manifest
    facts = part.table("aux")
    facts = facts[(facts["cell"] == decision["cell"]) & (facts["target"] == decision["target"])]
    item = np.array([store.items.to_pylist().index(i) for i in facts["item"]])
    day = facts["day"].to_numpy(np.float64) - m.first_day
    aux = reference.PlainAux(item, facts["value"].to_numpy(np.float64), day)
    scores = reference.scoreboard_rh(release, aux, TWINS[part.name])
    target = store.records.to_pylist().index(decision["target"])
    return scores, reference.overlaps(release, aux), target


def share_bits(scores: Any, sigma: float, among: Any, target: int, n: int) -> float:
    """−log2 of the target's share of Π ∝ e^(s/σ) over some of the records."""
    if not among[target]:
        return math.log2(n)
    weight = np.exp((scores[among] - scores[target]) / sigma)
    return math.log2(weight.sum())


@pytest.mark.parametrize("name", ["exponential", "steps_3", "threshold_3"])
def test_readings_are_what_all_scores_say(store: Store, tmp_path: Path, name: str) -> None:
    part = part_of(store, name, tmp_path)
    decisions = part.table("decisions")
    n = store.manifest.n_records
    found = {
        how: interpretation.bits(decisions, n) for how, interpretation in INTERPRETATIONS.items()
    }
    right = expected_right(decisions)
    for row, decision in enumerate(decisions.to_dict("records")):
        scores, sharing, target = scores_of(store, part, decision)
        every = np.ones(n, bool)
        own, sigma = scores[target], scores.std()
        near = pytest.approx
        assert decision["overlapping"] == sharing.sum()
        assert found["as_well"][row] == near(math.log2((scores >= own).sum()))
        assert found["all"][row] == near(share_bits(scores, sigma, every, target, n))
        assert found["overlapping"][row] == near(
            share_bits(scores, sigma, sharing, target, n), abs=1e-6
        )
        inner = share_bits(scores, scores[sharing].std() or math.inf, every, target, n)
        if scores[sharing].std() > 1e-3 * scores.max():
            assert found["all_nonzero"][row] == near(inner)
        probability = np.exp(scores / sigma) / np.exp(scores / sigma).sum()
        assert found["itself"][row] == near(-(probability * np.log2(probability)).sum())
        top = np.sort(scores)[::-1]
        ties = (scores == top[0]).sum()
        assert right[row] == (1 / ties if own == top[0] else 0)


def test_right_answers(store: Store, tmp_path: Path) -> None:
    """At the run's own φ the right answers are the run's own."""
    part = part_of(store, "exponential", tmp_path, present=[True, False])
    decisions = part.table("decisions")
    curves = part.table("curves").set_index("cell")
    for cell, group in decisions.groupby("cell"):
        measure = "matched_right" if curves.loc[cell, "present"] else "no_match"
        assert right_at(group, 1.5).mean() == pytest.approx(curves.loc[cell, measure])
        n = store.manifest.n_records - (not curves.loc[cell, "present"])
        factor = math.sqrt(n / (n - 1))  # a larger σ is a larger φ
        np.testing.assert_array_equal(right_at(group, 1.5, 1), right_at(group, 1.5 * factor))


def test_all_parts_together(store: Store, tmp_path: Path) -> None:
    parts = [part_of(store, name, tmp_path, present=[True, False]) for name in ATTACKS]
    tables = aggregate(parts)
    interpretations, facts = tables["interpretations"], tables["facts"]
    assert interpretations["score"].unique().tolist() == [
        "exponential",
        "steps",
        "threshold",
        "nonzero",
    ]
    near = interpretations[
        (interpretations["aux"] == "2/2") & (interpretations["score"] == "exponential")
    ]
    curves = parts[0].table("curves")
    cell = curves[(curves["aux"] == "2/2") & curves["present"]].iloc[0]
    one = near.set_index(["figure", "how"])
    for key, measure in {
        ("Fig. 4", "rank1"): "rank1",
        ("Fig. 4", "phi"): "matched_right",
        ("Fig. 6", "all_all"): "bits",
        ("Fig. 6", "all_unresolved"): "bits_unresolved",
        ("Fig. 6", "all_median"): "bits_median",
    }.items():
        row = one.loc[[key]].iloc[0]
        assert row["ours"] == pytest.approx(cell[measure])
        if not measure.endswith("median"):
            assert row["low"] == pytest.approx(cell[f"{measure}_low"])
    assert one.loc[[("Fig. 4", "rank1")]].iloc[0]["theirs"] == 0.68
    assert one.loc[[("Fig. 6", "all_unresolved")]].iloc[0]["theirs"] == 3
    stated = interpretations[interpretations["theirs"].notna()]
    np.testing.assert_allclose(stated["difference"], stated["ours"] - stated["theirs"])
    assert stated[stated["ours"].notna()]["agrees"].notna().all()
    # With σ of those sharing an item, only what depends on it is said again.
    inner = interpretations[
        (interpretations["score"] == "nonzero") & (interpretations["figure"] == "Fig. 6")
    ]
    assert set(inner["how"].str.rsplit("_", n=1).str[0]) == {"overlapping"}
    assert facts["figure"].tolist() == ["Fig. 4", "Fig. 5", "Fig. 6", "Figs. 4 and 6"]
    assert facts["agreeing"].isna().tolist() == [False, True, False, False]


def test_the_closest_interpretation_is_the_one_with_the_least_worst_miss() -> None:
    def row(
        interpretation: str, aux: str, ours: float, relation: str, theirs: float
    ) -> dict[str, Any]:
        return {
            "figure": "Fig. 6",
            "interpretation": interpretation,
            "aux": aux,
            "date_noise": 3,
            "ours": ours,
            "low": ours,
            "high": ours,
            "relation": relation,
            "theirs": theirs,
            "agrees": abs(ours - theirs) < 0.5 if relation == "about" else ours < theirs,
        }

    frame = pd.DataFrame(
        [
            row("a", "2/2", 3.4, "about", 3.0),
            row("a", "6/8", 0.9, "<", 1.0),
            row("b", "2/2", 3.0, "about", 3.0),
            row("b", "6/8", 1.6, "<", 1.0),
            row("c", "2/2", 3.0, "about", 3.0),  # says nothing of 6/8
        ]
    )
    frame["score"] = "steps"
    found, both = conclude(frame).to_dict("records")
    assert (found["closest_interpretation"], found["interpretations"], found["agreeing"]) == (
        "a",
        2,
        1,
    )
    assert found["miss"] == pytest.approx(0.4)
    assert found["agreeing"] == 1
    assert both["agreeing"] == 0
    named = frame[:2].assign(figure="Fig. 4", ours=0.7, low=0.7, high=0.7, theirs=0.68, agrees=True)
    both = conclude(pd.concat([frame, named])).to_dict("records")[-1]
    assert (both["figure"], both["agreeing"]) == ("Figs. 4 and 6", 1)
    assert both["closest_interpretation"] == "a threshold for each term, 1/ln supp"
