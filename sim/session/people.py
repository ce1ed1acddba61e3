"""Grids of adversaries who know people from other data files."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from sim.adversary.external import External, Values
from sim.adversary.linkage_table import read_linkage_table
from sim.adversary.mentions import open_mentions
from sim.config.paths import absolute
from sim.config.schema import Config, ExternalConfig, MentionsFileConfig, PeopleConfig
from sim.errors import ConfigError
from sim.release.readers.column_choice import Names
from sim.release.readers.table import TableSource
from sim.release.store.cache import open_or_build
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import DAY, TimeBin
from sim.release.store.value_bins import UNBINNED
from sim.session.checks import cells_of, in_range, one_of
from sim.session.reading import column_choice, table_options
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
    return expand("people", vars(config.grid), _external(adversary, cache, time_bin))


def _external(config: PeopleConfig, cache: Path, time_bin: TimeBin) -> External:
    path = absolute(config.path)
    match config:
        case MentionsFileConfig(person=person):
            truth = _truth(config, person)
            return open_mentions(
                path,
                cache,
                person,
                config.item,
                config.value,
                truth,
                table_options(config),
            )
        case ExternalConfig(user=user, date=date):
            values = one_of("adversary.values", config.values, ("same", "rescaled", "none"))
            in_range("adversary.min_items", config)
            source = TableSource(
                path, column_choice(config), table_options(config),
                repeats=Repeats.LATEST, value_bins=UNBINNED, time_bin=time_bin,
            )  # fmt: skip
            return External(
                open_or_build(source, cache),
                _truth(config, user),
                values=cast("Values", values),
                dates=date is not None,
                min_items=config.min_items,
            )
        case _:
            raise ConfigError("adversary: choose one of aux, mentions, mentions_file, external")


def _truth(config: PeopleConfig, person: Names) -> dict[str, str] | None:
    if config.truth is None:
        return None
    return read_linkage_table(
        absolute(config.truth), person, config.truth_record, table_options(config)
    )
