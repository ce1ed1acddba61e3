"""A release in numbers, for a look before any study."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.config.schema import DataConfig, TableConfig
from sim.findings.finding import Finding
from sim.findings.reading import columns_of, reading_findings, span
from sim.findings.suspicions import suspicions
from sim.record.run_record import FRAME, ROWS_AS_READ
from sim.release.readers.date_reader import BY_TYPE
from sim.release.store.accounts import MIDNIGHT, Accounts
from sim.release.store.store import Store
from sim.report.description import description_text
from sim.report.page.notebook import preformatted
from sim.session.open_release import described
from sim.session.rows_as_read import rows_as_read


@dataclass(frozen=True, slots=True)
class Description:
    """What was read.

    Parameters
    ----------
    source : str
        What it was read from.
    fingerprint : str
        SHA-256 of the cells, as in the record of a run on the same release.
    rows, dropped, unreadable, merged, zeros, cells : int
        Rows read; left out for an empty user or item; left out as they could not be read; left out
        as another row has the same person and item, or as their value is 0; kept.
    people, items : int
    columns : dict of str to str
        The columns of a table that were read, by what they are taken for: people, items, values,
        dates.
    time_bin : str
        Width of the bins of time.
    dates : str
        The first and the last bin; empty where there are none.
    cells_without_date, cells_without_value, rows_with_time_of_day, rows_with_time_cut : int
        The last: those whose time is kept as the bin that it lies in.
    values : tuple of float
        The distinct values, ascending.
    lengths, supports : dict of str to float
        Quantiles of the cells of a person, and of the people of an item; see `quantiles`.
    notes : dict
        Everything that was recognised, defaulted or dropped.
    findings : tuple of Finding
        What reading found, and what looks wrong about the data.
    record : dict
        What of ``run.json`` is about the data, for `str`.
    sample : tuple of dict
        Of a table, some rows as they were read; see `sim.session.rows_as_read`.
    """

    source: str
    fingerprint: str
    rows: int
    dropped: int
    unreadable: int
    merged: int
    zeros: int
    cells: int
    repeats: int
    people: int
    items: int
    columns: dict[str, str]
    time_bin: str
    dates: str
    cells_without_date: int
    cells_without_value: int
    rows_with_time_of_day: int
    rows_with_time_cut: int
    values: tuple[float, ...]
    lengths: dict[str, float]
    supports: dict[str, float]
    notes: dict[str, Any]
    findings: tuple[Finding, ...]
    record: dict[str, Any]
    sample: tuple[dict[str, str], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON."""
        given = {key: getattr(self, key) for key in self.__slots__ if key != "record"}
        return given | {"findings": [one.as_json() for one in self.findings]}

    def to_json(self) -> str:
        """Return `to_dict` as text."""
        return json.dumps(self.to_dict(), indent=1)

    def __str__(self) -> str:
        sizes = {"entries of a person": self.lengths, "people of an item": self.supports}
        return description_text(self.record, sizes, self.fingerprint)

    def _repr_html_(self) -> str:
        return str(preformatted(str(self)))


def describe(store: Store, config: DataConfig) -> Description:
    """Describe an open release.

    Parameters
    ----------
    config : DataConfig
        How it was opened, for the names of the columns.
    """
    manifest, record = store.manifest, record_of_data(store, config)
    accounts = Accounts.of(record["release"])
    return Description(
        source=store.source,
        fingerprint=manifest.fingerprint,
        rows=accounts.rows,
        dropped=accounts.dropped,
        unreadable=accounts.unreadable,
        merged=accounts.merged,
        zeros=accounts.zeros,
        cells=manifest.n_cells,
        repeats=manifest.n_repeats,
        people=manifest.n_records,
        items=manifest.n_items,
        columns=columns_of(record),
        time_bin=manifest.time_bin,
        dates=span(record["release"]),
        cells_without_date=manifest.missing_days if manifest.has_days else 0,
        cells_without_value=manifest.missing_values if manifest.has_values else 0,
        rows_with_time_of_day=accounts.timed,
        rows_with_time_cut=accounts.cut,
        values=tuple(manifest.scale),
        lengths=quantiles(store.length),
        supports=quantiles(store.support),
        notes=_notes(manifest.notes, config),
        findings=tuple(reading_findings(record)),
        record=record,
        sample=tuple(record.get(ROWS_AS_READ, ())),
    )


def record_of_data(store: Store, config: DataConfig) -> dict[str, Any]:
    """Return what of ``run.json`` is about the data."""
    return {
        "config": {"data": dataclasses.asdict(config)},
        "release": described(store),
        "suspicions": [one.as_json() for one in suspicions_of(store, config)],
        **({ROWS_AS_READ: rows_as_read(store)} if isinstance(config, TableConfig) else {}),
    }


def suspicions_of(store: Store, config: DataConfig) -> tuple[Finding, ...]:
    """Return what looks wrong about an open release; see `suspicions`."""
    columns = columns_of({"config": {"data": dataclasses.asdict(config)}})
    return suspicions(store, columns, _notes(store.manifest.notes, config))


def _notes(notes: Mapping[str, Any], config: DataConfig) -> dict[str, Any]:
    """The notes on a release, but for times of a data frame that are midnight by their type.

    Pandas has no type of days, so that midnight there is no sign of times that were lost.
    """
    of_frame = isinstance(config, TableConfig) and Path(config.path).name == FRAME
    days = of_frame and BY_TYPE in str(notes.get("dates"))
    return {key: note for key, note in notes.items() if not (days and key == MIDNIGHT)}


def quantiles(counts: NDArray[Any]) -> dict[str, float]:
    """Return quantiles by nearest rank, so that each is one of the counts, and the mean.

    Parameters
    ----------
    counts : integer array, shape (n,)

    Examples
    --------
    >>> quantiles(np.array([1, 2, 3, 10]))["50%"], quantiles(np.array([1, 2, 3, 10]))["mean"]
    (2, 4.0)
    """
    ordered = np.sort(counts)
    places = {"min": 0, "5%": 5, "25%": 25, "50%": 50, "75%": 75, "95%": 95, "max": 100}
    found: dict[str, float] = {
        name: int(ordered[max(0, -(-part * ordered.size // 100) - 1)])
        for name, part in places.items()
    }
    return found | {"mean": float(int(ordered.sum(dtype=np.int64)) / ordered.size)}
