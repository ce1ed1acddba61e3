"""Dates of one column in several stated formats: each in the one that it fits, and all are said."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import table_source

from sim.errors import ConfigError, InputError
from sim.release.readers.date_reader import DateReader
from sim.release.readers.mixed_formats import MixedFormats
from sim.release.readers.table import TableSource

APART = ("%d/%m/%Y", "%Y-%m-%d", "%Y-%m-%d %H:%M", "%b %d, %Y")
"""No cell fits two of them."""

DAYS = st.tuples(st.datetimes(datetime(1970, 1, 1), datetime(2068, 12, 31)), st.sampled_from(APART))


@given(st.lists(DAYS, min_size=1, max_size=6))
def test_each_date_is_read_in_the_format_that_it_is_written_in(
    days: list[tuple[datetime, str]],
) -> None:
    cells = [day.strftime(form) for day, form in days]
    expected = [
        int(datetime.strptime(cell, form).replace(tzinfo=UTC).timestamp())
        for cell, (_, form) in zip(cells, days, strict=True)
    ]
    one, other = MixedFormats("|".join(APART)), MixedFormats("|".join(reversed(APART)))
    assert [one.seconds(cell) for cell in cells] == expected
    column = other.column(pa.array(cells))
    assert column is not None
    assert column.tolist() == expected


def test_a_cell_that_may_be_two_dates_is_an_error_and_one_that_is_the_same_in_both_is_not() -> None:
    dates = DateReader(form="%d/%m/%Y|%m/%d/%Y")
    assert dates.cell("13/01/1970") == dates.cell("01/13/1970") == 12 * 86_400
    assert dates.cell("02/02/1970") == 32 * 86_400
    with pytest.raises(
        ValueError, match=r"^'01/02/1970' may be 1970-02-01 \(%d/%m/%Y\) or 1970-01"
    ):
        dates.cell("01/02/1970")
    assert dates.column(pa.array(["13/01/1970", "01/02/1970"])) is None
    with pytest.raises(ValueError, match=r"^'13/13/1970' is not a date of the calendar"):
        dates.cell("13/13/1970")


def test_zones_are_those_of_the_cells() -> None:
    dates = DateReader(form="%d/%m/%Y %H:%M%z|%Y-%m-%dT%H:%M%z")
    cells = ["01/02/1970 01:00+01:00", "1970-01-02T00:00Z", "1970-01-02T02:00+02:00"]
    column = dates.column(pa.array(cells))
    assert column is not None
    assert column.tolist() == [31 * 86_400, 86_400, 86_400]
    assert dates.zones == {"+00:00", "+01:00", "+02:00"}
    with pytest.raises(ConfigError, match="some have a time zone and others none"):
        DateReader(form="%d/%m/%Y|%Y-%m-%dT%H:%M%z")


def rows(path: Path, dates: list[str]) -> Path:
    path.write_text("who,what,when\n" + "".join(f"u{k % 9},i,{d}\n" for k, d in enumerate(dates)))
    return path


def times(source: TableSource) -> list[int]:
    return [t for chunk in source.chunks() for t in chunk.time.tolist()]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("dates", "stated"),
    [
        (["2009-12-31", "31/12/2009", "30.12.2009"], None),
        (["31/12/2009", "2009-12-31 10:20"], None),
        (["2009-12-31T10:20:30", "31/12/2009"], None),
        (["31/12/2009", "2009-12-31"], "%d/%m/%Y"),
        (["2009-12-31", "20091231"], None),
        (["30.12.2009", "20091231"], None),
        (["30.12.2009", "2009-12-30"], "%m.%d.%Y|%Y-%m-%d"),
    ],
)
def test_what_an_error_advises_reads_the_file(
    tmp_path: Path, dates: list[str], stated: str | None
) -> None:
    path = rows(tmp_path / "a.csv", dates)
    for _ in dates:
        try:
            found = times(table_source(path, "who", "what", date="when", date_format=stated))
        except InputError as error:
            (stated,) = re.findall(r"data\.date_format='([^']*\|[^']*)'", str(error))
    assert len(found) == len(dates)
    assert {t // 86_400 for t in found} <= {14_608, 14_609}


def test_that_dates_are_written_in_several_ways_is_noted(tmp_path: Path) -> None:
    dates = [f"{1 + k % 28:02}/12/2009" for k in range(90)] + ["2009-11-03"] * 9
    path = rows(tmp_path / "a.csv", dates)
    forms = "%d/%m/%Y|%Y-%m-%d|%d.%m.%Y"
    source = table_source(path, "who", "what", date="when", date_format=forms, block_bytes=32)
    assert len(times(source)) == 99
    notes = source.notes()
    assert notes["dates"] == "dates written as %d/%m/%Y or %Y-%m-%d or %d.%m.%Y"
