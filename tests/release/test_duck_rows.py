"""Text read by DuckDB: every line is accounted for, in order, and a crash is one line."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

from sim.errors import InputError
from sim.release.readers import duck_rows, duck_server
from sim.release.readers.text_layout import TextLayout
from sim.release.readers.textfile import LineBlock

LINES = st.lists(
    st.sampled_from(
        ["a,b\n", '"a","b"\n', 'a,"b\n', '"\n', 'a"\n', "\n", "a\n", "a,b,c\n", '"a"x,b\n']
    ),
    max_size=12,
)


@settings(max_examples=examples(150))
@given(LINES, st.sampled_from([0, 1]))
def test_each_line_is_a_row_or_refused(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], most: float
) -> None:
    """Whatever the quotes: no line is swallowed, and none that is left out is whole."""
    path = tmp_path_factory.mktemp("lines") / "a.csv"
    path.write_text("who,what\na,b\n" + "".join(lines))
    source = table_source(path, "who", "what", max_unread=most)
    try:
        rows = sum(len(chunk) for chunk in source.chunks())
    except InputError:
        return
    left_out = [row.line for row in source.unread()]
    assert rows + len(left_out) == 1 + sum(line != "\n" for line in lines)
    assert [lines[line - 3] for line in left_out] == [
        line for line in lines if line in ("a\n", "a,b,c\n", 'a"\n')
    ]


def test_rows_of_many_batches_come_in_order_with_their_lines(tmp_path: Path) -> None:
    path, bad = tmp_path / "a.csv", [2, 70_001, 150_000, 299_999]
    text = [
        f"u{n},i{n % 7},{'x' if n in bad else n % 5}" + "\n" * (n % 3 == 0) for n in range(300_000)
    ]
    path.write_text("who,what,stars\n" + "\n".join(text) + "\n")
    source = table_source(path, "who", "what", "stars", max_unread=0.5)
    people = [who for chunk in source.chunks() for who in chunk.record.to_pylist()]
    assert people == [f"u{n}" for n in range(300_000) if n not in bad]
    assert [row.line for row in source.unread()] == [2 + n + (n + 2) // 3 for n in bad]


def test_a_crash_is_one_line_and_the_next_text_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, batches = tmp_path / "a.csv", duck_rows._batches
    path.write_text("who,what\n" + "a,b\n" * 500_000)

    def cut_short(stream: Any) -> Iterator[Any]:
        yield next(iter(batches(stream)))

    with monkeypatch.context() as patch:
        patch.setattr(duck_rows, "_batches", cut_short)
        patch.setattr(duck_rows.json, "loads", lambda _: {})
        with pytest.raises(InputError, match=r"a\.csv: cannot be read by DuckDB \(its process end"):
            list(table_source(path, "who", "what").chunks())
    os.kill(duck_rows._servers[0].process.pid, signal.SIGKILL)
    duck_rows._servers[0].process.wait()
    assert sum(len(chunk) for chunk in table_source(path, "who", "what").chunks()) == 500_000


def test_nothing_but_the_text_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("who\na\n")
    base = duckdb.connect()
    duck_server._confine(base)
    for statement in (
        f"from read_csv('{tmp_path}/a.csv')", "install httpfs", "load httpfs",
        f"copy (select 1) to '{tmp_path}/b.csv'", "set enable_external_access = true",
    ):  # fmt: skip
        with pytest.raises(duckdb.Error):
            base.execute(statement)


def test_lines_of_rows_and_of_refused_ones() -> None:
    """By hand: rows stand on lines 2, 4 and 8; line 3, and lines 5 and 6, were refused."""
    data = b"h\na\n1,2\nb\n1,2\n3\n\nc\n"
    rows = duck_rows.DuckRows(
        "a", TextLayout(",", ["h"], 1), lambda: iter([LineBlock("a", 1, data)]), [0]
    )
    refused = [duck_rows.RefusedRow(2, "", 2, 1), duck_rows.RefusedRow(8, "", 2, 2)]
    assert rows.lines_of([0, 1, 2], refused) == ([2, 4, 8], [3, 5])
