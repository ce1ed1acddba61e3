"""Reads the Netflix Prize ratings in both published layouts, unpacked or not.

Invariant: every row is a person, the film of the last ``123:`` line above it in the same file, one
to five whole stars and a day; anything else is an error that names its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sim.errors import InputError
from sim.release.readers.archives import FilesInput, TarInput, TextInput, ZipInput
from sim.release.readers.content_hash import content_hash
from sim.release.readers.locate import is_folder, kind_of_file, text_files, zip_members
from sim.release.readers.netflix_rows import parse, settle
from sim.release.readers.textfile import BLOCK_BYTES, LineBlock, line_blocks
from sim.release.store.cells import CellChunk
from sim.release.store.repeats import Repeats
from sim.release.store.threads import in_order, usable
from sim.release.store.time_bins import DAY
from sim.release.store.value_bins import UNBINNED

_PACKED = r"(?:\.gz|\.bz2|\.xz)?"
_PER_FILM = re.compile(r"mv_[0-9]+\.txt" + _PACKED)
_COMBINED = re.compile(r"combined_data_[0-9]+\.txt" + _PACKED)
_WANTED = re.compile(f"(?:{_PER_FILM.pattern})|(?:{_COMBINED.pattern})")
_TAR_NAME = r"\.(?:tar|tgz|tbz2?|txz|tar\.gz|tar\.bz2|tar\.xz)"
_INNER_TAR = re.compile(rf"training_set{_TAR_NAME}", re.IGNORECASE)
_ARCHIVE = re.compile(
    rf"(?:training_set|nf_prize_dataset|netflix[^/]*){_TAR_NAME}|.*\.zip", re.IGNORECASE
)
_EXPECTED = (
    "training_set/ with mv_*.txt, training_set.tar, or combined_data_*.txt, unpacked or in a zip"
)


class NetflixSource:
    r"""The ratings of the Netflix Prize.

    Parameters
    ----------
    path : Path
        A folder (or a folder above it) with `mv_*.txt` or `combined_data_*.txt`; their zip or tar,
        `training_set.tar` inside the downloaded tar included; or one of the files alone.
    block_bytes : int
        Bytes of text handled at once; never changes the rows.

    Raises
    ------
    InputError
        There are no such ratings, or two copies of them.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "combined_data_1.txt").write_text("8:\n1488844,3,2005-09-06\n")
    >>> [chunk] = NetflixSource(folder).chunks()
    >>> chunk.record, chunk.item, chunk.value, chunk.time
    (array([1488844]), array([8]), array([3.]), array([1125964800]))
    """

    repeats = Repeats.LATEST
    value_bins = UNBINNED
    time_bin = DAY

    def __init__(self, path: Path, *, block_bytes: int = BLOCK_BYTES) -> None:
        self._path = Path(path)
        self._input = _find(self._path)
        self._block_bytes = block_bytes
        self._size = self._input.size
        self._position = 0
        self._notes: dict[str, str | int] = {}
        self._found = "", 0
        """Layout and number of the files that were read."""

    @property
    def name(self) -> str:
        """Describe the source."""
        files = self._input.files
        holder = files[0][1]
        if not isinstance(self._input, FilesInput):
            return f"Netflix Prize {holder.name}"
        what = holder.name if len(files) == 1 else f"{len(files)} files"
        return f"Netflix Prize {what} in {holder.absolute().parent.name}"

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
        """SHA-256 (hex) of the files."""
        return content_hash("netflix", {}, self._input.files)

    def chunks(self) -> Iterator[CellChunk]:
        """Yield all rows in file order.

        Raises
        ------
        InputError
            A file cannot be read, or holds a row that is not a rating; or there are no rows.
        """
        self._position, self._notes, rows = 0, {}, 0
        item: int | None = None
        for batch, parsed in in_order(parse, self._batches(), usable()):
            chunk, item = settle(batch, parsed, item)
            rows += len(chunk)
            if len(chunk):
                yield chunk
        if not rows:
            raise InputError(f"{self._path}: holds no rows; expected {_EXPECTED}")
        kind, files = self._found
        self._notes = {"layout": f"Netflix Prize, {kind}", "files": files, "rows": rows}
        self._position = self._size

    def _batches(self) -> Iterator[list[LineBlock]]:
        """Gather the blocks of small files, of which there are thousands."""
        batch: list[LineBlock] = []
        held = 0
        for block in self._blocks():
            batch.append(block)
            held += len(block.data)
            if held >= self._block_bytes:
                yield batch
                batch, held = [], 0
        if batch:
            yield batch

    def _blocks(self) -> Iterator[LineBlock]:
        """Yield the lines of every file in turn."""
        kind = ""
        seen: dict[str, str] = {}
        for text in self._input.texts():
            name = text.label.rpartition("/")[2]
            stem = name.partition(".txt")[0]
            if stem in seen:
                raise InputError(f"{text.label}: is also there as {seen[stem]}; remove one")
            seen[stem] = text.label
            this = "one file per film" if _PER_FILM.fullmatch(name) else "combined"
            if kind not in ("", this):
                raise InputError(
                    f"{self._path}: holds both mv_*.txt and combined_data_*.txt; name the one to "
                    "read, or every row would count twice"
                )
            kind = this
            empty = True
            for block in line_blocks(text, self._block_bytes):
                empty = False
                self._position = text.position()
                yield block
            if empty:
                raise InputError(f"{text.label}: is empty and holds no rows; expected a line 123:")
        self._found = kind, len(seen)


def _find(path: Path) -> TextInput:
    """Return the input at `path`."""
    if not is_folder(path, _EXPECTED):
        return _in_file(path)
    found = text_files(path, _WANTED)
    if found:
        return FilesInput(_one_copy(path, found))
    archives = text_files(path, _ARCHIVE)
    if len(archives) > 1:
        names = ", ".join(str(file.relative_to(path)) for file in archives)
        raise InputError(f"{path}: holds {names}; name the one to read")
    if archives:
        return _in_file(archives[0])
    raise InputError(f"{path}: holds no Netflix Prize ratings; expected {_EXPECTED}")


def _in_file(path: Path) -> TextInput:
    kind = kind_of_file(path)
    if kind == "tar":
        return TarInput(path, _WANTED, _INNER_TAR)
    if kind != "zip":
        return FilesInput((path,))
    members = zip_members(path, _WANTED)
    if not members:
        raise InputError(f"{path}: holds no Netflix Prize ratings; expected {_EXPECTED}")
    folders = {name.rpartition("/")[0] for name in members}
    if len(folders) > 1:
        raise InputError(f"{path}: holds ratings in {len(folders)} folders; expected one copy")
    return ZipInput(path, tuple(sorted(members, key=_number)))


def _one_copy(path: Path, found: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the files in order, where they are one copy of the data."""
    folders = sorted({str(file.parent) for file in found})
    if len(folders) > 1:
        raise InputError(f"{path}: holds ratings in {', '.join(folders)}; name the one to read")
    return tuple(sorted(found, key=lambda file: _number(file.name)))


def _number(name: str) -> tuple[int, str]:
    """Order files by their number: combined_data_10.txt comes after combined_data_2.txt."""
    digits = re.search(r"_([0-9]+)\.txt", name)
    return (int(digits[1]) if digits else 0), name
