"""A store is the same to the byte whether its rows are read and sorted apart, or by one process."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import examples
from tables import table_source

from sim.errors import InputError
from sim.release.readers import table as table_module
from sim.release.readers.movielens import MovieLensSource
from sim.release.readers.netflix import NetflixSource
from sim.release.store.accounts import FIRST_UNREADABLE, ZONES
from sim.release.store.build import build_store
from sim.release.store.build_apart import UndividedError, build_apart
from sim.release.store.cells import Source
from sim.release.store.manifest import Manifest
from sim.release.store.repeats import Repeats
from sim.release.store.time_bins import TimeBin
from sim.release.store.value_bins import ValueBins
from sim.release.synthetic.named import named_source


class Sent:
    """Tasks in this process, whose arguments and results travel as they would to another."""

    def __init__(self, number: int, *, reaches: bool = True) -> None:
        self.number, self.reaches, self.called = number, reaches, 0

    def share(self, value: Any) -> Any:
        return Box(value)

    def folder(self, path: Path) -> Any:
        return path if self.reaches else None

    def call(self, function: Callable[..., Sequence[Any]], *given: Any, returns: int) -> list[Any]:
        self.called += 1
        try:
            found = function(*(pickle.loads(one.data) if isinstance(one, Box) else one
                               for one in given))  # fmt: skip
        except InputError as error:
            return [Box(error)] * returns
        assert len(found) == returns
        return [Box(one) for one in found]

    def get(self, standing: Any) -> Any:
        value = pickle.loads(standing.data)
        if isinstance(value, InputError):
            raise value
        return value


class Box:
    def __init__(self, value: Any) -> None:
        self.data = pickle.dumps(value)


def built(
    source: Source, folder: Path, tasks: Sent, block_records: int = 7
) -> tuple[Manifest, Manifest]:
    """The manifests of the store built by one process, and of that built apart."""
    folder.mkdir(parents=True)
    whole = build_store(source, folder / "whole", block_records=block_records)

    def apart(source: Source, work: Path, limits: Any, progress: Any) -> Manifest:
        return build_apart(source, work, limits, progress, tasks)

    return whole, build_store(source, folder / "apart", block_records=block_records, builder=apart)


def assert_same(source: Source, folder: Path, number: int, **given: Any) -> None:
    for reaches in (True, False):
        tasks = Sent(number, reaches=reaches)
        whole, apart = built(source, folder / f"{reaches}", tasks, **given)
        assert apart == whole
        assert tasks.called > 2


CELLS = st.tuples(
    st.sampled_from(["7", "10", "008", "ann", "b\u00e9b\u00e9"]),
    st.sampled_from(["1", "2", "x"]),
    st.sampled_from(["", "1", "2.5", "-4", "1e3"]),
    st.sampled_from(["", "2009-05-01", "2009-05-02 12:30:00", "1970-01-01"]),
)


@settings(max_examples=examples(30))
@given(
    rows=st.lists(CELLS, min_size=4, max_size=60),
    number=st.integers(1, 5),
    repeats=st.sampled_from([rule for rule in Repeats if rule is not Repeats.CELLS]),
    bins=st.sampled_from(["auto", "log2", "none", "quantiles:3"]),
    end=st.sampled_from(["", "\n"]),
)
def test_a_table_read_apart_is_the_table(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, ...]],
    number: int,
    repeats: Repeats,
    bins: str,
    end: str,
) -> None:
    path = tmp_path_factory.mktemp("apart") / "t.csv"
    path.write_text("u,i,v,d\n" + "\n".join(",".join(row) for row in rows) + end, "utf-8")
    source = table_source(
        path, "u", "i", "v", "d", repeats=repeats, value_bins=ValueBins.parse(bins)
    )
    assert_same(source, tmp_path_factory.mktemp("stores"), number, block_records=2)


def table(path: Path, **options: Any) -> Source:
    return table_source(path, "u", "i", "v", "d", **options)


def lines(n: int, text: str = "") -> str:
    return "".join(f"{k % 7}{text},{k % 5},{k % 3},2009-05-{k % 28 + 1:02}\n" for k in range(n))


HEAD = "u,i,v,d\n"


@pytest.mark.parametrize("groups", [1, 3])
def test_a_folder_of_texts_some_compressed(tmp_path: Path, groups: int) -> None:
    import gzip

    folder = tmp_path / "t"
    folder.mkdir()
    (folder / "a.csv").write_text(HEAD + lines(100), "utf-8")
    with gzip.open(folder / "b.csv.gz", "wt") as out:
        out.write(HEAD + lines(50, "b"))
    (folder / "c.csv").write_text("d,v,u,i\n2009-05-01,,x,y", "utf-8")
    assert_same(table(folder), tmp_path / "stores", groups)


def test_row_groups_of_parquet(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    folder.mkdir()
    for name, n in (("a", 90), ("b", 5)):
        columns = {
            "u": [k % 7 for k in range(n)],
            "i": [f"i{k % 5}" for k in range(n)],
            "v": [None if k % 3 else k / 2 for k in range(n)],
            "d": [f"2009-05-{k % 28 + 1:02}" if k % 11 != 5 else "?" for k in range(n)],
        }
        pq.write_table(pa.table(columns), folder / f"{name}.parquet", row_group_size=20)
    assert_same(table(folder, unreadable="drop"), tmp_path / "stores", 2)


@pytest.mark.parametrize("preset", ["tiny", "tiny_visits", "tiny_purchases"])
def test_generated_rows(tmp_path: Path, preset: str) -> None:
    assert_same(named_source(preset, 3), tmp_path / "stores", 3, block_records=60)


def test_files_of_netflix(tmp_path: Path) -> None:
    folder = tmp_path / "training_set"
    folder.mkdir()
    for film in range(1, 9):
        rows = "".join(f"{k},{k % 5 + 1},2005-0{film}-11\n" for k in range(film, 3 * film))
        (folder / f"mv_{film:07}.txt").write_text(f"{film}:\n{rows}")
    assert_same(NetflixSource(folder), tmp_path / "stores", 1)


def test_the_first_row_left_out_is_named_by_its_line_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(HEAD + lines(50) + "1,1,x,2009-05-01\n" + lines(50) + "1,1\n", "utf-8")
    whole, apart = built(table(path, unreadable="drop"), tmp_path / "stores", Sent(2))
    assert apart == whole
    assert whole.notes[FIRST_UNREADABLE] == "line 52, column v"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (lines(60) + lines(60, "\u00e9"), "UTF-8 (recognised)"),
        (lines(60, "\u00e9") + lines(60), "UTF-8 (recognised)"),
        (lines(120), "UTF-8"),
        (lines(60).replace("\n", "\r\n") + "\ufeff" + lines(60), "UTF-8 (recognised)"),
    ],
)
def test_the_encoding_is_that_of_the_file(tmp_path: Path, text: str, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes((HEAD + text).encode())
    whole, apart = built(table(path), tmp_path / "stores", Sent(4))
    assert apart == whole
    assert whole.notes["encoding"] == encoding


def test_a_time_zone_of_a_single_row_is_noted(tmp_path: Path) -> None:
    path, at = tmp_path / "t.csv", "2009-05-01T0"
    usual = f"1,2,3,{at}1:00+01:00\n"
    path.write_text(f"{HEAD}{usual * 90}1,3,3,{at}9:00+09:00\n{usual * 9}", "utf-8")
    whole, apart = built(table(path), tmp_path / "stores", Sent(4))
    assert apart == whole
    assert whole.notes[ZONES] == "2: +01:00, +09:00"


UNLIKE = {
    "a quoted cell of many lines": HEAD + lines(5) + '"' + "a\n" * 400 + '",1,2,2009-05-01\n',
    "a bad cell": HEAD + lines(90) + "1,2,x,2009-05-01\n" + lines(9),
    "Windows-1252": HEAD + lines(90) + "M\u00fcller,2,3,2009-05-01\n" + lines(9),
    "dates in two units": HEAD + "1,1,1,\n" * 90 + "1,2,3,2009-05-01\n" + "1,2,4,978300760\n" * 60,
    "a row repeats the header": HEAD + lines(90) + HEAD + lines(90),
}


@pytest.mark.parametrize("what", UNLIKE)
def test_what_cannot_be_told_apart_is_left_to_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(UNLIKE[what].encode("cp1252"))
    source = table_source(path, "u", "i", "v", "d", block_bytes=256)
    monkeypatch.setattr(table_module, "PART_BYTES", 300)
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(UndividedError, match="a part cannot be read by itself"):
        build_apart(source, work, (7, 1 << 20), lambda _: None, Sent(2))
    assert not any(work.iterdir())


def test_sources_that_are_read_by_one_process(tmp_path: Path) -> None:
    (tmp_path / "ratings.dat").write_text("1::2::3::978300760\n")
    tasks = Sent(2)
    source = MovieLensSource(tmp_path, time_bin=TimeBin.parse("day"))
    with pytest.raises(UndividedError, match="cannot be cut into parts"):
        build_apart(source, tmp_path, (7, 1 << 20), lambda _: None, tasks)
    assert not tasks.called


def test_errors_of_all_rows_are_those_of_one_process(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(HEAD + "1,1,1,1900-01-01\n" * 30 + "1,1,1,2190-01-01\n" * 30)
    folder = tmp_path / "s"
    with pytest.raises(InputError) as whole:
        build_store(table(path), folder)
    work = tmp_path / "work"
    work.mkdir()
    with pytest.raises(InputError) as apart:
        build_apart(table(path), work, (7, 1 << 20), lambda _: None, Sent(2))
    assert str(apart.value) == str(whole.value)
    assert "dates span" in str(whole.value)
