"""Netflix Prize: both layouts in every wrapping, the exact line of every error."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sim.errors import InputError
from sim.release.readers.netflix import NetflixSource

NetflixRow = tuple[int, int, int, int]
"""Person, film, stars, day since 1970."""

ROWS: list[NetflixRow] = [
    (1488844, 1, 3, 13032),
    (822109, 1, 5, 12916),
    (2059652, 2, 4, 13031),
    (1488844, 17770, 1, 10906),
]


def day_text(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(day)).isoformat()


def text_of(rows: list[NetflixRow]) -> str:
    return "".join(
        f"{film}:\n" + "".join(f"{row[0]},{row[2]},{day_text(row[3])}\n" for row in group)
        for film, group in groupby(rows, key=lambda row: row[1])
    )


def per_film(rows: list[NetflixRow]) -> dict[str, str]:
    return {
        f"mv_{film:07d}.txt": text_of(list(group))
        for film, group in groupby(rows, key=lambda row: row[1])
    }


def combined(rows: list[NetflixRow]) -> dict[str, str]:
    return {"combined_data_1.txt": text_of(rows[:3]), "combined_data_2.txt": text_of(rows[3:])}


def read(source: NetflixSource) -> list[NetflixRow]:
    rows: list[NetflixRow] = []
    for chunk in source.chunks():
        assert chunk.value is not None
        assert chunk.time is not None
        assert {array.dtype for array in (chunk.record, chunk.item, chunk.time)} == {
            np.dtype(np.int64)
        }
        assert not (chunk.time % 86_400).any()
        rows += zip(
            chunk.record.tolist(),
            chunk.item.tolist(),
            chunk.value.astype(int).tolist(),
            (chunk.time // 86_400).tolist(),
            strict=True,
        )
        assert source.position() <= source.size
    assert source.position() == source.size
    return rows


def error_of(path: Path, block_bytes: int = 16) -> str:
    with pytest.raises(InputError) as error:
        list(NetflixSource(path, block_bytes=block_bytes).chunks())
    message = str(error.value)
    assert "\n" not in message
    return message.replace(str(path), "PATH")


def write(folder: Path, texts: Mapping[str, str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return folder


def tarred(path: Path, texts: Mapping[str, bytes], mode: str) -> Path:
    with tarfile.open(path, mode) as tar:  # type: ignore[call-overload]
        for name, data in texts.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def in_folder(folder: Path, texts: Mapping[str, str]) -> Path:
    write(folder, {**texts, "movie_titles.txt": "1,2003,Dinosaur Planet\n", "README": "x"})
    return folder


def in_sub_folder(folder: Path, texts: Mapping[str, str]) -> Path:
    write(folder / "training_set", texts)
    write(folder, {"probe.txt": "1:\n30878\n", "qualifying.txt": "1:\n1046323,2005-12-19\n"})
    return folder


def in_zip(folder: Path, texts: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(folder / "archive.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in {**texts, "probe.txt": "1:\n30878\n"}.items():
            archive.writestr(f"netflix/{name}", text)
    return folder / "archive.zip"


def in_tar(folder: Path, texts: Mapping[str, str]) -> Path:
    members = {f"training_set/{name}": text.encode() for name, text in texts.items()}
    return tarred(folder / "training_set.tar", members, "w")


def in_tar_gz(folder: Path, texts: Mapping[str, str]) -> Path:
    members = {name: text.encode() for name, text in texts.items()}
    return tarred(folder / "whatever", members, "w:gz")


def in_folder_with_tar(folder: Path, texts: Mapping[str, str]) -> Path:
    (folder / "download").mkdir()
    in_tar(folder / "download", texts)
    return folder


def in_download(folder: Path, texts: Mapping[str, str]) -> Path:
    inner = in_tar(folder, texts).read_bytes()
    (folder / "training_set.tar").unlink()
    members = {"download/probe.txt": b"1:\n30878\n", "download/training_set.tar": inner}
    return tarred(folder / "nf_prize_dataset.tar.gz", members, "w:gz")


@pytest.mark.parametrize("layout", [per_film, combined])
@pytest.mark.parametrize(
    "place",
    [in_folder, in_sub_folder, in_zip, in_tar, in_tar_gz, in_folder_with_tar, in_download],
)
@pytest.mark.parametrize("block_bytes", [1, 30, 1 << 20])
def test_places(
    tmp_path: Path,
    layout: Callable[[list[NetflixRow]], dict[str, str]],
    place: Callable[[Path, Mapping[str, str]], Path],
    block_bytes: int,
) -> None:
    source = NetflixSource(place(tmp_path, layout(ROWS)), block_bytes=block_bytes)
    assert read(source) == ROWS
    assert source.notes() == {
        "layout": f"Netflix Prize, {'combined' if layout is combined else 'one file per film'}",
        "files": 2 if layout is combined else 3,
        "rows": 4,
    }
    assert source.name.startswith("Netflix Prize ")


@pytest.mark.parametrize("name", ["combined_data_3.txt", "mv_0000001.txt", "ratings"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_one_file_alone(tmp_path: Path, name: str, pack: type[bytes]) -> None:
    path = tmp_path / name
    path.write_bytes(pack(b"\xef\xbb\xbf" + text_of(ROWS).replace("\n", "\r\n").encode()))
    assert read(NetflixSource(path)) == ROWS


def test_files_come_in_order_of_their_numbers(tmp_path: Path) -> None:
    texts = {f"combined_data_{n}.txt": f"{n}:\n5,3,2005-09-06\n" for n in (10, 2, 1)}
    assert [row[1] for row in read(NetflixSource(write(tmp_path, texts)))] == [1, 2, 10]


NETFLIX_ROWS = st.lists(
    st.tuples(
        st.integers(1, 2_649_429), st.integers(1, 5), st.integers(1, 5), st.integers(10906, 13148)
    ),
    min_size=1,
    max_size=40,
)


@given(NETFLIX_ROWS, st.integers(1, 200), st.sampled_from(["\n", "\r\n", "\n\n"]), st.booleans())
def test_blocks_never_change_the_rows(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[NetflixRow],
    block_bytes: int,
    end: str,
    cut: bool,
) -> None:
    path = tmp_path_factory.getbasetemp() / "combined_data_1.txt"
    text = text_of(rows).replace("\n", end)
    path.write_bytes((text.rstrip() if cut else text).encode())
    assert read(NetflixSource(path, block_bytes=block_bytes)) == rows


def test_a_film_without_rows_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "combined_data_1.txt"
    path.write_text("1:\n2:\n5,3,2005-09-06\n3:")
    assert read(NetflixSource(path)) == [(5, 2, 3, 13032)]


GOOD = "1488844,3,2005-09-06\n"


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("x,3,2005-09-06", "column user: 'x' is not a whole number; expected one such as 123"),
        (",3,2005-09-06", "column user: is empty"),
        ("5,,2005-09-06", "column rating: is empty; expected 1 to 5 stars"),
        ("5,abc,2005-09-06", "column rating: 'abc' is not a rating; expected 1, 2, 3, 4 or 5"),
        ("5,0,2005-09-06", "column rating: '0' is not a rating"),
        ("5,6,2005-09-06", "column rating: '6' is not a rating"),
        ("5,3.5,2005-09-06", "column rating: '3.5' is not a rating"),
        ("5,3,", "column date: is empty; expected a date such as 2005-09-06"),
        ("5,3,2005-13-06", "column date: '2005-13-06' is not a date; expected one such as"),
        ("5,3,2005-9-6", "column date: '2005-9-6' is not a date"),
        ("5,3,1125964800", "column date: '1125964800' is not a date"),
        ("5,3,1899-12-31", "column date: '1899-12-31' is out of range"),
        ("5,3,2201-01-01", "column date: '2201-01-01' is out of range"),
        ("5,2005-09-06", "2 cells; expected 3 (user, rating, date)"),
        ("5,3,2005-09-06,x", "4 cells; expected 3 (user, rating, date)"),
        ("12a:", "'12a:' is not a film line; expected a number and a colon, such as 123:"),
        ("12:5", "'12:5' is not a film line"),
        ("5,3,2005-09-06\r5,4,2005-09-06", "5 cells; expected 3"),
        ("5,3:4,2005-09-06", "column rating: '3:4' is not a rating"),
    ],
)
@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_bad_rows_are_named_by_line(
    tmp_path: Path, bad: str, message: str, block_bytes: int
) -> None:
    path = tmp_path / "combined_data_1.txt"
    path.write_bytes(f"8:\n{GOOD}{GOOD}\n9:\n{bad}\n{GOOD}y{GOOD}".encode())
    assert error_of(path, block_bytes).startswith(f"PATH:6: {message}")


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_the_file_of_a_bad_row_is_named(tmp_path: Path, block_bytes: int) -> None:
    texts = {f"mv_{n:07d}.txt": f"{n}:\n{GOOD}" for n in range(1, 9)}
    texts["mv_0000005.txt"] += "5,9,2005-09-06\n"
    write(tmp_path / "training_set", texts)
    assert error_of(tmp_path, block_bytes).startswith(
        "PATH/training_set/mv_0000005.txt:3: column rating: '9' is not a rating"
    )


@pytest.mark.parametrize("block_bytes", [16, 1 << 20])
def test_every_file_begins_with_a_film(tmp_path: Path, block_bytes: int) -> None:
    write(tmp_path, {"mv_0000001.txt": f"1:\n{GOOD}", "mv_0000002.txt": GOOD})
    assert error_of(tmp_path, block_bytes) == (
        "PATH/mv_0000002.txt:1: a row before the first film; expected a line such as 123: first"
    )


@pytest.mark.parametrize(
    ("end", "message"),
    [
        ("14888", "the file ends in the middle of a row (1 cell of 3); fetch or export it again"),
        ("1488844,", "the file ends in the middle of a row (2 cells of 3)"),
        (
            "1488844,3,2005-0",
            "column date: '2005-0' is not a date; expected one such as 2005-09-06;"
            " the file ends in the middle of this row",
        ),
    ],
)
def test_files_that_end_in_a_row(tmp_path: Path, end: str, message: str) -> None:
    path = tmp_path / "combined_data_1.txt"
    path.write_text(f"8:\n{GOOD}{end}")
    assert error_of(path).startswith(f"PATH:3: {message}")


def test_missing_paths_and_folders(tmp_path: Path) -> None:
    expected = (
        "expected training_set/ with mv_*.txt, training_set.tar, or combined_data_*.txt, unpacked "
        "or in a zip"
    )
    assert error_of(tmp_path / "none") == f"PATH: no such file or folder; {expected}"
    assert error_of(tmp_path) == f"PATH: holds no Netflix Prize ratings; {expected}"
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr("README", "read me")
    assert error_of(tmp_path / "x") == f"PATH: holds no Netflix Prize ratings; {expected}"
    tarred(tmp_path / "y", {"README": b"read me"}, "w")
    assert error_of(tmp_path / "y") == f"PATH: holds no rows; {expected}"


def test_two_copies_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "a", per_film(ROWS))
    write(tmp_path / "b", per_film(ROWS))
    assert "name the one to read" in error_of(tmp_path)
    write(tmp_path / "c", {**per_film(ROWS), **combined(ROWS)})
    assert "holds both mv_*.txt and combined_data_*.txt" in error_of(tmp_path / "c")
    (tmp_path / "a" / "mv_0000001.txt.gz").write_bytes(gzip.compress(b"1:\n"))
    assert "mv_0000001.txt.gz: is also there as" in error_of(tmp_path / "a")
    for name in ("training_set.tar", "netflix.zip"):
        (tmp_path / "d").mkdir(exist_ok=True)
        (tmp_path / "d" / name).write_bytes(b"")
    assert error_of(tmp_path / "d") == (
        "PATH: holds netflix.zip, training_set.tar; name the one to read"
    )


def test_a_file_twice_in_a_tar_is_refused(tmp_path: Path) -> None:
    path = tarred(tmp_path / "x.tar", {"mv_0000001.txt": text_of(ROWS[:2]).encode()}, "w")
    with tarfile.open(path, "a") as tar:
        tar.addfile(tarfile.TarInfo("mv_0000001.txt"))
    assert "mv_0000001.txt: is also there as" in error_of(path)


def test_empty_files(tmp_path: Path) -> None:
    write(tmp_path, {"mv_0000001.txt": f"1:\n{GOOD}", "mv_0000002.txt": ""})
    assert error_of(tmp_path) == (
        "PATH/mv_0000002.txt: is empty and holds no rows; expected a line 123:"
    )
    (tmp_path / "films").write_text("1:\n2:\n")
    assert error_of(tmp_path / "films").startswith("PATH: holds no rows")


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("place", [in_tar, in_tar_gz, in_download, in_zip])
def test_truncated_archives(
    tmp_path: Path, place: Callable[[Path, Mapping[str, str]], Path], kept: float
) -> None:
    rows = [(n, n // 50 + 1, n % 5 + 1, 11000 + n * n % 2000) for n in range(2000)]
    path = place(tmp_path, per_film(rows))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    assert "cut short" in error_of(path)


def test_fingerprint_is_of_content_not_place(tmp_path: Path) -> None:
    here = NetflixSource(write(tmp_path / "here", per_film(ROWS)))
    there = write(tmp_path / "there" / "training_set", per_film(ROWS))
    assert here.fingerprint() == NetflixSource(there.parent).fingerprint()
    (there / "mv_0000001.txt").rename(there / "mv_0000003.txt")
    assert here.fingerprint() != NetflixSource(there).fingerprint()
