"""Writes what is left of the data after the defences, as a table that can be handed on."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
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
from sim.files.disk import check_new_file
from sim.files.private import private
from sim.findings.finding import Finding
from sim.findings.reading import (
    NAMED_ITEMS,
    NAMED_PEOPLE,
    NAMES,
    reading_findings,
    unread_findings,
)
from sim.findings.release import (
    ALONE,
    IDLE,
    LINKAGE,
    UNCHANGED,
    WRITTEN,
    change_findings,
    counts_finding,
)
from sim.findings.suspicions import SWAPPED
from sim.record.published import columns_published, reads_published, rule_of_published
from sim.release.store.export import check_kind, write_release, write_table
from sim.release.store.people_counts import PERIODS, count_people
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.report.sentences import sentences
from sim.session.check_values import one_of
from sim.session.checks import defences_of
from sim.session.description import record_of_data
from sim.session.open_release import cache_of, described, release_of_tool

KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Published:
    """What was written.

    Parameters
    ----------
    findings : tuple of Finding
        What was changed, what was lost in reading, and what was written.
    read_by : tuple of str
        Overrides of ``data`` that read the file that was written.
    changed : bool
        Whether a defence changed the data, so that an audit of the file by itself does not know
        the original.
    """

    findings: tuple[Finding, ...]
    read_by: tuple[str, ...]
    changed: bool

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings in words."""
        return tuple(sentences(self.findings))


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
    one_of("identifiers", identifiers, (NEW, KEPT))
    files = [("out", out), *([("linkage", linkage)] if linkage else [])]
    if len({path for _, path in files}) < len(files):
        raise ConfigError(f"linkage: {linkage}: is also out; choose another file")
    for key, path in files:
        check_kind(path, key)
        check_new_file(key, path)
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
    record = record_of_data(original, config.data)
    made = {"read": record["release"], "defences": change.record(store)}
    manifest, changed = store.manifest, bool(change.stages)
    findings = (
        *_identifying(record, identifiers),
        *([] if changed else [_unchanged(defences)]),
        *(one for one in unread_findings(record["release"]) if one.kind != NAMED_PEOPLE.name),
        *change_findings(made),
        *_without_effect(store, defences),
        WRITTEN.found(
            f"file:{out}",
            count=manifest.n_cells,
            records=manifest.n_records,
            items=manifest.n_items,
        ),
        *([LINKAGE.found(f"file:{linkage}")] if linkage else []),
        *([ALONE.found(f"file:{out}")] if changed else []),
    )
    return Published(findings, _read_by(config, store, out), changed)


def publish_counts(config: Config, original: Store, out: Path, period: str) -> Published:
    """Write counts of people by item and period, of whom no records can be released.

    Raises
    ------
    ConfigError
        The path ends in something else, or the period is none.
    StandoutError
        The file is there already, or cannot be written.
    """
    one_of("counts", period, PERIODS)
    if defences_of(config):
        raise ConfigError("counts: are of the data as they were read; leave defence out")
    check_kind(out, "out")
    check_new_file("out", out)
    counts = count_people(original, period)
    try:
        write_table(pa.Table.from_pandas(counts.table, preserve_index=False), out)
    except OSError as error:
        raise StandoutError(f"{out}: cannot be written ({error.strerror})") from None
    return Published((counts_finding(f"file:{out}", counts, period),), (), changed=True)


def _identifying(record: Mapping[str, Any], identifiers: str) -> Iterator[Finding]:
    """Yield where what is written as it is may tell who people are: items, and identifiers kept."""
    for one in reading_findings(record):
        is_kept = identifiers == KEPT and one.kind == NAMED_PEOPLE.name
        is_item = one.kind == NAMED_ITEMS.name and one.numbers["form"] != NAMES
        if is_kept or is_item or one.kind == SWAPPED.name:
            yield one


def _without_effect(store: Store, defences: Sequence[Defence]) -> Iterator[Finding]:
    """Yield where noise reaches no other value, or a window is so long that no record is cut."""
    left = store.manifest.notes.get("left by each defence") or []
    for defence, stage in zip(defences, left, strict=False):
        if defence.name == CutPseudonyms.name and stage["records"] == stage["people"]:
            yield IDLE.found(
                f"defence:{defence.name}", setting="defence.cut_pseudonyms.window", size="long"
            )
    changed = store.manifest.notes.get("values changed")
    if changed == 0 and any(defence.name == PerturbValues.name for defence in defences):
        setting = "defence.perturb_values.value_noise"
        yield IDLE.found(f"defence:{PerturbValues.name}", setting=setting, size="small")


def _unchanged(defences: Sequence[Defence]) -> Finding:
    names = ", ".join(defence.name for defence in defences)
    return UNCHANGED.found("data", defences=names or None)


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
    write_table(table, path)
