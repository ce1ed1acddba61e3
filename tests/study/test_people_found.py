"""People of another site: sorted, nobody named, and what the paper's words are held against."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from making import MakeStore, random_rows
from studying import an_attack, study

from sim.adversary.elsewhere import Elsewhere
from sim.adversary.external import External
from sim.metrics.people_found import people_found, summed_up
from sim.papers.papers import compare, numbers_for
from sim.study.grid import GridCell, expand
from sim.study.plan import make_plan

pytestmark = pytest.mark.fast


def found(
    make_store: MakeStore, folder: Path, grid: list[GridCell]
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    store = make_store(random_rows(3, records=80, items=40, cells=1200))
    attack = an_attack()
    study(store, make_plan(store, grid, attack, None, 1), folder / "run", attack=attack)
    tables = people_found(folder / "run", {})
    return pd.read_parquet(folder / "run" / "decisions.parquet"), dict(tables)


def test_everyone_is_included_and_no_one_named(make_store: MakeStore, tmp_path: Path) -> None:
    base = Elsewhere(member_fraction=0.5, overlap_fraction=0.5, extra_items_ratio=0.1)
    grid = expand("people", {"present": [True, False]}, base)
    decisions, tables = found(make_store, tmp_path, grid)
    people, facts = tables["people"], tables["facts"]
    assert "target" not in people.columns
    for cell, group in people.groupby("cell"):
        mine = decisions[decisions["cell"] == cell]
        assert len(group) == len(mine)
        assert group["place"].tolist() == list(range(1, len(mine) + 1))
        known = mine["eccentricity"].dropna().sort_values(ascending=False)
        np.testing.assert_array_equal(group["eccentricity"].dropna(), known)
        assert (group["record"] == "present").sum() == mine["present"].sum()
        assert (group["guess"] == "right").sum() == mine["correct"].sum()
        assert group["matched"].sum() == mine["matched"].sum()
        said = facts[facts["cell"] == cell]
        assert said["whose"].tolist() == ["first", "second", "others"]
        assert said["people"].sum() == len(mine)
        assert said["in_release"].sum() == mine["present"].sum()
        assert said["right"].sum() == (mine["matched"] & mine["correct"]).sum()
    assert facts["present"].tolist() == [True] * 3 + [False] * 3
    assert (people[people["cell"] == 1]["record"] == "absent").all()


def test_real_people_with_unknown_records(make_store: MakeStore, tmp_path: Path) -> None:
    other = make_store(random_rows(4, records=9, items=30, cells=90))
    _, tables = found(make_store, tmp_path, [GridCell(0, {"present": True}, External(other))])
    assert (tables["people"]["record"] == "unknown").all()
    assert (tables["people"]["guess"] == "unknown").all()
    assert tables["facts"]["in_release"].isna().all()
    assert tables["facts"]["right"].isna().all()


@pytest.mark.parametrize(("others", "nearly_all"), [([1.0] * 19 + [9.0], 1.0), ([1.0, 9.0], 9.0)])
def test_nearly_all_others(others: list[float], nearly_all: float) -> None:
    values = sorted([28.0, 15.0, *others], reverse=True)
    people = pd.DataFrame(
        {"eccentricity": values, "record": "absent", "guess": "wrong", "matched": False}
    )
    facts = summed_up(people).assign(cell=0)
    assert facts["eccentricity"].tolist()[:2] == [28.0, 15.0]
    assert facts["eccentricity"].iloc[2] == nearly_all
    assert len(summed_up(people[:1])) == 1


def test_the_papers_words_find_their_rows() -> None:
    people = pd.DataFrame(
        {"eccentricity": [28.0, 15.0, 1.0], "record": "absent", "guess": "wrong", "matched": False}
    )
    run = {"data": "netflix_prize", "algorithm": "scoreboard_rh", "phi": 1.5}
    said = compare(summed_up(people).assign(cell=0), numbers_for("ns08_imdb"), run)
    assert said["ours"].tolist() == [28.0, 15.0, 1.0]
    assert said["verdict"].tolist() == ["reproduced"] * 3
