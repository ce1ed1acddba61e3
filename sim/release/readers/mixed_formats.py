"""Dates of one column that are written in several stated formats.

Invariant: a cell is read in a format that it fits; where it fits several, in which it would be
different dates, it is an error.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.errors import ConfigError
from sim.release.readers.date_formats import DateFormat
from sim.release.readers.date_units import as_iso
from sim.release.readers.strict_parser import shown

MARK = "|"
"""Stands between the formats."""


@dataclass(frozen=True)
class MixedFormats:
    """Several formats of dates.

    Parameters
    ----------
    text : str
        The formats, each as `DateFormat` takes it, with `MARK` between them.

    Raises
    ------
    ConfigError
        One of them cannot be one, or some have a time zone and others none.

    Examples
    --------
    >>> mixed = MixedFormats("%Y-%m-%d|%d/%m/%Y")
    >>> mixed.seconds("1970-01-02"), mixed.seconds("02/01/1970")
    (86400, 86400)
    >>> MixedFormats("%d/%m/%Y|%m/%d/%Y").seconds("02/01/1970")
    Traceback (most recent call last):
    ValueError: '02/01/1970' may be 1970-01-02 (%d/%m/%Y) or 1970-02-01 (%m/%d/%Y)
    """

    text: str

    def __post_init__(self) -> None:
        if len({form.zoned for form in self._forms}) > 1:
            raise ConfigError(
                f"{self.text!r}: some have a time zone and others none; write all dates alike"
            )

    @cached_property
    def _forms(self) -> tuple[DateFormat, ...]:
        return tuple(DateFormat(form) for form in self.text.split(MARK))

    @property
    def timed(self) -> bool:
        """Whether one of them has a time of day."""
        return any(form.timed for form in self._forms)

    @property
    def zoned(self) -> bool:
        """Whether all have a time zone."""
        return all(form.zoned for form in self._forms)

    def has_shape(self, cell: str) -> bool:
        """Return whether a cell is written in one of them, whatever its digits are."""
        return any(form.has_shape(cell) for form in self._forms)

    def with_other(self, cell: str, other: DateFormat) -> str:
        """Return the formats with another in place of that which a cell fits but for its numbers.

        Examples
        --------
        >>> mixed = MixedFormats("%Y-%m-%d|%m.%d.%Y")
        >>> mixed.with_other("15.04.2024", DateFormat("%d.%m.%Y"))
        '%Y-%m-%d|%d.%m.%Y'
        """
        return MARK.join(other.text if form.has_shape(cell) else form.text for form in self._forms)

    def seconds(self, cell: str) -> int:
        """Return a cell as whole seconds since 1970, as `DateFormat.seconds` does.

        Raises
        ------
        ValueError
            It fits none, or several in which it is different dates.
        """
        fitting = dict[str, int]()
        for form in self._forms:
            with suppress(ValueError):
                fitting[form.text] = form.seconds(cell)
        if len(set(fitting.values())) > 1:
            meanings = " or ".join(f"{as_iso(at)} ({form})" for form, at in fitting.items())
            raise ValueError(f"{shown(cell)} may be {meanings}")
        if not fitting:
            for form in self._forms:
                if form.has_shape(cell):
                    form.seconds(cell)  # says why it is no date
            forms = " or ".join(form.text for form in self._forms)
            raise ValueError(f"{shown(cell)} is not written as {forms}")
        return next(iter(fitting.values()))

    def has_fraction(self, cells: pa.Array) -> bool:
        """Return whether some cells have a fraction of a second."""
        return any(form.has_fraction(cells) for form in self._forms)

    def offset(self, cell: str) -> str | None:
        """Return the offset from UTC in a cell that fits; None where it has none."""
        return next((zone for form in self._forms if (zone := form.offset(cell))), None)

    def column(self, cells: pa.Array, offsets: set[str] | None = None) -> NDArray[np.int64] | None:
        """Return a column as `seconds` does, or None where a cell would be an error.

        Parameters
        ----------
        cells : pyarrow string array, shape (n,)
            Without nulls.
        offsets : set of str, optional
            Takes the different ones of the cells, as of `offset`.

        Examples
        --------
        >>> cells = pa.array(["1970-01-02", "02/01/1970", "1970-01-02"])
        >>> MixedFormats("%Y-%m-%d|%d/%m/%Y").column(cells).tolist()
        [86400, 86400, 86400]
        """
        coded = cells.dictionary_encode()
        texts = coded.dictionary.to_pylist()
        try:
            seconds = np.array([self.seconds(text) for text in texts], np.int64)
        except ValueError:
            return None
        if offsets is not None:
            offsets |= {zone for text in texts if (zone := self.offset(text)) is not None}
        found: NDArray[np.int64] = seconds[coded.indices.to_numpy()]
        return found


def stated_format(text: str) -> DateFormat | MixedFormats:
    """Return the format of dates that a user states, or several.

    Raises
    ------
    ConfigError
        It cannot be one; the message begins with the format, not with the key that set it.
    """
    return MixedFormats(text) if MARK in text else DateFormat(text)


def mixed_with(form: DateFormat | MixedFormats, cell: str, other: DateFormat) -> str | None:
    """Return a format and another, which a cell fits, as a user states both.

    Returns
    -------
    str or None
        None where the cell fits the first but for its numbers: it may be the second throughout.

    Examples
    --------
    >>> mixed_with(DateFormat("%d.%m.%Y"), "2009-05-01", DateFormat("%Y-%m-%d"))
    '%d.%m.%Y|%Y-%m-%d'
    >>> mixed_with(DateFormat("%d.%m.%Y"), "05.31.2009", DateFormat("%m.%d.%Y"))
    """
    if form.has_shape(cell) or form.zoned != other.zoned:
        return None
    return f"{form.text}{MARK}{other.text}"
