"""Finds what a compressed file holds beside the text that is read of it.

Invariant: a file is looked at to its end, and what it holds is named, never repeated. The size of a
text in memory is bounded, however well it was compressed.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any

from sim.release.readers.archives import BZIP2, GZIP, XZ, ZSTD

_AT_ONCE = 1 << 18
"""Bytes read at once; no header of gzip that a program writes is longer."""
_UNPACKED_AT_ONCE = 1 << 20

_EXTRA, _NAME, _COMMENT = 4, 8, 16
_CODES = ("utf-8", "latin-1")
"""In which programs write the name of a file: as it is, or as the format asks."""
_BLOCK_SIZE = b"BC\x02\x00"
"""Begins the extra field, of six bytes, that bgzip writes into each of its blocks."""
_FRAME, _SKIPPED = 0xFD2FB528, range(0x184D2A50, 0x184D2A60)
"""The first four bytes of a frame of zstd, as a number, and of one that is not read."""

_AFTER = "bytes after the end"


def extras_of_compressed(stream: IO[bytes], kind: str, name: str) -> Iterator[str]:
    """Yield what a compressed file holds beside its text, each once.

    Parameters
    ----------
    stream : binary stream
        At the start of the file.
    kind : str
        As `compression_of` returns it.
    name : str
        That of the file, which a gzip file may repeat, with its suffix or without.

    Examples
    --------
    >>> import gzip
    >>> stream = io.BytesIO(gzip.compress(b"who") + bz2.compress(b"what"))
    >>> list(extras_of_compressed(stream, "gzip", "a.csv.gz"))
    ['bytes after the end']
    """
    found = _OF_KIND[kind](stream, name)
    yield from dict.fromkeys(found)


def ends_before(stream: IO[bytes], size: int, unpack: Any) -> bool:
    """Return whether the next `size` bytes hold a compressed stream and something after it.

    Parameters
    ----------
    unpack : decompressor
        Of one stream, as `zlib.decompressobj` returns it.
    """
    while size and not unpack.eof:
        data = stream.read(min(size, _AT_ONCE))
        if not data:
            return False  # cut short, which whoever reads the text says
        size -= len(data)
        try:
            _unpack(unpack, data)
        except (zlib.error, lzma.LZMAError, OSError):
            return False  # damaged, likewise
    return bool(size or unpack.unused_data)


def _of_gzip(stream: IO[bytes], name: str) -> Iterator[str]:
    for head in _streams(stream, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS)):
        if not head.startswith(b"\x1f\x8b"):
            yield _AFTER
            return
        yield from _of_header(io.BytesIO(head), name)


def _of_header(stream: IO[bytes], name: str) -> Iterator[str]:
    """Yield the fields of a gzip header; its own name, and what bgzip adds, are none."""
    fixed = stream.read(10)
    flags = fixed[3] if len(fixed) == 10 else 0  # whoever reads the text says that it is cut short
    extra = stream.read(int.from_bytes(stream.read(2), "little")) if flags & _EXTRA else b""
    own = _text(stream) if flags & _NAME else b""
    if extra and not (extra.startswith(_BLOCK_SIZE) and len(extra) == len(_BLOCK_SIZE) + 2):
        yield "extra field in the header"
    names = (name, name.rpartition(".")[0])
    if own and own not in {one.encode(code, "replace") for one in names for code in _CODES}:
        yield "another name in the header, which gzip -n leaves out,"
    if flags & _COMMENT:
        yield "comment in the header"


def _text(stream: IO[bytes]) -> bytes:
    """Read up to a zero byte."""
    read = bytearray()
    while (byte := stream.read(1)) not in (b"", b"\0"):
        read += byte
    return bytes(read)


def _of_bzip2(stream: IO[bytes], name: str) -> Iterator[str]:  # noqa: ARG001
    yield from (_AFTER for head in _streams(stream, bz2.BZ2Decompressor) if head[:3] != b"BZh")


def _of_xz(stream: IO[bytes], name: str) -> Iterator[str]:  # noqa: ARG001
    yield from (_AFTER for head in _streams(stream, lzma.LZMADecompressor) if head[:1] != b"\xfd")


def _streams(stream: IO[bytes], new: Callable[[], Any]) -> Iterator[bytes]:
    """Yield the bytes with which each compressed stream begins, and what no stream is after them.

    Zeros after the end, which fill up a block, say nothing.
    """
    rest = stream.read(_AT_ONCE)
    while rest:
        if len(rest) < _AT_ONCE // 2:
            rest += stream.read(_AT_ONCE)
        yield rest
        unpack = new()
        try:
            while not unpack.eof:
                rest = rest or stream.read(_AT_ONCE)
                if not rest:
                    return  # cut short, which whoever reads the text says
                _unpack(unpack, rest)
                rest = b""
        except (zlib.error, lzma.LZMAError, OSError):
            yield b""  # it begins as a stream and is none
            return
        rest = unpack.unused_data
        while not rest.lstrip(b"\0") and (rest := stream.read(_AT_ONCE)):
            pass
        rest = rest.lstrip(b"\0")


def _unpack(unpack: Any, data: bytes) -> None:
    """Unpack all of `data`, a bounded piece at a time, and forget it."""
    unpack.decompress(data, _UNPACKED_AT_ONCE)
    while not unpack.eof:
        # What is left of the data, zlib gives back and the others keep.
        kept = getattr(unpack, "unconsumed_tail", b"")
        if not kept and getattr(unpack, "needs_input", True):
            return
        unpack.decompress(kept, _UNPACKED_AT_ONCE)


def _of_zstd(stream: IO[bytes], name: str) -> Iterator[str]:  # noqa: ARG001
    """Yield frames that are not read, by the sizes that frames and blocks say of themselves.

    Source: RFC 8878, section 3.1.
    """
    while len(magic := stream.read(4)) == 4:
        number = int.from_bytes(magic, "little")
        if number in _SKIPPED:
            yield "a frame that is not read"
            _skip(stream, int.from_bytes(stream.read(4), "little"))
        elif number == _FRAME:
            _skip_frame(stream)
        else:
            yield _AFTER
            return
    if magic:
        yield _AFTER


def _skip_frame(stream: IO[bytes]) -> None:
    descriptor = int.from_bytes(stream.read(1), "little")
    size, single, checksum, dictionary = (
        descriptor >> 6,
        descriptor >> 5 & 1,
        descriptor >> 2 & 1,
        descriptor & 3,
    )
    of_size = (1 if single else 0) if size == 0 else 1 << size
    _skip(stream, (0 if single else 1) + (0, 1, 2, 4)[dictionary] + of_size)
    last = False
    while not last and len(header := stream.read(3)) == 3:
        block = int.from_bytes(header, "little")
        last, repeated = bool(block & 1), block >> 1 & 3 == 1
        _skip(stream, 1 if repeated else block >> 3)
    _skip(stream, 4 * checksum)


def _skip(stream: IO[bytes], size: int) -> None:
    while size and (read := len(stream.read(min(size, _AT_ONCE)))):
        size -= read


_OF_KIND: dict[str, Callable[[IO[bytes], str], Iterator[str]]] = {
    GZIP: _of_gzip,
    BZIP2: _of_bzip2,
    XZ: _of_xz,
    ZSTD: _of_zstd,
}
