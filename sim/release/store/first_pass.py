"""The first pass over the rows of a source: their numbers, and what is known once all are read.

Rows are turned into numbers with provisional codes, in file order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import InputError
from sim.release.store.cells import NO_TIME, CellChunk
from sim.release.store.extent import Extent
from sim.release.store.number_codes import NumberCodes
from sim.release.store.repeats import Repeats
from sim.release.store.text_codes import TextCodes
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import ValueBins
from sim.release.store.vocabulary import Vocabulary

SPILLED = np.dtype([("record", "<i4"), ("item", "<i4"), ("level", "<u4"), ("time", "<i8")])
"""A row in file order, with provisional codes; those of levels begin at 1, and 0 is no value."""

MOST_LEVELS = 65_534
_MOST_DISTINCT = 1 << 22
"""Distinct values that are put into bins; four million take about 1 GB."""


@dataclass(frozen=True, slots=True)
class Treatment:
    """What is done with the rows of a source, whatever they are.

    Parameters
    ----------
    name : str
        Of the source, as messages call it.
    """

    name: str
    repeats: Repeats
    value_bins: ValueBins
    time_bin: TimeBin

    def too_many_values(self, most: int) -> InputError:
        """Return the error of values that are too many to be levels."""
        return InputError(
            f"{self.name}: more than {most} distinct values; round them, or set "
            "data.value_bins=log2"
        )


@dataclass(slots=True)
class FirstPass:
    """A first pass over rows, chunk by chunk.

    Attributes
    ----------
    records, items, values : Vocabulary
        Provisional codes.
    rows_of_level : int64 array
        Rows that have each value, by provisional codes from 0 on.
    extent : Extent
        Of the times.

    Examples
    --------
    >>> from sim.release.store.time_bins import DAY
    >>> from sim.release.store.value_bins import UNBINNED
    >>> rows = FirstPass(Treatment("a table", Repeats.CELLS, UNBINNED, DAY))
    >>> chunk = CellChunk(np.array([7, 5]), np.array([9, 9]), np.array([2.5, np.nan]), None)
    >>> rows.take(chunk)["level"].tolist(), rows.extent.rows
    ([1, 0], 2)
    """

    treatment: Treatment
    records: Vocabulary = field(default_factory=Vocabulary)
    items: Vocabulary = field(default_factory=Vocabulary)
    values: Vocabulary = field(default_factory=NumberCodes)
    rows_of_level: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    extent: Extent = field(init=False)

    def __post_init__(self) -> None:
        self.extent = Extent(self.treatment.time_bin)

    def take(self, chunk: CellChunk) -> NDArray[np.void]:
        """Return the rows of a chunk as `SPILLED`.

        Raises
        ------
        InputError
            There are too many distinct values, or one is below the first edge of its bins.
        """
        self._of_kind(chunk.record, chunk.item)
        rows = np.empty(len(chunk), SPILLED)
        rows["record"] = self.records.encode(chunk.record)
        rows["item"] = self.items.encode(chunk.item)
        rows["level"] = 0 if chunk.value is None else self._levels(chunk.value)
        rows["time"] = NO_TIME if chunk.time is None else chunk.time
        self.extent.take(len(chunk), chunk.time)
        return rows

    def _of_kind(self, records: Any, items: Any) -> None:
        """Choose vocabularies by the first rows: numbers have one of their own."""
        if self.extent.rows == 0:
            self.records, self.items = _codes(records), _codes(items)

    def _levels(self, value: NDArray[np.float64]) -> NDArray[np.int32]:
        """Provisional codes from 1 on; 0 is no value."""
        treatment = self.treatment
        # Sums are put into bins, not their parts.
        if treatment.value_bins.is_pointwise and not treatment.repeats.adds_up:
            value = treatment.value_bins.of(value, treatment.name)
        levels = self._encode_values(value)
        self._count(np.bincount(levels[levels >= 0], minlength=len(self.values)))
        return levels + 1

    def _encode_values(self, value: NDArray[np.float64]) -> NDArray[np.int32]:
        levels = self.values.encode(value + 0.0)  # −0 is 0, whichever comes first
        most = MOST_LEVELS if self.treatment.value_bins.kind == "none" else _MOST_DISTINCT
        if len(self.values) > most:
            raise self.treatment.too_many_values(most)
        return levels

    def _count(self, rows: NDArray[np.int64]) -> None:
        rows = np.append(rows, np.zeros(max(self.rows_of_level.size - rows.size, 0), np.int64))
        rows[: self.rows_of_level.size] += self.rows_of_level
        self.rows_of_level = rows


def _codes(ids: Any) -> Vocabulary:
    """Return a new vocabulary for identifiers of this type."""
    if isinstance(ids, np.ndarray) or pa.types.is_integer(ids.type):
        return NumberCodes()
    return TextCodes()
