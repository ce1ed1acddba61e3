"""Quotes that cannot be right: the quick look and the slow reading find the same."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sim.errors import InputError
from sim.release.bad_cell import csv_rows
from sim.release.quotes import quotes_are_plain
from sim.release.textfile import LineBlock, open_quote

LINES = st.one_of(
    st.text(alphabet='ab,"\n', max_size=30),
    st.lists(
        st.sampled_from(["a,b,c\n", 'a,"b', '",c\n', '"a\nb"', ",", '"",x\n', 'a"b,', "\r\n", '"']),
        max_size=8,
    ).map("".join),
)


@settings(deadline=None, max_examples=1000)
@given(LINES, st.integers(1, 4))
def test_the_quick_look_finds_what_the_slow_reading_refuses(text: str, fields: int) -> None:
    data = text.encode()
    if open_quote(data, ",") is not None:
        return  # blocks hold whole rows
    try:
        list(csv_rows(LineBlock("a", 1, data), ",", fields))
    except InputError:
        refused = True
    else:
        refused = False
    assert quotes_are_plain(data, ",", fields) != refused
