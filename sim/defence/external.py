"""A release that another tool has made, beside the original (spec §11)."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.adversary.linkage import IDENTIFIERS, NEW, Linkage
from sim.adversary.linkage_table import read_pairs
from sim.adversary.matching import match
from sim.adversary.own_cells_kept import shares_kept
from sim.adversary.publisher import Publisher
from sim.defence.cells import Cells, ReleaseStats
from sim.defence.defence import Defence
from sim.errors import ConfigError, GridError, InputError
from sim.extend.options import constant, option
from sim.numeric.text import format_percent
from sim.release.readers.table_options import TableOptions
from sim.release.store.accounts import BINS, DISTINCT
from sim.release.store.cells import CellChunk, Source
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_spans import TimeSpan
from sim.release.store.value_bins import UNBINNED, in_bins

Pairs = tuple[tuple[str, str], ...]

_MORE_THAN_OTHERS = 1.2
"""How many times more of people's items their own records hold than others', at least."""

log = logging.getLogger("standout")


@dataclass(frozen=True, kw_only=True)
class External(Defence):
    """Attacks a release that another tool has made from the original.

    Facts come from the original, and the file is attacked: a table with a row per cell, read as the
    original is. Whose its records are says a table of people and records, in which a person may
    have several records or none; without it, identifiers that are the same are the same person's.
    What its items stand for is said in the same way. No attack reads these tables.

    What an attacker knows of the tool is not known, unless it is stated that values and dates were
    moved by a uniform noise.
    """

    name: ClassVar[str] = "external"
    summary: ClassVar[str] = "attacks a release that another tool made from the data"
    paths: ClassVar[tuple[str, ...]] = ("path", "truth", "items")

    path: str | None = option(
        None,
        help="the release: csv or parquet, with the columns of the data",
        null="it must be given",
    )
    # Its columns and the format of its dates are those of the data (or user, item, value and time),
    # which it is written in place of.
    user: str | None = constant(None)
    item: str | None = constant(None)
    value: str | None = constant(None)
    date: str | None = constant(None)
    date_format: str | None = constant(None)
    truth: str | None = option(
        None,
        help="table of its people and their records: columns person and record",
        null="same identifiers",
    )
    # Columns of these tables, which are written for this alone, and of no other name than here.
    truth_person: str = constant("person")
    truth_record: str = constant("record")
    items: str | None = option(
        None,
        help="table of items and what stands for them: columns item and released",
        null="same identifiers",
    )
    items_item: str = constant("item")
    items_released: str = constant("released")
    value_noise: float | None = option(
        None, help="it is public that values were moved by at most this", null="not stated",
        minimum=0,
    )  # fmt: skip
    date_noise: int | str | None = option(
        None, help="it is public that dates were moved by at most this", null="not stated"
    )

    def check(self) -> None:
        """See `Options.check`."""
        TableOptions(date_format=self.date_format, group=self.group)
        if self.date_noise is None:
            return
        try:
            TimeSpan.parse(self.date_noise)
        except ConfigError as error:
            raise ConfigError(f"{self.group}.date_noise: {self.date_noise}: {error}") from None

    def check_release(self, release: ReleaseStats) -> None:
        """See `Defence.check_release`."""
        if self.path is None:
            raise ConfigError(f"{self.group}.path: not given; set it to the release to attack")
        if self.date_noise is not None:
            misfit = TimeSpan.parse(self.date_noise).misfit(release.time_bin)
            if misfit:
                raise GridError(f"{self.group}.date_noise: {self.date_noise}: {misfit}")

    def apply(self, cells: Cells, release: ReleaseStats) -> Cells:
        """Not done: the other tool has done it."""
        raise NotImplementedError

    def disclosed(self, publisher: Publisher, release: ReleaseStats) -> Publisher | None:
        """See `Defence.disclosed`; what is not stated is not known."""
        if self.value_noise is None and self.date_noise is None:
            return None
        bins = TimeSpan.parse(self.date_noise or 0).bins(release.time_bin) or 0
        noise = self.value_noise or 0.0
        return replace(publisher, value_noise=noise, date_noise=bins, blanks=True)

    def columns(self) -> dict[str, str]:
        """Return the columns of the release that are chosen, by what they hold."""
        given = {"user": self.user, "item": self.item, "value": self.value, "date": self.date}
        return {role: name for role, name in given.items() if name is not None}


ReadRelease = Callable[[External], Source]
"""Reads the table of a release as the original was read."""


@dataclass(slots=True, eq=False)
class ExternalSource:
    """The cells of another tool's release, every row a cell, in the original's bins.

    Parameters
    ----------
    table : Source
        The release as it lies in its file.
    original : Store
    truth, items : tuple of (str, str), or None
        Rows of the tables of people and of items; None: identifiers are the same.
    """

    external: External
    table: Source
    original: Store
    truth: Pairs | None = None
    items: Pairs | None = None
    repeats: ClassVar[Repeats] = Repeats.CELLS
    value_bins: Any = field(default=UNBINNED, init=False)

    @classmethod
    def of(cls, external: External, original: Store, read: ReadRelease) -> ExternalSource:
        """Read the tables of a defence, but not the release yet.

        Raises
        ------
        InputError
            One of them cannot be read.
        """
        options, found = TableOptions(group=external.group), []
        for path, first, second in (
            (external.truth, external.truth_person, external.truth_record),
            (external.items, external.items_item, external.items_released),
        ):
            found.append(
                None if path is None else tuple(read_pairs(Path(path), first, second, options))
            )
        return cls(external, read(external), original, *found)

    @property
    def name(self) -> str:
        """Description of the source."""
        return f"{self.original.source}, {Path(self.external.path or '').name}"

    @property
    def size(self) -> int:
        """See `Source.size`."""
        return self.table.size

    @property
    def time_bin(self) -> Any:
        """See `Source.time_bin`: that of the original."""
        return self.original.manifest.bins

    def position(self) -> int:
        """See `Source.position`."""
        return self.table.position()

    def fingerprint(self) -> str:
        """SHA-256 (hex) over the release, the original, and the tables that link them."""
        text = repr(
            (
                *("standout-external-1", self.table.fingerprint()),
                *(self.original.manifest.fingerprint, self.truth, self.items),
            )
        )
        return hashlib.sha256(text.encode()).hexdigest()

    def notes(self) -> Mapping[str, Any]:
        """See `Source.notes`."""
        before = self.original.manifest.notes
        return {
            **self.table.notes(),
            **{name: before[name] for name in (BINS, DISTINCT) if name in before},
            "fingerprint of the data before the defences": self.original.manifest.fingerprint,
            "defences": self.external.name,
            IDENTIFIERS: NEW,
        }

    def chunks(self) -> Iterator[CellChunk]:
        """See `Source.chunks`; values are in the bins of the original's."""
        bins = self.original.manifest.notes.get(BINS)
        for chunk in self.table.chunks():
            if bins is None or chunk.value is None or not self.original.scale.size:
                yield chunk
                continue
            known = ~np.isnan(chunk.value)
            value = chunk.value.copy()
            value[known] = in_bins(value[known], self.original.scale, str(bins))
            yield replace(chunk, value=value)

    def linkage(self, released: Store) -> Linkage:
        """Link the release with the original.

        Raises
        ------
        InputError
            A record is said to be two people's, or an item two things.
        GridError
            Nobody has a record, or no item is there.
        """
        where = f"{self.external.group}.truth"
        if self.truth is None:
            record = match(released.records, self.original.records)
        else:
            who, which = _numbers(self.truth, self.original.records, released.records, where)
            record = _once(which, who, len(released.records), f"{where}: record", released.records)
        if not (record >= 0).any():
            raise GridError(
                f"{where}: {self.external.truth or 'not given'}: nobody of the original has a "
                "record in the release; give a table of people and records, with the identifiers "
                "that these have in the two files"
            )
        where = f"{self.external.group}.items"
        if self.items is None:
            item = match(self.original.items, released.items)
        else:
            what, into = _numbers(self.items, self.original.items, released.items, where)
            n_items = len(self.original.items)
            item = _once(what, into, n_items, f"{where}: item", self.original.items)
        if not (item >= 0).any():
            raise GridError(
                f"{where}: {self.external.items or 'not given'}: no item of the original is in the "
                "release; give a table of items and what stands for them"
            )
        found = Linkage(record=record, item=item)
        self._check(released, found)
        return found

    def _check(self, released: Store, found: Linkage) -> None:
        """Check that people's records have more of their cells than of other people's."""
        if self.original.manifest.n_records == 1:
            return
        own, others = shares_kept(self.original, released, found)
        if own > _MORE_THAN_OTHERS * others:
            return
        key = f"{self.external.group}.truth"
        what = (
            f"the records hold {format_percent(own)} of the items of the people whose they are "
            f"said to be, and {format_percent(others)} of those of other people"
        )
        if self.truth is None:
            raise InputError(
                f"{key}: not given, and identifiers that are the same are not the same person's: "
                f"{what}; give a table of people and records"
            )
        log.warning("%s: check the table: %s.", key, what)


def _numbers(
    pairs: Pairs, first: Any, second: Any, key: str
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of the pairs of identifiers that are both known; others are logged."""
    ones, others = (
        match(pa.array(column, pa.large_string()), known)
        for column, known in zip(zip(*pairs, strict=True), (first, second), strict=True)
    )
    both = (ones >= 0) & (others >= 0)
    if not both.all():
        log.warning(
            "%s: %s of %s rows are left out: %s are not in the data, %s not in the release",
            key,
            *(f"{int(np.count_nonzero(~both)):,}", f"{both.size:,}"),
            *(f"{int(np.count_nonzero(found < 0)):,}" for found in (ones, others)),
        )
    return ones[both], others[both]


def _once(
    key: NDArray[np.int64], value: NDArray[np.int64], size: int, what: str, names: Any
) -> NDArray[np.int64]:
    """The one value of every key; −1 for none."""
    found = np.full(size, -1, np.int64)
    found[key] = value
    differ = np.flatnonzero(found[key] != value)
    if differ.size:
        at = int(key[differ[0]])
        raise InputError(
            f"{what} {names[at].as_py()!r} is listed with two others; expected one for each"
        )
    return found


def accounts(original: Store, released: Store, linkage: Linkage) -> dict[str, int]:
    """Count what a release holds of the original.

    Returns
    -------
    dict of str to int
        ``people`` with a record, ``records``, ``unlinked`` ones (of no known person), ``items`` of
        the original that something stands for, ``cells``, and ``theirs``, these people's cells in
        the original.
    """
    own = linkage.record[linkage.record >= 0]
    people = np.unique(own)
    return {
        "people": int(people.size),
        "records": released.manifest.n_records,
        "unlinked": released.manifest.n_records - int(own.size),
        "items": int(np.count_nonzero(linkage.item >= 0)),
        "cells": released.manifest.n_cells,
        "theirs": int(original.length[people].sum()),
    }
