"""Open a release from Python."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

from sim.config.compose import composed
from sim.config.schema import (
    DataConfig,
    MovieLensConfig,
    NetflixConfig,
    SyntheticConfig,
    TableConfig,
)
from sim.errors import ConfigError, InputError, StandoutError
from sim.extend.overrides import override, plain
from sim.record.run_record import FRAME
from sim.release.readers.column_choice import Names
from sim.release.readers.table_options import TableOptions
from sim.release.readers.unreadable_rows import USUAL
from sim.release.store.store import Store
from sim.report.description import lines_of_reading
from sim.report.page.notebook import preformatted
from sim.session.arguments import with_checked_arguments
from sim.session.choose_columns import TableReading, columns_not_chosen, with_columns
from sim.session.description import Description, describe, record_of_data
from sim.session.frames import NAME, Frame, save_frame
from sim.session.keywords import as_keywords, with_known_keywords
from sim.session.open_release import open_release
from sim.session.reading import column_choice


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
        """Return the overrides that open it on the command line: what differs from the defaults."""
        from omegaconf import OmegaConf

        kind = f"data={self.config.kind}"
        usual = dict(OmegaConf.to_container(composed([kind]).data))  # type: ignore[arg-type]
        own = {key: value for key, value in vars(self.config).items() if value != usual[key]}
        return [kind, *(override(f"data.{key}", value) for key, value in own.items())]

    def describe(self) -> Description:
        """Describe what was read: counts, quantiles, and findings about the data.

        Returns
        -------
        Description
            Prints as the table of ``standout describe``.
        """
        return describe(self.store, self.config)

    def _repr_html_(self) -> str:
        return str(preformatted(str(self.describe())))

    def __repr__(self) -> str:
        lines = "\n  ".join(lines_of_reading(record_of_data(self.store, self.config)))
        return f"Release({lines})"


@with_known_keywords
@with_checked_arguments
def movielens(
    path: str | Path, cache: str | Path | None = None, *, time_bin: str | int = "day"
) -> Release:
    """Open MovieLens data in any of its layouts: a folder, a zip, or the ratings file.

    Parameters
    ----------
    cache : str or Path, optional
        Folder for built stores; the user's cache folder if not given.
    time_bin : {"day", "hour", "week", "month"} or int
        Resolution of the times; a number is one of minutes.

    Raises
    ------
    InputError
        The data are missing or cannot be read.
    """
    return _open(
        MovieLensConfig(kind="movielens", cache=_text(cache), path=str(path), time_bin=time_bin)
    )


@with_known_keywords
@with_checked_arguments
def netflix(path: str | Path, cache: str | Path | None = None) -> Release:
    """Open the Netflix Prize data in either layout.

    Parameters
    ----------
    cache : str or Path, optional
        See `movielens`.

    Raises
    ------
    InputError
        The data are missing or cannot be read.
    """
    return _open(NetflixConfig(kind="netflix", cache=_text(cache), path=str(path)))


class TableSettings(TypedDict, total=False):
    """How a table is read, as of ``data.*``; whatever is not given keeps its default there."""

    date_unit: str
    date_format: str | None
    decimal: str
    delimiter: str | None
    encoding: str | None
    empty: str
    max_unread: float
    header: bool | None
    quotes: str | None
    multiline: bool
    zeros: str | None
    placeholders: Sequence[str | float]
    shape: str | None
    repeats: str | None
    value_bins: str | Sequence[float]
    time_bin: str | int


@with_known_keywords
@with_checked_arguments
def table(
    data: str | Path | Frame,
    *,
    user: Names | None = None,
    item: Names | None = None,
    value: str | None = None,
    date: Names | None = None,
    cache: str | Path | None = None,
    **settings: Unpack[TableSettings],
) -> Release:
    """Open a csv, a parquet or a data frame, by the names of its columns.

    Parameters
    ----------
    data : str, Path, data frame, or iterable of record batches
        A file or a folder; or a data frame of pandas, polars or pyarrow, a relation of DuckDB, or
        anything else with ``__arrow_c_stream__``; or batches one by one.
    user, item : str or list of str
        Columns of the people and of the items; of several, the tuple of their cells. Of a file,
        they are recognised where they are clear; else the error lists the columns.
    value : str, optional
        Column of ratings or counts; the release has none if not given.
    date : str or list of str, optional
        Column of dates, or of their parts: ``["year", "month", "day"]``.
    date_unit : {"auto", "iso", "s", "ms", "us", "ns", "days", "excel", "year", "yyyymmdd"}
        ``auto`` recognises dates that can be read in one way only.
    date_format : str, optional
        Of dates as text, as of `strptime`.
    decimal : {".", ","}
        The decimal point of numbers in text.
    delimiter, encoding : str, optional
        Of text; found out if not given.
    empty : {"error", "drop", "keep", "drop_blank"}
        Treatment of rows whose person or item is blank or null, or a word such as NA, NaN, None or
        null: an error, or drop and count them. ``keep`` reads the words as identifiers, and blank
        ones are an error; ``drop_blank`` reads the words as identifiers and drops blank ones.
    max_unread : float
        Share of rows that may be left out as a value or a date cannot be read, or the number of
        cells is wrong: they are counted, and listed in ``unread.csv``.
    header : bool, optional
        Of text: whether the first line names the columns; if not, they are ``column1``, …
    quotes : {"double", "none"}, optional
        Of text: ``none`` takes quotes as text.
    multiline : bool
        Whether cells of text may hold line ends.
    zeros : {"keep", "drop"}, optional
        Treatment of rows whose value is 0, where they may say that there was no event.
    placeholders : list of str or float, optional
        Cells that stand for none: ``[99, "1900-01-01", "unknown"]``.
    shape : {"rows", "lists", "columns"}, optional
        Each row is an event of a person, whatever it looks like; or several, whose items are the
        parts of a list, or several columns.
    repeats : {"all", "cells", "count", "sum", "latest", "first"}, optional
        What becomes of rows that have the same person and item: every row is a cell (of copies in
        everything one, or each of them, as in a file that was published), or one cell
        has their number, the sum of their values, the latest or the earliest of them. By default
        ``all`` for dates without values, ``count`` for neither, ``latest`` for values.
    value_bins : str, list or array of float
        ``log2``, ``quantiles:N``, or the edges of bins of values; ``none`` keeps every value.
        ``auto``, the default, puts more than 255 distinct values into bins: ``log2`` for counts
        and for sums of whole numbers, else ``quantiles:255``.
    time_bin : {"day", "hour", "week", "month"} or int
        Resolution of the times; a number is one of minutes.
    cache : str or Path, optional
        See `movielens`.

    Raises
    ------
    InputError
        The data are missing or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> import pandas as pd
    >>> visits = pd.DataFrame({"who": ["ann", "ann", "bob"], "where": ["zoo", "spa", "zoo"]})
    >>> with tempfile.TemporaryDirectory() as cache:
    ...     release = table(visits, user="who", item="where", cache=cache)
    ...     release.describe().cells
    3
    """
    is_path = isinstance(data, (str, Path))
    # Names and edges may be of NumPy or pandas: the configuration has lists of plain ones.
    user, item, value, date = (plain(names) for names in (user, item, value, date))
    settings = cast(TableSettings, plain(settings))
    config = TableConfig(
        kind="table",
        cache=_text(cache),
        path=str(data) if is_path else FRAME,
        user=user,
        item=item,
        value=value,
        date=date,
        **{**_AS_WRITTEN, **_OTHERS, **settings},
    )
    if isinstance(data, (str, Path)):
        try:
            return _open(with_columns(config))
        except (InputError, ConfigError) as error:
            raise _as_called(error) from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FRAME
        known = config.user is not None and config.item is not None
        save_frame(data, path, column_choice(config) if known else None)
        try:
            saved = dataclasses.replace(config, path=str(path))
            if not known:  # a stream has been read, and cannot be read again
                raise columns_not_chosen(TableReading.of(saved))
            store = open_release(saved)
        except (InputError, ConfigError) as error:
            raise _as_called(error, path) from None
    return Release(store, config)


def _as_called(error: StandoutError, frame: Path | None = None) -> StandoutError:
    """Return an error of reading a table in the words of a caller of `table`.

    Parameters
    ----------
    frame : Path, optional
        Where a data frame was saved, which the caller does not know of.
    """
    text = str(error) if frame is None else str(error).replace(str(frame), NAME)
    first, *lines = map(as_keywords, text.split("\n"))
    return type(error)(first, lines)


_AS_WRITTEN: dict[str, Any] = {
    key: value
    for key, value in dataclasses.asdict(TableOptions(max_unread=USUAL)).items()
    if key != "group"
}
_OTHERS: dict[str, Any] = {
    "placeholders": [],
    "repeats": None,
    "value_bins": "auto",
    "time_bin": "day",
}


@with_known_keywords
@with_checked_arguments
def synthetic(preset: str = "default", seed: int = 1, cache: str | Path | None = None) -> Release:
    """Generate a synthetic release.

    Parameters
    ----------
    preset : str
        tiny, default, movielens2006 or netflix; or, of events, visits, purchases or shopping;
        or amazon2023, or amazon2023_100, a hundredth of it.
    cache : str or Path, optional
        See `movielens`.

    Raises
    ------
    ConfigError
        There is no such preset.
    """
    return _open(SyntheticConfig(kind="synthetic", cache=_text(cache), preset=preset, seed=seed))


def _text(path: str | Path | None) -> str | None:
    return None if path is None else str(path)


def _open(config: DataConfig) -> Release:
    return Release(open_release(config), config)
