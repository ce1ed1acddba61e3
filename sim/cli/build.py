"""``standout build data=… cluster=…``: reads the data, on several cores or nodes."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

from sim.cli.arguments import check_keys
from sim.config.compose import composed, configured
from sim.errors import ConfigError
from sim.numeric.text import format_duration, visible
from sim.release.store.build import Limits, Progress
from sim.release.store.cells import Source
from sim.release.store.manifest import Manifest
from sim.report.description import lines_of_reading
from sim.session.checks import check_config
from sim.session.description import record_of_data
from sim.session.open_release import open_release
from sim.session.runners import make_builder

USAGE = "standout build data=table data.path=FILE data.user=COLUMN data.item=COLUMN cluster=local"

_KEYS = ("data=", "data.", "cluster=", "cluster.")


def build_command(arguments: Sequence[str]) -> None:
    """Build the store of the data that the arguments name, if there is none, and print what it is.

    Parameters
    ----------
    arguments : sequence of str
        What follows ``standout build``: choices and keys of ``data`` and ``cluster``.

    Raises
    ------
    ConfigError
        Something else is set, or a key or a value is wrong.
    StandoutError
        The data cannot be read, or the cluster cannot be used.
    """
    if not arguments:
        raise ConfigError(f"build: expected the data: {USAGE}")
    check_keys("build", arguments, _KEYS, "the data or the cluster", USAGE)
    config = configured(composed(list(arguments)))
    check_config(config)
    builder, begun = make_builder(config.cluster), list[float]()

    def timed(source: Source, work: Path, limits: Limits, progress: Progress) -> Manifest:
        begun.append(time.monotonic())
        return builder(source, work, limits, progress)

    store = open_release(config.data, timed)
    for line in lines_of_reading(record_of_data(store, config.data)):
        print(visible(line))
    how = f"built in {format_duration(time.monotonic() - begun[0])}" if begun else "there already"
    print(visible(f"store: {store.folder} ({how})"))
