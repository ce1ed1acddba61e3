"""``defence.known_facts=released``: facts are released cells, and nothing else is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from auditing import audited, table_of
from making import random_rows

import sim
from sim.adversary.publisher import AS_IS
from sim.defence.apply import defended
from sim.defence.drop_items import DropItems
from sim.defence.jitter_time import JitterTime
from sim.errors import ConfigError, GridError
from sim.release.store.store import Store

pytestmark = pytest.mark.usefixtures("no_drawings")

CHANGED = ["drop_items", "perturb_values", "jitter_time", "sample_records"]
OPTIONS = {
    "defence.drop_items.min_support": 3,
    "defence.perturb_values.value_noise": 2,
    "defence.jitter_time.date_noise": 5,
    "defence.sample_records.share": 0.7,
}
RELEASED = {"defence.known_facts": "released"}
GRID = {"aux": ["2/2", "3/4"], "date_noise": [3], "present": [True, False]}


def open_table(frame: pd.DataFrame, cache: Path) -> sim.Release:
    return sim.table(
        frame, user="who", item="what", value="value", date="date", date_unit="days",
        cache=str(cache),
    )  # fmt: skip


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return pd.DataFrame(random_rows(5, 60, 30, 700), columns=["who", "what", "value", "date"])


@pytest.mark.parametrize("attack", ["scoreboard_rh", "bayes"])
def test_the_facts_are_those_of_the_release(
    frame: pd.DataFrame, tmp_path: Path, attack: str
) -> None:
    """The attack is the same, to the bit, as on the written release read as if it were the data."""
    release = open_table(frame, tmp_path)
    ours = sim.run(
        release, attack, defence=CHANGED, grid=GRID, targets="all", folder=tmp_path / "ours",
        options=OPTIONS | RELEASED | {"bayes_targets": 0},
    )  # fmt: skip
    out = tmp_path / "released.parquet"
    sim.publish(release, out, defence=CHANGED, options=OPTIONS, identifiers="kept")
    written = pd.read_parquet(out)
    written["date"] = (pd.to_datetime(written["date"]) - pd.Timestamp(0)).dt.days
    theirs = sim.run(
        open_table(written, tmp_path), attack, grid=GRID, targets="all",
        folder=tmp_path / "theirs", options={"bayes_targets": 0},
    )  # fmt: skip
    pd.testing.assert_frame_equal(ours.decisions, theirs.decisions)
    assert len(ours.decisions) > 100
    assert ours.record["config"]["defence"]["known_facts"] == "released"


def test_facts_of_the_original_are_others(frame: pd.DataFrame, tmp_path: Path) -> None:
    """Who knows released dates finds more than who knows the dates before they were moved."""
    found = {}
    for known in ("original", "released"):
        result = sim.run(
            open_table(frame, tmp_path), "bayes", defence=["jitter_time"], targets="all",
            grid={"aux": ["2/2"], "date_noise": [0]}, folder=tmp_path / known,
            options={"defence.jitter_time.date_noise": 30, "defence.known_facts": known,
                     "bayes_targets": 0},
        )  # fmt: skip
        found[known] = result.decisions["correct"].mean()
    assert found["released"] > found["original"] + 0.05


def test_nothing_is_left_to_know_of_the_method(make_store: Any, tmp_path: Path) -> None:
    original: Store = make_store(random_rows(2))
    change = defended(original, [DropItems(min_support=2), JitterTime(date_noise=3)])
    released = change.build(tmp_path / "released")
    assert change.publisher != AS_IS
    assert change.truth is original
    told = change.with_facts_of(released)
    assert told.publisher == AS_IS
    assert told.truth is None


def test_people_of_several_records_are_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(GridError, match=r"^defence.known_facts=released: after .* several records"):
        sim.run(
            open_table(frame, tmp_path), defence=["cut_pseudonyms"], grid={"aux": ["2/2"]},
            options=RELEASED | {"defence.cut_pseudonyms.window": "20d"},
        )  # fmt: skip


def test_a_wrong_word_is_refused(frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"^defence.known_facts: 'all': expected one of original"):
        sim.run(open_table(frame, tmp_path), options={"defence.known_facts": "all"})


def test_who_brings_facts_has_no_use_for_it(frame: pd.DataFrame, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs.csv"
    frame.rename(columns={"who": "user", "what": "item"}).to_csv(theirs, index=False)
    columns = {"adversary.path": str(theirs), "adversary.user": "user", "adversary.item": "item"}
    chosen = {"adversary": "external", "grid": "people", **columns}
    with pytest.raises(ConfigError, match="adversary=external come from its own table"):
        sim.run(open_table(frame, tmp_path), options=RELEASED | chosen)


def test_an_audit_says_whose_facts_they_are(tmp_path: Path) -> None:
    people = [np.arange(who % 9, who % 9 + 5).tolist() for who in range(40)]
    told = {}
    for known in ("original", "released"):
        result = audited(
            table_of(people, date=lambda who, item: 18_000 + 3 * who + item), tmp_path / known,
            attackers=["insider"], max_risk=0.99,
            options={"defence": ["jitter_time"], "defence.known_facts": known},
        )  # fmt: skip
        assert result.assessment is not None
        told[known] = " ".join(result.assessment["summary"])
        text = (result.folder / "assessment.md").read_text(encoding="utf-8")
        assert ("come from the original data" in text) == (known == "original")
    assert "an attacker who knows facts of the original was not tested" in told["released"]
    assert "original" not in told["original"]


def test_whoever_knows_how_many_entries_a_person_had_is_said_not_to_be_tested(
    tmp_path: Path,
) -> None:
    """Where entries are gone that the facts may be about, and only there."""
    people = [
        [*range(who % 9, who % 9 + 5), *([100 + who] if who < 5 else [])] for who in range(40)
    ]
    expected = "Whoever knows exactly how many entries a person had was not tested."
    for name, known, is_said in (
        ("drop_items", "original", True), ("drop_items", "released", False),
        ("jitter_time", "original", False),
    ):  # fmt: skip
        folder = tmp_path / name / known
        result = audited(
            table_of(people, date=lambda who, item: 18_000 + 3 * who + item), folder,
            attackers=["insider"], max_risk=0.99,
            options={"defence": [name], "defence.known_facts": known},
        )  # fmt: skip
        assert result.folder is not None
        assert result.assessment is not None
        page = (result.folder / "assessment.md").read_text(encoding="utf-8")
        assert (expected in page) == is_said
        assert (expected in " ".join(result.assessment["summary"])) == is_said
        checked = sim.check(result.folder, max_risk=0.99)
        assert (expected in [line for run in checked.runs for line in run.lines]) == is_said
