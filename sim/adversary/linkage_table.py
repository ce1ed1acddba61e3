"""The linkage table: the record of each person in the release."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from sim.errors import InputError
from sim.release.readers.column_choice import ColumnChoice, Names
from sim.release.readers.table import TableSource
from sim.release.readers.table_options import TableOptions
from sim.release.store.accounts import DROPPED

log = logging.getLogger("standout")

AS_WRITTEN = TableOptions(group="adversary")
"""Everything about how cells are written is found out."""


def read_linkage_table(
    path: Path,
    person: Names,
    record: str,
    options: TableOptions = AS_WRITTEN,
) -> dict[str, str]:
    r"""Read a table of people and their records.

    Parameters
    ----------
    path : Path
        Delimited text or parquet; see `sim.release.readers.table.TableSource`.
    person, record : str
        Columns of the person (one, or several) and of the identifier of the record.
    options : TableOptions
        How its cells are written, and what is done with rows without a person or a record.

    Returns
    -------
    dict of str to str
        Identifiers as text.

    Raises
    ------
    InputError
        The table cannot be read, gives a person two different records, or a record two people.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "truth.csv"
    >>> _ = path.write_text("who,user\nann,17\nbob,4\n")
    >>> read_linkage_table(path, "who", "user")
    {'ann': '17', 'bob': '4'}
    """
    truth: dict[str, str] = {}
    owner: dict[str, str] = {}
    for who, which in read_pairs(path, person, record, options):
        known = truth.setdefault(who, which)
        if known != which:
            raise InputError(
                f"{path}: {_named(person)} {who!r} has two records, {known!r} and {which!r}; "
                "keep the right one"
            )
        other = owner.setdefault(which, who)
        if other != who:
            raise InputError(
                f"{path}: {record} {which!r} is said to be that of {other!r} and of {who!r}; keep "
                "the right one"
            )
    return truth


def read_pairs(
    path: Path, first: Names, second: str, options: TableOptions = AS_WRITTEN
) -> Iterator[tuple[str, str]]:
    """Yield two columns of a table, row by row, as text.

    Parameters
    ----------
    path, options : see `read_linkage_table`
    first, second : str
        Columns.

    Raises
    ------
    InputError
        The table cannot be read.
    """
    source = TableSource(path, ColumnChoice(first, second, group=options.group), options)
    for chunk in source.chunks():
        yield from zip(
            *(
                (ids if isinstance(ids, pa.Array) else pa.array(np.asarray(ids)))
                .cast(pa.large_string())
                .to_pylist()
                for ids in (chunk.record, chunk.item)
            ),
            strict=True,
        )
    dropped = source.notes().get(DROPPED)
    if dropped:
        log.warning("%s: %s %s", path, dropped, DROPPED)


def _named(columns: Names) -> str:
    return columns if isinstance(columns, str) else "+".join(columns)
