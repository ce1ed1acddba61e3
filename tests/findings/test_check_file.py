"""The check passes a file that the run read in full, byte for byte, and no other."""

from __future__ import annotations

import gzip
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from auditing import table_of

import sim
from sim.cli.check import check_command
from sim.config.compose import composed
from sim.errors import ConfigError, InputError
from sim.findings.check import FILE_HOLDS_MORE, OTHER_FILE
from sim.findings.reading import unread_findings
from sim.session.open_release import described


def attacked(data: pd.DataFrame | Path, folder: Path, cache: str) -> None:
    """Audit a table by one attacker, against a bound of 9%."""
    release = sim.table(data, user="who", item="what", cache=cache)
    sim.audit(release, folder=folder, attackers=["insider"], max_risk=0.09)


def kinds_of(folder: Path, file: Path | None = None) -> set[str]:
    """The kinds of what a check finds."""
    return {one.kind for one in sim.check(folder, max_risk=0.09, file=file).runs[0].findings}


def seen_unread(data: pd.DataFrame | Path, folder: Path, **columns: Any) -> list[str]:
    """What the data hold more than what is read, which no check lets pass: kind, name and list."""
    chosen = {"user": "who", "item": "what"} | columns
    release = sim.table(data, **chosen, cache=str(folder / "cache"))
    found = unread_findings(described(release.store))
    listed = ((one, one.numbers.get("listed") or one.numbers.get("form")) for one in found)
    return [f"{one.kind} {one.name} ({told})" for one, told in listed]


def test_a_file_that_holds_more_than_was_read_is_not_within(tmp_path: Path) -> None:
    """Everybody is unique by what was not read, and nobody by what was."""
    path, folder = tmp_path / "all.csv", tmp_path / "run"
    table_of([(1, 2, 3, 4)] * 12).assign(born=range(48)).to_csv(path, index=False)
    attacked(path, folder, str(tmp_path / "cache"))
    asked = [str(folder), "max_risk=0.09"]
    assert check_command(asked) == 1
    assert check_command([*asked, "attackers=insider"]) == 1  # no other way than to say it
    assert check_command([*asked, "released=as_read"]) == 0
    assert FILE_HOLDS_MORE.name in kinds_of(folder)
    # The file itself, named as what is to be released, is not only what was read of it.
    assert check_command([*asked, "released=as_read", f"data.path={path}"]) == 1
    assert FILE_HOLDS_MORE.name in kinds_of(folder, path)
    with pytest.raises(ConfigError, match=r"released: 'all': expected one of file, as_read"):
        check_command([*asked, "released=all"])


@pytest.mark.parametrize(
    ("more", "columns", "lost"),
    [
        ({"Nr. of order": ["7"] * 48}, {}, "columns_unread columns (1: Nr. of order)"),
        ({"day": [f"2026-01-01 10:{n:02d}" for n in range(48)]}, {"date": "day"}, "times_cut"),
        (
            {"day": ["2024-01-07T01:00:00+01:00"] * 47 + ["2024-01-07T09:00:00+09:00"]},
            {"date": "day"},
            "part_unread time zones (2: +01:00, +09:00)",
        ),
        (
            {"day": ["2024-01-07"] * 47 + ["2024-01-07T00:00:00"]},
            {"date": "day"},
            "part_unread which dates have a time of day",
        ),
        (
            {"day": [f"2024-01-07T00:00:00.{n // 4:03d}" for n in range(48)]},
            {"date": "day"},
            "part_unread fractions of a second (cut off",
        ),
        (
            {"score": [str(2**62 + n // 4) for n in range(48)]},
            {"value": "score"},
            "part_unread digits beyond 15 of values (44)",
        ),
        (
            {"score": [f"3.{n // 4:030d}" for n in range(48)]},
            {"value": "score"},
            "part_unread digits beyond 15 of values (44)",
        ),
        (
            {"home": ["ab"[n % 8 // 4] for n in range(48)]},
            {"user": ["who", "home"]},
            "part_unread who is alike in one of several columns (2: who, home)",
        ),
        (
            {"who": [f"p{n // 4}@example.org" for n in range(48)]},
            {},
            "people_named people (e-mail addresses)",
        ),
        (
            {"who": [f"Anna {'ABCDEFGHIJKL'[n // 4]}umann" for n in range(48)]},
            {},
            "people_named people (names)",
        ),
    ],
)
def test_what_a_file_holds_more_is_seen(
    tmp_path: Path, more: dict[str, list[str]], columns: dict[str, Any], lost: str
) -> None:
    path = tmp_path / "all.csv"
    table_of([(1, 2, 3, 4)] * 12).assign(**more).to_csv(path, index=False)
    assert lost in " ".join(seen_unread(path, tmp_path, **columns))


def _by_mail(frame: pd.DataFrame, name: str | None) -> pd.DataFrame:
    return frame.set_axis(pd.Index(frame["who"].astype(str) + "@example.org").rename(name))


def _with_a_time_of_another_zone(frame: pd.DataFrame) -> pd.DataFrame:
    times = [pd.Timestamp("2024-01-07", tz="UTC")] * len(frame)
    times[7] = times[7].tz_convert("Asia/Tokyo")
    return frame.assign(day=pd.Series(times, frame.index, object))


@pytest.mark.parametrize(
    ("change", "lost"),
    [
        (
            lambda frame: _by_mail(frame, "mail"),
            "columns_unread columns (1: mail (index))",
        ),
        (
            lambda frame: _by_mail(frame, None),
            "columns_unread columns (1: unnamed index (reset_index(drop=True) drops it))",
        ),
        (
            lambda frame: frame.set_index(["who", "what"], drop=False),
            "columns_unread columns (2: who (index 1), what (index 2))",
        ),
        (
            lambda frame: frame.set_axis([0] * len(frame)),  # of people or orders, and not of rows
            "columns_unread columns (1: unnamed index (reset_index(drop=True) drops it))",
        ),
        (lambda frame: frame.set_axis(pd.RangeIndex(7, 7 * len(frame) + 1, 7)), ""),
        (
            lambda frame: frame.set_axis([10 * n + n % 3 for n in range(len(frame))]),  # of orders
            "columns_unread columns (1: unnamed index (reset_index(drop=True) drops it))",
        ),
        (
            lambda frame: pd.concat({"jan": frame.head(24), "feb": frame.tail(24)}),
            "columns_unread columns (2: unnamed index 1 (reset_index",
        ),
        (_with_a_time_of_another_zone, "time zones (2: +00:00, +09:00)"),
        (lambda frame: frame.assign(note=1).drop(columns="note"), ""),
        (lambda frame: pd.concat([frame, frame.tail(3)], ignore_index=True).head(len(frame)), ""),
        (lambda frame: frame[::-1], ""),
    ],
)
def test_a_frame_holds_what_its_file_would(
    tmp_path: Path, change: Callable[[pd.DataFrame], pd.DataFrame], lost: str
) -> None:
    """An index tells something, as a column does, unless it counts the rows; so do time zones."""
    frame = change(table_of([(1, 2, 3, 4)] * 12))
    day = {"date": "day"} if "day" in frame else {}
    found = seen_unread(frame, tmp_path, **day)
    assert bool(found) == bool(lost)
    assert lost in " ".join(found)


def test_a_file_passes_that_was_read_byte_for_byte(tmp_path: Path) -> None:
    """The same rows in another order, in another form, or with a row more are not known."""
    folder, cache = tmp_path / "run", str(tmp_path / "cache")
    everyone = table_of([range(20)] * 60)
    read = tmp_path / "t.csv"
    everyone.to_csv(read, index=False)
    attacked(read, folder, cache)
    moved = shutil.copy(read, tmp_path / "moved.csv")
    everyone[::-1].to_csv(tmp_path / "order.csv", index=False)
    everyone.to_parquet(tmp_path / "form.parquet", index=False)
    everyone.head(-1).to_csv(tmp_path / "fewer.csv", index=False)
    everyone.rename(columns={"who": "person"}).to_csv(tmp_path / "columns.csv", index=False)
    (tmp_path / "gzip.csv.gz").write_bytes(gzip.compress(read.read_bytes()))
    for path in (read, Path(moved)):
        assert sim.check(folder, max_risk=0.09, file=path)
        assert OTHER_FILE.name not in kinds_of(folder, path)
    for name in ("order.csv", "form.parquet", "fewer.csv", "columns.csv", "gzip.csv.gz"):
        assert not sim.check(folder, max_risk=0.09, file=tmp_path / name)
        assert OTHER_FILE.name in kinds_of(folder, tmp_path / name)


def test_the_command_audits_the_other_file(tmp_path: Path) -> None:
    everyone = table_of([range(20)] * 60).rename(columns={"who": "a person"})
    everyone.to_csv(tmp_path / "t.csv", index=False)
    release = sim.table(tmp_path / "t.csv", user="a person", item="what", cache=str(tmp_path))
    sim.audit(release, folder=tmp_path / "run", attackers=["insider"], max_risk=0.09)
    everyone.head(-1).to_csv(tmp_path / "other one.csv", index=False)
    found = sim.check(tmp_path / "run", file=tmp_path / "other one.csv")
    (other,) = [one for one in found.runs[0].findings if one.kind == OTHER_FILE.name]
    words = shlex.split(other.numbers["command"])
    assert words[:3] == ["standout", "audit", str(tmp_path / "other one.csv")]
    assert composed(["data=table", *words[3:]]).data.user == "a person"


def test_what_defences_changed_is_no_file(tmp_path: Path) -> None:
    """The original was read, and something else was attacked."""
    path = tmp_path / "t.csv"
    table_of([range(20)] * 60).to_csv(path, index=False)
    release = sim.table(path, user="who", item="what", cache=str(tmp_path / "cache"))
    folder = tmp_path / "run"
    sim.audit(
        release, folder=folder, attackers=["insider"], max_risk=0.09, defence=["drop_popular"],
        options={"defence.drop_popular.top": 1},
    )  # fmt: skip
    assert not sim.check(folder, max_risk=1, file=path)
    assert OTHER_FILE.name in kinds_of(folder, path)


def test_files_that_are_not_read_are_seen_whatever_was_read_before(tmp_path: Path) -> None:
    """A store of the same parts, read when nothing else lay in the folder, does not hide them."""
    folder, cache, parts = tmp_path / "run", str(tmp_path / "cache"), tmp_path / "parts"
    parts.mkdir()
    table_of([(1, 2, 3, 4)] * 12).to_parquet(parts / "a.parquet")
    attacked(parts, folder, cache)
    assert sim.check(folder, file=parts)
    (parts / "_secret.csv").write_text("who,born\n1,1970\n", encoding="utf-8")
    assert not sim.check(folder, file=parts)
    assert "other files of the folder (1: _secret.csv)" in " ".join(seen_unread(parts, tmp_path))
    (parts / "_secret.csv").unlink()
    assert sim.check(folder, file=parts)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_in_the_names_of_folders_are_seen(tmp_path: Path, kind: str) -> None:
    parts = tmp_path / "parts"
    everyone = table_of([(1, 2, 3, 4)] * 12).astype(str)
    for name, rows in (("flu", everyone[:8]), ("none", everyone[8:])):
        (parts / f"ill={name}").mkdir(parents=True)
        part = parts / f"ill={name}" / f"part.{kind}"
        rows.to_csv(part, index=False) if kind == "csv" else rows.to_parquet(part, index=False)
    assert "(1: ill)" in " ".join(seen_unread(parts, tmp_path))


def test_every_run_of_a_sweep_is_compared_with_the_file(tmp_path: Path) -> None:
    table_of([(1, 2, 3, 4)] * 12).to_csv(tmp_path / "t.csv", index=False)
    run = tmp_path / "own"
    attacked(tmp_path / "t.csv", run, str(tmp_path / "cache"))
    shutil.copytree(run, tmp_path / "sweep" / "0")
    path = f"data.path={tmp_path / 't.csv'}"
    assert check_command([str(tmp_path / "sweep"), "max_risk=0.09", path]) == 0
    with pytest.raises(InputError, match="no such file"):
        check_command([str(run), "max_risk=0.09", "data.path=gone.csv"])
    with pytest.raises(ConfigError, match=r"data\.user"):
        check_command([str(run), "max_risk=0.09", path, "data.user=who"])
