"""``summary.json``: as its schema says, as the tables say, and the same bytes whatever runs it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pandas as pd
import pytest
from auditing import audited, judged, table_of, without_pictures

import sim
from sim.guide import page
from sim.record.digests import check_unchanged
from sim.record.run_folder import open_folder
from sim.report import summary_json
from sim.report.json_files import plain_json
from sim.report.screens.of_run import screen_of
from sim.session.result import Result

SCHEMA = json.loads(
    (Path(sim.__file__).parent / "guide" / "summary.schema.json").read_text(encoding="utf-8")
)
RECORDS = [[(r * 7 + k * k) % 23 for k in range(6)] for r in range(40)]


ATTACKERS = ["insider", "public_profile"]


@pytest.fixture(scope="module", autouse=True)
def no_pictures() -> Iterator[None]:
    """The summary needs none, and they take most of the time."""
    with without_pictures():
        yield


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("summary")


@pytest.fixture(scope="module")
def release(place: Path) -> sim.Release:
    return sim.table(table_of(RECORDS), user="who", item="what", cache=str(place / "cache"))


@pytest.fixture(scope="module")
def runs(release: sim.Release, place: Path) -> dict[str, Result]:
    chains = {
        "attackers": ["insider"],
        "targets": 20,
        "options": {"utility": ["cells"], "plan.utility": "cells", "grid.aux": ["1/1"]},
    }
    of_plan = {key: value for key, value in chains.items() if key != "targets"}
    parts = {"a": ["grid.aux=[2/2]"], "b": ["grid.aux=[30/30]"]}
    return {
        "attack": sim.run(release, aux=["2/2", "3/3"], folder=place / "attack"),
        "measurement": sim.measure(release, "lengths", folder=place / "measurement"),
        "suite": sim.run(release, options={"parts": parts}, folder=place / "suite"),
        "audit": audited(
            table_of(RECORDS),
            place / "audit",
            attackers=["insider", "public_profile"],
            max_risk=0.5,
        ),
        "frontier": sim.frontier(
            release, ["drop_items.min_support=8"], folder=place / "frontier", **chains
        ),
        "plan": sim.plan(release, 1.0, ["drop_items"], folder=place / "plan", **of_plan),
        "no plan": sim.plan(release, 0.001, ["drop_items"], folder=place / "none", **of_plan),
    }


def read(run: Result) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run.folder / "summary.json").read_text(encoding="utf-8"))
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_every_kind_of_run_has_one_that_is_valid(runs: dict[str, Result]) -> None:
    for name, run in runs.items():
        found = read(run)
        jsonschema.validate(found, SCHEMA)
        assert found["kind"] == name.removeprefix("no ")
        assert found == run.summary == sim.load(run.folder).summary
        assert found["verdict"] == screen_of(open_folder(run.folder)).verdict


def test_a_shuffled_file_has_the_same_but_for_the_name(place: Path) -> None:
    rows = table_of(RECORDS).assign(day="2024-05-01")
    twice = pd.concat([rows.assign(score=rows.index % 5 / 2), rows.assign(score=1.0)])
    found = []
    for name, table in (("a.csv", twice), ("b.csv", twice.sample(frac=1, random_state=1))):
        path = place / name
        table.to_csv(path, index=False)
        opened = sim.table(
            path, user="who", item="what", value="score", date="day", cache=str(place / "cache")
        )
        run = sim.run(opened, aux=["2/2"], targets=20, folder=place / f"run of {name}")
        found.append((run.folder / "summary.json").read_text(encoding="utf-8"))
    assert found[0] != found[1] == found[0].replace("a.csv", "b.csv")


def test_the_guide_describes_every_key() -> None:
    text = page("summary")
    for key in {*SCHEMA["properties"], *SCHEMA["properties"]["risk"]["oneOf"][1]["properties"]}:
        assert f"`{key}`" in text, key


def test_numbers_are_those_of_the_tables(runs: dict[str, Result]) -> None:
    attack = read(runs["attack"])
    curves = runs["attack"].curves
    for row, (_, curve) in zip(attack["results"], curves.iterrows(), strict=True):
        assert row["conditions"]["aux"] == curve["aux"]
        assert row["measures"]["rank1"] == {
            "estimate": curve["rank1"], "low": curve["rank1_low"], "high": curve["rank1_high"]
        }  # fmt: skip
        assert row["people"]["attacked"] == curve["n_targets"]
    own = max(curves["rank1_high"])
    bayes = runs["attack"].bayes
    assert bayes is not None
    assert attack["risk"]["objective"] == max(own, *bayes.curves["rank1_high"])
    audit = read(runs["audit"])
    rows = judged(runs["audit"])
    assert [row["verdict"] for row in audit["results"]] == [
        row["verdict"] for row in rows if "cell" in row or "axes" in row
    ]
    assert audit["bound"]["verdict"] == "exceeds"
    assert audit["results"][0]["measures"]["mean"] == rows[0]["mean"]
    insider, public = rows
    assert public["highest"] is None  # nobody has a model: whom the attack finds stands for it
    end = insider["highest"]["high_of_all"]
    assert public["succeeds"]["low"] < end  # what is found for sure; its upper end is of few people
    assert audit["risk"]["objective"] == audit["risk"]["counted"] == end
    assert (audit["risk"]["is_modelled"], audit["risk"]["measure"]) == (True, "highest")
    lengths = read(runs["measurement"])
    facts = runs["measurement"].tables["facts"]
    assert lengths["risk"] is None
    assert lengths["n_results"] == len(facts)
    frontier = read(runs["frontier"])
    assert frontier["risk"] is None
    assert [row["name"] for row in frontier["results"]] == [
        *runs["frontier"].tables["frontier"]["chain"]
    ]
    assert read(runs["plan"])["plan"] == {"offered": "unchanged", "written": None}
    assert read(runs["plan"])["bound"]["verdict"] == "within"
    assert read(runs["no plan"])["plan"] == {"offered": None, "written": None}
    assert read(runs["no plan"])["risk"] is None


def test_a_part_that_is_not_possible_is_a_warning(runs: dict[str, Result]) -> None:
    suite = read(runs["suite"])
    assert [part["status"] for part in suite["parts"]] == ["complete", "impossible"]
    assert suite["risk"]["part"].startswith("a")


def test_the_digests_cover_it(runs: dict[str, Result]) -> None:
    for run in runs.values():
        check_unchanged(run.folder)
        last = json.loads((run.folder / "ledger.jsonl").read_text().splitlines()[-1])
        assert "summary.json" in last["finished"]["files"]


@pytest.mark.parametrize("kind", ["attack", "audit"])
def test_another_process_number_and_time_give_the_same_bytes(
    kind: str, runs: dict[str, Result], release: sim.Release, place: Path
) -> None:
    folder = place / f"{kind} again"
    if kind == "attack":
        options = {"cluster.wait": 9.0}
        sim.run(release, aux=["2/2", "3/3"], folder=folder, options=options)
        path = folder / "summary.json"
        assert path.read_bytes() == (runs[kind].folder / "summary.json").read_bytes()
        return
    audited(table_of(RECORDS), folder, attackers=ATTACKERS, max_risk=0.5)
    path = folder / "summary.json"
    assert path.read_bytes() == (runs[kind].folder / "summary.json").read_bytes()


def test_rows_beyond_the_most_are_counted(
    runs: dict[str, Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summary_json, "MOST_RESULTS", 1)
    found = sim.load(runs["attack"].folder).summary
    assert (len(found["results"]), found["n_results"]) == (1, 2)


def test_what_is_no_number_is_null() -> None:
    given = {"a": float("nan"), "b": pd.NA, "c": [1, float("inf")], "d": pd.Timestamp(0)}
    assert plain_json(given) == {
        "a": None, "b": None, "c": [1, None], "d": "1970-01-01 00:00:00"
    }  # fmt: skip
