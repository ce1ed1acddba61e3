"""``standout compare`` and ``sim.compare``: several runs in one table."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from auditing import audited, judged, table_of

import sim
from sim.cli.compare import compare_command
from sim.errors import ConfigError, InputError
from sim.session.result import Result

pytestmark = pytest.mark.usefixtures("no_drawings")

RECORDS = [[(r * 7 + k * k) % 23 for k in range(6)] for r in range(40)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("compare")


@pytest.fixture(scope="module")
def release(place: Path) -> sim.Release:
    frame = table_of(RECORDS)
    return sim.table(frame, user="who", item="what", cache=str(place / "cache"))


@pytest.fixture(scope="module")
def attacks(release: sim.Release, place: Path) -> list[Result]:
    """Two jobs of a sweep, by number; the tenth comes after the second."""
    return [
        sim.run(release, phi=phi, aux=["2/2", "3/3"], bayes_targets=0, folder=place / "jobs" / job)
        for phi, job in ((1.0, "2"), (3.0, "10"))
    ]


@pytest.fixture(scope="module")
def audits(place: Path) -> list[Result]:
    given = {"attackers": ["insider"], "max_risk": 0.5}
    chain = {"defence": ["drop_items"], "defence.drop_items.min_support": 8}
    return [
        audited(table_of(RECORDS), place / name, options=options, **given)
        for name, options in (("before", {}), ("after", chain))
    ]


def test_what_differs_is_a_column(attacks: list[Result]) -> None:
    found = sim.compare(*attacks)
    assert found.conditions == ("run", "attack.phi", "aux")
    assert found.table[["run", "attack.phi", "aux"]].to_numpy().tolist() == [
        ["2", "1.0", "2/2"], ["2", "1.0", "3/3"], ["10", "3.0", "2/2"], ["10", "3.0", "3/3"],
    ]  # fmt: skip
    for result, rows in zip(attacks, (found.table[:2], found.table[2:]), strict=True):
        for name in ("rank1", "rank1_low", "matched_right_high"):
            assert rows[name].tolist() == result.curves[name].tolist()
        assert rows["n"].tolist() == result.curves["n_targets"].tolist()


def test_runs_without_a_folder_are_named_by_their_order(
    release: sim.Release, attacks: list[Result]
) -> None:
    """A list is taken as well, and whatever ran twice has the same table."""
    tables = []
    for _ in range(2):
        some = [sim.run(release, phi=phi, aux=["2/2"], bayes_targets=0) for phi in (1.0, 2.0)]
        tables.append(sim.compare(some).table)
        assert sim.compare(*some).table.equals(tables[-1])
    assert tables[0].equals(tables[1])
    assert tables[0]["run"].tolist() == ["run 1", "run 2"]
    mixed = sim.compare(attacks[0], some[0], some[0]).table["run"].unique()
    assert mixed.tolist() == ["2", "run 2", "run 2 (2)"]
    parts = {"a": ["grid.aux=[2/2]"], "b": ["grid.aux=[3/3]"]}
    both = sim.run(release, bayes_targets=0, options={"parts": parts})
    assert sim.compare(both).table["run"].unique().tolist() == ["a", "b"]
    assert sim.compare(*both.parts.values()).table["run"].tolist() == ["a", "b"]
    with pytest.raises(ConfigError, match=r"^compare: 3: expected a result or a path$"):
        sim.compare([some[0], 3])  # type: ignore[list-item]


def test_an_option_without_effect_is_no_difference(release: sim.Release, place: Path) -> None:
    """Who matches by another rule has no φ."""
    some = [
        sim.run(release, "bayes", phi=phi, aux=["2/2"], targets=5, folder=place / f"bayes {phi}")
        for phi in (1.0, 3.0)
    ]
    assert "attack.phi" not in sim.compare(*some).conditions


def test_audits_have_their_verdicts(audits: list[Result]) -> None:
    found = sim.compare(*audits)
    assert found.conditions[:2] == ("run", "defence")
    assert found.table["run"].tolist() == ["before", "after"]
    assert found.table["defence"].tolist() == ["none", "drop_items.min_support=8"]
    for result, mean in zip(audits, found.table["mean"], strict=True):
        assert result.assessment is not None
        (row,) = judged(result)
        assert row["mean"]["estimate"] == pytest.approx(mean)


def test_plans_are_named_by_their_folders_and_not_by_what_they_searched(
    release: sim.Release, place: Path
) -> None:
    plans = [
        sim.plan(
            release, max_risk=1.0, folder=place / name, attackers=["insider"], utility=["cells"],
            defences=chains, options={"grid.aux": ["2/2"], "plan.utility": "cells"},
        )
        for name, chains in (("one", ["drop_time"]), ("two", ["drop_time", "drop_items"]))
    ]  # fmt: skip
    found = sim.compare(*plans)
    assert found.table["run"].tolist() == ["one", "two"]
    assert not [name for name in found.conditions if name.startswith("plan.")]
    caption = str(found).splitlines()[0]
    assert caption.endswith("by a bound of 100% on the mean risk of a person")


def test_runs_of_one_name_have_labels_of_their_own(attacks: list[Result], place: Path) -> None:
    """Only the folders that tell runs apart are named; a run that is given twice has a number."""
    folders = [place / "alike" / date / "runs" / "audit" for date in ("monday", "tuesday")]
    for folder, made in zip(folders, attacks, strict=True):
        shutil.copytree(made.folder, folder)
    assert sim.compare(*folders).table["run"].unique().tolist() == ["monday", "tuesday"]
    again = sim.compare(*folders, folders[0]).table["run"].unique().tolist()
    assert again == ["monday", "tuesday", "monday (2)"]
    figure = sim.compare(*folders).figure()
    labels = [each.get_text() for each in figure.axes[0].get_yticklabels()]
    assert len(set(labels)) == len(labels)
    assert not any("–" in label for label in labels)


def test_an_existing_file_is_refused_before_the_table(
    attacks: list[Result], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "there").mkdir(exist_ok=True)
    with pytest.raises(ConfigError, match="is there already"):
        compare_command([str(attacks[0].folder), f"out={place / 'there'}"])
    assert capsys.readouterr().out == ""


def test_the_command_prints_and_writes(
    attacks: list[Result], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The folder of a sweep stands for its jobs, by number."""
    compare_command([str(place / "jobs"), f"out={place / 'written'}"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "% [95% interval]; n: people attacked"
    assert lines[1].split()[:4] == ["run", "attack.phi", "facts", "right"]
    assert [line.split()[0] for line in lines[2:6]] == ["2", "2", "10", "10"]
    written = pd.read_parquet(place / "written" / "comparison.parquet")
    assert written["rank1"].tolist() == sim.compare(*attacks).table["rank1"].tolist()
    assert (place / "written" / "comparison.png").is_file()
    with pytest.raises(ConfigError, match=r"^out: .*written: is there already"):
        compare_command([str(place / "jobs"), f"out={place / 'written'}"])


def test_what_cannot_be_compared_is_told(
    attacks: list[Result], audits: list[Result], release: sim.Release, place: Path
) -> None:
    with pytest.raises(InputError) as mixed:
        sim.compare(attacks[0], audits[0], attacks[1])
    assert str(mixed.value).endswith("not 2 attacks and 1 audit")
    with pytest.raises(InputError, match=r"no attack and no audit, so it is not compared$"):
        sim.compare(sim.measure(release, "lengths", folder=place / "lengths"))
    with pytest.raises(InputError, match=r"holds no run: it has no run\.json, and no jobs"):
        sim.compare(place / "cache")
    with pytest.raises(ConfigError, match=r"^compare: expected run folders"):
        compare_command([])
    with pytest.raises(ConfigError, match=r"^compare: nowhere: no such folder"):
        compare_command(["nowhere"])
    record = attacks[0].folder / "run.json"
    with pytest.raises(ConfigError, match=r"run\.json: a file, not a folder; the folder of its ru"):
        compare_command([str(record)])


def test_a_run_that_was_changed_is_not_compared(audits: list[Result], tmp_path: Path) -> None:
    """Nor opened again: its numbers are no longer those of the attacks."""
    first, second = (audit.folder for audit in audits[:2])
    copy = tmp_path / "copy"
    shutil.copytree(first, copy)
    record = (copy / "run.json").read_text(encoding="utf-8")
    (copy / "run.json").write_text(record.replace("0.5", "0.6"), encoding="utf-8")
    for call in (lambda: compare_command([str(copy), str(second)]), lambda: sim.load(copy)):
        with pytest.raises(InputError, match="changed since the run"):
            call()


def test_where_stores_lie_is_no_difference(place: Path, attacks: list[Result]) -> None:
    frame = table_of(RECORDS)
    release = sim.table(frame, user="who", item="what", cache=str(place / "another cache"))
    other = sim.run(release, phi=2.0, aux=["2/2", "3/3"], bayes_targets=0)
    assert sim.compare(attacks[0], other).conditions == ("run", "attack.phi", "aux")


@pytest.mark.parametrize("levels", [([14], [None]), ([14], [3, None]), ([14], [14])])
def test_an_axis_that_is_null_in_one_run_is_a_column(
    place: Path, levels: tuple[list[int | None], ...]
) -> None:
    """Unknown dates are a level like any other; levels look alike whatever else there is."""
    frame = table_of(RECORDS, day=lambda who, item: (7 * who + item) % 90)
    release = sim.table(
        frame, user="who", item="what", date="day", date_unit="days", cache=str(place / "dated")
    )
    some = [sim.run(release, aux=["2/2"], date_noise=each, bayes_targets=0) for each in levels]
    found = sim.compare(*some)
    differ = levels[0] != levels[1]
    assert found.conditions == ("run", *(("date_noise",) if differ else ()))
    rows = str(found).splitlines()[2:]
    assert len(rows) == sum(map(len, levels))
    if differ:
        shown = ["unknown" if one is None else f"±{one} d" for each in levels for one in each]
        assert [re.split("  +", row)[1] for row in rows] == shown
