"""Files, zips and tars: order, labels, positions, and what a cut does to each."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from sim.errors import InputError
from sim.release.readers.archives import FilesInput, TarInput, TextInput, ZipInput
from sim.release.readers.locate import (
    first_block,
    is_folder,
    kind_of_file,
    text_files,
    zip_members,
)

WANTED, NESTED = re.compile(r"[ab]\.txt"), re.compile(r"in\.tar(\.gz)?")
TEXTS = {"a.txt": b"one\n", "b.txt": b"two\n", "c.txt": b"three\n"}


def tar_of(members: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def read_all(source: TextInput) -> list[tuple[str, bytes]]:
    last = 0
    found = []
    for text in source.texts():
        found.append((text.label.rpartition("/")[2], text.stream.read()))
        assert last <= text.position() <= source.size
        last = text.position()
    assert isinstance(source, TarInput) or last == source.size
    return found


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_files_are_unpacked_by_their_first_bytes(tmp_path: Path, pack: type[bytes]) -> None:
    paths = []
    for name, data in TEXTS.items():
        (tmp_path / name).write_bytes(pack(data))
        paths.append(tmp_path / name)
    assert read_all(FilesInput(tuple(paths))) == list(TEXTS.items())
    assert kind_of_file(paths[0]) == "text"


def test_zip_members(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in {**TEXTS, "__MACOSX/a.txt": b"no"}.items():
            archive.writestr(name if "/" in name else f"deep/{name}", data)
    assert kind_of_file(path) == "zip"
    members = zip_members(path, WANTED)
    assert members == ("deep/a.txt", "deep/b.txt")
    assert read_all(ZipInput(path, members)) == [("a.txt", b"one\n"), ("b.txt", b"two\n")]


@pytest.mark.parametrize("inner", [bytes, gzip.compress])
@pytest.mark.parametrize("outer", [bytes, gzip.compress, bz2.compress])
def test_tars_in_tars(tmp_path: Path, inner: type[bytes], outer: type[bytes]) -> None:
    name = "in.tar" if inner is bytes else "in.tar.gz"
    path = tmp_path / "out.tar"
    path.write_bytes(
        outer(tar_of({"c.txt": b"no", f"deep/{name}": inner(tar_of(TEXTS)), "other.tar": b"no"}))
    )
    assert kind_of_file(path) == "tar"
    assert read_all(TarInput(path, WANTED, NESTED)) == [("a.txt", b"one\n"), ("b.txt", b"two\n")]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("kept", [100, 512, 600, 1024, 1500, 2048])
def test_a_tar_cut_anywhere_is_refused(tmp_path: Path, pack: type[bytes], kept: int) -> None:
    path = tmp_path / "x.tar"
    path.write_bytes(pack(tar_of(TEXTS)[:kept]))
    with pytest.raises(InputError, match="cut short"):
        read_all(TarInput(path, WANTED, NESTED))


def test_a_cut_tar_gz_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.gz"
    path.write_bytes(gzip.compress(tar_of(TEXTS))[:-20])
    with pytest.raises(InputError, match="cut short"):
        read_all(TarInput(path, WANTED, NESTED))


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", b"one")
    data = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"x\.zip/a\.txt: is encrypted; unpack it first"):
        read_all(ZipInput(path, ("a.txt",)))


def test_finding(tmp_path: Path) -> None:
    (tmp_path / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "deep" / "deeper" / "a.txt").write_text("x")
    assert text_files(tmp_path, WANTED) == ()
    (tmp_path / "deep" / "b.txt").write_text("x")
    assert text_files(tmp_path, WANTED) == (tmp_path / "deep" / "b.txt",)
    (tmp_path / "a.txt").write_text("x\n")
    assert text_files(tmp_path, WANTED) == (tmp_path / "a.txt",)
    assert is_folder(tmp_path, "")
    assert first_block(FilesInput((tmp_path / "a.txt",)), "").data == b"x\n"
    with pytest.raises(InputError, match="no such file or folder; expected a thing"):
        is_folder(tmp_path / "none", "a thing")
    with pytest.raises(InputError, match=r"aa\.txt: no such file or .*; did you mean a\.txt\?$"):
        is_folder(tmp_path / "aa.txt", "a thing")
