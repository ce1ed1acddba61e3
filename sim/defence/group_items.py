"""Items are put into groups, by a table of items and groups (spec §11)."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sim.adversary.linkage_table import read_pairs
from sim.adversary.matching import match
from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError, GridError, InputError
from sim.extend.options import constant, option
from sim.release.readers.table_options import TableOptions


@dataclass(frozen=True, kw_only=True)
class GroupItems(Defence):
    """Publishes the group of each item in its place, such as the genre of a film.

    The table has a row for each item. An item that it lacks keeps its identifier, and is in the
    group of that name if there is one; how many these are is reported. Cells of one record in one
    group are repeats, each kept. The attacker knows the table, and takes a fact about an item as
    one about its group.
    """

    name: ClassVar[str] = "group_items"
    summary: ClassVar[str] = "publishes the group of each item in its place"
    paths: ClassVar[tuple[str, ...]] = ("mapping",)

    mapping: str | None = option(
        None, help="table (csv, parquet) of items and their groups", null="it must be given"
    )
    # Columns of that table, which is written for this alone.
    item: str = constant("item")
    group_name: str = constant("group")

    def check_release(self, release: ReleaseStats) -> None:  # noqa: ARG002
        """See `Defence.check_release`."""
        if self.mapping is None:
            raise ConfigError(
                f"{self.group}.mapping: not given; set it to a table with the columns "
                f"{self.item!r} and {self.group_name!r}"
            )

    def _table(self) -> Mapping[str, str]:
        assert self.mapping is not None
        path = Path(self.mapping).expanduser()
        return _read(path, self.item, self.group_name, self.group, _modified(path))

    def grouped(self, names: Any, release: ReleaseStats) -> Any:
        """See `Defence.grouped`.

        Raises
        ------
        InputError
            The table cannot be read, or gives an item two groups.
        GridError
            It has none of the items.
        """
        place = self._places(names)
        if not ((place >= 0) & (release.support > 0)).any():
            raise GridError(
                f"{self.group}.mapping: {self.mapping}: has none of the release's items; check "
                f"that its column {self.item!r} has their identifiers"
            )
        groups = pa.array(list(self._table().values()), pa.large_string())
        return _chosen(place, groups, names.cast(pa.large_string()))

    def ungrouped(self, names: Any, release: ReleaseStats) -> int:
        """See `Defence.ungrouped`."""
        return int(np.count_nonzero((self._places(names) < 0) & (release.support > 0)))

    def _places(self, names: Any) -> NDArray[np.int64]:
        """The row of each item in the table; −1 for none."""
        return match(names, pa.array(list(self._table()), pa.large_string()))

    def identity(self) -> str:
        """See `Defence.identity`: the table, wherever it lies."""
        text = repr(list(self._table().items()))
        return hashlib.sha256(text.encode()).hexdigest()

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:  # noqa: ARG002
        """See `Defence.apply`; `grouped` says what becomes of items."""
        return cells

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher:  # noqa: ARG002
        """See `Defence.disclosed`."""
        return replace(publisher, groups_items=True)


def _chosen(place: NDArray[np.int64], groups: Any, names: Any) -> Any:
    """The group of each item, or its own name where it has none."""
    of_each = groups.take(pa.array(np.maximum(place, 0), mask=place < 0))
    return pc.coalesce(of_each, names)


def _modified(path: Path) -> int:
    """When a file was changed, so that it is read again then; 0 where that is not known."""
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


@functools.lru_cache(maxsize=8)
def _read(path: Path, item: str, group: str, key: str, modified: int) -> Mapping[str, str]:  # noqa: ARG001
    table: dict[str, str] = {}
    for which, into in read_pairs(path, item, group, TableOptions(group=key)):
        known = table.setdefault(which, into)
        if known != into:
            raise InputError(
                f"{path}: item {which!r} has two groups, {known!r} and {into!r}; keep one"
            )
    return table
