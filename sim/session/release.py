"""Open a release from Python."""

from __future__ import annotations

import dataclasses
import tempfile
from pathlib import Path

import pandas as pd
import pyarrow as pa

from sim.config.schema import (
    DataConfig,
    MovieLensConfig,
    NetflixConfig,
    SyntheticConfig,
    TableConfig,
)
from sim.errors import InputError
from sim.extend.overrides import override
from sim.record.run_record import FRAME
from sim.release.store.store import Store
from sim.report.words.reading_losses import losses, span
from sim.session.open_release import open_release
from sim.session.session import described


@dataclasses.dataclass(frozen=True, slots=True)
class Release:
    """An open release.

    Parameters
    ----------
    config : DataConfig
        Its configuration, for the record of a run; for a data frame, the configuration that opens
        it once it is saved as `FRAME`.
    """

    store: Store
    config: DataConfig

    def overrides(self) -> list[str]:
        """Return the overrides that open it on the command line."""
        given = {k: v for k, v in vars(self.config).items() if k != "kind" and v is not None}
        keys = [override(f"data.{key}", value) for key, value in given.items()]
        return [f"data={self.config.kind}", *keys]

    def describe(self) -> pd.Series:
        """Return counts, scale and days of the release, and what reading dropped or defaulted.

        Returns
        -------
        Series
            ``dates``: the first and the last day. ``losses``: sentences about whatever was left
            out or cut off in more than 1% of the rows.
        """
        facts = described(self.store)
        facts |= {"dates": span(facts), "losses": list(losses(facts))}
        facts |= {f"notes.{key}": value for key, value in facts.pop("notes").items()}
        for name, of in (("length", self.store.length), ("support", self.store.support)):
            quantiles = pd.Series(of).describe()
            for key in ("mean", "25%", "50%", "75%", "max"):
                facts[f"{name}.{key}"] = float(quantiles[key])
        return pd.Series(facts, name="release", dtype=object)

    def __repr__(self) -> str:
        m, facts = self.store.manifest, described(self.store)
        dates = f", dates from {days}" if (days := span(facts)) else ""
        lost = "".join(f"\n  {sentences}" for sentences in losses(facts))
        return (
            f"Release({m.source}: {m.n_records:,} records × {m.n_items:,} items, "
            f"{m.n_cells:,} cells{dates}{lost})"
        )


def movielens(path: str | Path, cache: str | None = None) -> Release:
    """Open MovieLens data in any of its layouts: a folder, a zip, or the ratings file.

    Parameters
    ----------
    cache : str, optional
        Folder for built stores; the user's cache folder if not given.

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
    cache : str, optional
        See `movielens`.

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
    empty: str = "error",
    cache: str | None = None,
) -> Release:
    """Open a csv, a parquet or a data frame, by the names of its columns.

    Parameters
    ----------
    user, item : str
        Columns of the people and of the items.
    value, date : str, optional
        Columns of ratings or counts, and of dates; the release has none if not given.
    date_unit : {"auto", "iso", "s", "ms", "us", "ns", "days", "excel", "year", "yyyymmdd"}
        ``auto`` recognises dates that can be read in one way only.
    delimiter : str, optional
        Of a csv.
    empty : {"error", "drop", "keep", "drop_blank"}
        Treatment of rows whose person or item is blank or null, or a word such as NA, NaN, None or
        null: an error, or drop and count them. ``keep`` reads the words as identifiers, and blank
        ones are an error; ``drop_blank`` reads the words as identifiers and drops blank ones.
    cache : str, optional
        See `movielens`.

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
    is_frame = isinstance(data, pd.DataFrame)
    config = TableConfig(
        kind="table",
        cache=cache,
        path=FRAME if is_frame else str(data),
        user=user,
        item=item,
        value=value,
        date=date,
        date_unit=date_unit,
        delimiter=None if is_frame else delimiter,
        empty=empty,
    )
    if not isinstance(data, pd.DataFrame):
        return _open(config)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FRAME
        try:
            data.to_parquet(path, index=False)
        except (pa.ArrowException, ValueError) as error:
            why = " ".join(str(error).split())
            raise InputError(
                f"data frame: cannot be used as a table ({why}); give each column one type of "
                "values and a unique name"
            ) from error
        return Release(open_release(dataclasses.replace(config, path=str(path))), config)


def synthetic(preset: str = "default", seed: int = 1, cache: str | None = None) -> Release:
    """Generate a synthetic release.

    Parameters
    ----------
    preset : str
        tiny, default, movielens2006 or netflix.
    cache : str, optional
        See `movielens`.

    Raises
    ------
    ConfigError
        There is no such preset.
    """
    return _open(SyntheticConfig(kind="synthetic", cache=cache, preset=preset, seed=seed))


def _open(config: DataConfig) -> Release:
    return Release(open_release(config), config)
