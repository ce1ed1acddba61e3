"""MovieLens: every layout and place, the exact line of every error, the real files."""

from __future__ import annotations

import bz2
import gzip
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import InputError
from sim.release.readers.movielens import MovieLensSource

ROWS = [(1, 1193, 5.0, 978300760), (1, 661, 3.0, 978302109), (6040, 3952, 0.5, 1260759144)]
HEADER = "userId,movieId,rating,timestamp\n"
LAYOUTS = {"u.data": ("\t", ""), "ratings.dat": ("::", ""), "ratings.csv": (",", HEADER)}


def text_of(name: str, rows: list[tuple[int, int, float, int]] = ROWS, end: str = "\n") -> str:
    separator, header = LAYOUTS[name]
    return (header + "".join(f"{separator.join(map(str, row))}\n" for row in rows)).replace(
        "\n", end
    )


def read(source: MovieLensSource) -> list[tuple[int, int, float, int]]:
    rows: list[tuple[int, int, float, int]] = []
    for chunk in source.chunks():
        assert chunk.record.dtype == chunk.item.dtype == np.int64
        assert chunk.value is not None
        assert chunk.time is not None
        assert chunk.time.dtype == np.int64
        rows += zip(
            chunk.record.tolist(),
            chunk.item.tolist(),
            chunk.value.tolist(),
            chunk.time.tolist(),
            strict=True,
        )
        assert source.position() <= source.size
    assert source.position() == source.size
    return rows


def error_of(path: Path) -> str:
    """Return the error with the folder's own path taken out."""
    with pytest.raises(InputError) as error:
        list(MovieLensSource(path, block_bytes=16).chunks())
    message = str(error.value)
    assert "\n" not in message
    assert str(path) in message
    return message.replace(str(path), "PATH")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_layouts(tmp_path: Path, name: str, start: bytes, end: str) -> None:
    path = tmp_path / name
    path.write_bytes(start + text_of(name, end=end).encode())
    source = MovieLensSource(path)
    assert read(source) == ROWS
    assert source.notes() == {"layout": f"MovieLens {name}", "rows": 3}
    assert source.name == f"MovieLens {name} in {tmp_path.name}"


def in_folder(folder: Path, name: str) -> Path:
    (folder / name).write_text(text_of(name))
    return folder


def in_sub_folder(folder: Path, name: str) -> Path:
    (folder / "ml-1m").mkdir()
    (folder / "ml-1m" / name).write_text(text_of(name))
    (folder / "ml-1m" / "movies.dat").write_text("1::Toy Story\n")
    return folder


def in_zip(folder: Path, name: str) -> Path:
    with zipfile.ZipFile(folder / "ml.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ml-1m/README", "read me")
        archive.writestr(f"ml-1m/{name}", text_of(name))
        archive.writestr(f"__MACOSX/ml-1m/{name}", "resource fork")
    return folder / "ml.zip"


def in_folder_with_zip(folder: Path, name: str) -> Path:
    in_zip(folder, name)
    return folder


def packed(folder: Path, name: str) -> Path:
    (folder / f"{name}.gz").write_bytes(gzip.compress(text_of(name).encode()))
    return folder


def renamed_and_packed(folder: Path, name: str) -> Path:
    (folder / "mine").write_bytes(bz2.compress(text_of(name).encode()))
    return folder / "mine"


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize(
    "place",
    [in_folder, in_sub_folder, in_zip, in_folder_with_zip, packed, renamed_and_packed],
)
def test_places(tmp_path: Path, name: str, place: Callable[[Path, str], Path]) -> None:
    assert read(MovieLensSource(place(tmp_path, name))) == ROWS


RATINGS = st.tuples(
    st.integers(1, 10**6),
    st.integers(1, 10**6),
    st.integers(1, 10).map(lambda half: half / 2),
    st.integers(789_652_009, 1_700_000_000),
)


@given(
    st.lists(RATINGS, min_size=1, max_size=30), st.sampled_from(list(LAYOUTS)), st.integers(1, 99)
)
def test_blocks_never_change_the_rows(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[int, int, float, int]],
    name: str,
    block_bytes: int,
) -> None:
    path = tmp_path_factory.getbasetemp() / f"blocks-{name}"
    path.write_text(text_of(name, rows))
    assert read(MovieLensSource(path, block_bytes=block_bytes)) == rows


def test_a_source_can_be_read_twice_and_skips_empty_lines(tmp_path: Path) -> None:
    path = tmp_path / "u.data"
    path.write_text("\n" + text_of("u.data").replace("\n", "\n\n"))
    with pytest.raises(InputError):
        MovieLensSource(path)
    path.write_text(text_of("u.data").replace("\n", "\n\n"))
    source = MovieLensSource(path, block_bytes=8)
    assert read(source) == ROWS
    assert read(source) == ROWS


def test_fractional_seconds_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(f"{HEADER}1,2,3,978300760.75\n1,3,3,1.2e9\n")
    assert [row[3] for row in read(MovieLensSource(path))] == [978300760, 1_200_000_000]


GOOD = "1,2,3.5,978300760\n"
STARS = "expected 0.5 to 5 stars in half stars"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("x,2,3.5,978300760", "column userId: 'x' is not a whole number; expected one such as 123"),
        (",2,3.5,978300760", "column userId: is empty; expected a whole number"),
        ("1,2.5,3.5,978300760", "column movieId: '2.5' is not a whole number; "),
        ("0x1F,2,3.5,978300760", "column userId: '0x1F' is not a whole number; "),
        ("99999999999999999999,2,3,978300760", "column userId: '99999999999999999999' is not a"),
        ("9999999999999999999,2,3,978300760", "column userId: '9999999999999999999' is too large"),
        ("1,2,abc,978300760", f"column rating: 'abc' is not a number; {STARS}"),
        ("1,2,,978300760", f"column rating: is empty; {STARS}"),
        ("1,2,nan,978300760", f"column rating: 'nan' is not a number; {STARS}"),
        ("1,2,inf,978300760", f"column rating: 'inf' is not finite; {STARS}"),
        ("1,2,0,978300760", f"column rating: '0' is not a rating; {STARS}"),
        ("1,2,5.5,978300760", f"column rating: '5.5' is not a rating; {STARS}"),
        ("1,2,3.7,978300760", f"column rating: '3.7' is not a rating; {STARS}"),
        ("1,2,3.5,", "column timestamp: is empty"),
        ("1,2,3.5,2005-09-06", "column timestamp: '2005-09-06' is not a number"),
        ("1,2,3.5,97830076000", "column timestamp: 97830076000 (seconds since 1970-01-01) is out"),
        ("1,2,3.5", "3 cells; expected 4 (userId, movieId, rating, timestamp)"),
        ("1,2,3.5,978300760,x", "5 cells; expected 4 (userId, movieId, rating, timestamp)"),
    ],
)
@pytest.mark.parametrize("name", LAYOUTS)
def test_bad_rows_are_named_by_line(tmp_path: Path, name: str, bad: str, message: str) -> None:
    separator, header = LAYOUTS[name]
    path = tmp_path / name
    body = GOOD * 3 + "\n" + bad + "\n" + GOOD + "y" + GOOD
    path.write_text(header + body.replace(",", separator))
    line = 6 if header else 5
    assert error_of(path).startswith(f"PATH:{line}: {message}")


def test_the_first_bad_cell_is_the_one_reported(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(HEADER + GOOD + "1,2,9,x\n" + "1\n")
    assert error_of(path).startswith("PATH:3: column rating: '9' is not a rating")


def test_single_colons_do_not_separate(tmp_path: Path) -> None:
    path = tmp_path / "ratings.dat"
    path.write_text("1::2::3::978300760\n1:2:3:4:5:6:978300760\n")
    assert error_of(path).startswith("PATH:2: 1 cell; expected 4")
    path.write_text("1::2::3::978300760\n1::2:x:3::978300760\n")
    assert error_of(path).startswith("PATH:2: 3 cells; expected 4")


def test_the_line_is_right_inside_a_zip(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "ml.zip", "w") as archive:
        archive.writestr("ml-1m/ratings.dat", "1::2::3::978300760\n1::2::6::978300760\n")
    assert error_of(tmp_path / "ml.zip").startswith(
        "PATH/ml-1m/ratings.dat:2: column rating: '6' is not a rating"
    )


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("1,2", "the file ends in the middle of a row (2 cells of 4); fetch or export it again"),
        ("1,2,3.", "the file ends in the middle of a row (3 cells of 4)"),
        ("1,2,3.5,", "column timestamp: is empty; expected a number; the file ends in the middle"),
        ("1,2,3.5,97830076", "column timestamp: the file ends in the middle of this row"),
        ("1,2,3.5,126075914", "column timestamp: the file ends in the middle of this row"),
    ],
)
@pytest.mark.parametrize("name", LAYOUTS)
def test_files_that_end_in_a_row(tmp_path: Path, name: str, end: str, message: str) -> None:
    separator, header = LAYOUTS[name]
    path = tmp_path / name
    path.write_text(header + (GOOD + GOOD + end).replace(",", separator))
    assert error_of(path).startswith(f"PATH:{4 if header else 3}: {message}")


def test_a_missing_last_line_end_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "u.data"
    path.write_text(text_of("u.data").rstrip())
    source = MovieLensSource(path)
    assert read(source) == ROWS
    assert source.notes()["last line"] == "has no line end; taken as whole"


def test_missing_paths_and_folders(tmp_path: Path) -> None:
    assert error_of(tmp_path / "none") == (
        "PATH: no such file or folder; expected a MovieLens folder, its zip, or one of u.data, "
        "ratings.dat, ratings.csv"
    )
    assert error_of(tmp_path) == (
        "PATH: holds no MovieLens ratings; expected u.data, ratings.dat or ratings.csv in it, in a "
        "sub-folder or in a zip"
    )
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("README", "read me")
    assert error_of(tmp_path / "x.zip").startswith("PATH: holds no MovieLens ratings; expected")
    (tmp_path / "a.txt").write_text("hello world\n")
    assert error_of(tmp_path / "a.txt").startswith(
        "PATH:1: 'hello world' begins none of the MovieLens layouts; expected the header userId,"
    )


def test_two_copies_are_ambiguous(tmp_path: Path) -> None:
    in_folder(tmp_path, "u.data")
    in_folder(tmp_path, "ratings.dat")
    assert error_of(tmp_path) == "PATH: holds ratings.dat, u.data; name the one to read"


@pytest.mark.parametrize("name", LAYOUTS)
def test_no_rows(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("")
    assert error_of(path) == "PATH: is empty and holds no rows; expected MovieLens ratings"


def test_header_alone(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(HEADER)
    assert error_of(path) == "PATH: holds no rows; expected MovieLens ratings"


@pytest.mark.parametrize("kept", [0.3, 0.9])
def test_truncated_archives(tmp_path: Path, kept: float) -> None:
    rows = [(n, n * 7 % 1000, 3.5, 978300760 + n * n % 10**7) for n in range(1, 5000)]
    text = text_of("ratings.csv", rows).encode()
    zipped, zip_path = gzip.compress(text), tmp_path / "ml.zip"
    (tmp_path / "ratings.csv.gz").write_bytes(zipped[: int(len(zipped) * kept)])
    assert error_of(tmp_path / "ratings.csv.gz").startswith("PATH: is cut short")
    with zipfile.ZipFile(zip_path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("ml/ratings.csv", text)
    whole = zip_path.read_bytes()
    zip_path.write_bytes(whole[: int(len(whole) * kept)])
    assert error_of(zip_path).startswith("PATH: is damaged or cut short")
    damaged = bytearray(whole)
    damaged[len(damaged) // 2] ^= 255
    zip_path.write_bytes(damaged)
    assert error_of(zip_path).startswith("PATH/ml/ratings.csv")


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to the superuser")
def test_forbidden_file(tmp_path: Path) -> None:
    path = tmp_path / "u.data"
    path.write_text(text_of("u.data"))
    path.chmod(0)
    assert error_of(path).startswith("PATH: may not be read (permission denied)")


def test_fingerprint_is_of_content_not_place(tmp_path: Path) -> None:
    first, second = tmp_path / "one", tmp_path / "two" / "ml-1m"
    first.mkdir()
    second.mkdir(parents=True)
    in_folder(first, "ratings.dat")
    shutil.copy(first / "ratings.dat", second / "ratings.dat")
    prints = {
        MovieLensSource(path).fingerprint()
        for path in (first, first / "ratings.dat", second, second.parent)
    }
    assert len(prints) == 1
    (second / "ratings.dat").write_text(text_of("ratings.dat", ROWS[:2]))
    assert MovieLensSource(second).fingerprint() not in prints


def test_real_100k(real_data: Path) -> None:
    rows = read(MovieLensSource(real_data / "ml-100k"))
    assert len(rows) == 100_000
    assert rows[0] == (196, 242, 3.0, 881250949)
    assert len({row[0] for row in rows}) == 943
    assert len({row[1] for row in rows}) == 1_682


def test_real_latest_small(real_data: Path) -> None:
    source = MovieLensSource(real_data / "ml-latest-small-2016", block_bytes=100_000)
    rows = read(source)
    assert len(rows) == source.notes()["rows"] == 100_004
    assert len({row[0] for row in rows}) == 671
    assert len({row[1] for row in rows}) == 9_066
    assert rows == read(MovieLensSource(real_data / "ml-latest-small-2016"))
