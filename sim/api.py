"""Standout from Python: open a release, study it, look at the result.

Whatever is not said keeps the default of ``conf/``, so a study from Python and the same study from
the command line give the same results.
"""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sim.compose import composed, configured, one_line
from sim.config import (
    Config,
    DataConfig,
    MovieLensConfig,
    NetflixConfig,
    SyntheticConfig,
    TableConfig,
)
from sim.errors import ConfigError
from sim.release.open import open_release
from sim.release.store import Store
from sim.result import Result
from sim.session import described, run_session


@dataclasses.dataclass(frozen=True, slots=True)
class Release:
    """A release that is open.

    Parameters
    ----------
    store : Store
    config : DataConfig
        How it was opened, for the record of a run.
    """

    store: Store
    config: DataConfig

    def describe(self) -> pd.Series:
        """Counts, scale and days of the release, and what was dropped or defaulted in reading it.

        Returns
        -------
        Series
        """
        facts = described(self.store)
        facts |= {f"notes.{key}": value for key, value in facts.pop("notes").items()}
        for name, of in (("length", self.store.length), ("support", self.store.support)):
            quantiles = pd.Series(of).describe()
            for key in ("mean", "25%", "50%", "75%", "max"):
                facts[f"{name}.{key}"] = float(quantiles[key])
        return pd.Series(facts, name="release", dtype=object)

    def __repr__(self) -> str:
        m = self.store.manifest
        return (
            f"Release({m.source}: {m.n_records:,} records × {m.n_items:,} items, "
            f"{m.n_cells:,} cells)"
        )


def movielens(path: str | Path, cache: str | None = None) -> Release:
    """Open MovieLens data in any of its layouts: a folder, a zip, or the ratings file.

    Parameters
    ----------
    path : str or Path
    cache : str, optional
        Folder for built stores; the user's cache folder if not given.

    Returns
    -------
    Release

    Raises
    ------
    InputError
        The data are missing or cannot be read.
    """
    return _open(MovieLensConfig(kind="movielens", cache=cache, path=str(path)))


def netflix(path: str | Path, cache: str | None = None) -> Release:
    """Open the Netflix Prize data in either layout.

    Parameters
    ----------
    path : str or Path
    cache : str, optional
        See `movielens`.

    Returns
    -------
    Release

    Raises
    ------
    InputError
        The data are missing or cannot be read.
    """
    return _open(NetflixConfig(kind="netflix", cache=cache, path=str(path)))


def table(
    data: str | Path | pd.DataFrame,
    *,
    user: str,
    item: str,
    value: str | None = None,
    date: str | None = None,
    date_unit: str = "auto",
    delimiter: str | None = None,
    cache: str | None = None,
) -> Release:
    """Open a csv, a parquet or a data frame, by the names of its columns.

    Parameters
    ----------
    data : str, Path or DataFrame
    user, item : str
        Columns of the people and of the items.
    value, date : str, optional
        Columns of ratings or counts, and of dates; the release has none if not given.
    date_unit : {"auto", "iso", "s", "ms", "days"}
    delimiter : str, optional
        Of a csv.
    cache : str, optional
        See `movielens`.

    Returns
    -------
    Release

    Raises
    ------
    InputError
        The data are missing or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> visits = pd.DataFrame({"who": ["ann", "ann", "bob"], "where": ["zoo", "spa", "zoo"]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     int(release.describe()["n_cells"])
    3
    """
    if isinstance(data, pd.DataFrame):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "data frame.parquet"
            data.to_parquet(path, index=False)
            return table(
                path, user=user, item=item, value=value, date=date, date_unit=date_unit, cache=cache
            )
    return _open(
        TableConfig(
            kind="table",
            cache=cache,
            path=str(data),
            user=user,
            item=item,
            value=value,
            date=date,
            date_unit=date_unit,
            delimiter=delimiter,
        )
    )


def synthetic(preset: str = "default", seed: int = 1, cache: str | None = None) -> Release:
    """Make a release with the generator.

    Parameters
    ----------
    preset : str
        tiny, default, movielens2006 or netflix.
    seed : int
    cache : str, optional
        See `movielens`.

    Returns
    -------
    Release

    Raises
    ------
    ConfigError
        There is no such preset.
    """
    return _open(SyntheticConfig(kind="synthetic", cache=cache, preset=preset, seed=seed))


def run(
    release: Release,
    attack: str = "scoreboard_rh",
    *,
    grid: Mapping[str, Sequence[Any]] | None = None,
    targets: int | str = 1000,
    seed: int = 1,
    workers: int | None = None,
    folder: str | Path | None = None,
    options: Mapping[str, Any] | None = None,
) -> Result:
    """Attack a release in every cell of a grid.

    Parameters
    ----------
    release : Release
    attack : str
        An attack of ``conf/attack``.
    grid : dict of str to list, optional
        Axes to change: ``{"aux": ["2/2", "6/8"], "date_noise": [3, None]}``.
    targets : int or "all"
        Records attacked per cell.
    seed : int
        Of targets, aux items and noise.
    workers : int, optional
        Ray scorers on this machine, or on the Ray that is already initialised; everything is done
        in this process if not given.
    folder : str or Path, optional
        Run folder; a new temporary one if not given.
    options : dict of str to object, optional
        Any other key of the configuration: ``{"attack.phi": 2.0, "adversary.wrong": "item"}``.

    Returns
    -------
    Result

    Raises
    ------
    ConfigError
        A key or a value is wrong.
    GridError
        A cell cannot be run on this release.

    Examples
    --------
    >>> visits = pd.DataFrame({"who": [1, 1, 2, 2, 3], "where": [1, 2, 1, 3, 1]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     nothing_but_places = {"aux": ["2/2"], "date_noise": [None], "value_noise": [None]}
    ...     result = run(release, "set_intersection", grid=nothing_but_places)
    >>> result.decisions["correct"].tolist()
    [True, True]
    """
    settings = {
        "targets": targets,
        "seed": seed,
        "cluster.workers": 1 if workers is None else workers,
        **{f"grid.{axis}": list(values) for axis, values in (grid or {}).items()},
        **(options or {}),
    }
    cluster = "inline" if workers is None else "local"
    config = _compose(release.config, attack, cluster, settings)
    where = Path(tempfile.mkdtemp(prefix="standout-")) if folder is None else Path(folder)
    where.mkdir(parents=True, exist_ok=True)
    return run_session(config, release.store, where.absolute())


def nearest(
    release: Release,
    measure: str = "presence",
    *,
    sample: int | None = None,
    seed: int = 1,
    value: float = 1.0,
    day: float = 14.0,
) -> pd.DataFrame:
    """Find each record's most similar other record, exactly (NS08 Fig. 1; NS07 Fig. 1).

    Parameters
    ----------
    release : Release
    measure : {"presence", "values", "values_and_dates", "hamming"}
        What two cells must agree in; or the Hamming distance of the sets of items, as a fraction
        of the record's own number of items.
    sample : int, optional
        Records drawn; all if not given.
    seed : int
        Of the sample.
    value, day : float
        Values and days at most this far apart agree.

    Returns
    -------
    DataFrame
        Columns ``record``, ``nearest`` (the user's own identifiers), and ``similarity`` or
        ``distance``.

    Raises
    ------
    ConfigError
        There is no such measure.
    GridError
        The release has only one record.

    Examples
    --------
    >>> visits = pd.DataFrame({"who": list("aabbc"), "where": [1, 2, 1, 2, 9]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     nearest(table(visits, user="who", item="where", cache=cache))["similarity"].tolist()
    [1.0, 1.0, 0.0]
    """
    from sim.adversary.targets import draw_targets
    from sim.study import neighbours

    measures: dict[str, Any] = {
        "presence": neighbours.PRESENCE,
        "values": neighbours.RecordSimilarity(value=value),
        "values_and_dates": neighbours.RecordSimilarity(value=value, day=day),
        "hamming": neighbours.Hamming(),
    }
    if measure not in measures:
        raise ConfigError(f"measure: {measure!r}: expected one of {', '.join(measures)}")
    store = release.store
    everyone = np.ones(store.manifest.n_records, np.bool_)
    records = draw_targets(everyone, sample, seed)
    found = neighbours.nearest(store, records, measures[measure])
    column = "distance" if measure == "hamming" else "similarity"
    return pd.DataFrame(
        {
            "record": store.records.take(records).to_pandas(),
            "nearest": store.records.take(found.record).to_pandas(),
            column: getattr(found, column),
        }
    )


def _open(config: DataConfig) -> Release:
    return Release(open_release(config), config)


def _compose(data: DataConfig, attack: str, cluster: str, settings: Mapping[str, Any]) -> Config:
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    given = composed([f"attack={attack}", f"cluster={cluster}"])
    try:
        for key, value in settings.items():
            OmegaConf.update(given, key, value)
    except OmegaConfBaseException as error:
        raise ConfigError(one_line(error)) from None
    config = configured(given)
    config.data = data
    return config
