"""The check compares a file with what was attacked, and sees what else the file holds."""

from __future__ import annotations

import bz2
import gzip
import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from auditing import TESTED, table_of

import sim
from sim.cli.check import check_command
from sim.cli.describe import describe_command
from sim.errors import ConfigError, InputError
from sim.findings.reading import unread_findings
from sim.session.open_release import described


def _said(lost: str) -> str:
    """Return the part of what is lost that a check names: what stands in parentheses."""
    return lost[lost.find("(") :] if "(" in lost else ""


def attacked(data: pd.DataFrame | Path, folder: Path, cache: str) -> None:
    """Audit a table by one attacker, against a bound of 9%."""
    release = sim.table(data, user="who", item="what", cache=cache)
    sim.audit(release, folder=folder, attackers=["insider"], max_risk=0.09)


def seen_unread(data: pd.DataFrame | Path, folder: Path, **columns: Any) -> list[str]:
    """What the data hold more than what is read, which no check lets pass: kind, name and list."""
    chosen = {"user": "who", "item": "what"} | columns
    release = sim.table(data, **chosen, cache=str(folder / "cache"))
    found = unread_findings(described(release.store))
    listed = ((one, one.numbers.get("listed") or one.numbers.get("form")) for one in found)
    return [f"{one.kind} {one.name} ({told})" for one, told in listed]


def test_a_file_that_holds_more_than_was_read_is_not_within(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everybody is unique by what was not read, and nobody by what was."""
    path, folder = tmp_path / "all.csv", tmp_path / "run"
    table_of([(1, 2, 3, 4)] * 12).assign(born=range(48)).to_csv(path, index=False)
    cache = str(tmp_path / "cache")
    chosen = {"user": "who", "item": "what"}
    lost = "(1: born)"
    release = sim.table(path, **chosen, cache=cache)
    audit = sim.audit(release, folder=folder, attackers=["insider"], max_risk=0.09)
    assert audit.record["release"]["notes"]["columns that were not read"] == "1: born"
    asked = [str(folder), "max_risk=0.09"]
    assert check_command(asked) == 1
    printed = capsys.readouterr().out
    assert lost in " ".join(printed.split())
    last = printed.splitlines()[-1]
    assert last.startswith("not tested: 1 of 2; within: 1 (one who sees the file)")
    assert check_command([*asked, "attackers=insider"]) == 1  # no other way than to say it
    assert check_command([*asked, "released=as_read"]) == 0
    (reason,) = sim.check(folder, max_risk=0.09).reasons
    assert "or say released=as_read" in reason
    assert lost in reason
    assert sim.check(folder, max_risk=0.09).to_dict()["runs"][0]["compared_with"] is None
    # The file itself, named as what is to be released, is not only what was read of it.
    given = [f"data.path={path}", f"data.cache={cache}"]
    names = [f"data.{key}={column}" for key, column in chosen.items()]
    assert check_command([*asked, "released=as_read", "data=table", *given, *names]) == 1
    capsys.readouterr()
    assert check_command([*asked, "data=table", *given, *names, "format=json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["runs"][0]["compared_with"] == str(path)
    (reason,) = found["reasons"]
    assert "Publish what standout publish writes" in reason
    assert "released=as_read" not in reason  # it would be refused of a file that is named
    fingerprint = f"fingerprint={release.describe().fingerprint}"
    assert check_command([*asked, "released=as_read", fingerprint]) == 0
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


def test_a_single_row_that_was_left_out_is_seen_in_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One in a thousand, of nobody: it may still tell something."""
    folder, cache = tmp_path / "run", str(tmp_path / "cache")
    everyone = table_of([range(20)] * 60)
    everyone.to_csv(tmp_path / "t.csv", index=False)
    row = pd.DataFrame({"who": [None], "what": [99]}, dtype="object")
    pd.concat([everyone, row]).to_csv(tmp_path / "more.csv", index=False)
    attacked(tmp_path / "t.csv", folder, cache)
    keys = ["data=table", "data.user=who", "data.item=what", f"data.cache={cache}"]
    assert check_command([str(folder), *keys, f"data.path={tmp_path / 't.csv'}"]) == 0
    keys += [f"data.path={tmp_path / 'more.csv'}", "data.empty=drop"]
    assert check_command([str(folder), *keys]) == 1
    assert "1 of 1,201 rows" in " ".join(capsys.readouterr().out.split())


def test_files_that_are_not_read_are_seen_whatever_was_read_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A store of the same parts, read when nothing else lay in the folder, does not hide them."""
    folder, cache, parts = tmp_path / "run", str(tmp_path / "cache"), tmp_path / "parts"
    parts.mkdir()
    table_of([(1, 2, 3, 4)] * 12).to_parquet(parts / "a.parquet")
    attacked(parts, folder, cache)
    asked = [str(folder), f"data.path={parts}", "data=table", "data.user=who", "data.item=what"]
    asked.append(f"data.cache={cache}")
    assert check_command(asked) == 0
    (parts / "_secret.csv").write_text("who,born\n1,1970\n", encoding="utf-8")
    capsys.readouterr()
    assert check_command(asked) == 1
    assert "other files of the folder (1: _secret.csv)" in " ".join(capsys.readouterr().out.split())
    (parts / "_secret.csv").unlink()
    assert check_command(asked) == 0


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_columns_in_the_names_of_folders_are_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    folder, cache, parts = tmp_path / "run", str(tmp_path / "cache"), tmp_path / "parts"
    everyone = table_of([(1, 2, 3, 4)] * 12).astype(str)
    attacked(everyone, folder, cache)
    for name, rows in (("flu", everyone[:8]), ("none", everyone[8:])):
        (parts / f"ill={name}").mkdir(parents=True)
        part = parts / f"ill={name}" / f"part.{kind}"
        rows.to_csv(part, index=False) if kind == "csv" else rows.to_parquet(part, index=False)
    asked = [str(folder), f"data.path={parts}", "data=table", "data.user=who", "data.item=what"]
    assert check_command([*asked, f"data.cache={cache}"]) == 1
    assert "(1: ill)" in " ".join(capsys.readouterr().out.split())


def laid_in(parts: Path, names: list[str]) -> pd.DataFrame:
    """Rows of people who are alike, in turn in one of the files."""
    everyone = table_of([(1, 2, 3, 4)] * 12).astype(str)
    for place, name in enumerate(names):
        (parts / name).parent.mkdir(parents=True, exist_ok=True)
        rows = everyone[place :: len(names)]
        parquet = name.endswith("parquet")
        rows.to_parquet(parts / name) if parquet else rows.to_csv(parts / name, index=False)
    return everyone


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (["orders_2025-01.csv", "orders_2025-02.csv"], "orders_2025-01.csv and orders_2025-02.csv"),
        (["St. Eve.csv", "St. John.csv"], "St. Eve.csv and St. John.csv"),
        (["data_1.csv.gz", "data_2.csv.gz"], ""),
        (["orders_2025-01.csv"], ""),  # the same for all rows
    ],
)
def test_which_names_of_files_tell_something(tmp_path: Path, names: list[str], told: str) -> None:
    laid_in(tmp_path / "parts", names)
    found = seen_unread(tmp_path / "parts", tmp_path)
    said = f"names of files (2 files, such as {told})"
    assert [said in one for one in found] == [True] * bool(told)


@pytest.mark.parametrize(
    ("names", "told"),
    [
        (
            ["monthly/2025-01/part-0.parquet", "monthly/2025-02/part-0.parquet"],
            "monthly/2025-01/part-0.parquet and monthly/2025-02/part-0.parquet",
        ),
        (["part-0.parquet", "part-1.parquet"], ""),
    ],
)
def test_files_whose_names_tell_something_are_not_within(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], names: list[str], told: str
) -> None:
    """Nobody is unique by the rows, and some are by the months in the names of the files."""
    folder, cache, parts = tmp_path / "run", str(tmp_path / "cache"), tmp_path / "parts"
    everyone = laid_in(parts, names)
    attacked(parts, folder, cache)
    given = [f"data.path={parts}", "data.user=who", "data.item=what", f"data.cache={cache}"]
    said = f"names of files (2 files, such as {told})"
    for more in ([], ["data=table", *given]):
        assert check_command([str(folder), "max_risk=0.09", "format=json", *more]) == bool(told)
        found = json.loads(capsys.readouterr().out)
        assert [said in one for one in found["reasons"]] == [True] * bool(told)
    assert check_command([str(folder), "max_risk=0.09", "released=as_read"]) == 0
    capsys.readouterr()
    describe_command(["data=table", *given])
    assert (said in " ".join(capsys.readouterr().out.split())) == bool(told)
    # The remedy: an audit of all rows in one file, which has the same fingerprint.
    everyone.to_csv(tmp_path / "orders_2025.csv", index=False)
    given[0] = f"data.path={tmp_path / 'orders_2025.csv'}"
    assert check_command([str(folder), "max_risk=0.09", "data=table", *given]) == 1
    assert "not a file that the run read" in " ".join(capsys.readouterr().out.split())
    attacked(tmp_path / "orders_2025.csv", tmp_path / "again", cache)
    assert check_command([str(tmp_path / "again"), "data=table", *given]) == 0


def test_what_a_file_holds_beside_its_rows_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Categories without rows, metadata and ways of writing, unknown to the fingerprint."""
    folder, cache, pack = tmp_path / "run", str(tmp_path / "cache"), tmp_path / "pack"
    pack.mkdir()
    everyone = table_of([(1, 2, 3, 4)] * 12).astype(str)
    everyone.to_csv(pack / "t.csv", index=False)
    attacked(pack / "t.csv", folder, cache)
    gone = pd.DataFrame({"who": ["Eva Braun", "Jo Doe"], "what": ["1", "1"]})
    coded = pd.concat([everyone, gone]).astype("category").iloc[: len(everyone)]
    coded.to_parquet(pack / "coded.parquet", index=False)
    coded["who"] = coded["who"].cat.remove_unused_categories()
    coded.to_parquet(pack / "clean.parquet", index=False)
    pq.write_table(
        pa.Table.from_pandas(everyone).replace_schema_metadata({"owner": "Eva Braun"}),
        pack / "owner.parquet",
    )
    everyone.attrs["left out"] = "Eva Braun"
    everyone.to_parquet(pack / "attributes.parquet", index=False)
    for name in ("plain", "comment", "mac"):
        with zipfile.ZipFile(pack / f"{name}.zip", "w") as zipped:
            zipped.write(pack / "t.csv", "t.csv")
            zipped.comment = b"without Eva Braun" if name == "comment" else b""
            if name == "mac":
                zipped.writestr("__MACOSX/._t.csv", "Eva Braun")
    text = (pack / "t.csv").read_bytes()
    packed = gzip.compress(text)
    (pack / "packed.csv.gz").write_bytes(packed)
    for name, flag in (("named", 8), ("told", 16)):
        named = packed[:3] + bytes([flag]) + packed[4:10] + b"Eva Braun\0" + packed[10:]
        (pack / f"{name}.csv.gz").write_bytes(named)
    with gzip.open(pack / "by_itself.csv.gz", "wb") as stream:
        stream.write(text)
    (pack / "after.csv.bz2").write_bytes(bz2.compress(text) + b"Eva Braun")
    later = gzip.compress(b"")
    later = later[:3] + b"\x10" + later[4:10] + b"Eva Braun\0" + later[10:]
    (pack / "later.csv.gz").write_bytes(packed + later)
    skipped = 0x184D2A50.to_bytes(4, "little") + b"\x09\0\0\0Eva Braun"
    packed_zst = bytes(pa.compress(text, codec="zstd", asbytes=True))
    (pack / "frame.csv.zst").write_bytes(packed_zst + skipped)
    with zipfile.ZipFile(pack / "extra.zip", "w") as zipped:
        with_extra = zipfile.ZipInfo("t.csv")
        with_extra.extra = b"\x99\x99\x09\0Eva Braun"
        zipped.writestr(with_extra, text)
    everyone.attrs.clear()
    everyone.rename_axis(index="Eva Braun").to_parquet(pack / "index.parquet")
    rows = (pack / "clean.parquet").read_bytes()
    of_footer = int.from_bytes(rows[-8:-4], "little") + 8
    (pack / "gap.parquet").write_bytes(rows[:-of_footer] + b"Eva Braun" + rows[-of_footer:])
    (pack / "last.csv").write_bytes(text + b"\n\n")
    (pack / "windows.csv").write_bytes(text.replace(b"\n", b"\r\r\n"))
    with zipfile.ZipFile(pack / "folder.zip", "w") as zipped:
        zipped.writestr("d/t.csv", text)
        zipped.writestr("d/", "Eva Braun")
    for name, beside in (("git", ".git/HEAD"), ("named", "without Eva")):
        (pack / name / beside).parent.mkdir(parents=True)
        (pack / name / "t.csv").write_bytes(text)
        (pack / name / beside).write_text("main") if name == "git" else (
            pack / name / beside
        ).mkdir()
    (pack / "blank.csv").write_bytes(text.replace(b"\n1,1\n", b"\n1,1\n\n", 1))
    (pack / "quoted.csv").write_bytes(text.replace(b"\n1,", b'\n"1",', 1))
    (pack / "ends.csv").write_bytes(text.replace(b"\n1,1\n", b"\n1,1\r\n", 1))
    for name, lost in (
        ("clean.parquet", ""),
        ("coded.parquet", "categories that no row has (who (2))"),
        ("owner.parquet", "what files hold beside rows (1: owner)"),
        ("attributes.parquet", "beside rows (2: PANDAS_ATTRS, pandas.attributes)"),
        ("plain.zip", ""),
        ("comment.zip", "beside rows (1: comment of comment.zip)"),
        ("mac.zip", "beside rows (1: mac.zip/__MACOSX/._t.csv)"),
        ("packed.csv.gz", ""),
        ("by_itself.csv.gz", ""),
        ("named.csv.gz", "header, which gzip -n leaves out, of named.csv.gz)"),
        ("told.csv.gz", "beside rows (1: comment in the header of told.csv.gz)"),
        ("after.csv.bz2", "beside rows (1: bytes after the end of after.csv.bz2)"),
        ("later.csv.gz", "beside rows (1: comment in the header of later.csv.gz)"),
        ("frame.csv.zst", "beside rows (1: a frame that is not read of frame.csv.zst)"),
        ("extra.zip", "(2: extra field of extra.zip/t.csv, extra field of a member of extra.zip)"),
        ("index.parquet", "beside rows (1: pandas.index_columns)"),
        ("gap.parquet", "beside rows (1: bytes beside the rows of gap.parquet)"),
        ("git", "other files of the folder (1: .git/HEAD)"),
        ("named", "other files of the folder (1: without Eva/)"),
        ("last.csv", ""),
        ("windows.csv", ""),
        ("folder.zip", "beside rows (1: folder.zip/d/)"),
        ("blank.csv", "how cells or lines are written (empty lines: 1)"),
        ("quoted.csv", "written (cells of who in quotes: 1, alike and without: 47)"),
        ("ends.csv", "written (lines that end with CR LF: 1, with LF: 47)"),
    ):
        asked = [str(folder), "data=table", "data.user=who", "data.item=what"]
        asked += [f"data.cache={cache}", f"data.path={pack / name}"]
        assert check_command(asked) == 1
        said = " ".join(capsys.readouterr().out.split())
        assert _said(lost) in said
        assert "not a file that the run read" in said
        assert "Braun" not in said


def test_a_file_without_what_was_not_read_passes_by_itself(tmp_path: Path) -> None:
    """What counts is the file that is given, which has to be the one that was read."""
    folder, cache = tmp_path / "run", str(tmp_path / "cache")
    everyone = table_of([(1, 2, 3, 4)] * 12)
    everyone.assign(born=range(48)).to_csv(tmp_path / "all.csv", index=False)
    everyone.to_csv(tmp_path / "less.csv", index=False)
    attacked(tmp_path / "all.csv", folder, cache)
    keys = ["data=table", "data.user=who", "data.item=what", f"data.cache={cache}"]
    assert check_command([str(folder), *keys, f"data.path={tmp_path / 'less.csv'}"]) == 1
    attacked(tmp_path / "less.csv", tmp_path / "less", cache)
    less = [str(tmp_path / "less"), *keys, f"data.path={tmp_path / 'less.csv'}"]
    assert check_command(less) == 0
    assert check_command([str(folder), *keys, f"data.path={tmp_path / 'all.csv'}"]) == 1


def test_a_file_is_compared_with_what_was_attacked_by_its_fingerprint(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same rows have the same fingerprint, in any order."""
    check_command([str(run), "max_risk=0.09", TESTED])
    said = " ".join(capsys.readouterr().out.split())
    (fingerprint,) = re.findall(r"with the fingerprint\s+([0-9a-f]{64})", said)
    assert "Not compared with the file" in said
    for order, same in ((1, True), (0.9, False)):
        table = table_of([(1, 2, 3, 4)] * 12).sample(frac=order, random_state=3)
        table.to_csv(tmp_path / "t.csv", index=False)
        path, cache = f"data.path={tmp_path / 't.csv'}", f"data.cache={tmp_path / 'cache'}"
        describe_command(["data=table", path, "data.user=who", "data.item=what", cache])
        printed = capsys.readouterr().out
        assert (f"SHA-256): {fingerprint}" in printed) == same
        (own,) = re.findall(r"SHA-256\): ([0-9a-f]{64})", printed)
        asked = [str(run), "max_risk=0.09", TESTED]
        keys = [path, "data.user=who", "data.item=what", cache]
        for given in (keys, ["data=table", *keys], keys[::3], [f"fingerprint={own.upper()}"]):
            if same:
                by_file = not given[0].startswith("fingerprint=")
                assert check_command([*asked, *given]) == by_file  # a file that was not read
                told = " ".join(capsys.readouterr().out.split())
                assert "Not compared" not in told
                assert ("not a file that the run read" in told) is by_file
                continue
            with pytest.raises(InputError, match=f"attacked other data .*{own}.*{fingerprint}"):
                check_command([*asked, *given])
    table_of([(1, 2, 3, 4)] * 12).to_csv(tmp_path / "t.csv", index=False)
    run = tmp_path / "own"
    attacked(tmp_path / "t.csv", run, str(tmp_path / "cache"))
    shutil.copytree(run, tmp_path / "sweep" / "0")
    capsys.readouterr()
    assert check_command([str(tmp_path / "sweep"), "max_risk=0.09", TESTED, path, cache]) == 0
    capsys.readouterr()
    with pytest.raises(InputError, match="not a run folder"):
        check_command([str(tmp_path / "cache"), "max_risk=0.09", path])
    (tmp_path / "other.csv").write_text("person,what\n1,2\n")
    with pytest.raises(InputError, match=r"no column 'who' .*keys .* not given are the run's"):
        check_command([str(run), "max_risk=0.09", f"data.path={tmp_path / 'other.csv'}"])
    with pytest.raises(InputError, match="attacked other data than those given"):
        sim.check(run, max_risk=0.09, fingerprint="0" * 64)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["fingerprint=1f"], "fingerprint: '1f': expected 64 hexadecimal digits"),
        (["data.path="], "data.path: '': empty; expected a path"),
        (["data.path=a.csv", f"fingerprint={'0' * 64}"], "fingerprint: it is that of data.path="),
        (["data=movielens", "data.paht=a"], "data.paht"),
    ],
)
def test_wrong_keys_of_the_data_are_refused(run: Path, words: list[str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        check_command([str(run), "max_risk=0.09", *words])
