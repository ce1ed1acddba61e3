"""Reads MovieLens ratings as GroupLens publishes them: 100K, 1M, 10M, 20M, 25M, 32M, latest.

Invariant: every row is a person, a film, a rating of a half to five stars in half stars, and a
second since 1970; anything else is an error that names its line. Nothing is rescaled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.readers.archives import FilesInput, TextInput, ZipInput
from sim.release.readers.content_hash import content_hash
from sim.release.readers.date_reader import DateReader
from sim.release.readers.delimited import full_column, read_fast
from sim.release.readers.locate import (
    first_block,
    is_folder,
    kind_of_file,
    text_files,
    zip_members,
)
from sim.release.readers.strict_parser import (
    Column,
    number,
    read_strictly,
    shown,
    split_rows,
    whole_number,
)
from sim.release.readers.textfile import BLOCK_BYTES, LineBlock, line_blocks
from sim.release.store.cells import CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY, TimeBin
from sim.release.store.value_bins import UNBINNED

_WANTED = re.compile(r"(?:u\.data|ratings\.dat|ratings\.csv)(?:\.gz|\.bz2|\.xz)?")
_ZIP = re.compile(r".*\.zip", re.IGNORECASE)
_EXPECTED = "a MovieLens folder, its zip, or one of u.data, ratings.dat, ratings.csv"
_HEADER = "userId,movieId,rating,timestamp"
_NAMES = ("userId", "movieId", "rating", "timestamp")
_STARS = "expected 0.5 to 5 stars in half stars"
_FIRST_MOVIELENS = 315_532_800  # 1980-01-01: any second of MovieLens less a digit lies before it


@dataclass(frozen=True, slots=True)
class _Layout:
    name: str
    separator: str
    header: bool

    @property
    def step(self) -> int:
        """How far apart the cells lie when each character of the separator delimits."""
        return len(self.separator)


_LAYOUTS = (
    _Layout("ratings.csv", ",", header=True),
    _Layout("ratings.dat", "::", header=False),
    _Layout("u.data", "\t", header=False),
)


def _stars(cell: str) -> float:
    try:
        stars = number(cell)
    except ValueError as error:
        raise ValueError(f"{str(error).partition(';')[0]}; {_STARS}") from error
    if not (0 < stars <= 5 and stars * 2 == int(stars * 2)):
        raise ValueError(f"{shown(cell)} is not a rating; {_STARS}")
    return stars


def _second(cell: str) -> int:
    number(cell)  # a missing date is an error here
    return DateReader("s").cell(cell)


class MovieLensSource:
    r"""The ratings of a MovieLens data set.

    Parameters
    ----------
    path : Path
        The folder, the zip, or the file of ratings (plain or compressed). In a folder, `u.data`,
        `ratings.dat` or `ratings.csv` is looked for, then in its sub-folders, then in its zips.
    time_bin : TimeBin
        How times are put into bins.
    block_bytes : int
        Bytes of text handled at once; never changes the rows.

    Raises
    ------
    InputError
        There are no such ratings, or more than one file of them, or the layout is another.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "ratings.dat").write_text("1::1193::5::978300760\n")
    >>> [chunk] = MovieLensSource(folder).chunks()
    >>> chunk.record, chunk.item, chunk.value, chunk.time
    (array([1]), array([1193]), array([5.]), array([978300760]))
    """

    repeats = Repeats.LATEST
    value_bins = UNBINNED

    def __init__(
        self, path: Path, *, time_bin: TimeBin = DAY, block_bytes: int = BLOCK_BYTES
    ) -> None:
        self.time_bin = time_bin
        self._path = Path(path)
        self._input, self._file = _find(self._path)
        self._block_bytes = block_bytes
        self._layout = _recognise(self._input)
        self._size = self._input.size
        self._position = 0
        self._notes: dict[str, str | int] = {}

    @property
    def name(self) -> str:
        """Describe the source."""
        holder = self._input.files[0][1]
        inside = holder.name if isinstance(self._input, ZipInput) else holder.absolute().parent.name
        return f"MovieLens {self._file} in {inside}"

    @property
    def size(self) -> int:
        """Bytes to read."""
        return self._size

    def position(self) -> int:
        """Bytes read so far."""
        return min(self._position, self._size)

    def notes(self) -> Mapping[str, str | int]:
        """What was recognised; complete after `chunks`."""
        return dict(self._notes)

    def fingerprint(self) -> str:
        """SHA-256 (hex) of the file, its layout and the bins of time."""
        options = {"time_bin": str(self.time_bin)}
        return content_hash(f"movielens {self._layout.name}", options, self._input.files)

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows in file order.

        Raises
        ------
        InputError
            The file cannot be read, holds no rows, or holds a row that is not a rating.
        """
        self._position, rows = 0, 0
        self._notes = {"layout": f"MovieLens {self._layout.name}"}
        for text in self._input.texts():
            for block in line_blocks(text, self._block_bytes):
                body = block.after_line(1) if self._layout.header else block
                chunk = self._read(body)
                self._position = text.position()
                if len(chunk):
                    self._note_end(body, chunk)
                    rows += len(chunk)
                    yield chunk
        if not rows:
            raise InputError(f"{self._path}: holds no rows; expected MovieLens ratings")
        self._position = self._size
        self._notes["rows"] = rows

    def _read(self, block: LineBlock) -> CellChunk:
        step = self._layout.step
        types = (pa.int64(), pa.int64(), pa.float64(), pa.float64())
        cells = (whole_number, whole_number, _stars, _second)
        columns = [
            Column(name, index * step, kind, cell)
            for index, (name, kind, cell) in enumerate(zip(_NAMES, types, cells, strict=True))
        ]
        fields = 3 * step + 1
        void = [index for index in range(fields) if index % step]
        delimiter = self._layout.separator[0]
        fast = read_fast(block.data, columns, fields, delimiter, void=void)
        chunk = None if fast is None else _checked([full_column(column) for column in fast])
        if chunk is not None:
            return chunk
        columns = [
            Column(name, index, kind, cell)
            for index, (name, kind, cell) in enumerate(zip(_NAMES, types, cells, strict=True))
        ]
        users, items, stars, seconds = read_strictly(
            block, split_rows(block, self._layout.separator), columns, _NAMES
        )
        return CellChunk(
            np.array(users, np.int64),
            np.array(items, np.int64),
            np.array(stars, np.float64),
            np.array(seconds, np.int64),
        )

    def _note_end(self, block: LineBlock, chunk: CellChunk) -> None:
        if not block.cut_off:
            return
        assert chunk.time is not None
        if chunk.time[-1] < _FIRST_MOVIELENS:
            raise InputError(
                f"{block.label}:{block.last_line}: column timestamp: the file ends in the middle "
                "of this row (no line end, and a date before MovieLens); fetch it again"
            )
        self._notes["last line"] = "has no line end; taken as whole"


def _checked(columns: list[NDArray[np.generic] | None]) -> CellChunk | None:
    """Return the columns as a chunk, or None where a cell is missing or out of range."""
    users, items, stars, raw = columns
    if users is None or items is None or stars is None or raw is None:
        return None
    halves = stars.astype(np.float64) * 2
    if not ((halves > 0) & (halves <= 10) & (halves == np.floor(halves))).all():
        return None
    seconds = DateReader("s").values(raw.astype(np.float64, copy=False))
    if seconds is None:
        return None
    return CellChunk(users.astype(np.int64), items.astype(np.int64), halves / 2, seconds)


def _find(path: Path) -> tuple[TextInput, str]:
    """Return the input at `path` and the name of its file of ratings."""
    if not is_folder(path, _EXPECTED):
        if kind_of_file(path) != "zip":
            return FilesInput((path,)), path.name
        return _in_zip(path, zip_members(path, _WANTED))
    found = text_files(path, _WANTED)
    if found:
        _only_one(path, [str(file.relative_to(path)) for file in found])
        return FilesInput(found), found[0].name
    zips = [(file, zip_members(file, _WANTED)) for file in text_files(path, _ZIP)]
    zips = [(file, members) for file, members in zips if members]
    if not zips:
        raise InputError(
            f"{path}: holds no MovieLens ratings; expected u.data, ratings.dat or ratings.csv in "
            "it, in a sub-folder or in a zip"
        )
    _only_one(path, [str(file.relative_to(path)) for file, _ in zips])
    return _in_zip(*zips[0])


def _in_zip(path: Path, members: tuple[str, ...]) -> tuple[TextInput, str]:
    if not members:
        raise InputError(
            f"{path}: holds no MovieLens ratings; expected u.data, ratings.dat or ratings.csv in it"
        )
    _only_one(path, list(members))
    return ZipInput(path, members), members[0].rpartition("/")[2]


def _only_one(path: Path, names: list[str]) -> None:
    if len(names) > 1:
        raise InputError(f"{path}: holds {', '.join(names)}; name the one to read")


def _recognise(source: TextInput) -> _Layout:
    """Return the layout that the first line shows."""
    block = first_block(source, "MovieLens ratings")
    first = block.data.partition(b"\n")[0].rstrip(b"\r").decode("utf-8", "replace")
    if first == _HEADER:
        return _LAYOUTS[0]
    for layout in _LAYOUTS[1:]:
        if layout.separator in first:
            return layout
    raise InputError(
        f"{block.label}:1: {shown(first)} begins none of the MovieLens layouts; expected the "
        f"header {_HEADER}, or a row such as 1::1193::5::978300760 or the same with tabs (any "
        "other table: name its columns)"
    )
