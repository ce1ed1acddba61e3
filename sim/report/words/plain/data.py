"""The data of a run in everyday words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sim.numeric.text import quantity
from sim.record.run_record import plan_of
from sim.release.store.accounts import BINS, FIRST_UNREADABLE, Accounts
from sim.report.words.about import is_synthetic
from sim.report.words.left_unread import left_unread
from sim.report.words.reading_losses import (
    as_read,
    people_not_counted,
    remarks,
    span,
    still_in_doubt,
    time_bin_of,
)

SYNTHETIC = "These are synthetic data: the result says nothing about real people."


def data_line(record: Mapping[str, Any]) -> str:
    """Return one line about the release.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> release = {"source": "a table", "n_records": 2000, "n_items": 3, "n_cells": 5}
    >>> data_line({"release": release, "config": {"data": {"kind": "table"}}})
    'The data: a table: 2,000 records, one for each person, with 5 entries; 3 items.'
    """
    release = record["release"]
    records, items, entries = (int(release.get(f"n_{key}") or 0) for key in _COUNTED)
    cut = any((each.get("left") or {}).get("records") != (each.get("left") or {}).get("people")
              for each in record.get("defences") or ())  # fmt: skip
    person = "" if cut else ", one for each person"
    dates = f", from {days.replace(' to ', ' until ')}" if (days := span(release)) else ""
    return (
        f"The data: {release.get('source', '–')}: {quantity(records, 'record')}{person}, with "
        f"{quantity(entries, 'entry', 'entries')}{dates}; {quantity(items, 'item')}."
    )


_COUNTED = ("records", "items", "cells")


def rows_read(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what became of every row that was read; of synthetic data, that they are.

    Parameters
    ----------
    record : dict
        As ``run.json``.
    """
    if is_synthetic(record):
        yield SYNTHETIC
        return
    yield from _rows(as_read(record))


def rows_left_out(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield what became of every row that was read, if some are no entry of their own.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> [*rows_left_out({"release": {"n_cells": 8, "notes": {"rows": 8}}})]
    []
    """
    yield from _left_out(as_read(record))


def _left_out(release: Mapping[str, Any]) -> Iterator[str]:
    rows = Accounts.of(release)
    if rows.cells < rows.rows:
        yield from _rows(release)


def _rows(release: Mapping[str, Any]) -> Iterator[str]:
    rows, notes = Accounts.of(release), release.get("notes") or {}
    if not rows.rows:
        return
    gone = people_not_counted(rows)
    first = f" (the first: {notes[FIRST_UNREADABLE]})" if FIRST_UNREADABLE in notes else ""
    yield (
        f"The data had {quantity(rows.rows, 'row')}: {rows.cells:,} kept, {rows.merged:,} merged "
        f"with or replaced by another, {rows.dropped:,} dropped because the person or the item is "
        f"missing, {rows.unreadable:,} dropped because a cell could not be read{first}."
        f"{f' {gone}' if gone else ''}"
    )


def lost_in_reading(release: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what a file has that the release read from it lacks, as counts; empty: nothing.

    Nothing is said of risks: what is published after reading lacks the same.

    Parameters
    ----------
    release : dict
        As it was read; as in ``run.json``.

    Examples
    --------
    >>> release = {"n_cells": 8, "n_duplicates": 88, "n_days": 30, "notes": {"rows": 96}}
    >>> for sentence in lost_in_reading(release):
    ...     print(sentence)
    The data had 96 rows: 8 kept, 88 merged with or replaced by another, 0 dropped because the \
person or the item is missing, 0 dropped because a cell could not be read.
    >>> lost_in_reading({"n_cells": 8})
    ()
    """
    rows, notes = Accounts.of(release), release.get("notes") or {}
    said = [*_left_out(release)]
    if rows.cut:
        said.append(
            f"Of {quantity(rows.rows, 'row')}, {rows.cut:,} had a time that is kept only as the "
            f"{time_bin_of(release).words} it lies in."
        )
    if notes.get(BINS):
        said.append(f"Values are kept in bins ({notes[BINS]}).")
    said += (f"{left.fact}." for left in left_unread(notes))
    return tuple(said)


def only_as_read(release: Mapping[str, Any], *, alone: bool = False) -> Iterator[str]:
    """Yield that what was attacked is the data as read, where the file has more; else nothing.

    Parameters
    ----------
    release : dict
        As it was read; as in ``run.json``.
    alone : bool
        Whether `rows_read` does not stand next to it.

    Examples
    --------
    >>> [*only_as_read({"n_cells": 8})]
    []
    """
    lost, rows = lost_in_reading(release), Accounts.of(release)
    if lost:
        told = () if alone else tuple(_rows(release))
        yield (
            f"What keeps the bound is the data as they were read ({rows.cells:,} of "
            f"{quantity(rows.rows, 'row')}), and not the original data: do not publish these. "
            "plan.write or standout publish writes what was read."
            f"{''.join(f' {one}' for one in lost if one not in told)}"
        )


def written_as_read(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield which file the losses in reading are about, where a plan wrote another; else nothing.

    Parameters
    ----------
    record : dict
        As ``run.json`` of a plan.

    Examples
    --------
    >>> plan = {"written": {"path": "r.csv"}}
    >>> [*written_as_read({"plan": plan, "release": {"n_cells": 8}})]
    []
    """
    written = plan_of(record).get("written")
    if written and remarks(as_read(record)):
        yield (
            f"{_attacked_in_full(record)} What is said next of rows, times, values and columns "
            "that were left out, of how cells are written, and that the measured risk is too low, "
            "is about the original data."
        )


def reading_of_written(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return what reading left out of the data of a plan that wrote a file, to follow `rows_read`.

    Nothing that the file lacks makes its risk too low: what is said is what was not tested.

    Parameters
    ----------
    record : dict
        As ``run.json`` of a plan.

    Examples
    --------
    >>> release = {"n_cells": 8, "n_duplicates": 88, "notes": {"rows": 96}}
    >>> plan = {"written": {"path": "r.csv"}}
    >>> for sentence in reading_of_written({"plan": plan, "release": release}):
    ...     print(sentence)
    The file that was written, r.csv, was attacked in full: it holds nothing that reading left out.
    The original data, which hold that, were not tested.
    """
    release = as_read(record)
    lost = lost_in_reading(release)
    told = {*_rows(release)}
    return (
        *(one for one in lost if one not in told),
        *((_attacked_in_full(record), _ORIGINAL) if lost else ()),
        *still_in_doubt(release),
    )


_ORIGINAL = "The original data, which hold that, were not tested."


def _attacked_in_full(record: Mapping[str, Any]) -> str:
    return (
        f"The file that was written, {plan_of(record)['written']['path']}, was attacked in full: "
        "it holds nothing that reading left out."
    )


def remarks_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the remarks on reading, after which file they are about.

    Parameters
    ----------
    record : dict
        As ``run.json``.

    Examples
    --------
    >>> remarks_of({"release": {"n_cells": 8}})
    ()
    """
    return (*written_as_read(record), *remarks(as_read(record)))
