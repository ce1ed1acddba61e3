"""Names of files that tell something of their rows, and names that only count the files."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from tables import table_source

from sim.release.readers.file_names import only_count
from sim.release.store.accounts import FILE_NAMES, UNREAD

_ONE, _OTHER = "0f8fad5b-d9cb-469f-a165-70867728950e", "7C9E6679-7425-40DE-944B-E07FC1F90AE7"
_TID = "tid-4567890123456789012"


def many(pattern: str, numbers: Sequence[int]) -> list[str]:
    return [pattern.format(number) for number in numbers]


@pytest.mark.parametrize(
    "names",
    [
        many("part-{}.parquet", range(2)),
        many("part-{:05d}", range(3)),
        many("part_{:02d}.csv", range(1, 13)),
        [f"part-00000-{_ONE}-c000.snappy.parquet", f"part-00001-{_ONE}-c000.snappy.parquet"],
        [f"part-00000-{_ONE}.c000.csv.gz", f"part-00001-{_OTHER}.c000.csv.gz"],
        # Spark writes no empty part, and several where one has many rows.
        [f"part-00000-{_ONE}-c000.csv", f"part-00003-{_ONE}-c000.csv"],
        [f"part-00000-{_ONE}-c000.csv", f"part-00000-{_ONE}-c001.csv"],
        [f"part-0000{k}-{_TID}-{_ONE}-{k + 15}-1-c000.snappy.parquet" for k in range(3)],
        many("{:012d}.csv", range(3)),
        many("orders_20250101_{:012d}.csv", range(3)),
        many("data_{}.csv.gz", range(1, 13)),
        many("data_0_{}_0.csv.gz", range(8)),
        many("data ({}).csv", range(1, 4)),
        many("data_{:02d}.csv", range(1, 13)),
        many("orders_{:05d}.csv", range(3)),
        many("export-{}.csv", range(1, 13)),
        many("2025-01/part-{}.csv", range(3)),
        many("v2/part.{}.parquet", range(3)),
        [f"{_ONE}-0.parquet", f"{_OTHER}-0.parquet"],
        many(f"{_ONE}-{{}}.parquet", range(3)),
        [f"{_ONE}.csv", f"{_OTHER}.csv"],
        ["9e107d9d372bb6826bd81d3542a419d6.csv", "e4d909c290d0fb1ca068ffaddf22cbd0.csv"],
        many("part-{}/data_0.parquet", range(3)),
        many("chunk_{}/orders.csv", range(1, 4)),
        ["part-0/data0.csv", "part-0/data1.csv", "part-1/data0.csv"],
        ["orders.csv"],
        ["2025-01.csv"],  # the name of a single file is not compared
        [],
    ],
)
def test_names_that_only_count(names: list[str]) -> None:
    assert only_count(names)
    assert only_count(names[::-1] * 2)


@pytest.mark.parametrize(
    "names",
    [
        ["north.csv", "south.csv"],
        ["orders_jan.csv", "orders_feb.csv"],
        many("orders_2025-{:02d}.csv", range(1, 3)),
        many("orders_2025-{}.csv", range(1, 13)),
        many("orders_2025_{}.csv", range(2)),
        many("orders_{}_2025.csv", range(1, 3)),
        many("orders2025{:02d}.csv", range(1, 3)),
        many("part-2025-{:02d}.csv", range(1, 3)),
        many("2025-01-{:02d}.csv", range(1, 32)),
        many("2025-01-01_{:02d}.csv", range(24)),
        many("orders_{:02d}.csv", range(1, 13)),
        many("{:02d}.csv", range(1, 7)),
        many("{}.csv", range(2024, 2026)),
        many("{:02d}.csv", (0, 1, 3)),
        many("part-{}.csv", (0, 2)),
        many("part-{}.csv", (2, 3)),
        many("{}.parquet", range(12)),
        many("orders_{}.csv", range(1, 13)),  # maybe of twelve months
        many("orders_{:02d}.csv", range(12)),
        many("visits_{}.csv", range(1, 3)),
        many("2025/orders_{}.csv", range(3)),
        many("filiale_{}.csv", range(1, 4)),
        many("mois{}.csv", range(1, 13)),
        many("sex_{}.csv", range(2)),
        many("store_{}.csv", (3, 17)),
        many("store_{}.csv", range(1, 3)),
        many("store_no_{}.csv", range(1, 3)),
        many("week_{}.csv", range(1, 3)),
        many("salesWeek{}.csv", range(1, 3)),
        many("2025W{}.csv", range(1, 3)),
        many("Q{}.csv", range(1, 5)),
        many("{}_district.csv", range(1, 5)),
        many("monthly/{}.csv", range(1, 5)),
        many("a{}.csv", (1, 10, 2, 3)),
        ["orders_01.csv", "orders_1.csv"],
        ["orders_1.csv", "orders_02.csv"],
        ["a1_b1.csv", "a1_b2.csv", "a2_b1.csv"],
        ["orders.csv", "orders_1.csv"],
        ["part-0.csv", "Part-1.csv"],
        ["part-0.csv", "part-1.tsv"],
        ["part-\u0660.csv", "part-\u0661.csv"],  # digits of another alphabet
        [f"part-00000-{_ONE}-north.csv", f"part-00001-{_ONE}-south.csv"],
        [f"{_ONE}-north.csv", f"{_OTHER}-south.csv"],
        many(f"{_ONE}-2025{{:02d}}.csv", range(1, 3)),
        ["20250101120000123.csv", "20250201120000123.csv"],  # long, and a time
        ["facade.csv", "decade.csv"],
        many("2025-{:02d}/part-0.parquet", range(1, 3)),
        many("2025/{:02d}/part-0.parquet", range(1, 3)),
        many("2025/{:02d}/part-0.parquet", range(2)),
        many("{}/part-0.parquet", range(1, 13)),
        many("data_{}/part-0.parquet", range(1, 13)),
        many("part-{}-of-march/part-0.parquet", range(1, 13)),
        many("part-{}/part-0.parquet", (1, 3)),
        many("2025/{}.csv", range(1, 13)),
        ["north/part-0.parquet", "north/part-1.parquet", "south/part-0.parquet"],
        ["part-0.csv", "deep/part-1.csv"],
        [f"{_ONE}/part-0.csv", f"{_OTHER}/part-0.csv"],  # a folder may be a shop
        [f"{_ONE}/part-0.csv", f"{_ONE}/part-1.csv", f"{_OTHER}/part-0.csv"],
    ],
)
def test_names_that_tell_something(names: list[str]) -> None:
    assert not only_count(names)
    assert not only_count(names[::-1] * 2)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_folders_that_give_columns_are_no_names(tmp_path: Path, kind: str) -> None:
    """Unless the files have these columns themselves, so that the folders' are not read."""
    notes = {}
    for own in (False, True):
        for month, part in (("2025-01", 0), ("2025-01", 1), ("__HIVE_DEFAULT_PARTITION__", 0)):
            path = tmp_path / str(own) / f"month={month}" / f"part-{part}.{kind}"
            path.parent.mkdir(parents=True, exist_ok=True)
            frame = pd.DataFrame({"who": ["ann"], "what": ["x"]})
            frame = frame.assign(month="2025-01") if own else frame
            frame.to_csv(path, index=False) if kind == "csv" else frame.to_parquet(path)
        source = table_source(tmp_path / str(own), "who", "what", date="month")
        assert sum(map(len, source.chunks())) == 3
        notes[own] = source.notes()
    assert FILE_NAMES not in notes[False]
    null = f"month=__HIVE_DEFAULT_PARTITION__/part-0.{kind}"
    assert notes[True][FILE_NAMES] == f"3 files, such as month=2025-01/part-0.{kind} and {null}"
    assert UNREAD not in notes[True]


def test_the_names_within_zips_are_names_of_files(tmp_path: Path) -> None:
    for place, name in enumerate(("north", "south")):
        with zipfile.ZipFile(tmp_path / f"part-{place}.csv.zip", "w") as archive:
            archive.writestr(f"{name}.csv", "who,what\nann,x\n")
    source = table_source(tmp_path, "who", "what")
    list(source.chunks())
    told = "2 files, such as part-0.csv.zip/north.csv and part-1.csv.zip/south.csv"
    assert source.notes()[FILE_NAMES] == told
