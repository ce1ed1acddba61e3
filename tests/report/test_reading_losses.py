"""What reading the data lost: every row accounted for, and said wherever a result is shown."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from reporting import Page, numbers_in, run_at
from tables import table_source

import sim
from sim.cli.describe import describe_command
from sim.errors import InputError
from sim.record.run_folder import open_folder
from sim.release.store.accounts import (
    CUT,
    DROPPED,
    EPOCH,
    FILE_NAMES,
    FIRST_UNREADABLE,
    JOINED,
    METADATA,
    NEGATIVE,
    OTHER_FILES,
    UNREAD,
    UNREADABLE,
    UNUSED,
    VALUES,
    ZONES,
    Accounts,
)
from sim.release.store.build import build_store
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.value_bins import ValueBins
from sim.report.page.text import WIDTH, text_of
from sim.report.words.plain.data import rows_read
from sim.report.words.reading_losses import losses, remarks, span
from sim.session.open_release import described

pytestmark = pytest.mark.usefixtures("no_drawings")

JITTERED = ("defence=[jitter_time]", "defence.jitter_time.date_noise=2")


def described_table(folder: Path, text: str, **columns: Any) -> dict[str, Any]:
    """The manifest of a csv, as in ``run.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "rows.csv"
    path.write_text(text, encoding="utf-8")
    release = sim.table(path, user="who", item="what", cache=str(folder / "cache"), **columns)
    return described(release.store)


CELL = st.sampled_from(["", "NA", " ", *"abcde"])
ROW = st.tuples(
    CELL,
    CELL,
    st.sampled_from(["1", "2.5", "", "NA", "x"]),
    st.sampled_from(["2005-09-06", "2005-09-06T12:30:00", "", "2005-09-07 00:00", "1970-01-01"]),
)


@settings(max_examples=examples(40))
@given(st.lists(ROW, min_size=1, max_size=40), st.integers(1, 200))
def test_every_row_is_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], block_bytes: int
) -> None:
    """Rows read = cells kept + merged + dropped + unreadable, each counted by hand."""
    folder = tmp_path_factory.mktemp("rows")
    lines = "".join(",".join(row) + "\n" for row in rows)
    (folder / "rows.csv").write_text(f"who,what,stars,when\n{lines}")
    source = table_source(
        *(folder / "rows.csv", "who", "what", "stars", "when"),
        empty="drop",
        unreadable="drop",
        block_bytes=block_bytes,
    )
    named = [
        row for row in rows if row[0].strip() not in ("", "NA") and row[1].strip() not in ("", "NA")
    ]
    kept = [row for row in named if row[2] != "x"]
    if not kept:
        with pytest.raises(InputError, match="holds no rows"):
            build_store(source, folder / "store")
        return
    manifest = build_store(source, folder / "store")
    found = Accounts.of(
        {
            "n_cells": manifest.n_cells,
            "n_duplicates": manifest.n_duplicates,
            "notes": manifest.notes,
        }
    )
    cells = len({row[:2] for row in kept})
    assert found == Accounts(
        rows=len(rows),
        cells=cells,
        merged=len(kept) - cells,
        dropped=len(rows) - len(named),
        unreadable=len(named) - len(kept),
        timed=sum("12:30" in row[3] for row in kept),
        cut=sum("12:30" in row[3] for row in kept),
        no_date=sum(not row[3] for row in kept),
        no_value=sum(row[2] in ("", "NA") for row in kept),
    )
    assert found.rows == found.cells + found.merged + found.dropped + found.unreadable
    assert manifest.notes.get(EPOCH, 0) == sum(row[3] == "1970-01-01" for row in kept)


@pytest.mark.parametrize(
    ("release", "numbers", "about"),
    [
        ({"n_cells": 980, "n_duplicates": 11}, ["11", "1,000", "1.1%"], "one row"),
        ({"notes": {CUT: 840}}, ["840", "1,000", "84.0%"], "time of day"),
        ({"notes": {CUT: 840}, "time_bin": "90"}, ["840", "1,000", "84.0%"], "as 90-minute bins"),
        ({"notes": {"rows without a date": 11}}, ["11", "1,000", "1.1%"], "date"),
        ({"notes": {"rows without a value": 1000}}, ["1,000", "1,000", "100.0%"], "value"),
        ({"notes": {DROPPED: 11}}, ["11", "1,000", "1.1%"], "dropped"),
        ({"notes": {UNREADABLE: 11}}, ["11", "1,000", "1.1%"], "published after all"),
        ({"notes": {EPOCH: 11}}, ["11", "1,000", "1.1%"], "1970-01-01"),
        ({"notes": {NEGATIVE: 11, VALUES: 1000}}, ["11", "1,000", "1.1%"], "negative"),
        ({"notes": {OTHER_FILES: "1: a.csv"}}, ["1"], "a.csv"),
        ({"notes": {UNREAD: "2: title, branch"}}, ["2"], "title, branch"),
        ({"notes": {ZONES: "3: UTC, Asia/Tokyo, X"}}, ["3"], "Asia/Tokyo"),
        ({"notes": {UNUSED: "title (4)"}}, ["4"], "title"),
        ({"notes": {METADATA: "1: owner"}}, ["1"], "owner"),
        ({"notes": {FILE_NAMES: "2 files, such as a.csv and St. Eve.csv"}}, ["2"], "St. Eve.csv"),
        ({"notes": {JOINED: "2: who, day"}}, ["2"], "who, day"),
    ],
)
def test_what_is_over_a_hundredth_is_said(
    release: dict[str, Any], numbers: list[str], about: str
) -> None:
    whole = {"n_records": 50, "n_items": 50, "n_cells": 1000, "n_duplicates": 0, **release}
    whole["notes"] = {"rows": 1000, **release.get("notes", {})}
    (said,) = losses(whole)
    assert numbers_in(said)[: len(numbers)] == numbers
    assert about in said
    less = {name: 10 if count == 11 else count for name, count in whole.items()}
    less["notes"] = dict.fromkeys(whole["notes"], 10) | {"rows": 1000, VALUES: 1000}
    for name in (OTHER_FILES, UNREAD, ZONES, UNUSED, METADATA, JOINED, FILE_NAMES):
        less["notes"].pop(name, None)
    assert losses(less) == ()


def test_doubtful_identifiers_are_counted_and_said(tmp_path: Path) -> None:
    """Kept apart as they are written, but never in silence."""
    ids = [
        "ann",
        "ann ",
        "Ann",
        "\u00a0ann",
        "'ann'",
        "caf\u00e9",
        "cafe\u0301",
        "7",
        "7.0",
        "007",
        "1.23457E+15",
        "bob",
    ]
    text = "who,what\n" + "".join(f"{who},zoo\n" for who in ids)
    release = described_table(tmp_path, text)
    assert release["n_records"] == 12
    twins, rounded = losses(release)
    assert numbers_in(twins)[:3] == ["7", "12", "58.3%"]
    assert numbers_in(rounded)[:3] == ["1", "12", "8.3%"]
    assert "people" in twins
    assert "1.23457E+15" in rounded
    plain = described_table(tmp_path / "plain", "who,what\nann,1.5E5\nbob,E12\n007,2e\n70,1.0.0\n")
    assert losses(plain) == ()


def test_a_second_header_after_a_mark_of_byte_order(tmp_path: Path) -> None:
    """The mark of a file that was appended is no part of a name, nor lost at a block's begin."""
    for text in (
        "who,what\nann,zoo\n\ufeffwho,what\nbob,spa\n",
        "who,what\n\ufeffwho,what\nbob,spa\n",
    ):
        with pytest.raises(InputError, match="repeats the header"):
            described_table(tmp_path, text)
    release = described_table(tmp_path, "who,what\n\ufeffann,zoo\nann,spa\n")
    assert release["n_records"] == 2
    assert len(losses(release)) == 1


@pytest.fixture(scope="module")
def visits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Visits at some hour of a day, most of a person's places more than once."""
    rng = np.random.default_rng(5)
    path = tmp_path_factory.mktemp("visits") / "visits.csv"
    frame = pd.DataFrame({"who": rng.integers(1, 60, 3000), "what": rng.integers(1, 40, 3000)})
    hours = pd.to_timedelta(rng.integers(1, 24 * 90, 3000) // 24 * 24 + 9, "h")
    frame["when"] = pd.Timestamp("2020-01-01") + hours
    frame.to_csv(path, index=False)
    return path


def test_losses_are_said_wherever_a_result_is_shown(visits: Path, tmp_path: Path) -> None:
    names = {"user": "who", "item": "what", "date": "when"}
    release = sim.table(visits, **names, repeats="latest", cache=str(tmp_path / "cache"))
    grid = {"aux": ["2/2"], "date_noise": [3], "value_noise": [None]}
    result = sim.run(release, grid=grid, targets=10, folder=tmp_path / "run")
    merged, timed = losses(described(release.store))
    kept = release.store.manifest.n_cells
    assert numbers_in(merged)[:2] == [f"{3000 - kept:,}", "3,000"]
    assert numbers_in(timed)[:3] == ["3,000", "3,000", "100.0%"]
    days = span(described(release.store))
    assert days == "2020-01-01 to 2020-03-30"
    page = Page((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    block = page.text_within("headline")
    for sentences in (merged, timed):
        assert fill(sentences, WIDTH) in str(result)
        assert sentences in repr(release)
        assert sentences in release.describe().remarks
        assert sentences in block
    for text in (str(result), repr(release), release.describe().dates, block):
        assert days in text
    facts = release.describe()
    assert facts.rows == facts.cells + facts.merged


def test_they_are_of_the_data_as_read_where_the_publisher_changes_them(
    visits: Path, tmp_path: Path
) -> None:
    given = [
        *("data=table", f"data.path={visits}", f"data.cache={tmp_path / 'cache'}"),
        *("data.user=who", "data.item=what", "data.date=when", "cluster=inline", "targets=10"),
        *("data.repeats=latest", "grid.aux=[2/2]", "grid.value_noise=[null]", "bayes_targets=0"),
    ]
    plain = open_folder(run_at(tmp_path / "plain", *given).folder)
    noisy = open_folder(run_at(tmp_path / "noisy", *given, *JITTERED).folder)
    said = losses(plain.record["release"])
    assert len(said) == 2
    assert losses(noisy.record["release"]) == ()
    page = Page((tmp_path / "noisy" / "report.html").read_text(encoding="utf-8"))
    for sentences in said:
        assert fill(sentences, WIDTH) in text_of(noisy)
        assert sentences in page.text_within("headline")


@pytest.mark.parametrize(("bad", "doubtful"), [(8, False), (40, True)])
def test_rows_that_cannot_be_read_are_said_wherever_a_result_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: int, doubtful: bool
) -> None:
    """With their share, the first place and not its cell; many of them are doubted."""
    rows = "".join(f"{n % 20},{n // 20},3,2020-01-{n % 28 + 1:02}\n" for n in range(400))
    given = tmp_path / "visits.csv"
    given.write_text(f"who,what,stars,when\n{rows}" + "0,0,secret,2020-02-01\n" * bad)
    names = {"user": "who", "item": "what", "value": "stars", "date": "when"}
    cache = str(tmp_path / "cache")
    release = sim.table(given, unreadable="drop", **names, cache=cache)
    (sentences, *_) = losses(described(release.store))
    share = f"{100 * bad / (400 + bad):.1f}%"
    assert numbers_in(sentences)[:3] == [str(bad), str(400 + bad), share]
    assert "line 402, column stars" in sentences
    assert ("chosen wrongly" in sentences) == doubtful
    found = release.describe()
    assert (found.rows, found.unreadable, found.cells) == (400 + bad, bad, 400)
    assert sentences in found.remarks
    doubts = [one for one in found.suspicions if one.kind == "rows that could not be read"]
    assert [(one.count, one.whole) for one in doubts] == [(bad, 400 + bad)] * doubtful
    keys = [f"data.{key}={value}" for key, value in (names | {"cache": cache}).items()]
    asked = ["data=table", f"data.path={given}", "data.unreadable=drop", *keys]
    describe_command(asked)
    shown = capsys.readouterr().out
    line = next(one for one in shown.splitlines() if one.startswith("with a cell that could not"))
    assert numbers_in(line) == [str(bad), share]
    assert "the first of these" in shown
    grid = {"aux": ["2/2"], "date_noise": [3], "value_noise": [None]}
    result = sim.run(release, grid=grid, targets=10, folder=tmp_path / "run")
    assert fill(sentences, WIDTH) in str(result)
    page = Page((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    assert sentences in page.text_within("headline")
    assert f"{UNREADABLE} {bad}" in page.said()
    assert f"{FIRST_UNREADABLE} line 402, column stars" in page.said()
    told = " ".join(rows_read(open_folder(tmp_path / "run").record))
    assert f"{bad} dropped because a cell could not be read" in told
    summary = json.loads((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert summary["data"]["rows"]["unreadable"] == bad
    assert not any("secret" in text for text in (shown, str(result), page.said(), str(summary)))


def test_little_losses_stay_in_the_notes(tmp_path: Path) -> None:
    rows = "".join(f"{n % 20},{n // 20},2020-01-{n % 28 + 1:02}\n" for n in range(400))
    given = tmp_path / "visits.csv"
    given.write_text(f"who,what,when\n{rows}0,0,2020-02-01\n0,1,\n0,2,2020-01-05 10:00\n,3,\n")
    names = {"user": "who", "item": "what", "date": "when", "cache": str(tmp_path / "cache")}
    release = sim.table(given, empty="drop", **names)
    (remark,) = release.describe().remarks
    assert remark.startswith("Some dates are written with a time of day and others without")
    assert "rows read" not in repr(release)
    found = release.describe()
    assert (found.rows, found.dropped, found.rows_with_time_of_day) == (404, 1, 1)
    assert found.notes["rows without a date"] == 1
    grid = {"aux": ["2/2"], "date_noise": [3], "value_noise": [None]}
    result = sim.run(release, grid=grid, targets=10, folder=tmp_path / "run")
    assert "rows read" not in str(result)
    page = Page((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    assert "rows read" not in page.text_within("headline")
    assert f"{DROPPED} 1" in page.said()


@pytest.mark.parametrize(
    ("rule", "merged", "too_low"),
    [
        ("all", 1, True),
        ("count", 3, True),
        ("sum", 3, True),
        ("latest", 3, True),
        ("first", 3, True),
    ],
)
def test_rows_of_one_person_and_item_are_accounted_for_by_every_rule(
    tmp_path: Path, rule: str, merged: int, too_low: bool
) -> None:
    """Ann was in the bar three times, two of them at one time and value; Bob twice."""
    path = tmp_path / "rows.csv"
    path.write_text(
        "who,what,stars,when\nann,bar,1,2005-09-06\nann,bar,1,2005-09-06\nann,bar,2,2005-09-07\n"
        "bob,bar,1,2005-09-06\nbob,bar,1,2005-09-08\n"
    )
    source = table_source(path, "who", "what", "stars", "when", repeats=Repeats(rule))
    build_store(source, tmp_path / "store")
    release = described(Store(tmp_path / "store"))
    found = Accounts.of(release)
    assert (found.rows, found.merged, found.cells) == (5, merged, 5 - merged)
    (sentences,) = losses(release)
    assert numbers_in(sentences)[:2] == [str(merged), "5"]
    assert ("too low" in sentences) == too_low


@pytest.mark.parametrize(
    ("rule", "columns", "said"),
    [
        ("count", (), "are counted. No other column of theirs is read, so the measured risk is not "
         "affected."),
        ("count", ("stars",), "are counted. The measured risk is too low if an attacker knows the "
         "values."),
        ("sum", ("stars",), "added up. The measured risk is too low if an attacker knows the "
         "single values."),
        ("latest", ("stars",), "only the row of the greatest value of a person for an item is "
         "kept."),
        ("sum", ("stars", "when"), "kept with the latest time. The measured risk is too low if an "
         "attacker knows the time of more than the latest or the single values."),
    ],
)  # fmt: skip
def test_times_and_values_are_mentioned_where_the_table_has_them(
    tmp_path: Path, rule: str, columns: tuple[str, ...], said: str
) -> None:
    path = tmp_path / "rows.csv"
    ann, bob = "ann,bar,2,2005-09-06\n", "bob,bar,1,2005-09-07\n"
    path.write_text(f"who,what,stars,when\n{3 * ann}{bob}")
    source = table_source(path, "who", "what", *columns, repeats=Repeats(rule))
    build_store(source, tmp_path / "store")
    sentences, *unread = losses(described(Store(tmp_path / "store")))
    assert said in sentences
    left = [name for name in ("stars", "when") if name not in columns]
    assert [f"({len(left)}: {', '.join(left)})" in each for each in unread] == [True] * bool(left)
    assert ("time" in sentences) == ("when" in columns)


@pytest.mark.parametrize(
    ("rule", "dates", "values"),
    [
        ("all", (2, 1), (4, 0)),
        ("latest", (1, 2), (3, 1)),
        ("first", (1, 2), (3, 1)),
        ("sum", (1, 2), (2, 2)),
        ("count", (1, 2), None),
    ],
)
def test_rows_without_a_date_are_entries_without_one_or_none_of_their_own(
    tmp_path: Path, rule: str, dates: tuple[int, int], values: tuple[int, int] | None
) -> None:
    """Ann was in the bar four times, once on a date; Bob and Cid on one, Dee on none."""
    path = tmp_path / "rows.csv"
    path.write_text(
        "who,what,stars,when\nann,bar,1,\nann,bar,,2005-09-06\nann,bar,1,\n"
        "bob,bar,,2005-09-06\nbob,bar,2,2005-09-06\ncid,bar,,2005-09-07\ndee,bar,,\n"
    )
    source = table_source(path, "who", "what", "stars", "when", repeats=Repeats(rule))
    build_store(source, tmp_path / "store")
    release = described(Store(tmp_path / "store"))
    for what, total, counts in (("date", 3, dates), ("value", 4, values)):
        given = f"{total} of 7 rows read"
        if counts is None:
            assert not any(given in one for one in losses(release))
            continue
        (one,) = (one for one in losses(release) if f"have no {what} " in one)
        left, gone = counts
        missing = release["missing_days" if what == "date" else "missing_values"]
        assert (left, left + gone) == (missing, total)
        assert one.startswith(given)
        assert f": {left} entr{'y' if left == 1 else 'ies'} of the data " in one
        assert (f"the other {gone} row" in one) == (gone > 0)


def test_rows_that_are_all_replaced_leave_no_entry_without_a_date(tmp_path: Path) -> None:
    text = "who,what,stars,when\n" + "".join(
        f"p{k},bar,1,\np{k},bar,1,2005-09-06\n" for k in range(9)
    )
    release = described_table(tmp_path, text, value="stars", date="when")
    (said,) = (one for one in losses(release) if "have no date" in one)
    assert numbers_in(said)[:2] == ["9", "18"]
    assert "no entry of the data lacks a date" in said
    assert release["missing_days"] == 0


def test_a_day_without_a_time_of_day_is_said_to_be_kept_by_its_column_alone(tmp_path: Path) -> None:
    rows = ("who,what,day,time", "ann,bar,03/11/2025,18:45", "bob,bar,03/11/2025,")
    text = "\n".join([*rows, "cid,bar,04/11/2025,9:05", ""])
    release = described_table(tmp_path, text, date=("day", "time"), date_format="%d/%m/%Y %H:%M")
    (said,) = (one for one in losses(release) if "have no date" in one)
    assert "(one of the columns day, time is empty or a word such as NA)" in said
    assert said.endswith("data.date with that column alone keeps the day of each row.")
    alone = described_table(tmp_path / "alone", text, date="day", date_format="%d/%m/%Y")
    assert alone["missing_days"] == 0


def test_bins_of_values_are_said(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("who,what,stars\n" + "".join(f"p{k},bar,{k}\n" for k in range(9)))
    source = table_source(path, "who", "what", "stars", value_bins=ValueBins.parse("log2"))
    build_store(source, tmp_path / "store")
    (sentences,) = losses(described(Store(tmp_path / "store")))
    assert "(log2): 5 levels, each the lower end" in sentences


def test_many_values_are_said_to_be_binned_with_their_number(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("who,what,paid\n" + "".join(f"p{k},bar,{k / 8}\n" for k in range(1020)))
    build_store(table_source(path, "who", "what", "paid"), tmp_path / "store")
    (sentences,) = losses(described(Store(tmp_path / "store")))
    assert "(quantiles:255): the 1,020 distinct ones are 255 levels, each the lower" in sentences
    assert "risk is too low" in sentences
    assert "data.value_bins=none" in sentences
    kept = table_source(path, "who", "what", "paid", value_bins=ValueBins.parse("none"))
    build_store(kept, tmp_path / "kept")
    assert losses(described(Store(tmp_path / "kept"))) == ()


def test_what_was_recognised_is_said_first_wherever_a_result_is_shown(tmp_path: Path) -> None:
    rows = "".join(f"u{n % 20},é{n // 20},{n % 28 + 1}/1/2020\n" for n in range(400))
    given = tmp_path / "visits.csv"
    given.write_bytes(f"who,what,when\n{rows}".encode("cp1252"))
    names = {"user": "who", "item": "what", "date": "when", "cache": str(tmp_path / "cache")}
    release = sim.table(given, **names)
    found = remarks(described(release.store))
    assert found == (
        "Recognised by the first rows: dates written as %d/%m/%Y. If that is wrong, set "
        "data.date_format.",
        "Recognised by the first letters that are not ASCII (line 2): text in Windows-1252, as "
        "it is not UTF-8. If letters look wrong, set another encoding, such as "
        "data.encoding=windows-1250 or data.encoding=iso8859-2.",
    )
    grid = {"aux": ["2/2"], "date_noise": [3], "value_noise": [None]}
    result = sim.run(release, grid=grid, targets=10, folder=tmp_path / "run")
    page = Page((tmp_path / "run" / "report.html").read_text(encoding="utf-8"))
    for sentences in found:
        for text in (fill(sentences, WIDTH), sentences):
            assert text in str(result) or text in repr(release)
        assert sentences in repr(release)
        assert sentences in page.text_within("headline")
    told = sim.table(given, **names, date_format="%d/%m/%Y", encoding="windows-1252")
    assert remarks(described(told.store)) == ()


def test_days_of_another_zone_are_mentioned(tmp_path: Path) -> None:
    """In text and by type; nothing where times have no zone."""
    times = pd.date_range("2020-01-01 22:30", periods=40, freq="7h", tz="Europe/Berlin")
    rows = pd.DataFrame(
        {"who": [n % 39 for n in range(40)], "what": [n % 5 for n in range(40)], "when": times}
    )
    rows.to_parquet(tmp_path / "typed.parquet")
    rows.to_csv(tmp_path / "text.csv", index=False)
    rows.assign(when=times.tz_localize(None)).to_csv(tmp_path / "no_zone.csv", index=False)
    for name, n in (("typed.parquet", 1), ("text.csv", 1), ("no_zone.csv", 0)):
        release = sim.table(
            tmp_path / name, user="who", item="what", date="when", cache=str(tmp_path / "cache")
        )
        found = remarks(described(release.store))
        assert sum("their days are those of UTC" in one for one in found) == n


def test_identifiers_that_name_people_are_said_wherever_results_are(tmp_path: Path) -> None:
    """However few: they need no attack."""
    rows = [f"p{k},i{k % 3}" for k in range(400)]
    text = "\n".join(["who,what", *rows, "p0,i1", "ann@example.org,i1", "bob,+49 170 1234567", ""])
    found = losses(described_table(tmp_path, text))
    assert [one.partition(", which")[0] for one in found] == [
        "1 of 402 people (0.2%) are e-mail addresses by the look of them",
        "1 of 4 items (25.0%) are phone numbers by the look of them",
    ]
    assert losses(described_table(tmp_path / "none", "who,what\nann,1\nbob,2\n")) == ()
