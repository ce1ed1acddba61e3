"""Rows that cannot be read: refused, or left out whole and counted; nothing else is left out."""

from __future__ import annotations

import csv
import io
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

import sim
from sim.errors import ConfigError, InputError
from sim.release.readers.date_reader import DateReader
from sim.release.readers.strict_parser import number_or_missing
from sim.release.store.accounts import DROPPED, FIRST_UNREADABLE, ROWS, UNREADABLE
from sim.release.store.unread_rows import UnreadRow, write_unread
from sim.session.keywords import as_keywords

NAMES = ("who", "what", "stars", "when")
ADVICE = "to leave out such rows, set data.max_unread=0.01, for up to 1% of all"
ASKED = (0, 0.01, 1)

MESSY = """who,what,stars,when
ann,zoo,4,2020-01-01
ann,spa,x,2020-01-02
bob,zoo,3
bob,bar,3,not known
bob,spa,inf,2020-01-03
,spa,x,2020-01-03
cat,zoo,2,2020-13-03
cat,bar,,2020-01-04
"""


def table(path: Path, **options: Any) -> Any:
    return table_source(path, *NAMES, **options)


def cells_of(source: Any) -> list[tuple[Any, ...]]:
    """All rows, with what is missing as text, so that they can be compared."""
    rows: list[tuple[Any, ...]] = []
    for chunk in source.chunks():
        ids = [x.to_pylist() if hasattr(x, "to_pylist") else list(x)
               for x in (chunk.record, chunk.item)]  # fmt: skip
        rows += zip(*ids, map(str, chunk.value), chunk.time.tolist(), strict=True)
    return rows


def left_of(source: Any) -> tuple[list[Any], dict[str, Any], int, str | None]:
    """Rows, notes without the counts of rows, rows left out, and where the first of them is."""
    rows, notes = cells_of(source), dict(source.notes())
    count, first = notes.pop(UNREADABLE, 0), notes.pop(FIRST_UNREADABLE, None)
    assert notes.pop(ROWS) == len(rows) + count + notes.get(DROPPED, 0)
    return rows, notes, count, first


@pytest.mark.parametrize("block_bytes", [8, 50, 1 << 20])
def test_a_table_by_hand(tmp_path: Path, block_bytes: int) -> None:
    path = tmp_path / "a.csv"
    path.write_text(MESSY)
    source = table(path, max_unread=1, empty="drop", block_bytes=block_bytes)
    for _ in range(2):  # counts begin anew
        rows, notes, count, first = left_of(source)
        assert [row[:3] for row in rows] == [("ann", "zoo", "4.0"), ("cat", "bar", "nan")]
        assert (count, first, notes[DROPPED]) == (5, "line 3, column stars", 1)


def test_the_same_in_parquet_and_in_a_folder(tmp_path: Path) -> None:
    """Infinite values and dates beyond 2200; the file of the first is named within a folder."""
    for name, stars in (("2009", [1.0, 2.0]), ("2010", [np.inf, 3.0])):
        (tmp_path / "t" / name).mkdir(parents=True)
        when = [datetime(2020, 1, 1), datetime(2300 if name == "2010" else 2020, 1, 2)]
        made = pa.table({"who": ["a", "b"], "what": ["x", "y"], "stars": stars, "when": when})
        pq.write_table(made, tmp_path / "t" / name / "0.parquet")
    with pytest.raises(InputError, match=rf"row 1: column stars: inf is not finite.*; {ADVICE}"):
        cells_of(table(tmp_path / "t"))
    rows, _, count, first = left_of(table(tmp_path / "t", max_unread=1))
    assert [row[0] for row in rows] == ["a", "b"]
    assert (count, first) == (2, "2010/0.parquet, row 1, column stars")


UNITS: dict[str, tuple[dict[str, str], str, list[str]]] = {
    "ISO": ({}, "2020-01-05", ["2020-01-06", "2020-02-30", "2020-01-06T10:00", "12000", "0"]),
    "a format": ({}, "31/12/2019", ["1/2/2020", "30/2/2020", "2020-01-06", "12000", "13/13/2013"]),
    "seconds": ({}, "978300760", ["12000", "0", "978300761.5", "9e99", "2020-01-05"]),
    "stated ISO": ({"date_unit": "iso"}, "", ["2020-01-06T10:00Z", "2020-01-06T10:00", "5"]),
    "Excel": ({"date_unit": "excel"}, "", ["42206", "42206.5", "5", "2020-01-05"]),
    "stated format": ({"date_format": "%d.%m.%Y"}, "", ["1.2.2020", "31.2.2020", "2020-01-05"]),
    "undecided": ({}, "", ["2020-01-06", "0", "12000", "978300760"]),
}
"""Settings, the date of the first row, and further dates, by what dates are."""


def dropped_by_hand(text: str, options: dict[str, str]) -> tuple[str, list[int]] | None:
    """The text without the rows that cannot be read, and their lines; None: an undecided date."""
    dates = DateReader(options.get("date_unit", "auto"), options.get("date_format"))
    dates.look(pa.array([row[3] for row in csv.reader(io.StringIO(text)) if len(row) == 4][1:]))
    out, gone = io.StringIO(), []
    writer, done = csv.writer(out, lineterminator="\n"), 0
    reader = csv.reader(io.StringIO(text))
    for row in reader:
        line, done = done + 1, reader.line_num
        try:
            if row and line > 1:
                if len(row) != len(NAMES):
                    raise ValueError  # noqa: TRY301
                number_or_missing(row[2])
                try:
                    dates.cell(row[3])
                except ValueError:
                    if dates.unit is None:
                        return None
                    raise
            writer.writerow(row)
        except ValueError:
            gone.append(line)
    return out.getvalue(), gone


ODD_ROWS = ["a,b", "a,b,1,2020-01-05,x", "a", "a,b,,,"]


@settings(max_examples=examples(150))
@given(st.data(), st.sampled_from(sorted(UNITS)), st.integers(1, 300))
def test_text_is_read_as_if_the_rows_were_not_there(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, unit: str, block_bytes: int
) -> None:
    options, first_date, more = UNITS[unit]
    row = st.tuples(
        st.sampled_from(["a", "b", '"c\nd"', '"e,f"']),
        st.sampled_from(["x", "007"]),
        st.sampled_from(["1", "2.5", "", "NA", "3,5", "x", "inf", "1e400", '"4,5"']),
        st.sampled_from([first_date, first_date, "", "NaT", "x", *more]),
    ).map(",".join)
    lines = data.draw(st.lists(st.one_of(row, row, row, st.sampled_from(ODD_ROWS)), max_size=12))
    first = [f"a,x,1,{first_date}"] if first_date else []
    text = "\n".join([",".join(NAMES), *first, *lines, ""])
    cells = [one for one in csv.reader(io.StringIO(text)) if len(one) != len(NAMES)]
    assume(not any("\n" in cell for row in cells for cell in row))  # a quote may be missing
    folder = tmp_path_factory.getbasetemp()
    messy, clean = folder / "messy.csv", folder / "clean.csv"
    messy.write_text(text)
    options = {**options, "multiline": True}
    source = table(messy, max_unread=1, block_bytes=block_bytes, **options)
    by_hand = dropped_by_hand(text, options)
    if by_hand is None:
        with pytest.raises(InputError) as caught:
            cells_of(source)
        assert "data.max_unread" not in str(caught.value)
        return
    clean.write_text(by_hand[0])
    gone = by_hand[1]
    if by_hand[0].count("\n") == 1:
        with pytest.raises(InputError, match="holds no rows"):
            cells_of(source)
        return
    rows, notes, count, place = left_of(source)
    assert (rows, notes) == left_of(table(clean, **options))[:2]
    assert count == len(gone)
    assert place is None if not gone else str(place).startswith(f"line {gone[0]}")
    if gone:
        with pytest.raises(InputError) as caught:
            cells_of(table(messy, block_bytes=block_bytes, **options))
        assert str(caught.value).startswith(f"{messy}:{gone[0]}:")
        assert str(caught.value).endswith(f"; {ADVICE}")


DAYS = {
    "numbers": (pa.float64(), [12_000.0, 12_001.0, 0.0, None, 12_000.5, np.inf, 1e9, 2009.0]),
    "text": (pa.string(), ["2020-01-05", "2020-01-06T10:00", "", None, "x", "2020-02-30", "5"]),
    "moments": (pa.timestamp("s"), [10**9, 2 * 10**9, None, -(10**10), 10**11]),
}


@settings(max_examples=examples(100))
@given(st.data(), st.sampled_from(sorted(DAYS)), st.integers(1, 400))
def test_parquet_is_read_as_if_the_rows_were_not_there(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, kind: str, block_bytes: int
) -> None:
    arrow_type, pool = DAYS[kind]
    row = st.tuples(
        st.sampled_from(["a", "b"]),
        st.integers(1, 3),
        st.sampled_from([1.0, 2.5, None, np.inf, -np.inf]),
        st.one_of(st.just(pool[0]), st.sampled_from(pool)),
    )
    rows = data.draw(st.lists(row, min_size=1, max_size=20))
    types = (pa.string(), pa.int64(), pa.float64(), arrow_type)
    schema = pa.schema(list(zip(NAMES, types, strict=True)))
    folder = tmp_path_factory.getbasetemp()
    messy, clean = folder / "messy.parquet", folder / "clean.parquet"

    def write(path: Path, some: list[tuple[Any, ...]]) -> None:
        columns = zip(*some, strict=True) if some else [()] * len(NAMES)
        arrays = [pa.array(c, t, from_pandas=False) for c, t in zip(columns, types, strict=True)]
        pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)

    dates, undecided, gone = DateReader(), False, []
    for nth, (_, _, stars, when) in enumerate(rows):
        if stars is not None and np.isinf(stars):
            gone.append(nth)
            continue
        try:
            if kind == "moments":
                if when is not None and not -(2_208_988_800) <= when < 7_289_654_400:
                    raise ValueError  # noqa: TRY301
            elif when is not None:
                dates.cell(when) if kind == "text" else dates.value(when)
        except ValueError:
            undecided |= kind != "moments" and dates.unit is None
            gone.append(nth)
    write(messy, rows)
    write(clean, [row for nth, row in enumerate(rows) if nth not in gone])
    source = table(messy, max_unread=1, block_bytes=block_bytes)
    if undecided:
        with pytest.raises(InputError) as caught:
            cells_of(source)
        assert "data.max_unread" not in str(caught.value)
        return
    if len(gone) == len(rows):
        with pytest.raises(InputError, match=rf"holds no rows but {len(rows)} that cannot be read"):
            cells_of(source)
        return
    found, notes, count, place = left_of(source)
    assert (found, notes) == left_of(table(clean))[:2]
    assert count == len(gone)
    assert place is None if not gone else str(place).startswith(f"row {gone[0] + 1}, column ")
    if gone:
        with pytest.raises(InputError, match=rf": row {gone[0] + 1}: .*; {ADVICE}$"):
            cells_of(table(messy, block_bytes=block_bytes))


GOOD = "who,what,stars,when\na,b,1,2020-01-05\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"{GOOD},b,1,2020-01-05\n", "column who: is empty"),
        (f"{GOOD}a,NA,x,2020-01-05\n", "column what: 'NA' stands for an empty cell"),
        (f"{GOOD}a,b,1", "the file ends in the middle of a row"),
        (f"{GOOD}a,b,1,2020-0", "the file ends in the middle of it"),
        (f'{GOOD}a,"b"x,1,2020-01-05\n', "a quote is never closed, or text follows"),
        (f'{GOOD}a,"b,1,2020-01-05\n', "a quote is never closed"),
        (f"{GOOD}who,what,when,stars\na,b,2020-01-05,1\n", "a second header, which names other"),
        (f"{GOOD}what,who,stars,when\nb,a,1,2020-01-05\n", "or in another order"),
        (f"{GOOD}When, Who, What, Stars\n2020-01-05,a,b,1\n", "or in another order"),
        (f"{GOOD}WHAT,WHO,notes,day\na,b,1,2020-01-05\n", ":3: a second header, which"),
        ("who,what,stars,when\na,b,1,2009\n", "may be a year"),
        ("who,what,stars,when\na,b,1,01/02/2015\n", "set data.date_format"),
        ("who,what,stars,when\na,b,1,soon\n", "'soon' is not a date"),
        ("who,what,stars,when\na,b,1,2020-13-05\n", "is not a date of the calendar"),
    ],
)
def test_nothing_else_is_left_out(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(text)
    for asked in ASKED:
        with pytest.raises(InputError) as caught:
            cells_of(table(path, max_unread=asked))
        assert problem in str(caught.value)
        assert "data.max_unread" not in str(caught.value)


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_a_header_that_is_repeated_is_left_out_if_asked(tmp_path: Path, block_bytes: int) -> None:
    """As in a file that was put together of several; each is counted, and the first is named."""
    path = tmp_path / "a.csv"
    path.write_text(f"{GOOD}\ufeff{GOOD}{GOOD.replace('a,b', 'c,d')}", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        cells_of(table(path, block_bytes=block_bytes))
    assert str(caught.value).endswith(f":3: {REPEATED}; {ADVICE}")
    source = table(path, max_unread=1, block_bytes=block_bytes)
    assert len(cells_of(source)) == 3
    notes = source.notes()
    assert notes[UNREADABLE] == 2
    assert notes[ROWS] == 5
    assert notes[FIRST_UNREADABLE] == "line 3"


REPEATED = "repeats the header; was it made of several files? Remove this line and the like"


def test_the_last_row_of_many_that_cannot_be_read_is_not_said_to_be_cut_off(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.csv"
    rows = [
        f"a;{what};{stars};2020-01-05"
        for what, stars in zip("bcd", ("1,5", "2,5", "3,5"), strict=True)
    ]
    path.write_text("\n".join(["who;what;stars;when", *rows]))
    with pytest.raises(InputError) as caught:
        cells_of(table(path, max_unread=1))
    said = str(caught.value)
    assert said.startswith(f"{path}:4: column stars: '3,5' is not a number; ")
    assert (
        f"; the file has no line end, and 2 rows before it cannot be read either (first {path}:2"
        in (said)
    )
    assert "in the middle" not in said


def test_columns_that_are_wrong_as_a_whole_are_refused(tmp_path: Path) -> None:
    """An identifier that is none, numbers too coarse for dates, dates with a unit asked for."""
    path = tmp_path / "a.parquet"
    good: dict[str, Any] = {"who": ["a"], "what": ["b"], "stars": [1.0], "when": [12_000]}
    for given_, options, problem in (
        ({"who": [1.5]}, {}, "column who: 1.5 is not a whole number"),
        ({"when": pa.array([1e9], pa.float32())}, {}, "cannot tell"),
        ({"when": [datetime(2020, 1, 1)]}, {"date_unit": "s"}, "which need no unit"),
        ({"when": [2009]}, {}, "may be a year"),
    ):
        pq.write_table(pa.table({**good, **given_}), path)
        for asked in ASKED:
            with pytest.raises(InputError) as caught:
                cells_of(table(path, max_unread=asked, **options))
            assert problem in str(caught.value)
            assert "data.max_unread" not in str(caught.value)


def test_all_are_left_out(tmp_path: Path) -> None:
    """The reason of the first is shown, since the column or its unit was chosen wrongly."""
    (tmp_path / "a.csv").write_text("who,what,stars,when\na,b,1,5 May\n,b,1,x\na,b,1,6 May\n")
    asked = {"max_unread": 1, "empty": "drop", "date_unit": "iso"}
    with pytest.raises(InputError) as caught:
        cells_of(table(tmp_path / "a.csv", **asked))
    assert str(caught.value) == (
        f"{tmp_path / 'a.csv'}: holds no rows but 1 without a user or an item and 2 that cannot be "
        f"read; the first of these: {tmp_path / 'a.csv'}:2: column when: '5 May' is not an ISO "
        "date; expected one such as 2005-09-06 or 2005-09-06T12:30:00Z"
    )


def test_dates_in_several_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parts = {"year": [2015.0, 2015.5, 2015.0, 2015.0], "month": [7, 7, 13, 8], "day": [3, 3, 3, 4]}
    pq.write_table(pa.table({"who": [*"abcd"], "what": [*"wxyz"], **parts}), path)
    for block_bytes in (1, 64, 1 << 20):
        source = table_source(
            path, "who", "what", date=[*parts], max_unread=1, block_bytes=block_bytes
        )
        assert [chunk.record.to_pylist() for chunk in source.chunks() if len(chunk)] in (
            [["a", "d"]],
            [["a"], ["d"]],
        )
        assert source.notes()[UNREADABLE] == 2
        assert source.notes()[FIRST_UNREADABLE] == "row 2, column year+month+day"


def test_the_cell_is_not_noted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{GOOD}a,b,secret,2020-01-05\n")
    source = table(path, max_unread=1)
    cells_of(source)
    assert "secret" not in str(source.notes())


def test_what_is_asked_changes_the_fingerprint_and_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(MESSY)
    made = {table(path, max_unread=asked).fingerprint() for asked in ASKED}
    assert len(made) == len(ASKED)
    with pytest.raises(
        ConfigError, match=r"^data\.max_unread: 5: expected .* such as 0\.05 for 5%$"
    ):
        table(path, max_unread=5)


def test_other_tables_have_no_such_setting(tmp_path: Path) -> None:
    """Files of an adversary are refused, without the advice."""
    path = tmp_path / "a.csv"
    path.write_text(f"{GOOD}a,b,x,2020-01-05\n")
    with pytest.raises(InputError, match=r"a\.csv:3: column stars: 'x' is .* such as 4 or 3\.5$"):
        cells_of(table(path, group="adversary"))


def test_a_data_frame(tmp_path: Path) -> None:
    frame = pa.table(
        {"who": [*"abc"], "what": [*"xyz"], "stars": [1.0, np.inf, 2.0], "when": [12_000] * 3}
    )
    names = {"user": "who", "item": "what", "value": "stars", "date": "when"}
    with pytest.raises(
        InputError, match=rf"data frame: row 2: column stars: .*; {as_keywords(ADVICE)}"
    ):
        sim.table(frame, **names, cache=tmp_path, max_unread=0)
    found = sim.table(frame, **names, cache=tmp_path, max_unread=1).describe()
    assert (found.rows, found.unreadable, found.cells) == (3, 1, 2)
    assert found.notes[FIRST_UNREADABLE] == "row 2, column stars"


def test_a_share_of_all_rows_may_be_left_out(tmp_path: Path) -> None:
    """As many as are allowed, wherever they stand; one more is an error that names the first."""
    path = tmp_path / "a.csv"
    good = "".join(f"a,i{n},1,2020-01-05\n" for n in range(99))
    path.write_text(f"{GOOD}a,b,x,2020-01-05\n{good}")  # one of 101
    assert len(cells_of(table(path, max_unread=0.01))) == 100
    path.write_text(f"{GOOD}a,b,x,2020-01-05\n{good}a,c,y,2020-01-05\n")
    for block_bytes in (16, 1 << 20):
        with pytest.raises(InputError) as caught:
            cells_of(table(path, max_unread=0.01, block_bytes=block_bytes))
        assert str(caught.value) == (
            f"{path}:3: column stars: 'x' is not a number; expected one such as 4 or 3.5; 2 of "
            "102 rows cannot be read, more than data.max_unread=0.01 allows"
        )
    assert len(cells_of(table(path, max_unread=0.02))) == 100


def test_the_rows_that_were_left_out_are_listed(tmp_path: Path) -> None:
    """In the folder of the run: file, line, column and reason; no file where all were read."""
    for name, text in (("messy", MESSY), ("clean", GOOD * 1)):
        (tmp_path / f"{name}.csv").write_text(text)
    keys: dict[str, Any] = {"user": "who", "item": "what", "value": "stars", "date": "when"}
    keys |= {"max_unread": 0.9, "empty": "drop", "cache": tmp_path / "cache"}
    for _ in range(2):  # read, and from the store
        release = sim.table(tmp_path / "messy.csv", **keys)
        result = sim.run(release, aux=["1/1"], bayes_targets=0)
        with (result.folder / "unread.csv").open(encoding="utf-8", newline="") as lines:
            listed = [*csv.DictReader(lines)]
        assert [(one["file"], one["line"], one["column"]) for one in listed] == [
            ("messy.csv", "3", "stars"), ("messy.csv", "4", ""), ("messy.csv", "5", "when"),
            ("messy.csv", "6", "stars"), ("messy.csv", "8", "when"),
        ]  # fmt: skip
        assert listed[0]["reason"].startswith("'x' is not a number")
    result = sim.run(sim.table(tmp_path / "clean.csv", **keys), aux=["1/1"], bayes_targets=0)
    assert not (result.folder / "unread.csv").exists()


def test_no_spreadsheet_takes_what_is_listed_for_a_formula(tmp_path: Path) -> None:
    class Source:
        def unread(self) -> list[UnreadRow]:
            return [UnreadRow("=x.csv", 2, "@stars", "'x' is not a number")]

    write_unread(Source(), tmp_path)
    row = (tmp_path / "unread.csv").read_text("utf-8").splitlines()[1]
    assert row == "'=x.csv,2,'@stars,'x' is not a number"
