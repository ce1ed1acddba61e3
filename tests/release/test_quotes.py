"""Quotes that cannot be right: the quick look and the slow reading find the same."""

from __future__ import annotations

import csv
import io

from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.errors import InputError
from sim.release.readers.quotes import quotes_are_plain, scan
from sim.release.readers.strict_parser import csv_rows
from sim.release.readers.textfile import LineBlock

LINES = st.one_of(
    st.text(alphabet='ab,"\n', max_size=30),
    st.lists(
        st.sampled_from(["a,b,c\n", 'a,"b', '",c\n', '"a\nb"', ",", '"",x\n', 'a"b,', "\r\n", '"']),
        max_size=8,
    ).map("".join),
)


@settings(max_examples=examples(1000))
@given(LINES, st.integers(1, 4))
def test_the_quick_look_finds_what_the_slow_reading_refuses(text: str, fields: int) -> None:
    data = text.encode()
    if scan(data, ",").opened >= 0:
        return  # blocks hold whole rows
    try:
        list(csv_rows(LineBlock("a", 1, data), ",", fields))
    except InputError:
        refused = True
    else:
        refused = False
    assert quotes_are_plain(data, ",", fields) != refused
    if scan(data, ",").plain and data.endswith(b"\n"):
        assert not refused


@settings(max_examples=examples(500))
@given(LINES)
def test_rows_end_where_the_csv_module_ends_them(text: str) -> None:
    """The last whole row, and a quote left open, are what the module makes of the same text."""
    data = text.replace("\r", "").encode()
    found = scan(data, ",")
    rows = list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=","))
    whole = list(csv.reader(io.StringIO(data[: found.end].decode(), newline=""), delimiter=","))
    assert rows[: len(whole)] == whole
    assert len(rows) - len(whole) <= 1
    assert data[: found.end] == b"" or data[: found.end].endswith(b"\n")
    open_at_end = False
    try:
        list(csv.reader(io.StringIO(data.decode(), newline=""), delimiter=",", strict=True))
    except csv.Error as error:
        open_at_end = "unexpected end of data" in str(error)
    if open_at_end:
        assert data[found.opened : found.opened + 1] == b'"'
