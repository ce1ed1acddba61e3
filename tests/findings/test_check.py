"""``standout check``: exit codes, and what it refuses."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from auditing import TESTED, audited, table_of
from tampering import forged

import sim
from sim.cli.check import check_command
from sim.cli.main import _main
from sim.errors import ConfigError, InputError
from sim.findings.assessment import assess, audit_of
from sim.findings.check import restrictions
from sim.findings.finding import kind_name
from sim.findings.risk_rows import COUNTING
from sim.findings.strongest import UNAWARE
from sim.findings.verdicts import WORST_FIRST
from sim.record.run_folder import open_folder
from sim.record.run_record import read_record, write_record
from sim.record.sweep_record import SWEEP, write_sweep
from sim.session.checked import Checked


@pytest.fixture
def copy(run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run, tmp_path / "copy"))


def kinds(checked: Checked) -> set[str]:
    """The kinds of findings of a check."""
    return {one.kind for one in checked.findings}


def verdicts(checked: Checked) -> dict[str, str]:
    """The worst verdict on each attacker, or criterion."""
    rows = sorted(checked.rows, key=lambda row: -WORST_FIRST.index(row.verdict))
    return {row.attacker or row.criterion: row.verdict for row in rows}


def last_line(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_a_bound_that_is_kept(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_command([str(run), "max_risk=0.09", TESTED]) == 0
    assert last_line(capsys) == "within: 1 of 1; bound 9% on the highest risk of a person"
    assert check_command([f"run={run}", "max_risk=0.09", "measure=mean", TESTED]) == 0
    (found,) = sim.check(run, max_risk=0.09, attackers=["insider"]).runs
    assert found.not_judged == ("public_profile",)
    asked_less = {
        *("facts_drawn_only", "attacker_not_judged", "attacker_left_out", "file_not_compared"),
        "file_format_not_looked_at",
    }
    assert asked_less <= kinds(found)


def test_a_bound_that_is_exceeded(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_command([str(run), "max_risk=0.08", TESTED]) == 1
    assert last_line(capsys).startswith("exceeds: 1 of 1 (insider)")
    assert check_command([str(run), "max_risk=0.08"]) == 1
    (found,) = sim.check(run, max_risk=0.08).runs
    assert verdicts(found) == {"insider": "exceeds", "public_profile": "not tested"}


def test_an_attacker_that_cannot_be_tested_is_never_within(run: Path) -> None:
    found = sim.check(run, max_risk=0.09)
    assert not found
    assert verdicts(found.runs[0]) == {"insider": "within", "public_profile": "not tested"}


def test_a_run_without_its_record_is_no_run(copy: Path) -> None:
    (copy / "run.json").unlink()
    with pytest.raises(InputError, match=r"copy: not a run folder: it has no run\.json"):
        check_command([str(copy), "max_risk=0.9"])


def test_who_counts_is_not_tested_where_a_release_shows_how_often(tmp_path: Path) -> None:
    twice = pd.concat([table_of([(1, 2, 3, 4)] * 12)] * 2, ignore_index=True)
    cache = str(tmp_path / "cache")
    every = sim.table(
        twice.assign(day=range(len(twice))),
        user="who",
        item="what",
        date="day",
        date_unit="days",
        repeats="all",
        cache=cache,
    )
    audit = sim.audit(every, folder=tmp_path / "run", attackers=["insider"])
    (found,) = sim.check(audit, max_risk=1).runs
    assert verdicts(found) == {"insider": "within", COUNTING: "not tested"}
    (found,) = sim.check(audit, max_risk=1, attackers=["insider"]).runs
    assert found.passed
    assert found.not_judged == (COUNTING,)
    assert "counts_published" in kinds(found)
    latest = audited(twice, tmp_path / "latest", attackers=["insider"])
    (found,) = sim.check(latest, max_risk=1, released="as_read").runs
    assert found.passed
    assert "counts_published" not in kinds(found)
    merged = [
        one for one in found.findings if (one.numbers.get("count"), one.denominator) == (48, 96)
    ]
    assert merged


def test_what_a_pass_is_worth_is_found(run: Path) -> None:
    (found,) = sim.check(run, max_risk=1, attackers=["insider"], measure="succeeds").runs
    assert found.passed
    assert {"no_bound_for_each", "bound_of_all"} <= kinds(found)


def test_an_attacker_of_ones_own_is_named(run: Path) -> None:
    """Its name says nothing: what it knows is what its file says."""
    audit = audit_of(open_folder(run))
    assert audit is not None
    found = assess(audit)
    names = {"insider": "strong", "public_profile": "mine"}
    own = replace(
        found,
        attackers=[names[name] for name in found.attackers],
        rows=[replace(row, attacker=names[row.attacker]) for row in found.rows],
    )
    said = {
        one.name: one.numbers["facts"]
        for one in restrictions(own, own.attackers, written=False)
        if one.kind == "own_attacker"
    }
    assert said == {"strong": 4, "mine": None}
    brought = restrictions(found, found.attackers, written=False)
    assert not any(one.kind == "own_attacker" for one in brought)


def test_a_baseline_shows_nothing_of_the_risk(tmp_path: Path) -> None:
    everyone = table_of([(1, 2, 3, 4)] * 12)
    release = sim.table(everyone, user="who", item="what", cache=str(tmp_path / "cache"))
    found = sim.check(sim.run(release, "random", aux=["2/2"], bayes_targets=0), max_risk=1.0)
    assert not found.passed
    assert {kind_name(row.reason) for row in found.runs[0].rows} == {"baseline"}


def test_who_does_not_know_how_the_data_were_changed_does_not_pass(tmp_path: Path) -> None:
    """Every value is now 3, and whoever takes them for the true ones finds nobody."""
    everyone = table_of(
        [range(n, n + 5) for n in range(20)], value=lambda who, item: (who + item) % 5
    )
    release = sim.table(everyone, user="who", item="what", value="value", cache=str(tmp_path))
    everyone.assign(value=3).to_csv(tmp_path / "threes.csv", index=False)
    external = {"name": "external", "path": str(tmp_path / "threes.csv")}
    grid = {"aux": ["2/2"], "value_noise": [0]}
    made = sim.run(release, "bayes", grid=grid, defence=[external])
    found = sim.check(made, max_risk=0.99)
    assert not found.passed
    (row,) = found.runs[0].rows
    assert row.reason == UNAWARE.found(defences="external")


def test_what_a_run_asks_less_than_an_audit_is_found(tmp_path: Path) -> None:
    everyone = table_of([(1, 2, 3, 4)] * 12)
    made = audited(everyone, tmp_path / "run", attackers=["insider", "acquaintance"], aux=["1/1"])
    (found,) = sim.check(made, max_risk=0.09).runs
    assert verdicts(found) == {"insider": "within", "acquaintance": "within"}
    left = {one.name for one in found.findings if one.kind == "attacker_left_out"}
    assert left == {"well_informed", "public_profile", "other_service"}
    (own,) = (one for one in found.findings if one.kind == "own_facts")
    assert own.name == "grid.aux=[1/1]"


def test_blank_records_hide_nobody(tmp_path: Path) -> None:
    """Five people have values of their own; records without any do not fit these."""
    crowd = table_of([range(8)] * 150).assign(value=5.0)
    few = table_of([range(10, 18)] * 20).assign(value=float("nan"))
    few["who"] += 150
    seen = few["who"] < 155
    few.loc[seen, "value"] = [1.0 + (7 * n + n // 8) % 5 for n in range(int(seen.sum()))]
    every = pd.concat([crowd, few], ignore_index=True)
    audited(every, tmp_path / "run", attackers=["insider"], max_risk=0.2)
    found = sim.check(tmp_path / "run", max_risk=0.2)
    (row,) = found.runs[0].rows
    assert (row.verdict, row.highest, row.counted) == ("exceeds", 1, 1)
    assert found.reasons == [
        "singling_out: insider: exceeds (counted as 100.0%, the bound is 20%; 170 people attacked)"
    ]


@pytest.mark.parametrize("bound", [0.09, 0.08])
@pytest.mark.parametrize("attackers", [["insider"], None])
def test_python_and_json_say_the_same_as_the_command(
    run: Path, capsys: pytest.CaptureFixture[str], bound: float, attackers: list[str] | None
) -> None:
    """One truth for ``assert`` and for the exit code, with the numbers that it rests on."""
    words = [str(run), f"max_risk={bound}", *([TESTED] if attackers else [])]
    code = check_command(words)
    text = capsys.readouterr().out
    assert check_command([*words, "format=json"]) == code
    printed = json.loads(capsys.readouterr().out)
    found = sim.check(run, max_risk=bound, attackers=attackers)
    assert found.to_dict() == printed
    assert f"{found}\n" == text
    assert (bool(found), found.passed, found.exit_code) == (code == 0, code == 0, code)
    assert (printed["format"], printed["passed"]) == (2, code == 0)
    assert bool(found.reasons) is (code == 1)
    assert all("the bound is" in line for line in found.reasons if ": exceeds (" in line)
    (one,) = printed["runs"]
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    assert one["data"] == {
        "source": record["release"]["source"], "fingerprint": record["release_fingerprint"]
    }  # fmt: skip
    assert (one["folder"], one["bound"], one["measure"]) == (str(run), bound, "highest")
    insider = next(row for row in one["rows"] if row["attacker"] == "insider")
    assert insider["verdict"] == ("within" if bound == 0.09 else "exceeds")
    assert insider["highest"] == pytest.approx(1 / 12)
    assert (insider["n"], insider["eligible"], insider["records"]) == (12, 12, 12)
    if attackers is None:
        assert {"not tested"} < {row["verdict"] for row in one["rows"]}


def test_python_refuses_what_the_command_refuses(run: Path, tmp_path: Path) -> None:
    for keywords, said in (
        ({"max_risk": 2}, r"^max_risk: 2: expected a number from 0 to 1, such as 0.02 for 2%$"),
        ({"max_risk": "0.1"}, r"^max_risk: '0.1': expected a number or None; as in max_risk=0.05"),
        ({"max_risk": 1, "measure": "maen"}, r"^measure: 'maen': did you mean mean\?"),
        ({}, r"^check: no bound"),
    ):
        with pytest.raises(ConfigError, match=said):
            sim.check(run, **keywords)
    with pytest.raises(ConfigError, match=r"nowhere: no such folder"):
        sim.check(tmp_path / "nowhere", max_risk=1)


@pytest.mark.parametrize(
    "asked",
    ["criterion=linkability", "criterion=[singling_out,inference]", "attackers=public_profile"],
)
def test_what_was_not_tested_is_never_within(
    run: Path, asked: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check_command([str(run), "max_risk=1", asked]) == 1
    assert last_line(capsys).startswith("not tested: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["max_risk=2"], "max_risk: '2': expected a number from 0 to 1, such as 0.02 for 2%"),
        (["max_risk=9%"], "max_risk: '9%': expected a number from 0 to 1, such as 0.09 for 9%"),
        (["max_risk=nan"], "max_risk"),
        (["max_risk=much"], "max_risk"),
        ([], "no bound"),
        (["max_risk=0.1", "max_risk=0.2"], "given twice"),
        (
            ["max_risk=0.1", "measure=median"],
            "measure: 'median': did you mean mean\\?; expected one of highest",
        ),
        (["max_risk=0.1", "criterion=luck"], "criterion: 'luck'"),
        (["max_risk=0.1", "attackers=burglar"], "attackers: burglar: not in this audit"),
        (["max_risk=0.1", "attackers="], "attackers"),
        (["bound=0.1"], "bound=0.1"),
    ],
)
def test_bad_input(run: Path, words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message.replace("(", r"\(")):
        check_command([str(run), *words])


def test_another_folder_is_refused(tmp_path: Path, run: Path) -> None:
    with pytest.raises(ConfigError, match="no such folder"):
        check_command([str(tmp_path / "none"), "max_risk=0.1"])
    with pytest.raises(InputError, match="not a run folder"):
        check_command([str(tmp_path), "max_risk=0.1"])


@pytest.fixture(scope="module")
def attack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An attack that is part of no audit."""
    folder = tmp_path_factory.mktemp("attack")
    everyone = table_of([(1, 2, 3, 4)] * 12)
    release = sim.table(everyone, user="who", item="what", cache=str(folder / "cache"))
    grid = {"aux": ["4/4"], "present": [True, False]}
    sim.run(release, "scoreboard_rh", grid=grid, folder=folder / "run")
    return folder / "run"


def test_an_attack_of_an_audit_is_not_checked_alone(attack: Path, tmp_path: Path) -> None:
    """It may pass where the audit does not; its overrides alone make a run of it."""
    shutil.copytree(attack, tmp_path / "run")
    record = read_record(attack)
    record["config"]["aggregate"] = "audit"
    write_record(tmp_path / "run", record)
    forged(tmp_path / "run")
    with pytest.raises(InputError, match="one attack of an audit, which judges all of its"):
        check_command([str(tmp_path / "run"), "max_risk=1"])


def test_attacks_are_checked_by_whom_the_best_guess_finds(
    attack: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Twelve people are alike, so a best guess finds each with probability 1/12."""
    (share,) = {*pd.read_parquet(attack / "curves.parquet")["rank1"].dropna().round(12)}
    high = float(pd.read_parquet(attack / "curves.parquet")["rank1_high"].max())
    assert share == round(1 / 12, 12)
    assert check_command([str(attack), f"max_risk={high + 0.001}"]) == 0
    (found,) = sim.check(attack, max_risk=high + 0.001).runs
    assert [row.verdict for row in found.rows] == ["within"] * 2
    assert {"attacks_only", "no_bound_for_each", "file_not_compared"} <= kinds(found)
    assert check_command([str(attack), f"max_risk={high - 0.001}"]) == 1
    capsys.readouterr()
    assert check_command([str(attack), "max_risk=0.01"]) == 1
    assert last_line(capsys).startswith("exceeds: 2 of 2")


def test_people_with_too_few_facts_count_as_found_by_an_attack(tmp_path: Path) -> None:
    """Of a suite, a part that cannot be run is not within either."""
    frame = table_of([(1, 2, 3, 4)] * 6 + [(1,)] * 4)
    release = sim.table(frame, user="who", item="what", cache=str(tmp_path / "cache"))
    folder = tmp_path / "run"
    parts = {"some": ["grid.aux=[2/2]"], "none": ["grid.aux=[9/9]"]}
    sim.run(release, options={"parts": parts, "bayes_targets": 0}, folder=folder)
    (found,) = sim.check(folder, max_risk=0.7).runs
    some, none = found.rows
    assert some.attacker.startswith("some: Scoreboard-RH: aux=2/2")
    assert (some.n, some.eligible, some.records) == (6, 6, 10)
    assert {some.verdict, none.verdict} == {"not tested"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "check: no bound: an attack has none of its own"),
        (["max_risk=0.5", "measure=mean"], "an attack tells only whom it finds; leave measure out"),
        (["max_risk=0.5", "attackers=insider"], "attackers: only an audit has it"),
        (["max_risk=0.5", "criterion=linkability"], "criterion: only an audit has it"),
    ],
)
def test_an_attack_is_not_asked_what_only_an_audit_is(
    attack: Path, words: list[str], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        check_command([str(attack), *words])


def test_a_frontier_is_refused_by_name(tmp_path: Path) -> None:
    record = {"status": "complete", "config": {"aggregate": "frontier"}}
    (tmp_path / "run.json").write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=r"a frontier is no audit: .* standout experiment=plan"):
        check_command([str(tmp_path), "max_risk=0.1"])


CHANGES = {
    "a table": lambda folder: frame(folder / "decisions.parquet"),
    "a record": lambda folder: text(folder / "run.json", '"seed": 1', '"seed": 2'),
    "the record": lambda folder: text(folder / "run.json", '"complete"', '"complete" '),
    "the assessment": lambda folder: (
        text(folder / "assessment.json", "exceeds", "within")
        or text(folder / "assessment.json", '"format": 2', '"format": 2 ')
    ),
    "a file removed": lambda folder: (folder / "worst.parquet").unlink(),
    "a file added": lambda folder: shutil.copy(
        folder / "assessment.parquet", folder / "more.parquet"
    ),
}


def frame(path: Path) -> None:
    decided = pd.read_parquet(path)
    decided["entropy_bits"] = 9.0
    decided.to_parquet(path)


def text(path: Path, old: str, new: str) -> bool:
    written = path.read_text(encoding="utf-8")
    path.write_text(written.replace(old, new), encoding="utf-8")
    return old not in written and False


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_run_is_refused(copy: Path, change: str) -> None:
    assert check_command([str(copy), "max_risk=0.09", TESTED]) == 0
    CHANGES[change](copy)
    with pytest.raises(InputError, match=r"(changed|added|removed) since the run"):
        check_command([str(copy), "max_risk=0.09"])


def test_an_incomplete_run_is_refused(copy: Path) -> None:
    ledger, record = copy / "ledger.jsonl", copy / "run.json"
    lines = ledger.read_text(encoding="utf-8").splitlines(keepends=True)
    ledger.write_text(lines[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"ledger\.jsonl: missing or cut off, though the run is"):
        check_command([str(copy), "max_risk=0.09"])
    ledger.unlink()
    with pytest.raises(InputError, match=r"ledger\.jsonl: missing or cut off, though the run is"):
        check_command([str(copy), "max_risk=0.09"])
    ledger.write_text(lines[0], encoding="utf-8")
    written = record.read_text(encoding="utf-8")
    record.write_text(written.replace('"complete"', '"running"', 1), encoding="utf-8")
    with pytest.raises(InputError, match="incomplete; finish the run first"):
        check_command([str(copy), "max_risk=0.09"])


def test_the_verdict_is_not_read_from_the_assessment(copy: Path) -> None:
    """Also where its digest is changed with it."""
    import hashlib

    path, ledger = copy / "assessment.json", copy / "ledger.jsonl"
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    found = json.loads(path.read_text(encoding="utf-8"))
    found["rows"][0]["highest"] = 0.001
    path.write_text(json.dumps(found), encoding="utf-8")
    after = hashlib.sha256(path.read_bytes()).hexdigest()
    ledger.write_text(ledger.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    assert check_command([str(copy), "max_risk=0.05"]) == 1


@pytest.mark.parametrize("more", ["\n", "more", "\udcff\n"])
def test_a_line_that_was_added_to_the_ledger(run: Path, tmp_path: Path, more: str) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run, copy)
    ledger = copy / "ledger.jsonl"
    with ledger.open("a", errors="surrogateescape") as file:
        file.write(more)
    last = len(ledger.read_bytes().splitlines())
    with pytest.raises(InputError, match=rf"ledger\.jsonl:{last}: added after the line in which"):
        check_command([str(copy), "max_risk=1"])


@pytest.mark.parametrize(
    ("asked", "code"), [("max_risk=0.09", 0), ("max_risk=0.01", 1), ("max_risk=-1", 2)]
)
def test_exit_codes_of_the_command(
    run: Path, asked: str, code: int, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["standout", "check", str(run), asked, TESTED])
    left: Any = 0
    try:
        _main()
    except SystemExit as ended:
        left = ended.code
    assert left == code
    assert len(capsys.readouterr().err.splitlines()) == (code == 2)


def test_every_run_of_a_sweep_is_checked(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The worst code is that of the sweep; a run that was changed is refused."""
    for job in ("0", "1"):
        shutil.copytree(run, tmp_path / "sweep" / job)
    assert check_command([str(tmp_path / "sweep"), "max_risk=1", "measure=mean"]) == check_command(
        [str(run), "max_risk=1", "measure=mean"]
    )
    assert str(tmp_path / "sweep" / "1") in capsys.readouterr().out
    assert check_command([str(tmp_path / "sweep"), "max_risk=0"]) == 1
    assert "0 of 2 runs within the bound; above it: 2; not tested: 0" in capsys.readouterr().out
    shutil.rmtree(tmp_path / "sweep" / "1")
    shutil.copytree(run, tmp_path / "sweep" / "1")
    assert check_command([str(tmp_path / "sweep"), "max_risk=1", "measure=mean", TESTED]) == 0
    *_, empty, last = capsys.readouterr().out.splitlines()
    count, *less = last.split("; ")
    assert (empty, count) == ("", "2 of 2 runs within the bound")
    assert less == ["not asked for, and not judged: public profile"]
    write_sweep(tmp_path / "sweep", [tmp_path / "sweep" / job for job in ("0", "1", "2")])
    with pytest.raises(InputError, match=r"1 of its 3 jobs is not complete \(2\)"):
        check_command([str(tmp_path / "sweep"), "max_risk=1"])
    (tmp_path / "sweep" / SWEEP).write_text("[]")
    with pytest.raises(InputError, match=r"sweep\.json: is not what a sweep writes"):
        check_command([str(tmp_path / "sweep"), "max_risk=1"])
    (tmp_path / "sweep" / SWEEP).unlink()
    (tmp_path / "sweep" / "multirun.yaml").touch()
    with pytest.raises(InputError, match=r"sweep: the sweep did not end; give the command"):
        check_command([str(tmp_path / "sweep"), "max_risk=1"])
