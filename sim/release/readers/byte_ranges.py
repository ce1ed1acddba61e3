"""Cuts plain files of UTF-8 text into ranges of whole lines, which can be read apart.

Invariant: the ranges of a file, one after the other, are its bytes, and what is read of each is
what is read of the file there; a range that might be of another encoding raises an error instead.
"""

from __future__ import annotations

import codecs
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from sim.errors import InputError
from sim.release.readers.archives import FilesInput, is_compressed
from sim.release.readers.encodings import RECOGNISED, DecodedStream, Decoding
from sim.release.readers.textfile import ASCII, LONGEST_ROW, Encoding, OpenText, reading

_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Of byte order: only at the beginning of a file do they mean that."""


@dataclass(frozen=True, slots=True)
class RangeInput:
    """A range of a plain file of text; see `sim.release.readers.archives.TextInput`.

    Parameters
    ----------
    begin, end : int
        In bytes; `begin` is where a line begins.
    decoding : Decoding
        Finds the encoding out, or asks for UTF-8.
    """

    path: Path
    begin: int
    end: int
    decoding: Decoding

    @property
    def size(self) -> int:
        """Bytes of the range."""
        return self.end - self.begin

    @property
    def files(self) -> tuple[tuple[str, Path], ...]:
        """The file."""
        return ((self.path.name, self.path),)

    def texts(self) -> Iterator[OpenText]:
        """Open the range."""
        label = str(self.path)
        with reading(label):
            raw = self.path.open("rb")
        with raw:
            raw.seek(self.begin)
            stream = _Range(raw, self.end)
            text: DecodedStream | _Utf8 = _Utf8(stream, label)
            if self.decoding.is_utf8:
                text = DecodedStream(cast(IO[bytes], stream), label, self.decoding)
            yield OpenText(label, text, stream.position, lambda: text.encoding)


def ranges_of(path: Path, decoding: Decoding, size: int) -> list[RangeInput]:
    """Cut a file into ranges of about `size` bytes.

    Returns
    -------
    list of RangeInput
        Empty if it is compressed or not in UTF-8.

    Raises
    ------
    InputError
        It cannot be read.
    """
    if is_compressed(path) or not (decoding.asked is None or decoding.is_utf8):
        return []
    whole = FilesInput((path,)).size
    with reading(str(path)), path.open("rb") as stream:
        found = [_line_after(stream, at) for at in range(size, whole, size)]
    begins = [0, *sorted({at for at in found if at < whole}), whole]
    return [RangeInput(path, *pair, decoding) for pair in itertools.pairwise(begins)]


def _line_after(stream: IO[bytes], at: int) -> int:
    """Return where the first line begins from `at` on that no mark of byte order precedes."""
    stream.seek(at - 1)
    while stream.readline(LONGEST_ROW).endswith(b"\n"):
        begin = stream.tell()
        if not stream.read(len(codecs.BOM_UTF8)).startswith(_MARKS):
            return begin
        stream.seek(begin)
    return stream.seek(0, os.SEEK_END)


class _Range:
    """The bytes of a stream up to an end."""

    def __init__(self, stream: IO[bytes], end: int) -> None:
        self._stream, self._begin, self._end = stream, stream.tell(), end

    def read(self, size: int) -> bytes:
        return self._stream.read(min(size, self._end - self._stream.tell()))

    def position(self) -> int:
        return self._stream.tell() - self._begin


class _Utf8:
    """Bytes that are UTF-8; any other might be of an encoding that only the whole file shows."""

    def __init__(self, stream: _Range, label: str) -> None:
        self._stream, self._label = stream, label
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._is_ascii = True

    @property
    def encoding(self) -> Encoding:
        """As `DecodedStream.encoding` says it."""
        return Encoding() if self._is_ascii else Encoding(f"{ASCII}{RECOGNISED}")

    def read(self, size: int) -> bytes:
        data = self._stream.read(size)
        if self._is_ascii and data.isascii():
            return data
        self._is_ascii = False
        try:
            self._decoder.decode(data, final=not data)
        except UnicodeDecodeError:
            raise InputError(f"{self._label}: is not UTF-8 text throughout") from None
        return data
