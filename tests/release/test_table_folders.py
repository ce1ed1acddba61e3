"""Folders of csv files: in the order of their names, each by its own header."""

from __future__ import annotations

import gzip
import lzma
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tables import table_source

from sim.errors import InputError
from sim.release.store.accounts import OTHER_FILES, UNREAD


def read(path: Path, *columns: Any, **options: Any) -> list[tuple[Any, ...]]:
    source = table_source(path, *(columns or ("who", "what")), **options)
    found = [
        row
        for chunk in source.chunks()
        for row in zip(chunk.record.to_pylist(), chunk.item.to_pylist(), strict=True)
    ]
    assert source.position() == source.size
    return found


def zst(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


@pytest.mark.parametrize("block_bytes", [8, 1 << 20])
def test_parts_are_read_in_order_each_by_its_header(tmp_path: Path, block_bytes: int) -> None:
    (tmp_path / "b.csv").write_text("what;who\nx;ann\n")
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"who,what\nbob,y\n"))
    (tmp_path / "c.tsv").write_bytes("who\twhat\tn\ncafé\tz\t1".encode("cp1252"))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "d.csv.xz").write_bytes(lzma.compress(b"n,who,what\n1,eve,x\n"))
    (tmp_path / "deep" / "e.csv.zst").write_bytes(zst(b"n,who,what\n1,eve,y\n"))
    with zipfile.ZipFile(tmp_path / "f.csv.zip", "w") as archive:
        archive.writestr("f.csv", "who,what\nzoe,x\n")
    (tmp_path / "_SUCCESS").write_text("")
    (tmp_path / "README.txt").write_text("hello\n")
    (tmp_path / "empty.csv").write_text("")
    for name in (
        ".a.csv.gz.crc",
        "_metadata",
        "_late.csv",
        "_temporary/part-00001",
        ".old.parquet",
    ):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("who,what\nmax,x\n")
    (tmp_path / "_temporary" / "again").symlink_to(tmp_path)
    (tmp_path / ".a.csv.gz.crc").write_bytes(b"crc\0\0\0\x02\0" + bytes(4))
    (tmp_path / "._SUCCESS.crc").write_bytes(b"crc\0\0\0\x02\0")
    (tmp_path / ".b.csv.crc").write_bytes(b"crc\0\0\0\x02\0" + bytes(4) + b"max")
    (tmp_path / "_started_1").write_text("")
    (tmp_path / "_committed_1").write_text("max")
    found = read(tmp_path, block_bytes=block_bytes)
    assert found == [
        ("bob", "y"), ("ann", "x"), ("café", "z"), ("eve", "x"), ("eve", "y"), ("zoe", "x"),
    ]  # fmt: skip
    source = table_source(tmp_path, "who", "what")
    list(source.chunks())
    notes = source.notes()
    assert notes["files"] == 6
    # Of the others with a point or an underscore, these hold more than a sum or a mark.
    no_sums = "(no sums of a file beside it, as Spark writes them)"
    hidden = f".b.csv.crc {no_sums}, .old.parquet, _committed_1, ..."
    assert notes[OTHER_FILES] == f"9: README.txt, empty.csv, {hidden}"
    assert notes[UNREAD] == "1: n"
    assert notes["encoding"] == "UTF-8 or Windows-1252 (recognised)"
    assert notes["layout"] == "text delimited by comma or semicolon or tab"


@pytest.mark.parametrize("block_bytes", [8, 1 << 20])
def test_names_of_folders_are_columns(tmp_path: Path, block_bytes: int) -> None:
    for year in (2015, 2016):
        (tmp_path / f"year={year}").mkdir()
        (tmp_path / f"year={year}" / "part-0").write_text(f"who,what,d\nann,x,{year - 2014}\n")
    source = table_source(
        tmp_path, "who", ["what", "year"], None, ["year", "d"],
        date_format="%Y %m", block_bytes=block_bytes,
    )  # fmt: skip
    rows = [
        (*chunk.item.to_pylist(), *chunk.time.tolist())  # type: ignore[union-attr]
        for chunk in source.chunks()
    ]
    assert rows == [("x | 2015", 1420070400), ("x | 2016", 1454284800)]
    before = source.fingerprint()
    (tmp_path / "year=2016").rename(tmp_path / "year=2017")
    after = table_source(
        tmp_path, "who", ["what", "year"], None, ["year", "d"], date_format="%Y %m"
    )
    assert after.fingerprint() != before


def test_errors_name_the_part_and_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,what\na,x\n")
    (tmp_path / "b.csv").write_text("who,what\na,x\n\n,y\n")
    with pytest.raises(InputError, match=r"b\.csv:4: column who: is empty"):
        read(tmp_path)
    (tmp_path / "b.csv").write_text("who,whom\na,b\n")
    with pytest.raises(InputError, match=r"b\.csv:1: no column 'what' \(chosen as item\)"):
        read(tmp_path)


def test_the_dates_of_all_parts_settle_their_format(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who,what,when\na,x,1/2/2015\n")
    (tmp_path / "b.csv").write_text("who,what,when\na,y,1/13/2015\n")
    source = table_source(tmp_path, "who", "what", date="when")
    times = [t for chunk in source.chunks() for t in chunk.time.tolist()]  # type: ignore[union-attr]
    assert times == [1420156800, 1421107200]


def test_zst_alone_and_cut_short(tmp_path: Path) -> None:
    rows = "".join(f"u{n},i{n * 7 % 999}\n" for n in range(4000))
    whole = zst(f"who,what\n{rows}".encode())
    path = tmp_path / "rows.csv.zst"
    path.write_bytes(whole)
    assert len(read(path, block_bytes=4096)) == 4000
    path.write_bytes(whole + zst(b"ann,zoo\n"))
    assert len(read(path, block_bytes=4096)) == 4001
    for kept in (0.5, 0.99):
        path.write_bytes(whole[: int(len(whole) * kept)])
        with pytest.raises(InputError, match=r"rows\.csv\.zst: is (cut short|damaged)"):
            read(path, block_bytes=4096)
