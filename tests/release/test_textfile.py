"""Blocks of lines: nothing lost, exact line numbers, the right complaint."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import InputError
from sim.release.readers import textfile
from sim.release.readers.textfile import (
    LineBlock,
    OpenText,
    line_blocks,
    reading,
)


def blocks(data: bytes, size: int = 1 << 20) -> list[LineBlock]:
    return list(line_blocks(OpenText("a.csv", io.BytesIO(data), lambda: 0), size))


@given(
    st.lists(st.binary(max_size=12).filter(lambda b: not set(b) & set(b"\n\r\0"))),
    st.integers(1, 40),
)
def test_blocks_join_to_the_text_and_are_numbered(lines: list[bytes], size: int) -> None:
    data = b"1\n" + b"\n".join(lines)
    found = blocks(data, size)
    assert b"".join(block.data for block in found) == data
    line = 1
    for block in found:
        assert block.first_line == line
        line += block.data.count(b"\n")
        assert block is found[-1] or block.data.endswith(b"\n")


def test_byte_order_mark_is_dropped() -> None:
    [block] = blocks(b"\xef\xbb\xbfa,b\n", 1)
    assert block.data == b"a,b\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\n\xff\xfe\0", "a.csv:2: holds a NUL byte"),
        ("a\n".encode("utf-16"), "a.csv: is UTF-16 text; save it as UTF-8"),
        (b"a,b\r1,2\r3,4\r", "a.csv: ends its lines with carriage returns alone"),
    ],
)
def test_what_is_not_text_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as error:
        blocks(data)
    assert str(error.value).startswith(message)


def test_an_endless_row_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "LONGEST_ROW", 100)
    with pytest.raises(InputError, match=r"^a\.csv:2: a row of more than 0 MiB begins here"):
        blocks(b"a,b\n" + b"x" * 500 + b"\n", 10)


def test_after_line_and_last_line() -> None:
    block = LineBlock("a", 3, b"x\ny\nz")
    assert block.last_line == 5
    assert block.after_line(3) == LineBlock("a", 4, b"y\nz")
    assert block.after_line(9).data == b""
    assert block.after_line(1) == block


@pytest.mark.parametrize(
    ("raised", "message"),
    [
        (FileNotFoundError(2, "gone"), "x: no such file or folder"),
        (PermissionError(13, "no"), "x: may not be read (permission denied); change its mode"),
        (IsADirectoryError(21, "is"), "x: is a folder; expected a file"),
        (EOFError(), "x: is cut short"),
        (OSError("Invalid data stream"), "x: is damaged (Invalid data stream)"),
        (OSError(5, "Input/output error"), "x: cannot be read: Input/output error"),
        (NotImplementedError("type 99"), "x: cannot be unpacked here (type 99)"),
    ],
)
def test_system_errors_become_one_line(raised: Exception, message: str) -> None:
    with pytest.raises(InputError) as error, reading("x"):
        raise raised
    assert str(error.value).startswith(message)
