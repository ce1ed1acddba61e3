"""Dates: the fast column reader and the cell-by-cell definition agree; units never change."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.release.readers.date_reader import DateReader
from sim.release.readers.date_units import DATE_UNITS, END_SECOND, FIRST_SECOND, seconds_from_iso
from sim.release.readers.number_dates import (
    MEANING,
    possible_readings,
    recognised,
    seconds_from_number,
)
from sim.release.store.cells import NO_TIME

pytestmark = pytest.mark.fast

DIGITS = st.text("0123456789", min_size=1, max_size=4)
NEARLY_ISO = st.one_of(
    st.from_regex(
        r"\A[12][0-9]{3}-[01][0-9]-[0-3][0-9]([ T][0-2][0-9](:[0-6][0-9](:[0-6][0-9]"
        r"(\.[0-9]{1,10})?)?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)?)?\Z"
    ),
    st.datetimes(datetime(1890, 1, 1), datetime(2210, 1, 1)).map(str),
    st.datetimes(timezones=st.just(timezone(timedelta(hours=5, minutes=30)))).map(str),
)
NEARLY_NUMBER = st.one_of(
    st.integers(-(10**14), 10**14).map(str),
    st.integers(-(10**5), 10**5).map(str),
    st.floats(-1e13, 1e13).map(repr),
    st.sampled_from(
        ["0", "1e9", "+5", "-0", "inf", "nan", "1e400", "0x10", "1_0", " 7", "1.", ".5"]
    ),
)


def cell_by_cell(cells: list[str], asked: str) -> list[int] | None:
    dates = DateReader(asked)
    try:
        return [dates.cell(cell) for cell in cells]
    except ValueError:
        return None


@given(
    st.lists(st.one_of(NEARLY_ISO, NEARLY_NUMBER, st.sampled_from(["", "NA", "x"])), max_size=4),
    st.sampled_from(DATE_UNITS),
)
def test_columns_mean_what_cells_mean(cells: list[str], asked: str) -> None:
    fast = DateReader(asked).column(pa.array(cells, pa.string()))
    slow = cell_by_cell(cells, asked)
    if fast is not None:
        assert fast.tolist() == slow


@given(
    st.lists(st.datetimes(datetime(1900, 1, 1), datetime(2200, 12, 31)), min_size=1),
    st.sampled_from(["%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S+00:00"]),
)
def test_good_iso_dates_are_read_fast(moments: list[datetime], form: str) -> None:
    cells = [moment.strftime(form) for moment in moments]
    fast = DateReader("auto").column(pa.array(cells))
    assert fast is not None
    assert fast.tolist() == cell_by_cell(cells, "iso")
    parsed = datetime.fromisoformat(cells[0])
    assert fast[0] == int(parsed.replace(tzinfo=UTC).timestamp())


@given(
    st.lists(
        st.one_of(
            st.floats(-1e14, 1e14),
            st.floats(allow_nan=False, allow_infinity=False),
            st.floats(0, 120_000),
            st.integers(1890, 2210).map(float),
            st.integers(18_991_220, 22_010_110).map(float),
            st.dates(date(1990, 1, 1), date(2030, 1, 1)).map(lambda d: float(f"{d:%Y%m%d}")),
            st.floats(3e17, 2.3e18),
        ),
        max_size=5,
    ),
    st.sampled_from([unit for unit in DATE_UNITS if unit != "iso"]),
)
def test_number_columns_mean_what_numbers_mean(numbers: list[float], asked: str) -> None:
    fast = DateReader(asked).values(np.array(numbers))
    dates = DateReader(asked)
    try:
        slow = [dates.value(x) for x in numbers]
    except ValueError:
        assert fast is None
    else:
        assert fast is not None
        assert fast.tolist() == slow


@pytest.mark.parametrize("cell", ["1899-12-31", "1899-12-31 23:59:59", "2201-01-01 00:00"])
def test_columns_out_of_range_are_not_read(cell: str) -> None:
    assert DateReader("auto").column(pa.array(["2005-09-06", ""])) is not None
    assert DateReader("auto").column(pa.array(["2005-09-06", cell])) is None


def test_fractions_are_cut_towards_the_past() -> None:
    assert seconds_from_number(1.2e9 + 0.9, "s") == 1_200_000_000
    assert seconds_from_number(-0.5, "s") == -1
    assert seconds_from_number(1999, "ms") == 1
    assert seconds_from_iso("1969-12-31T23:59:59.5") == -1


def test_bounds_are_1900_and_2200() -> None:
    assert seconds_from_iso("1900-01-01") == FIRST_SECOND
    assert seconds_from_iso("2200-12-31T23:59:59") == END_SECOND - 1
    for text in ("1899-12-31", "2201-01-01"):
        with pytest.raises(ValueError, match="out of range; expected a date from 1900 to 2200"):
            seconds_from_iso(text)
    with pytest.raises(ValueError, match="out of range"):
        seconds_from_number(END_SECOND, "s")


@pytest.mark.parametrize(
    ("first", "unit"),
    [("12000", "days"), ("978300760", "s"), ("1.2e12", "ms"), ("2005-09-06", "iso")],
)
def test_the_first_telling_cell_decides(first: str, unit: str) -> None:
    dates = DateReader("auto")
    assert [dates.cell(cell) for cell in ("", "0", "NaN")] == [NO_TIME, 0, NO_TIME]
    assert dates.unit is None
    dates.cell(first)
    assert dates.unit == unit
    assert "recognised" in dates.describe()
    for other in {"12000", "978300760", "1.2e12", "2005-09-06"} - {first}:
        with pytest.raises(ValueError, match="first date"):
            dates.cell(other)
    assert dates.unit == unit


@pytest.mark.parametrize(
    ("form", "cells", "zones"),
    [
        (None, ["2024-01-07T01:00+01", "", "2024-01-07 01:00+0100"], ["+01:00"]),
        (None, ["2024-01-07T00:00Z", "2024-01-06T19:30-0430", "NA"], ["+00:00", "-04:30"]),
        (None, ["2024-01-07T00:00Z", "2024-01-07T00:00-00:00"], ["+00:00"]),
        (None, ["2024-01-07", "2024-01-08"], []),
        (
            "%d %b %Y %H:%M %z",
            ["7 Jan 2024 1:00 +01:00", " 7 Jan 2024 0:00 Z "],
            ["+00:00", "+01:00"],
        ),
        (
            "%H:%M %z, %d/%m/%Y",
            ["1:00 +01, 7/1/2024", "9:00 +0900, 7/1/2024"],
            ["+01:00", "+09:00"],
        ),
        ("%d %b %Y %H:%M %Z", ["7 Jan 2024 0:00 GMT", "7 Jan 2024 0:00 UTC"], []),
    ],
)
def test_time_zones_are_noted_by_column_as_by_cell(
    form: str | None, cells: list[str], zones: list[str]
) -> None:
    fast, slow = DateReader(form=form), DateReader(form=form)
    assert fast.column(pa.array(cells)) is not None
    for cell in cells:
        slow.cell(cell)
    assert sorted(fast.zones) == sorted(slow.zones) == zones
    assert fast.has_time == slow.has_time


@pytest.mark.parametrize(
    ("cells", "has_time"),
    [
        (["2024-01-07", "2024-01-07 00:00"], {False, True}),
        (["2024-01-07", "", "2024-01-08"], {False}),
        (["2024-01-07T10", "2024-01-07T00:00:00.5"], {True}),
    ],
)
def test_whether_dates_have_a_time_is_noted_by_column_as_by_cell(
    cells: list[str], has_time: set[bool]
) -> None:
    fast, slow = DateReader(), DateReader()
    assert fast.column(pa.array(cells)) is not None
    for cell in cells:
        slow.cell(cell)
    assert fast.has_time == slow.has_time == has_time


def test_zones_may_not_be_mixed() -> None:
    dates = DateReader("iso")
    assert dates.cell("1970-01-01T02:00+02:00") == 0
    with pytest.raises(ValueError, match="has no time zone but the first date had one"):
        dates.cell("1970-01-01T02:00")
    assert dates.column(pa.array(["1970-01-01T02:00"])) is None


@pytest.mark.parametrize(
    ("cell", "asked", "message"),
    [
        ("abc", "auto", "'abc' is not a date; expected a date such as 2005-09-06, or seconds"),
        ("abc", "s", "'abc' is not a date; expected seconds since 1970-01-01"),
        ("2005-13-06", "auto", "'2005-13-06' is not a date of the calendar"),
        ("2005-09-06", "s", "'2005-09-06' is not a number; expected seconds since 1970-01-01"),
        ("12", "iso", "'12' is not an ISO date"),
        ("1.5", "days", "1.5 is not a whole number of days"),
        ("inf", "s", "'inf' is not a date"),
        ("2009.5", "year", "2009.5 is not a whole year"),
        ("2301", "year", "2301 (a year) is out of range"),
        ("20051306", "yyyymmdd", "20051306 is not a date written as yyyymmdd"),
        ("60", "excel", "60 (an Excel date) is out of range"),
    ],
)
def test_messages(cell: str, asked: str, message: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        DateReader(asked).cell(cell)


@pytest.mark.parametrize(
    ("x", "choices"),
    [
        (2009, ["a year (2009-01-01: data.date_unit=year)", "days since 1970-01-01 (1975-07-03:"]),
        (42206, ["an Excel date (2015-07-21: data.date_unit=excel)", "(2085-07-22: data.date_un"]),
        (42206.75, ["an Excel date (2015-07-21: data.date_unit=excel)"]),
        (17, ["days since 1970-01-01 (1970-01-18: data.date_unit=days)"]),
        (20050906, ["(2005-09-06: data.date_unit=yyyymmdd)", "seconds since 1970-01-01 (1970-08-"]),
        (200509, ["the calendar time 2005-09 (write it so)", "seconds since 1970-01-01 (1970-01-"]),
        (
            200509061230,
            ["the calendar time 2005-09-06T12:30:00", "milliseconds since 1970-01-01 ("],
        ),
        (
            2035090612,
            ["the calendar time 2035-09-06T12:00:00", "seconds since 1970-01-01 (2034-06"],
        ),
    ],
)
def test_numbers_that_may_be_several_dates_are_refused(x: float, choices: list[str]) -> None:
    for make in (
        lambda: DateReader("auto").cell(f"{x:.15g}"),
        lambda: DateReader("auto").value(float(x)),
    ):
        with pytest.raises(
            ValueError, match=rf"^'{x}' may be .*; set data\.date_unit, or"
        ) as error:
            make()
        for choice in choices:
            assert choice in str(error.value)
    assert DateReader("auto").column(pa.array([str(x)])) is None
    with pytest.raises(ValueError, match=r"adversary\.date_unit"):
        DateReader("auto", group="adversary").value(float(x))


def test_numbers_that_are_no_date_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^'1e\+20' is no date in any unit; set data\.date_unit"):
        DateReader("auto").cell("1e20")


@given(st.integers(1, 10**19))
def test_what_is_recognised_can_be_nothing_else(x: int) -> None:
    """A recognised number is a date from 1980 to 2039, and in no other unit."""
    unit = recognised(float(x))
    if unit is not None:
        assert unit in str(possible_readings(float(x), "k"))
        likely = []
        for other in MEANING:
            try:
                seconds = seconds_from_number(float(x), other)
            except ValueError:
                continue
            if (
                datetime(1980, 1, 1)
                <= datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
                < datetime(2040, 1, 1)
            ):
                likely.append(other)
        assert likely == [unit]


@pytest.mark.parametrize(
    ("cell", "unit", "expected"),
    [
        ("2009", "year", "2009-01-01T00:00:00"),
        ("42206", "excel", "2015-07-21T00:00:00"),
        ("42206.75", "excel", "2015-07-21T18:00:00"),
        ("42206.333333333336", "excel", "2015-07-21T08:00:00"),
        ("61", "excel", "1900-03-01T00:00:00"),
        ("20050906", "yyyymmdd", "2005-09-06T00:00:00"),
        ("1125964801999999", "us", "2005-09-06T00:00:01"),
        ("1125964801999999000", "ns", "2005-09-06T00:00:01"),
        ("1125964801000000", "auto", "2005-09-06T00:00:01"),
        ("1125964801000000000", "auto", "2005-09-06T00:00:01"),
    ],
)
def test_units_of_numbers(cell: str, unit: str, expected: str) -> None:
    seconds = DateReader(unit).cell(cell)
    assert datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat() == expected
    column = DateReader(unit).column(pa.array([cell, ""]))
    assert column is not None
    assert column.tolist() == [seconds, NO_TIME]


@pytest.mark.parametrize(
    ("odd", "plain", "form", "unit"),
    [
        ("2024-01-25T00:00:00.100", "2024-01-26T00:00:00", None, "auto"),
        ("2024-01-25T00:00:00.000001Z", "2024-01-26T00:00:00.000Z", None, "auto"),
        ("1706140800123", "1706227200000", None, "ms"),
        ("1706140800.5", "1706227200", None, "s"),
        ("25.01.2024 00:00:00.1", "26.01.2024 00:00:00.0", "%d.%m.%Y %H:%M:%S.%f", "auto"),
        ("25.01.2024 0 0 0 1", "26.01.2024 0 0 0 0", "%d.%m.%Y %H %M %S %f", "auto"),
    ],
)
@pytest.mark.parametrize("fast", [True, False])
def test_that_fractions_of_a_second_are_cut_off_is_noted(
    odd: str, plain: str, form: str | None, unit: str, fast: bool
) -> None:
    for cells, cut in (([plain, odd, plain], True), ([plain, plain], False)):
        dates = DateReader(unit, form)
        if fast:
            assert dates.column(pa.array(cells)) is not None
        else:
            assert all(dates.cell(cell) > 0 for cell in cells)
        assert dates.fraction is cut
