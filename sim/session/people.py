"""Grids of adversaries who know people from other data files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sim.adversary.external import External, Values
from sim.adversary.linkage_table import read_linkage_table
from sim.adversary.matching import match
from sim.adversary.mentions import open_mentions
from sim.config.paths import absolute
from sim.config.schema import Config, ExternalConfig, MentionsFileConfig, PeopleConfig
from sim.errors import ConfigError, InputError
from sim.release.readers.column_choice import Names
from sim.release.readers.table import TableSource
from sim.release.readers.table_options import TableOptions
from sim.release.store.accounts import BINS
from sim.release.store.cache import open_or_build
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY, TimeBin
from sim.release.store.value_bins import UNBINNED
from sim.session.checks import cells_of
from sim.session.reading import column_choice, people_options
from sim.study.grid import GridCell, expand


def grid_of(config: Config, cache: Path, time_bin: TimeBin = DAY) -> list[GridCell]:
    """Return the grid cells of a configuration, for any adversary.

    Parameters
    ----------
    cache : Path
        Folder of stores; other data sets are stored there too.
    time_bin : TimeBin
        That of the release: times of other data sets are put into the same bins.

    Raises
    ------
    ConfigError, InputError, StoreError
    """
    adversary = config.adversary
    if not isinstance(adversary, PeopleConfig):
        return cells_of(config, time_bin)
    return expand(
        "people",
        vars(config.grid),
        _external(adversary, people_options(config.data), cache, time_bin),
    )


def _external(
    config: PeopleConfig, options: TableOptions, cache: Path, time_bin: TimeBin
) -> External:
    path = absolute(config.path)
    match config:
        case MentionsFileConfig(user=person):
            truth = _truth(config, person, options)
            return open_mentions(
                path,
                cache,
                person,
                config.item,
                config.value,
                truth,
                options,
            )
        case ExternalConfig(user=user, date=date):
            source = TableSource(
                path, column_choice(config), options,
                repeats=Repeats.LATEST, value_bins=UNBINNED, time_bin=time_bin,
            )  # fmt: skip
            return External(
                open_or_build(source, cache),
                _truth(config, user, options),
                values=cast("Values", config.values),
                dates=date is not None,
                min_items=config.min_items,
            )
        case _:
            raise ConfigError("adversary: choose one of aux, mentions, mentions_file, external")


_RECORD = "record"
"""Column of the records in a table of people and records, which is written for this alone."""


def check_people(config: PeopleConfig, cells: Sequence[GridCell], truth: Store) -> None:
    """Check what a file says about people against the data that it is about.

    Parameters
    ----------
    truth : Store
        The data before any defence.

    Raises
    ------
    InputError
        It has values beyond those of the data, or names records that the data do not hold.
    """
    external = cells[0].adversary
    assert isinstance(external, External)
    if external.values == "same" and BINS not in truth.manifest.notes:
        _check_scale(config, external.other.scale, truth.scale)
    if external.truth is None:
        return
    named = list(dict.fromkeys(external.truth.values()))
    found = match(pa.array(named, pa.large_string()), truth.records)
    lost = [record for record, number in zip(named, found.tolist(), strict=True) if number < 0]
    if lost:
        raise InputError(
            f"{config.truth}: column {_RECORD}: {lost[0]!r} is no record of the data"
            + (f", nor are {len(lost) - 1:,} others" if len(lost) > 1 else "")
            + "; expected identifiers as in the data: leave out the rows of people whose records "
            "these do not hold"
        )


def _check_scale(
    config: PeopleConfig, theirs: NDArray[np.float64], ours: NDArray[np.float64]
) -> None:
    """Refuse values of others that no cell of the data can be near."""
    if not theirs.size or not ours.size:
        return
    beyond = theirs[(theirs < ours[0]) | (theirs > ours[-1])]
    if beyond.size:
        remedy = (
            "set adversary.values=rescaled or adversary.values=none"
            if isinstance(config, ExternalConfig)
            else "leave adversary.value out"
        )
        raise InputError(
            f"{config.path}: column {config.value}: {beyond[0]:g} is off the scale of the data, "
            f"{ours[0]:g} to {ours[-1]:g}; expected values on it, or {remedy}"
        )


def _truth(config: PeopleConfig, person: Names, options: TableOptions) -> dict[str, str] | None:
    if config.truth is None:
        return None
    return read_linkage_table(absolute(config.truth), person, _RECORD, options)
