"""What a compressed file holds beside its text: nothing, if a program compressed it by itself."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from sim.release.readers.archive_extras import extras_of
from sim.release.readers.archives import BZIP2, GZIP, XZ, ZSTD, ZipInput
from sim.release.readers.compressed_extras import extras_of_compressed

LONG = np.random.default_rng(1).bytes(1 << 20)
"""Longer, once compressed, than what is looked at at once."""


def zst(data: bytes) -> bytes:
    return bytes(pa.compress(data, codec="zstd", asbytes=True))


PACK = {GZIP: gzip.compress, BZIP2: bz2.compress, XZ: lzma.compress, ZSTD: zst}


def extras(data: bytes, kind: str) -> list[str]:
    return list(extras_of_compressed(io.BytesIO(data), kind, "a.csv.gz"))


@pytest.mark.parametrize(("kind", "pack"), PACK.items())
def test_streams_one_after_the_other_hold_nothing_more_and_other_bytes_do(
    kind: str, pack: Callable[[bytes], bytes]
) -> None:
    few, none = pack(b"who,what\n"), pack(b"")
    for whole in (
        few,
        none,
        few + none * 5 + few,
        pack(LONG) + few,
        pack(bytes(30 << 20)),  # unpacked a piece at a time
        pack(LONG)[:-9],  # whoever reads it says that it is cut short
        *([] if kind == ZSTD else [few + bytes(300_000), few + bytes(9) + few]),
    ):
        assert extras(whole, kind) == []
    # Frames of zstd say of themselves how long they are, and are not unpacked.
    as_if = [] if kind == ZSTD else [few[:3] + b"ann" * 99]
    for more in (b"ann", b"\0\0ann", bytes(300_000) + b"ann", *as_if):
        assert extras(few + more, kind) == ["bytes after the end"]


def test_each_header_and_frame_is_looked_at() -> None:
    packed = gzip.compress(b"who,what\n")

    def with_flag(flag: int, field: bytes) -> bytes:
        return packed[:3] + bytes([flag]) + packed[4:10] + field + packed[10:]

    sizes = with_flag(4, b"\x06\0BC\x02\0\x33\0")  # as bgzip writes
    assert extras(sizes * 3 + with_flag(8, b"a.csv\0") + with_flag(8, b"a.csv.gz\0"), GZIP) == []
    assert extras(sizes + with_flag(4, b"\x06\0AB\x02\0\x33\0"), GZIP) == [
        "extra field in the header"
    ]
    for own in ("é.csv".encode(), "é.csv".encode("latin-1")):
        found = extras_of_compressed(io.BytesIO(with_flag(8, own + b"\0")), GZIP, "é.csv.gz")
        assert list(found) == []
    (other,) = extras(packed + with_flag(8, b"b.csv\0") * 2, GZIP)
    assert other == "another name in the header, which gzip -n leaves out,"
    assert extras(packed + with_flag(24, b"a.csv\0ann\0"), GZIP) == ["comment in the header"]
    skipped = 0x184D2A5F.to_bytes(4, "little") + b"\x03\0\0\0ann"
    for whole in (zst(b"who") + skipped, zst(LONG) + skipped + zst(b"what")):
        assert extras(whole, ZSTD) == ["a frame that is not read"]


class Pipe(io.RawIOBase):
    """Where nothing can be written twice, so that sizes follow the members of a zip."""

    def __init__(self) -> None:
        self.written = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        self.written += bytes(data)  # type: ignore[call-overload]
        return len(bytes(data))  # type: ignore[call-overload]


def test_a_zip_holds_nothing_more_however_it_is_written(tmp_path: Path) -> None:
    members = ("a.csv", "b.csv.gz")
    path = tmp_path / "z.zip"

    def found() -> list[str]:
        return list(extras_of(ZipInput(path, members)))

    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in members:
            with archive.open(name, "w", force_zip64=name == "a.csv") as member:
                member.write(gzip.compress(LONG) if name == "b.csv.gz" else LONG)
    assert found() == []
    plain = path.read_bytes()
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:  # type: ignore[arg-type]
        for name in members:
            archive.writestr(name, LONG)
    path.write_bytes(pipe.written)
    assert found() == []
    for other in (b"ann" + plain, plain + b"ann"):
        path.write_bytes(other)
        assert found() == ["bytes beside the members of z.zip"]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.csv", LONG)
        archive.writestr("b.csv.gz", gzip.compress(LONG) + b"ann")
    assert found() == ["bytes after the end of z.zip/b.csv.gz"]


@pytest.mark.parametrize("how", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2])
def test_a_member_of_a_zip_ends_where_its_text_does(tmp_path: Path, how: int) -> None:
    path = tmp_path / "z.zip"
    for text in (b"", b"who,what\nann,x\n", LONG):
        with zipfile.ZipFile(path, "w", how) as archive:
            archive.writestr("a.csv", text)
        assert list(extras_of(ZipInput(path, ("a.csv",)))) == []
        whole = path.read_bytes()
        with zipfile.ZipFile(path) as archive:
            (info,) = archive.infolist()
            begin = archive.start_dir
        longer = (info.compress_size + 3).to_bytes(4, "little")
        local, listed = bytearray(whole[:begin]), bytearray(whole[begin:])
        local[18:22] = listed[20:24] = longer
        end = listed.rindex(b"PK\x05\x06")
        listed[end + 16 : end + 20] = (begin + 3).to_bytes(4, "little")
        path.write_bytes(local + b"ann" + listed)
        with zipfile.ZipFile(path) as archive:
            assert archive.read("a.csv") == text
        assert list(extras_of(ZipInput(path, ("a.csv",)))) == [
            "bytes after the end of a member of z.zip"
        ]
