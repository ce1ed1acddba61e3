"""The manifest of a store: what it holds, and the checksum of every file in it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sim.errors import StoreError

SCHEMA = 1
NAME = "manifest.json"


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    """What a store holds.

    Parameters
    ----------
    source : str
        What it was built from, in words.
    input_fingerprint : str
        SHA-256 of the input and the options that change its rows.
    fingerprint : str
        SHA-256 of the canonical cells: the same release has the same one, whatever the file
        format, the order of its rows or the size of the blocks.
    n_records, n_items, n_cells : int
    n_duplicates : int
        Rows dropped because a later row has the same record and item.
    block_records : int
        Records in a block (the last may hold fewer).
    scale : list of float
        The distinct values, ascending; empty where the release has none.
    first_day : int
        Days since 1970-01-01 of day code 0.
    n_days : int
        Days from the first to the last, both included; 0 where the release has no dates.
    missing_values, missing_days : int
        Cells without a value, without a day.
    notes : dict
        What the source recognised, defaulted or dropped.
    files : dict of str to [int, str]
        Size in bytes and SHA-256 of each file, by its path in the store.
    """

    source: str
    input_fingerprint: str
    fingerprint: str
    n_records: int
    n_items: int
    n_cells: int
    n_duplicates: int
    block_records: int
    scale: list[float]
    first_day: int
    n_days: int
    missing_values: int
    missing_days: int
    notes: dict[str, Any]
    files: dict[str, list[Any]]
    schema: int = SCHEMA

    @property
    def n_blocks(self) -> int:
        """Number of record blocks."""
        return -(-self.n_records // self.block_records)

    @property
    def has_values(self) -> bool:
        """Whether any cell carries a value."""
        return bool(self.scale)

    @property
    def has_days(self) -> bool:
        """Whether any cell carries a day."""
        return self.n_days > 0

    @property
    def identity(self) -> str:
        """SHA-256 of all that a scan can tell two stores apart by: the same one, the same files."""
        told = [self.schema, self.fingerprint, self.block_records, sorted(self.files.items())]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Write into `folder`, flushed to the disk."""
        with (folder / NAME).open("w", encoding="utf-8") as out:
            json.dump(dataclasses.asdict(self), out, indent=1, sort_keys=True)
            out.flush()
            os.fsync(out.fileno())

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read from `folder`.

        Raises
        ------
        StoreError
            There is no manifest, it cannot be read, or it is of another schema.
        """
        path = folder / NAME
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            schema = fields["schema"]
        except FileNotFoundError:
            raise StoreError(f"{folder}: not a store: it has no {NAME}") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise StoreError(f"{path}: cannot be read ({error}); delete the store") from None
        if schema != SCHEMA:
            raise StoreError(
                f"{path}: store schema {schema}, this version reads {SCHEMA}; delete the store"
            )
        return cls(**fields)


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def is_whole(path: Path, expected: list[Any]) -> bool:
    """Whether a file is there with the size and the SHA-256 that a manifest states.

    Raises
    ------
    OSError
        It is there and cannot be read.

    Examples
    --------
    >>> is_whole(Path("nowhere"), [0, "e3b0"])
    False
    """
    size, sha = expected
    return path.is_file() and path.stat().st_size == size and digest(path) == sha


def checksums(folder: Path, names: Iterable[str]) -> dict[str, list[Any]]:
    """Size and SHA-256 of files in `folder`, hashed in parallel.

    Parameters
    ----------
    folder : Path
    names : iterable of str
        Paths relative to `folder`.

    Returns
    -------
    dict of str to [int, str]
    """
    ordered = sorted(names)
    with ThreadPoolExecutor() as pool:
        digests = pool.map(lambda name: digest(folder / name), ordered)
        return {n: [(folder / n).stat().st_size, d] for n, d in zip(ordered, digests, strict=True)}
