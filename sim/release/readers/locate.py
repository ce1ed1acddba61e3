"""Locates files to read: the kind of a path, and the files below it that match a name.

Invariant: names are sorted, so nothing depends on the order in which the system lists a folder.
"""

from __future__ import annotations

import re
import tarfile
import zipfile
from contextlib import ExitStack
from pathlib import Path

from sim.errors import InputError
from sim.numeric.text import did_you_mean
from sim.release.readers.archives import TAR_BLOCK, TextInput, decompressed
from sim.release.readers.textfile import Encoding, LineBlock, line_blocks, reading

PARQUET_MAGIC = b"PAR1"
"""The first and the last bytes of a parquet file."""

_SQLITE_MAGIC = b"SQLite format 3\0"
_HEAD_BYTES = 1 << 16


def first_block(source: TextInput, expected: str) -> LineBlock:
    """Return the first lines of an input's first text.

    Raises
    ------
    InputError
        It cannot be read or is empty; the message ends with `expected`.
    """
    return first_lines(source, expected)[0]


def first_lines(source: TextInput, expected: str) -> tuple[LineBlock, Encoding]:
    """Return what `first_block` does, and the encoding that was found out.

    Raises
    ------
    InputError
        See `first_block`.
    """
    for text in source.texts():
        for block in line_blocks(text, _HEAD_BYTES):
            return block, text.encoding()
        raise InputError(f"{text.label}: is empty and holds no rows; expected {expected}")
    raise AssertionError("an input has at least one text")


def is_folder(path: Path, expected: str) -> bool:
    """Return whether `path` is a folder; False for a file.

    Raises
    ------
    InputError
        It is neither; the message ends with `expected`.
    """
    with reading(str(path)):
        if path.is_dir():
            return True
        if path.is_file():
            return False
        exists = path.exists()
        others = [] if exists or not path.parent.is_dir() else [*path.parent.iterdir()]
    what = "is neither a file nor a folder" if exists else "no such file or folder"
    meant = did_you_mean(path.name, [other.name for other in others]) or _same_name(path)
    raise InputError(f"{path}: {what}{meant or f'; expected {expected}'}")


def _same_name(path: Path) -> str:
    """Say that a file of this name lies in the working directory, to follow an error.

    The name may follow slashes, or the backslashes of Windows.
    """
    name = re.split(r"[/\\]", str(path))[-1]
    here = Path.cwd() / name
    return f"; did you mean {name}, in this folder?" if name and here.is_file() else ""


def kind_of_file(path: Path) -> str:
    """Return ``zip``, ``tar``, ``parquet``, ``sqlite`` or ``text``, by the first bytes.

    Those of a compressed file are its first bytes once decompressed.

    Raises
    ------
    InputError
        The file cannot be read.
    """
    with reading(str(path)), ExitStack() as stack:
        stream = decompressed(stack.enter_context(path.open("rb")), stack)
        try:
            start = stream.read(TAR_BLOCK)
        except EOFError:
            return "text"  # cut short: the reader reports it in better words
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return "zip"
    if start.startswith(PARQUET_MAGIC):
        return "parquet"
    if start.startswith(_SQLITE_MAGIC):
        return "sqlite"
    try:
        tarfile.TarInfo.frombuf(start, "utf-8", "surrogateescape")
    except tarfile.HeaderError:
        return "text"
    return "tar"


def text_files(folder: Path, wanted: re.Pattern[str]) -> tuple[Path, ...]:
    """Return the files of `folder` whose names match; else those of its sub-folders; sorted.

    Raises
    ------
    InputError
        The folder cannot be read.
    """
    with reading(str(folder)):
        entries = sorted(folder.iterdir())
        here = tuple(path for path in entries if wanted.fullmatch(path.name) and path.is_file())
        if here:
            return here
        below = (child for path in entries if path.is_dir() for child in sorted(path.iterdir()))
        return tuple(path for path in below if wanted.fullmatch(path.name) and path.is_file())


def zip_members(path: Path, wanted: re.Pattern[str]) -> tuple[str, ...]:
    """Return the members of a zip whose file names match, sorted, without macOS side files.

    Raises
    ------
    InputError
        The zip cannot be read.
    """
    with reading(str(path)), zipfile.ZipFile(path) as archive:
        names = sorted(info.filename for info in archive.infolist() if not info.is_dir())
    return tuple(
        name
        for name in names
        if not name.startswith("__MACOSX/") and wanted.fullmatch(name.rpartition("/")[2])
    )
