"""Several seeds in one call: a run folder for each, on the same release."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from studying import results


def test_seeds(no_figures: None, standout: Any, place: Path, store_cache: Path) -> None:
    job = ("data.preset=tiny", "targets=30", "grid.aux=[2/2]", f"data.cache={store_cache}")
    found = standout("--multirun", "seed=1,2", *job, "cluster=inline", "hydra.sweep.dir=runs")
    assert found.code == 0, found.err
    assert sorted(p.name for p in (place / "runs").iterdir() if p.is_dir()) == ["0", "1"]
    records = [json.loads((place / "runs" / run / "run.json").read_text()) for run in ("0", "1")]
    assert [record["seed"] for record in records] == [1, 2]
    assert [record["status"] for record in records] == ["complete", "complete"]
    assert len({record["release_fingerprint"] for record in records}) == 1
    one, two = (results(place / "runs" / run) for run in ("0", "1"))
    assert one["aux.parquet"] != two["aux.parquet"]
    assert one["decisions.parquet"] != two["decisions.parquet"]
    # The same as a run of its own; and it can be taken up like one.
    assert standout("seed=2", *job, "cluster=inline", "hydra.run.dir=alone").code == 0
    assert results(place / "alone") == two
    again = standout("resume", "runs/1")
    assert again.code == 0
    assert "already complete" in again.err


def test_runs_of_one_call_share_a_cluster(
    ray_cluster: None, no_figures: None, standout: Any, place: Path, store_cache: Path
) -> None:
    job = ("data.preset=tiny", "targets=30", "grid.aux=[2/2]", f"data.cache={store_cache}")
    found = standout("--multirun", "seed=1,2", *job, "cluster.workers=2", "hydra.sweep.dir=runs")
    assert found.code == 0, found.err
    assert standout("seed=2", *job, "cluster=inline", "hydra.run.dir=alone").code == 0
    assert results(place / "runs" / "1") == results(place / "alone")
    record = json.loads((place / "runs" / "1" / "run.json").read_text())
    assert record["cluster"]["workers"] == 2
