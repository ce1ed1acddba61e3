"""Delimited tables: exact identifiers, every date unit, the exact line of every error."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import shutil
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import table_source

from sim.errors import ConfigError, InputError
from sim.release.readers import textfile
from sim.release.readers.empty_ids import BLANKS
from sim.release.readers.table import TableSource
from sim.release.store.cells import NO_TIME

pytestmark = pytest.mark.fast

Row = tuple[str, str, float | None, int | None]

TEXT = "who,what,stars,when\n007,a,3.5,2005-09-06\n7,b,,\n"
ROWS: list[Row] = [("007", "a", 3.5, 1125964800), ("7", "b", None, None)]


def source_of(path: Path, **options: Any) -> TableSource:
    columns = {"user": "who", "item": "what", "value": "stars", "date": "when"}
    return table_source(path, **{**columns, **options})


def read(source: TableSource) -> list[Row]:
    rows: list[Row] = []
    for chunk in source.chunks():
        size = len(chunk)
        ids = [
            column.tolist() if isinstance(column, np.ndarray) else column.to_pylist()
            for column in (chunk.record, chunk.item)
        ]
        assert isinstance(chunk.record, pa.StringArray | np.ndarray)
        value = [None] * size if chunk.value is None else chunk.value.tolist()
        time = [None] * size if chunk.time is None else chunk.time.tolist()
        rows += [
            (user, item, None if x is None or x != x else x, None if t == NO_TIME else t)
            for user, item, x, t in zip(*ids, value, time, strict=True)
        ]
        assert source.position() <= source.size
    assert source.position() == source.size
    return rows


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def error_of(path: Path, block_bytes: int = 16, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        list(source_of(path, block_bytes=block_bytes, **options).chunks())
    message = str(error.value)
    assert "\n" not in message
    return message.replace(str(path), "PATH")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_layouts(tmp_path: Path, delimiter: str, start: bytes, end: str) -> None:
    text = TEXT.replace(",", delimiter).replace("\n", end)
    path = write(tmp_path / "rows.csv", start + text.encode())
    source = source_of(path)
    assert read(source) == ROWS
    notes = source.notes()
    assert notes["rows"] == 2
    assert notes["rows without a value"] == notes["rows without a date"] == 1
    assert notes["dates"] == "ISO dates, taken as UTC (recognised)"
    assert read(source_of(path, delimiter=delimiter)) == ROWS


def test_another_delimiter(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.txt", TEXT.replace(",", "~"))
    assert read(source_of(path, delimiter="~")) == ROWS
    source = source_of(path)
    assert read(source) == ROWS
    assert source.name == "table rows.txt (text delimited by '~')"
    assert "no column 'x' (chosen as user); the file has 'who~what~stars~when'" in error_of(
        path, user="x"
    )


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_compressed(tmp_path: Path, pack: type[bytes]) -> None:
    assert read(source_of(write(tmp_path / "rows", pack(TEXT.encode())))) == ROWS


def test_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "rows.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deep/rows.csv", TEXT)
        archive.writestr("__MACOSX/deep/rows.csv", "x")
    assert read(source_of(tmp_path / "rows.zip", block_bytes=9)) == ROWS
    with zipfile.ZipFile(tmp_path / "rows.zip", "a") as archive:
        archive.writestr("more.csv", TEXT)
    assert error_of(tmp_path / "rows.zip") == (
        "PATH: holds 2 files (deep/rows.csv, more.csv); expected one, so unpack it first"
    )


def test_a_workbook_is_no_archive(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "rows.xlsx", "w") as archive:
        for name in ("[Content_Types].xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"):
            archive.writestr(name, "<x/>")
    assert error_of(tmp_path / "rows.xlsx") == (
        "PATH: is an Excel workbook; save the sheet of rows as a csv file"
    )


def test_only_people_and_items(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", "x,what,who\n1,b,a\n2,d,c\n")
    [chunk] = table_source(path, "who", "what").chunks()
    assert chunk.value is None
    assert chunk.time is None
    assert read(table_source(path, "who", "what")) == [
        ("a", "b", None, None),
        ("c", "d", None, None),
    ]


IDENTIFIER = st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1
).filter(lambda text: text.strip(BLANKS) != "")
TABLE_ROWS = st.lists(
    st.tuples(
        st.one_of(IDENTIFIER, st.integers().map(str), st.sampled_from(["NA", "null", "007", '"'])),
        IDENTIFIER,
        st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
        st.one_of(st.none(), st.integers(-2_208_988_800, 7_289_654_399)),
    ),
    min_size=1,
    max_size=25,
)


@given(
    TABLE_ROWS,
    st.sampled_from([",", "\t", ";", "|"]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.sampled_from(["s", "iso"]),
    st.integers(1, 300),
    st.booleans(),
)
def test_round_trip(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[Row],
    delimiter: str,
    end: str,
    quoting: Any,
    unit: str,
    block_bytes: int,
    cut: bool,
) -> None:
    if quoting == csv.QUOTE_MINIMAL:  # leaves carriage returns bare, which nothing reads back
        rows = [(row[0].replace("\r", ";"), row[1].replace("\r", ";"), *row[2:]) for row in rows]
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end, quoting=quoting)
    writer.writerow(["what", "note\nof two lines", "when", "who", "stars"])
    for user, item, value, time in rows:
        when = time
        if unit == "iso" and time is not None:
            when = datetime.fromtimestamp(time, UTC).replace(tzinfo=None).isoformat()
        writer.writerow([item, "x,;|\t\n", when, user, None if value is None else repr(value)])
    text = out.getvalue()
    path = tmp_path_factory.getbasetemp() / "round-trip.csv"
    path.write_bytes((text.removesuffix(end) if cut else text).encode())
    options = {"delimiter": delimiter, "date_unit": unit, "empty": "keep", "multiline": True}
    assert read(source_of(path, block_bytes=block_bytes, **options)) == rows
    assert read(source_of(path, **options)) == rows


def test_quotes_in_bare_cells_are_letters(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", 'who,what\n5" disk,"a,b"\nx,"say ""hi"""\n')
    expected = [('5" disk', "a,b", None, None), ("x", 'say "hi"', None, None)]
    assert read(table_source(path, "who", "what")) == expected


TORN = "a quoted cell opens here and does not end on this line; remove the stray quote"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        # A stray opening quote swallows what follows, up to the next quote.
        ('ann,"zoo,1\nbob,spa,2\ncyd,"pub,3\n', f"PATH:2: {TORN}"),
        ('ann,"zoo,1\nbob,spa,2\ncyd,"pub",3\n', f"PATH:2: {TORN}"),
        ('ann,"zoo,1\nbob,spa,2\ncyd,pub",3\n', f"PATH:2: {TORN}"),
        ('ann,zoo,"1\nbob,spa,2\ncyd,pub,3"\n', f"PATH:2: {TORN}"),
        ('"ann,zoo,1\nbob",spa,2\n', f"PATH:2: {TORN}"),
        ('ann,zoo,1\nbob,spa,"2\n"cyd",pub,3\n', f"PATH:3: {TORN}"),
        ('ann,zoo,1\nbob,"spa,2\ncyd,pub,3\n', f"PATH:3: {TORN}"),
        ('ann,"zoo"x,1\nbob,"spa,2\n', "PATH:2: a quote is never closed, or text follows one"),
        # Text after a closing quote.
        ('ann,"zoo"logical,1\n', "PATH:2: a quote is never closed, or text follows one that"),
        ('ann,"a "big" zoo",1\n', "PATH:2: a quote is never closed, or text follows one that"),
    ],
)
@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_quotes_that_cannot_be_right_are_refused(
    tmp_path: Path, text: str, message: str, block_bytes: int
) -> None:
    path = write(tmp_path / "rows.csv", "who,what,note\n" + text)
    assert error_of(path, block_bytes, value=None, date=None).startswith(message)


LINES = 'who,what,note\nann,zoo,"nice,\nwould come, and\n\nsee, again"\nbob,"two\nlines",""\n'


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_quoted_cells_of_several_lines_are_cells_if_asked(tmp_path: Path, block_bytes: int) -> None:
    path = write(tmp_path / "rows.csv", LINES)
    options: dict[str, Any] = {"value": None, "date": None}
    source = source_of(path, block_bytes=block_bytes, multiline=True, **options)
    assert [row[:2] for row in read(source)] == [("ann", "zoo"), ("bob", "two\nlines")]
    assert error_of(path, block_bytes, **options).endswith(", data.multiline=true")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('ann,"zoo,1\nbob,spa,2\n\ncyd,pub",3\n', "PATH:3: a quoted cell runs on from this line"),
        ('ann,zoo,"1\nbob,spa,2\ncyd,pub,3"\n', "PATH:3: a quoted cell runs on from this line"),
        ('bob,spa,"2\n"cyd",pub,3\n', "PATH:3: 5 cells on 2 lines; expected 3"),
        ('bob,"spa,2\ncyd,pub,3\n', "PATH:3: a quote is never closed, or text follows one"),
    ],
)
def test_a_stray_quote_is_found_among_cells_of_several_lines(
    tmp_path: Path, text: str, said: str
) -> None:
    path = write(tmp_path / "rows.csv", f"who,what,note\n\n{text}")
    for asked in (0, 1):
        options = {"multiline": True, "max_unread": asked, "value": None, "date": None}
        assert error_of(path, **options).startswith(said)


def test_a_header_may_not_swallow_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", 'who,what,"note\nann,zoo,1\nbob,spa,2"\ncyd,pub,3\n')
    assert error_of(path, value=None, date=None).startswith("PATH:1: the header runs to line 3;")


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_a_header_among_the_rows_is_refused(tmp_path: Path, block_bytes: int) -> None:
    path = write(tmp_path / "rows.csv", "n,who,what\n1,ann,zoo\n2,bob,who\nn,who,what\n3,c,d\n")
    assert error_of(path, block_bytes, value=None, date=None) == (
        "PATH:4: repeats the header; was it made of several files? Remove this line and the like; "
        "to leave out such rows, set data.max_unread=0.01, for up to 1% of all"
    )


def test_columns_not_chosen_do_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", b"title,who,what\ncaf\xe9,a,b\n,c,d\n")
    assert read(table_source(path, "who", "what")) == [
        ("a", "b", None, None),
        ("c", "d", None, None),
    ]


@pytest.mark.parametrize(
    ("cells", "unit", "seconds", "described"),
    [
        (["12000", "0", "NA"], "auto", [12000 * 86400, 0, None], "days since 1970-01-01 (rec"),
        (["0", "978300760.9", ""], "auto", [0, 978300760, None], "seconds since 1970-01-01 (rec"),
        (["1.2e12", "null", "0"], "auto", [1_200_000_000, None, 0], "milliseconds since 1970-01"),
        (["978300760999"], "ms", [978300760], "milliseconds since 1970-01-01"),
        (["5"], "s", [5], "seconds since 1970-01-01"),
        (["2005-09-06T00:00:01Z", ""], "auto", [1125964801, None], "ISO dates, with time zone"),
        (["2005-09-06 02:00:01.5+02:00"], "iso", [1125964801], "ISO dates, with time zone"),
        (["", ""], "auto", [None, None], "not recognised: no date but zero"),
    ],
)
@pytest.mark.parametrize("block_bytes", [1, 1 << 20])
def test_date_units(
    tmp_path: Path,
    cells: list[str],
    unit: str,
    seconds: list[int | None],
    described: str,
    block_bytes: int,
) -> None:
    path = write(tmp_path / "rows.csv", "who,what,when\n" + "".join(f"a,b,{c}\n" for c in cells))
    source = source_of(path, value=None, date_unit=unit, block_bytes=block_bytes)
    assert [row[3] for row in read(source)] == seconds
    assert str(source.notes()["dates"]).startswith(described)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (",b,1,12000", "column who: is empty; expected an identifier"),
        ('a,"",1,12000', "column what: is empty; expected an identifier"),
        ("a,b,abc,12000", "column stars: 'abc' is not a number; expected one such as 4 or 3.5"),
        ("a,b,inf,12000", "column stars: 'inf' is not finite; expected a finite number"),
        ("a,b,-nan,12000", "column stars: '-nan' is not a number"),
        ("a,b,1e999,12000", "column stars: '1e999' is not finite"),
        ("a,b,1,yesterday", "column when: 'yesterday' is not a date; expected days since 1970-01"),
        (
            "a,b,1,978300760",
            "column when: '978300760' would be seconds since 1970-01-01, but the "
            "first date was in days since 1970-01-01; set data.date_unit, or put the column right",
        ),
        ("a,b,1,2005-09-06", "column when: '2005-09-06' is not a number; expected days since"),
        ("a,b,1,12000.5", "column when: 12000.5 is not a whole number of days"),
        ("a,b,1,100000", "column when: 100000 (days since 1970-01-01) is out of range"),
        ("a,b,1,-40000", "column when: -40000 (days since 1970-01-01) is out of range"),
        ("a,b,1", "3 cells; expected 4 (who, what, stars, when)"),
        ("a,b,1,12000,x", "5 cells; expected 4 (who, what, stars, when)"),
        ("a,caf\udce9,1,12000", "column what: is not UTF-8 text; set data.encoding to its"),
    ],
)
@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_bad_rows_are_named_by_line(
    tmp_path: Path, bad: str, message: str, block_bytes: int
) -> None:
    good = "a,b,1,12000\n"
    text = f'who,what,stars,when\n{good}\n"x\ny",b,,\n{bad}\n{good}z,{good}'
    path = write(tmp_path / "rows.csv", text.encode("utf-8", "surrogateescape"))
    options: dict[str, Any] = {"encoding": "utf-8", "multiline": True}
    assert error_of(path, block_bytes, **options).startswith(f"PATH:6: {message}")


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("a,b", "PATH:3: the file ends in the middle of a row (2 cells of 4); fetch or export"),
        ("a,b,1,2005-0", "PATH:3: column when: '2005-0' is not a date; expected a date"),
        ('a,b,1,"2005', "PATH:3: a quote is never closed"),
        ('a,b,1,"2005\n5,6\n', f"PATH:3: {TORN}"),
    ],
)
def test_files_that_end_in_a_row(tmp_path: Path, end: str, message: str) -> None:
    path = write(tmp_path / "rows.csv", f"who,what,stars,when\na,b,1,\n{end}")
    assert error_of(path).startswith(message)
    assert error_of(path, 1 << 20).startswith(message)


def test_a_missing_last_line_end_is_noted(tmp_path: Path) -> None:
    source = source_of(write(tmp_path / "rows.csv", TEXT.rstrip()), block_bytes=5)
    assert read(source) == ROWS
    assert source.notes()["last line"] == "has no line end; taken as whole"


def test_compact_dates_are_not_taken_for_seconds(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", "who,what,stars,when\na,b,1,20050906\n")
    assert error_of(path) == (
        "PATH:2: column when: '20050906' may be a date written as yyyymmdd (2005-09-06: "
        "data.date_unit=yyyymmdd) or seconds since 1970-01-01 (1970-08-21: data.date_unit=s); set "
        "data.date_unit, or write dates as 2005-09-06"
    )
    assert read(source_of(path, date_unit="s"))[0][3] == 20050906


def test_bare_carriage_returns_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", "who,what\na,b\rc,d\n")
    assert error_of(path, value=None, date=None) == (
        "PATH:2: holds a carriage return within a line; expected lines that end with a line feed"
    )


def test_missing_and_double_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", TEXT)
    assert error_of(path, item="thing") == (
        "PATH:1: no column 'thing' (chosen as item); the file has 'who', 'what', 'stars', 'when'"
    )
    assert error_of(path, item="who") == (
        "PATH: column 'who' is chosen both as user and as item; expected a column of its own for "
        "each"
    )
    write(path, "who,what,who\na,b,c\n")
    assert error_of(path, value=None, date=None) == (
        "PATH:1: column 'who' (chosen as user) is there 2 times; expected it once"
    )


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_a_title_above_the_header(tmp_path: Path, sign: str) -> None:
    title = f'"Loans of 2023, all branches"\n\n{TEXT.replace(",", sign)}'
    path = write(tmp_path / "rows.csv", title)
    assert error_of(path) == (
        "PATH:1: is no header with the chosen columns, but line 3 is; delete the lines above it"
    )


def test_a_header_that_is_not_utf8(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", b"caf\xe9,who,what\n1,2,3\n")
    assert error_of(path, value=None, date=None, encoding="utf-8") == (
        "PATH:1: the header is not UTF-8 text; save the file as UTF-8"
    )
    write(path, TEXT.encode("utf-16"))
    assert error_of(path, encoding="utf-8") == "PATH: is UTF-16 text; save it as UTF-8"


def test_no_rows(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", "")
    assert error_of(path) == "PATH: is empty and holds no rows; expected a header and rows"
    write(path, "\n\n")
    assert error_of(path) == "PATH:1: expected a header with the columns' names"
    write(path, "who,what,stars,when\n\n")
    assert error_of(path) == "PATH: holds no rows; expected some below the header"


def test_missing_path_and_tar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "rows.csv", TEXT)
    for elsewhere in (tmp_path / "gone" / "rows.csv", Path("D:\\loans\\rows.csv")):
        assert "; did you mean rows.csv" in error_of(elsewhere)
    (tmp_path / "rows.csv").unlink()
    assert error_of(tmp_path / "none").startswith(
        "PATH: no such file or folder; expected a file of delimited text with a header, a parquet"
    )
    with tarfile.open(tmp_path / "rows.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("rows.csv"))
    assert error_of(tmp_path / "rows.tar") == (
        "PATH: is a tar; unpack it and name the file of rows"
    )


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
@pytest.mark.parametrize("kept", [0.5, 0.95])
def test_truncated_files(tmp_path: Path, pack: Any, kept: float) -> None:
    rows = "".join(f"u{n},i{n * 7 % 999},{n % 5},2005-09-06\n" for n in range(4000))
    whole = pack(f"who,what,stars,when\n{rows}".encode())
    path = write(tmp_path / "rows", whole[: int(len(whole) * kept)])
    assert error_of(path, 4096).startswith("PATH: is cut short")


def test_a_row_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(textfile, "LONGEST_ROW", 1000)
    path = write(tmp_path / "rows.csv", TEXT + "a,b,1," + "x" * 10_000 + "\n")
    assert error_of(path, 200).startswith("PATH:4: a row of more than")


def test_a_large_file_comes_in_small_chunks(tmp_path: Path) -> None:
    body = "".join(f"{n},{n},1,\n" for n in range(100_000, 320_000))
    path = write(tmp_path / "rows.csv.gz", gzip.compress(f"who,what,stars,when\n{body}".encode()))
    sizes = [len(chunk) for chunk in source_of(path, block_bytes=1700).chunks()]
    assert sum(sizes) == 220_000
    assert max(sizes) <= 2 << 16


def test_options_are_checked(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", TEXT)
    with pytest.raises(ConfigError, match=r"^data\.date_unit: 'years': did you mean year\?"):
        source_of(path, date_unit="years")
    for delimiter in ("::", "", '"', "\n", "é"):
        with pytest.raises(ConfigError, match=r"^data\.delimiter: .* cannot be one"):
            source_of(path, delimiter=delimiter)


def test_fingerprint_is_of_content_and_options_not_place(tmp_path: Path) -> None:
    path = write(tmp_path / "rows.csv", TEXT)
    (tmp_path / "deep").mkdir()
    copy = shutil.copy(path, tmp_path / "deep" / "other.csv")
    first = source_of(path).fingerprint()
    assert source_of(Path(copy), block_bytes=1).fingerprint() == first
    options = [{"date_unit": "iso"}, {"value": None}, {"user": "what", "item": "who"}]
    others = {source_of(path, **option).fingerprint() for option in options}
    assert len({first, *others}) == 4
    write(path, TEXT + "8,c,,\n")
    assert source_of(path).fingerprint() != first


def test_real_ratings(real_data: Path) -> None:
    path = real_data / "ml-latest-small-2016" / "ratings.csv"
    source = table_source(path, "userId", "movieId", "rating", "timestamp", block_bytes=1 << 18)
    rows = read(source)
    assert len(rows) == 100_004
    assert rows[0] == ("1", "31", 2.5, 1260759144)
    assert len({row[0] for row in rows}) == 671
    assert len({row[1] for row in rows}) == 9_066
    assert source.notes()["dates"] == "seconds since 1970-01-01 (recognised)"
