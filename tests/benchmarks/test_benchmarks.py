"""The benchmarks run, compare like with like, and keep their table; no time is asserted."""

from __future__ import annotations

import doctest
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarking import ROOT, module


@pytest.mark.parametrize("name", ["facts", "made", "memory", "paper", "result", "tables", "timing"])
def test_examples_in_docstrings(name: str) -> None:
    found = doctest.testmod(module(name))
    assert found.attempted > 0
    assert found.failed == 0


def test_kernel_compares_with_every_peer(tmp_path: Path) -> None:
    results = module("registry").load("kernel").run("tiny", tmp_path)
    names = [r.name for r in results]
    assert names[:3] == ["kernel/numpy", "kernel/numpy_fastest", "kernel/c"]
    assert names[3:] == [f"kernel/{step}" for step in module("scan_parts").STEPS]
    parts = np.array([r.ours for r in results[3:]])  # of the whole, which is the peer
    assert np.allclose(parts.sum(axis=0), results[-1].peer)
    has_compiler = any(shutil.which(name) for name in ("cc", "gcc", "clang"))
    for result in results[:3]:
        measured = result.peer is not None
        assert measured == (has_compiler or result.name != "kernel/c")
        assert all(cost > 0 for cost in result.ours + (result.peer or ()))
        assert (result.met is not None) == measured


def test_kernel_without_a_compiler_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    result = module("kernel").run("tiny", tmp_path)[2]
    assert result.name == "kernel/c"
    assert (result.peer, result.ratio, result.met) == (None, None, None)
    assert "no C compiler" in result.what
    assert "missing" in module("tables").as_text([result])


@pytest.mark.parametrize("field", ["best", "second", "rank", "best_record"])
def test_kernel_refuses_a_peer_that_finds_something_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, field: str
) -> None:
    kernel = module("kernel")
    honest: Callable[..., Any] = kernel.by_bincount
    monkeypatch.setattr(
        kernel,
        "by_bincount",
        lambda *a: [f._replace(**{field: getattr(f, field) + 1}) for f in honest(*a)],
    )
    with pytest.raises(RuntimeError, match="bincount"):
        kernel.run("tiny", tmp_path)


def test_columns_are_the_release_item_by_item(tmp_path: Path) -> None:
    made, peers = module("made"), module("peers.numpy_scan")
    store = made.made_store(made.MadeRelease(300, 50, 3_000), tmp_path)
    columns, block = peers.Columns.of(store), store.block(0)
    assert columns.start.tolist() == block.item_start.tolist()
    assert columns.row.tolist() == block.item_row.tolist()
    assert (columns.place % columns.n_days).tolist() == block.item_day.tolist()
    assert (columns.place // columns.n_days).tolist() == block.item_level.tolist()


def test_made_release_has_no_duplicates_and_heavy_tails(tmp_path: Path) -> None:
    made = module("made")
    source = made.MadeRelease(2_000, 500, 60_000)
    store = made.made_store(source, tmp_path)
    manifest = store.manifest
    assert manifest.n_duplicates == 0
    assert manifest.n_cells == pytest.approx(source.cells, rel=0.02)
    assert (manifest.n_records, len(manifest.scale)) == (2_000, 5)
    for count in (store.length, store.support):
        assert np.mean(count) > 1.3 * np.median(count)


@pytest.mark.deep
def test_workers_decide_alike(tmp_path: Path, ray_cluster: None) -> None:
    import ray

    is_up = ray.is_initialized()
    results = module("workers").run("tiny", tmp_path)
    assert [r.name for r in results] == ["workers/ray", "workers/two"]
    assert ray.is_initialized() == is_up  # what was up stays up


@pytest.mark.deep
def test_ingest_reads_all_rows_with_both(tmp_path: Path) -> None:
    results = {r.name: r for r in module("ingest").run("tiny", tmp_path)}
    assert set(results) == {"ingest/time", "ingest/memory", "ingest/disk"}
    assert results["ingest/disk"].ours[0] > 10  # two orders of a cell, indexes not counted
    made = [path for path in tmp_path.iterdir() if path.is_dir()]
    assert [(path / "manifest.json").is_file() for path in made] == [True]  # no text is left


@pytest.mark.parametrize("layout", ["combined", "training_set", "tar"])
def test_exported_text_is_the_release(tmp_path: Path, layout: str) -> None:
    from sim.release.readers.netflix import NetflixSource
    from sim.release.store.cache import open_or_build

    made, exported = module("made"), module("export_netflix")
    store = made.made_store(made.MadeRelease(50, 20, 300), tmp_path / "cache")
    plain = tmp_path / "ratings.csv"
    rows = exported.export(store, tmp_path / "text", layout, plain)
    text = NetflixSource(tmp_path / "text")
    again = open_or_build(text, tmp_path / "cache")
    assert again.manifest.fingerprint == store.manifest.fingerprint
    assert again.manifest.n_duplicates == 0
    chunks = list(text.chunks())
    assert sorted(plain.read_text().splitlines()) == sorted(
        f"{item},{record},{int(value)},{np.datetime64(int(time), 's').astype('M8[D]')}"
        for chunk in chunks
        for item, record, value, time in zip(
            chunk.item, chunk.record, chunk.value, chunk.time, strict=True
        )
    )
    assert rows == store.manifest.n_cells == sum(len(chunk) for chunk in chunks)


def test_only_what_the_text_can_say_is_exported(tmp_path: Path) -> None:
    import pandas as pd
    from tables import table_source

    from sim.release.store.cache import open_or_build

    for name, table in {
        "stars": {"who": [1], "what": [1], "value": [3.5], "date": ["2005-01-01"]},
        "day": {"who": [1], "what": [1], "value": [3.0], "date": [""]},
        "numbers": {"who": ["ann"], "what": [1], "value": [3.0], "date": ["2005-01-01"]},
    }.items():
        path = tmp_path / f"{name}.csv"
        pd.DataFrame(table).to_csv(path, index=False)
        store = open_or_build(
            table_source(path, "who", "what", "value", "date"), tmp_path / "cache"
        )
        with pytest.raises(ValueError, match=name):
            module("export_netflix").export(store, tmp_path / name)


@pytest.mark.deep
def test_costs_are_foretold_for_every_study(tmp_path: Path) -> None:
    results = module("cost").run("tiny", tmp_path)
    assert len(results) == len(module("cost")._STUDIES)
    assert all(cost > 0 for r in results for cost in (*r.ours, *(r.peer or ())))


@pytest.mark.deep
def test_startup_against_python_alone(tmp_path: Path) -> None:
    results = module("startup").run("tiny", tmp_path)
    names = ("import", "help", "version", "completion", "guide", "bad_key", "bad_folder")
    assert [r.name for r in results] == [f"startup/{name}" for name in names]


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, str]]:
    """Replace every benchmark by one that measures nothing; returns its calls."""
    command, made = module("__main__"), module("result").Result
    calls: list[tuple[str, str]] = []

    class StandIn:
        def __init__(self, name: str) -> None:
            self.name = name

        def run(self, scale: str, cache: Path) -> list[Any]:
            assert cache.is_dir()
            calls.append((self.name, scale))
            return [made(f"{self.name}/c", "nothing", "ms", (1.0, 3.0, 2.0), (4.0, 4.0, 1.0), 0.5)]

    monkeypatch.setattr(command, "load", StandIn)
    monkeypatch.setattr(module("tables"), "RESULTS", tmp_path / "RESULTS.md")
    for threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        monkeypatch.setenv(threads, "1")
    return calls


def test_command_line_without_names_runs_and_records_each(
    stand_in: list[tuple[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "found.json"
    module("__main__").main(["--json", str(listed)])
    names = list(module("registry").BENCHMARKS)
    assert stand_in == [(name, "full") for name in names]
    assert [r["name"] for r in json.loads(listed.read_text())] == [f"{name}/c" for name in names]
    assert json.loads(listed.read_text())[0] == {
        "name": "kernel/c",
        "what": "nothing",
        "ours": 2.0,
        "peer": 4.0,
        "unit": "ms",
        "ratio": 0.75,
        "goal": 0.5,
        "met": False,
    }
    table = (tmp_path / "RESULTS.md").read_text()
    assert all(f"`python -m benchmarks {name}`" in table for name in names)
    assert "kernel/c   2 (1)  4 (1)  ms" in capsys.readouterr().out


def test_command_line_records_quick_runs_only_when_asked(
    stand_in: list[tuple[str, str]], tmp_path: Path
) -> None:
    main, table = module("__main__").main, tmp_path / "RESULTS.md"
    main(["ingest", "--quick"])
    assert stand_in == [("ingest", "quick")]
    assert not table.exists()
    main(["ingest", "--quick", "--results", str(table)])
    assert "`python -m benchmarks ingest --quick`" in table.read_text()


@pytest.mark.parametrize("name", ["kernel", "workers", "startup", "ingest"])
def test_every_benchmark_of_the_registry_is_there(name: str) -> None:
    registry = module("registry")
    assert name in registry.BENCHMARKS
    assert callable(registry.load(name).run)


def test_command_line_names_what_there_is() -> None:
    done = call("kernels")
    assert done.returncode == 2
    assert "kernels: expected one of kernel, workers" in done.stderr
    assert "Traceback" not in done.stderr


def test_record_replaces_only_what_was_measured(tmp_path: Path) -> None:
    tables, results = module("tables"), module("result")
    path, order = tmp_path / "RESULTS.md", ["kernel", "ingest"]

    def section(name: str, cost: float) -> dict[str, str]:
        found = results.Result(f"{name}/c", "a | b", "ms", (cost,), (2.0,), goal=1.0)
        return {name: tables.section(name, [found], "Today.")}

    tables.record(path, section("ingest", 1.0), order)
    tables.record(path, section("kernel", 1.0), order)
    first = path.read_text()
    assert first.index("## kernel") < first.index("## ingest")
    tables.record(path, section("kernel", 4.0), order)
    second = path.read_text()
    assert second.count("## kernel") == 1
    assert "| kernel/c | 4 ms | 2.000 | 1.000 |" in second
    assert second.split("## ingest")[1] == first.split("## ingest")[1]


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_candidates_compares_and_asks_for_every_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidates, command = module("candidates"), module("command")
    calls: list[list[str]] = []

    def call(overrides: list[str]) -> Any:
        calls.append(overrides)
        return command.CallCost(4.0, 3_000_000_000, 1_000_000_000, {"all": {"attack": 2.0}})

    monkeypatch.setattr(candidates, "call", call)
    monkeypatch.setattr(candidates, "ready", lambda preset, _: [f"data.preset={preset}"])
    results = {r.name: r for r in candidates.run("tiny", tmp_path)}
    assert all(r.goal is None for r in results.values())
    for name in ("bayes_6_of_8", "bayes_2_of_2", "bayes_wrong_items", "sets"):
        assert all(cost > 0 for cost in results[f"candidates/{name}"].ours)
    in_sql = results["candidates/duckdb"]
    assert (in_sql.peer is None) == ("not installed" in in_sql.what)
    assert results["candidates/census_6_of_8/time"].peer == (120.0,)
    if "candidates/census_6_of_8/memory" in results:
        beyond = results["candidates/census_6_of_8/beyond"]
        assert beyond.ours == (1.0,)
        assert beyond.peer == (2.0,)
    assert {"experiment=census", "attack=bayes", "grid.first=[null]"} < set(calls[2])
    assert "experiment=unicity" in calls[-1]
