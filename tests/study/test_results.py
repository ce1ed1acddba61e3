"""Result files of whole studies: they agree with one another, and do not depend on the batches."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from making import random_rows
from studying import an_attack, cells

from actors.inline import InlineRunner
from sim.study.curves import MEASURES
from sim.study.outcomes import OUTCOMES
from sim.study.plan import make_plan
from sim.study.results import RELIABILITY, RESULTS
from sim.study.run import run_study
from sim.study.traits import traits_of

GRID = {"aux": ["2/2", "1/3"], "date_noise": [3], "value_noise": [1], "present": [True, False]}
ATTACKS = {
    "scoreboard_rh": ("attack.entropy=true",),
    "scoreboard": (),
    "neighbourhood": (),
    "correlation": (),
    "set_intersection": (),
    "tf_idf": (),
    "scoring": ("attack.longest_share=0.35",),
    "bayes": (),
    "random": (),
    "longest": (),
}


def run(store, folder, name="scoreboard_rh", batch=None, **grid):
    chosen = cells(**(GRID | grid))
    attack = an_attack(f"attack={name}", *ATTACKS[name])
    if name == "bayes":
        attack = replace(attack, knowledge=tuple(c.adversary.knowledge for c in chosen))
    plan = make_plan(store, chosen, attack, None, 1)
    if batch:
        plan = replace(plan, batch_targets=batch)
    folder.mkdir()
    run_study(store, attack, plan, folder, InlineRunner(store, attack), {}, lambda: None)
    return traits_of(attack, store)


@pytest.fixture
def store(make_store):
    return make_store(random_rows(8, records=70, items=20, cells=600), 32)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_files_of_every_attack_agree(store, tmp_path, name):
    traits = run(store, tmp_path / "run", name)
    folder = tmp_path / "run"
    found = {path.name for path in folder.iterdir()} - {"ledger.jsonl"}
    assert found == {*RESULTS} | ({RELIABILITY} if name == "bayes" else set())
    decisions = pd.read_parquet(folder / "decisions.parquet")
    curves = pd.read_parquet(folder / "curves.parquet")
    over = pd.read_parquet(folder / "phi.parquet")
    assert curves["present"].tolist() == [True, False] * 2
    assert tuple(curves.columns)[-len(MEASURES) :] == MEASURES
    assert decisions["person"].isna().all()
    for row in curves.to_dict("records"):
        mine = decisions[decisions["cell"] == row["cell"]]
        assert (mine["present"] == row["present"]).all()
        assert row["n_targets"] == len(mine)
        assert row["matched_right"] == (mine["matched"] & mine["correct"]).mean()
        assert row["no_match"] == pytest.approx((~mine["matched"]).mean())
        at_phi = over[(over["cell"] == row["cell"]) & (over["phi"] == traits.phi)].iloc[0]
        ecc = mine["eccentricity"]
        assert at_phi["no_match"] == pytest.approx(1 - (ecc > traits.phi).mean())
        assert 0 <= row["equal_error"] <= 1
        if row["present"]:
            at_top = mine["rank"] == mine["ties"]
            assert row["rank1"] == pytest.approx((at_top / mine["ties"]).mean())
            if name != "correlation":
                assert row["k1"] == ((mine["rank"] == 1) & (mine["neighbours"] > 0)).mean()
            assert row["not_candidate"] == mine["rank"].isna().sum()
            assert (row["not_candidate"] > 0) == (name == "scoring")
            assert np.isnan(row["bits"]) == (not traits.entropy)
            assert np.isnan(row["mu_1"]) == (not traits.answers_with_set)
            assert row["bits"] == pytest.approx(mine["entropy_bits"].mean(), nan_ok=True)
            assert np.isnan(row["claimed"]) == (name != "bayes")
        else:
            assert (
                mine[["rank", "target_score", "entropy_bits", "theta_similarity"]]
                .isna()
                .all(axis=None)
            )
            for measure in ("rank1", "k1", "mu_1", "bits", "theta_50", "baseline_random"):
                assert np.isnan(row[measure])
            assert row["matched_right"] == 0
            assert (mine["candidates"] <= store.manifest.n_records - 1).all()
    if traits.entropy:
        assert decisions.loc[decisions["present"], "entropy_bits"].notna().all()


def test_guessing_at_random_and_the_longest_come_out_as_their_baselines(store, tmp_path):
    for name in ("random", "longest"):
        run(store, tmp_path / name, name, present=[True])
        curves = pd.read_parquet(tmp_path / name / "curves.parquet")
        assert curves["rank1"].to_numpy() == pytest.approx(curves[f"baseline_{name}"].to_numpy())


@pytest.mark.parametrize("name", ["scoreboard_rh", "bayes"])
def test_the_files_are_the_same_to_the_byte_whatever_the_batches(store, tmp_path, name):
    written = []
    for batch in (None, 1, 50):
        folder = tmp_path / str(batch)
        run(store, folder, name, batch)
        names = (*RESULTS, RELIABILITY) if name == "bayes" else RESULTS
        written.append([(folder / file).read_bytes() for file in names])
    assert written[0] == written[1] == written[2]


def test_the_columns_have_their_types(store, tmp_path):
    run(store, tmp_path / "run")
    schema = pq.read_schema(tmp_path / "run" / "decisions.parquet")
    types = {field.name: str(field.type) for field in schema}
    assert types == {
        "cell": "int32",
        "target": "int64",
        "aux_size": "int32",
        "best": "int64",
        "best_score": "double",
        "second_score": "double",
        "sigma": "double",
        "eccentricity": "double",
        "matched": "bool",
        "correct": "bool",
        "target_score": "double",
        "rank": "int64",
        "ties": "int64",
        "present": "bool",
        "above": "int64",
        "candidates": "int64",
        "neighbours": "int64",
        "entropy_bits": "double",
        "entropy_bits_nonzero": "double",
        "entropy_all_bits": "double",
        "posterior": "double",
        "theta_similarity": "double",
        "longest_ties": "int64",
        "person": "int64",
    }
    for name in ("phi", "curves"):
        schema = pq.read_schema(tmp_path / "run" / f"{name}.parquet")
        assert str(schema.field("cell").type) == "int32"
        assert all(str(schema.field(m).type) == "double" for m in OUTCOMES if m in schema.names)
