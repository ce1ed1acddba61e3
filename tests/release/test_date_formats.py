"""Formats of dates: one meaning however they are read, recognised only where one fits."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

from sim.errors import ConfigError, InputError
from sim.release.readers import duck_rows
from sim.release.readers.date_formats import DateFormat, as_override, common_formats, formats_of
from sim.release.readers.date_reader import DateReader
from sim.release.store.cells import NO_TIME

MOMENTS = st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31, 23, 59, 59))
FORMATS = st.sampled_from([form.text for form in common_formats()])


def written(moment: datetime, form: str) -> str:
    """Write a moment of UTC as Python does, whose %z and %Z need one to be told."""
    return moment.replace(tzinfo=UTC).strftime(form)


@settings(max_examples=examples(200))
@given(st.lists(MOMENTS, min_size=1, max_size=4), FORMATS)
def test_what_python_writes_is_read_back(moments: list[datetime], form: str) -> None:
    cells = [written(moment, form) for moment in moments]
    expected = [
        int(datetime.strptime(cell, form).replace(tzinfo=UTC).timestamp() // 1) for cell in cells
    ]
    dates = DateFormat(form)
    assert [dates.seconds(cell) for cell in cells] == expected
    column = dates.column(pa.array(cells))
    assert column is not None
    assert column.tolist() == expected


NEARLY = st.one_of(
    st.tuples(MOMENTS, FORMATS).map(lambda drawn: written(*drawn)),
    st.from_regex(r"\A[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}( [0-9]{1,2}:[0-9]{1,2})?\Z"),
    st.from_regex(r"\A[0-3]?[0-9][ -](jan|FEB|March|sept|May|xyz)[ -][0-9]{2,4}\Z"),
    st.text("0123456789/:- TZ+apmM.", max_size=20),
)


@settings(max_examples=examples(400))
@given(st.lists(NEARLY, min_size=1, max_size=3), FORMATS)
@example(["29/02/2100"], "%d/%m/%Y")
@example([" 1/2/2015 "], "%d/%m/%Y")
@example(["31-Apr-15"], "%d-%b-%y")
@example(["1 Jan 2015 0:30 pm"], "%d %b %Y %I:%M %p")
@example(["01/02/2201"], "%d/%m/%Y")
@example(["2015-01-01T10:00:00+2400"], "%Y-%m-%dT%H:%M:%S%z")
def test_a_column_means_what_its_cells_mean(cells: list[str], form: str) -> None:
    dates = DateFormat(form)
    try:
        slow = [dates.seconds(cell) for cell in cells]
    except ValueError:
        slow = None
    fast = dates.column(pa.array(cells, pa.string()))
    assert (None if fast is None else fast.tolist()) == slow


@given(NEARLY)
@example("Fri Jul 17 10:00:00 GMT 2015")
@example("2015-07-17T10:00:00Z")
@example("20150717T100000 Z")
@example("17 july 2015, 10:00PM")
def test_the_formats_of_a_cell_are_those_that_fit(cell: str) -> None:
    assert formats_of(cell) == [form for form in common_formats() if form.fits(cell)]


@pytest.mark.parametrize(
    ("form", "cell", "seconds"),
    [
        ("%d-%m-%Y", "21-07-2015", 1437436800),
        ("%m/%d/%y %H:%M", "12/1/10 8:26", 1291191960),
        ("%d%m%y", "020170", 86_400),
        ("%-d.%-m.%Y", "2.1.1970", 86_400),
        ("%d %B %Y, %I:%M %p", "1 january 1970, 12:05 AM", 300),
        ("%FT%T.%f%z", "1970-01-01T01:00:00.999+0100", 0),
        ("%a %b %d %H:%M:%S %Z %Y", "Thu Jan  1 00:00:07 GMT 1970", 7),
        ("%y", "69", -31_536_000),
        ("100%% %Y", "100% 1971", 31_536_000),
    ],
)
def test_formats(form: str, cell: str, seconds: int) -> None:
    assert DateFormat(form).seconds(cell) == seconds
    column = DateFormat(form).column(pa.array([cell, cell]))
    assert column is not None
    assert column.tolist() == [seconds, seconds]


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ("%d/%m", "lacks a year"),
        ("%d %Y", "has a day but no month"),
        ("%Y %m %d %I", "needs %H, or %I with %p"),
        ("%Y %H %I %p", "needs %H, or %I with %p"),
        ("%Y %y", "states something twice"),
        ("%Y %m %b", "states something twice"),
        ("%Y-%j", "'%j' is not known here"),
        ("%Y %", "'%' is not known here"),
    ],
)
def test_what_cannot_be_a_format(form: str, problem: str) -> None:
    with pytest.raises(ConfigError, match=r"^data\.date_format: '%") as error:
        DateReader(form=form)
    assert problem in str(error.value)
    with pytest.raises(ConfigError, match=r"needs no unit; set data\.date_unit=auto"):
        DateReader("s", "%Y")


def look(cells: list[str]) -> DateReader:
    dates = DateReader()
    dates.look(pa.array(cells))
    return dates


def test_the_rows_looked_at_first_decide_together() -> None:
    dates = look(["12/1/10 8:26", "NA", "", "12/2/10 8:26", "12/13/10 9:01"])
    assert dates.cell("12/1/10 8:26") == 1291191960
    assert dates.describe() == "dates written as %m/%d/%y %H:%M, taken as UTC (recognised)"
    assert dates.timed


def test_where_several_formats_fit_the_choices_are_named() -> None:
    dates = look(["01/02/2015", "03/04/2015"])
    with pytest.raises(ValueError, match=r"2015-02-01 \(data\.date_format=%d/%m/%Y\)") as error:
        dates.cell("01/02/2015")
    assert "2015-01-02 (data.date_format=%m/%d/%Y); set data.date_format" in str(error.value)
    assert DateReader(form="%d/%m/%Y").cell("01/02/2015") == 1422748800


@pytest.mark.parametrize("first", ["2015-07-21", "1437436800", "16637"])
def test_iso_dates_and_numbers_are_no_formats(first: str) -> None:
    dates = look([first, "21/07/2015"])
    assert dates.cell(first) == 1437436800
    with pytest.raises(ValueError, match=r"^'21/07/2015' is not a"):
        dates.cell("21/07/2015")


def rows(path: Path, dates: list[str]) -> Path:
    path.write_text("who,what,when\n" + "".join(f'u{k},i,"{d}"\n' for k, d in enumerate(dates)))
    return path


def times(path: Path, **options: Any) -> list[int | None]:
    source = table_source(path, "who", "what", date="when", **options)
    found = [t for chunk in source.chunks() for t in chunk.time.tolist()]  # type: ignore[union-attr]
    return [None if t == NO_TIME else t for t in found]


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_a_later_row_that_contradicts_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block_bytes: int
) -> None:
    monkeypatch.setattr(duck_rows, "_BATCH_ROWS", 2048)
    path = rows(tmp_path / "a.csv", ["21/07/2015"] * 3000 + ["07/22/2015"])
    with pytest.raises(InputError) as error:
        times(path, block_bytes=block_bytes)
    assert str(error.value) == (
        f"{path}:3002: column when: '07/22/2015' is not a date of the calendar (month must be in "
        "1..12); dates before it are written as %d/%m/%Y, this one as %m/%d/%Y: put it right, or "
        "set data.date_format=%m/%d/%Y if all are written so; to leave out such rows, set "
        "data.max_unread=0.01, for up to 1% of all"
    )
    rows(path, ["01/07/2015"] * 3000 + ["07/22/2015"])
    with pytest.raises(InputError, match=r":2: column when: '01/07/2015' may be 2015-07-01 "):
        times(path, block_bytes=block_bytes)
    assert times(path, date_format="%m/%d/%Y")[-1] == 1437523200
    with pytest.raises(InputError, match=r":3002: .*; data\.date_format is %d/%m/%Y: if all dates"):
        times(path, date_format="%d/%m/%Y", block_bytes=block_bytes)


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("02.01.2023 06:02", "set \"data.date_format='%d.%m.%Y %H:%M'\"; to leave"),
        ("22.01.2023 06:02", "%H:%M'\", or leave data.date_format out; to leave out"),
        ("2023-01-22", "set data.date_format=%Y-%m-%d, or leave data.date_format out; to leave"),
        ("02/01/2023", "set data.date_format=%d/%m/%Y or data.date_format=%m/%d/%Y; to leave"),
        (
            "soon",
            "put it right, or leave it empty, which counts as no date; to leave out such rows",
        ),
    ],
)
def test_a_format_that_misses_the_time_is_answered_with_one_that_has_it(
    tmp_path: Path, cell: str, said: str
) -> None:
    """Not with the advice to leave the rows out, which are all of them."""
    path = rows(tmp_path / "a.csv", [cell])
    with pytest.raises(InputError) as error:
        times(path, date_format="%d.%m.%Y")
    assert said in str(error.value)
    for other in re.findall(r"data\.date_format='?(%[^'\"]+?)(?='|,| or|;)", str(error.value)):
        assert times(path, date_format=other)[0] > 0
    if "leave data.date_format out" in said:
        assert times(path)[0] > 0


def test_several_formats_are_refused(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", ["2023-01-22", "22.01.2023"])
    with pytest.raises(InputError, match=r":3: .* is not an ISO date; .*; write all dates alike"):
        times(path)
    with pytest.raises(ConfigError, match=r"%d\.%m\.%Y': states something twice"):
        times(path, date_format="%Y-%m-%d|%d.%m.%Y")


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_a_format_is_recognised_in_a_file_and_noted(tmp_path: Path, block_bytes: int) -> None:
    path = rows(tmp_path / "a.csv", ["1 Feb 2015", "", "28 December 2015"])
    source = table_source(path, "who", "what", date="when", block_bytes=block_bytes)
    assert times(path, block_bytes=block_bytes) == [1422748800, None, 1451260800]
    list(source.chunks())
    assert source.notes()["dates"] == "dates written as %d %b %Y (recognised)"
    assert "times of day" not in source.notes()
    formats = (None, "%d %b %Y", "%d %B %Y")
    assert len({table_source(path, "who", "what", date="when", date_format=f).fingerprint()
                for f in formats}) == 3  # fmt: skip


def test_times_that_are_all_midnight_are_noted(tmp_path: Path) -> None:
    path = rows(tmp_path / "a.csv", ["2015-07-21 00:00:00", "2015-07-22 00:00:00"])
    for block_bytes in (16, 1 << 20):
        source = table_source(path, "who", "what", date="when", block_bytes=block_bytes)
        list(source.chunks())
        assert str(source.notes()["times of day"]).startswith("all midnight")


def test_overrides_are_quoted_for_the_shell() -> None:
    assert as_override("d", "%d-%m-%Y") == "d=%d-%m-%Y"
    assert as_override("d", "%m/%d/%y %H:%M") == "\"d='%m/%d/%y %H:%M'\""
