"""What was read, in numbers and findings, the same from Python and on the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sim
from sim.cli.describe import describe_command
from sim.errors import ConfigError, InputError
from sim.findings.finding import Finding
from sim.findings.suspicions import SUSPICIONS, stored_suspicions
from sim.release.store.doubtful_ids import EMAIL, PHONE, looks_like
from sim.session.description import quantiles


@pytest.fixture(scope="module")
def visits() -> pd.DataFrame:
    """Purchases, a third of them by one person, whose identifiers are e-mail addresses."""
    rng = np.random.default_rng(3)
    who = np.where(rng.random(900) < 0.5, 0, rng.integers(1, 40, 900))
    return pd.DataFrame(
        {
            "who": [f"p{k}@example.org" for k in who],
            "what": [f"place {k}" for k in rng.integers(0, 3000, 900)],
            "when": pd.Timestamp("2015-07-21") + pd.to_timedelta(rng.integers(0, 90, 900), "D"),
            "stars": rng.integers(1, 6, 900),
        }
    )


SUSPICION_NAMES = {kind.name for kind in SUSPICIONS}
COLUMNS: dict[str, Any] = {"user": "who", "item": "what", "value": "stars", "date": "when"}


def counted(found: Finding) -> tuple[object, ...]:
    """What a finding is about, its count and the whole."""
    return found.name, found.numbers["count"], found.denominator


def test_the_numbers_are_those_of_the_rows(visits: pd.DataFrame, tmp_path: Path) -> None:
    found = sim.table(visits, **COLUMNS, cache=str(tmp_path)).describe()
    cells = visits.drop_duplicates(["who", "what"])
    assert (found.rows, found.cells, found.merged) == (900, len(cells), 900 - len(cells))
    assert (found.people, found.items) == (visits["who"].nunique(), visits["what"].nunique())
    assert found.values == (1.0, 2.0, 3.0, 4.0, 5.0)
    assert found.dates == f"{visits['when'].min():%Y-%m-%d} to {visits['when'].max():%Y-%m-%d}"
    for column, quantiles_found in (("who", found.lengths), ("what", found.supports)):
        sizes = cells.groupby(column).size()
        assert quantiles_found["max"] == sizes.max()
        assert quantiles_found["50%"] == sizes.quantile(0.5, "lower")
        assert quantiles_found["mean"] == pytest.approx(sizes.mean())
    again = sim.table(visits.sample(frac=1, random_state=1), **COLUMNS, cache=str(tmp_path))
    assert f"SHA-256): {found.fingerprint}" in str(found)
    assert f"{found.people} people · {found.items} items · {found.cells} entries" in str(found)
    assert (len(found.fingerprint), again.describe().fingerprint) == (64, found.fingerprint)
    plain = found.to_dict()
    assert json.loads(json.dumps(plain))["lengths"] == plain["lengths"]


def test_blanks_of_a_wide_table_are_suspicious(tmp_path: Path) -> None:
    """Each would be read as an entry, and everybody would have every item."""
    wide = pd.DataFrame({"who": [1, 2, 3], "zoo": [5, None, 2], "lake": [1, 2, None]})
    long = wide.melt("who", var_name="place", value_name="stars")
    columns = {"user": "who", "item": "place", "value": "stars", "cache": str(tmp_path)}
    (found,) = (
        one
        for one in sim.table(long, **columns).describe().findings
        if one.kind == "blanks_as_entries"
    )
    assert counted(found) == ("stars", 2, 6)
    kept = sim.table(long.dropna(), **columns).describe().findings
    assert "blanks_as_entries" not in {one.kind for one in kept}


def test_findings_count_and_name_no_one(visits: pd.DataFrame, tmp_path: Path) -> None:
    found = sim.table(visits, **COLUMNS, cache=str(tmp_path)).describe()
    kinds = {one.kind: one for one in found.findings}
    assert set(kinds) == {
        *("people_far_above", "items_of_one_holder", "people_named", "rows_replaced"),
    }
    far = kinds["people_far_above"]
    assert (far.numbers["count"], far.numbers["people"]) == (found.lengths["max"], 1)
    assert counted(kinds["people_named"]) == ("who", found.people, found.people)
    assert "@" not in str(found)
    assert not re.search(r"place \d", str(found).partition("What we took as")[0])


@pytest.mark.parametrize(("holders", "swapped"), [(1, True), (2, False)])
def test_swapped_columns_are_suspicious(tmp_path: Path, holders: int, swapped: bool) -> None:
    """Six people and 200 items, each held by one person, or by two."""
    rows = [(f"p{(n + k) % 6}", f"i{n}") for n in range(200) for k in range(holders)]
    frame = pd.DataFrame(rows, columns=["a", "b"])
    found = sim.table(frame, user="a", item="b", cache=str(tmp_path)).describe()
    said = [one for one in found.findings if one.kind == "roles_swapped"]
    assert len(said) == swapped
    for one in said:
        assert (*counted(one), one.numbers["people"]) == ("a", 200, 200, 6)
        assert one.remedy == "data.user=b data.item=a"
    exchanged = sim.table(frame, user="b", item="a", shape="rows", cache=str(tmp_path))
    other = exchanged.describe()
    assert not any(one.kind == "roles_swapped" for one in other.findings)


@pytest.mark.parametrize(
    ("people", "items", "swapped"),
    [("Titel", "Ausweisnr", True), ("Ausweisnr", "Titel", False), ("film", "genre", True)],
)
def test_columns_are_swapped_by_their_names(
    tmp_path: Path, people: str, items: str, swapped: bool
) -> None:
    """Also where the numbers of people and items do not tell; and whoever publishes is told."""
    rows = [(f"p{(n + k) % 6}", f"i{n}") for n in range(6) for k in range(3)]
    frame = pd.DataFrame(rows, columns=[people, items])
    release = sim.table(frame, user=people, item=items, cache=str(tmp_path))
    remedy = f"data.user={items} data.item={people}"
    found = [one.remedy for one in release.describe().findings if one.kind == "roles_swapped"]
    assert found == [remedy] * swapped
    told = "\n".join(sim.publish(release, tmp_path / "out.csv"))
    assert (remedy in told) == swapped


def test_midnight_is_suspicious_but_in_a_frame_of_dates(
    visits: pd.DataFrame, tmp_path: Path
) -> None:
    """Pandas has no type of days; text that says 00:00:00, or a file of times, differs."""
    text = visits.assign(when=visits["when"].dt.strftime("%Y-%m-%d %H:%M:%S"))
    visits.to_parquet(tmp_path / "visits.parquet")
    for data, doubted in ((visits, False), (text, True), (tmp_path / "visits.parquet", True)):
        found = sim.table(data, **COLUMNS, cache=str(tmp_path)).describe()
        kinds = {one.kind: one.subject for one in found.findings}
        assert kinds.get("times_all_midnight") == ("column:when" if doubted else None)


def test_a_notebook_shows_a_description_escaped(visits: pd.DataFrame, tmp_path: Path) -> None:
    named = visits.rename(columns={"who": "<b>who"})
    columns = {**COLUMNS, "user": "<b>who"}
    shown = sim.table(named, **columns, cache=str(tmp_path)).describe()._repr_html_()
    assert shown.startswith("<pre>")
    assert "&lt;b&gt;who" in shown


def test_there_need_not_be_any(tmp_path: Path) -> None:
    rows = [(who, what) for who in range(20) for what in range(10) if (who + what) % 2]
    frame = pd.DataFrame(rows, columns=["who", "what"])
    found = sim.table(frame, user="who", item="what", cache=str(tmp_path)).describe()
    assert found.findings == ()
    assert "Mind" not in str(found)
    assert "No check found anything wrong." in str(found)
    frame.assign(born=1970).to_csv(tmp_path / "more.csv", index=False)
    more = tmp_path / "more.csv"
    warned = sim.table(more, user="who", item="what", cache=str(tmp_path)).describe()
    assert [one.kind for one in warned.findings] == ["columns_unread"]
    assert "No check found anything wrong." not in str(warned)


def test_negative_and_far_values_and_rows_without_a_person_are_suspicious(tmp_path: Path) -> None:
    """Of 3,000 values up to 500, three are −5 or less and two are beyond ten times the 99.9%."""
    paid = [k % 500 + k % 7 / 8 for k in range(2995)] + [-5.0, -6.0, -99_999.0, 80_000.0, 5_000.0]
    who: list[str | None] = [f"p{k % 90}" for k in range(3000)]
    who[::9] = [None] * len(who[::9])
    frame = pd.DataFrame({"who": who, "what": [f"i{k}" for k in range(3000)], "paid": paid})
    asked: dict[str, Any] = {"user": "who", "item": "what", "value": "paid", "empty": "drop"}
    found = sim.table(frame, **asked, cache=str(tmp_path)).describe()
    kinds = {one.kind: one for one in found.findings}
    kept = [value for person, value in zip(who, paid, strict=True) if person]
    usual = sorted(map(abs, kept))[int(np.ceil(0.999 * len(kept))) - 1]
    far = sum(abs(value) > 10 * usual for value in kept)
    negative = sum(value < 0 for value in kept)
    assert min(far, negative) > 0
    for kind, count in (("values_negative", negative), ("values_far", far)):
        assert counted(kinds[kind]) == ("paid", count, len(kept))
    assert counted(kinds["rows_without_role"]) == ("rows", 334, 3000)
    assert kinds["rows_without_role"].severity == 2
    assert f", {min(kept):g} to {max(kept):g}" in str(found)


def test_people_with_one_cell_and_one_value(tmp_path: Path) -> None:
    frame = pd.DataFrame({"row": range(50), "what": [k % 5 for k in range(50)], "stars": 1})
    with pytest.raises(InputError, match=r"row never repeats.* shape='rows'"):
        sim.table(frame, user="row", item="what", value="stars", cache=str(tmp_path))
    found = sim.table(
        frame, user="row", item="what", value="stars", shape="rows", cache=str(tmp_path)
    ).describe()
    assert [one.kind for one in found.findings] == ["people_of_one_entry", "one_value"]


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=60))
def test_quantiles_are_counts_that_occur(counts: list[int]) -> None:
    found = quantiles(np.array(counts, np.int32))
    ranked = sorted(counts)
    for name, part in (("5%", 0.05), ("25%", 0.25), ("50%", 0.5), ("95%", 0.95)):
        rank = int(np.ceil(round(part * len(counts), 9)))
        assert found[name] == ranked[max(0, rank - 1)]
    assert (found["min"], found["max"]) == (ranked[0], ranked[-1])


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("ann@example.org", EMAIL, 1),
        ("zoo | ann.b@mail.example.org", EMAIL, 1),
        ("ann@home", EMAIL, 0),
        ("@ann", EMAIL, 0),
        ("+49 170 1234567", PHONE, 1),
        ("0049-170-1234567", PHONE, 1),
        ("(030) 123 456 78", PHONE, 1),
        ("0171/1234567", PHONE, 1),
        ("555-867-5309", PHONE, 1),
        ("(415) 867-5309", PHONE, 1),
        ("20150721", PHONE, 0),
        ("2015-07-21", PHONE, 0),
        ("978-3-16-148410-0", PHONE, 0),
        ("123e4567-e89b-12d3-a456-426614174000", PHONE, 0),
        ("192.168.0.1", PHONE, 0),
        ("85123A", PHONE, 0),
        ("0042", PHONE, 0),
        ("00012345", PHONE, 0),
        ("0012345678", PHONE, 0),
    ],
)
def test_what_looks_like_an_address_or_a_phone_number(
    text: str, pattern: str, expected: int
) -> None:
    assert looks_like(pa.array([text, "x"]), pattern) == expected
    assert looks_like(pa.array([1, 2]), pattern) == 0


def test_the_command_prints_the_same(
    visits: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "visits.csv"
    visits.to_csv(path, index=False, sep=";", date_format="%d.%m.%Y", encoding="utf-16")
    given = [f"data.{role}={name}" for role, name in COLUMNS.items()]
    cache = f"data.cache={tmp_path / 'cache'}"
    describe_command(["data=table", f"data.path={path}", *given, cache])
    printed = capsys.readouterr().out
    release = sim.table(path, **COLUMNS, cache=str(tmp_path / "cache"))
    assert printed == f"{release.describe()}\n"
    describe_command(["format=json", "data=table", f"data.path={path}", *given, cache])
    read = json.loads(capsys.readouterr().out)
    assert read == json.loads(json.dumps(release.describe().to_dict()))
    assert (read["people"], len(read["fingerprint"])) == (release.describe().people, 64)
    assert "dates written as %d.%m.%Y (recognised)" in printed
    assert "UTF-16 (recognised)" in printed
    assert [one["kind"] for one in read["findings"]] == [
        one.kind for one in release.describe().findings
    ]


def test_suspicions_of_a_record_are_findings_again(visits: pd.DataFrame, tmp_path: Path) -> None:
    release = sim.table(visits, **COLUMNS, cache=str(tmp_path))
    found = [one for one in release.describe().findings if one.kind in SUSPICION_NAMES]
    record = {"suspicions": json.loads(json.dumps([one.as_json() for one in found]))}
    assert [*stored_suspicions(record)] == found
    broken = {"suspicions": [{"kind": ["x"]}, {"kind": "one_value", "numbers": 3}, None, "text"]}
    assert [*stored_suspicions(broken)] == []


@pytest.mark.parametrize("given", [[], ["--help"], ["seed=1"], ["data=table", "grid.aux=[1/1]"]])
def test_it_takes_the_data_and_nothing_else(given: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"standout describe FILE"):
        describe_command(given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["format=xml"], "format: 'xml': expected one of text, json"),
        (["format=json", "format=text"], "format=text: format is given twice"),
    ],
)
def test_formats_that_there_are_not(given: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        describe_command(["a.csv", *given])


@pytest.mark.parametrize("given", [["data.path="], ["data=table", "data.path="]])
def test_an_empty_path_is_called_empty(given: list[str]) -> None:
    with pytest.raises(ConfigError, match=r"^data\.path: '': empty; expected a path$"):
        describe_command(given)


def test_data_that_were_not_read_from_rows(tmp_path: Path) -> None:
    found = sim.synthetic("tiny", cache=str(tmp_path)).describe()
    assert found.rows == found.cells + found.merged + found.dropped + found.unreadable
    assert found.lengths["max"] <= found.items
