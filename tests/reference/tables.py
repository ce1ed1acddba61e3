"""A release and auxiliary information as plain dense arrays.

Invariant: a cell that is not held has neither value nor day, and NaN means missing, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class PlainRelease:
    """A small release, dense: N records by M items (NS08, section 3).

    Parameters
    ----------
    held : bool array, shape (N, M)
        Whether the record holds the item (the cell is non-null).
    value : float64 array, shape (N, M)
        Ratings or counts; NaN where missing.
    day : float64 array, shape (N, M)
        Whole days from any fixed origin; NaN where missing.
    more : PlainRelease, optional
        The second cells of the records that hold an item more than once, and so on (spec, section
        8): a release of the same shape.

    Raises
    ------
    ValueError
        The shapes differ, a cell that is not held has a value or a day, or there is a second cell
        without a first.

    Examples
    --------
    >>> release = PlainRelease.of(2, 3, [(0, 0, 5, 10), (0, 1, 3, 11), (1, 1, 4, None)])
    >>> release.support().tolist(), release.length().tolist()
    ([1, 2, 0], [2, 1])
    >>> release = PlainRelease.of(2, 3, [(0, 0, 5, 10), (0, 0, 3, 11), (1, 1, 4, None)])
    >>> release.support().tolist(), release.length().tolist()
    ([1, 1, 0], [2, 1])
    """

    held: Mask
    value: Floats
    day: Floats
    more: PlainRelease | None = None

    def __post_init__(self) -> None:
        if self.held.ndim != 2 or not self.held.shape == self.value.shape == self.day.shape:
            raise ValueError(
                f"held {self.held.shape}, value {self.value.shape} and day {self.day.shape} "
                "must be one N x M shape"
            )
        if not (np.isnan(self.value[~self.held]).all() and np.isnan(self.day[~self.held]).all()):
            raise ValueError("a cell that is not held has a value or a day")
        if self.more is not None and (self.more.held & ~self.held).any():
            raise ValueError("a second cell without a first")

    @classmethod
    def of(
        cls,
        n_records: int,
        n_items: int,
        cells: Iterable[tuple[int, int, float | None, float | None]],
    ) -> PlainRelease:
        """Build a release from its cells.

        Parameters
        ----------
        n_records, n_items : int
            N and M.
        """
        held = np.zeros((n_records, n_items), dtype=np.bool_)
        value = np.full((n_records, n_items), np.nan)
        day = np.full((n_records, n_items), np.nan)
        further = []
        for record, item, cell_value, cell_day in cells:
            if held[record, item]:
                further.append((record, item, cell_value, cell_day))
                continue
            held[record, item] = True
            value[record, item] = np.nan if cell_value is None else cell_value
            day[record, item] = np.nan if cell_day is None else cell_day
        more = cls.of(n_records, n_items, further) if further else None
        return cls(held, value, day, more)

    @property
    def layers(self) -> Iterator[PlainRelease]:
        """The first cells of all records and items, then the second ones, and so on."""
        layer: PlainRelease | None = self
        while layer is not None:
            yield layer
            layer = layer.more

    @property
    def n_records(self) -> int:
        """N."""
        return int(self.held.shape[0])

    @property
    def n_items(self) -> int:
        """M."""
        return int(self.held.shape[1])

    def support(self) -> Ints:
        """Count the records that hold each item: |supp(i)|, int64, shape (M,)."""
        support: Ints = self.held.sum(axis=0, dtype=np.int64)
        return support

    def length(self) -> Ints:
        """Count the cells of each record: |supp(r)|, int64, shape (N,)."""
        length: Ints = sum(
            (layer.held.sum(axis=1, dtype=np.int64) for layer in self.layers),
            start=np.zeros(self.n_records, np.int64),
        )
        return length


@dataclass(frozen=True, slots=True, eq=False)
class PlainAux:
    """The adversary's knowledge about one target: m′ triples (spec, section 2).

    Parameters
    ----------
    item : int64 array, shape (m′,)
        Columns of the release; -1 for an item that the release does not hold.
    value : float64 array, shape (m′,)
        NaN where missing.
    day : float64 array, shape (m′,)
        NaN where missing.

    Raises
    ------
    ValueError
        No triple, lengths that differ, or an item below -1.

    Examples
    --------
    >>> len(PlainAux.of([(2, 4.0, None), (-1, 1.0, 30)]))
    2
    """

    item: Ints
    value: Floats
    day: Floats

    def __post_init__(self) -> None:
        if self.item.ndim != 1 or not self.item.shape == self.value.shape == self.day.shape:
            raise ValueError("item, value and day must be one-dimensional and of one length")
        if self.item.size == 0:
            raise ValueError("auxiliary information without a single item")
        if (self.item < -1).any():
            raise ValueError("aux items must be columns, or -1")

    @classmethod
    def of(cls, triples: Sequence[tuple[int, float | None, float | None]]) -> PlainAux:
        """Build auxiliary information from (item, value or None, day or None) triples."""
        item = np.array([t[0] for t in triples], dtype=np.int64)
        value = np.array([np.nan if t[1] is None else t[1] for t in triples], dtype=np.float64)
        day = np.array([np.nan if t[2] is None else t[2] for t in triples], dtype=np.float64)
        return cls(item, value, day)

    def __len__(self) -> int:
        return int(self.item.size)

    def __iter__(self) -> Iterator[tuple[int, float, float]]:
        return zip(self.item.tolist(), self.value.tolist(), self.day.tolist(), strict=True)


def without(release: PlainRelease, record: int) -> PlainRelease:
    """Remove a record, as in the runs where the target is absent (NS08, section 5, Fig. 5).

    Its cells leave the supports, N falls by one, and later records move up by one row. The
    columns stay, so that an item only this record held now has support 0.

    Parameters
    ----------
    release : PlainRelease
        N records.
    record : int
        Row to remove.

    Returns
    -------
    PlainRelease
        N - 1 records.

    Examples
    --------
    >>> release = PlainRelease.of(2, 2, [(0, 0, 5, None), (1, 0, 4, None), (1, 1, 3, None)])
    >>> without(release, 1).support().tolist()
    [1, 0]
    """
    return PlainRelease(
        np.delete(release.held, record, axis=0),
        np.delete(release.value, record, axis=0),
        np.delete(release.day, record, axis=0),
        None if release.more is None else without(release.more, record),
    )


def with_mean_values(aux: PlainAux) -> PlainAux:
    """Fill missing aux values with the mean of the others: `missing=mean` (NS07, section 4).

    Parameters
    ----------
    aux : PlainAux
        m′ triples.

    Returns
    -------
    PlainAux
        Where no value is known there is nothing to average and all stay missing.

    Examples
    --------
    >>> with_mean_values(PlainAux.of([(0, 5, None), (1, None, None), (2, 2, None)])).value.tolist()
    [5.0, 3.5, 2.0]
    """
    known = ~np.isnan(aux.value)
    if not known.any():
        return aux
    return PlainAux(aux.item, np.where(known, aux.value, aux.value[known].mean()), aux.day)


def held_columns(release: PlainRelease, aux: PlainAux) -> Iterator[tuple[int, float, float]]:
    """Yield the aux triples, in order, whose item at least one record of the release holds.

    Yields
    ------
    tuple of (int, float, float)
        Item, value, day.

    Examples
    --------
    >>> release = PlainRelease.of(1, 2, [(0, 0, None, None)])
    >>> list(held_columns(release, PlainAux.of([(1, 2, 2), (-1, 3, 3), (0, 4, 4)])))
    [(0, 4.0, 4.0)]
    """
    support = release.support()
    for item, value, day in aux:
        if item >= 0 and support[item] > 0:
            yield item, value, day


def overlaps(release: PlainRelease, aux: PlainAux) -> Mask:
    """Return the records that share at least one item with aux.

    Parameters
    ----------
    release : PlainRelease
        N records.

    Returns
    -------
    bool array, shape (N,)

    Examples
    --------
    >>> release = PlainRelease.of(2, 2, [(0, 0, None, None), (1, 1, None, None)])
    >>> overlaps(release, PlainAux.of([(1, None, None)])).tolist()
    [False, True]
    """
    shares: Mask = np.logical_or.reduce(release.held[:, aux.item[aux.item >= 0]], axis=1)
    return shares
