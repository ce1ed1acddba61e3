"""Bins of time: against pandas, and what becomes of times in a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples
from tables import table_source

from sim.errors import ConfigError, InputError
from sim.release.store.build import build_store
from sim.release.store.manifest import Manifest
from sim.release.store.repeats import Repeats
from sim.release.store.store import Store
from sim.release.store.time_bins import DAY, MAX_BINS, YEAR, TimeBin
from sim.session.release import movielens, table

pytestmark = pytest.mark.fast

FREQUENCY = {"hour": "h", "day": "D", "week": "W-SUN", "month": "M", "15": "15min", "1": "1min"}
"""Periods of pandas: a week that ends on Sunday begins on Monday."""

BINS = [TimeBin.parse(name) for name in (*FREQUENCY, "90", "7", "2880")] + [YEAR]
SECONDS = st.integers(-(10**10), 10**10)


def pandas_numbers(seconds: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """Number of the period of each time, 1970-01-01 being in that of 0."""
    times = pd.to_datetime(pd.Series(seconds), unit="s")
    if name.isdecimal():  # periods of several minutes begin anywhere in pandas
        since = times.dt.floor(FREQUENCY[name]) - pd.Timestamp(0)
        return (since // pd.Timedelta(FREQUENCY[name])).to_numpy()
    periods = times.dt.to_period(FREQUENCY[name])
    first = pd.Period("1970-01-01", FREQUENCY[name])
    return np.array([(period - first).n for period in periods])


@settings(max_examples=examples(25))
@given(seconds=st.lists(SECONDS, min_size=1, max_size=20))
@pytest.mark.parametrize("name", list(FREQUENCY))
def test_numbers_are_those_of_periods_of_pandas(name: str, seconds: list[int]) -> None:
    # pandas has nanoseconds, and so fewer years.
    times = np.clip(np.array(seconds, np.int64), -9_000_000_000, 9_000_000_000)
    assert TimeBin.parse(name).of(times).tolist() == pandas_numbers(times, name).tolist()


@given(seconds=SECONDS, width=st.sampled_from(BINS), other=st.sampled_from(BINS))
def test_a_time_lies_in_its_bin_and_in_all_that_its_bin_refines(
    seconds: int, width: TimeBin, other: TimeBin
) -> None:
    number = width.of(np.array([seconds]))
    begin, end = width.start(number), width.start(number + 1)
    assert begin[0] <= seconds < end[0]
    if width.refines(other):
        assert (other.of(begin) == other.of(end - 1)).all()
    assert width.refines(width)
    if width != YEAR:
        assert TimeBin.parse(str(width)) == width


def test_what_does_not_refine_has_a_counterexample() -> None:
    some = np.arange(-1000, 200_000)
    for width in BINS:
        for other in BINS:
            if not width.refines(other):
                begin, end = width.start(some), width.start(some + 1) - 1
                assert (other.of(begin) != other.of(end)).any(), (width, other)


@pytest.mark.parametrize("given", ["fortnight", 0, -5, 1.5, True, None, "", "year", "600000"])
def test_what_is_no_bin_of_time(given: object) -> None:
    with pytest.raises(ConfigError, match=r"data\.time_bin: .* number of minutes"):
        TimeBin.parse(given)


ROWS = st.lists(
    st.tuples(
        st.integers(1, 3), st.integers(1, 2), st.integers(1, 2),
        # Of a few days, of which some rows are alike but for seconds.
        st.tuples(st.integers(-2, 2), st.sampled_from([0, 1, 3599, 3600, 40_000])).map(
            lambda at: at[0] * 86_400 + at[1]
        ),
    ),
    min_size=1, max_size=30,
)  # fmt: skip


@settings(max_examples=examples(60))
@given(
    rows=ROWS,
    name=st.sampled_from(list(FREQUENCY)),
    rule=st.sampled_from(["all", "latest", "first"]),
)
def test_a_store_in_any_bin_against_pandas(
    make_store: MakeStore, rows: list[tuple[int, int, int, int]], name: str, rule: str
) -> None:
    """Which rows are kept depends on whole times; only then is their bin taken."""
    store = make_store(
        [(who, what, float(value), at / 86_400) for who, what, value, at in rows],
        repeats=Repeats(rule), time_bin=TimeBin.parse(name), block_records=2,
    )  # fmt: skip
    frame = pd.DataFrame(rows, columns=["who", "what", "value", "at"])
    if rule == "all":
        kept = frame.drop_duplicates()
    else:
        ordered = frame.sort_values(["at", "value"])
        kept = ordered.drop_duplicates(
            ["who", "what"], keep="last" if rule == "latest" else "first"
        )
    number = pandas_numbers(kept["at"].to_numpy(), name)
    expected = sorted(zip(kept["who"], kept["what"], kept["value"], number, strict=True))
    assert cells_of(store) == expected
    m, every = store.manifest, pandas_numbers(frame["at"].to_numpy(), name)
    assert (m.time_bin, m.first_day, m.n_days) == (name, every.min(), np.ptp(every) + 1)
    begin = TimeBin.parse(name).start(every)
    assert m.notes["rows whose time was rounded down to its bin"] == (begin != frame["at"]).sum()


def cells_of(store: Store) -> list[tuple[int, int, float, int]]:
    found = []
    for index in range(store.manifest.n_blocks):
        block = store.block(index)
        row = np.repeat(np.arange(block.n_records), np.diff(block.record_start)) + block.first
        found += [
            (store.records[int(r)].as_py(), store.items[int(i)].as_py(),
             float(store.scale[level]), int(day) + store.manifest.first_day)
            for r, i, level, day in zip(
                row, block.record_item, block.record_level, block.record_day, strict=True
            )
        ]  # fmt: skip
    return sorted(found)


VISITS = """who,what,when
ann,zoo,2015-07-01 10:59:59
ann,zoo,2015-07-01 11:00
bob,spa,2015-07-02 23:01
"""


def made(tmp_path: Path, text: str, **options: Any) -> Manifest:
    path = tmp_path / "visits.csv"
    path.write_text(text)
    source = table_source(path, "who", "what", date="when", **options)
    return build_store(source, tmp_path / f"store-{source.fingerprint()[:16]}")


def test_the_bin_is_part_of_what_a_store_is_made_of(tmp_path: Path) -> None:
    """Another bin is another store, even where it has the same numbers."""
    found = [made(tmp_path, VISITS, time_bin=TimeBin.parse(b)) for b in ("day", "hour", "15")]
    assert [m.time_bin for m in found] == ["day", "hour", "15"]
    assert [m.n_days for m in found] == [2, 38, 146]
    assert len({m.input_fingerprint for m in found}) == len({m.fingerprint for m in found}) == 3


def test_dates_without_times_have_no_hours(tmp_path: Path) -> None:
    text = "who,what,when\nann,zoo,2015-07-01\n"
    with pytest.raises(InputError, match=r"no time of day.*set data\.time_bin=day"):
        made(tmp_path, text, time_bin=TimeBin.parse("hour"))
    assert made(tmp_path, text, time_bin=TimeBin.parse("month")).first_day == 45 * 12 + 6
    # Without any date there is nothing to be put into bins.
    assert not made(tmp_path, "who,what,when\nann,zoo,\n", time_bin=TimeBin.parse("hour")).has_days


def test_written_midnights_have_hours_and_are_suspicious(tmp_path: Path) -> None:
    found = made(tmp_path, "who,what,when\na,z,2015-07-01 00:00\n", time_bin=TimeBin.parse("hour"))
    assert found.notes["times of day"] == "all midnight, though times are written"


def test_too_many_bins_name_the_narrowest_that_fit(tmp_path: Path) -> None:
    text = "who,what,when\nann,zoo,2000-01-01 00:00\nbob,zoo,2010-01-01 00:00\n"
    with pytest.raises(InputError, match=r"span 87673 hours.*set data\.time_bin=90, or wider"):
        made(tmp_path, text, time_bin=TimeBin.parse("hour"))
    assert made(tmp_path, text, time_bin=TimeBin.parse(90)).n_days <= MAX_BINS


def test_a_data_frame_in_hours(tmp_path: Path) -> None:
    when = pd.to_datetime(["2015-07-01 10:59", "2015-07-01 11:00", "2015-07-03 00:00"])
    frame = pd.DataFrame({"who": [1, 1, 2], "what": [7, 7, 8], "when": when})
    columns = {"user": "who", "item": "what", "date": "when", "cache": str(tmp_path)}
    release = table(frame, **columns, time_bin="hour")  # type: ignore[arg-type]
    described = release.describe()
    assert (described.time_bin, described.cells) == ("hour", 3)
    assert described.dates == "2015-07-01 10:00 to 2015-07-03 00:00"
    assert described.dates in str(described)
    assert described.rows_with_time_cut == 1
    assert "data.time_bin=hour" in release.overrides()
    assert table(frame, **columns).store.manifest.bins == DAY  # type: ignore[arg-type]


def test_movielens_in_hours(tmp_path: Path) -> None:
    """Its rows have seconds; the bin is part of what the store is found by."""
    (tmp_path / "ratings.dat").write_text("1::10::5::3600\n1::11::3::10799\n2::10::4::86400\n")
    hours = movielens(tmp_path, str(tmp_path / "cache"), time_bin="hour").store.manifest
    assert (hours.time_bin, hours.first_day, hours.n_days) == ("hour", 1, 24)
    days = movielens(tmp_path, str(tmp_path / "cache")).store.manifest
    assert (days.time_bin, days.first_day, days.n_days) == ("day", 0, 2)
