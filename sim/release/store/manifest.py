"""The manifest of a store: its contents, and the checksum of every file in it.

Invariant: a manifest is its own seal. It holds the SHA-256 of all else in it, which is compared
before anything in it is used; as it lists the checksum of every file, that one number, the store's
*identity*, stands for every byte of the store, and can be computed again from what lies there.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sim.errors import StoreError
from sim.files.digest import sha256
from sim.release.store.time_bins import TimeBin

SCHEMA = 10
NAME = "manifest.json"
_SEAL = "identity"
"""Key of the digest in the file."""

_FEW_BYTES = 1 << 20
"""Bytes up to which starting threads takes longer than they save."""

REBUILD = "delete the folder of the store, and it is built again"
"""Remedy for a store that has changed since it was written."""


@dataclasses.dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of a store.

    Parameters
    ----------
    source : str
        What it was built from, in words.
    input_fingerprint : str
        SHA-256 of the input and the options that change its rows.
    fingerprint : str
        SHA-256 of the canonical cells: the same release has the same one, whatever the file
        format, the order of its rows or the size of the blocks.
    n_duplicates : int
        Rows that became no cell of their own, as others have the same record and item.
    repeats : str
        The rule for these, see `sim.release.store.repeats.Repeats`.
    n_repeats : int
        Cells whose record holds the item in another cell too, the first of them not counted; 0
        unless the rule keeps them all.
    block_records : int
        Records in a block (the last may hold fewer).
    scale : list of float
        The distinct values, ascending; empty where the release has none.
    time_bin : str
        Width of the bins of time, as `sim.release.store.time_bins.TimeBin` writes it. Whatever is
        called a day here and in the cells is a bin of this width.
    first_day : int
        Number of the bin of day code 0; see `sim.release.store.time_bins`.
    n_days : int
        Bins from the first to the last, both included; 0 where the release has no times.
    missing_values, missing_days : int
        Cells without a value, without a time.
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
    repeats: str
    n_repeats: int
    block_records: int
    scale: list[float]
    time_bin: str
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
    def has_repeats(self) -> bool:
        """Whether any record holds an item in more than one cell."""
        return self.n_repeats > 0

    @property
    def has_values(self) -> bool:
        """Whether any cell carries a value."""
        return bool(self.scale)

    @property
    def has_days(self) -> bool:
        """Whether any cell carries a time."""
        return self.n_days > 0

    @property
    def bins(self) -> TimeBin:
        """The bins of time."""
        return TimeBin.parse(self.time_bin)

    @property
    def identity(self) -> str:
        """SHA-256 of everything above: two stores with the same one are the same store."""
        return _sealed(self._fields)

    @property
    def _fields(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def write(self, folder: Path) -> None:
        """Write into `folder`, flushed to the disk."""
        fields = self._fields
        with (folder / NAME).open("w", encoding="utf-8") as out:
            json.dump({_SEAL: _sealed(fields), **fields}, out, indent=1, sort_keys=True)
            out.flush()
            os.fsync(out.fileno())

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read from `folder`.

        Raises
        ------
        StoreError
            There is no manifest, it cannot be read, it was changed after it was written, or it is
            of another schema.
        """
        path = folder / NAME
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise StoreError(f"{folder}: not a store: it has no {NAME}") from None
        except (OSError, ValueError, RecursionError) as error:
            raise StoreError(f"{path}: cannot be read ({error}); {REBUILD}") from None
        if not isinstance(fields, dict) or fields.pop(_SEAL, None) != _sealed(fields):
            raise StoreError(
                f"{path}: does not match the digest in it, so it was changed after it was "
                f"written; {REBUILD}"
            )
        if fields.get("schema") != SCHEMA:
            raise StoreError(
                f"{path}: store schema {fields.get('schema')}, this version reads {SCHEMA}; "
                f"{REBUILD}"
            )
        names = {field.name for field in dataclasses.fields(cls)}
        if fields.keys() != names:
            unlike = ", ".join(sorted(fields.keys() ^ names))
            raise StoreError(f"{path}: not what a manifest holds ({unlike}); {REBUILD}")
        return cls(**fields)


def _sealed(fields: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of the fields of a manifest, however their file is laid out."""
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
    return path.is_file() and path.stat().st_size == size and sha256(path) == sha


def checksums(folder: Path, names: Iterable[str]) -> dict[str, list[Any]]:
    """Size and SHA-256 of files in `folder`, hashed in parallel, the largest first.

    Parameters
    ----------
    names : iterable of str
        Paths relative to `folder`.
    """
    sizes = {name: (folder / name).stat().st_size for name in sorted(names)}
    if sum(sizes.values()) <= _FEW_BYTES:
        return {name: [size, sha256(folder / name)] for name, size in sizes.items()}
    # One thread alone would end with the lists of records and items, each as large as many columns.
    ordered = sorted(sizes, key=lambda name: -sizes[name])
    with ThreadPoolExecutor() as pool:
        digests = pool.map(lambda name: sha256(folder / name), ordered)
        found = dict(zip(ordered, digests, strict=True))
    return {name: [size, found[name]] for name, size in sizes.items()}
