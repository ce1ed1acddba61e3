"""Frontiers and plans on small tables, from the command line's configuration to the files."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.csv
import pytest
from making import random_rows

import sim
from sim.cli.check import check_command
from sim.config.compose import composed, configured
from sim.errors import ConfigError, InputError, StandoutError
from sim.record.run_folder import open_folder
from sim.record.run_record import same_releases
from sim.release.store.accounts import Accounts
from sim.report.figures.draw import draw_run
from sim.report.page.html import write_report
from sim.report.words.plain.first import first_page
from sim.report.words.plain.page import FOUND, PASTE
from sim.session import suite
from sim.session.check_data import is_written
from sim.session.jobs import plan_job
from sim.session.open_release import described
from sim.session.result import Result

NO_EFFECT = "drop_items.min_support=1 jitter_time.date_noise=1"
"""Leaves the release of the last of the chains, and is not tried."""

CHAINS = [
    "drop_items.min_support=3",
    "perturb_values.value_noise=1,2",
    NO_EFFECT,
    "jitter_time.date_noise=1",
]


def release_of(folder: Path) -> sim.Release:
    frame = pd.DataFrame(random_rows(5, 80, 12, 500), columns=["who", "what", "value", "date"])
    frame["date"] //= 40
    return sim.table(
        frame, user="who", item="what", value="value", date="date", date_unit="days",
        cache=str(folder / "cache"),
    )  # fmt: skip


GIVEN: dict[str, Any] = {"attackers": ["acquaintance"], "options": {"utility": ["ndcg", "cells"]}}


def planned(
    folder: Path, max_risk: float, write: Path | None = None, chains: Sequence[str] = CHAINS
) -> Result:
    release = release_of(folder.parent)
    return sim.plan(release, max_risk, chains, write=write, folder=folder, **GIVEN)


@pytest.fixture(scope="module")
def frontier(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("frontier")
    given = GIVEN | {"options": GIVEN["options"] | {"plan.max_risk": 0.9}}
    return sim.frontier(release_of(folder), CHAINS, folder=folder / "run", **given)


def test_a_frontier_has_a_row_for_each_chain(frontier: Result) -> None:
    rows = frontier.tables["frontier"]
    assert rows["chain"].tolist() == [
        "unchanged",
        "drop_items.min_support=3",
        "perturb_values.value_noise=1",
        "perturb_values.value_noise=2",
        "jitter_time.date_noise=1",
    ]
    assert rows["risk"].between(0, 1).all()
    assert (rows["risk_low"] <= rows["risk"]).all()
    assert (rows["risk"] <= rows["risk_high"]).all()
    assert rows["kept"].iloc[0] == 1.0
    assert rows["bound"].tolist() == [0.9] * 5
    assert same_releases(frontier.record) == {NO_EFFECT: "jitter_time.date_noise=1"}
    same = "1 other chain of defences leaves the same release as one that was tried"
    assert " ".join(str(frontier).split()).count(same) == 2  # in short, and in detail


def test_a_frontier_is_no_audit(frontier: Result) -> None:
    with pytest.raises(InputError, match="a frontier is no audit: it attacks samples"):
        check_command([str(frontier.folder), "max_risk=0.3"])


def test_what_is_done_to_values_lowers_the_risk(frontier: Result) -> None:
    risk = frontier.tables["frontier"].set_index("chain")["risk"]
    assert risk["perturb_values.value_noise=2"] < risk["unchanged"]


def test_a_dominated_chain_names_one_that_is_at_least_as_good(frontier: Result) -> None:
    rows = frontier.tables["frontier"].set_index("chain")
    best = rows[rows["dominated_by"] == ""]
    assert len(best)
    for _, row in rows[rows["dominated_by"] != ""].iterrows():
        better = rows.loc[row["dominated_by"]]
        assert row["dominated_by"] in best.index
        assert round(better["risk"], 3) <= round(row["risk"], 3)
        assert round(better["kept"], 3) >= round(row["kept"], 3)


def results_of(folder: Path) -> dict[str, bytes]:
    """All tables of a suite and its parts."""
    found = [*folder.rglob("*.parquet"), *folder.rglob("*.csv")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(found)}


def test_a_frontier_has_the_same_bytes_on_ray(
    ray_cluster: None, frontier: Result, tmp_path: Path
) -> None:
    """On three workers, stopped after a few parts, and taken up again in this process."""
    options = GIVEN["options"] | {"plan.max_risk": 0.9}
    given = GIVEN | {"options": options, "folder": tmp_path / "run"}
    attacked = []

    def stop_after_three(run: Any, *given: Any, **kwargs: Any) -> Result:
        attacked.append(given[2])
        if len(attacked) > 3:
            raise KeyboardInterrupt
        return run(*given, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "run_session", partial(stop_after_three, suite.run_session))
        with pytest.raises(KeyboardInterrupt):
            sim.frontier(release_of(tmp_path), CHAINS, workers=3, **given)
    assert len(list((tmp_path / "run").rglob("decisions.parquet"))) >= 3
    shapes = json.loads((attacked[0] / "run.json").read_text(encoding="utf-8"))["cluster"]
    assert shapes["workers"] == 3
    sim.frontier(release_of(tmp_path), CHAINS, **given)
    assert results_of(tmp_path / "run") == results_of(frontier.folder)


def test_the_terminal_tells_the_chains_and_the_answer_and_nothing_of_the_parts(
    frontier: Result,
) -> None:
    said = " ".join(str(frontier).split())
    assert said.index("chain of defences") < said.index("the bound of 90.0%")
    assert "found verdict" in said
    assert "drop_items_min_support_3" not in said


def test_a_chain_that_cannot_be_applied_is_told_before_any_attack(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "standout")
    given = GIVEN | {"options": {"utility": ["cells"], "plan.utility": "cells"}}
    chains = ["drop_time coarsen_time.bin=month", "drop_items.min_support=1"]
    found = sim.frontier(release_of(tmp_path), chains, folder=tmp_path / "run", **given)
    reason = "defence=[coarsen_time]: needs dates, which the release lacks"
    assert caplog.messages[1] == f"drop_time coarsen_time.bin=month: not possible: {reason}"
    assert caplog.messages[0] == "1 release to try: the data as they are"
    same = "drop_items.min_support=1: the same release as unchanged, so not tried again"
    assert caplog.messages[2] == same
    assert not any("; set 'defence=" in message for message in caplog.messages)
    assert found.tables["frontier"]["reason"].tolist() == ["", reason]


def test_its_report_begins_with_the_answer(frontier: Result) -> None:
    draw_run(frontier.folder)
    page = write_report(frontier.folder).read_text(encoding="utf-8")
    assert "Narayanan and Shmatikov (2008, section 6) expect" in page
    assert (frontier.folder / "figures" / "frontier.png").is_file()


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder = tmp_path_factory.mktemp("plan")
    return planned(folder / "run", 1.0, folder / "release.csv")


def test_a_plan_writes_what_it_offers_and_is_checked(
    plan: Result, capsys: pytest.CaptureFixture[str]
) -> None:
    out = plan.folder.parent / "release.csv"
    trials = plan.tables["trials"]
    assert trials["step"].tolist()[-2:] == ["all records", "new seed"]
    assert trials["decision"].iloc[-1] == "offered"
    assert trials["chain"].iloc[-1] == "unchanged"  # every chain keeps a bound of 1
    written = plan.record["plan"]["written"]
    assert written["sha256"] == hashlib.sha256(out.read_bytes()).hexdigest()
    assert len(pyarrow.csv.read_csv(out)) == written["cells"] == len(pd.read_csv(out))
    assert plan.assessment["plan"]["offered"] == "new_seed_unchanged"
    told = json.loads((plan.folder / "assessment.json").read_text(encoding="utf-8"))
    assert told == json.loads(json.dumps(plan.assessment))
    said = str(plan)
    assert "What to publish:\nPublish the release as it is." in said
    assert "was written to" in said.splitlines()[-3]
    assert "acquaintance:" not in said  # no part is told one by one
    certificate = (plan.folder / "assessment.md").read_text(encoding="utf-8")
    assert certificate.count("## How to repeat the ") == 2
    assert "## How to repeat it" not in certificate
    assert re.search(r"standout publish .*'defence=\[\]' out=FILE\.csv", certificate)
    assert check_command([str(plan.folder), "max_risk=1"]) == 0
    assert "not compared" not in capsys.readouterr().out  # the file lies where it was written
    assert check_command([str(plan.folder), "max_risk=0.01"]) == 1
    columns = pd.read_csv(out).columns
    cache = f"data.cache={plan.folder.parent / 'cache'}"
    keys = ["data.repeats=all", f"data.user={columns[0]}", f"data.item={columns[1]}", cache]
    assert check_command([str(plan.folder), "max_risk=1", f"data.path={out}", *keys]) == 0
    moved = out.rename(plan.folder.parent / "moved.csv")
    capsys.readouterr()
    assert check_command([str(plan.folder), "max_risk=1"]) == 1
    said = capsys.readouterr().out
    assert f"{out}, the release that the plan wrote, is not there" in " ".join(said.split())
    assert "not tested: one who sees the release" in said
    assert check_command([str(plan.folder), "max_risk=1", f"data.path={moved}"]) == 0
    assert "; it is that of the file given" in capsys.readouterr().out
    assert check_command([str(plan.folder), "max_risk=1", f"fingerprint={written['sha256']}"]) == 0
    own = plan.record["release_fingerprint"]
    with pytest.raises(InputError, match="not the SHA-256 of the file that the plan wrote, which"):
        check_command([str(plan.folder), "max_risk=1", f"fingerprint={own}"])
    shutil.copy(moved, out)
    with out.open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(InputError, match=r"release\.csv: changed since the plan wrote it"):
        check_command([str(plan.folder), "max_risk=1"])
    assert check_command([str(plan.folder), "max_risk=1", f"data.path={moved}"]) == 0
    moved.rename(out)
    other = plan.folder.parent / "other.csv"
    pd.read_csv(out)[1:].to_csv(other, index=False)
    for some in ([], keys):
        with pytest.raises(
            InputError, match=r"other\.csv: is not the file that the plan wrote, by"
        ):
            check_command([str(plan.folder), "max_risk=1", f"data.path={other}", *some])
    begun_with = {"config": {"data": {"path": "other.csv"}}, "working_directory": other.parent}
    with pytest.raises(InputError, match="is the data that the plan began with, and not what it"):
        is_written({**plan.record, **begun_with}, other)


def test_a_plan_offers_the_data_as_read_and_not_the_file(tmp_path: Path) -> None:
    """Many rows are repetitions, so the data before reading were not attacked."""
    frame = pd.DataFrame(random_rows(5, 80, 12, 500), columns=["who", "what", "value", "date"])
    frame = pd.concat([frame, frame[:250]])
    release = sim.table(frame, user="who", item="what", value="value", cache=str(tmp_path / "c"))
    rows = Accounts.of(described(release.store))
    out = tmp_path / "out.csv"
    found = sim.plan(release, 1.0, CHAINS[:1], write=out, folder=tmp_path / "run", **GIVEN)
    kept = f"the data as they were read ({rows.cells:,} of {rows.rows:,} rows), and not the"
    assert rows.merged
    counts = f"The data had {rows.rows:,} rows: {rows.cells:,} kept, {rows.merged:,} merged with"
    said = " ".join(str(found).split())
    answer, _, detail = said.partition(f"{FOUND}:")
    assert f"What keeps the bound is {kept}" in answer
    assert answer.count(counts) == 1
    offer = detail.partition("Publish the release as it is.")[2]
    assert kept in offer
    assert counts in offer
    beside = (tmp_path / "out.assessment.md").read_text(encoding="utf-8")
    whose = "out.csv, was attacked in full: it holds nothing that reading left out."
    pieces = beside.split("The measured risk is too low, unless the others")
    assert len(pieces) == 3  # the answer, and the data in detail
    assert all(whose in piece for piece in pieces[:-1])
    # Whoever reads the paragraph to paste takes what is said of the risk for the file's.
    (paste,) = (one for one in first_page(open_folder(found.folder)).chapters if one.title == PASTE)
    _, reading, *others = paste.sentences
    assert counts in reading
    assert f"{whose} The original data, which hold that, were not tested." in reading
    assert "too low" not in " ".join(paste.sentences)
    assert "do not publish these" not in " ".join(others)
    unwritten = sim.plan(release, 1.0, CHAINS[:1], folder=tmp_path / "other", **GIVEN)
    assert kept in " ".join(str(unwritten).split())
    assert "was attacked in full" not in str(unwritten)


def test_a_plan_says_of_which_use_nothing_is_left(tmp_path: Path) -> None:
    release = sim.synthetic("tiny", cache=str(tmp_path / "c"))
    given = {
        "utility": ["cells", "monthly_volume"], "plan.utility": "cells",
        "audit.attackers": ["acquaintance"],
    }  # fmt: skip
    chain = ["drop_items.min_support=120 drop_time"]
    found = sim.plan(release, 0.97, chain, options=given, folder=tmp_path / "run")
    share = found.parts[found.record["plan"]["offered"]]
    assert "drop_items" in str(share.record["overrides"])
    said = " ".join(str(found).split())
    lost = "rank correlation of monthly volume, of which nothing is left (no times are released)"
    assert said.count(lost) == 2  # in short, and in detail


def test_a_plan_of_data_that_reading_kept_whole_adds_nothing(tmp_path: Path) -> None:
    frame = pd.DataFrame(random_rows(5, 80, 12, 500), columns=["who", "what", "value", "date"])
    frame = frame.drop_duplicates(["who", "what"])[["who", "what", "value"]]
    release = sim.table(frame, user="who", item="what", value="value", cache=str(tmp_path / "c"))
    found = sim.plan(release, 1.0, CHAINS[:1], folder=tmp_path / "run", **GIVEN)
    said = " ".join(str(found).split())
    assert "Publish the release as it is." in said
    assert "as they were read" not in said
    # Where it shows how often a person has an item, the offer has a condition.
    twice = pd.concat([frame, frame.assign(value=3)])
    release = sim.table(
        twice, user="who", item="what", value="value", repeats="all", cache=str(tmp_path / "c")
    )
    found = sim.plan(release, 1.0, CHAINS[:1], folder=tmp_path / "twice", **GIVEN)
    said = " ".join(str(found).split())
    assert "If nobody knows how often a person has an item, publish the release as it is." in said
    assert "Bound, against this attacker alone: kept." in said


def test_a_plan_that_finds_nothing_says_so_and_does_not_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release.csv"
    plan = planned(tmp_path / "run", 0.001, out)
    assert set(plan.tables["trials"]["decision"]) == {"dropped"}
    assert NO_EFFECT not in set(plan.tables["trials"]["chain"])
    assert plan.record["plan"] == {"offered": None, "written": None}
    assert not out.exists()
    text = (plan.folder / "assessment.md").read_text(encoding="utf-8")
    assert "No release keeps the bound of 0.1% for the mean risk of a person" in text
    assert "5 releases were tried, the data as they are first; 5 do not keep" in text
    assert text.count("1 other chain of defences leaves the same release") == 3
    assert "None comes near the bound: after every chain whose risk is known" in text
    assert re.search(r"the risk is lowest after [^:]+: [0-9.]+% .*\(attacker acquaintance, ", text)
    *_, last = str(plan).splitlines()
    assert last == "The plan offers nothing to publish, and no file was written."
    capsys.readouterr()
    # The file that it would have written is not there, which is no error of whoever names it.
    assert check_command([str(plan.folder), f"data.path={out}"]) == 1
    printed = capsys.readouterr().out
    assert f"has the fingerprint {plan.record['release_fingerprint']}; as it offers no" in printed
    assert check_command([str(plan.folder)]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert "offers no release: none that it tried keeps its bound, 0.1% for " in last
    assert "new plan" not in last
    assert check_command([str(plan.folder), "max_risk=0.3"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.endswith("needs a new plan: experiment=plan plan.max_risk=0.3")


def test_a_chain_that_leaves_nothing_is_not_called_untested(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """No attacker is to be left out for it."""
    caplog.set_level("INFO", "standout")
    plan = sim.plan(
        release_of(tmp_path), 0.001, ["drop_records.min_length=900"], folder=tmp_path / "run",
        attackers=["insider"], aux=["1/1"], options=GIVEN["options"],
    )  # fmt: skip
    said = " ".join(str(plan).split())
    none = "cannot be applied to these data, or leave nobody to attack"
    gone = f"1 further chain of defences {none}"
    assert "The only way to publish the data that was tried does not keep the bound" in said
    assert f"so nothing is offered. {gone}." in said
    assert f"1 release was tried, the data as they are; {gone}; 1 does not keep the bound." in said
    assert f"1 of 2 ways to publish the data, which {none}: drop_re" in said
    assert "nothing is left of the release" in said
    for words in ("could not be tested", "there is no model"):
        assert words not in said
    assert any("nothing is left" in message for message in caplog.messages)


def test_a_plan_is_the_same_when_it_is_run_again(plan: Result, tmp_path: Path) -> None:
    again = planned(tmp_path / "run", 1.0)
    for name in ("trials", "frontier"):
        files = [(run.folder / f"{name}.parquet").read_bytes() for run in (plan, again)]
        assert files[0] == files[1]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "plan.max_risk: null: a plan needs the bound"),
        (["plan.max_risk=1.5"], "plan.max_risk: 1.5"),
        (["plan.max_risk=0"], "plan.max_risk: 0: nothing can keep it"),
        (["plan.max_risk=0.1", "plan.utility=rmse_bias"], "plan.utility: 'rmse_bias'"),
        (["plan.max_risk=0.1", "plan.write=a.xlsx"], "plan.write: a.xlsx"),
        (["plan.max_risk=0.1", "defence=[drop_items]"], "defence: a plan tries the chains"),
        (["plan.max_risk=0.1", "attacker=insider"], "attacker=insider: an audit tries"),
        (["plan.max_risk=0.1", "targets=9"], "targets: the parts of this experiment set it"),
        (["plan.max_risk=0.1", "plan.defences=[drop_all]"], "plan.defences: 'drop_all'"),
    ],
)
def test_a_wrong_setting_is_refused_before_any_work(given: list[str], said: str) -> None:
    overrides = ["experiment=plan", *given]
    with pytest.raises(ConfigError, match=re.escape(said)):
        plan_job(configured(composed(overrides)), overrides)


def test_keys_of_a_plan_are_refused_elsewhere() -> None:
    overrides = ["plan.max_risk=0.1"]
    with pytest.raises(
        ConfigError, match="only a plan and a frontier have it; add experiment=plan"
    ):
        plan_job(configured(composed(overrides)), overrides)


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "release.csv"
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(StandoutError, match="is there already"):
        planned(tmp_path / "run", 1.0, out)
    assert out.read_text(encoding="utf-8") == "mine"


def test_a_plan_is_done_again_beside_its_own_file(tmp_path: Path) -> None:
    """As is advised where a file of its folder was changed."""
    out, folder = tmp_path / "release.csv", tmp_path / "run"
    first = planned(folder, 1.0, out, CHAINS[:1])
    written = out.read_bytes()
    for name in ("ledger.jsonl", "assessment.json"):
        (folder / name).unlink()
    again = planned(folder, 1.0, out, CHAINS[:1])
    assert out.read_bytes() == written
    assert again.record["plan"] == first.record["plan"]
    (folder / "ledger.jsonl").unlink()
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(StandoutError, match="is there already"):
        planned(folder, 1.0, out, CHAINS[:1])
    assert out.read_text(encoding="utf-8") == "mine"
