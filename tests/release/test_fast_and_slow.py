"""Whatever a file holds, the fast readers give what the slow ones give: the same rows or error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples

from sim.errors import InputError
from sim.release.readers import movielens, netflix
from sim.release.readers.movielens import MovieLensSource
from sim.release.readers.netflix import NetflixSource
from sim.release.store.cells import Source

NUMBERS = [
    "1",
    "007",
    "3.5",
    "5",
    "0",
    "-1",
    "+3",
    "1e3",
    " 4",
    "4 ",
    "0x1F",
    "1_0",
    "inf",
    "nan",
    "",
    "9007199254740993",
    "3.00000000000000000001",
    "-0.30000000000000004",
]
FILMS = [*["1:", "22:"] * 5, " 3:", "4: ", "5:6", ":", "x:", "-1:"]
DATES = [
    "2009",
    "42206",
    "978300760",
    "978300760.5",
    "12000",
    "2005-09-06",
    "2005-09-06T01:02:03Z",
    "2005-09-06T10:02:03+09:00",
    "NA",
    "",
    "x",
    "21/07/2015",
    " 1/2/2015 ",
    '"42206,5"',
]
ENDS = st.sampled_from([*["\n"] * 12, *["\r\n"] * 4, "\n\n", "\r", ""])


def outcome(make: Callable[[], Source]) -> Any:
    source = make()
    try:
        rows = [
            (
                row.to_pylist() if hasattr(row := chunk.record, "to_pylist") else row.tolist(),
                chunk.item.to_pylist() if hasattr(chunk.item, "to_pylist") else chunk.item.tolist(),
                None if chunk.value is None else [str(x) for x in chunk.value.tolist()],
                None if chunk.time is None else chunk.time.tolist(),
            )
            for chunk in source.chunks()
        ]
    except InputError as error:
        return str(error)
    return rows, source.notes()


def assert_agreement(make: Callable[[], Source], module: Any, fast_one: str = "read_fast") -> None:
    fast = outcome(make)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, fast_one, lambda *_, **__: None)
        slow = outcome(make)
    assert fast == slow


def lines(
    *cells: st.SearchStrategy[str], good: list[str], separator: str
) -> st.SearchStrategy[str]:
    """Draw lines: most of them one of `good`, some of any `cells`, a few of any length."""
    row = st.one_of(*[st.sampled_from(good)] * 6, st.tuples(*cells).map(separator.join))
    odd = st.lists(st.sampled_from(NUMBERS), max_size=6).map(separator.join)
    line = st.tuples(st.one_of(*[row] * 9, odd), ENDS).map("".join)
    return st.lists(line, min_size=1, max_size=6).map("".join)


@given(
    lines(
        st.sampled_from(NUMBERS[:2]),
        st.sampled_from(NUMBERS),
        st.sampled_from(NUMBERS[2:]),
        st.sampled_from(["978300760", *DATES]),
        good=["1::2::3::978300760", "007::1::0.5::978300760.5", "-1::0:: 4 ::1e9"],
        separator="::",
    )
)
def test_movielens(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "ratings.dat"
    path.write_bytes(b"1::2::3::978300760\n" + text.encode())
    assert_agreement(lambda: MovieLensSource(path, block_bytes=50), movielens)


@settings(max_examples=examples(300))
@given(
    st.lists(
        st.one_of(
            lines(
                st.sampled_from(NUMBERS[:2]),
                st.sampled_from(["1", "5", "05", *NUMBERS]),
                st.sampled_from(["2005-09-06", "2005-09-06", "2005-13-06", " 2005-09-06", ""]),
                good=[
                    *["1,5,2005-09-06", "007,1,1900-01-01", "12,3,2200-12-31", "3,4,2004-02-29"]
                    * 2,
                    *["007,05,1999-11-11", "-1, 1 ,2005-09-06 ", "1,5,2005-02-29"],
                    *["1234567890123456789,5,2005-09-06", "1,5,1899-12-31", "1,5,2201-01-01"],
                ],
                separator=",",
            ),
            st.tuples(st.sampled_from(FILMS), ENDS).map("".join),
        ),
        max_size=8,
    ).map("".join)
)
def test_netflix(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path: Path = tmp_path_factory.getbasetemp() / "combined_data_1.txt"
    path.write_bytes(b"9:\n" + text.encode())
    assert_agreement(lambda: NetflixSource(path, block_bytes=50), netflix, "parse")
