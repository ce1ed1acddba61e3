"""Tests of reading JSON: objects on lines, one after the other, and in a list."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import InputError
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.json_rows import json_blocks
from sim.release.readers.peek import table_sample
from sim.release.readers.table import TableSource
from sim.release.readers.table_options import TableOptions
from sim.release.readers.textfile import OpenText

_CHOICE = ColumnChoice("user.id", "item", "stars", "at")
_LINES = (
    '{"user": {"id": 9007199254740993, "name": "Zo\u00eb"}, "item": "a\\nb", "stars": 4.5, "at": '
    '"2020-01-02"}',
    '{"item": "\u65e5\u672c \\ud83d\\ude00", "user": {"id": 9007199254740992}, "stars": null}',
    '{"at": "2020-01-03", "item": 123456789012345678901234567890, "user": {"id": "007"}, "x": [1]}',
)
_PEOPLE = ["9007199254740993", "9007199254740992", "007"]
_ITEMS = ["a\nb", "\u65e5\u672c \U0001f600", "123456789012345678901234567890"]


def _read(path: Path, choice: ColumnChoice = _CHOICE, **given: Any) -> TableSource:
    source = TableSource(path, choice, TableOptions(**given), block_bytes=16)
    source.rows = [  # type: ignore[attr-defined]
        row
        for chunk in source.chunks()
        for row in zip(chunk.record.to_pylist(), chunk.item.to_pylist(), strict=True)
    ]
    return source


def _written(folder: Path, text: str | bytes, name: str = "t.json") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def _rows(path: Path, choice: ColumnChoice = _CHOICE, **given: Any) -> Sequence[tuple[str, str]]:
    rows: Sequence[tuple[str, str]] = _read(path, choice, **given).rows  # type: ignore[attr-defined]
    return rows


_SHAPES = {
    "lines": "\n".join(_LINES) + "\n",
    "lines without an end": "\n".join(_LINES),
    "lines of Windows": "\r\n".join(_LINES) + "\r\n",
    "lines with empty ones": "\n\n" + "\n\n".join(_LINES) + "\n\n",
    "a mark of byte order": "\ufeff" + "\n".join(_LINES),
    "a list on one line": f"[{', '.join(_LINES)}]",
    "a list with a line each": "[\n" + ",\n".join(_LINES) + "\n]\n",
    "a list on many lines": json.dumps([json.loads(line) for line in _LINES], indent=2),
    "one after the other": "".join(_LINES),
    "one after the other on many lines": "\n".join(
        json.dumps(json.loads(line), indent=1) for line in _LINES
    ),
}


@pytest.mark.parametrize("text", _SHAPES.values(), ids=_SHAPES)
def test_all_ways_to_write_rows_are_read_alike_and_exactly(tmp_path: Path, text: str) -> None:
    expected = list(zip(_PEOPLE, _ITEMS, strict=True))
    assert _rows(_written(tmp_path, text)) == expected
    assert _rows(_written(tmp_path, gzip.compress(text.encode()), "t.json.gz")) == expected


def test_values_and_dates_may_be_missing(tmp_path: Path) -> None:
    source = TableSource(_written(tmp_path, _SHAPES["lines"]), _CHOICE)
    [chunk] = source.chunks()
    assert chunk.value is not None
    assert chunk.time is not None
    assert str(chunk.value.tolist()) == "[4.5, nan, nan]"
    assert chunk.time.tolist()[::2] == [18263 * 86400, 18264 * 86400]
    notes = source.notes()
    assert notes["layout"] == "JSON lines"
    assert notes["rows without a value"] == 2
    assert notes["columns that were not read"] == "2: user.name, x"


def test_the_sample_shows_fields_by_path(tmp_path: Path) -> None:
    sample = table_sample(_written(tmp_path, _SHAPES["a list on one line"]), TableOptions())
    assert sample.names == ("user.id", "user.name", "item", "stars", "at", "x")
    assert [row[0] for row in sample.rows] == _PEOPLE
    assert sample.rows[1] == ["9007199254740992", "", _ITEMS[1], "", "", ""]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"who": 1, "what": ', "is no JSON object; expected one a row"),
        ('{"who": 1} {"who": 2}', "is no JSON object; expected one a row"),
        ("[1, 2]", "is no JSON object; expected one a row"),
        ('{"who": "a\x01b", "what": 1}', "is no JSON object; expected one a row"),
        ('{"who": 1, "what": 2, "who": 3}', "holds a key twice; expected each once"),
        ('{"who": 1, "what": {"id": 2}}', "column what: holds a list or an object; expected text"),
        ('{"who": 1, "what": [2]}', "column what: holds a list or an object; expected text"),
    ],
)
def test_a_bad_line_stops_or_is_counted(tmp_path: Path, line: str, reason: str) -> None:
    good = [f'{{"who": {n}, "what": "x"}}' for n in range(9)]
    path = _written(tmp_path, "\n".join([*good[:5], line, *good[5:]]) + "\n")
    choice = ColumnChoice("who", "what")
    with pytest.raises(InputError) as error:
        _rows(path, choice, max_unread=0.0)
    assert str(error.value).startswith(f"{path}:6: {reason}")
    source = _read(path, choice, max_unread=0.2)
    assert len(source.rows) == 9  # type: ignore[attr-defined]
    [row] = source.unread()
    assert row.line == 6
    assert row.reason.split(";")[0] in reason


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            '{"rows": [{"who": 1, "what": 5}, {"who": 2, "what": 5}]}',
            "is one JSON object, whose rows seem to be its",
        ),
        (
            '{\n"rows": [\n{"who": 1, "what": 5},\n{"who": 2, "what": 5}]}',
            "is one JSON object, whose rows seem to be",
        ),
        ("[]", "is JSON without rows"),
        ("{}\n{}\n", "is JSON without rows"),
        ("[[1, 2], [3, 4]]", "is JSON without rows"),
        (
            '[{"who": 1, "what": 5}, {"who": 2, "what": 5}',
            "row 3: cannot be read as JSON: the file ends in the middle",
        ),
        ('[{"who": 1, "what": 5}, {"who": ', "row 2: cannot be read as JSON"),
        (
            '[{"who": 1, "what": 5} {"who": 2, "what": 5}]',
            "row 2: cannot be read as JSON: expected a comma",
        ),
        ('[{"who": 1, "what": 5}, , {"who": 2, "what": 5}]', "row 2: cannot be read as JSON"),
        ('[{"who": 1, "what": 5},]', "row 2: cannot be read as JSON"),
        (
            '[{"who": 1, "what": 5}] {"who": 2, "what": 5}',
            "row 2: cannot be read as JSON: text follows the end",
        ),
        ('[{"who": 1, "what": 5}, 7]', "row 2: is no JSON object"),
        (
            '{"who": 1, "what": 5}\n{"who": 2, "w',
            ":2: is no JSON object; expected one a row; the file",
        ),
        ('{"a.b": 1, "a": {"b": 2}, "who": 1, "what": 5}\n', "has two fields that are called a.b"),
        ('{"what": 1}\n', "no column 'who'"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        _rows(_written(tmp_path, text), ColumnChoice("who", "what"))
    assert message in str(error.value)


def test_a_truncated_gzip_is_refused(tmp_path: Path) -> None:
    text = "".join(f'{{"who": {n * n}, "what": {n % 7}}}\n' for n in range(9_000))
    whole = gzip.compress(text.encode())
    path = _written(tmp_path, whole[: len(whole) - 100], "t.jsonl.gz")
    with pytest.raises(InputError, match=r"is cut short: the data end too early; fetch it again"):
        _rows(path, ColumnChoice("who", "what"))


def test_keys_with_signs_of_paths_are_found(tmp_path: Path) -> None:
    path = _written(tmp_path, '{"a/b": {"~": 1}, "it\'s": "x", "c.d": 5}\n')
    assert _rows(path, ColumnChoice("a/b.~", "it's")) == [("1", "x")]
    assert _rows(path, ColumnChoice("c.d", "it's")) == [("5", "x")]


def test_a_delimiter_that_is_asked_for_makes_it_no_json(tmp_path: Path) -> None:
    path = _written(tmp_path, '{"who";what\n1;2\n')
    choice = ColumnChoice('{"who"', "what")
    assert _rows(path, choice, delimiter=";", quotes="none") == [("1", "2")]


def test_a_folder_holds_json_of_several_layouts(tmp_path: Path) -> None:
    (tmp_path / "year=2009").mkdir()
    _written(tmp_path / "year=2009", '{"who": 1, "what": 2}\n', "a.jsonl")
    _written(tmp_path / "year=2009", '[{"who": 3, "what": 4}]', "b.json")
    choice = ColumnChoice("who", "what", date="year")
    source = TableSource(tmp_path, choice, TableOptions("year"))
    assert _rows(tmp_path, ColumnChoice("who", "what")) == [("1", "2"), ("3", "4")]
    assert source.name.endswith("(JSON lines or JSON)")


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@given(
    objects=st.lists(st.dictionaries(st.text(max_size=3), _VALUES), max_size=5),
    indent=st.sampled_from([None, 0, 2]),
    is_list=st.booleans(),
    ascii_only=st.booleans(),
    size=st.integers(1, 40),
)
def test_rows_are_those_of_a_plain_parser(
    objects: list[Any], indent: int | None, is_list: bool, ascii_only: bool, size: int
) -> None:
    if is_list:
        text = json.dumps(objects, indent=indent, ensure_ascii=ascii_only)
    else:
        text = "".join(json.dumps(one, indent=indent, ensure_ascii=ascii_only) for one in objects)
    text = "".join(letter if not "\ud800" <= letter <= "\udfff" else "?" for letter in text)
    blocks = [*json_blocks(OpenText("a", io.BytesIO(text.encode()), lambda: 0), size)]
    lines = [line for block in blocks for line in block.data.decode().split("\n")[:-1]]
    expected = json.loads(text) if is_list else objects
    assert [json.loads(line) for line in lines] == expected
    firsts = [block.first_line for block in blocks]
    assert firsts == sorted(set(firsts))
