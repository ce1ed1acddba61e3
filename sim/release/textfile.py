"""Text as blocks of whole lines, and what went wrong with it in one line.

Invariant: the blocks of a text, joined, are its bytes (less a UTF-8 byte order mark); every block
but the last ends with a line feed outside quotes; `LineBlock.first_line` is exact (1-based).
"""

from __future__ import annotations

import codecs
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import numpy as np
from numpy.typing import NDArray

from sim.errors import InputError

BLOCK_BYTES = 4 * 2**20
"""Bytes of text handled at once: what bounds the memory of every source.

Larger blocks are slower: their memory is asked for, and cleared by the system, each time anew.
"""

LONGEST_ROW = 64 * 2**20
"""A row longer than this is taken for a sign that the file is not what it should be."""


@dataclass(frozen=True, slots=True)
class OpenText:
    """A text being read.

    Parameters
    ----------
    label : str
        What error messages call it: the path, and the member's name inside an archive.
    stream : binary file object
        Its bytes, decompressed.
    position : callable
        How many bytes of the whole input have been read so far.
    """

    label: str
    stream: IO[bytes]
    position: Callable[[], int]


@dataclass(frozen=True, slots=True)
class LineBlock:
    """Some consecutive lines of a text; `first_line` is the number of the first (1-based)."""

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
        >>> LineBlock("a.csv", 1, b"user,item\n1,2\n").after_line(1)
        LineBlock(label='a.csv', first_line=2, data=b'1,2\n')
        """
        start, first = 0, self.first_line
        while first <= line and start < len(self.data):
            start = self.data.find(b"\n", start) + 1 or len(self.data)
            first += 1
        return LineBlock(self.label, first, self.data[start:])


@contextmanager
def reading(label: str) -> Iterator[None]:
    """Turn what the operating system and the archive libraries raise into an `InputError`.

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


def plain_row_end(data: bytes) -> int:
    r"""Return where the last whole line of `data` ends (0: there is none).

    Examples
    --------
    >>> plain_row_end(b"1,2\n3,")
    4
    """
    return data.rfind(b"\n") + 1


def _quoted_cells(delimiter: str) -> re.Pattern[bytes]:
    """Return what matches one quoted cell after another, an unfinished one included."""
    before = re.escape(delimiter.encode() + b"\r\n")
    return re.compile(rb'(?:(?<=[%s])|\A)"[^"]*(?:""[^"]*)*("?)' % before)


def open_quote(data: bytes, delimiter: str) -> int | None:
    r"""Return where a quoted cell begins that does not end within `data`.

    Examples
    --------
    >>> open_quote(b'1,"a,', ","), open_quote(b'1,"a"', ",")
    (2, None)
    """
    for cell in _quoted_cells(delimiter).finditer(data):
        if not cell[1]:
            return cell.start()
    return None


def quoted_row_end(delimiter: str) -> Callable[[bytes], int]:
    r"""Return a `plain_row_end` for text in which quoted cells may hold line feeds.

    A quote opens a cell only where the cell begins; inside, two quotes stand for one.

    Examples
    --------
    >>> quoted_row_end(",")(b'1,"a\nb"\n2,"c\n')
    8
    """
    quoted = _quoted_cells(delimiter)
    edge = np.zeros(256, bool)  # what may stand beside the quotes of a cell, on the outside
    edge[list(delimiter.encode() + b'\r\n"')] = True

    def row_end(data: bytes) -> int:
        if b'"' not in data:
            return plain_row_end(data)
        text = np.frombuffer(data, np.uint8)
        quotes = np.flatnonzero(text == ord('"'))
        opening, closing = quotes[0::2], quotes[1::2]
        if (
            edge[text[opening[opening > 0] - 1]].all()
            and edge[text[closing[closing + 1 < text.size] + 1]].all()
        ):
            # Every other quote opens, so a line feed with an even number before it ends a row.
            end = data.rfind(b"\n")
            while end >= 0 and (before := int(np.searchsorted(quotes, end))) % 2:
                end = data.rfind(b"\n", 0, int(quotes[before - 1]))
            return end + 1
        # Stray quotes: go through the quoted cells one by one.
        cut = outside = 0
        for cell in quoted.finditer(data):
            cut = max(cut, data.rfind(b"\n", outside, cell.start()) + 1)
            outside = cell.end()
        return max(cut, data.rfind(b"\n", outside) + 1)

    return row_end


def line_blocks(
    text: OpenText,
    block_bytes: int = BLOCK_BYTES,
    quoted_by: str | None = None,
) -> Iterator[LineBlock]:
    r"""Yield a text as blocks of whole rows of about `block_bytes`.

    Parameters
    ----------
    text : OpenText
    block_bytes : int
    quoted_by : str, optional
        The delimiter of a text whose cells may be quoted, and then hold line feeds.

    Raises
    ------
    InputError
        The text cannot be read, is cut short, is not UTF-8-like text with line feeds, or holds a
        row longer than `LONGEST_ROW` or a quote that is never closed.

    Examples
    --------
    >>> import io
    >>> text = OpenText("a", io.BytesIO(b"1,2\n3,4\n5,6"), lambda: 0)
    >>> [(block.first_line, block.data) for block in line_blocks(text, 5)]
    [(1, b'1,2\n3,4\n'), (3, b'5,6')]
    """
    row_end = plain_row_end if quoted_by is None else quoted_row_end(quoted_by)
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
        end = row_end(data) if fresh else len(data)
        if end:
            block = LineBlock(text.label, line, data[:end])
            _refuse_non_text(block)
            if quoted_by is not None and not fresh:
                yield from _before_open_quote(block, quoted_by)
            yield block
            line += int(np.count_nonzero(line_feeds(block.data)))
        elif len(data) > LONGEST_ROW:
            raise InputError(
                f"{text.label}:{line}: a row of more than {LONGEST_ROW >> 20} MiB begins here; "
                "expected rows that end with a line feed (is a quote left open?)"
            )
        if not fresh:
            return
        held = data[end:]


def _before_open_quote(block: LineBlock, delimiter: str) -> Iterator[LineBlock]:
    """Where a quoted cell runs to the end of the text, yield the lines before it and raise.

    What is wrong in these lines is then found first; it may be why the quote is open.
    """
    opened = open_quote(block.data, delimiter)
    if opened is None:
        return
    whole = block.data.rfind(b"\n", 0, opened) + 1
    if whole:
        yield LineBlock(block.label, block.first_line, block.data[:whole])
    line = block.first_line + block.data.count(b"\n", 0, opened)
    raise InputError(
        f"{block.label}:{line}: a quoted cell opens here and never ends; the file ends in the "
        "middle of a row, or a quote is missing"
    )


def _refuse_non_text(block: LineBlock) -> None:
    """Raise where the bytes cannot be lines of text."""
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
