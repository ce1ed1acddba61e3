"""Releases that another tool has made: attacked as the same release is that we have made."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from making import random_rows

import sim
from sim.adversary.linkage import linkage_of
from sim.adversary.own_cells_kept import shares_kept
from sim.defence.apply import defended
from sim.defence.cut_pseudonyms import CutPseudonyms
from sim.defence.defence import Defence
from sim.defence.drop_items import DropItems
from sim.defence.external import External
from sim.defence.hide_items import HideItems
from sim.defence.jitter_time import JitterTime
from sim.defence.perturb_values import PerturbValues
from sim.errors import ConfigError, GridError, InputError
from sim.release.store.export import Columns, write_release
from sim.session.release import Release

pytestmark = pytest.mark.usefixtures("no_drawings")

OPTIONS = {"bayes_targets": 0}
GRID = {"aux": ["2/2", "3/4"], "present": [True, False]}


def data(tmp_path: Path, name: str = "{}", **given: Any) -> Release:
    frame = pd.DataFrame(
        random_rows(1, records=60, items=40, cells=900), columns=["who", "what", "stars", "day"]
    )
    frame["day"] = pd.to_datetime(frame["day"], unit="D")
    frame["who"] = [name.format(who) for who in frame["who"]]
    return sim.table(
        frame, user="who", item="what", value="stars", date="day", cache=str(tmp_path / "cache"),
        **given,
    )  # fmt: skip


def written(release: Release, tmp_path: Path, *defences: Defence) -> tuple[Path, Path, Path]:
    """The release of some defences, the table of people, and that of items."""
    change = defended(release.store, defences)
    made = change.open(tmp_path / "cache")
    linkage = linkage_of(release.store, made)
    path, truth, items = (tmp_path / f"{n}.csv" for n in ("release", "truth", "items"))
    write_release(made, path, Columns("who", "what", "stars", "day"))
    people = np.array(release.store.records.to_pylist())[linkage.record]
    pd.DataFrame({"person": people, "record": made.records.to_pylist()}).to_csv(truth, index=False)
    known = linkage.item >= 0
    what = np.array(release.store.items.to_pylist())[known]
    stands = np.array(made.items.to_pylist())[linkage.item[known]]
    pd.DataFrame({"item": what, "released": stands}).to_csv(items, index=False)
    return path, truth, items


@pytest.mark.parametrize(
    "defences",
    [
        (DropItems(min_support=12),),
        (PerturbValues(), JitterTime(date_noise=3)),
        (CutPseudonyms(window="9d"),),
        (HideItems(), CutPseudonyms(window="20d")),
    ],
    ids=lambda chain: "+".join(each.name for each in chain),
)
def test_the_release_that_we_have_made_is_attacked_alike(
    tmp_path: Path, defences: tuple[Defence, ...]
) -> None:
    release = data(tmp_path)
    path, truth, items = written(release, tmp_path, *defences)
    ours = sim.run(release, defence=defences, targets=40, grid=GRID, options=OPTIONS)
    external = External(path=str(path), truth=str(truth), items=str(items))
    theirs = sim.run(release, defence=[external], targets=40, grid=GRID, options=OPTIONS)
    pd.testing.assert_frame_equal(ours.decisions, theirs.decisions)
    pd.testing.assert_frame_equal(ours.curves, theirs.curves)


def test_identifiers_that_were_kept_need_no_table(tmp_path: Path) -> None:
    release = data(tmp_path)
    path, truth, _ = written(release, tmp_path, DropItems(min_support=12))
    told = External(path=str(path), truth=str(truth))
    for one in (External(path=str(path)), told):
        result = sim.run(release, defence=[one], targets=40, options=OPTIONS)
        (record,) = result.record["defences"]
        assert record["left"]["people"] == 60
        assert record["left"]["unlinked"] == 0
        assert not record["known_to_attackers"]


def test_people_without_a_record_and_records_of_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    release = data(tmp_path)
    path, truth, _ = written(release, tmp_path, CutPseudonyms(window="9d"))
    table = pd.read_csv(truth)
    gone = table[table["person"].isin([1, 2, 3])]
    strange = pd.DataFrame({"person": [4, 999], "record": [-5, table["record"][0]]})
    pd.concat([table.drop(gone.index), strange]).to_csv(truth, index=False)
    external = External(path=str(path), truth=str(truth))
    result = sim.run(release, defence=[external], targets="all", options=OPTIONS)
    (record,) = result.record["defences"]
    rows = len(table) - len(gone) + 2
    assert f"2 of {rows:,} rows are left out: 1 are not in the data, 1 not in" in caplog.text
    assert record["left"]["people"] == 57
    assert record["left"]["unlinked"] == len(gone)
    absent = result.decisions[result.decisions["person"].isin([1, 2, 3])]
    assert not absent["present"].any()
    assert absent["target"].isna().all()


def test_new_identifiers_that_look_like_old_ones_are_refused(tmp_path: Path) -> None:
    """Pseudonyms are small integers here, as the people are: a match means nothing."""
    release = data(tmp_path)
    path, _, _ = written(release, tmp_path, CutPseudonyms(window="9d"))
    with pytest.raises(InputError, match="identifiers that are the same are not the same person's"):
        sim.run(release, defence=[External(path=str(path))], options=OPTIONS)
    named = data(tmp_path, "user {}")
    with pytest.raises(GridError, match="nobody of the original has a record in the release"):
        sim.run(named, defence=[External(path=str(path))], options=OPTIONS)


def test_a_table_that_is_wrong_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    release = data(tmp_path)
    path, truth, _ = written(release, tmp_path, CutPseudonyms(window="9d"))
    table = pd.read_csv(truth)
    table["person"] = table["person"].to_numpy()[np.random.default_rng(1).permutation(len(table))]
    table.to_csv(truth, index=False)
    with caplog.at_level(logging.WARNING, "standout"):
        external = External(path=str(path), truth=str(truth))
        sim.run(release, defence=[external], targets=5, options=OPTIONS)
    assert "check the table" in caplog.text
    table["person"] = 1 + np.arange(len(table)) % 3
    pd.concat([table, table.assign(person=5)]).to_csv(truth, index=False)
    with pytest.raises(InputError, match="is listed with two others; expected one for each"):
        sim.run(release, defence=[external], targets=5, options=OPTIONS)


def test_what_people_keep_is_counted(tmp_path: Path) -> None:
    release = data(tmp_path)
    made = defended(release.store, [DropItems(min_support=20)]).open(tmp_path / "cache")
    own, others = shares_kept(release.store, made, linkage_of(release.store, made))
    assert own == made.manifest.n_cells / release.store.manifest.n_cells
    assert 0 < others < own


def test_columns_that_are_not_there_are_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    release = data(tmp_path)
    path, _, _ = written(release, tmp_path, DropItems(min_support=12))
    pd.read_csv(path).drop(columns="stars").to_csv(path, index=False)
    with caplog.at_level(logging.INFO, "standout"):
        result = sim.run(release, defence=[External(path=str(path))], targets=5, options=OPTIONS)
    assert "has no column stars; it is without values" in caplog.text
    assert not result.record["release"]["scale"]


def test_stated_noise_is_known_to_attackers(tmp_path: Path) -> None:
    release = data(tmp_path)
    found = defended(release.store, [External(path="r.csv", value_noise=1.0, date_noise="3d")])
    assert found.undisclosed == ()
    assert (found.publisher.value_noise, found.publisher.date_noise) == (1.0, 3)


def test_what_cannot_be(tmp_path: Path) -> None:
    release = data(tmp_path)
    with pytest.raises(ConfigError, match=r"defence\.external\.path: not given"):
        defended(release.store, [External()])
    with pytest.raises(GridError, match=r"external is a whole release, and cannot be chained"):
        defended(release.store, [DropItems(), External(path="r.csv")])
    with pytest.raises(ConfigError, match=r"defence\.external\.date_noise: soon"):
        External(path="r.csv", date_noise="soon")
    with pytest.raises(GridError, match="1 minute is no whole number of days"):
        defended(release.store, [External(path="r.csv", date_noise="1min")])
    with pytest.raises(InputError, match=r"missing\.csv"):
        sim.run(release, defence=[External(path=str(tmp_path / "missing.csv"))])
