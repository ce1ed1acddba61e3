"""Reads text as blocks of whole lines, and reports errors in one line.

Invariant: the blocks of a text, joined, are its bytes (less a UTF-8 byte order mark); every block
but the last ends with a line feed; `LineBlock.first_line` is exact (1-based).
"""

from __future__ import annotations

import codecs
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError

ASCII = "UTF-8"
"""What text is called that is ASCII so far."""

BLOCK_BYTES = 4 * 2**20
"""Bytes of text handled at once: what bounds the memory of every source.

Larger blocks are slower: their memory is asked for, and cleared by the system, each time anew.
"""

LONGEST_ROW = 64 * 2**20
"""A row longer than this is taken for a sign that the file is not what it should be."""


class ByteStream(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Return at most about `size` bytes; none at the end alone."""


@dataclass(frozen=True, slots=True)
class Encoding:
    """The encoding of a text, as far as it is known.

    Parameters
    ----------
    words : str
        Its name; ASCII is UTF-8.
    line : int
        Where one letter decided that it is not UTF-8, the line of the first that is not ASCII;
        else 0.
    """

    words: str = ASCII
    line: int = 0


@dataclass(frozen=True, slots=True)
class OpenText:
    """A text being read.

    Parameters
    ----------
    label : str
        What error messages call it: the path, and the member's name inside an archive.
    stream : ByteStream
        Its bytes, decompressed.
    position : callable
        How many bytes of the whole input have been read so far.
    encoding : callable
        Its encoding, as far as it is known.
    """

    label: str
    stream: ByteStream
    position: Callable[[], int]
    encoding: Callable[[], Encoding] = Encoding


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Some consecutive lines of a text.

    Parameters
    ----------
    label : str
        What messages call the text.
    first_line : int
        The number of the first line (1-based).
    """

    label: str
    first_line: int
    data: bytes

    @property
    def cut_off(self) -> bool:
        """Whether the last line has no line end, which only the last line of a text can lack."""
        return not self.data.endswith(b"\n")

    @property
    def last_line(self) -> int:
        """The number of the last line."""
        return (
            self.first_line
            + int(np.count_nonzero(line_feeds(self.data)))
            - (0 if self.cut_off else 1)
        )

    def after_line(self, line: int) -> LineBlock:
        r"""Return the part after line number `line`.

        Examples
        --------
        >>> LineBlock("a.csv", 1, b"user,item\n1,2\n").after_line(1).data
        b'1,2\n'
        """
        start, first = 0, self.first_line
        while first <= line and start < len(self.data):
            start = self.data.find(b"\n", start) + 1 or len(self.data)
            first += 1
        return LineBlock(self.label, first, self.data[start:])


@contextmanager
def reading(label: str) -> Iterator[None]:
    """Turn errors of the operating system and the archive libraries into an `InputError`.

    Examples
    --------
    >>> with reading("ratings.csv.gz"):
    ...     raise EOFError
    Traceback (most recent call last):
    sim.errors.InputError: ratings.csv.gz: is cut short: the data end too early; fetch it again
    """
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{label}: no such file or folder") from error
    except PermissionError as error:
        raise InputError(
            f"{label}: may not be read (permission denied); change its mode or its owner"
        ) from error
    except IsADirectoryError as error:
        raise InputError(f"{label}: is a folder; expected a file") from error
    except EOFError as error:
        raise InputError(
            f"{label}: is cut short: the data end too early; fetch it again"
        ) from error
    except NotImplementedError as error:
        raise InputError(f"{label}: cannot be unpacked here ({error}); unpack it first") from error
    except (zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError) as error:
        raise InputError(f"{label}: is damaged or cut short ({error}); fetch it again") from error
    except OSError as error:
        # bz2 and gzip report damaged data as a bare OSError, without an error number.
        if error.errno is None:
            raise InputError(f"{label}: is damaged ({error}); fetch it again") from error
        raise InputError(f"{label}: cannot be read: {error.strerror}") from error


def line_feeds(data: bytes) -> NDArray[np.bool_]:
    r"""Return which bytes are line feeds; shape (n,).

    Examples
    --------
    >>> line_feeds(b"a\n")
    array([False,  True])
    """
    feeds: NDArray[np.bool_] = np.frombuffer(data, np.uint8) == ord("\n")
    return feeds


def line_blocks(text: OpenText, block_bytes: int = BLOCK_BYTES) -> Iterator[LineBlock]:
    r"""Yield a text as blocks of whole lines of about `block_bytes`.

    Raises
    ------
    InputError
        The text cannot be read, is cut short, is not UTF-8-like text with line feeds, or holds a
        line longer than `LONGEST_ROW`.

    Examples
    --------
    >>> import io
    >>> text = OpenText("a", io.BytesIO(b"1,2\n3,4\n5,6"), lambda: 0)
    >>> [(block.first_line, block.data) for block in line_blocks(text, 5)]
    [(1, b'1,2\n3,4\n'), (3, b'5,6')]
    """
    with reading(text.label):
        held = text.stream.read(4)
    if held.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise InputError(f"{text.label}: is UTF-16 text; save it as UTF-8")
    held = held.removeprefix(codecs.BOM_UTF8)
    line = 1
    while True:
        with reading(text.label):
            fresh = text.stream.read(max(block_bytes, len(held)))
        data = held + fresh
        end = data.rfind(b"\n") + 1
        if not fresh and end < len(data):
            end = len(data)  # the last line has no line end
        if end:
            block = LineBlock(text.label, line, data[:end])
            _refuse_non_text(block)
            yield block
            line += int(np.count_nonzero(line_feeds(block.data)))
        elif len(data) > LONGEST_ROW:
            raise InputError(
                f"{text.label}:{line}: a row of more than {LONGEST_ROW >> 20} MiB begins here; "
                "expected rows that end with a line feed"
            )
        if not fresh:
            return
        held = data[end:]


def _refuse_non_text(block: LineBlock) -> None:
    """Raise an error if the bytes cannot be lines of text."""
    if b"\0" in block.data:
        at = block.data.index(b"\0")
        line = block.first_line + block.data.count(b"\n", 0, at)
        raise InputError(
            f"{block.label}:{line}: holds a NUL byte; expected UTF-8 text (is the file binary, "
            "packed or UTF-16?)"
        )
    if block.first_line == 1 and b"\n" not in block.data and b"\r" in block.data.rstrip(b"\r"):
        raise InputError(
            f"{block.label}: ends its lines with carriage returns alone; "
            "convert it to lines that end with a line feed"
        )
