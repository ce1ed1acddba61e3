"""Studies of releases whose times are no days: the same as in days, but for the unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sim
from sim.adversary.aux import NO_DAY
from sim.adversary.external import External
from sim.defence.jitter_time import JitterTime
from sim.errors import ConfigError, GridError
from sim.session.release import Release, table

pytestmark = pytest.mark.usefixtures("no_drawings")

SECONDS = {"day": 86_400, "hour": 3600, "15": 900, "week": 7 * 86_400}
UNIT = {"day": "d", "hour": "h", "week": "w"}


def visits(seed: int = 3, people: int = 60, cells: int = 900) -> pd.DataFrame:
    """Visits of people, each with a whole number of bins."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "who": rng.integers(1, people, cells),
            "where": rng.integers(1, 25, cells),
            "stars": rng.integers(1, 6, cells).astype(float),
            "bin": rng.integers(0, 200, cells),
        }
    )


def release_in(name: str, cache: Path, frame: pd.DataFrame, **options: Any) -> Release:
    """The same visits, a bin of their number being one of this width."""
    # A Monday, where weeks, days and hours begin.
    when = 946_857_600 + frame["bin"] * SECONDS[name] + (SECONDS[name] // 3 if name != "day" else 0)
    columns = {"user": "who", "item": "where", "value": "stars", "date": "when"}
    return table(
        frame.assign(when=when.astype(np.int64)).drop(columns="bin"),
        **columns, **{"repeats": "all", "time_bin": name, "date_unit": "s", **options},
        cache=str(cache),
    )  # fmt: skip


LABELS = {"day": [0, 3, 14], "hour": ["0h", "3h", "14h"], "week": ["0w", "21", "98"]}


@pytest.mark.parametrize("attack", ["bayes", "neighbourhood", "scoreboard_rh"])
def test_bins_of_any_width_are_attacked_alike(tmp_path: Path, attack: str) -> None:
    """With errors in the unit of the bins, all that is found is the same."""
    found = []
    for width, labels in LABELS.items():
        release = release_in(width, tmp_path / "cache", visits())
        noise = [0, f"3{UNIT[width]}", f"14{UNIT[width]}"]
        options = {"bayes_targets": 0}
        if attack == "scoreboard_rh":  # its similarity has a scale of days
            options["attack.d0"] = 30 * SECONDS[width] / 86_400
        grid = {"aux": ["2/2", "3/4"], "date_noise": noise, "value_noise": [1]}
        result = sim.run(release, attack, grid=grid, targets=30, options=options)
        assert result.curves["date_noise"].tolist() == labels * 2
        found.append(result.decisions)
    one, *others = found
    exact = [c for c in one.columns if not pd.api.types.is_float_dtype(one[c])]
    for other in others:
        pd.testing.assert_frame_equal(one[exact], other[exact])
        # By Scoreboard-RH up to rounding.
        pd.testing.assert_frame_equal(one, other, check_exact=attack != "scoreboard_rh")


def test_what_is_said_of_hours(tmp_path: Path) -> None:
    """Defaults of days hold in hours; other units are in the words of the report."""
    release = release_in("hour", tmp_path / "cache", visits(cells=400))
    grid = {"aux": ["2/2"], "date_noise": [0, "2h", None]}
    result = sim.run(release, grid=grid, targets=10, folder=tmp_path / "run")
    assert result.curves["date_noise"].tolist()[:2] == ["0h", "2h"]
    report = (tmp_path / "run" / "report.html").read_text()
    for words in ("times ±2 hours", "times exact to the hour", "2000-01-03 00:00 to"):
        assert words in report
    defaults = sim.run(
        release, targets=10, folder=tmp_path / "defaults", options={"grid.aux": ["2/2"]}
    )
    assert defaults.curves["date_noise"].tolist() == ["50h"]  # a quarter of 200 hours
    said = (tmp_path / "defaults" / "report.html").read_text()
    assert "more than a quarter of the time that the release spans" in said
    with pytest.raises(GridError, match=r"grid\.date_noise: 90min: 90 minutes is no whole number"):
        sim.run(release, grid={"date_noise": ["90min"]})
    with pytest.raises(ConfigError, match=r"grid\.date_noise: 2 hours: expected whole days, or a"):
        sim.run(release, grid={"date_noise": ["2 hours"]})


def test_a_jitter_in_hours(tmp_path: Path) -> None:
    release = release_in("hour", tmp_path / "cache", visits(cells=400))
    grid = {"aux": ["2/2"], "date_noise": ["2h"]}
    for defence in (JitterTime(date_noise="3h"), JitterTime(date_noise="180min")):
        found = sim.run(
            release, "bayes", defence=[defence], grid=grid, targets=10, folder=tmp_path / "run"
        )
    facts = found.record["release"]
    assert facts["time_bin"] == "hour"
    assert 200 <= facts["n_days"] <= 206
    assert "jitter_time.date_noise=3h" in (tmp_path / "run" / "report.html").read_text()
    with pytest.raises(GridError, match=r"jitter_time\.date_noise: 30min: 30 minutes is no whole"):
        sim.run(release, "bayes", defence=[JitterTime(date_noise="30min")], grid=grid)


def test_another_table_has_the_bins_of_the_release(tmp_path: Path) -> None:
    """What another table knows of the same visits is what the release holds of them, in hours."""
    frame = visits(cells=400)
    release = release_in("hour", tmp_path / "cache", frame)
    other = tmp_path / "other.csv"
    when = pd.to_datetime(946_857_600 + frame["bin"] * 3600 + 600, unit="s")
    frame.assign(when=when.dt.strftime("%Y-%m-%d %H:%M")).to_csv(other, index=False)
    options = {
        "adversary.path": str(other), "adversary.user": "who", "adversary.item": "where",
        "adversary.date": "when", "adversary.values": "none",
    }  # fmt: skip
    found = people(release, tmp_path, options)
    both = found["day"].notna()
    assert both.any()
    hours = set(zip(frame["who"], frame["where"], 946_857_600 // 3600 + frame["bin"], strict=True))
    rows = zip(found["person"][both], found["item"][both], found["day"][both], strict=True)
    assert set(map(tuple, ((int(a), int(b), int(c)) for a, b, c in rows))) <= hours
    days = tmp_path / "days.csv"
    frame.assign(when=when.dt.strftime("%Y-%m-%d")).to_csv(days, index=False)
    with pytest.raises(sim.errors.InputError, match=r"no time of day"):
        people(release, tmp_path, options | {"adversary.path": str(days)})


def people(release: Release, folder: Path, options: dict[str, Any]) -> pd.DataFrame:
    from sim.config.compose import composed, configured
    from sim.session.people import grid_of

    given = composed(
        ["adversary=external", "grid=people", *(f"{k}={v}" for k, v in options.items())]
    )
    (cell,) = grid_of(configured(given), folder / "other", release.store.manifest.bins)
    external = cell.adversary
    assert isinstance(external, External)
    everyone = np.flatnonzero(external.eligible(release.store, 1))
    drawn = external.draw(release.store, 0, everyone, 1)
    day = drawn.aux.day.astype(float) + release.store.manifest.first_day
    return pd.DataFrame(
        {
            "person": external.people.take(np.repeat(everyone, drawn.aux.size)).to_pandas(),
            "item": release.store.items.take(drawn.aux.item).to_pandas(),
            "day": np.where(drawn.aux.day == NO_DAY, np.nan, day),
        }
    )


def test_dates_of_another_site_are_off_by_whole_bins(tmp_path: Path) -> None:
    """The default of days becomes a bin where bins are wider, and that is said."""
    release = release_in("week", tmp_path / "cache", visits())
    options = {
        "adversary": "elsewhere",
        "grid": "people",
        "grid.present": [True],
        "bayes_targets": 0,
    }
    found = sim.run(release, targets=10, folder=tmp_path / "run", options=options)
    assert found.record["config"]["adversary"]["date_noise"] == 7
    said = (tmp_path / "run" / "report.html").read_text()
    assert (
        "dates ±3 days (the release has no dates, or none as fine; instead dates ±7 days)" in said
    )
    with pytest.raises(ConfigError, match=r"adversary\.date_noise: 3: 3 days is no whole number"):
        sim.run(release, targets=10, options=options | {"adversary.date_noise": 3})
