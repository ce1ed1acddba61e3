"""Parts: whole or done again; and result files in the order of cells, then of targets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from making import MakeStore, examples, random_rows
from studying import small_plan, study

from sim.record import parts

pytestmark = pytest.mark.fast


def table(cells: list[int], first: int = 0) -> pa.Table:
    numbers = np.arange(first, first + len(cells))
    return pa.table({"cell": np.array(cells, np.int32), "n": numbers, "text": numbers.astype(str)})


def rows(batches: list[pa.Table]) -> list[tuple[int, int]]:
    return [(r["cell"], r["n"]) for batch in batches for r in batch.to_pylist()]


@settings(max_examples=examples(40))
@given(
    batches=st.lists(st.lists(st.integers(0, 3), max_size=8).map(sorted), min_size=1, max_size=4)
)
def test_results_go_by_cell_then_batch(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[int]]
) -> None:
    """Cells without rows, batches without rows, nothing at all: every row once, in order."""
    run = tmp_path_factory.mktemp("run")
    expected = []
    for number, cells in enumerate(batches):
        first = 100 * number
        parts.write_part(run, "aux", number, table(cells, first), 4)
        expected += [(cell, number, first + nth) for nth, cell in enumerate(cells)]
    yielded = rows(list(parts.write_result(run, "aux", len(batches), 4)))
    assert yielded == [(cell, n) for cell, _, n in sorted(expected)]
    found = pq.read_table(run / "aux.parquet")
    assert list(zip(*found.select(["cell", "n"]).to_pydict().values(), strict=True)) == yielded
    assert found.schema == table([]).schema
    assert not (run / "aux.partial").exists()


def test_a_result_appears_only_when_it_is_whole(tmp_path: Path) -> None:
    for number in range(2):
        parts.write_part(tmp_path, "aux", number, table([0, 1], 10 * number), 2)
    results = parts.write_result(tmp_path, "aux", 2, 2)
    next(results)
    assert not (tmp_path / "aux.parquet").exists()
    results.close()
    assert not (tmp_path / "aux.parquet").exists()
    assert len(list(parts.write_result(tmp_path, "aux", 2, 2))) == 2
    assert pq.read_table(tmp_path / "aux.parquet").num_rows == 4


def test_a_part_is_whole_as_it_was_written(tmp_path: Path) -> None:
    digest = parts.write_part(tmp_path, "decisions", 7, table([0, 0, 1]), 2)
    path = parts.part_path(tmp_path, "decisions", 7)
    assert parts.is_whole(tmp_path, "decisions", 7, digest)
    assert not parts.is_whole(tmp_path, "decisions", 8, digest)
    assert not parts.is_whole(tmp_path, "aux", 7, digest)
    content = path.read_bytes()
    for damaged in (content[:-1], content + b"\0", content[:100] + b"!" + content[101:], b""):
        path.write_bytes(damaged)
        assert not parts.is_whole(tmp_path, "decisions", 7, digest)
    path.write_bytes(content)
    assert parts.is_whole(tmp_path, "decisions", 7, digest)
    path.unlink()
    assert not parts.is_whole(tmp_path, "decisions", 7, digest)
    path.mkdir()
    assert not parts.is_whole(tmp_path, "decisions", 7, digest)


def test_a_study_is_sorted_by_cell_and_target(make_store: MakeStore, tmp_path: Path) -> None:
    store = make_store(random_rows(5, records=120, cells=900))
    plan = small_plan(store, 70)
    assert plan.n_batches > 2
    study(store, plan, tmp_path / "run")
    records = store.records.to_pylist()
    expected = [
        (cell.index, records[t]) for cell in plan.cells for t in plan.targets[cell.index].tolist()
    ]
    decided = pq.read_table(tmp_path / "run" / "decisions.parquet", columns=["cell", "target"])
    assert list(zip(*decided.to_pydict().values(), strict=True)) == expected
    known = pq.read_table(tmp_path / "run" / "aux.parquet", columns=["cell", "target"])
    pairs = list(zip(*known.to_pydict().values(), strict=True))
    assert pairs == sorted(pairs)
    assert list(dict.fromkeys(pairs)) == expected
    assert not (tmp_path / "run" / parts.FOLDER).exists()


@pytest.mark.parametrize("strings", [False, True])
def test_identifiers_are_the_users_own(
    make_store: MakeStore, tmp_path: Path, strings: bool
) -> None:
    given = [
        (f"r{r}" if strings else r + 500, f"i{i}" if strings else -i, v, d)
        for r, i, v, d in random_rows(5, missing=0.2)
    ]
    store = make_store(given)
    study(store, small_plan(store, wrong="item"), tmp_path / "run")
    for name in ("decisions", "aux"):
        found = pq.read_table(tmp_path / "run" / f"{name}.parquet")
        assert set(found["target"].to_pylist()) <= {r for r, *_ in given}
        column = "best" if name == "decisions" else "item"
        own = {row[0 if name == "decisions" else 1] for row in given}
        assert set(found[column].to_pylist()) <= own | {None}
    known = pq.read_table(tmp_path / "run" / "aux.parquet").to_pylist()
    cells = {(r, i): (v, d) for r, i, v, d in given}
    exact = [f for f in known if f["cell"] == 0 and f["kind"] == "true"]
    assert exact
    for fact in exact:
        value, day = cells[fact["target"], fact["item"]]
        assert fact["value"] == value
        assert (fact["day"] is None) == (day is None)
        assert day is None or abs(fact["day"] - day) <= 3
