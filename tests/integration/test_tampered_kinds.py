"""Run folders of every kind that somebody changed: the answer, or one line that says what is wrong.

``STANDOUT_CHANGES=20 STANDOUT_SEED=7 pytest`` with this file tries other changes, and more of them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from making import deep
from tampering import Change, copies, of_file, of_json_file, of_ledger, of_record, of_table, some

import sim
from sim.errors import StandoutError

TINY = ("data.preset=tiny", "cluster=inline")
CHAINS = ("audit.attackers=[acquaintance]", "plan.defences=[drop_time]", "utility=[cells]")
RUNS = {
    "measurement": ("study=lengths",),
    "audit": ("experiment=audit", "targets=20", "audit.attackers=[acquaintance]"),
    "plan": ("experiment=plan", "plan.max_risk=0.9", "plan.utility=cells", *CHAINS),
}
CHANGES = int(os.environ.get("STANDOUT_CHANGES", "1"))
SEED = int(os.environ.get("STANDOUT_SEED", "1"))


@pytest.fixture
def run(request: Any, standout: Any, place: Path, store_cache: Path, no_figures: None) -> Path:
    """A finished run of a kind."""
    job = (*RUNS[request.param], *TINY, f"data.cache={store_cache}", "hydra.run.dir=run")
    found = standout(*job)
    assert found.code == 0, found.err
    return place / "run"


def changes_of(run: Path) -> Iterator[tuple[Change, bool]]:
    """Changes, each with whether its author replaces the digests as well."""
    files = sorted(path for path in run.rglob("*") if path.is_file())
    names = [str(path.relative_to(run)) for path in files]
    inner = [name for name in names if name.endswith(".json") and name != "run.json"]
    tables = [name for name in names if name.endswith(".parquet")]
    of_tables = (one for name in tables for one in of_table(name, pq.read_table(run / name)))
    for changes, forge in (
        (of_record(run), True),
        (of_record(run), False),
        ((one for name in inner for one in of_json_file(run, name)), True),
        (of_tables, True),
        (of_ledger(run), False),
        ((one for name in names for one in of_file(name)), False),
    ):
        for change in some(changes, CHANGES, SEED):
            yield change, forge


def looked_at(folder: str) -> None:
    """Open a folder from Python and look at what a notebook shows."""
    found = sim.load(folder)
    assert str(found)
    assert found._repr_html_()
    assert all(found.tables[name] is not None for name in found.tables)


@pytest.mark.parametrize("run", ["measurement", *deep("audit", "plan")], indirect=True)
def test_whatever_was_changed_is_told_in_a_line(
    run: Path, standout: Any, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sim.cli.report.draw_run", lambda folder: [])
    ways = (
        ("report", "copy"),
        ("check", "copy", "max_risk=0.5"),
        ("compare", "copy", "run"),
        ("resume", "copy"),
    )
    refused = 0
    made = (
        (words, forge)
        for change, forge in changes_of(run)
        for words in copies(run, place, [change], forge)
    )
    for nth, (words, forge) in enumerate(made):
        # All ways take seconds; a longer try takes each of them.
        for way in ways if CHANGES > 1 else (ways[nth % len(ways)],):
            found = standout(*way)
            *_, said = found.err.splitlines() or [""]
            line = said.startswith("standout: error: ") and said.isprintable()
            assert found.code in (0, 1) or (found.code == 2 and line), (words, forge, way, found)
            refused += found.code == 2
        try:
            looked_at("copy")
        except StandoutError:
            refused += 1
    assert refused > 2
