"""What reading lost, doubts and recognises, as findings: every row accounted for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

import sim
from sim.errors import InputError
from sim.findings.finding import Finding, Severity
from sim.findings.kinds import KINDS
from sim.findings.reading import (
    LOST_ROWS,
    PARTS,
    UNREAD,
    reading_findings,
    release_findings,
    unread_findings,
)
from sim.release.store import accounts
from sim.release.store.accounts import DROPPED, EPOCH, NEGATIVE, UNREADABLE, VALUES, Accounts
from sim.release.store.build import build_store
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.value_bins import ValueBins
from sim.report.screens.data import data_lines
from sim.report.screens.reading_details import reading_details
from sim.report.sentences import sentence
from sim.session.open_release import described


def described_table(folder: Path, text: str, **columns: Any) -> dict[str, Any]:
    """The manifest of a csv, as in ``run.json``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "rows.csv"
    path.write_text(text, encoding="utf-8")
    release = sim.table(path, user="who", item="what", cache=str(folder / "cache"), **columns)
    return described(release.store)


def built(folder: Path, text: str, *columns: str, **options: Any) -> dict[str, Any]:
    """The same, of columns by their place and with the options of a source."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rows.csv").write_text(text, encoding="utf-8")
    source = table_source(folder / "rows.csv", "who", "what", *columns, **options)
    build_store(source, folder / "store")
    return described(Store(folder / "store"))


def by_kind(release: dict[str, Any]) -> dict[str, Finding]:
    return {one.kind: one for one in release_findings(release)}


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
        max_unread=1,
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


ROWS_READ = {"n_records": 50, "n_items": 50, "n_cells": 1000, "n_duplicates": 0}


@pytest.mark.parametrize(
    ("release", "kind", "from_first"),
    [
        ({"n_duplicates": "N"}, "rows_replaced", False),
        ({"notes": {accounts.CUT: "N"}}, "times_cut", False),
        ({"notes": {accounts.NO_DATE: "N"}}, "cells_missing", False),
        ({"notes": {accounts.NO_VALUE: "N"}}, "cells_missing", False),
        ({"notes": {DROPPED: "N"}}, "rows_without_role", True),
        ({"notes": {UNREADABLE: "N"}}, "rows_unreadable", True),
        ({"notes": {EPOCH: "N"}}, "dates_of_zero", False),
        ({"notes": {NEGATIVE: "N", VALUES: 1000}}, "values_negative", False),
    ],
)
@pytest.mark.parametrize("count", [1, 9, 11])
def test_counts_and_the_threshold(
    release: dict[str, Any], kind: str, from_first: bool, count: int
) -> None:
    """Shown from one in a hundred on; rows that were lost, from the first."""
    whole: dict[str, Any] = {**ROWS_READ, **release}
    whole["notes"] = {"rows": 1000, **release.get("notes", {})}
    for part in (whole, whole["notes"]):
        part.update({key: count for key, value in part.items() if value == "N"})
    (found,) = release_findings(whole)
    assert (found.kind, found.numbers["count"], found.denominator) == (kind, count, 1000)
    assert found.is_shown == (from_first or count > 10)


@pytest.mark.parametrize("note", PARTS)
def test_what_lies_beside_the_cells_is_named(note: str) -> None:
    release = {**ROWS_READ, "notes": {"rows": 1000, note: "2: one, two"}}
    (found,) = unread_findings(release)
    assert (found.name, found.numbers["listed"]) == (PARTS[note], "2: one, two")
    read = [*reading_findings({"release": release})]
    assert [one.kind for one in read if one.is_shown] == ["file_holds_more"]
    assert read[-1].numbers["parts"] == 1


def test_columns_that_were_not_read_are_shown_by_themselves() -> None:
    notes = {"rows": 1000, accounts.UNREAD: "2: title, branch"}
    (found,) = reading_findings({"release": {**ROWS_READ, "notes": notes}})
    assert (found.kind, found.numbers["listed"]) == ("columns_unread", "2: title, branch")
    assert found.is_shown


def test_what_a_written_file_lacks_is_no_warning() -> None:
    notes = {"rows": 1000, accounts.UNREAD: "1: title", DROPPED: 200, accounts.ZONES: "2: a, b"}
    record = {"release": {**ROWS_READ, "notes": notes}}
    assert any(one.is_shown for one in reading_findings(record))
    written = record | {"plan": {"written": {"path": "r.csv"}}}
    assert not any(one.is_shown for one in reading_findings(written))
    assert len([*unread_findings(record["release"])]) == 3


def test_doubtful_identifiers_are_counted(tmp_path: Path) -> None:
    """Kept apart as they are written, but never in silence."""
    ids = [
        *("ann", "ann ", "Ann", "\u00a0ann", "'ann'", "caf\u00e9", "cafe\u0301"),
        *("7", "7.0", "007", "1.23457E+15", "bob"),
    ]
    text = "who,what\n" + "".join(f"{who},zoo\n" for who in ids)
    release = described_table(tmp_path, text)
    found = by_kind(release)
    counts = {kind: (one.numbers["count"], one.denominator) for kind, one in found.items()}
    assert counts == {"identifiers_alike": (7, 12), "identifiers_rounded": (1, 12)}
    assert {one.numbers["role"] for one in found.values()} == {"people"}
    plain = described_table(tmp_path / "plain", "who,what\nann,1.5E5\nbob,E12\n007,2e\n70,1.0.0\n")
    assert not by_kind(plain)


def test_identifiers_that_name_people_need_no_attack(tmp_path: Path) -> None:
    """However few; those of people are more than what was attacked."""
    rows = [f"p{k},i{k % 3}" for k in range(400)]
    text = "\n".join(["who,what", *rows, "p0,i1", "ann@example.org,i1", "bob,+49 170 1234567", ""])
    release = described_table(tmp_path, text)
    found = by_kind(release)
    people, items = found["people_named"], found["items_named"]
    assert (people.numbers["form"], people.numbers["count"], people.denominator) == (
        *("e-mail addresses", 1, 402),
    )
    assert (items.numbers["form"], items.numbers["count"], items.denominator) == (
        *("phone numbers", 1, 4),
    )
    assert people.severity == items.severity == Severity.SERIOUS
    assert [one.kind for one in unread_findings(release)] == ["people_named"]
    assert not by_kind(described_table(tmp_path / "none", "who,what\nann,1\nbob,2\n"))


@pytest.mark.parametrize(("bad", "kind"), [(8, "rows_unreadable"), (40, "many_rows_unreadable")])
def test_rows_that_cannot_be_read(tmp_path: Path, bad: int, kind: str) -> None:
    """With the first place and not its cell; many of them are doubted."""
    rows = "".join(f"{n % 20},{n // 20},3,2020-01-{n % 28 + 1:02}\n" for n in range(400))
    text = f"who,what,stars,when\n{rows}" + "0,0,secret,2020-02-01\n" * bad
    release = described_table(tmp_path, text, value="stars", date="when", max_unread=1)
    found = by_kind(release)[kind]
    assert (found.numbers["count"], found.denominator) == (bad, 400 + bad)
    assert found.numbers["first"] == "line 402, column stars"
    assert (found.severity == Severity.SERIOUS) == (kind == "many_rows_unreadable")
    record = {"release": release}
    (table, *_) = (one.table for one in reading_details(record) if one.table is not None)
    cells = {row[0]: row[1] for row in table.rows}
    assert (cells["rows"], cells["kept as entries"]) == (f"{400 + bad}", "400")
    assert cells[KINDS[kind].meaning] == str(bad)


ROWS_OF_FIVE = (
    "who,what,stars,when\nann,bar,1,2005-09-06\nann,bar,1,2005-09-06\nann,bar,2,2005-09-07\n"
    "bob,bar,1,2005-09-06\nbob,bar,1,2005-09-08\n"
)


@pytest.mark.parametrize(
    ("rule", "columns", "merged", "kind", "about"),
    [
        ("all", ("stars", "when"), 1, "rows_copied", None),
        ("count", ("stars", "when"), 3, "rows_added_up", "times or values"),
        ("count", ("stars",), 3, "rows_added_up", "values"),
        ("count", (), 3, "rows_counted", None),
        ("sum", ("stars", "when"), 3, "rows_added_up", "times or values"),
        ("sum", ("stars",), 3, "rows_added_up", "values"),
        ("latest", ("stars", "when"), 3, "rows_replaced", "latest"),
        ("first", ("stars", "when"), 3, "rows_replaced", "earliest"),
        ("latest", ("stars",), 3, "rows_replaced", "one of the greatest value"),
        ("first", ("stars",), 3, "rows_replaced", "one of the least value"),
        ("latest", (), 3, "rows_replaced", "one"),
    ],
)
def test_rows_of_one_person_and_item_by_every_rule(
    tmp_path: Path, rule: str, columns: tuple[str, ...], merged: int, kind: str, about: str | None
) -> None:
    """Ann was in the bar three times, two of them at one time and value; Bob twice."""
    release = built(tmp_path, ROWS_OF_FIVE, *columns, repeats=Repeats(rule))
    found = by_kind(release)
    rows = Accounts.of(release)
    assert (rows.rows, rows.merged, rows.cells) == (5, merged, 5 - merged)
    one = found[kind]
    assert (one.numbers["count"], one.denominator) == (merged, 5)
    assert about in (None, one.numbers.get("kept"), one.numbers.get("lost"))
    assert {*found} & LOST_ROWS == {kind}
    left = [name for name in ("stars", "when") if name not in columns]
    assert ("columns_unread" in found) == bool(left)
    is_more = kind in {unread.kind for unread in unread_findings(release)}
    assert is_more == (kind != "rows_counted") == (kind in UNREAD)


@pytest.mark.parametrize(
    ("rule", "dates", "values"),
    [
        *(("all", 2, 4), ("latest", 1, 3), ("first", 1, 3), ("sum", 1, 2), ("count", 1, None)),
    ],
)
def test_entries_without_a_date_or_a_value(
    tmp_path: Path, rule: str, dates: int, values: int | None
) -> None:
    """Ann was in the bar four times, once on a date; Bob and Cid on one, Dee on none."""
    text = (
        "who,what,stars,when\nann,bar,1,\nann,bar,,2005-09-06\nann,bar,1,\n"
        "bob,bar,,2005-09-06\nbob,bar,2,2005-09-06\ncid,bar,,2005-09-07\ndee,bar,,\n"
    )
    release = built(tmp_path, text, "stars", "when", repeats=Repeats(rule))
    found = {
        one.numbers["part"]: (one.numbers["count"], one.denominator)
        for one in release_findings(release)
        if one.kind == "cells_missing"
    }
    cells = release["n_cells"]
    expected = {"date": (dates, cells), "value": None if values is None else (values, cells)}
    assert found == {part: given for part, given in expected.items() if given}


def test_rows_that_are_all_replaced_leave_no_entry_without_a_date(tmp_path: Path) -> None:
    pairs = "".join(f"p{k},bar,1,\np{k},bar,1,2005-09-06\n" for k in range(9))
    text = f"who,what,stars,when\n{pairs}"
    found = by_kind(described_table(tmp_path, text, value="stars", date="when"))
    assert "cells_missing" not in found
    assert found["rows_replaced"].numbers["count"] == 9


def test_columns_that_a_date_is_joined_from_are_named(tmp_path: Path) -> None:
    rows = ("who,what,day,time", "ann,bar,03/11/2025,18:45", "bob,bar,03/11/2025,")
    text = "\n".join([*rows, "cid,bar,04/11/2025,9:05", ""])
    joined = described_table(tmp_path, text, date=("day", "time"), date_format="%d/%m/%Y %H:%M")
    assert by_kind(joined)["cells_missing"].numbers["columns"] == "day, time"
    alone = described_table(tmp_path / "alone", text, date="day", date_format="%d/%m/%Y")
    assert "cells_missing" not in by_kind(alone)


def test_bins_of_values(tmp_path: Path) -> None:
    text = "who,what,stars\n" + "".join(f"p{k},bar,{k}\n" for k in range(9))
    few = by_kind(built(tmp_path / "few", text, "stars", value_bins=ValueBins.parse("log2")))
    assert few["values_binned"].numbers == {"bins": "log2", "levels": 5, "distinct": None}
    text = "who,what,paid\n" + "".join(f"p{k},bar,{k / 8}\n" for k in range(1020))
    many = by_kind(built(tmp_path / "many", text, "paid"))["values_binned"]
    assert many.numbers == {"bins": "quantiles:255", "levels": 255, "distinct": 1020}
    assert many.remedy == "data.value_bins=none"
    kept = built(tmp_path / "kept", text, "paid", value_bins=ValueBins.parse("none"))
    assert "values_binned" not in by_kind(kept)


def test_times_that_are_cut_name_a_narrower_bin(tmp_path: Path) -> None:
    rows = "".join(f"p{k % 9},i{k % 7},2020-01-{k + 1:02} 10:{k:02}\n" for k in range(20))
    found = by_kind(described_table(tmp_path, f"who,what,when\n{rows}", date="when"))["times_cut"]
    assert (found.numbers["count"], found.denominator, found.numbers["bin"]) == (20, 20, "day")
    key, _, width = found.remedy.partition("=")
    finer = described_table(tmp_path, f"who,what,when\n{rows}", date="when", time_bin=width)
    assert key == "data.time_bin"
    assert Accounts.of(finer).cut < 20


def test_what_was_recognised(tmp_path: Path) -> None:
    rows = "".join(f"u{n % 20},é{n // 20},{n % 28 + 1}/1/2020\n" for n in range(400))
    path = tmp_path / "visits.csv"
    path.write_bytes(f"who,what,when\n{rows}".encode("cp1252"))
    names: dict[str, Any] = {
        "user": "who", "item": "what", "date": "when", "cache": str(tmp_path / "cache"),
    }  # fmt: skip
    release = sim.table(path, **names)
    found = by_kind(described(release.store))
    assert found["date_format_recognised"].numbers["format"] == "%d/%m/%Y"
    assert found["encoding_recognised"].numbers["first"] == "line 2"
    assert "date = when (day/month/year)" in repr(release)
    told = sim.table(path, **names, date_format="%d/%m/%Y", encoding="windows-1252")
    assert not by_kind(described(told.store))


def test_days_of_another_zone(tmp_path: Path) -> None:
    """In text and by type; nothing where times have no zone."""
    times = pd.date_range("2020-01-01 22:30", periods=40, freq="7h", tz="Europe/Berlin")
    rows = pd.DataFrame(
        {"who": [n % 39 for n in range(40)], "what": [n % 5 for n in range(40)], "when": times}
    )
    rows.to_parquet(tmp_path / "typed.parquet")
    rows.to_csv(tmp_path / "text.csv", index=False)
    rows.assign(when=times.tz_localize(None)).to_csv(tmp_path / "no_zone.csv", index=False)
    for name, zoned in (("typed.parquet", True), ("text.csv", True), ("no_zone.csv", False)):
        release = sim.table(
            tmp_path / name, user="who", item="what", date="when", cache=str(tmp_path / "cache")
        )
        assert ("days_of_utc" in by_kind(described(release.store))) == zoned


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
    assert len(by_kind(release)) == 1


def test_findings_are_of_the_data_as_read(tmp_path: Path) -> None:
    """Whatever the publisher changed; the screen says what is left of them."""
    read = described_table(tmp_path, "who,what,city\n" + "ann,zoo,x\n" * 9 + "bob,spa,y\n")
    left = read | {"n_cells": 1, "n_duplicates": 0, "n_records": 1, "notes": {}}
    data = {"kind": "table", "path": "a/rows.csv", "user": "who", "item": "what"}
    changed = {"config": {"data": data}, "release": left, "read": read,
               "defences": [{"name": "drop_items"}]}  # fmt: skip
    plain = {"config": {"data": data}, "release": read}
    assert [*reading_findings(changed)] == [*reading_findings(plain)]
    first, roles, last = data_lines(changed)
    assert first == "rows.csv  2 people · 2 items · 2 entries of 10 rows"
    assert roles.strip() == "person = who   item = what"
    assert last == "after drop_items: 1 record · 2 items · 1 entry"


def test_every_number_of_a_template_is_found(tmp_path: Path) -> None:
    notes = dict.fromkeys(PARTS, "1: x") | {
        "rows": 1000, accounts.UNREAD: "1: x", DROPPED: 1, UNREADABLE: 1, accounts.ZEROS: 1,
        accounts.BINS: "log2", accounts.CUT: 1, accounts.NO_DATE: 1, accounts.NO_VALUE: 1,
        EPOCH: 1, NEGATIVE: 1, accounts.FAR: 1, VALUES: 9,
    }  # fmt: skip
    for role in ("people", "items"):
        for name in (accounts.EMAILS, accounts.PHONES, accounts.NAMES, accounts.TWINS,
                     accounts.ROUNDED, accounts.TOTALS):  # fmt: skip
            notes[name.format(role)] = 1
    release = {**ROWS_READ, "n_duplicates": 1, "notes": notes}
    found = [*reading_findings({"release": release})]
    assert len(found) >= 30
    for one in found:
        assert one.kind in KINDS
        assert len(sentence(one)) < 200
