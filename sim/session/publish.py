"""Writes what is left of the data after the defences, as a table that can be handed on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv
import pyarrow.parquet

from sim.adversary.linkage import NEW, Linkage, linkage_of
from sim.config.schema import Config
from sim.defence.apply import defended
from sim.defence.cut_pseudonyms import CutPseudonyms
from sim.defence.defence import Defence
from sim.defence.external import External
from sim.defence.perturb_values import PerturbValues
from sim.defence.pseudonyms import Pseudonyms, secret_of
from sim.errors import ConfigError, StandoutError
from sim.files.disk import atomic_write
from sim.files.private import private
from sim.numeric.text import format_number
from sim.release.store.export import check_kind, write_release
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.report.published import columns_published, reads_published, rule_of_published
from sim.report.words.defences import left_by_each
from sim.report.words.plain.data import lost_in_reading
from sim.session.check_values import one_of
from sim.session.checks import defences_of
from sim.session.description import Description, describe
from sim.session.open_release import cache_of, described, release_of_tool
from sim.session.suspicions import ADDRESSES, IDENTIFYING, NUMBERS, SWAPPED

KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Published:
    """What was written.

    Parameters
    ----------
    sentences : tuple of str
        What was changed, what was lost in reading, and what was written.
    read_by : tuple of str
        Overrides of ``data`` that read the file that was written.
    changed : bool
        Whether a defence changed the data, so that an audit of the file by itself does not know
        the original.
    """

    sentences: tuple[str, ...]
    read_by: tuple[str, ...]
    changed: bool


@private()
def publish(
    config: Config,
    original: Store,
    out: Path,
    linkage: Path | None = None,
    identifiers: str = NEW,
) -> Published:
    """Write the release that the configured defences make of the data.

    Parameters
    ----------
    original : Store
        The configured data.
    out : Path
        File that ends in ``.csv`` or ``.parquet``.
    linkage : Path, optional
        Where to write whose the records are, people beside records, as csv or parquet by its
        ending; only its owner can read it.
    identifiers : {"new", "kept"}
        New identifiers tell nothing of whose the records are, nor by their order; they are the same
        whenever the same data are published by the same defences and seed.

    Returns
    -------
    Published

    Raises
    ------
    ConfigError
        A path ends in something else, or a setting cannot be.
    GridError
        A defence cannot be applied.
    StandoutError
        A file is there already, or cannot be written.
    """
    check_kind(out, "out")
    if linkage is not None:
        check_kind(linkage, "linkage")
    one_of("identifiers", identifiers, (NEW, KEPT))
    files = [("out", out), *([("linkage", linkage)] if linkage else [])]
    if len({path for _, path in files}) < len(files):
        raise ConfigError(f"linkage: {linkage}: is also out; choose another file")
    for key, path in files:
        if path.exists():
            raise StandoutError(f"{key}: {path}: is there already; choose another name")
        if not path.parent.is_dir():
            raise StandoutError(f"{key}: {path.parent}: no such folder; make it first")
    defences = defences_of(config)
    if any(isinstance(defence, External) for defence in defences):
        raise ConfigError(
            "defence=[external]: another tool has published it already; leave external out"
        )
    change = defended(original, defences, partial(release_of_tool, config.data))
    store = change.open(cache_of(config.data))
    link = linkage_of(original, store)
    names = new_names(config, original, store) if identifiers == NEW else store.records
    try:
        write_release(store, out, columns_published(vars(config.data)), names)
        if linkage is not None:
            _write_linkage(linkage, original, link, names)
    except OSError as error:
        raise StandoutError(
            f"{error.filename or out}: cannot be written ({error.strerror})"
        ) from None
    before = {f"n_{name}": getattr(original.manifest, f"n_{name}") for name in _COUNTED}
    m = store.manifest
    counts = (f"{format_number(getattr(m, f'n_{name}'))} {name}" for name in _COUNTED)
    lost, made = lost_in_reading(described(original)), change.record(store)
    sentences = (
        *_telling(describe(original, config.data), identifiers),
        *([] if change.stages else [_unchanged(defences, is_whole=not lost)]),
        *lost,
        *([f"Changed: {'; '.join(each['in_words'] for each in made)}."] if made else []),
        *left_by_each({"read": before, "defences": made}),
        *_without_effect(store, defences),
        f"{out}: {', '.join(counts)}.",
        *([f"{linkage}: whose they are; keep it to yourself."] if linkage else []),
        *([_NOT_COMPARED] if change.stages else []),
    )
    return Published(sentences, _read_by(config, store, out), bool(change.stages))


_COUNTED = ("records", "items", "cells")

_NOT_COMPARED = (
    "No check compares this file with an audit that makes it of the original; it does compare "
    "what a plan has written, which may try this one chain (plan.write), and a file of the same "
    "bytes. The file can be audited and checked by itself as well, like any other: attackers then "
    "know facts of what is in it, and not of the original."
)
"""Of a file that defences made."""


def _telling(found: Description, identifiers: str) -> Iterator[str]:
    """Say where what is written as it is may tell who people are: items, and identifiers kept."""
    of_items = found.columns.get("items", "items")
    for one in found.suspicions:
        if identifiers == KEPT and one.kind in IDENTIFYING and one.column != of_items:
            yield (
                "The identifiers of people are written as they are (identifiers=kept), so look at "
                f"this before you hand the file on. {one.words}"
            )
        if one.kind == SWAPPED or (one.kind in (ADDRESSES, NUMBERS) and one.column == of_items):
            yield (
                "The items are written as they are, so look at this before you hand the file on. "
                f"{one.words}"
            )


def _without_effect(store: Store, defences: Sequence[Defence]) -> Iterator[str]:
    """Say where noise reaches no other value, or no record is cut, as of a window that is long."""
    left = store.manifest.notes.get("left by each defence") or []
    for defence, stage in zip(defences, left, strict=False):
        if defence.name == CutPseudonyms.name and stage["records"] == stage["people"]:
            yield (
                f"{CutPseudonyms.name} cut no record: nobody has entries in two windows of "
                "defence.cut_pseudonyms.window; a shorter one cuts records."
            )
    changed = store.manifest.notes.get("values changed")
    if changed == 0 and any(defence.name == PerturbValues.name for defence in defences):
        yield (
            f"{PerturbValues.name} changed no value: no two levels of the values are within "
            "defence.perturb_values.value_noise of each other."
        )


def _unchanged(defences: Sequence[Defence], *, is_whole: bool) -> str:
    names = ", ".join(defence.name for defence in defences)
    why = f"{names} has no effect on these data" if names else "no defence was chosen"
    audit = "standout experiment=audit shows who can be found."
    if is_whole:
        return f"Nothing was changed: {why}. Each record is what it is in the data; {audit}"
    return (
        f"{why[:1].upper()}{why[1:]}. The file holds the data as they were read, which is not all "
        f"that the original holds; {audit}"
    )


def _read_by(config: Config, store: Store, path: Path) -> tuple[str, ...]:
    """Return the overrides of ``data`` that read what was written as it was attacked."""
    rule = rule_of_published(Repeats(store.manifest.repeats))
    return reads_published(vars(config.data), described(store), str(path), str(rule))


def new_names(config: Config, original: Store, store: Store) -> Any:
    """Return new identifiers for the records of what was made of the original.

    Numbers that are none of the original's, so that nobody takes one for another person.
    """
    key = json.dumps([secret_of(original), "publish", store.manifest.fingerprint, config.seed])
    names = Pseudonyms(key, store.manifest.n_records).of(np.arange(len(store.records)))
    return pa.array(names + _above(original.records))


def _above(names: Any) -> int:
    """Return a round number above all of some identifiers that are numbers; 0 if they are not.

    Examples
    --------
    >>> _above(pa.array([7, 1299])), _above(pa.array(["ann"]))
    (10000, 0)
    """
    if not pa.types.is_integer(names.type) or not len(names):
        return 0
    above = 10 ** len(str(max(pa.compute.max(names).as_py(), 0)))
    return above if above < 2**62 else 0


def _write_linkage(path: Path, original: Store, linkage: Linkage, names: Any) -> None:
    some = np.flatnonzero(linkage.record >= 0)
    some = some[np.argsort(linkage.record[some], kind="stable")]
    table = pa.table(
        {
            "person": original.records.take(pa.array(linkage.record[some])),
            "record": names.take(pa.array(some)),
        }
    )
    with atomic_write(path) as partial_path:
        write = pa.csv.write_csv if path.suffix == ".csv" else pa.parquet.write_table
        write(table, str(partial_path))
