"""The tables that copy measurements are those of the records, and the records those of the code."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from benchmarking import ROOT, module

pytestmark = pytest.mark.usefixtures("no_drawings")


def test_the_tables_are_those_of_the_records() -> None:
    readme = module("readme")
    marked = []
    for path in readme.DOCUMENTS:
        text = path.read_text(encoding="utf-8")
        assert readme.with_tables(text) == text, f"{path} is stale; run: {readme.COMMAND}"
        marked += [line for line in text.splitlines() if line.startswith("<!-- table: ")]
    assert sorted(marked) == [f"<!-- table: {name} -->" for name in sorted(readme.tables())]


def test_the_readme_states_what_was_recorded() -> None:
    record = json.loads(module("netflix_run").RECORD.read_text(encoding="utf-8"))
    first = record["cells"][0]
    words = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    ours, theirs = first["shared_best_rank1"], first["shared_rank1"]
    assert (first["aux"], first["date_noise"]) == ("2/2", 3)
    assert (
        f"From two facts it finds {ours:.0%} of {record['shared']} people where the paper's attack "
        f"finds {theirs:.0%}"
    ) in words


def test_a_changed_table_is_set_again() -> None:
    readme = module("readme")
    text = "\n".join(path.read_text(encoding="utf-8") for path in readme.DOCUMENTS)
    cost = next(line for line in text.splitlines() if line.startswith("| `bayes` |"))
    changed = text.replace(cost, "| `bayes` | quick | | | 0.0 |")
    changed = changed.replace("| 73.3% [", "| 99.9% [")
    assert changed.count("99.9% [") == text.count("99.9% [") + text.count("| 73.3% [") > 0
    assert readme.with_tables(changed) == text
    with pytest.raises(KeyError, match="no-such"):
        readme.with_tables("<!-- table: no-such -->\n<!-- end -->")


def test_every_attack_is_listed_with_its_cost() -> None:
    costs = module("tables").ratios("attacks")
    table = "\n".join(module("readme").attack_table())
    assert set(costs) == {f"attacks/{name}" for name in module("attacks").attacks()}
    assert costs["attacks/scoreboard_rh"] == 1
    assert f"| {costs['attacks/bayes']:.1f} |" in table


@pytest.mark.parametrize("preset", ["netflix", "movielens2006", "visits", "purchases", "shopping"])
def test_the_facts_are_those_of_the_generator(preset: str) -> None:
    facts = module("facts")
    record = facts.record_of(preset)
    again = f"the facts of {preset} are stale; run: {record['command']}"
    assert not facts.is_stale(record), again
    assert facts.is_stale({**record, "seed": record["seed"] + 1})


def test_facts_are_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = module("facts")
    monkeypatch.setattr(facts, "_RECORDED", tmp_path)
    assert facts.main(["--preset", "tiny", "--cache", str(tmp_path / "cache"), "--record"]) == 0
    assert facts.recorded() == ["tiny"]
    record = facts.record_of("tiny")
    assert not facts.is_stale(record)
    assert ["records", "600", "600", "+0.0%", "±1%", "met"] in record["facts"]
    judged = [row for row in (*record["facts"], *record["remarks"]) if row[-1]]
    assert facts.recorded_table()[2].startswith(f"| `tiny` | {len(judged)} | ")


def test_the_run_is_that_of_the_attacks() -> None:
    run = module("netflix_run")
    record = json.loads(run.RECORD.read_text(encoding="utf-8"))
    assert run.is_stale({**record, "seed": 2})
    why = run.is_stale(record)
    assert not why, f"{why}: the recorded run is stale; run: {'; '.join(run.COMMANDS)}"


def test_a_changed_decision_changes_the_digest() -> None:
    run = module("netflix_run")
    frame = pd.DataFrame({name: [1.0, 2.0] for name in run._DECIDED})
    digest = run._digest(frame)
    assert run._digest(frame[::-1]) == digest
    for name in run._DECIDED:
        assert run._digest(frame.assign(**{name: [1.0, 2.5]})) != digest


def test_a_run_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run, readme = module("netflix_run"), module("readme")
    import sim

    release = sim.synthetic("tiny", cache=str(tmp_path / "cache"))
    asked = {
        "grid": {"aux": ["2/2", "6/8"], "date_noise": [3, 14], "value_noise": [0]},
        "targets": 8,
    }
    options = {"name": run.EXPERIMENT, "bayes_targets": 4}
    plain = sim.run(release, **asked, options=options, folder=tmp_path / "plain")
    with pytest.raises(ValueError, match="preset=netflix"):
        run.record_run(plain.folder)
    monkeypatch.setattr(run, "PRESET", "tiny")
    with pytest.raises(ValueError, match=r"attack\.entropy=true"):
        run.record_run(plain.folder)
    options["attack.entropy"] = True
    found = sim.run(release, **asked, options=options, folder=tmp_path / "run")
    monkeypatch.setattr(run, "RECORD", tmp_path / "record.json")
    monkeypatch.setattr(readme, "DOCUMENTS", ())
    assert readme.main(["--record", str(found.folder)]) == 0
    record = json.loads((tmp_path / "record.json").read_text(encoding="utf-8"))
    assert not run.is_stale(record)
    assert (record["targets"], record["shared"]) == (8, 4)
    assert [cell["rank1"] for cell in record["cells"]] == found.curves["rank1"].round(3).tolist()
    first = run.of_all_targets(record)[2]
    assert first.startswith(
        f"| 2 of 2, ±3 days | {100 * found.curves['rank1'][0]:.1f}".rstrip(".0")
    )
    assert "| 68% |" in first
    assert len(run.of_shared_targets(record)) == 2 + len(found.curves)
