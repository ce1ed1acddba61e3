"""Finds what a zip or a gzip file holds beside the text that is read of it.

Invariant: what an archive holds is named by where it stands, and its words are never repeated.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from sim.release.readers.archives import FilesInput, TextInput, ZipInput
from sim.release.readers.textfile import reading

_MAGIC = b"\x1f\x8b"
_EXTRA, _NAME, _COMMENT = 4, 8, 16
_BLOCK_SIZE = b"BC\x02\x00"
"""Begins the extra field, of six bytes, that bgzip writes into each of its blocks."""


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
            yield from (f"{what} of {path.name}" for what in _of_gzip(path))


def _of_zip(source: ZipInput) -> Iterator[str]:
    """Yield the comments of a zip and its members, and the members that are not read."""
    name = source.path.name
    with reading(str(source.path)), zipfile.ZipFile(source.path) as archive:
        comment, infos = archive.comment, archive.infolist()
    if comment:
        yield f"comment of {name}"
    for info in infos:
        holds = info.is_dir() and any(one.startswith(info.filename) for one in source.members)
        if info.filename not in source.members and not holds:
            yield f"{name}/{info.filename}"
        if info.comment:
            yield f"comment of {name}/{info.filename}"


def _of_gzip(path: Path) -> Iterator[str]:
    """Yield the fields in the header of a gzip file; its own name, and what bgzip adds, are none.

    Only the first header is looked at, where several compressed files were put together.
    """
    with reading(str(path)), path.open("rb") as stream:
        head = stream.read(10)
        if not head.startswith(_MAGIC) or len(head) < 10:
            return
        flags = head[3]
        extra = stream.read(int.from_bytes(stream.read(2), "little")) if flags & _EXTRA else b""
        name = _text(stream) if flags & _NAME else b""
    if extra and not (extra.startswith(_BLOCK_SIZE) and len(extra) == len(_BLOCK_SIZE) + 2):
        yield "extra field in the header"
    if name and name.decode("latin-1") not in (path.name, path.stem):
        yield "another name in the header"
    if flags & _COMMENT:
        yield "comment in the header"


def _text(stream: IO[bytes]) -> bytes:
    """Read up to a zero byte."""
    read = bytearray()
    while (byte := stream.read(1)) not in (b"", b"\0"):
        read += byte
    return bytes(read)
