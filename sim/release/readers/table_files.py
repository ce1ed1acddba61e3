"""Finds the files of a table: one file, or those of a folder and its sub-folders.

Invariant: every file below a folder is found, in the order of the names, or is listed as not read,
except for what programs that write tables put beside them, such as sums of their bytes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from sim.errors import InputError
from sim.release.readers.locate import PARQUET_MAGIC, is_folder, kind_of_file
from sim.release.readers.textfile import reading

EXPECTED = (
    "a file of delimited text with a header, a parquet or JSON file, or a folder of such files"
)
"""What a table may be."""

_PARQUET = (".parquet", ".parq", ".pq")
_TEXT = re.compile(
    r"(?i)part[-_]?\d.*|.*\.(csv|tsv|psv|tab|json|jsonl|ndjson)(\.(gz|bz2|xz|zst|zip))?"
)
_OTHER_TEXT = re.compile(r"(?i).*\.(txt|dat|data)(\.(gz|bz2|xz|zst|zip))?")
_NULL = "__HIVE_DEFAULT_PARTITION__"
_LOGS = {"_delta_log": "a Delta table", ".hoodie": "a Hudi table", "metadata": "an Iceberg table"}
_MARKER = re.compile(r"_SUCCESS|_(committed|started)_\d+")
"""Names of the empty files with which programs say that a table is whole."""
_SUMS = re.compile(r"\.(.+)\.crc")
_SUMS_MAGIC, _OF_A_SUM = b"crc\0", 512
"""How a file of sums by Hadoop begins, and of how many bytes each sum is."""
_NO_SUMS = " (no sums of a file beside it, as Spark writes them)"
_LISTED = 5
_NO_NAME = "(no name: an index? pandas writes none with index=False)"


@dataclass(frozen=True, slots=True)
class TableFile:
    """A file with rows.

    Parameters
    ----------
    name : str
        Its path below the folder that was asked for.
    keys : dict of str to str or None
        The columns that the names of its folders give, such as ``year=2009``; None is a null.
    """

    path: Path
    name: str
    keys: dict[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TableFiles:
    """The files of a table.

    Parameters
    ----------
    kind : {"parquet", "text"}
        Of all of them.
    files : tuple of TableFile
        In the order of their rows.
    others : tuple of str
        Names of files in the folder that are not read, and of folders that hold none, with a
        slash.
    folder : bool
        Whether a folder was asked for.
    """

    kind: str
    files: tuple[TableFile, ...]
    others: tuple[str, ...] = ()
    folder: bool = False


def table_files(path: Path) -> TableFiles:
    """Return the files of the table at a path.

    Of a folder they are the parquet files; without such, the csv and tsv files, compressed or not,
    and parts without a suffix; without such, other files of text.

    Raises
    ------
    InputError
        There is none, a folder cannot be read, or it is a table that keeps deleted rows in its
        files.
    """
    if not is_folder(path, EXPECTED):
        kind = "parquet" if kind_of_file(path) == "parquet" else "text"
        return TableFiles(kind, (TableFile(path, path.name),))
    others: list[str] = []
    every = [
        TableFile(file, file.relative_to(path).as_posix(), keys)
        for file, keys in _below(path, {}, set(), others)
    ]
    unseen = tuple(other.removeprefix(f"{path}/") for other in others)

    def found(kind: str, files: list[TableFile]) -> TableFiles:
        names = {file.name for file in files}
        not_read = tuple(file.name for file in every if file.name not in names)
        return TableFiles(kind, tuple(files), not_read + unseen, folder=True)

    parquet = [
        file
        for file in every
        if file.path.suffix.lower() in _PARQUET or _begins_like_parquet(file.path)
    ]
    if parquet:
        return found("parquet", parquet)
    for wanted in (_TEXT, _OTHER_TEXT):
        text = [file for file in every if wanted.fullmatch(file.path.name) and _holds(file.path)]
        if text:
            return found("text", text)
    raise InputError(
        f"{path}: holds no parquet or csv file; expected *.parquet or *.csv in it or below, or "
        "name one file"
    )


def listed(names: tuple[str, ...], most: int = _LISTED) -> str:
    """Return the number of some files or columns and the first of their names.

    Examples
    --------
    >>> listed(("a.csv", "b.csv")), listed(("",))
    ('2: a.csv, b.csv', '1: (no name: an index? pandas writes none with index=False)')
    """
    more = ", ..." if len(names) > most else ""
    return f"{len(names)}: {', '.join(name or _NO_NAME for name in names[:most])}{more}"


def key_of(folder: str) -> dict[str, str | None]:
    """Return the column that the name of a folder gives, with its value; empty: it gives none.

    Examples
    --------
    >>> key_of("year=2009"), key_of("year=__HIVE_DEFAULT_PARTITION__"), key_of("north")
    ({'year': '2009'}, {'year': None}, {})
    """
    name, is_key, value = folder.partition("=")
    return {unquote(name): None if value == _NULL else unquote(value)} if is_key else {}


def _below(
    folder: Path, keys: dict[str, str | None], seen: set[tuple[int, int]], others: list[str]
) -> Iterator[tuple[Path, dict[str, str | None]]]:
    """Yield the files below a folder, each folder once even where links lead back to it.

    Append what is not read: files that are hidden by their name or that of their folder, and
    folders that hold nothing.
    """
    with reading(str(folder)):
        status = folder.stat()
        entries = sorted(folder.iterdir())
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    if not entries:
        others.append(f"{folder}/")
    for entry in entries:
        if entry.name in _LOGS and _is_log(entry):
            raise InputError(
                f"{folder}: is {_LOGS[entry.name]}, whose files may hold rows that were deleted; "
                "export it to plain parquet first"
            )
        key = key_of(entry.name)
        if entry.name.startswith(".") or (entry.name.startswith("_") and not key):
            others += _hidden(entry)
            continue
        if entry.is_dir():
            yield from _below(entry, keys | key, seen, others)
        elif entry.is_file():
            yield entry, keys
        else:
            raise InputError(f"{entry}: is a link to nothing; remove it or put it right")


def _is_log(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    with reading(str(folder)):
        return folder.name != "metadata" or any(folder.glob("*.metadata.json"))


def _hidden(entry: Path) -> Iterator[str]:
    """Yield what a file or a folder holds, but for what programs put beside tables."""
    if entry.is_symlink() or not entry.is_dir():  # a link may lead back to the folder
        if not _is_marker(entry) and not _holds_sums(entry):
            sums = _NO_SUMS if _SUMS.fullmatch(entry.name) else ""
            yield f"{entry}{sums}"
        return
    try:
        within = sorted(entry.iterdir())
    except OSError:  # nothing in it is read anyway
        within = []
    if not within:
        yield f"{entry}/"
    for one in within:
        yield from _hidden(one)


def _is_marker(file: Path) -> bool:
    return _MARKER.fullmatch(file.name) is not None and file.is_file() and not _holds(file)


def _holds_sums(file: Path) -> bool:
    """Whether a file is empty or holds the sums of one beside it, and has the size for no more."""
    name = _SUMS.fullmatch(file.name)
    summed = None if name is None else file.with_name(name[1])
    if summed is None or not summed.is_file() or not file.is_file():
        return False
    if not _holds(file):
        return True
    with reading(str(file)), file.open("rb") as stream:
        sums = -(-summed.stat().st_size // _OF_A_SUM)
        return stream.read(4) == _SUMS_MAGIC and file.stat().st_size == 8 + 4 * sums


def _begins_like_parquet(file: Path) -> bool:
    with reading(str(file)), file.open("rb") as stream:
        return stream.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC


def _holds(file: Path) -> bool:
    """Whether a part holds anything: an empty one has no header either."""
    with reading(str(file)):
        return file.stat().st_size > 0
