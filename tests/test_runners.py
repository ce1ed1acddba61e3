"""Choosing the runner of a study."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from sim.config.schema import ClusterConfig
from sim.errors import ConfigError
from sim.session import runners


@pytest.mark.parametrize(
    ("workers", "cores", "warned"), [(2, 1, False), (3, 2, True), (4, 4, False), (9, 4, True)]
)
def test_more_workers_than_cores_are_told_of(
    workers: int, cores: int, warned: bool, monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    """Two workers are the default, and nobody's mistake."""
    local = SimpleNamespace(load=lambda: lambda *given: given[0])
    monkeypatch.setattr(runners, "entry_points", lambda **_: [local])
    monkeypatch.setattr(runners.os, "cpu_count", lambda: cores)
    cluster = ClusterConfig(kind="local", workers=workers)
    nothing: Any = None
    with caplog.at_level(logging.WARNING, logger="standout"):
        assert runners.make_runner(cluster, nothing, nothing) is cluster
    said = [f"cluster.workers={workers}" in line for line in caplog.messages]
    assert said == [True] * warned


def test_a_runner_that_nobody_provides(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Any = None
    with pytest.raises(ConfigError, match=r"cluster\.kind: 'elsewhere': 0 installed packages"):
        runners.make_runner(ClusterConfig(kind="elsewhere"), nothing, nothing)
