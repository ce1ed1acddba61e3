"""What is measured by the command line: it is called as it should be, and told as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarking import module

from sim.config.compose import composed, configured
from sim.session.jobs import plan_job


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[list[str]]]:
    """Nothing is run; what would be is kept."""
    command = module("command")
    made: list[list[str]] = []

    def call(overrides: list[str]) -> Any:
        made.append(list(overrides))
        stages = {"all": {"report": 1.0}, "ns08_fig4": {"attack": 2.0, "report": 0.5}}
        return command.CallCost(4.0, 3_000_000_000, 1_000_000_000, stages)

    for name in ("paper", "census", "neighbours"):
        monkeypatch.setattr(module(name), "call", call)
        monkeypatch.setattr(module(name), "ready", lambda preset, _: [f"data.preset={preset}"])
    return made


@pytest.mark.parametrize("scale", ["full", "tiny"])
def test_paper_asks_for_all_figures(calls: list[list[str]], tmp_path: Path, scale: Any) -> None:
    results = {r.name: r for r in module("paper").run(scale, tmp_path)}
    assert results["paper/time"].ours == (4.0,)
    assert results["paper/time"].goal == (1.0 if scale == "full" else None)
    assert "ns08_fig4 2.5 s, all 1.0 s" in results["paper/time"].what
    assert results["paper/bayes"].ratio == 1.0
    assert calls[1][:2] == calls[2][:2]
    job = plan_job(configured(composed(calls[-1])), calls[-1])
    assert len(job.parts) == (1 if scale == "tiny" else 8)
    if scale == "full":
        assert {"targets=1000", "bayes_targets=0", "data.preset=netflix"} < set(calls[1])
        assert {"targets=1000", "bayes_targets=auto"} < set(calls[2])


def test_census_attacks_every_record(calls: list[list[str]], tmp_path: Path) -> None:
    results = {r.name: r for r in module("census").run("full", tmp_path)}
    assert results["census/time"].peer == (240.0,)
    assert results["census/time"].met
    if module("memory").can_tell():
        assert results["census/memory"].ours == (3.0,)
        assert results["census/memory"].peer == (6.0,)
    config = configured(composed(calls[-1]))
    assert (config.targets, config.data.preset, config.cluster.workers) == ("all", "netflix", 2)


def test_neighbours_are_those_of_brute_force(calls: list[list[str]], tmp_path: Path) -> None:
    results = {r.name: r for r in module("neighbours").run("tiny", tmp_path)}
    assert results["neighbours/time"].peer == (180.0,)
    peer = results["neighbours/sklearn"]
    assert ("not installed" in peer.what) == (peer.peer is None)
    config: Any = configured(composed(calls[-1]))
    assert (config.study.kind, config.study.attributes, config.study.records) == (
        "neighbours", ["presence"], 20,
    )  # fmt: skip


def test_other_neighbours_are_refused(
    calls: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sklearn")
    nearest = module("peers.sklearn_nearest")
    honest: Callable[..., Any] = nearest.by_hamming
    monkeypatch.setattr(
        nearest,
        "by_hamming",
        lambda *given: {way: lambda r, ask=ask: ask(r) + 1 for way, ask in honest(*given).items()},
    )
    with pytest.raises(RuntimeError, match="does not find what we find"):
        module("neighbours").run("tiny", tmp_path)


def test_a_call_is_timed_stage_by_stage(tmp_path: Path) -> None:
    command = module("command")
    data = command.ready("tiny", tmp_path)
    spent = command.call(["study=lengths", *data])
    assert set(spent.stages) == {"all"}
    assert 0 < sum(spent.by_stage.values()) < spent.seconds
    assert spent.by_run == {"all": sum(spent.stages["all"].values())}
    if module("memory").can_tell():
        assert spent.peak_bytes > 50_000_000  # Python and its libraries


def test_a_call_that_fails_says_why() -> None:
    with pytest.raises(RuntimeError, match="nonsense"):
        module("command").call(["nonsense=1"])


def test_memory_counts_children_and_shared_pages_once() -> None:
    memory = module("memory")
    if not memory.can_tell():
        pytest.skip("this system does not tell what is shared")
    # The child holds 64 MiB of its own, and shares all of Python with its parent.
    code = (
        "import os, sys, time\n"
        "held = bytearray(os.urandom(1 << 16)) * 1024\n"
        "if os.fork() == 0:\n"
        "    time.sleep(60)\n"
        "sys.stdout.write('.'); sys.stdout.flush(); os.wait()\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        time.sleep(0.1)
        held, beyond = memory.held_by(process.pid)
        children = [
            int(entry.name)
            for entry in Path("/proc").iterdir()
            if entry.name.isdigit() and memory._parent(entry) == process.pid
        ]
        assert len(children) == 1
        os.kill(children[0], 9)
    assert 64 << 20 < beyond < held < 2 * (64 << 20)


@pytest.mark.deep
def test_sparse_makes_a_small_release_and_asks_what_it_asks_of_a_large_one(tmp_path: Path) -> None:
    results = {r.name: r for r in module("sparse").run("tiny", tmp_path)}
    assert {"sparse/build/time", "sparse/disk", "sparse/describe"} < set(results)
    assert {"sparse/figure_4/time", "sparse/census/time"} < set(results)
    assert "54,510 records × 48,190 items" in results["sparse/disk"].what
    assert results["sparse/disk"].ours[0] < 20
    assert all(result.goal is None for result in results.values())
