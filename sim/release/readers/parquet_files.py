"""Finds the parquet files of a folder and its sub-folders, and the columns in folder names.

Invariant: every file below a folder is found, in the order of the names, or is listed as not read,
except for hidden ones and those whose names begin with an underscore.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

from sim.errors import InputError
from sim.release.readers.textfile import reading

_SUFFIXES = (".parquet", ".parq", ".pq")
_MAGIC = b"PAR1"
_NULL = "__HIVE_DEFAULT_PARTITION__"
_LOGS = {"_delta_log": "a Delta table", ".hoodie": "a Hudi table", "metadata": "an Iceberg table"}
_LISTED = 5


@dataclass(frozen=True, slots=True)
class ParquetFile:
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


def parquet_files(path: Path) -> tuple[tuple[ParquetFile, ...], tuple[str, ...]]:
    """Return the parquet files at or below a path, and the names of other files there.

    Raises
    ------
    InputError
        There is none, a folder cannot be read, or it is a table that keeps deleted rows in its
        files.
    """
    if not path.is_dir():
        return (ParquetFile(path, path.name),), ()
    found: list[ParquetFile] = []
    others: list[str] = []
    for file, keys in _below(path, {}, set()):
        name = file.relative_to(path).as_posix()
        if file.suffix.lower() in _SUFFIXES or _begins_like_parquet(file):
            found.append(ParquetFile(file, name, keys))
        else:
            others.append(name)
    if not found:
        raise InputError(
            f"{path}: holds no parquet file; expected *.parquet in it or below, or name one file"
        )
    return tuple(found), tuple(others)


def listed(names: tuple[str, ...]) -> str:
    """Return the number of some files and the first of their names.

    Examples
    --------
    >>> listed(("a.csv", "b.csv"))
    '2: a.csv, b.csv'
    """
    more = ", ..." if len(names) > _LISTED else ""
    return f"{len(names)}: {', '.join(names[:_LISTED])}{more}"


def _below(
    folder: Path, keys: dict[str, str | None], seen: set[tuple[int, int]]
) -> Iterator[tuple[Path, dict[str, str | None]]]:
    """Yield the files below a folder, each folder once even where links lead back to it."""
    with reading(str(folder)):
        status = folder.stat()
        entries = sorted(folder.iterdir())
    if (status.st_dev, status.st_ino) in seen:
        return
    seen.add((status.st_dev, status.st_ino))
    for entry in entries:
        if entry.name in _LOGS and _is_log(entry):
            raise InputError(
                f"{folder}: is {_LOGS[entry.name]}, whose files may hold rows that were deleted; "
                "export it to plain parquet first"
            )
        name, is_key, value = entry.name.partition("=")
        if name.startswith(".") or (name.startswith("_") and not is_key):
            continue
        if entry.is_dir():
            read = {unquote(name): None if value == _NULL else unquote(value)} if is_key else {}
            yield from _below(entry, keys | read, seen)
        elif entry.is_file():
            yield entry, keys
        else:
            raise InputError(f"{entry}: is a link to nothing; remove it or put it right")


def _is_log(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    with reading(str(folder)):
        return folder.name != "metadata" or any(folder.glob("*.metadata.json"))


def _begins_like_parquet(file: Path) -> bool:
    with reading(str(file)), file.open("rb") as stream:
        return stream.read(len(_MAGIC)) == _MAGIC
