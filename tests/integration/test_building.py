"""A store built on Ray is the same to the byte, whatever happens to Ray meanwhile."""

from __future__ import annotations

import logging
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from making import deep
from tables import table_source

from actors import supervisor
from actors.building import on_ray
from actors.cluster import disconnect
from sim.config.schema import ClusterConfig
from sim.errors import InputError
from sim.release.store.build import build_store
from sim.release.store.cells import Source
from sim.release.store.repeats import Repeats

HEAD = "u,i,v,d\n"
ON_RAY = on_ray(ClusterConfig("local", 2, address=None, wait=0.0))


@pytest.fixture(autouse=True)
def no_ray() -> None:
    """A program that is connected to Ray builds on its own cluster, without a driver."""
    disconnect()


def lines(n: int) -> str:
    return "".join(f"{k * 7 % 90},{k % 25},{k % 9 / 2},2009-05-{k % 28 + 1:02}\n" for k in range(n))


def table(folder: Path, text: str, **options: Any) -> Source:
    path = folder / "t.csv"
    path.write_text(text, "utf-8")
    return table_source(path, "u", "i", "v", "d", **options)


@pytest.mark.parametrize("repeats", [Repeats.SUM, *deep(Repeats.LATEST)])
def test_a_store_built_on_this_machine(tmp_path: Path, repeats: Repeats) -> None:
    source = table(tmp_path, HEAD + lines(5000), repeats=repeats)
    whole = build_store(source, tmp_path / "whole", block_records=20)
    seen: list[int] = []
    found = build_store(
        source, tmp_path / "found", block_records=20, progress=seen.append, builder=ON_RAY
    )
    assert found == whole
    assert len(seen) > 2
    assert seen[-1] == source.size
    assert not supervisor._drivers


def test_a_driver_that_dies_is_replaced(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = table(tmp_path, HEAD + lines(5000))
    whole = build_store(source, tmp_path / "whole")
    killed: list[int] = []

    def kill(_: int) -> None:
        if not killed:
            killed.append(supervisor._drivers[0]._process.pid)
            os.kill(killed[0], signal.SIGKILL)

    with caplog.at_level(logging.WARNING, "standout"):
        found = build_store(source, tmp_path / "found", progress=kill, builder=ON_RAY)
    assert found == whole
    assert len(killed) == 1
    [said] = [line for line in caplog.messages if "its driver ended" in line]
    assert said.startswith("Ray broke off (")
    assert said.endswith("and the build begins again")


def test_what_cannot_be_read_apart(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    long = '"' + "a\n" * 30_000 + '"'
    source = table(tmp_path, HEAD + f"{long},1,2,2009-05-01\n" + lines(100))
    whole = build_store(source, tmp_path / "whole")
    with caplog.at_level(logging.INFO, "standout"):
        assert build_store(source, tmp_path / "found", builder=ON_RAY) == whole
    assert "one process reads and sorts it" in caplog.text
    bad = table(tmp_path, HEAD + lines(3000) + "1,2,x,2009-05-01\n" + lines(3000))
    with pytest.raises(InputError, match=r"t\.csv:3002: column v: 'x' is not a number"):
        build_store(bad, tmp_path / "bad", builder=ON_RAY)
    assert not (tmp_path / "bad").exists()
