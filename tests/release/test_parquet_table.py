"""Parquet tables: types, folders, the row of every error."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import table_source

from sim.errors import InputError
from sim.release.readers.table import TableSource
from sim.release.store.accounts import OTHER_FILES, UNREAD, ZONES
from sim.release.store.cells import NO_TIME

SECOND = 1125964801
MOMENT = datetime(2005, 9, 6, 0, 0, 1, 900_000)


def write(path: Path, row_group_size: int | None = None, **columns: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=row_group_size)
    return path


def source_of(path: Path, **options: Any) -> TableSource:
    return table_source(path, **{"user": "who", "item": "what", **options})


def error_of(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        list(source_of(path, **options).chunks())
    message = str(error.value)
    assert "\n" not in message
    return message.replace(str(path), "PATH")


def times(path: Path, unit: str = "auto") -> list[int]:
    read: list[int] = []
    for chunk in source_of(path, date="when", date_unit=unit, block_bytes=64).chunks():
        assert chunk.time is not None
        read += chunk.time.tolist()
    return read


@given(
    cells=st.lists(st.none() | st.sampled_from(["3", " 4.5", "-1e3", "NA", ""]), min_size=1),
    rows=st.integers(1, 4),
)
def test_numbers_in_text_are_read_as_those_of_a_csv(
    tmp_path_factory: pytest.TempPathFactory, cells: list[str | None], rows: int
) -> None:
    folder = tmp_path_factory.mktemp("t")
    ids = [*range(len(cells))]
    stars = pa.array(cells, pa.string())
    path = write(folder / "t.parquet", rows, who=pa.array(ids), what=pa.array(ids), stars=stars)
    lines = (f"{n},{n},{cell or ''}" for n, cell in zip(ids, cells, strict=True))
    (folder / "t.csv").write_text("\n".join(["who,what,stars", *lines]), encoding="utf-8")
    read = []
    for one in (path, folder / "t.csv"):
        chunks = source_of(one, value="stars", block_bytes=64).chunks()
        read.append(np.concatenate([chunk.value for chunk in chunks]))
    np.testing.assert_array_equal(*read)


def test_a_number_in_text_with_a_comma_is_read_if_asked_for(tmp_path: Path) -> None:
    columns = {"who": pa.array([1, 2, 3]), "what": pa.array([1, 1, 2])}
    path = write(tmp_path / "t.parquet", stars=pa.array(["4", "3,5", "3,5"]), **columns)
    said = error_of(path, value="stars")
    assert said.startswith("PATH: row 2: column stars: '3,5' is not a number; expected one such")
    assert "if the comma is the decimal point, set \"data.decimal=','\"" in said
    (chunk,) = source_of(path, value="stars", decimal=",").chunks()
    assert chunk.value is not None
    assert chunk.value.tolist() == [4, 3.5, 3.5]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([3, 1, 2], pa.int64()),
        pa.array([3, 1, 2], pa.int8()),
        pa.array([3, 1, 2], pa.uint64()),
        pa.array([3, 1, 2], pa.int32()).dictionary_encode(),
    ],
)
def test_whole_numbers_stay_numbers(tmp_path: Path, cells: Any) -> None:
    [chunk] = source_of(write(tmp_path / "a.parquet", who=cells, what=[7, 8, 9])).chunks()
    assert chunk.record.dtype == np.int64
    assert chunk.record.tolist() == [3, 1, 2]
    assert chunk.value is None
    assert chunk.time is None


@pytest.mark.parametrize(
    "cells",
    [
        pa.array(["007", "7", "NA"]),
        pa.array(["007", "7", "NA"], pa.large_string()),
        pa.array(["007", "7", "NA"]).dictionary_encode(),
    ],
)
def test_text_stays_text(tmp_path: Path, cells: Any) -> None:
    path = write(tmp_path / "a.parquet", who=[1, 2, 3], what=cells)
    [chunk] = source_of(path, empty="keep").chunks()
    assert chunk.item.type == pa.string()
    assert chunk.item.to_pylist() == ["007", "7", "NA"]


@pytest.mark.parametrize(
    "cells",
    [
        pa.array([1, None, 3], pa.int8()),
        pa.array([1.0, float("nan"), 3.0], pa.float32()),
        pa.array([Decimal("1.0"), None, Decimal("3.0")], pa.decimal128(5, 1)),
    ],
)
def test_values(tmp_path: Path, cells: Any) -> None:
    path = write(tmp_path / "a.parquet", who=[1, 2, 3], what=[1, 2, 3], stars=cells)
    source = source_of(path, value="stars")
    [chunk] = source.chunks()
    assert chunk.value is not None
    assert chunk.value.dtype == np.float64
    np.testing.assert_array_equal(chunk.value, [1, np.nan, 3])
    assert source.notes()["rows without a value"] == 1


@pytest.mark.parametrize(
    ("cells", "unit", "expected"),
    [
        (pa.array([MOMENT, None], pa.timestamp("us")), "auto", SECOND),
        (pa.array([MOMENT, None], pa.timestamp("ns")), "iso", SECOND),
        (pa.array([MOMENT, None], pa.timestamp("ms")), "auto", SECOND),
        (
            pa.array(
                [MOMENT.replace(tzinfo=timezone(timedelta(hours=2))), None],
                pa.timestamp("us", "Europe/Berlin"),
            ),
            "auto",
            SECOND - 7200,
        ),
        (pa.array([date(2005, 9, 6), None], pa.date32()), "auto", SECOND - 1),
        (pa.array([date(2005, 9, 6), None], pa.date64()), "auto", SECOND - 1),
        (pa.array([date(1969, 12, 31), None], pa.date32()), "auto", -86_400),
        (pa.array([SECOND, None], pa.int32()), "auto", SECOND),
        (pa.array([SECOND * 1000 + 999, None], pa.int64()), "auto", SECOND),
        (pa.array([SECOND + 0.5, float("nan")]), "auto", SECOND),
        (pa.array([13032, None], pa.uint16()), "auto", SECOND - 1),
        (pa.array([13032, None], pa.int16()), "s", 13032),
        (pa.array(["2005-09-06T00:00:01", None]), "auto", SECOND),
        (pa.array(["2005-09-06T02:00:01+02:00", "NaT"]).dictionary_encode(), "auto", SECOND),
        (pa.array([str(SECOND), ""], pa.large_string()), "auto", SECOND),
    ],
)
def test_dates(tmp_path: Path, cells: Any, unit: str, expected: int) -> None:
    path = write(tmp_path / "a.parquet", who=[1, 2], what=[1, 2], when=cells)
    assert times(path, unit) == [expected, NO_TIME]


@given(
    st.lists(st.datetimes(datetime(1900, 1, 1), datetime(2200, 12, 31)), min_size=1, max_size=20)
)
def test_timestamps_are_floored(
    tmp_path_factory: pytest.TempPathFactory, moments: list[datetime]
) -> None:
    path = write(
        tmp_path_factory.getbasetemp() / "stamps.parquet",
        who=list(range(len(moments))),
        what=list(range(len(moments))),
        when=pa.array(moments, pa.timestamp("us")),
    )
    whole = [moment.replace(microsecond=0, tzinfo=UTC) for moment in moments]
    assert times(path) == [int(moment.timestamp()) for moment in whole]


def test_columns_that_are_not_read_are_named_once(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", who=[1], what=[1], where=["x"], branch=[2])
    write(tmp_path / "b.parquet", who=[1], what=[2], branch=[3])
    source = source_of(tmp_path)
    list(source.chunks())
    assert source.notes()[UNREAD] == "2: where, branch"


@pytest.mark.parametrize("block_bytes", [1, 96, 1 << 20])
@pytest.mark.parametrize("row_group_size", [2, 100])
def test_a_folder_is_read_in_order_of_names(
    tmp_path: Path, block_bytes: int, row_group_size: int
) -> None:
    for part in (2, 0, 1):
        people = pa.array(range(part * 5, part * 5 + 5))
        write(tmp_path / f"part-{part}.parquet", row_group_size, who=people, what=people)
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "_old.parquet").write_text("")
    source = source_of(tmp_path, block_bytes=block_bytes)
    read: list[int] = []
    for chunk in source.chunks():
        read += chunk.record.tolist()
        assert source.position() <= source.size
    assert read == list(range(15))
    assert source.position() == source.size
    others = {OTHER_FILES: "1: _old.parquet"}
    assert source.notes() == {"layout": "parquet", "rows": 15, "files": 3} | others


def decision_arrays(path: Path, **options: Any) -> list[tuple[Any, ...]]:
    """Every row with its identifiers, value and day, where there are any."""
    found: list[tuple[Any, ...]] = []
    for chunk in source_of(path, **options).chunks():
        ids = [
            column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()
            for column in (chunk.record, chunk.item)
        ]
        more = [] if chunk.value is None else [chunk.value.tolist()]
        more += [] if chunk.time is None else [(chunk.time // 86_400).tolist()]
        found += zip(*ids, *more, strict=True)
    return found


def test_folders_below_are_read_in_order_of_names(tmp_path: Path) -> None:
    for part, folder in enumerate(("a", "a/deep/er", "b", ".")):
        write(tmp_path / folder / "part.parquet", who=[part], what=[part])
    write(tmp_path / "_temporary" / "part.parquet", who=[9], what=[9])
    write(tmp_path / ".hidden" / "part.parquet", who=[9], what=[9])
    (tmp_path / "a" / "_SUCCESS").write_text("")
    (tmp_path / "a" / ".part.parquet.crc").write_text("")
    assert decision_arrays(tmp_path) == [(1, 1), (0, 0), (2, 2), (3, 3)]
    source = source_of(tmp_path)
    list(source.chunks())
    hidden = "2: .hidden/part.parquet, _temporary/part.parquet"
    assert source.notes() == {
        "layout": "parquet",
        "rows": 4,
        "files": 4,
        OTHER_FILES: hidden,
    }


def test_links_to_folders_are_followed_once(tmp_path: Path) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    write(data / "a.parquet", who=[1], what=[1])
    write(other / "b.parquet", who=[2], what=[2])
    (data / "linked").symlink_to(other)
    (data / "round").symlink_to(data)
    (other / "again").symlink_to(other)
    assert decision_arrays(data) == [(1, 1), (2, 2)]
    (data / "gone.parquet").symlink_to(tmp_path / "none")
    assert error_of(data) == "PATH/gone.parquet: is a link to nothing; remove it or put it right"


def test_files_that_are_not_read_are_counted_and_named(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", who=[1], what=[1])
    write(tmp_path / "000001_0", who=[2], what=[2])  # as Hive writes them, without an ending
    write(tmp_path / "c.PARQUET", who=[3], what=[3])
    (tmp_path / "rest.csv").write_text("who,what\n4,4\n")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "README").write_text("")
    source = source_of(tmp_path)
    assert sum(len(chunk) for chunk in source.chunks()) == 3
    assert source.notes()[OTHER_FILES] == "2: deep/README, rest.csv"


def test_folders_named_by_key_and_value_are_columns(tmp_path: Path) -> None:
    for year, who in ((2008, 1), (2009, 2)):
        for place in ("zoo", "the spa%2Fbath"):
            folder = tmp_path / f"year={year}" / f"place={place}"
            write(folder / "part-0.parquet", who=[who, who], stars=[1.0, 2.0])
    names = {"item": "place", "value": "stars", "date": "year"}
    first, second = 13_879, 14_245
    assert decision_arrays(tmp_path, date_unit="year", **names) == [
        (who, place, stars, day)
        for who, day in ((1, first), (2, second))
        for place in ("the spa/bath", "zoo")
        for stars in (1.0, 2.0)
    ]
    assert "row 1: column year: '2008' may be a year (2008-01-01" in error_of(tmp_path, **names)
    write(tmp_path / "part-1.parquet", who=[1], stars=[1.0])
    assert error_of(tmp_path, **names) == (
        "PATH/part-1.parquet: no column 'place' (chosen as item); the file has 'who', 'stars'"
    )


def test_keys_of_folders_as_values_and_empty_ones(tmp_path: Path) -> None:
    write(tmp_path / "stars=4.5" / "a.parquet", who=[1], what=[1])
    write(tmp_path / "stars=__HIVE_DEFAULT_PARTITION__" / "a.parquet", who=[2], what=[2])
    found = decision_arrays(tmp_path, value="stars")
    assert str(found) == "[(1, 1, 4.5), (2, 2, nan)]"
    assert error_of(tmp_path, item="stars").startswith(
        "PATH/stars=__HIVE_DEFAULT_PARTITION__/a.parquet: row 1: column stars: is empty; expected"
    )
    assert decision_arrays(tmp_path, user="stars", empty="drop") == [("4.5", 1)]
    assert decision_arrays(tmp_path, user="stars", item="who", empty="drop") == [("4.5", 1)]
    write(tmp_path / "stars=many" / "a.parquet", who=[2], what=[2])
    assert "stars=many/a.parquet: row 1: column stars: 'many' is not a number" in error_of(
        tmp_path, value="stars"
    )


def test_the_names_of_folders_are_part_of_the_fingerprint(tmp_path: Path) -> None:
    made = set()
    for place in ("zoo", "spa"):
        for top in ("one", "two"):
            write(tmp_path / top / place / f"place={place}" / "a.parquet", who=[1])
            source = source_of(tmp_path / top / place, item="place")
            made.add(source.fingerprint())
    assert len(made) == 2


@pytest.mark.parametrize(
    ("log", "what"),
    [
        ("_delta_log/0.json", "Delta"),
        (".hoodie/x", "Hudi"),
        ("metadata/v1.metadata.json", "Iceberg"),
    ],
)
def test_tables_with_deleted_rows_are_refused(tmp_path: Path, log: str, what: str) -> None:
    write(tmp_path / "part.parquet", who=[1], what=[1])
    (tmp_path / log).parent.mkdir()
    (tmp_path / log).write_text("{}")
    assert error_of(tmp_path).startswith(
        f"PATH: is a{'n' * (what == 'Iceberg')} {what} table, whose"
    )


LONG = list(range(1, 8))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"who": [1, 2, 3, 4, 5, None, 7]}, "row 6: column who: is empty; expected an identifier"),
        ({"what": ["a"] * 5 + ["", "b"]}, "row 6: column what: is empty"),
        ({"what": ["a"] * 5 + [None, "b"]}, "row 6: column what: is empty"),
        ({"stars": [1.0] * 5 + [float("inf"), 2]}, "row 6: column stars: inf is not finite"),
        (
            {"who": pa.array([1] * 5 + [2**63, 1], pa.uint64())},
            "row 6: column who: 9223372036854775808 is too large; expected at most "
            "9223372036854775807; write identifiers as text, such as by astype(str) of pandas",
        ),
        (
            {"who": pa.array([Decimal(1)] * 5 + [Decimal(10**19), Decimal(1)])},
            "row 6: column who: 10000000000000000000 is too large; expected at most "
            "9223372036854775807; write identifiers as text, such as by astype(str) of pandas",
        ),
        (
            {"what": pa.array([Decimal(1)] * 5 + [Decimal(-(10**19)), Decimal(1)])},
            "row 6: column what: -10000000000000000000 is too small; expected at least "
            "-9223372036854775808; write identifiers as text, such as by astype(str) of pandas",
        ),
        ({"when": ["2005-09-06"] * 5 + ["x", ""]}, "row 6: column when: 'x' is not an ISO date"),
        ({"when": [SECOND] * 5 + [12000, 0]}, "row 6: column when: '12000' would be days since"),
        ({"when": [float(SECOND)] * 5 + [np.inf, 0]}, "row 6: column when: inf is not a date"),
        (
            {"when": [date(2005, 9, 6)] * 5 + [date(2201, 1, 1), None]},
            "row 6: column when: 2201-01-01 is out of range; expected a date from 1900 to 2200",
        ),
        (
            {"when": [date(2005, 9, 6)] * 6 + [date(1899, 1, 1)], "who": [1] * 5 + [None, 1]},
            "row 6: column who: is empty",
        ),
    ],
)
@pytest.mark.parametrize("block_bytes", [64, 1 << 20])
def test_bad_cells_are_named_by_row(
    tmp_path: Path, columns: dict[str, Any], message: str, block_bytes: int
) -> None:
    usual = {"who": LONG, "what": LONG, "stars": LONG, "when": [SECOND] * 7}
    path = write(tmp_path / "a.parquet", **{**usual, **columns})
    found = error_of(path, value="stars", date="when", block_bytes=block_bytes)
    assert found.startswith(f"PATH: {message}")


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"who": [True]}, "column who: holds bool; expected whole numbers or text as identifiers"),
        (
            {"what": [[1, 2]]},
            "column what: holds list<element: int64>; expected whole numbers or text as "
            "identifiers; .explode() of pandas makes a row of each of its entries",
        ),
        (
            {"what": [{"sku": 1}]},
            "column what: holds struct<sku: int64>; expected whole numbers or text as "
            "identifiers; .struct.explode() of pandas makes a column of each of its parts, if it "
            "was read with the dtype_backend 'pyarrow'",
        ),
        (
            {"who": [b"5"]},
            "column who: holds binary; expected whole numbers or text as identifiers; "
            ".map(bytes.hex) of pandas writes them as text",
        ),
        (
            {"what": pa.array([bytes(16)], pa.uuid())},
            "column what: holds extension<arrow.uuid>; expected whole numbers or text as "
            "identifiers; .astype(str) of pandas writes them as text",
        ),
        ({"stars": [b"5"]}, "column stars: holds binary; expected numbers, or text of numbers"),
        ({"when": [True]}, "column when: holds bool; expected dates, timestamps, numbers or text"),
        (
            {"stars": [True]},
            "column stars: holds bool; expected numbers, or text of numbers; pandas makes 0 and 1 "
            "of it by .astype(int)",
        ),
    ],
)
def test_wrong_types(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    usual = {"who": [1], "what": [1], "stars": [1], "when": [SECOND]}
    path = write(tmp_path / "a.parquet", **{**usual, **columns})
    assert error_of(path, value="stars", date="when") == f"PATH: {message}"


def test_a_part_of_a_column_is_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", who=[1], event=[{"what": 1}])
    for name in ("what", "event.what"):
        assert error_of(path, item=name) == (
            f"PATH: no column {name!r} (chosen as item); the file has 'who', 'event'; 'event' is a "
            "struct that has 'what'; .struct.explode() of pandas makes a column of each of its "
            "parts, if it was read with the dtype_backend 'pyarrow'"
        )


def test_a_unit_cannot_contradict_a_type(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", who=[1], what=[1], when=[date(2005, 9, 6)])
    assert "holds dates, which need no unit" in error_of(path, date="when", date_unit="s")
    assert source_of(path, date="when").notes() == {}


def test_floats_that_round_are_refused(tmp_path: Path) -> None:
    """A float of 32 bits stands for two days, or two people, where the numbers are large."""
    days = pa.array([1.0, 20050907.0], pa.float32())
    path = write(tmp_path / "a.parquet", who=[1, 2], what=[1, 2], when=days)
    assert error_of(path, date="when", date_unit="yyyymmdd").startswith(
        "PATH: row 2: column when: a float cannot tell 20050908 from its neighbours"
    )
    write(path, who=np.array([1, 16777217], np.float32), what=[1, 2])
    assert error_of(path).startswith(
        "PATH: row 2: column who: 16777216 is not a whole number that a float holds exactly"
    )


def test_time_zones_may_not_differ_between_files(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", who=[1], what=[1], when=pa.array([MOMENT], pa.timestamp("us")))
    zoned = pa.array([MOMENT.replace(tzinfo=UTC)], pa.timestamp("us", "UTC"))
    write(tmp_path / "b.parquet", who=[1], what=[1], when=zoned)
    assert error_of(tmp_path, date="when") == (
        "PATH/b.parquet: column when: holds timestamp[us, tz=UTC], but a.parquet holds "
        "timestamp[us]; write the column alike in all files, such as by "
        ".dt.tz_localize('UTC') of pandas, where times without a zone are of UTC"
    )
    write(
        tmp_path / "a.parquet", who=[1], what=[1], when=zoned.cast(pa.timestamp("us", "Asia/Tokyo"))
    )
    source = source_of(tmp_path, date="when")
    list(source.chunks())
    assert source.notes()[ZONES] == "2: Asia/Tokyo, UTC"
    write(tmp_path / "a.parquet", who=np.array([], int), what=np.array([], int),
          when=pa.array([], pa.timestamp("us")))  # fmt: skip
    assert times(tmp_path) == [SECOND]


def test_kinds_may_not_differ_between_files(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", who=[1], what=[1])
    write(tmp_path / "b.parquet", who=["1"], what=[1])
    assert error_of(tmp_path) == (
        "PATH/b.parquet: column who: holds string, but a.parquet holds int; write the column alike "
        "in all files, such as by astype(str) of pandas"
    )
    write(tmp_path / "c.parquet", who=["1"], what=["1"])  # all columns at once, each once
    said = error_of(tmp_path)
    assert re.findall(r"PATH/(.)[.]parquet: column (\w+): ", said) == [("b", "who"), ("c", "what")]
    (tmp_path / "c.parquet").unlink()
    write(tmp_path / "b.parquet", other=["1"], what=[1])
    assert error_of(tmp_path) == (
        "PATH/b.parquet: no column 'who' (chosen as user); the file has 'other', 'what'"
    )


def test_no_rows_and_no_files(tmp_path: Path) -> None:
    assert error_of(tmp_path) == (
        "PATH: holds no parquet or csv file; expected *.parquet or *.csv in it or below, or name "
        "one file"
    )
    none = pa.array([], pa.int64())
    path = write(tmp_path / "a.parquet", who=none, what=none)
    assert error_of(path) == "PATH: holds no rows; expected some below the header"


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_truncated_files(tmp_path: Path, kept: float) -> None:
    path = write(tmp_path / "a.parquet", who=list(range(1000)), what=list(range(1000)))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    assert error_of(path).startswith("PATH: is cut short, damaged or not parquet (")


def test_damaged_pages(tmp_path: Path) -> None:
    path = write(tmp_path / "a.parquet", who=list(range(50_000)), what=list(range(50_000)))
    damaged = bytearray(path.read_bytes())
    damaged[4:3000] = bytes(2996)
    path.write_bytes(damaged)
    assert error_of(path).startswith("PATH: is cut short, damaged or not parquet (")


def test_fingerprint_is_of_content_not_place(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        for part in (1, 2):
            write(tmp_path / folder / f"{part}.parquet", who=[part], what=[part])
    first = source_of(tmp_path / "one").fingerprint()
    assert source_of(tmp_path / "two").fingerprint() == first
    (tmp_path / "two" / "2.parquet").rename(tmp_path / "two" / "0.parquet")
    assert source_of(tmp_path / "two").fingerprint() != first
