"""Opens the texts of an input: plain or compressed files, members of a zip or of a tar.

Invariant: the texts of an input come in a fixed order, one open at a time, and nothing is ever
unpacked to disk. The kind of a file follows from its first bytes, not its name.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol, cast

import pyarrow as pa

from sim.errors import InputError
from sim.release.readers.encodings import DecodedStream, Decoding
from sim.release.readers.textfile import OpenText, reading

TAR_BLOCK = 512
"""The unit in which a tar is laid out."""


class TextInput(Protocol):
    """Texts to read one after the other."""

    @property
    def size(self) -> int:
        """Bytes to read, in the measure of `OpenText.position`."""

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The files on disk that hold the texts, by name."""

    def texts(self) -> Iterator[OpenText]:
        """Open each text in turn; each is closed before the next opens."""


def _open_zst(stream: IO[bytes], mode: str) -> Any:
    return pa.CompressedInputStream(pa.PythonFile(stream, mode[0]), "zstd")


GZIP, BZIP2, XZ, ZSTD = ("gzip", "bzip2", "xz", "zstd")
"""The kinds of compressed files that are read."""

_UNPACK: dict[str, tuple[re.Pattern[bytes], Any]] = {
    GZIP: (re.compile(rb"\x1f\x8b"), gzip.open),
    BZIP2: (re.compile(rb"BZh[1-9]1AY&SY"), bz2.open),
    XZ: (re.compile(rb"\xfd7zXZ\x00"), lzma.open),
    ZSTD: (re.compile(rb"\x28\xb5\x2f\xfd"), _open_zst),
}


def decompressed(stream: IO[bytes], stack: ExitStack) -> IO[bytes]:
    """Return `stream`, decompressed if its first bytes are those of a kind that is read."""
    kind = compression_of(stream)
    if kind is None:
        return stream
    return cast(IO[bytes], stack.enter_context(_UNPACK[kind][1](stream, "rb")))


def compression_of(stream: IO[bytes]) -> str | None:
    """Return the kind of compression of a buffered stream, by its next bytes; None: plain."""
    start = cast(io.BufferedReader, stream).peek(16)
    return next((kind for kind, (magic, _) in _UNPACK.items() if magic.match(start)), None)


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed.

    Raises
    ------
    InputError
        It cannot be read.
    """
    with reading(str(path)), path.open("rb") as stream:
        return compression_of(stream) is not None


@dataclass(frozen=True, slots=True)
class FilesInput:
    """Plain or compressed files, in the order given.

    Parameters
    ----------
    decoding : Decoding, optional
        How they become UTF-8, if they are not.
    """

    paths: tuple[Path, ...]
    decoding: Decoding | None = None

    @property
    def size(self) -> int:
        """Bytes on disk."""
        total = 0
        for path in self.paths:
            with reading(str(path)):
                total += path.stat().st_size
        return total

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The files themselves."""
        return tuple((path.name, path) for path in self.paths)

    def texts(self) -> Iterator[OpenText]:
        """Open each file in turn."""
        done = 0
        for path in self.paths:
            label = str(path)
            with ExitStack() as stack:
                with reading(label):
                    raw = stack.enter_context(path.open("rb"))
                    stream = decompressed(raw, stack)
                yield _opened(label, stream, _offset(raw.tell, done), self.decoding)
                done += raw.tell()


@dataclass(frozen=True, slots=True)
class ZipInput:
    """Members of a zip, in the order given.

    Parameters
    ----------
    decoding : Decoding, optional
        How they become UTF-8, if they are not.
    """

    path: Path
    members: tuple[str, ...]
    decoding: Decoding | None = None

    @property
    def size(self) -> int:
        """Bytes of the members, unpacked."""
        with reading(str(self.path)), zipfile.ZipFile(self.path) as archive:
            return sum(archive.getinfo(member).file_size for member in self.members)

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The zip."""
        return ((self.path.name, self.path),)

    def texts(self) -> Iterator[OpenText]:
        """Open each member in turn."""
        done = 0
        with ExitStack() as archives:
            with reading(str(self.path)):
                archive = archives.enter_context(zipfile.ZipFile(self.path))
            for member in self.members:
                label = f"{self.path}/{member}"
                info = archive.getinfo(member)
                if info.flag_bits & 1:
                    raise InputError(f"{label}: is encrypted; unpack it first")
                with ExitStack() as stack:
                    with reading(label):
                        raw = stack.enter_context(archive.open(info))
                        stream = decompressed(raw, stack)
                    yield _opened(label, stream, _offset(raw.tell, done), self.decoding)
                    done += info.file_size


@dataclass(frozen=True, slots=True)
class TarInput:
    """The members of a tar whose file names match `wanted`, as they lie in it.

    A member whose name matches `nested` is itself a tar (compressed or not) and read in place.
    """

    path: Path
    wanted: re.Pattern[str]
    nested: re.Pattern[str]

    @property
    def size(self) -> int:
        """Bytes on disk."""
        with reading(str(self.path)):
            return self.path.stat().st_size

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The tar."""
        return ((self.path.name, self.path),)

    def texts(self) -> Iterator[OpenText]:
        """Open each wanted member in turn."""
        with ExitStack() as stack:
            with reading(str(self.path)):
                raw = stack.enter_context(self.path.open("rb"))
            yield from self._members(raw, str(self.path), raw.tell)

    def _members(
        self, packed: IO[bytes], label: str, position: Callable[[], int]
    ) -> Iterator[OpenText]:
        with ExitStack() as stack:
            with reading(label):
                stream = _LastRead(decompressed(packed, stack))
                archive = stack.enter_context(
                    tarfile.open(fileobj=cast(IO[bytes], stream), mode="r:")
                )
            while True:
                with reading(label):
                    member = archive.next()
                if member is None:
                    break
                if member.isfile():
                    yield from self._member(archive, member, label, position)
            # tarfile takes a cut at a member's edge for the end; a whole tar ends with zeros.
            if stream.last[:TAR_BLOCK] != bytes(TAR_BLOCK):
                raise InputError(
                    f"{label}: is cut short: the end of the tar is missing; fetch it again"
                )

    def _member(
        self,
        archive: tarfile.TarFile,
        member: tarfile.TarInfo,
        outer: str,
        position: Callable[[], int],
    ) -> Iterator[OpenText]:
        name, label = member.name.rpartition("/")[2], f"{outer}/{member.name}"
        nested = self.nested.fullmatch(name) is not None
        if not nested and not self.wanted.fullmatch(name):
            return
        with ExitStack() as stack:
            with reading(label):
                opened = archive.extractfile(member)
                assert opened is not None  # only a link or a folder has no content
                stack.enter_context(opened)
                stream = opened if nested else decompressed(opened, stack)
            if nested:
                yield from self._members(stream, label, position)
            else:
                yield OpenText(label, stream, position)


class _LastRead(io.RawIOBase):
    """A stream that buffers the last read, for `tarfile`."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.last = b""

    def read(self, size: int = -1) -> bytes:
        self.last = self._stream.read(size)
        return self.last

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def seekable(self) -> bool:
        return True


def _opened(
    label: str, stream: IO[bytes], position: Callable[[], int], decoding: Decoding | None
) -> OpenText:
    if decoding is None:
        return OpenText(label, stream, position)
    decoded = DecodedStream(stream, label, decoding)
    return OpenText(label, decoded, position, lambda: decoded.encoding)


def _offset(tell: Callable[[], int], done: int) -> Callable[[], int]:
    return lambda: done + tell()
