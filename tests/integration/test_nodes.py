"""A cluster that somebody else started, on several nodes, one of which dies."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from studying import results

ROOT = Path(__file__).parents[2]
NODE = {"num_cpus": 1, "object_store_memory": 100 << 20}


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A head with one core, quick to notice that a node is gone."""
    from ray.cluster_utils import Cluster

    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    settings = {
        "health_check_initial_delay_ms": 0,
        "health_check_period_ms": 300,
        "health_check_timeout_ms": 300,
        "health_check_failure_threshold": 3,
    }
    head = NODE | {"include_dashboard": False, "_system_config": settings}
    made = Cluster(initialize_head=True, head_node_args=head)
    try:
        yield made
    finally:
        made.shutdown()


def test_a_node_dies_and_another_comes(
    cluster: Any,
    tmp_path: Path,
    long_job: tuple[str, ...],
    long_results: dict[str, bytes],
    starting: Callable[..., subprocess.Popen[str]],
    waiting: Callable[..., Any],
) -> None:
    """One scorer on each of two nodes of one core; the second node makes way for a third."""
    node = cluster.add_node(**NODE)
    process = starting(
        *long_job, "cluster=address", f"cluster.address={cluster.address}", "cluster.workers=2",
        "hydra.run.dir=run", cwd=tmp_path,
    )  # fmt: skip
    ledger = tmp_path / "run" / "ledger.jsonl"
    while process.poll() is None and not (ledger.exists() and b'"batch"' in ledger.read_bytes()):
        time.sleep(0.005)
    cluster.remove_node(node, allow_graceful=False)
    assert b'"finished"' not in ledger.read_bytes()
    cluster.add_node(**NODE)
    found = waiting(process)
    assert found.code == 0, found.err
    assert results(tmp_path / "run") == long_results
