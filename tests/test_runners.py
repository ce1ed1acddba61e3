"""Choosing the runner of a study."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from sim.config.compose import composed, configured
from sim.config.schema import ClusterConfig
from sim.errors import ConfigError
from sim.session import runners

SMALL: Any = SimpleNamespace(manifest=SimpleNamespace(n_cells=1))


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
        assert runners.make_runner(cluster, SMALL, nothing, 1) == cluster
    said = [f"cluster.workers={workers}" in line for line in caplog.messages]
    assert said == [True] * warned


def test_a_runner_that_nobody_provides(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Any = None
    with pytest.raises(ConfigError, match=r"cluster\.kind: 'elsewhere': 0 installed packages"):
        runners.make_runner(ClusterConfig(kind="elsewhere"), SMALL, nothing, 1)


@pytest.mark.parametrize(
    ("typed", "n_targets", "kind", "workers"),
    [
        ([], 1000, "inline", 1),
        ([], 1_000_000, "local", 2),
        (["cluster.workers=1"], 1000, "local", 1),
        (["cluster=local"], 1000, "local", 2),
        (["cluster=inline"], 1_000_000, "inline", 1),
        (["cluster=address", "cluster.address=auto"], 1000, "address", 2),
        (["experiment=frontier"], 1000, "inline", 1),
        (["experiment=frontier"], 1_000_000, "local", 2),
    ],
)
def test_ray_is_chosen_for_large_attacks_alone_and_never_against_a_choice(
    typed: list[str], n_targets: int, kind: str, workers: int
) -> None:
    cluster = runners.resolved(configured(composed(typed)).cluster, n_targets * 1_000_000)
    assert (cluster.kind, cluster.workers) == (kind, workers)
