"""Writes the release that a plan offers, and holds the file to what was attacked."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sim.config.paths import absolute
from sim.config.schema import PLAN, Config
from sim.defence.apply import defended
from sim.errors import StandoutError
from sim.files.digest import sha256
from sim.files.disk import atomic_write, check_new_file
from sim.record.ledger import NAME as LEDGER
from sim.record.published import columns_published
from sim.record.run_record import NAME as RUN
from sim.record.run_record import UNFINISHED, plan_of, read_record
from sim.release.readers.column_choice import ColumnChoice
from sim.release.readers.table import TableSource
from sim.release.store.build import build_store
from sim.release.store.export import same_release
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.report.json_files import ASSESSMENT as JSON
from sim.report.json_files import ASSESSMENT_TEXT as MARKDOWN
from sim.session.checks import defences_of
from sim.session.open_release import cache_of
from sim.session.publish import new_names, publish


def check_free(config: Config, folder: Path) -> None:
    """Check that the file of a plan can be written, before its work; one that goes on has its own.

    Parameters
    ----------
    folder : Path
        Of the run, which may be no plan, or write no file.

    Raises
    ------
    StandoutError
        It is there already, or its folder is not.
    """
    path = config.plan.write
    begun = any((one / LEDGER).exists() for one in (folder, folder / UNFINISHED))
    if config.aggregate != PLAN or path is None or begun:
        return
    place = absolute(path)
    if not (place.exists() and _is_own(place, folder)):
        check_new_file("plan.write", place)


def _is_own(place: Path, folder: Path) -> bool:
    """Whether the run that is done again wrote the file, by its record: it is compared anew."""
    if not (folder / RUN).exists():
        return False
    written = plan_of(read_record(folder)).get("written") or {}
    return bool(written.get("sha256") == sha256(place))


def write_offered(config: Config, original: Store, path: str) -> Mapping[str, Any]:
    """Write what the configured defences leave, and read it back: it is what was attacked.

    Returns
    -------
    dict
        For ``run.json``: ``path``, ``sha256``, numbers of ``records``, ``items`` and ``cells``.

    Raises
    ------
    StandoutError
        The file cannot be written, differs from what was attacked, or another one has its name.
    """
    place = absolute(path)
    released = defended(original, defences_of(config)).open(cache_of(config.data))
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".standout-") as folder:
        written = Path(folder) / place.name
        publish(config, original, written)
        back = _read(config, written, released, Path(folder) / "store")
        if not same_release(released, new_names(config, original, released), back):
            raise StandoutError(
                f"plan.write: {place}: read back, it is not what was attacked; it was not kept. "
                "Please report this, with the defences and the kind of the data"
            )
        digest = sha256(written)
        if not place.exists():
            shutil.move(written, place)
        elif sha256(place) != digest:  # a plan that is resumed finds its own file
            raise StandoutError(f"plan.write: {place}: is there already; choose another name")
    counts = {name: getattr(released.manifest, f"n_{name}") for name in _COUNTED}
    return {"path": path, "sha256": digest, **counts}


def write_beside(path: str, folder: Path) -> None:
    """Copy the assessment of a plan beside the release that it is about."""
    place = absolute(path)
    for name in (JSON, MARKDOWN):
        with atomic_write(place.with_name(f"{place.stem}.{name}"), flush=False) as partial:
            shutil.copyfile(folder / name, partial)


_COUNTED = ("records", "items", "cells")


def _read(config: Config, path: Path, released: Store, folder: Path) -> Store:
    columns, manifest = columns_published(vars(config.data)), released.manifest
    choice = ColumnChoice(
        columns.user,
        columns.item,
        columns.value if manifest.has_values else None,
        columns.time if manifest.has_days else None,
    )
    source = TableSource(path, choice, repeats=Repeats.CELLS, time_bin=manifest.bins)
    build_store(source, folder, block_records=manifest.block_records)
    return Store(folder)
