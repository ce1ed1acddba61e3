"""Encodings: found out where they can be, the same rows in each, errors on the exact line."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

import sim
from sim.errors import ConfigError, InputError
from sim.release.readers import encodings
from sim.release.readers.empty_ids import BLANKS
from sim.release.readers.encodings import DecodedStream, Decoding
from sim.release.readers.strict_parser import number

NAMES = ["café", "Zoë", "zoo", "a,b", 'say "hi"', "two\nlines", "naïve", "œuvre", "Škoda", "x"]
ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "windows-1252"]


def read(path: Path, **options: Any) -> list[tuple[str, str, float | None]]:
    source = table_source(path, "who", "what", "stars", **options)
    return [
        (user, item, None if x != x else x)
        for chunk in source.chunks()
        for user, item, x in zip(
            chunk.record.to_pylist(), chunk.item.to_pylist(), chunk.value.tolist(), strict=True
        )
    ]


def error_of(path: Path, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        read(path, **options)
    return str(error.value).replace(str(path), "PATH")


def note_of(path: Path, **options: Any) -> str:
    source = table_source(path, "who", "what", "stars", **options)
    list(source.chunks())
    return str(source.notes()["encoding"])


ROWS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.one_of(st.none(), st.floats(-1e6, 1e6).map(lambda x: round(x, 3))),
    ),
    min_size=3,
    max_size=12,
)


@settings(max_examples=examples(150))
@given(
    ROWS,
    st.sampled_from(ENCODINGS),
    st.sampled_from([",", ";", "\t", "|", "~", " ", "\x01"]),
    st.sampled_from([".", ","]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
    st.integers(1, 200),
    st.booleans(),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, float | None]],
    encoding: str,
    delimiter: str,
    decimal: str,
    quoting: Any,
    end: str,
    block_bytes: int,
    told: bool,
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(["who", "what", "stars"])
    for user, item, x in rows:
        writer.writerow([user, item, "" if x is None else repr(x).replace(".", decimal)])
    path = tmp_path_factory.getbasetemp() / "encoded.csv"
    path.write_bytes(out.getvalue().encode(encoding))
    options: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter} if told else {}
    options["multiline"] = True
    for size in (block_bytes, 1 << 20):
        assert read(path, decimal=decimal, block_bytes=size, **options) == rows


IDENTIFIER = st.text(
    st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]), min_size=1
).filter(lambda text: text.strip(BLANKS) != "")


@given(st.lists(IDENTIFIER, min_size=1, max_size=8), st.integers(1, 40), st.integers(1, 9))
def test_wide_text_of_any_letters(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], block_bytes: int, window: int
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([["who", "what", "stars"], *([name, "x", ""] for name in names)])
    path = tmp_path_factory.getbasetemp() / "wide.csv"
    path.write_bytes(out.getvalue().encode("utf-16"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encodings, "WINDOW", window + 4)
        found = read(path, block_bytes=block_bytes, empty="keep", multiline=True)
    assert [row[0] for row in found] == names


HEAD = "who,what,stars\n"


@pytest.mark.parametrize(
    ("text", "encoding", "note"),
    [
        ("a,b,1\n", "ascii", "UTF-8"),
        ("café,b,1\n", "utf-8", "UTF-8 (recognised)"),
        ("café,b,1\n", "utf-8-sig", "UTF-8 (recognised)"),
        ("café,“b”,1\n", "cp1252", "Windows-1252 (recognised)"),
        ("café,b,1\n", "latin-1", "Windows-1252 (recognised)"),
        ("café,b,1\n", "utf-16", "UTF-16 (recognised)"),
        ("café,b,1\n", "utf-16-le", "UTF-16, little-endian (recognised)"),
        ("café,b,1\n", "utf-16-be", "UTF-16, big-endian (recognised)"),
    ],
)
def test_encodings_are_found_out_and_noted(
    tmp_path: Path, text: str, encoding: str, note: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes((HEAD + text).encode(encoding))
    assert note_of(path) == note
    assert note_of(path, encoding=encoding) == note.removesuffix(" (recognised)").replace(
        "Windows-1252" if encoding == "latin-1" else "UTF-8 ", "Latin-1"
    ).replace("UTF-8", {"ascii": "ascii", "utf-8-sig": "utf-8-sig"}.get(encoding, "UTF-8"))


@pytest.mark.parametrize("letters", ["Привет,мир", "日本語,東京", "Καλημέρα,κόσμε"])
@pytest.mark.parametrize("block_bytes", [8, 1 << 20])
def test_what_cannot_be_found_out_is_asked_for(
    tmp_path: Path, letters: str, block_bytes: int
) -> None:
    encoding = {"П": "windows-1251", "日": "shift_jis", "Κ": "iso8859-7"}[letters[0]]
    path = tmp_path / "a.csv"
    path.write_bytes((HEAD + f"x,y,\n{letters},3\n").encode(encoding))
    assert error_of(path, block_bytes=block_bytes).startswith(
        "PATH:3: is neither UTF-8 nor Windows-1252 text; set data.encoding to its encoding"
    )
    found = read(path, encoding=encoding, block_bytes=block_bytes)
    assert found == [("x", "y", None), (*letters.split(","), 3.0)]


def test_a_broken_letter_among_good_ones_is_an_error_on_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes((HEAD + "café,b,1\n" * 5).encode() + b'"x\ny",caf\xe9,2\n')
    assert error_of(path, multiline=True) == (
        "PATH:7: column what: is not UTF-8 text; set data.encoding to its encoding; to leave "
        "out such rows, set data.max_unread=0.01, for up to 1% of all"
    )


@pytest.mark.parametrize(
    ("encoding", "bad", "line"),
    [("cp1252", b"\x81", 4), ("utf-16-le", b"\x00\xd8,\x00", 4), ("ascii", b"\xe9", 4)],
)
@pytest.mark.parametrize("block_bytes", [3, 1 << 20])
def test_what_is_not_of_the_encoding_is_an_error_on_its_line(
    tmp_path: Path, encoding: str, bad: bytes, line: int, block_bytes: int
) -> None:
    path = tmp_path / "a.csv"
    codec = encoding
    start, end = (text.encode(codec) for text in (HEAD + 'a,"x\ny",1\n', ",b,1\n"))
    path.write_bytes(start + bad + end)
    assert error_of(path, encoding=encoding, block_bytes=block_bytes).startswith(
        f"PATH:{line}: is not "
    )


@pytest.mark.parametrize("name", ["utf9", "rot13", "hex", ""])
def test_unknown_encodings(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text(HEAD)
    with pytest.raises(ConfigError, match=r"^data\.encoding: .* no known encoding"):
        read(tmp_path / "a.csv", encoding=name)


@given(st.binary(max_size=60), st.integers(1, 20), st.lists(st.integers(1, 30), min_size=1))
def test_how_much_is_read_at_once_changes_nothing(
    data: bytes, window: int, sizes: list[int]
) -> None:
    def decoded(reads: list[int]) -> bytes | str:
        stream = DecodedStream(io.BytesIO(data), "x", Decoding())
        whole, at = b"", 0
        try:
            while fresh := stream.read(reads[at % len(reads)]):
                whole, at = whole + fresh, at + 1
        except InputError as error:
            return str(error)
        return whole

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encodings, "WINDOW", window)
        assert decoded(sizes) == decoded([1000])


@pytest.mark.parametrize(
    ("cell", "decimal", "advice"),
    [
        ("170,8", ".", "; if the comma is the decimal point, set \"data.decimal=','\""),
        ("3.5", ",", "; if the point is the decimal point, set \"data.decimal='.'\""),
        ("1,280", ".", "; remove the marks between thousands, or, if ',' is the decimal point, set "
         "\"data.decimal=','\""),
        ("1,280.6", ".", "; remove the marks between thousands"),
        ("1 280.6", ".", "; remove the marks between thousands"),
        ("1.280,6", ".", "; if the comma is the decimal point, set \"data.decimal=','\", and "
         "remove the marks between thousands"),
        ("-1.234.567,8", ",", "; remove the marks between thousands"),
        ("1,2,3", ".", ""), ("2005,09,06", ".", ""), ("many, 1", ".", ""), (",", ".", ""),
    ],
)  # fmt: skip
def test_another_decimal_point_and_marks_between_thousands_are_recognised(
    cell: str, decimal: str, advice: str
) -> None:
    with pytest.raises(ValueError, match="is not a number") as error:
        number(cell, decimal, "data.decimal")
    assert str(error.value).partition(f"such as 4 or 3{decimal}5")[2] == advice


def test_the_decimal_point_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("who;what;stars\na;b;3,5\nc;d;1.234,5\n")
    assert error_of(path) == (
        "PATH:2: column stars: '3,5' is not a number; expected one such as 4 or 3.5; if the comma "
        "is the decimal point, set \"data.decimal=','\"; to leave out such rows, set "
        "data.max_unread=0.01, for up to 1% of all"
    )
    assert error_of(path, decimal=",").startswith(
        "PATH:3: column stars: '1.234,5' is not a number; expected one such as 4 or 3,5; remove "
        "the marks between thousands"
    )
    with pytest.raises(ConfigError, match=r"^data\.decimal: ';': expected '\.' or ','"):
        read(path, decimal=";")
    prints = {table_source(path, "who", "what", "stars", decimal=d).fingerprint() for d in ".,"}
    assert len(prints) == 2


def test_an_old_workbook_is_no_text(tmp_path: Path) -> None:
    """Whatever its encoding were set to."""
    path = tmp_path / "a.xls"
    path.write_bytes(bytes.fromhex("d0cf11e0a1b11ae1") + bytes(range(256)) * 20)
    with pytest.raises(InputError, match="of a spreadsheet, save the sheet of rows as a csv file"):
        sim.table(path, user="who", item="what")
