"""Finds what a zip or a compressed file holds beside the text that is read of it.

Invariant: what an archive holds is named by where it stands, and its words are never repeated.
"""

from __future__ import annotations

import bz2
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from sim.release.readers.archives import FilesInput, TextInput, ZipInput, compression_of
from sim.release.readers.compressed_extras import ends_before, extras_of_compressed
from sim.release.readers.textfile import reading

_END = b"PK\x05\x06"
_END_BYTES, _END_64_BYTES, _LOCAL_BYTES, _CENTRAL_BYTES = 22, 56 + 20, 30, 46
_SIZES_AFTER, _SIZES = 8, (12, 16, 20, 24)
"""The flag of a member whose sizes stand after it, and how many bytes these may have."""

_TIMES, _NTFS, _OWNER_5855, _OWNER_7855, _OWNER, _LONG = 0x5455, 0xA, 0x5855, 0x7855, 0x7875, 1
_USUAL = {_TIMES: 13, _NTFS: 32, _OWNER_5855: 12, _OWNER_7855: 4, _OWNER: 11, _LONG: 28}
"""The most bytes of the extra fields that programs write by themselves: sizes, times, owners."""

_UNPACK: dict[int, Callable[[], Any]] = {
    zipfile.ZIP_DEFLATED: lambda: zlib.decompressobj(-zlib.MAX_WBITS),
    zipfile.ZIP_BZIP2: bz2.BZ2Decompressor,
}
"""How members are unpacked; where they were compressed otherwise, their ends are not looked at."""


def extras_of(source: TextInput) -> Iterator[str]:
    """Yield what the files of an input hold beside its texts.

    Raises
    ------
    InputError
        A file cannot be read.
    """
    if isinstance(source, ZipInput):
        yield from _of_zip(source)
    elif isinstance(source, FilesInput):
        for path in source.paths:
            with reading(str(path)), path.open("rb") as stream:
                yield from _of_text(stream, path.name, path.name)


def _of_text(stream: IO[bytes], name: str, label: str) -> Iterator[str]:
    """Yield what a text holds more, if it is compressed."""
    kind = compression_of(stream)
    if kind is not None:
        yield from (f"{what} of {label}" for what in extras_of_compressed(stream, kind, name))


def _of_zip(source: ZipInput) -> Iterator[str]:
    """Yield the comments of a zip and its members, members that are not read, and further bytes."""
    label = source.path.name
    with reading(str(source.path)), zipfile.ZipFile(source.path) as archive:
        if archive.comment:
            yield f"comment of {label}"
        for info in archive.infolist():
            name = f"{label}/{info.filename}"
            is_read = info.filename in source.members
            holds = info.is_dir() and any(one.startswith(info.filename) for one in source.members)
            if not is_read and not (holds and not info.file_size):
                yield name
            if info.comment:
                yield f"comment of {name}"
            if _is_unusual(info.extra):
                yield f"extra field of {name}"
            if is_read:
                with archive.open(info) as stream:
                    yield from _of_text(stream, info.filename.rpartition("/")[2], name)
        with source.path.open("rb") as stream:
            yield from (f"{what} of {label}" for what in dict.fromkeys(_between(stream, archive)))


def _between(stream: IO[bytes], archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield whether bytes of a zip belong to no member, to no list of members or to no text."""
    sizes: tuple[int, ...] = (0,)
    at = 0
    for info in sorted(archive.infolist(), key=lambda info: info.header_offset):
        if info.header_offset - at not in sizes:
            yield "bytes beside the members"
        sizes = _SIZES if info.flag_bits & _SIZES_AFTER else (0,)
        stream.seek(info.header_offset)
        header = stream.read(_LOCAL_BYTES)
        name, extra = (int.from_bytes(header[k : k + 2], "little") for k in (26, 28))
        stream.read(name)
        if _is_unusual(stream.read(extra)):
            yield "extra field of a member"
        at = stream.tell() + info.compress_size
        unpack = _UNPACK.get(info.compress_type)
        if unpack is not None and ends_before(stream, info.compress_size, unpack()):
            yield "bytes after the end of a member"
    if archive.start_dir - at not in sizes:
        yield "bytes beside the members"
    at = archive.start_dir
    for _ in archive.infolist():
        stream.seek(at)
        header = stream.read(_CENTRAL_BYTES)
        at += _CENTRAL_BYTES + sum(
            int.from_bytes(header[k : k + 2], "little") for k in (28, 30, 32)
        )
    end = stream.seek(0, 2) - _END_BYTES - len(archive.comment)
    stream.seek(max(0, end))
    if end - at not in (0, _END_64_BYTES) or stream.read(len(_END)) != _END:
        yield "bytes beside the members"


def _is_unusual(extra: bytes) -> bool:
    """Whether an extra field holds something that no usual program writes by itself."""
    usual = dict(_USUAL)
    while len(extra) >= 4:
        kind, size = int.from_bytes(extra[:2], "little"), int.from_bytes(extra[2:4], "little")
        if size > usual.pop(kind, -1) or len(extra) < 4 + size:
            return True
        extra = extra[4 + size :]
    return bool(extra)
