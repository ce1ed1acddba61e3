"""Risk by what records are like: held to a count over the rows of a small release."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from figuring import plot_of
from making import MakeStore, RowSource, random_rows
from studying import configured

from sim.metrics.risk import rarest_support, risk
from sim.release.store.build import build_store
from sim.release.store.store import Store
from sim.session.session import run_session

GRID = ("grid.aux=[2/3]", "grid.first=[1,2,3]", "grid.date_noise=[14]", "cluster=inline")


@pytest.fixture(scope="module")
def census(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Store]:
    folder = tmp_path_factory.mktemp("census")
    build_store(RowSource(random_rows(5, 60, 25, 500)), folder / "store")
    store = Store(folder / "store")
    (folder / "run").mkdir()
    run_session(configured("targets=all", *GRID), store, folder / "run")
    return folder / "run", store


def rarest_by_hand(store: Store) -> np.ndarray:
    least = []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        for row in range(block.n_records):
            held = block.record_item[block.record_start[row] : block.record_start[row + 1]]
            least.append(min((int(store.support[i]) for i in held), default=0))
    return np.array(least)


def test_the_rarest_item_is_found_in_every_block(make_store: MakeStore) -> None:
    store = make_store(random_rows(2, 50, 20, 300), block_records=7)
    some = np.random.default_rng(1).permutation(50)[:20].astype(np.int64)
    assert rarest_support(store, some).tolist() == rarest_by_hand(store)[some].tolist()


def test_bins_are_counts_of_the_decisions(census: tuple[Path, Store]) -> None:
    folder, store = census
    decisions = pd.read_parquet(folder / "decisions.parquet")
    place = {int(name): row for row, name in enumerate(store.records.to_pylist())}
    row = decisions["target"].map(place).to_numpy()
    decisions["length"], decisions["rarest"] = store.length[row], rarest_by_hand(store)[row]
    for kind in ("length", "rarest"):
        table = pd.read_parquet(folder / f"risk_by_{kind}.parquet")
        assert table.groupby("cell")["n"].sum().tolist() == [len(row) // 3] * 3
        for bin_ in table.to_dict("records"):
            end = np.inf if pd.isna(bin_["high"]) else bin_["high"]
            of = decisions[decisions["cell"] == bin_["cell"]]
            of = of[(of[kind] >= bin_["low"]) & (of[kind] <= end)]
            top = of["true_rank"] == of["ties"]
            assert bin_["n"] == len(of)
            assert bin_["rank1"] == pytest.approx((top / of["ties"]).mean())
            assert bin_["matched_right"] == (of["matched"] & of["correct"]).mean()


def test_facts_needed_are_enough_and_one_fewer_is_not(census: tuple[Path, Store]) -> None:
    folder, _ = census
    table = pd.read_parquet(folder / "risk.parquet").set_index("record")
    decisions = pd.read_parquet(folder / "decisions.parquet")
    decisions["alone"] = (decisions["true_rank"] == 1) & (decisions["ties"] == 1)
    assert len(table) == decisions["target"].nunique()
    for record, named in decisions.sort_values("cell").groupby("target")["alone"]:
        needed = table.loc[record, "facts_needed"]
        if pd.isna(needed):
            assert not named.iloc[-1]
            continue
        assert named.iloc[int(needed) - 1 :].all()
        assert needed == 1 or not named.iloc[int(needed) - 2]
    assert table["facts_needed"].notna().any()


def test_single_records_are_told_of_in_a_census_only(
    census: tuple[Path, Store], tmp_path: Path
) -> None:
    folder, store = census
    assert "risk" not in risk(folder, store, by_record=False)
    (tmp_path / "sample").mkdir()
    run_session(configured("targets=5", *GRID), store, tmp_path / "sample")
    assert not (tmp_path / "sample" / "risk.parquet").exists()
    assert (tmp_path / "sample" / "risk_by_length.parquet").is_file()


def test_facts_needed_are_left_out_where_cells_are_not_of_one_kind(
    make_store: MakeStore, tmp_path: Path
) -> None:
    store = make_store(random_rows(5, 30, 25, 300))
    run_session(configured("targets=all", "grid.aux=[1/1,2/2]", "cluster=inline"), store, tmp_path)
    assert "facts_needed" not in pd.read_parquet(tmp_path / "risk.parquet")


def test_the_figure_has_every_cell(census: tuple[Path, Store]) -> None:
    folder, store = census
    tables = {
        **risk(folder, store, by_record=False),
        "curves": pd.read_parquet(folder / "curves.parquet"),
    }
    rows = plot_of("risk", tables).rows
    assert rows.groupby("panel")["series"].nunique().tolist() == [3, 3]


def test_absent_targets_are_in_no_bin(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(5, 30, 25, 300))
    (tmp_path / "both").mkdir()
    run_session(configured("grid.present=[true,false]", *GRID), store, tmp_path / "both")
    table = pd.read_parquet(tmp_path / "both" / "risk_by_length.parquet")
    assert table["present"].all()
    (tmp_path / "gone").mkdir()
    run_session(configured("grid.present=[false]", *GRID), store, tmp_path / "gone")
    assert not (tmp_path / "gone" / "risk_by_length.parquet").exists()
