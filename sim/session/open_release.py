"""From the configuration of the data to an open store."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from platformdirs import user_cache_path

from sim.config.paths import absolute
from sim.config.schema import (
    DataConfig,
    MovieLensConfig,
    NetflixConfig,
    SyntheticConfig,
    TableConfig,
)
from sim.defence.external import External
from sim.errors import ConfigError, InputError
from sim.record.run_record import FRAME
from sim.release.shape.table_shape import ZEROS, ShapeProblem
from sim.release.store.cache import open_or_build
from sim.release.store.cells import Source
from sim.release.store.repeats import Repeats, parse_repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import ValueBins
from sim.session.check_values import check_path
from sim.session.frames import NAME
from sim.session.reading import column_choice, table_options
from sim.study.bar import stage

log = logging.getLogger("standout")


def source_of(config: DataConfig, asked: Sequence[str] = (), verb: str = "audit") -> Source:
    """Return the source that a configuration describes.

    Parameters
    ----------
    asked : sequence of str
        The overrides of the run that is to read it.
    verb : str
        What is to be done with it, where that is no run.

    Raises
    ------
    ConfigError
        The preset is unknown, or the column of people or of items is not chosen.
    InputError
        The input is missing or of another layout.
    """
    if (path := getattr(config, "path", None)) is not None:
        check_path("data.path", path)
    # Each kind is imported on demand, so that startup does not wait for all of them.
    match config:
        case MovieLensConfig():
            from sim.release.readers.movielens import MovieLensSource

            time_bin = TimeBin.parse(config.time_bin)
            return MovieLensSource(absolute(config.path), time_bin=time_bin)
        case NetflixConfig():
            from sim.release.readers.netflix import NetflixSource

            return NetflixSource(absolute(config.path))
        case TableConfig():
            from sim.release.readers.table import TableSource
            from sim.report.commands import line_with
            from sim.session.choose_columns import TableReading, check_shape, columns_not_chosen

            if config.user is None or config.item is None:
                raise columns_not_chosen(TableReading.of(config), partial(line_with, verb, asked))
            check_shape(config)
            return TableSource(
                absolute(config.path),
                column_choice(config),
                table_options(config),
                repeats=None if config.repeats is None else parse_repeats(config.repeats),
                value_bins=ValueBins.parse(config.value_bins),
                time_bin=TimeBin.parse(config.time_bin),
                title=f"a {NAME}" if absolute(config.path).name == FRAME else "",
            )
        case SyntheticConfig():
            from sim.release.synthetic import named_source

            return named_source(config.preset, config.seed)
        case _:
            raise ConfigError("data: choose one of movielens, netflix, table, synthetic")


def release_of_tool(config: DataConfig, external: External) -> Source:
    """Return the table of a release that another tool has made of the configured data.

    It is read with the columns and settings of the data where these are a table, else with the
    columns ``user``, ``item``, ``value`` and ``time``; a row that cannot be read is an error.
    A column that it lacks is left out, unless it was asked for.

    Raises
    ------
    ConfigError
        A setting cannot be one.
    InputError
        The table is missing, or lacks a column that is needed.
    """
    from sim.release.readers.column_choice import ColumnChoice
    from sim.release.readers.peek import table_sample
    from sim.release.readers.table import TableSource
    from sim.release.readers.table_options import TableOptions

    assert external.path is not None
    path, asked = Path(external.path), external.columns()
    usual: dict[str, Any] = {"user": "user", "item": "item", "value": "value", "date": "time"}
    options = TableOptions(group=external.group)
    if isinstance(config, TableConfig):
        chosen, options = column_choice(config), table_options(config)
        usual = {role: getattr(chosen, role) for role in usual}
    if external.date_format is not None:
        options = replace(options, date_format=external.date_format)
    options = replace(options, group=external.group, max_unread=0)
    there = table_sample(path, options).columns.keys()
    for role in ("value", "date"):
        names = [usual[role]] if isinstance(usual[role], str) else usual[role] or []
        if not there >= {*names}:
            log.info("%s: has no column %s; it is without %ss", path, ", ".join(names), role)
            usual[role] = None
    choice = ColumnChoice(**{**usual, **asked}, group=external.group)
    time_bin = TimeBin.parse(getattr(config, "time_bin", None) or "day")
    return TableSource(path, choice, options, repeats=Repeats.CELLS, time_bin=time_bin)


def open_release(config: DataConfig, asked: Sequence[str] = (), verb: str = "audit") -> Store:
    """Open the store of the configured data, building it on first use.

    Parameters
    ----------
    asked : sequence of str
        The overrides of the run that is to read it.
    verb : str
        What is to be done with it, where that is no run.

    Raises
    ------
    ConfigError, InputError, StoreError
    """
    source = source_of(config, asked, verb)
    with stage("reading", source.size) as reading:
        cache = cache_of(config)
        store = open_or_build(source, cache, progress=reading.reach)
    if isinstance(config, TableConfig):
        _check_zeros(config, store)
    return store


def _check_zeros(config: TableConfig, store: Store) -> None:
    """Refuse a table most of whose values are 0, unless it was said what these are.

    `check_shape` sees the first rows alone, and rows may be sorted by the value.

    Raises
    ------
    InputError
        It is one.
    """
    unsaid = config.value is not None and config.zeros is None and config.shape is None
    if not unsaid or 0.0 not in store.scale:
        return
    counts = np.zeros(store.scale.size + 1, np.int64)
    for index in range(store.manifest.n_blocks):
        counts += np.bincount(store.block(index).record_level, minlength=counts.size)
    zeros, whole = int(counts[:-1][store.scale == 0.0].sum()), int(counts[:-1].sum())
    if 2 * zeros >= whole and whole - zeros == counts[:-1][store.scale > 0].sum():
        problem = ShapeProblem(ZEROS, (str(config.value),), zeros, whole)
        raise InputError(f"{config.path}: {problem.line}")


def cache_of(config: DataConfig) -> Path:
    """Return the folder of stores: the configured one, or the user's cache folder."""
    return absolute(config.cache) if config.cache else user_cache_path("standout")


def described(store: Store) -> dict[str, Any]:
    """Return the manifest of a store without its list of files, its source named as it is now."""
    manifest = {**asdict(store.manifest), "source": store.source}
    return {key: value for key, value in manifest.items() if key != "files"}
