"""Result files of whole studies: they agree with one another, and do not depend on the batches."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from drawing import changed
from making import random_rows
from studying import an_attack, cells

from sim.adversary.aux import FactKind
from sim.metrics.attack_properties import attack_properties
from sim.metrics.curves import MEASURES, curve_row
from sim.metrics.decision_arrays import decision_arrays
from sim.metrics.outcomes import OUTCOMES
from sim.metrics.phi import eccentricities, phi_frame
from sim.metrics.reliability import reliability_frame
from sim.record import parts
from sim.record.tables import ExtraColumns, decision_table
from sim.study import results
from sim.study.inline import InlineRunner
from sim.study.plan import make_plan
from sim.study.results import RELIABILITY, RESULTS
from sim.study.run import run_study

GRID = {"aux": ["2/2", "1/3"], "date_noise": [3], "value_noise": [1], "present": [True, False]}
ATTACKS = {
    "scoreboard_rh": ("attack.entropy=true",),
    "scoreboard": (),
    "neighbourhood": (),
    "correlation": (),
    "set_intersection": (),
    "tf_idf": (),
    "scoring": ("attack.max_length_share=0.35",),
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
    return attack_properties(attack, store)


@pytest.fixture
def store(make_store):
    return make_store(random_rows(8, records=70, items=20, cells=600), 32)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_files_of_every_attack_agree(store, tmp_path, name):
    properties = run(store, tmp_path / "run", name)
    folder = tmp_path / "run"
    found = {path.name for path in folder.iterdir()} - {"ledger.jsonl", ".ledger.jsonl.lock"}
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
        assert row["n_targets"] == len(mine) == row["n_eligible"]
        assert row["n_present"] == (len(mine) if row["present"] else 0)
        assert row["eligible"] == row["n_eligible"] / store.manifest.n_records
        assert row["matched_right"] == (mine["matched"] & mine["correct"]).mean()
        assert row["no_match"] == pytest.approx((~mine["matched"]).mean())
        at_phi = over[(over["cell"] == row["cell"]) & (over["phi"] == properties.phi)].iloc[0]
        ecc = mine["eccentricity"]
        assert at_phi["no_match"] == pytest.approx(1 - (ecc > properties.phi).mean())
        assert 0 <= row["equal_error"] <= 1
        if row["present"]:
            at_top = mine["true_rank"] == mine["ties"]
            assert row["rank1"] == pytest.approx((at_top / mine["ties"]).mean())
            if name != "correlation":
                assert row["k1"] == ((mine["true_rank"] == 1) & (mine["matching_set"] > 0)).mean()
            assert row["not_candidate"] == mine["true_rank"].isna().sum()
            assert (row["not_candidate"] > 0) == (name == "scoring")
            assert np.isnan(row["bits"]) == (not properties.entropy)
            assert np.isnan(row["mu_1"]) == (not properties.answers_with_set)
            assert row["bits"] == pytest.approx(mine["entropy_bits"].mean(), nan_ok=True)
            assert np.isnan(row["claimed"]) == (name != "bayes")
        else:
            assert (
                mine[["true_rank", "target_score", "entropy_bits", "theta_similarity"]]
                .isna()
                .all(axis=None)
            )
            for measure in ("rank1", "k1", "mu_1", "bits", "theta_50", "baseline_random"):
                assert np.isnan(row[measure])
            assert row["matched_right"] == 0
            assert (mine["candidates"] <= store.manifest.n_records - 1).all()
    if properties.entropy:
        assert decisions.loc[decisions["present"], "entropy_bits"].notna().all()


def test_a_person_the_publisher_left_out_is_named_and_absent(make_store, tmp_path):
    rows = random_rows(8, records=40, items=20, cells=400)
    gone = rows[0][0]
    truth = make_store(rows)
    release = make_store([row for row in rows if row[0] != gone])
    attack, chosen = an_attack("attack.entropy=true"), cells(aux=["2/2"], value_noise=[0])
    plan = make_plan(release, chosen, attack, None, 1, truth)
    folder = tmp_path / "run"
    folder.mkdir()
    run_study(release, attack, plan, folder, InlineRunner(release, attack), {}, lambda: None)
    found = pd.read_parquet(folder / "decisions.parquet")
    assert found["person"].notna().all()
    left_out = found["person"] == gone
    assert left_out.sum() == len(chosen)
    assert found["target"].isna().tolist() == left_out.tolist()
    assert found["present"].tolist() == (~left_out).tolist()
    assert found["target"].dtype == found["person"].dtype == "Int64"  # not 13.0
    same = (found["person"] == found["target"]).fillna(False)
    assert same.tolist() == (~left_out).tolist()
    curves = pd.read_parquet(folder / "curves.parquet")
    assert (curves["n_targets"] == found.groupby("cell").size()).all()
    here = found[~left_out]
    assert curves["bits"].to_numpy() == pytest.approx(
        here.groupby("cell")["entropy_bits"].mean().to_numpy()
    )
    known = pd.read_parquet(folder / "aux.parquet")
    assert known["target"].isna().tolist() == (known["person"] == gone).tolist()


def test_answers_about_unknown_people_are_null(store, tmp_path):
    attack, chosen = an_attack("attack=bayes"), cells(aux=["2/2"], date_noise=[3])[:1]
    attack = replace(attack, knowledge=(chosen[0].adversary.knowledge,))
    drawn = chosen[0].adversary.draw(store, 0, np.arange(30), 1)
    nobody = changed(
        drawn,
        target=np.full(30, -1),
        kind=np.full(drawn.aux.item.size, FactKind.UNKNOWN, np.uint8),
        person=np.arange(30),
    )
    ((_, _, decisions),) = InlineRunner(store, attack).run(
        [0], lambda batch: attack.annotated(store, nobody)
    )
    nothing = ExtraColumns(np.full(30, np.nan), np.zeros(30, np.int64), entropy=True)
    table = decision_table(
        store, nobody, decisions, nothing, pa.array([f"p{i}" for i in range(30)])
    )
    assert table["present"].null_count == table["correct"].null_count == 30
    assert table["target"].null_count == table["entropy_bits"].null_count == 30
    frame = table.to_pandas()
    row = curve_row(frame, attack_properties(attack, store))
    assert row["no_match"] == (~frame["matched"]).mean()
    assert np.isnan(row["matched_wrong"])
    assert row["claimed"] > 0
    rows = decision_arrays(frame, "a cell", attack_properties(attack, store))
    assert reliability_frame(0, rows) is None
    over = phi_frame(0, eccentricities(rows), 1.5)
    assert over[["matched_right", "matched_wrong"]].isna().all(axis=None)
    assert over["no_match"].notna().all()


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


def test_the_files_are_the_same_whatever_is_held_at_a_time(store, tmp_path, monkeypatch):
    run(store, tmp_path / "at_once")
    monkeypatch.setattr(results, "_ROWS_AT_A_TIME", 7)
    monkeypatch.setattr(parts, "_ROWS_A_GROUP", 30)
    run(store, tmp_path / "few", batch=9)
    for name in RESULTS:
        whole, cut = (tmp_path / folder / name for folder in ("at_once", "few"))
        if name.endswith(".parquet"):
            assert pq.read_table(whole).equals(pq.read_table(cut))
        else:
            assert whole.read_bytes() == cut.read_bytes()
    assert pq.ParquetFile(tmp_path / "few" / "decisions.parquet").num_row_groups > 4


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
        "true_rank": "int64",
        "ties": "int64",
        "present": "bool",
        "above": "int64",
        "candidates": "int64",
        "matching_set": "int64",
        "overlapping": "int64",
        "entropy_bits": "double",
        "entropy_bits_other": "double",
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
